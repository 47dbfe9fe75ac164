#pragma once

#include <span>
#include <string>
#include <vector>

#include "vernier/kernel/constrained/detail/equations.hpp"

namespace vernier::constrained::detail {

struct Triplet {
  int row, column;
  double value;
};

/// Solves a sparse system once. Repeated entries add up; rows and columns are equilibrated. If the
/// system is singular, returns false and the rows without a pivot.
bool solve_once(int size, std::span<const Triplet>, std::span<double> b, std::vector<int>& bad);

/// Rows of `gradients` (one vector each, all of the same length) that depend on others: groups of
/// rows, in each the dependent one first, then those it depends on, the strongest first.
std::vector<std::vector<int>> dependent_rows(std::span<const Triplet> gradients, int rows,
                                             int columns);

/// Elements whose constraints are redundant or contradictory in the current configuration.
std::vector<std::string> redundant(Equations&, const Level&);

/// The mass matrix: ∂ momenta / ∂ velocities, in the rows and columns of nodes and own coordinates.
std::vector<Triplet> masses(Equations&, const Level&);

/// Φ_t and the part of Φ'' without accelerations, in the rows of constraints, otherwise 0.
void constraint_motions(Equations&, const Level&, std::vector<double>& rate,
                        std::vector<double>& drift);

/// Throws AssemblyProblem with the names of the rows that are not finite.
[[noreturn]] void refuse_not_finite(const MechanismLayout&, std::span<const double> rows);

/// ∂r/∂y' + c ∂r/∂y of all elements, and their residual.
std::vector<Triplet> jacobian(Equations&, const Level&, double c, std::vector<double>& residual);

}  // namespace vernier::constrained::detail
