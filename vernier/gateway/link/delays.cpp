#include "vernier/gateway/link/delays.hpp"

#include <algorithm>
#include <cmath>

namespace vernier::link {

void DelayFigure::add(double seconds) noexcept {
  recent_[count_ % shown] = seconds;
  last_ = seconds;
  least_ = count_ ? std::min(least_, seconds) : seconds;
  most_ = count_ ? std::max(most_, seconds) : seconds;
  sum_ += seconds;
  ++count_;
  int at = 0;
  if (seconds > 1e-9) {
    int exponent = 0;
    const double mantissa = std::frexp(seconds * 1e9, &exponent);  // [1/2, 1) 2^exponent
    at = (exponent - 1) * fine + static_cast<int>((2.0 * mantissa - 1.0) * fine);
  }
  ++classes_[static_cast<std::size_t>(std::clamp(at, 0, fine * octaves - 1))];
}

double DelayFigure::recent_mean() const noexcept {
  const int n = static_cast<int>(std::min<std::uint64_t>(count_, shown));
  double sum = 0.0;
  for (int i = 0; i < n; ++i) sum += recent_[static_cast<std::size_t>(i)];
  return n ? sum / n : 0.0;
}

double DelayFigure::percentile(double p) const noexcept {
  const double wanted = p * static_cast<double>(count_);
  std::uint64_t below = 0;
  for (int i = 0; i < fine * octaves; ++i) {
    below += classes_[static_cast<std::size_t>(i)];
    if (below == 0 || static_cast<double>(below) < wanted) continue;
    if (i == 0) return least_;
    const double upper = std::ldexp(1.0 + static_cast<double>(i % fine + 1) / fine, i / fine);
    return std::clamp(upper * 1e-9, least_, most_);
  }
  return most_;
}

}  // namespace vernier::link
