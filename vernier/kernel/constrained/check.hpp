#pragma once

#include <string>
#include <vector>

#include "vernier/kernel/constrained/element.hpp"

/// Checks elements against their own residuals, for tests; also for user elements.
namespace vernier::constrained {

/// The random states in which an element is checked.
struct Surroundings {
  std::vector<NodeState> about = {};  // one for each of its nodes; empty: origin, at rest
  double shift = 1.0;                 // m: positions are moved by at most this
  double turn = 0.7;                  // rad
  double motion = 1.0;                // m/s, rad/s, and all other numbers
  double c = 0.05;                    // y = c y' + history
};

/// The worst entry of a comparison. `error` is relative: to the entry, and to 1e-5 of the largest
/// in its row.
struct Deviation {
  double error = 0.0;
  int row = -1, column = -1;
  double given = 0.0, expected = 0.0;
  std::string what = {};  // "evaluate", "momentum", "pattern", …
};

/// Compares the Jacobians of evaluate() and momentum() with differences at a random state, after
/// begin() and accept(). Also checks that all entries are in the pattern and that the residual is
/// the same without Jacobian. Correct Jacobians have errors below 1e-6, if the element is smooth
/// over a thousandth of the surroundings.
Deviation check_jacobian(const Element&, unsigned seed, const Surroundings& = {});

/// Compares constraint_motion() with differences of the constraints along the motion.
Deviation check_constraint_motion(const Element&, unsigned seed, const Surroundings& = {});

}  // namespace vernier::constrained
