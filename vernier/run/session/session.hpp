#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "vernier/base/diagnostic.hpp"
#include "vernier/base/time.hpp"
#include "vernier/run/executive/statistics.hpp"
#include "vernier/run/realtime/policy.hpp"
#include "vernier/run/realtime/report.hpp"
#include "vernier/run/record/recorder.hpp"
#include "vernier/run/session/prepare.hpp"
#include "vernier/run/session/timing.hpp"
#include "vernier/run/session/watch.hpp"

namespace vernier::session {

/// How a prepared document is run. None of this changes what the simulation computes, but
/// `overrides`, `orders` and `from`.
struct Options {
  std::filesystem::path from = {};                // a checkpoint to go on from; empty: the start
  std::optional<Duration> checkpoint_every = {};  // of simulated time; and one at the end
  std::optional<double> rate = {};                // × real time; none: as fast as possible
  std::optional<RealTime> real_time = {};         // keep time whatever else the machine does
  realtime::LatePolicy late = {};                 // by the wall clock
  int threads = 1;
  std::vector<std::string> overrides = {};  // "plant.torque=0 0 1e-3": replaces what a port carries
  std::vector<executive::ScheduledOrder> orders = {};  // of a run that is repeated
  std::filesystem::path runs = "runs";                 // where the run's folder is made
  bool keep = true;                                    // false: nothing is left on disk
  // for the manifest
  Changes changes = {};
  std::string version = {};
  std::vector<std::string> command = {};
  /// Called for every event of the run, in order, from another thread.
  std::function<void(const record::Event&)> on_event = {};
  /// Called by run() before the loop, when something that was asked for is not to be had.
  std::function<void(const Diagnostics&)> on_warnings = {};
};

/// A run that failed has a fault, whose category tells more.
enum class Result : std::uint8_t { finished, broken_check, failed, interrupted };

/// What became of a run.
struct Summary {
  Result result = Result::finished;
  std::optional<Diagnostic> fault = {};  // of a run that failed
  Time from{}, reached{};
  double wall = 0.0;  // s
  std::vector<ReportResult> reports = {};
  std::vector<CheckResult> checks = {};
  executive::Statistics statistics = {};
  record::RecorderStatistics recorded = {};
  std::vector<std::filesystem::path> checkpoints = {};
  std::uint64_t orders_lost = 0;  // not written down: a repetition would lack them
  /// Somebody asked to begin again at this checkpoint; an empty path: at the start.
  std::optional<std::filesystem::path> rewind = {};
  std::optional<realtime::Health> real_time = {};

  /// Simulated time over wall time.
  double factor() const noexcept;
};

/// One run of a prepared document, from its folder to its manifest. The executive, the recorder and
/// the watch are put together here and nowhere else.
class Session {
 public:
  /// Makes the run's folder and brings everything to the start, so that run() can follow at once.
  /// Warnings go into `problems`. Throws ConfigurationError; then nothing was run.
  Session(Prepared, Options, Diagnostics& problems);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// Runs to the end, closes the files and completes the manifest. Once. Throws ConfigurationError
  /// when real time is required and cannot be had; then nothing was run.
  Summary run();

  /// Lets run() come back after the current tick, with everything closed. From any thread or signal
  /// handler.
  void request_stop() noexcept;

  /// Lets time stand still after the current tick, and go on. Also asked by other programs through
  /// the run's folder (control.hpp). From any thread.
  void request_freeze() noexcept;
  void request_resume() noexcept;
  bool frozen() const noexcept;
  /// How it keeps time. From any thread; all zero when it does not.
  Pulse pulse() const;

  /// Orders to the run while it goes on, as Executive::ask() and its kin. From any thread, while
  /// the session lives.
  std::uint64_t ask(const executive::Order&);
  executive::OrderAnswer answer(std::uint64_t order);
  void forget(std::uint64_t order);

  /// How far the run is. From any thread.
  Time now() const noexcept;
  Time begins() const noexcept;
  Time ends() const noexcept;

  const composition::Composition& composition() const noexcept;
  const executive::Executive& executive() const noexcept;
  /// Empty when nothing is kept.
  const std::filesystem::path& folder() const noexcept;

 private:
  class Work;
  std::unique_ptr<Work> work_;
};

/// How to do again what is in a run's folder: its document and how it was run. Throws
/// ConfigurationError.
struct Again {
  std::filesystem::path document;
  Options options;
};
Again repeated(const std::filesystem::path& run_folder);

/// The exit status of the command line for a run: 0 finished, 3 a broken check, 130 interrupted;
/// failed: 4 by lateness, 5 by a peer, else 1.
int exit_status(const Summary&) noexcept;
/// The same for what kept a run from beginning: 2.
inline constexpr int nothing_was_run = 2;

}  // namespace vernier::session
