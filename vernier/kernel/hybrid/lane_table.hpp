#pragma once

#include "vernier/base/instructions.hpp"
#include "vernier/kernel/hybrid/output_set.hpp"

namespace vernier::hybrid {

/// Blocks of eight points, and how many elements each vector has from one block to the next.
struct LaneBlocks {
  std::size_t count = 1;
  std::size_t t = 1, x = 0, u = 0, p = 0, result = 0;
};

/// The addresses of eight points, or of the first of several blocks: element i of an input is at
/// `u_at[i]`, or at u[8 i] if `u_at` is null.
struct LanePlace {
  const double *t, *x;
  const int* mode;
  const double* u;
  const double* const* u_at;
  const double* p;
};

/// The given parameters of a model with N numbers. `symbol` says which of them remain adjustable:
/// element symbol[i] of p replaces value[i].
template <int N>
struct Given {
  double value[N + 1] = {};
  int symbol[N + 1] = {};  // 0: fixed; otherwise 1 + index in p
  int adjustable = 0;      // how many are in p

  bool kept(int i) const noexcept { return symbol[i] > 0; }
};

/// The functions of a model with the data D for eight points (system.hpp), compiled for one
/// instruction set. Null pointers of directions do not move; null results are not computed.
template <class D>
struct LaneTable {
  using Values = void (*)(const D&, const LanePlace&, const LaneBlocks&, double* result);
  using Outputs = void (*)(const D&, const LanePlace&, const LaneBlocks&, OutputSet wanted,
                           double* result);
  struct Along {
    const double *t, *x, *u, *p;
  };
  struct Wanted {
    double *xdot, *y, *z;
    OutputSet outputs;  // of y
  };
  /// `same`: t, x, u and p are those of one point.
  using Rates = void (*)(const D&, bool same, const LanePlace&, const Along&, const Wanted&);
  Values flow, guards;
  Outputs output;
  Rates tangent;
};

}  // namespace vernier::hybrid
