#pragma once

#include "machine.hpp"

namespace vernier::bench {

/// Prints a row: what, value, limit, ok or MISSED.
void judge(const char* what, double value, const char* relation, double limit);

/// The robot as a component: worst step over median in real time for this many seconds, and the
/// cost of recording everything.
void run_figures(double seconds);

}  // namespace vernier::bench
