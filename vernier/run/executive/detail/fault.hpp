#pragma once

#include "vernier/base/diagnostic.hpp"
#include "vernier/run/executive/detail/cycle.hpp"
#include "vernier/run/executive/executive.hpp"

namespace vernier::executive::detail {

/// Why the run stopped, as a message.
Diagnostic described(const Breakdown&, const Executive&, const Cycle&, const Options&);

Diagnostics as_diagnostics(Diagnostic);

/// Seconds with at least three decimals and no more than needed: "41.230 s".
std::string text(Time);

}  // namespace vernier::executive::detail
