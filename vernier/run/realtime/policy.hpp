#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "vernier/base/time.hpp"

namespace vernier::realtime {

/// What a run does about a frame whose work ended after the next frame should have begun.
enum class Late : std::uint8_t {
  strict,    // the first one ends the run
  elastic,   // following frames start sooner to catch up; too many late frames end the run
  catch_up,  // the same without a limit
  slip       // following frames start later: simulated time falls behind wall time
};

struct LatePolicy {
  Late kind = Late::catch_up;
  // of `elastic`
  int in_a_row = 10;    // this many consecutive late frames end the run
  int in_window = 100;  // or more than this many within the window; 0: any number
  Duration window = std::chrono::seconds(10);  // of wall time
  int burst = 5;                               // frames per period, at most, while catching up

  bool operator==(const LatePolicy&) const = default;
};

/// "strict", "elastic", "elastic:3" (in a row), "elastic:3,50" (and in the window), "catch-up",
/// "slip".
std::optional<LatePolicy> parsed_policy(std::string_view);
std::string text(const LatePolicy&);

}  // namespace vernier::realtime
