#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "vernier/kernel/constrained/mechanism.hpp"
#include "vernier/kernel/sparse/linear_solver.hpp"

namespace vernier::constrained::detail {

/// A structural node: inertia of its rigid bodies about the node in node axes, and the slots of its
/// block in the matrix.
struct NodePlan {
  double mass = 0.0;
  Vector3 moment{};                 // Σ m b
  spatial::Sym3<double> inertia{};  // about the node
  bool dynamic = false;             // has rigid bodies
  bool coupled = false;             // forces and rotations couple: offset mass or inertial elements
  // force by Δx' (3, diagonal), moment by Δg' (9), force by Δg' (9), moment by Δx' (9)
  std::array<int, 30> slots{};
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
  // into Tables; slots count from slot_base
  int locals = 0, slots = 0, slot_base = 0, factors = 0;
  int own_row = 0;  // global
  bool inertial = false, held = false;

  /// The row of the first constraint, and where it is among the element's own rows.
  int constraint_row() const noexcept { return own_row + own_count; }
  int local_constraint_row() const noexcept { return size - algebraic_count; }
  int local_own_row() const noexcept { return size - algebraic_count - own_count; }
};

/// The larger of two numbers, NaN if either is NaN, which std::max does not guarantee.
inline double larger(double most, double x) noexcept {
  return x > most || std::isnan(x) ? x : most;
}

/// The power of two nearest to x > 0: scaling by it causes no rounding.
inline double power_near(double x) {
  if (!std::isfinite(x)) return x;
  int exponent = 0;
  const double part = std::frexp(x, &exponent);  // from 1/2 to 1; the middle of powers is at √½
  return std::ldexp(1.0, part < 0.7071067811865476 ? exponent - 1 : exponent);
}

/// The kind of a row of the matrix; it determines how the scale depends on c.
enum class RowKind : std::uint8_t { force, moment, coordinate, other, constraint };

/// The entries that elements add to the matrix, element by element.
struct Entries {
  sparse::Pattern pattern;
  std::vector<int> local, place, row, column;  // place: in the pattern
  std::vector<int> node_places;                // in the pattern, of NodePlan::slots
};

/// Units of the model at its initial state, and scales of rows and columns without the coefficient
/// c (Bottasso, Dopico and Trainelli 2008).
struct Scales {
  double length = 1.0, mass = 1.0;
  std::vector<double> row, column;
  double force_floor = 0.0, moment_floor = 0.0;  // stiffness times rounding
};

/// Maps from element Jacobians to the matrix; elements of the same structure share a table.
struct Tables {
  std::vector<int> local, slot;
  std::vector<int> factor_row, factor_column;  // row and column whose scales form a factor
};

/// The constant data of a mechanism. The constructor analyses the structure; Start adds scales and
/// the compiled elimination. Immutable afterwards: any number of states and threads may use it.
struct MechanismLayout {
  MechanismLayout(Model, const Settings&);

  Model model;
  Settings settings;
  int node_count = 0, scalar_count = 0, size = 0, coordinate_count = 0, memory_count = 0;
  std::vector<NodePlan> nodes;
  std::vector<ElementPlan> elements;
  std::vector<int> indices, rows;
  std::vector<int> inertial, held;          // elements
  std::vector<int> value_columns;           // of values
  std::vector<int> coordinate_values;       // of own coordinates, their place in values
  std::vector<int> algebraic_columns;       //
  std::vector<int> value_of, algebraic_of;  // of columns: their place in values, algebraic; or -1
  std::vector<int> input_of_drive;          // -1: a function
  std::vector<double> corners;              // of all drives, ascending
  std::vector<RowKind> kinds;
  std::vector<Matrix3> no_turns;  // Point::turn where no step is under way
  Entries entries;
  Scales scales;
  Tables tables;
  std::optional<sparse::LinearSolver> elimination;  // workspaces have copies, with values

  bool splits_impulses() const noexcept { return settings.split_impulses && !held.empty(); }
  /// A level and a state of the right sizes.
  Level level() const;
  State blank() const;
  /// The point of an element. A step has its own W and drives.
  Point point(const ElementPlan&, const State&, const Level&, double c, const DriveState* drives,
              const Matrix3* turns) const noexcept;
  Point point(const ElementPlan& of, const State& s) const noexcept {
    return point(of, s, s.history[0], s.c, s.drives.data(), no_turns.data());
  }
  std::span<double> memory_of(const ElementPlan& of, State& s) const noexcept {
    return {s.memory.data() + of.memory, static_cast<std::size_t>(of.element->shape().memory)};
  }
  std::string row_name(int row) const;

  // scaling.cpp
  /// Sets the position of each entry of the pattern in the values of the matrix.
  void use_slots(std::span<const int>);

 private:
  void number();
  ElementPlan plan_of(const Element&);
  void find_entries();
  void share_tables(std::span<const int> slots);
};

inline Point MechanismLayout::point(const ElementPlan& of, const State& s, const Level& l, double c,
                                    const DriveState* drives, const Matrix3* turns) const noexcept {
  Point p;
  p.time = l.time;
  p.c = c;
  p.node_states = l.nodes.data();
  p.node_turns = turns;
  p.nodes = indices.data() + of.nodes;
  p.scalar_values = l.values.data();
  p.scalar_rates = l.rates.data();
  p.scalars = indices.data() + of.scalars;
  p.own = l.values.data() + of.values;
  p.own_rates = l.rates.data() + of.values;
  p.own_algebraic = l.algebraic.data() + of.algebraic;
  p.drive_states = drives;
  p.drives = indices.data() + of.drives;
  p.memory = s.memory.data() + of.memory;
  return p;
}

}  // namespace vernier::constrained::detail
