#pragma once

#include <time.h>

#include <cstdio>

namespace vernier::bench {

/// Processor time of this thread: others on the machine do not count.
inline double cpu_seconds() {
  timespec t{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

/// Prints a row: what, value, limit, ok or MISSED.
void judge(const char* what, double value, const char* relation, double limit);

/// The robot as a component: worst step over median in real time for so many seconds, and what
/// recording everything costs.
void run_figures(double seconds);

}  // namespace vernier::bench
