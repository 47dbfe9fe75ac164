#pragma once

#include "vernier/base/instructions.hpp"

namespace vernier::hybrid {

/// What a model with the data D computes for eight points side by side (system.hpp), compiled for
/// one set of instructions. Null pointers of directions do not move, those of results are not
/// wanted.
template <class D>
struct LaneTable {
  using Values = void (*)(const D&, const double* t, const double* x, const int* mode,
                          const double* u, double* result);
  struct Along {
    const double *t, *x, *u;
  };
  struct Wanted {
    double *xdot, *y, *z;
  };
  /// `same`: t, x and u are those of one point.
  using Rates = void (*)(const D&, bool same, const double* t, const double* x, const int* mode,
                         const double* u, const Along&, const Wanted&);
  Values flow, output, guards;
  Rates tangent;
};

}  // namespace vernier::hybrid
