#pragma once

#include "vernier/kernel/multibody/detail/star_plan.hpp"
#include "vernier/kernel/multibody/detail/surroundings_plan.hpp"

namespace vernier::multibody::detail {

constexpr int state_lanes = 8;

/// A spacecraft for eight states side by side. Plain data.
struct LaneCraft {
  LayoutView layout;
  SurroundingsPlan around;
  int bus_load;  // where the jets of thrusters act
  // A star: its plan and constants, each appendage a group; which groups are loaded, by the groups
  // of one state; links whose motion is needed. A general tree: null.
  const StarPlan* star;
  const double* constants;
  const unsigned char* forced;
  const int *links, *groups;  // link of each group; group of each link, that of the hub is the last
  const int* described;
  int described_count;
};

/// The commands of the hinges: forces are SurroundingsPoint::tau.
struct LaneDrive {
  const double* given;    // accelerations of prescribed speeds, in lanes
  const double* regular;  // by speed: 0 if prescribed; null: none is
};

/// The sweeps and what stands around a tree, with one state in each of eight lanes, compiled for
/// one instruction set: element i of lane l of an array is at [8 i + l]. `memory` has bytes() and
/// is aligned to a cache line.
struct LanesCode {
  unsigned long (*bytes)(const LaneCraft&) noexcept;
  /// Mass properties of a link in one lane: in its working frame, and those that the sweeps need,
  /// which in a star are at the inboard node.
  void (*set_mass)(const LaneCraft&, double* memory, int link, int lane, const Mass& in_frame,
                   const Mass& for_sweeps) noexcept;
  /// Mass properties of varying bodies from SurroundingsPoint::inertias and fuel.
  void (*weigh)(const LaneCraft&, const SurroundingsPoint&, double* memory) noexcept;
  void (*place)(const LaneCraft&, const SurroundingsPoint&, double* memory) noexcept;
  /// Computes all loads except central gravity.
  void (*gather)(const LaneCraft&, const SurroundingsPoint&, double* memory) noexcept;
  /// Returns the lanes that are not singular, as bits.
  unsigned (*accelerate)(const LaneCraft&, const SurroundingsPoint&, const LaneDrive&,
                         double* memory, double* udot) noexcept;
  /// Reads everything of accelerated states.
  void (*read)(const LaneCraft&, const SurroundingsPoint&, const LaneDrive&, double* memory,
               const double* udot, const LaneReadings&) noexcept;
  void (*coordinate_rates)(const LayoutView&, const double* q, const double* u,
                           double* qdot) noexcept;
};

extern const LanesCode lanes_sse2, lanes_avx2, lanes_avx512;

}  // namespace vernier::multibody::detail
