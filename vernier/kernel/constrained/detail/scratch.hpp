#pragma once

#include <array>
#include <optional>
#include <vector>

#include "vernier/kernel/constrained/detail/mechanism_layout.hpp"

namespace vernier::constrained::detail {

/// A structural node during a solve.
struct NodeWork {
  Vector3 x_history;
  Vector3 g_history, rate;  // CGR parameters relative to the start of the step: g = history + c g'
  Vector3 moment;           // R Σ m b
  spatial::Sym3<double> inertia;

  void start(const Vector3& x, const Vector3& g, const Vector3& g_rate) noexcept {
    x_history = x;
    g_history = g;
    rate = g_rate;
  }
};

/// Scales of rows and columns for a pair of coefficients, and their products for Tables.
struct ScaleTable {
  double c = 0.0, c_momentum = 0.0;
  std::vector<double> row, column, factor;
};

/// Held inputs over a step: u - Φᵀν, and ν (held.cpp).
struct HeldWork {
  std::vector<NodeState> middle;  // of the step
  std::vector<double> middle_values;
  std::vector<double> rates, reactions;  // of momenta; ν
  std::vector<Wrench> wrenches;
  std::vector<double> answer, algebraic;
};

/// The largest residual of each kind, and the scaled residuals that count as 1.
struct Norms {
  double force, moment, constraint, other, worst;
};
struct Limits {
  double force, moment, constraint;
};

/// Working memory for one call, allocated in advance. Nothing in it is read by the next call,
/// except `scales`, which depend only on the plan and their coefficients.
struct Scratch {
  explicit Scratch(const MechanismLayout&);

  const MechanismLayout* of;    // the layout it was made for
  Level next;                   // result of a step
  std::array<Level, 2> stages;  // for multi-stage schemes
  State before;                 // state before a step that is taken in pieces
  std::vector<NodeWork> nodes;
  std::vector<Matrix3> turns;
  std::vector<double> momentum_history, value_history;
  std::vector<DriveState> drives;
  std::vector<double> drive_values;
  std::vector<double> rhs, residual;
  std::vector<double> local_residual, local_jacobian;
  HeldWork held;
  ScaleTable scales;
  References references;
  Norms norms{};
  Limits limits{};
  std::vector<Acceleration> accelerations;
  std::optional<sparse::LinearSolver> linear;
};

}  // namespace vernier::constrained::detail
