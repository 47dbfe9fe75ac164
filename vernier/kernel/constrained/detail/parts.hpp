#pragma once

#include <array>
#include <cmath>
#include <optional>
#include <vector>

#include "vernier/kernel/constrained/solver.hpp"
#include "vernier/kernel/sparse/linear_solver.hpp"

namespace vernier::constrained {

namespace detail {

/// Everything at one time: what a step starts from, ends with, or passes through.
struct Level {
  double time = 0.0;
  double step = 0.0;                   // that led here
  std::vector<NodeState> nodes;        // the ground is the last
  std::vector<double> momenta;         // β, γ of each node, then p of each own coordinate
  std::vector<double> momentum_rates;  // without held inputs, if these are applied as impulses
  std::vector<double> values, rates;   // scalar nodes, then what elements own
  std::vector<double> algebraic;       // multipliers among them
};

/// y = c y' + Σ (value y_j + rate y'_j), over levels; momenta with coefficients of their own.
struct Formula {
  struct Term {
    const Level* level;
    double value, rate, momentum_value, momentum_rate;
  };
  std::array<Term, 5> terms;
  int count = 0;
  double c = 0.0, c_momentum = 0.0;
  double fraction = 1.0;          // of the step at which this stage is
  const Level* last = nullptr;    // what the stage is predicted from
  const Level* before = nullptr;  // nullptr: by constant rates
};

enum class Method : std::uint8_t {
  multistep2,
  multistep3,
  multistep4,
  trapezoid,
  alpha,
  alpha_second,
  composite,
  sdirk2,
  esdirk3
};

/// A structural node: inertia of its rigid bodies in node axes about the node, and where its block
/// is in the matrix.
struct NodePlan {
  double mass = 0.0;
  Vector3 moment{};                 // Σ m b
  spatial::Sym3<double> inertia{};  // about the node
  bool dynamic = false;             // has rigid bodies
  bool coupled = false;             // forces and turns have to do with each other
  // force by Δx' (3, diagonal), moment by Δg' (9), force by Δg' (9), moment by Δx' (9)
  std::array<int, 30> slots{};
};

/// A structural node in the solve under way.
struct NodeWork {
  Vector3 x_history;
  Vector3 g_history, rate;  // CGR parameters relative to the start of the step: g = history + c g'
  Vector3 moment;           // R Σ m b
  spatial::Sym3<double> inertia;
};

struct ElementPlan {
  const Element* element = nullptr;
  int size = 0;
  int nodes = 0, node_count = 0;  // into `indices`
  int scalars = 0, drives = 0;    // into `indices`
  int values = 0, algebraic = 0, memory = 0;
  int own_count = 0, coordinates = 0, first_coordinate = 0;  // momenta 6N + first_coordinate…
  int differential = 0, algebraic_count = 0, holonomic = 0;
  int rows = 0;  // into `rows`: local to global, size() of the matrix for the ground
  int first_entry = 0, last_entry = 0;  // of what it adds to the matrix
  // into tables of these, which elements that are alike share; slots count from slot_base
  int locals = 0, slots = 0, slot_base = 0, factors = 0;
  int own_row = 0;  // global
  bool inertial = false, held = false;
};

/// The larger of a number and a size; not a number if either is none, which std::max forgets.
inline double larger(double most, double x) noexcept {
  return x > most || std::isnan(x) ? x : most;
}

/// The power of two nearest to x > 0: scales by which nothing is rounded.
inline double power_near(double x) { return std::exp2(std::round(std::log2(x))); }

/// What a row of the matrix is; its scale follows the coefficient c.
enum class RowKind : std::uint8_t { force, moment, coordinate, other, constraint };

}  // namespace detail

/// The solver's data and functions, for the sources of the module.
struct Solver::Parts {
  using Level = detail::Level;
  using Formula = detail::Formula;

  Parts(Model, const Settings&);

