#pragma once

#include <memory>
#include <span>

#include "vernier/base/instructions.hpp"
#include "vernier/kernel/multibody/model.hpp"

namespace vernier::multibody {

using spatial::Force;
using spatial::Motion;

/// Where a body's numbers are. In q: hinge coordinates, then modal coordinates. In u: hinge speeds,
/// then modal rates. Bodies follow each other in the order of the model.
struct Block {
  std::size_t q = 0, u = 0;                 // first of its numbers
  std::size_t coordinates = 0, speeds = 0;  // of its hinge
  std::size_t modes = 0;
};

/// A node: of body.nodes by index, one end of a hinge, or the body frame itself, which modes do not
/// move.
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

/// What acts on a tree. Spans may be empty: nothing of that kind. Otherwise they have speeds()
/// elements.
struct Loads {
  std::span<const double> force;             // on every regular speed, modes included
  std::span<const double> acceleration;      // of every prescribed speed
  std::span<const std::uint8_t> prescribed;  // 1: acceleration in, force out; hinge speeds only
  std::span<const NodeForce> nodes;
};

/// How an evaluation ended.
struct Solution {
  int singular = -1;  // a body whose hinge cannot be solved: no inertia along a free direction, or
                      // a singular position of a universal or gimbal hinge; -1: all is well
  explicit operator bool() const noexcept { return singular < 0; }
};

class Evaluation;

/// Which code computes a tree, chosen when it is made. The star: one hub, free or fixed to the
/// ground, and rigid bodies that all hang at it; it is a mistake to ask for it with another model.
enum class Path : std::uint8_t { automatic, tree, star };

/// Equations of a tree of bodies. Immutable: one tree serves many states and threads, each with its
/// own Evaluation. Nothing below allocates, except the constructors and what says so.
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

  /// All hinges and modes at zero: identity quaternions.
  void set_zero(std::span<double> q) const noexcept;
  /// Makes quaternions unit vectors.
  void normalise(std::span<double> q) const noexcept;
  void coordinate_rates(std::span<const double> q, std::span<const double> u,
                        std::span<double> qdot) const noexcept;

  /// Outward: where everything is and how it moves. The evaluation keeps copies of q and u.
  void place(std::span<const double> q, std::span<const double> u, Evaluation&) const noexcept;
  /// Accelerations of a placed tree, into udot; for prescribed speeds those given. When the
  /// solution is not good udot means nothing.
  Solution accelerate(const Loads&, std::span<double> udot, Evaluation&) const noexcept;

  // Of a placed tree:
  Pose pose(const Evaluation&, int body) const noexcept;      // in the ground frame
  Pose pose(const Evaluation&, NodeId) const noexcept;        // deformed, in the ground frame
  Motion motion(const Evaluation&, int body) const noexcept;  // relative to the ground, body axes
  Motion motion(const Evaluation&, NodeId) const noexcept;    // of the node, in its axes

  // Of an accelerated tree:
  /// True acceleration of the node's origin less gravity: what an accelerometer feels (linear), and
  /// the derivative of its angular velocity, in node axes.
  Motion specific_force(const Evaluation&, NodeId) const noexcept;
  /// True acceleration of the node's origin relative to the ground, in node axes.
  Motion acceleration(const Evaluation&, NodeId) const noexcept;
  /// What the parent exerts on the body through its hinge, at the inboard node, in its axes.
  Force reaction(const Evaluation&, int body) const noexcept;
  /// Generalised forces: those given for regular speeds, those needed for prescribed ones.
  void forces(const Evaluation&, std::span<double> tau) const noexcept;

  struct Data;  // of the implementation
  const Data& data() const noexcept { return *data_; }

 private:
  std::unique_ptr<Data> data_;
};

/// Working memory and results of evaluations of one tree, and what may change from one to the next.
class Evaluation {
 public:
  explicit Evaluation(const Tree&);
  ~Evaluation();
  Evaluation(Evaluation&&) noexcept;
  Evaluation& operator=(Evaluation&&) noexcept;

  /// Quasi-static change of mass (fuel), before place(). Modal integrals stay.
  void set_inertia(int body, const Inertia&) noexcept;
  /// Gravity in ground axes, before place(); at first that of the model.
  void set_gravity(const Vector3&) noexcept;

  struct Data;
  Data& data() noexcept { return *data_; }
  const Data& data() const noexcept { return *data_; }

 private:
  std::unique_ptr<Data> data_;
};

}  // namespace vernier::multibody
