#include "vernier/kernel/integration/detail/lu.hpp"

#include <cmath>
#include <utility>

namespace vernier::integration::detail {

bool Lu::factor() noexcept {
  for (std::size_t k = 0; k < n_; ++k) {
    std::size_t best = k;
    for (std::size_t i = k + 1; i < n_; ++i) {
      if (std::abs(a_[i * n_ + k]) > std::abs(a_[best * n_ + k])) best = i;
    }
    pivot_[k] = best;
    const double p = a_[best * n_ + k];
    if (!std::isfinite(p) || p == 0.0) return false;
    if (best != k) {
      for (std::size_t j = 0; j < n_; ++j) std::swap(a_[k * n_ + j], a_[best * n_ + j]);
    }
    for (std::size_t i = k + 1; i < n_; ++i) {
      const double l = a_[i * n_ + k] / p;
      a_[i * n_ + k] = l;
      if (l == 0.0) continue;
      for (std::size_t j = k + 1; j < n_; ++j) a_[i * n_ + j] -= l * a_[k * n_ + j];
    }
  }
  return true;
}

void Lu::solve(double* b) const noexcept {
  for (std::size_t k = 0; k < n_; ++k) std::swap(b[k], b[pivot_[k]]);
  for (std::size_t i = 1; i < n_; ++i) {
    for (std::size_t j = 0; j < i; ++j) b[i] -= a_[i * n_ + j] * b[j];
  }
  for (std::size_t i = n_; i-- > 0;) {
    for (std::size_t j = i + 1; j < n_; ++j) b[i] -= a_[i * n_ + j] * b[j];
    b[i] /= a_[i * n_ + i];
  }
}

}  // namespace vernier::integration::detail
