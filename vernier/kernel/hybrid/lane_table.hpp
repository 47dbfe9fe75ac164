#pragma once

#include "vernier/base/instructions.hpp"

namespace vernier::hybrid {

/// The numbers that a model of N parameters follows from, as they were given. `symbol` says which
/// of them stay adjustable: element symbol[i] of p replaces value[i].
template <int N>
struct Given {
  double value[N + 1] = {};
  int symbol[N + 1] = {};  // 0: fixed; else one more than the place in p
  int adjustable = 0;      // how many are in p

  bool kept(int i) const noexcept { return symbol[i] > 0; }
};

/// What a model with the data D computes for eight points side by side (system.hpp), compiled for
/// one set of instructions. Null pointers of directions do not move, those of results are not
/// wanted.
template <class D>
struct LaneTable {
  struct At {
    const double *t, *x;
    const int* mode;
    const double *u, *p;
  };
  using Values = void (*)(const D&, const At&, double* result);
  struct Along {
    const double *t, *x, *u, *p;
  };
  struct Wanted {
    double *xdot, *y, *z;
  };
  /// `same`: t, x, u and p are those of one point.
  using Rates = void (*)(const D&, bool same, const At&, const Along&, const Wanted&);
  Values flow, output, guards;
  Rates tangent;
};

}  // namespace vernier::hybrid
