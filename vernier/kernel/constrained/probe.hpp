#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "vernier/kernel/constrained/check.hpp"

namespace vernier::constrained {

/// An element alone at some place: all that its Point looks at.
class Probe {
 public:
  /// At the origin, at rest, everything 0 but drives.
  explicit Probe(const Shape&);
  /// What a Point sees now.
  explicit Probe(const Shape&, const Point&);

  /// Somewhere near, the same for the same seed.
  void scatter(unsigned seed, const Surroundings&);
  /// As the unknown of column j does, with the rates it had at scatter().
  void perturb(int column, double by);
  /// Along the motion without accelerations: places and drives as they would be after t seconds.
  /// `drives_only`: nodes stand still.
  void move(double t, bool drives_only);
  /// All nodes turned by Q about the origin, then shifted; `points`: also the first three algebraic
  /// unknowns, a vector in global axes.
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
