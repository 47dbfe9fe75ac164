#pragma once

#include <string>

#include "vernier/base/time.hpp"

namespace vernier::composition {

/// How many decimals of a second the times of a run need, from 3 to 9: enough to tell its steps
/// apart, and a thousandth of its length.
int time_decimals(Duration step, Duration length) noexcept;

/// The step of a run divided by `parts`, as documents write it: "0.01 s", "1/330 s".
std::string step_text(Duration step, Rate step_rate, int parts = 1);

}  // namespace vernier::composition
