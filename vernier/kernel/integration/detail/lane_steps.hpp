#pragma once

#include <cstddef>

#include "vernier/base/instructions.hpp"

namespace vernier::integration::detail {

/// The arithmetic of an explicit step for eight states side by side (element i of lane l at
/// [8 i + l]), in the order in which one state is computed. `h` has the step of each lane.
struct LaneSteps {
  /// to = origin + (t + c h)
  void (*when)(double origin, double c, const double* t, const double* h, double* to);
  /// to = x + (low + h Σ a_j k_j)
  void (*stage)(std::size_t n, std::size_t terms, const double* a, const double* const* k,
                const double* h, const double* x, const double* low, double* to);
  /// to = h Σ a_j k_j
  void (*increment)(std::size_t n, std::size_t terms, const double* a, const double* const* k,
                    const double* h, double* to);
  /// x1 + low1 = x + low + dx
  void (*land)(std::size_t n, const double* x, const double* low, const double* dx, double* x1,
               double* low1);
  /// Makes `count` elements a unit vector again; dx follows.
  void (*normalise)(std::size_t count, double* x1, double* low1, double* dx);
  /// The largest |error_i| / (atol + rtol max(|a_i|, |b_i|)) of each lane; NaN when an error is.
  void (*norm)(std::size_t n, const double* error, const double* a, const double* b, double rtol,
               double atol, double* norms);
  /// The state in the middle of a step of Dormand and Prince; k: k1, k3, k4, k5, k6, k7.
  void (*middle)(std::size_t n, const double* const* k, const double* h, const double* x,
                 const double* low, const double* dx, double* to);
  /// Lanes, as bits, in which EventLocator::calm or quiet does not hold for every one of `atoms`
  /// with its rates at both ends of the step, and its value in the middle.
  unsigned (*restless)(std::size_t atoms, const double* h, const double* z0, const double* dz0,
                       const double* z1, const double* dz1, const double* middle);
  /// to = from in the lanes where `chosen` is 1
  void (*choose)(std::size_t n, const double* chosen, const double* from, double* to);
};

const LaneSteps& lane_steps() noexcept;

}  // namespace vernier::integration::detail
