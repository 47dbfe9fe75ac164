#pragma once

#include <complex>
#include <string>
#include <vector>

#include "vernier/kernel/constrained/solver.hpp"

/// Linear analysis about the current state of a solver: at rest, or at its current velocities as if
/// these were constant (frozen coefficients). Positions vary on the constraint manifold; no choice
/// of independent coordinates is needed. For use before and after runs: allocates.
namespace vernier::constrained {

struct Mode {
  std::complex<double> eigenvalue;  // 1/s
  double frequency = 0.0;           // Hz, of the undamped vibration: |eigenvalue| / 2π
  double damping = 0.0;             // ratio to critical; 1 if not oscillating; negative: growing
  /// Displacement and left rotation of each node, six numbers per node, scaled to a maximum of 1.
  std::vector<std::complex<double>> shape;
};

/// An observed quantity: a measure of an element, or a component of a node.
struct Output {
  int element = -1;  // or none
  int measure = 0;   // index among all numbers of its measures
  int node = -1;     // or none
  int component = 0;  // of a node: position 0–2, small rotation 3–5, velocity 6–8, angular 9–11
};

/// x' = A x + B u, y = C x + D u: changes of states, inputs (drives that are inputs, in their
/// order) and outputs. Row major. Inputs that drive constraints are assumed to change slowly (u' =
/// 0).
struct LinearModel {
  int states = 0, inputs = 0, outputs = 0;
  std::vector<double> A, B, C, D;
};

/// Eigenmodes: oscillations first, by frequency, one of each conjugate pair; then real eigenvalues.
/// Throws AssemblyProblem (singular) if the equations do not determine the motion.
std::vector<Mode> modes(const Solver&);

LinearModel linearize(const Solver&, const std::vector<Output>&);

}  // namespace vernier::constrained
