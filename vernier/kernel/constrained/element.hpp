#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "vernier/kernel/spatial/blocks.hpp"

/// Mechanisms in redundant coordinates. A structural node has position x, orientation R (node axes
/// to global axes), velocity v = x' and angular velocity ω, all in global axes; variations of R are
/// taken on the left, δR = skew(θ) R. SI units.
///
/// The equations of a node, with momentum β and moment of momentum γ about the node:
///   β' - F + Φ_xᵀ λ = 0,   γ' + v × β - M + Φ_θᵀ λ = 0,   Φ(x, R, t) = 0
namespace vernier::constrained {

using Vector3 = spatial::Vec3<double>;
using Matrix3 = spatial::Mat3<double>;

/// The index of the ground, a node at the origin that never moves.
inline constexpr int ground = -1;

/// The state of a structural node as elements see it. T: double, or a number with derivatives.
template <class T>
struct NodeStateOf {
  spatial::Vec3<T> x;      // m
  spatial::Mat3<T> R;      // node axes to global axes
  spatial::Vec3<T> v;      // m/s
  spatial::Vec3<T> omega;  // rad/s, global axes
};
using NodeState = NodeStateOf<double>;

/// The current value and rates of a function of time, or of an input.
struct DriveState {
  double value = 0.0, rate = 0.0, acceleration = 0.0;
};

/// A quantity that an element can measure.
struct Measure {
  std::string name;  // "force", "angle"
  std::string unit = "1";
  int count = 1;
  std::string description = {};
};

/// What an element connects and adds to the system; constant during its life.
///
/// Its local rows and columns have the same numbering, `size()` in total:
///   6 for each node (rows: force, moment; columns: Δx', Δg', where θ = c Δg'), 1 for each scalar
///   node, 1 for each own coordinate, 1 for each own differential unknown, 1 for each own algebraic
///   unknown.
struct Shape {
  std::vector<int> nodes;    // structural nodes, or ground
  std::vector<int> scalars;  // scalar nodes
  std::vector<int> drives;
  int coordinates = 0;   // own q of second order, with momenta p; row: p' - Q = 0
  int differential = 0;  // own y of first order; row: any equation of y and y'
  int algebraic = 0;     // own unknowns without derivative
  int holonomic = 0;     // the first rows of the algebraic ones are constraints Φ(x, R, q, t) = 0,
                         // their unknowns the multipliers λ
  int memory = 0;        // numbers kept between steps, changed only by accept()
  bool inertial = false;  // momentum() adds to β, γ and p
  bool held = false;      // its forces follow inputs that are held over a step: applied as exact
                          // impulses by held_forces(); evaluate() must leave them out
  std::vector<Measure> measures = {};
  std::vector<double> initial = {};  // own coordinates, their rates, own y, own y'; empty: zeros
  /// size() × size(), row major: where the Jacobian can be nonzero. Empty: anywhere.
  std::vector<unsigned char> pattern = {};

  int own_row(int i = 0) const noexcept {
    return 6 * static_cast<int>(nodes.size()) + static_cast<int>(scalars.size()) + i;
  }
  int scalar_row(int i = 0) const noexcept { return 6 * static_cast<int>(nodes.size()) + i; }
  int algebraic_row(int i = 0) const noexcept { return own_row(coordinates + differential + i); }
  int size() const noexcept { return algebraic_row(algebraic); }
};

/// The state of the mechanism as one element sees it.
struct Point {
  double time = 0.0;                         // s
  double c = 1.0;                            // of y = c y' + history
  const NodeState* node_states = nullptr;    // of all nodes; the ground is the last
  const Matrix3* node_turns = nullptr;       // see turn()
  const int* nodes = nullptr;                // numbers of the element's nodes therein
  const double* scalar_values = nullptr;     // of all scalar nodes
  const double* scalar_rates = nullptr;      //
  const int* scalars = nullptr;              //
  const double* own = nullptr;               // coordinates, then differential unknowns
  const double* own_rates = nullptr;         //
  const double* own_algebraic = nullptr;     //
  const DriveState* drive_states = nullptr;  // of all drives
  const int* drives = nullptr;               //
  const double* memory = nullptr;            //

