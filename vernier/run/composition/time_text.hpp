#pragma once

#include "vernier/base/time.hpp"

namespace vernier::composition {

/// How many decimals of a second the times of a run need, from 3 to 9: enough to tell its steps
/// apart, and a thousandth of its length.
int time_decimals(Duration step, Duration length) noexcept;

}  // namespace vernier::composition
