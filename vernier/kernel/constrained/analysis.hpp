#pragma once

#include <complex>
#include <string>
#include <vector>

#include "vernier/kernel/constrained/solver.hpp"

/// Small motions about the place where a solver stands: at rest, or at the velocities it has, as if
/// these lasted (coefficients are those of this moment). Positions are taken on the constraints,
/// without coordinates to choose: whatever they leave free. For before and after runs: allocates.
namespace vernier::constrained {

struct Mode {
  std::complex<double> eigenvalue;  // 1/s
  double frequency = 0.0;           // Hz, of the undamped vibration: |eigenvalue| / 2π
  double damping = 0.0;             // of critical; 1 where it does not vibrate; negative: grows
  /// Displacement and left rotation of each node, six numbers a node, the largest 1.
  std::vector<std::complex<double>> shape;
};

/// Something of the mechanism that is looked at: a measure of an element, or of a node.
struct Output {
  int element = -1;  // or none
  int measure = 0;   // the number among all its measures, one after the other
  int node = -1;     // or none
  int component = 0;  // of a node: position 0–2, small rotation 3–5, velocity 6–8, angular 9–11
};

/// x' = A x + B u, y = C x + D u: changes of states, inputs (drives that are inputs, in their
/// order) and outputs. Row major. Inputs that constraints follow count as changing slowly.
struct LinearModel {
  int states = 0, inputs = 0, outputs = 0;
  std::vector<double> A, B, C, D;
};

/// Vibrations first, by frequency, one of each conjugate pair; then what decays, grows or stands.
/// Throws AssemblyProblem (singular) if the equations do not determine the motion.
std::vector<Mode> modes(const Solver&);

LinearModel linearize(const Solver&, const std::vector<Output>&);

}  // namespace vernier::constrained