  const NodeState& node(int i) const noexcept { return node_states[nodes[i]]; }
  /// W of docs/mathematics/constrained.md, section 2: Δω = turn(i) Δg', where θ = c Δg'. Close to
  /// the identity: 1 - c skew(ω) / 2 for short steps.
  const Matrix3& turn(int i) const noexcept { return node_turns[nodes[i]]; }
  double scalar(int i) const noexcept { return scalar_values[scalars[i]]; }
  double scalar_rate(int i) const noexcept { return scalar_rates[scalars[i]]; }
  const DriveState& drive(int i) const noexcept { return drive_states[drives[i]]; }
};

/// Receives the residual of an element and, unless `jacobian` is null, its Jacobian; both are zero
/// before. The numbering is that of Shape. The residual should be zero: forces on nodes have a
/// negative sign. Column j of the Jacobian is the derivative of the residual by the rate unknown j:
/// ∂r/∂y' + c ∂r/∂y for values that have rates, ∂r/∂λ for own algebraic unknowns. It may omit terms
/// of second order in the correction of one step, which only slow Newton's iteration slightly.
struct Contribution {
  double* residual = nullptr;
  double* jacobian = nullptr;  // row major, `size` columns
  int size = 0;

  /// The force F and the moment M about the node act on node i.
  void act(int i, const Vector3& F, const Vector3& M) const noexcept {
    double* r = residual + 6 * i;
    r[0] -= F.x, r[1] -= F.y, r[2] -= F.z;
    r[3] -= M.x, r[4] -= M.y, r[5] -= M.z;
  }
  double& at(int row, int column) const noexcept { return jacobian[row * size + column]; }
  /// Adds a 3×3 block times s.
  void add(int row, int column, const Matrix3& m, double s = 1.0) const noexcept {
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) jacobian[(row + i) * size + column + j] += m.a[3 * i + j] * s;
    }
  }
};

/// A force and a moment about the node, in global axes.
struct Wrench {
  Vector3 force{}, moment{};
};

/// A joint, beam, spring, force or controller: anything that adds rows and forces to the equations.
/// Immutable: several threads may evaluate one element; everything that changes with time is in
/// Point. The noexcept functions run in the loop: they do not allocate, lock or throw, and keep
/// nothing between calls.
class Element {
 public:
  virtual ~Element() = default;

  virtual const Shape& shape() const noexcept = 0;

  virtual void evaluate(const Point&, const Contribution&) const noexcept = 0;

  /// The momenta that this element adds (shape().inertial): β and γ about the node in the rows of
  /// nodes, p in those of own coordinates; the Jacobian as in evaluate(). The solver computes their
  /// rates and adds v × β to the moments.
  virtual void momentum(const Point&, const Contribution&) const noexcept;

  /// For the holonomic constraints: rate = ∂Φ/∂t at fixed positions, and drift = Φ'' without
  /// accelerations (x'' = 0, ω' = 0, q'' = 0; drives do accelerate). The default uses differences
  /// of evaluate().
  virtual void constraint_motion(const Point&, std::span<double> rate,
                                 std::span<double> drift) const;

  /// The forces of held inputs (shape().held) at Point, one for each node.
  virtual void held_forces(const Point&, std::span<Wrench>) const noexcept;

  /// Sets the memory at the start of a run, when consistent positions are known.
  virtual void begin(const Point&, std::span<double> memory) const noexcept;
  /// Called after an accepted step; may change the memory (counted turns, sliding or sticking).
  /// Returns whether forces jump here: then the solver predicts the next step without history.
  virtual bool accept(const Point&, std::span<double> memory) const noexcept;

  /// Writes all measures in sequence.
  virtual void measure(const Point&, std::span<double>) const noexcept;
  /// Stored potential (elastic) energy, J.
  virtual double energy(const Point&) const noexcept;
};

/// The Jacobian of one element is stored densely: this many rows need 128 MiB.
inline constexpr int most_element_rows = 4096;

/// Evaluates an element at random states and returns the pattern of its Jacobian (Shape::pattern).
/// For constructors of elements whose pattern does not depend on the state; `shape` is complete
/// except for the pattern. Throws std::invalid_argument for more than most_element_rows.
std::vector<unsigned char> probed_pattern(const Element&, const Shape&);

}  // namespace vernier::constrained
