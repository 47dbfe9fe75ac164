#pragma once

#include "vernier/kernel/multibody/detail/layout.hpp"

namespace vernier::multibody::detail {

constexpr int state_lanes = 8;

/// The sweeps of a general tree with one state in each of eight lanes, compiled for one instruction
/// set: element i of lane l of an array is at [8 i + l]. `memory` has bytes() and is aligned to a
/// cache line.
struct LanesCode {
  unsigned long (*bytes)(const LayoutView&) noexcept;
  /// Mass properties of a link in one lane.
  void (*set_mass)(const LayoutView&, double* memory, int link, int lane, const Mass&) noexcept;
  void (*place)(const LayoutView&, double* memory, const double* q, const double* u) noexcept;
  /// Copy a lane into the workspace of one state: poses and motions, which the equipment needs; or
  /// everything.
  void (*take_place)(const LayoutView&, const double* memory, int lane, void* workspace) noexcept;
  void (*take_all)(const LayoutView&, const double* memory, int lane, void* workspace) noexcept;
  void (*begin)(const LayoutView&, double* memory, const double* tau) noexcept;
  /// A force on a node, in its axes: moment, then resultant, each number in eight lanes.
  void (*push)(const LayoutView&, double* memory, const NodeRecord&, const double* force) noexcept;
  /// Returns the lanes that are not singular, as bits.
  unsigned (*accelerate)(const LayoutView&, double* memory, const double* gravity,
                         const double* tau, const double* given, const double* regular,
                         double* udot) noexcept;
};

extern const LanesCode lanes_sse2, lanes_avx2, lanes_avx512;

}  // namespace vernier::multibody::detail
