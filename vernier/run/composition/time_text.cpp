#include "vernier/run/composition/time_text.hpp"

#include <algorithm>

namespace vernier::composition {

int time_decimals(Duration step, Duration length) noexcept {
  constexpr int least = 3, most = 9;
  Duration finest = std::chrono::milliseconds(1);
  if (step > Duration{}) finest = std::min(finest, step);
  if (length > Duration{}) finest = std::min(finest, length / 1000);
  int decimals = least;
  for (Duration unit = std::chrono::milliseconds(1); decimals < most && unit > finest; unit /= 10)
    ++decimals;
  return decimals;
}

}  // namespace vernier::composition
