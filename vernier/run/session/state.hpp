#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>

#include "vernier/base/time.hpp"
#include "vernier/run/session/live.hpp"
#include "vernier/run/session/session.hpp"
#include "vernier/run/session/timing.hpp"

namespace vernier::session {

/// What a run says of itself while it runs.
struct RunState {
  std::string name;  // "detumble-0007"
  Time time, begin, end;
  bool resting = false, stopping = false, frozen = false;
  std::optional<double> rate = {};  // × real time; none: as fast as possible
  std::uint64_t events = 0, dropped = 0;
  std::set<std::string> overrides = {};
  Pulse pulse = {};                            // no frames: it has none
  executive::Executive::Placement nodes = {};  // what each runs; empty: it runs in one process
};

/// For people, on one line; `step` determines the digits of the time.
std::string status_line(const RunState&, Duration step, bool real_time);
/// For programs (docs/reference/live-access.md).
std::string to_json(const RunState&);

/// The ports that are overridden at a time: from the start, by orders that are repeated, and by
/// other programs.
std::set<std::string> overridden_ports(const Options&, Time, const Live&);

}  // namespace vernier::session
