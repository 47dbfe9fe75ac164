#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "vernier/base/diagnostic.hpp"
#include "vernier/base/mailbox.hpp"
#include "vernier/run/composition/plan.hpp"
#include "vernier/run/executive/executive.hpp"
#include "vernier/run/realtime/frames.hpp"
#include "vernier/run/realtime/node_frames.hpp"
#include "vernier/run/realtime/privileges.hpp"
#include "vernier/run/realtime/report.hpp"
#include "vernier/run/session/frame_log.hpp"

namespace vernier::session {

/// Settings of a run that must keep time whatever else the machine does.
struct RealTime {
  realtime::Wanted wanted = {};
  Duration spin{};       // the end of each sleep is spent spinning
  bool require = false;  // refuse to run with fewer privileges than wanted
};

/// Whether a component of the run shares time with others, as in a federation.
bool shares_time(const composition::Plan&);

/// How a run keeps time, while it goes on.
struct Pulse {
  std::uint64_t frames = 0, late = 0;
  std::int64_t margin = 0, least_margin = 0, worst_wake_up = 0;  // ns
};

/// What a run by the wall clock has in addition: its pacer; in real time its priority; in real
/// time, or when it shares time with others, frames.h5 and report.html. The loop passes data
/// through mailboxes.
class Timing final : public realtime::FrameSink {
 public:
  /// `base`: the clock to follow; null: that of a component that has one, or this machine's.
  /// Throws ConfigurationError: V4106, V4110.
  Timing(const composition::Plan&, double rate, const realtime::LatePolicy&,
         const std::optional<RealTime>&, TimeBase* base = nullptr);

  Pacer& pacer() noexcept { return pacer_; }
  /// Takes effect at the next start of the pacer.
  void set_rate(double rate) noexcept { pacer_.set_rate(rate); }
  /// Whether late frames are tolerated whatever the policy, while what moves comes to rest.
  void tolerate(bool yes) noexcept { pacer_.tolerate(yes); }
  /// Null: costs are not measured.
  executive::Meter* meter() noexcept { return measured_ ? &pacer_ : nullptr; }

  /// After the executive was created; before initialize().
  void attach(executive::Executive&);
  const realtime::FramePacer& frames() const noexcept { return pacer_; }
  /// Frames go there as well. It must outlive the run.
  void pass_on(realtime::FrameSink* s) noexcept { next_ = s; }
  /// This process is one of these nodes of the run; not in the loop.
  void know_nodes(const std::vector<std::string>& names) { pacer_.know_nodes(names); }
  /// All parts run on other nodes, which keep time and say what became of their frames; null:
  /// frames are not measured. After attach().
  realtime::NodeFrames* follow_nodes(const std::vector<composition::Part>&);
  /// Creates frames.h5; with RecorderOptions::earlier, continues it.
  void open(const std::filesystem::path& folder, const record::RecorderOptions&);

  /// Right before the loop, on its thread: acquires the privileges. Returns a warning for each that
  /// is missing; throws ConfigurationError (V4103) when all were required, V4104.
  Diagnostics begin(executive::Executive&);
  /// After the loop: releases them.
  void end() noexcept;
  /// Around every part of the loop: counts its page faults and context switches.
  void enter() noexcept;
  void leave() noexcept;

  /// Frames that were passed on to frames.h5; by the thread that runs the loop.
  std::uint64_t logged() { return log_ ? log_->passed() : 0; }

  /// From any thread except the loop's.
  Pulse pulse() const;
  /// What it is bound to, while it runs, as one JSON object (docs/reference/live-access.md). From
  /// any thread except the loop's.
  std::string about() const;
  /// After a run in real time, or one that shares time with others.
  std::optional<realtime::Health> health(std::uint64_t dropped) const;

  void take(const realtime::Frame&, std::span<const std::int64_t> costs) noexcept override;

 private:
  const realtime::FrameBook& book() const noexcept { return nodes_ ? book_ : pacer_.book(); }

  std::optional<RealTime> real_time_;
  realtime::FramePacer pacer_;
  bool measured_;
  std::vector<std::string> names_;
  realtime::FrameBook book_;  // of all nodes
  std::unique_ptr<realtime::NodeFrames> nodes_;
  bool elsewhere_ = false;  // nodes keep the time
  realtime::FrameSink* next_ = nullptr;
  std::unique_ptr<FrameLog> log_;
  std::unique_ptr<realtime::RealTimeScope> scope_;
  mutable std::mutex machine_mutex_;  // of the two below; never taken by the loop
  std::vector<realtime::Privilege> privileges_;
  realtime::Machine machine_;
  bool prioritized_ = false;
  struct Usage {
    std::int64_t minor = 0, major = 0, waits = 0;  // page faults; times the processor was given up
  } usage_, before_;
  mutable OwnedLatest latest_{sizeof(Pulse)};
  mutable std::mutex readers_;  // of latest_; never taken by the loop
};

/// Statistics of the peers for the report, from components with external connections.
std::vector<realtime::LinkFigure> link_figures(const executive::Executive&);

/// For the manifest.
std::vector<std::pair<std::string, double>> figures_of(const realtime::Health&);
std::vector<std::pair<std::string, std::string>> machine_of(const realtime::Health&);

}  // namespace vernier::session