  // -- structure, constant -----------------------------------------------------------------------
  Model model;
  Settings settings;
  int node_count = 0, scalar_count = 0, size = 0, coordinate_count = 0;
  std::vector<detail::NodePlan> node_plans;
  std::vector<detail::ElementPlan> plans;
  std::vector<int> indices, rows;
  std::vector<int> inertial, held;          // elements
  std::vector<int> value_columns;           // of values
  std::vector<int> coordinate_values;       // of own coordinates, their place in values
  std::vector<int> algebraic_columns;       //
  std::vector<int> value_of, algebraic_of;  // of columns: their place in values, algebraic; or -1
  std::vector<int> input_of_drive;          // -1: a function
  std::vector<double> corners;              // of all drives, ascending
  std::vector<detail::RowKind> kinds;
  std::optional<sparse::LinearSolver> linear_solver;
  sparse::Pattern pattern;
  std::vector<int> entry_local, entry_place, entry_row,
      entry_column;  // per element entry; place in pattern
  std::vector<int> table_local, table_slot;
  std::vector<int> node_places;  // in pattern, of NodePlan::slots

  // -- scaling -----------------------------------------------------------------------------------
  double unit_length = 1.0, unit_mass = 1.0;
  std::vector<double> row_base, column_base;    // without c
  std::vector<double> row_scale, column_scale;  // for scaled_for
  std::vector<int> factor_row, factor_column;   // whose scales a factor is made of
  std::vector<double> table_factor;
  double scaled_for = 0.0, scaled_for_momentum = 0.0;
  double force_floor = 0.0, moment_floor = 0.0;  // stiffness times rounding

  // -- state -------------------------------------------------------------------------------------
  std::array<Level, 5> levels;
  std::array<int, 5> order{0, 1, 2, 3, 4};  // newest first; the last is where a step is computed
  Level auxiliary;                          // of generalized-α
  std::vector<double> memory, inputs;
  std::vector<double> held_reactions;  // what held inputs of the last step add to multipliers
  int past = 0;                        // levels before the newest that formulas may use
  bool rates_valid = false;            // momentum rates of the newest level hold now
  double force_reference = 0.0, moment_reference = 0.0, other_reference = 0.0;
  long steps = 0;
  double substep = 0.0;  // of steps that follow the motion

  // -- work --------------------------------------------------------------------------------------
  std::array<Level, 2> stages;
  std::vector<detail::NodeWork> work;
  std::vector<Matrix3> turns;
  std::vector<double> momentum_history, value_history;
  std::vector<DriveState> drive_states, kept_drives;
  std::vector<double> rhs, residual;
  std::vector<double> local_residual, local_jacobian;
  std::vector<NodeState> middle;
  std::vector<Wrench> wrenches;
  std::vector<double> held_rates, next_held_rates, next_held_reactions, held_answer, middle_values,
      local_algebraic;
  std::vector<std::byte> backup;
  bool in_pieces = false;
  bool careful = false;  // no extrapolation, and short iterations
  double error_limit = 0.0, last_error = 0.0;
  double held_time = 0.0;
  bool held_known = false;     // held_rates are of the newest level
  bool held_waits = false;     // impulses are not yet in the history
  bool by_velocities = false;  // constraints hold in velocities; positions follow at the end
  std::vector<double> drive_values;
  double* matrix = nullptr;  // values of the linear solver
  double c = 1.0, c_momentum = 1.0;
  struct Norms {
    double force, moment, constraint, other, worst;
  } norms{};
  struct Limits {
    double force, moment, constraint;  // scaled residuals that count as 1
  } limits{};

  Level& newest() noexcept { return levels[order[0]]; }
  const Level& newest() const noexcept { return levels[order[0]]; }
  Level& working() noexcept { return levels[order[4]]; }

