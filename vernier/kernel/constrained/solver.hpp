#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "vernier/kernel/constrained/model.hpp"

namespace vernier::constrained {

/// multistep2…4: one solve per step, order 2, dissipation tunable. The others restart cleanly.
enum class Scheme : std::uint8_t {
  multistep2,
  multistep3,
  multistep4,
  trapezoid,
  generalized_alpha,         // first-order form
  generalized_alpha_second,  // positions by the second-order form
  composite,                 // two stages
  sdirk3                     // three stages, L-stable, order 3
};

struct Settings {
  Scheme scheme = Scheme::multistep2;
  double rho = 0.6;  // spectral radius at infinity: 0 most, 1 no dissipation
  /// Newton: at least and at most so many iterations for each solve. To tolerance: as many as are
  /// needed up to `iterations_most`; then the step has not converged.
  int iterations_least = 1;
  int iterations_most = 20;
  double tolerance = 1e-9;  // relative to running magnitudes of forces, moments, constraints
  /// Real time: after iterations_most the state is accepted, counted and carried on.
  bool accept_unconverged = false;
  int reuse = 3;  // iterations for which a Jacobian is kept, while it contracts by 0.1
  bool project_velocities = false;  // one more solve: Φ_q v + Φ_t = 0 after each step
  bool split_impulses = true;       // held inputs as exact impulses
  /// Steps that follow the motion: step(h) takes as many shorter ones as keep the local error of
  /// each, relative to the size of the mechanism and in rad, below this. 0: one step.
  double local_error = 0.0;
};

/// How one step ended.
struct StepReport {
  enum class End : std::uint8_t { converged, accepted, failed };
  End end = End::converged;
  int iterations = 0;
  double residual = 0.0;     // largest, scaled as tolerance is
  double contraction = 0.0;  // of the last iteration
  int worst_row = -1;        // Solver::row_name
};

/// What keeps a mechanism from being put together.
struct AssemblyProblem : std::runtime_error {
  enum class Kind : std::uint8_t {
    redundant,
    conflicting,
    apart,
    velocities,
    singular,
    not_finite,
    no_equilibrium
  };
  AssemblyProblem(Kind, const std::string& what, std::vector<std::string> names, double gap);
  Kind kind;
  std::vector<std::string> names;  // elements concerned, the worst first
  double gap;                      // how far apart, m or rad
};

/// One mechanism in motion. step() and what reads are for the loop: they do not allocate or throw.
/// Not for two threads at once.
class Solver {
 public:
  /// Analyses the structure. The model must have no findings.
  Solver(Model, const Settings&);
  ~Solver();
  Solver(Solver&&) noexcept;

  const Model& model() const noexcept;
  const Settings& settings() const noexcept;

  /// From the model's start: positions that satisfy all constraints, nearest to those given; then
  /// velocities; then accelerations and reactions. Throws AssemblyProblem.
  void initialize(double time = 0.0);
  /// Finds rest instead: loads grow in `load_steps` (more where needed); then as initialize().
  void equilibrate(double time = 0.0, int load_steps = 10);

  /// Redundant or conflicting constraint rows at the present place, by element; empty: full rank.
  std::vector<std::string> redundant() const;

  /// Advances by h seconds. Inputs keep their values meanwhile. After `failed` the state is that
  /// before the step.
  StepReport step(double h) noexcept;
  /// Forces or velocities jump now: the next step begins without the past.
  void restart() noexcept;
  /// Brings velocities (and momenta) onto the constraints, accelerations follow; a restart.
  bool project() noexcept;

  double time() const noexcept;
  /// Values of the drives that are inputs, in their order among all drives.
  std::span<double> inputs() noexcept;
  const NodeState& node(int) const noexcept;
  /// Accelerations x'' and ω' of a node, from its momenta; zero for nodes without mass. Only for
  /// nodes that carry rigid bodies alone, with inertia about all axes: what inertial elements
  /// (modal bodies) add is not taken apart.
  void accelerations(int node, Vector3& linear, Vector3& angular) const noexcept;
  double scalar(int) const noexcept;
  /// Where element e stands, for its measures.
  Point point(int element) const noexcept;
  /// All measures of its shape(), for which there must be room.
  void measure(int element, std::span<double>) const noexcept;
  std::span<const double> multipliers(int element) const noexcept;

  double kinetic_energy() const noexcept;
  double potential_energy() const noexcept;  // gravity and elements
  Vector3 momentum() const noexcept;
  Vector3 angular_momentum() const noexcept;          // about the origin
  double constraint_violation() const noexcept;       // largest |Φ|
  double constraint_rate_violation() const noexcept;  // largest |Φ_q v + Φ_t|

  /// "moment equilibrium of node 'tip' about x", "constraint 2 of revolute 'shoulder'".
  std::string row_name(int row) const;
  int rows() const noexcept;       // unknowns solved for
  int equations() const noexcept;  // as users count them
  /// Of the matrix of a step, once there was a start: its entries, and what its factors have beyond
  /// them.
  struct Structure {
    int entries = 0, fill = 0;
  };
  Structure structure() const noexcept;

  /// Everything that the future depends on, history included; resumes to the bit.
  std::size_t state_bytes() const noexcept;
  void save(std::span<std::byte>) const noexcept;
  void load(std::span<const std::byte>) noexcept;

  struct Parts;  // of the module
  Parts& parts() const noexcept { return *parts_; }

 private:
  std::unique_ptr<Parts> parts_;
};

}  // namespace vernier::constrained
