#include "vernier/run/composition/time_text.hpp"

#include <algorithm>

#include "vernier/base/text.hpp"

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

std::string step_text(Duration step, Rate step_rate, int parts) {
  if (!step_rate.periodic()) return exact(seconds(step) / parts) + " s";
  return std::to_string(step_rate.seconds) + "/" + std::to_string(step_rate.times * parts) + " s";
}

}  // namespace vernier::composition
