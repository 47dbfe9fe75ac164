#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "vernier/kernel/constrained/model.hpp"
#include "vernier/kernel/constrained/state.hpp"

namespace vernier::constrained {

namespace detail {
struct MechanismLayout;
struct Scratch;
}  // namespace detail

/// multistep2…4 need one solve per step and have order 2 and tunable dissipation. The others need
/// no history.
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
  /// Newton iterations per solve. To tolerance: as many as needed up to `iterations_most`; beyond
  /// this the step has not converged.
  int iterations_least = 1;
  int iterations_most = 20;
  double tolerance = 1e-9;  // relative to running magnitudes of forces, moments, constraints
  /// Real time: after iterations_most the state is accepted and counted, and the run continues.
  bool accept_unconverged = false;
  int reuse = 3;  // iterations for which a Jacobian is kept, while it contracts by 0.1
  bool project_velocities = false;  // one more solve: Φ_q v + Φ_t = 0 after each step
  bool split_impulses = true;       // held inputs as exact impulses
  /// Adaptive steps: step(h) takes as many substeps as are needed to keep the local error of each,
  /// relative to the size of the mechanism and in rad, below this. 0: one step.
  double local_error = 0.0;
};

/// The outcome of one step.
struct StepReport {
  enum class End : std::uint8_t { converged, accepted, failed };
  End end = End::converged;
  int iterations = 0;
  double residual = 0.0;     // largest, scaled as tolerance is
  double contraction = 0.0;  // of the last iteration
  int worst_row = -1;        // Mechanism::row_name
};

/// Why a mechanism cannot be assembled.
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

struct Acceleration {
  Vector3 linear{}, angular{};  // x'', ω'
};

class Workspace;

/// A mechanism: its structure and, after assembly, the scales and the compiled elimination of its
/// equations. Immutable; copies share it. It serves any number of states, and several threads at
/// once, each with its own workspace.
///
/// step() and all reading functions are for the loop: they do not allocate or throw.
class Mechanism {
 public:
  /// Analyses the structure. The model must have no findings.
  Mechanism(Model, const Settings&);

  const Model& model() const noexcept;
  const Settings& settings() const noexcept;
  const detail::MechanismLayout& plan() const noexcept { return *plan_; }

  /// A state with the inputs of the model, not yet assembled.
  State blank() const;
  /// Assembles the mechanism from the initial state of the model and the inputs of `at`: the
  /// nearest positions that satisfy all constraints; then velocities; then accelerations and
  /// reactions. `at` becomes this state. Returns the assembled mechanism, which can advance this
  /// state and its successors. Throws AssemblyProblem; then `at` is where the search ended.
  Mechanism assembled(State& at, double time = 0.0) const;
  /// Finds static equilibrium instead: loads increase in `load_steps` (more if needed); then as
  /// assembled().
  Mechanism at_rest(State& at, double time = 0.0, int load_steps = 10) const;

  /// Advances a state by h seconds with constant inputs. After `failed` every byte of the state is
  /// as before the step.
  StepReport step(State&, Workspace&, double h) const noexcept;
  /// Projects velocities (and momenta) onto the constraints and updates accelerations; restarts the
  /// scheme.
  bool project(State&, Workspace&) const noexcept;

  /// The point of an element, for its measures.
  Point point(const State&, int element) const noexcept;
  /// Writes all measures of its shape(); the span must have room for them.
  void measure(const State&, int element, std::span<double>) const noexcept;
  std::span<const double> multipliers(const State&, int element) const noexcept;
  /// Accelerations of all nodes from their momenta; zero for nodes without mass. Valid only for
  /// nodes that carry rigid bodies alone, with inertia about all axes: the contribution of inertial
  /// elements (modal bodies) is not separated. The result is in the workspace until its next use.
  std::span<const Acceleration> accelerations(const State&, Workspace&) const noexcept;

  double kinetic_energy(const State&) const noexcept;
  double potential_energy(const State&) const noexcept;  // gravity and elements
  Vector3 momentum(const State&) const noexcept;
  Vector3 angular_momentum(const State&) const noexcept;                      // about the origin
  double constraint_violation(const State&, Workspace&) const noexcept;       // largest |Φ|
  double constraint_rate_violation(const State&, Workspace&) const noexcept;  // |Φ_q v + Φ_t|
  /// Redundant or conflicting constraint rows, by element; empty: full rank. Allocates.
  std::vector<std::string> redundant(const State&) const;

  /// "moment equilibrium of node 'tip' about x", "constraint 2 of revolute 'shoulder'".
  std::string row_name(int row) const;
  int rows() const noexcept;       // unknowns solved for
  int equations() const noexcept;  // as users count equations
  /// The matrix of a step after assembly: its entries, and the fill-in of its factors.
  struct Structure {
    int entries = 0, fill = 0;
  };
  Structure structure() const noexcept;

 private:
  explicit Mechanism(std::shared_ptr<const detail::MechanismLayout>) noexcept;

  std::shared_ptr<const detail::MechanismLayout> plan_;  // shared between copies
};

/// Working memory for one thread and states of one mechanism. Its contents have no meaning for the
/// next call. Make a new one after the mechanism was assembled again.
class Workspace {
 public:
  explicit Workspace(const Mechanism&);
  Workspace(Workspace&&) noexcept;
  Workspace& operator=(Workspace&&) noexcept;
  ~Workspace();

 private:
  friend class Mechanism;
  std::unique_ptr<detail::Scratch> scratch_;
};

}  // namespace vernier::constrained
