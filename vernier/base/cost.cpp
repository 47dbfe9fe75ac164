#include "vernier/base/cost.hpp"

#include <algorithm>
#include <ctime>

namespace vernier {

double processor_us() noexcept {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) * 1e6 + static_cast<double>(t.tv_nsec) * 1e-3;
}

double undisturbed(std::span<double> samples) noexcept {
  if (samples.empty()) return 0.0;
  const auto at = samples.begin() + static_cast<std::ptrdiff_t>(samples.size() / 10);
  std::nth_element(samples.begin(), at, samples.end());
  return *at;
}

}  // namespace vernier
