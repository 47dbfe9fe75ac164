#pragma once

#include "vernier/kernel/constrained/elements/jet.hpp"
#include "vernier/kernel/constrained/elements/primitives.hpp"

/// Scalar coordinates of two attachments (an angle, a distance) and forces along them.
namespace vernier::constrained::parts {

/// Position and orientation of a node in the number type T.
template <class T>
struct PoseOf {
  Vec3<T> x;
  Mat3<T> R;
};
/// The motion of a node without acceleration; if not `moves`, at rest.
PoseOf<Jet> in_motion(const NodeState&, bool moves) noexcept;

/// The memory of an unwrapped angle: whole turns, and the last cosine and sine (both 0 before the
/// start).
inline constexpr int angle_memory = 3;

/// A coordinate s with its rate, and their derivatives by the coordinates x_a, θ_a, x_b, θ_b and by
/// the rate unknowns.
struct Line {
  double s, rate;
  double gradient[12];     // ∂s/∂q
  double rate_slopes[12];  // by the rate unknowns, including c; only on request
  Matrix3 by_a, by_b;      // for an angle, with the slopes: ∂s/∂θ_b by θ_a and θ_b
};

/// An angle about axis 3 of a (of axis 1 of b, projected on the plane of axes 1 and 2 of a), or the
/// distance along axis 3 of a.
struct Pair {
  Ends ends;
  bool angle = true;

  int memory() const noexcept { return angle ? angle_memory : 0; }
  /// `slopes`: also computes what the Jacobian needs.
  Line at(const Point&, const double* memory, bool slopes) const noexcept;
  /// The coordinate as a function of time without accelerations, turns not counted; if not `moves`,
  /// both nodes are at rest.
  Jet moving(const Point&, bool moves) const noexcept;
  /// The value only.
  double value(const Point&, const double* memory) const noexcept;
  /// The generalized force Q = -l acts along s: adds its forces l ∂s/∂q and c l ∂²s/∂q².
  void forces(const Rows&, const Point&, double l) const noexcept;
  /// The forces Q ∂s/∂q on both nodes.
  void wrenches(const Point&, double Q, Wrench& on_a, Wrench& on_b) const noexcept;
  void begin(const Point&, double* memory) const noexcept;
  /// Counts turns.
  void accept(const Point&, double* memory) const noexcept;
};

/// The distance along an axis of a, like Pair.
Line along(const Ends&, const Point&, int axis, bool slopes) noexcept;
/// The distance between the points of two attachments, like Pair.
Line length_at(const Ends&, const Point&, bool slopes) noexcept;

/// Adds u vᵀ s to the Jacobian, u and v over the twelve coordinates.
void add_outer(const Rows&, const double* u, const double* v, double s) noexcept;
/// Adds v s to row `row`.
void add_row(const Rows&, int row, const double* v, double s) noexcept;
/// Adds u s to column `column`.
void add_column(const Rows&, int column, const double* u, double s) noexcept;

/// Q(s, s') along a coordinate, with its derivatives: residual and Jacobian.
struct Push {
  double Q, by_s, by_rate;
};
void push(const Rows&, const Pair&, const Line&, const Point&, const Push&) noexcept;

}  // namespace vernier::constrained::parts
