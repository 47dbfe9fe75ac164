#pragma once

#include <string>
#include <vector>

#include "vernier/kernel/constrained/element.hpp"

/// Checks of elements against their own residuals, for tests: also of elements out of tree.
namespace vernier::constrained {

/// Where an element is checked.
struct Surroundings {
  std::vector<NodeState> about = {};  // one for each of its nodes; empty: origin, at rest
  double shift = 1.0;                 // m: places are moved by at most that
  double turn = 0.7;                  // rad
  double motion = 1.0;                // m/s, rad/s, and all other numbers
  double c = 0.05;                    // what a rate adds to a value
};

/// The worst entry of a comparison. `error` is relative: to the entry, and to 1e-5 of the largest
/// in its row.
struct Deviation {
  double error = 0.0;
  int row = -1, column = -1;
  double given = 0.0, expected = 0.0;
  std::string what = {};  // "evaluate", "momentum", "pattern", …
};

/// The Jacobians of evaluate() and momentum() against differences, at a random place, after begin()
/// and accept(); whether all
/// entries are in the pattern; whether the residual is the same without Jacobian. Right Jacobians
/// have errors under 1e-6, if the element is smooth over a thousandth of the surroundings.
Deviation check_jacobian(const Element&, unsigned seed, const Surroundings& = {});

/// constraint_motion() against differences of the constraints along the motion.
Deviation check_constraint_motion(const Element&, unsigned seed, const Surroundings& = {});

}  // namespace vernier::constrained
