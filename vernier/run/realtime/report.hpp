#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "vernier/run/realtime/frames.hpp"
#include "vernier/run/realtime/privileges.hpp"

namespace vernier::realtime {

/// How a node of a run kept time.
struct NodeHealth {
  std::string name;
  std::uint64_t frames = 0;
  std::uint64_t late_by_work = 0, late_by_wake_up = 0;  // late frames of the run because of it
  Histogram wake_up, work, waiting;  // of its frames: work without waiting for other nodes, ns
  std::string clock;                 // which, and how well it is known: "within 20 µs"
  bool prioritized = false;
  std::int64_t minor_faults = 0, major_faults = 0, waits = 0;
  std::uint64_t dropped = 0;  // samples that found no room
};

/// How well a run kept time: the content of its report.
struct Health {
  Grid grid;
  double rate = 1.0;
  Duration spin{};
  LatePolicy late;
  std::vector<std::string> parts;  // names, as FrameStatistics::parts
  FrameStatistics frames;
  bool shares_time = false;       // it is a member of a federation
  std::vector<Other> others;      // those that delayed it
  std::vector<NodeHealth> nodes;  // empty: it has one only
  /// Late frames because of the network between two nodes.
  struct Path {
    std::string from, to;
    std::uint64_t late = 0;
    std::int64_t longest = 0;  // ns; of the waits that no node explains
  };
  std::vector<Path> paths;
  std::vector<Privilege> privileges;
  Machine machine;
  bool prioritized = false;
  std::uint64_t not_kept = 0;                       // frames for which frames.h5 had no room
  std::uint64_t dropped = 0;                        // samples for which the recorder had no room
  std::int64_t minor_faults = 0, major_faults = 0;  // page faults of the loop's thread
  std::int64_t waits = 0;                           // context switches besides its sleeps
  bool broken = false;                              // the policy ended the run

  /// ns of wall time between two frames.
  double period() const noexcept { return grid.period() / rate * 1e9; }
  /// The loop used nearly all CPU time that the kernel permits real-time threads.
  bool near_throttling() const noexcept {
    return prioritized && frames.load() > 0.9 * std::min(1.0, machine.throttle() / 0.95);
  }
  /// How many decimals of a second its times need.
  int decimals() const noexcept;
};

/// "real time kept: no late frame", in one sentence.
std::string verdict(const Health&);
/// The cause of a late frame: "work of plant", "woken 240 µs late". When others delayed it:
/// "waiting for the federation, which was held back by Moon".
/// In a run on several nodes: "work of plant on node b".
std::string blame(const Frame&, const std::vector<std::string>& parts,
                  const std::vector<Other>& others = {},
                  const std::vector<std::string>& nodes = {});
/// The same with the names of a run.
std::string blame(const Frame&, const Health&);
/// ns in a suitable unit: "21 µs", "4.000 ms".
std::string time_text(double ns);
/// "250 Hz", "every 3.3 ms"
std::string rate_text(double period_ns);

/// A peer's statistics at the end of the run, one per row of the report's table.
struct LinkFigure {
  std::string link, name, value;
};

/// The report as one self-contained page: contract, histograms, late frames with causes, links,
/// machine, verdict.
std::string report_html(const Health&, const std::string& title, const std::string& subtitle,
                        const std::vector<LinkFigure>&);

}  // namespace vernier::realtime
