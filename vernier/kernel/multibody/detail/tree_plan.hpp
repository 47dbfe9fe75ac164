#pragma once

#include "vernier/kernel/multibody/detail/layout.hpp"

namespace vernier::multibody::detail {

/// Many states of a tree: element k of state i is at [k * count + i]. Null: none of this kind.
struct TreeStates {
  std::size_t count = 0;
  const double* q = nullptr;
  const double* u = nullptr;
  const double* force = nullptr;
  const double* acceleration = nullptr;
  const double* regular = nullptr;  // 1 or 0 for each speed; null: all are regular
  double gravity[3] = {};
  double* udot = nullptr;
};

/// The sweeps of a general tree, compiled for one instruction set. `workspace` is memory of
/// workspace_bytes<double>().
struct TreeCode {
  int lanes = 1;  // of states
  void (*place)(const LayoutView&, const Mass*, const double* q, const double* u,
                void* workspace) noexcept;
  void (*begin)(const LayoutView&, const Mass*, const double* tau, void* workspace) noexcept;
  /// Returns a link whose pivot is too small, or -1. `regular` as in TreeStates.
  int (*accelerate)(const LayoutView&, const Mass*, const double* gravity, const double* tau,
                    const double* given, const double* regular, void* workspace,
                    double* udot) noexcept;
  /// Computes the accelerations of many states, NaN for singular ones; returns their number.
  /// `scratch`: memory of scratch_bytes(), aligned to a cache line.
  std::size_t (*states)(const LayoutView&, const Mass*, void* scratch, const TreeStates&) noexcept;
  std::size_t (*scratch_bytes)(const LayoutView&) noexcept;
};

extern const TreeCode tree_sse2, tree_avx2, tree_avx512, tree_avx2_fused, tree_avx512_fused;

}  // namespace vernier::multibody::detail
