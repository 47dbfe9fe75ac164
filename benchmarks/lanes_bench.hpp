#pragma once

#include <algorithm>
#include <ctime>
#include <utility>

namespace vernier::bench {

/// Processor time of this thread, s: other programs do not count.
inline double now() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

/// The least time of several runs, s; both are measured in turn, under the same conditions.
template <class A, class B>
std::pair<double, double> least(int rounds, A&& a, B&& b) {
  double best_a = 1e300, best_b = 1e300;
  for (int k = 0; k < rounds; ++k) {
    double begin = now();
    a();
    best_a = std::min(best_a, now() - begin);
    begin = now();
    b();
    best_b = std::min(best_b, now() - begin);
  }
  return {best_a, best_b};
}

/// One state at a time over lanes, per state, for the rates and for all outputs of a plant; 0 if a
/// bit differs.
struct PlantRatio {
  double flow = 0.0, output = 0.0;
};
/// Cassini's plant, whose probe on a free hinge makes it a general tree.
PlantRatio cassini_tree(std::size_t count);
/// The same after the release of the probe: a star.
PlantRatio cassini_star(std::size_t count);

}  // namespace vernier::bench