  // assembly.cpp
  Point point(const detail::ElementPlan&, const Level&, double coefficient) const noexcept;
  void set_drives(double time) noexcept;
  /// β, γ, p of a level; node work (moment, inertia in global axes) too.
  void set_momenta(Level&) noexcept;
  /// Scaled residual into rhs, and the matrix. Momenta and their rates are up to date.
  void assemble(const Level&, bool jacobian) noexcept;
  void scatter(const detail::ElementPlan&, bool jacobian, bool residual) noexcept;
  void assemble_nodes(const Level&, bool jacobian) noexcept;
  void assemble_momentum(const detail::ElementPlan&, const Point&) noexcept;
  void assemble_held(const Level&) noexcept;
  void set_norms(const Level&) noexcept;
  void set_scales(double coefficient, double momentum_coefficient) noexcept;
  /// Turns (Point::turn) of a step that begins at a level, in its first order.
  void set_turns(const Level&, double coefficient) noexcept;
  int worst_row() const noexcept;
  std::string row_name(int row) const;

  // stepping.cpp
  StepReport step(double h) noexcept;
  StepReport attempt(double h) noexcept;
  // varying.cpp
  StepReport step_varying(double h) noexcept;
  double local_error(const Level&, double h) const noexcept;
  StepReport solve(Level&) noexcept;
  void update(Level&) noexcept;
  void finish_kinematics(Level&) noexcept;
  void refresh_turns() noexcept;
  void end_step(double h, detail::Method) noexcept;

  // solver.cpp
  std::size_t state_bytes() noexcept;
  void save(std::byte*) noexcept;
  void load(const std::byte*) noexcept;

  // held.cpp
  /// What held inputs add to the rates of momenta in the step of length h that begins now.
  void hold(double h) noexcept;
  void add_held(double half) noexcept;
  /// What they add to the rates of momenta where the mechanism now stands, for reading.
  const std::vector<double>& held_now() noexcept;
  void add_impulses(std::span<double> momenta, double h) const noexcept;
  /// Finds what constraints answer, by the matrix now factorized, and puts impulses into history
  /// and residual.
  void share_held(Level&) noexcept;
  void take_reactions() noexcept;

  // schemes.cpp
  detail::Method method(double h) const noexcept;
  Formula formula(detail::Method, int stage, double h) const noexcept;
  void predict(const Formula&, double h, Level&) noexcept;
  void advance_auxiliary(detail::Method, double h, const Level& from, const Level& to) noexcept;
  void start_auxiliary() noexcept;

  // velocities.cpp
  void accelerations(int node, Vector3& linear, Vector3& angular) noexcept;
  /// Φ_q v + Φ_t of all holonomic constraints, into `rhs` at their rows, otherwise 0, unscaled.
  void constraint_rates(const Level&) noexcept;
  void add_velocity_rates(const detail::ElementPlan&, const Point&, double* to) const noexcept;
  /// evaluate(), with c (Φ_q v + Φ_t) in the rows of Φ.
  void set_constraint_rates(const detail::ElementPlan&, const Point&, const Contribution&) noexcept;
  double constraint_values(const Level&) noexcept;  // Φ likewise; the largest
  /// ∂Φ/∂t of an element, added; by differences along the rates of its drives.
  void add_drive_rates(const detail::ElementPlan&, const Point&, double* to) noexcept;
  /// By the matrix now factorized: positions, velocities onto the constraints.
  void correct_positions(Level&) noexcept;
  void correct_velocities(Level&) noexcept;
  bool project() noexcept;

  // layout.cpp
  void number();
  detail::ElementPlan plan_of(const Element&);
  void make_room();
  void find_entries();
  // scaling.cpp: scales of rows and columns, and the linear solver for the pattern
  void equilibrate_rows();
  void find_floors();
  void find_pivots();
  void use_slots(std::span<const int>);
  void share_tables(std::span<const int> slots);

  // initialization.cpp
  void start(double time);
  void find_units();
  void begin_memory();
  void assemble_mechanism();
  void find_motion();
  /// accelerations.cpp: accelerations, reactions and rates of what is of first order.
  void find_accelerations();
  void solve_accelerations(bool with_held);
};

}  // namespace vernier::constrained
