#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "vernier/base/time.hpp"

namespace vernier::realtime {

/// What a run does about a frame whose work ended after the next frame should have begun.
enum class Late : std::uint8_t {
  strict,    // the first ends the run
  elastic,   // the frames after it follow sooner, within limits that end the run
  catch_up,  // the same without a limit
  slip       // the frames after it come later: simulated time departs from wall time
};

struct LatePolicy {
  Late kind = Late::catch_up;
  // of `elastic`
  int in_a_row = 10;                           // so many late frames one after another end the run
  int in_window = 100;                         // and more than so many within; 0: any number
  Duration window = std::chrono::seconds(10);  // of wall time
  int burst = 5;                               // frames that one period may hold, to catch up

  bool operator==(const LatePolicy&) const = default;
};

/// "strict", "elastic", "elastic:3" (in a row), "elastic:3,50" (and in the window), "catch-up",
/// "slip".
std::optional<LatePolicy> parsed_policy(std::string_view);
std::string text(const LatePolicy&);

}  // namespace vernier::realtime
