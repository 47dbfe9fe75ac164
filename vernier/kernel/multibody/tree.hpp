#pragma once

#include <memory>
#include <span>

#include "vernier/base/instructions.hpp"
#include "vernier/kernel/multibody/model.hpp"

namespace vernier::multibody {

using spatial::Force;
using spatial::Motion;

/// The position of a body's numbers. In q: hinge coordinates, then modal coordinates; in u: hinge
/// speeds, then modal rates. Bodies are in the order of the model.
struct Block {
  std::size_t q = 0, u = 0;                 // first of its numbers
  std::size_t coordinates = 0, speeds = 0;  // of its hinge
  std::size_t modes = 0;
};

/// A node: an index in body.nodes, one end of a hinge, or the body frame, which modes do not move.
struct NodeId {
  static constexpr int inboard = -1, outboard = -2;  // of the hinge of `body`
  static constexpr int frame = -3;                   // origin and axes of `body`
  int body = 0;
  int node = 0;
};

/// A force on a body at a node, in the axes of the (deformed) node.
struct NodeForce {
  NodeId at;
  Force force;
};

/// The loads of a tree. Spans are empty (none of this kind) or have speeds() elements.
struct Loads {
  std::span<const double> force;             // on every regular speed, modes included
  std::span<const double> acceleration;      // of every prescribed speed
  std::span<const std::uint8_t> prescribed;  // 1: acceleration in, force out; hinge speeds only
  std::span<const NodeForce> nodes;
};

/// The outcome of an evaluation.
struct Solution {
  int singular = -1;  // a body whose hinge cannot be solved: no inertia along a free direction, or
                      // a singular position of a universal or gimbal hinge; -1: all is well
  explicit operator bool() const noexcept { return singular < 0; }
};

class Evaluation;

/// The algorithm for a tree, chosen when it is made. A star is one hub, free or fixed to the
/// ground, with rigid bodies that are all connected to it. Requesting it for another model is an
/// error.
enum class Path : std::uint8_t { automatic, tree, star };

/// The equations of a tree of bodies: the articulated-body algorithm for flexible bodies of Jain
/// and Rodriguez (J. Guidance 15, 1992); for a star, the form of Jain and Man, "Real-Time Dynamics
/// Simulation of the Cassini Spacecraft Using DARTS", part I. See docs/mathematics/multibody.md.
///
/// Immutable: one tree serves many states and threads, each with its own Evaluation. Only the
/// constructors allocate.
class Tree {
 public:
  /// @throws ConfigurationError with all errors of check().
  explicit Tree(Model, Path = Path::automatic, Arithmetic = Arithmetic::reproducible);
  ~Tree();
  Tree(Tree&&) noexcept;
  Tree& operator=(Tree&&) noexcept;

  const Model& model() const noexcept;
  Path path() const noexcept;                 // the one chosen
  const char* instructions() const noexcept;  // "sse2", "avx2", "avx512": what this machine can do
  std::size_t coordinates() const noexcept;   // elements of q
  std::size_t speeds() const noexcept;        // elements of u
  Block block(int body) const noexcept;

  /// Sets all hinges and modes to zero, quaternions to identity.
  void set_zero(std::span<double> q) const noexcept;
  /// Normalises the quaternions.
  void normalise(std::span<double> q) const noexcept;
  void coordinate_rates(std::span<const double> q, std::span<const double> u,
                        std::span<double> qdot) const noexcept;

  /// The first outward sweep: poses and motions. The evaluation keeps copies of q and u.
  void place(std::span<const double> q, std::span<const double> u, Evaluation&) const noexcept;
  /// Computes the accelerations of a placed tree; for prescribed speeds, those given. If the
  /// solution is singular, udot is undefined.
  Solution accelerate(const Loads&, std::span<double> udot, Evaluation&) const noexcept;

  // For a placed tree:
  Pose pose(const Evaluation&, int body) const noexcept;      // in the ground frame
  Pose pose(const Evaluation&, NodeId) const noexcept;        // deformed, in the ground frame
  Motion motion(const Evaluation&, int body) const noexcept;  // relative to the ground, body axes
  Motion motion(const Evaluation&, NodeId) const noexcept;    // of the node, in its axes

  // For an accelerated tree:
  /// The true acceleration of the node's origin less gravity, as an accelerometer measures it
  /// (linear), and the derivative of its angular velocity, in node axes.
  Motion specific_force(const Evaluation&, NodeId) const noexcept;
  /// The true acceleration of the node's origin relative to the ground, in node axes.
  Motion acceleration(const Evaluation&, NodeId) const noexcept;
  /// The force of the parent on the body through its hinge, at the inboard node, in its axes.
  Force reaction(const Evaluation&, int body) const noexcept;
  /// Generalised forces: those given for regular speeds, those required for prescribed ones.
  void forces(const Evaluation&, std::span<double> tau) const noexcept;

  struct Data;  // of the implementation
  const Data& data() const noexcept { return *data_; }

 private:
  std::unique_ptr<Data> data_;
};

/// Working memory and results of evaluations of one tree, and quantities that may change between
/// them.
class Evaluation {
 public:
  explicit Evaluation(const Tree&);
  ~Evaluation();
  Evaluation(Evaluation&&) noexcept;
  Evaluation& operator=(Evaluation&&) noexcept;

  /// Quasi-static change of mass (fuel), before place(). Modal integrals do not change.
  void set_inertia(int body, const Inertia&) noexcept;
  /// Gravity in ground axes, before place(); initially that of the model.
  void set_gravity(const Vector3&) noexcept;

  struct Data;
  Data& data() noexcept { return *data_; }
  const Data& data() const noexcept { return *data_; }

 private:
  std::unique_ptr<Data> data_;
};

}  // namespace vernier::multibody
