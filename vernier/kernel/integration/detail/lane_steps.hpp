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
  /// Normalises `count` elements to a unit vector and updates dx.
  void (*normalise)(std::size_t count, double* x1, double* low1, double* dx);
  /// The largest |error_i| / (atol + rtol max(|a_i|, |b_i|)) of each lane; NaN if an error is NaN.
  void (*norm)(std::size_t n, const double* error, const double* a, const double* b, double rtol,
               double atol, double* norms);
  /// The state in the middle of a Dormand-Prince step by dense output; k: k1, k3, k4, k5, k6, k7.
  void (*middle)(std::size_t n, const double* const* k, const double* h, const double* x,
                 const double* low, const double* dx, double* to);
  /// The lanes, as bits, in which EventLocator::calm or quiet fails for some of the `atoms`, given
  /// with their rates at both ends of the step and their values in the middle.
  unsigned (*restless)(std::size_t atoms, const double* h, const double* z0, const double* dz0,
                       const double* z1, const double* dz1, const double* middle);
  /// to = from in the lanes where `chosen` is 1
  void (*choose)(std::size_t n, const double* chosen, const double* from, double* to);
};

const LaneSteps& lane_steps() noexcept;

}  // namespace vernier::integration::detail
