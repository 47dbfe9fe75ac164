#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "vernier/kernel/constrained/check.hpp"

namespace vernier::constrained {

/// A single element with everything that its Point refers to.
class Probe {
 public:
  /// At the origin, at rest, everything 0 except drives.
  explicit Probe(const Shape&);
  /// A copy of a Point.
  explicit Probe(const Shape&, const Point&);

  /// Moves to a random state nearby, the same for the same seed.
  void scatter(unsigned seed, const Surroundings&);
  /// Perturbs the unknown of a column, relative to the state of scatter().
  void perturb(int column, double by);
  /// Moves along the motion without accelerations: positions and drives after t seconds.
  /// `drives_only`: nodes are at rest.
  void move(double t, bool drives_only);
  /// Rotates all nodes by Q about the origin, then shifts them; `points`: also rotates the first
  /// three algebraic unknowns, a vector in global axes.
  void carry(const Matrix3& Q, const Vector3& by, bool points);
  /// Whether a column belongs to the ground.
  bool grounded(int column) const noexcept;

  Point point() const noexcept;
  std::span<double> memory() noexcept { return memory_; }

 private:
  const Shape* shape_;
  std::vector<NodeState> nodes_;  // the ground is the last
  std::vector<Matrix3> turns_;
  std::vector<int> node_numbers_, scalar_numbers_, drive_numbers_;
  std::vector<double> scalars_, scalar_rates_, own_, own_rates_, algebraic_, memory_;
  std::vector<DriveState> drives_;
  double time_ = 0.0, c_ = 1.0;
};

}  // namespace vernier::constrained
