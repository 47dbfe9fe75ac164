#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "vernier/base/fault.hpp"
#include "vernier/kernel/hybrid/lane_table.hpp"

namespace vernier::hybrid {

/// A named vector of states, inputs or outputs.
struct Signal {
  std::string name;
  std::string unit = "1";
  std::string frame = {};
  std::uint32_t count = 1;
  std::optional<std::vector<double>> initial = {};  // states: at the start (zero without);
                                                    // inputs: while not connected
  std::string description = {};
};

struct Transition {
  std::string name;
  int from = 0, to = 0;   // locations
  std::string condition;  // as written, for people: "C > HFull", "on telecommand"
  bool on_event = false;  // only a label triggers it: no flow alone does
};

/// One discrete part: exactly one of its locations is active.
struct Automaton {
  std::string name;  // empty: that of the system
  std::vector<std::string> locations;
  std::vector<Transition> transitions;
  int initial = 0;
};

/// A label. Direction in: some transition waits for it. Direction out: some transition emits it.
struct Event {
  std::string name;
  bool in = false;
  bool out = false;
};

/// Output signal `output` depends on input signal `input` at the same instant (indices).
struct Dependence {
  std::size_t output, input;
};

/// `count` states from `first` are a unit vector, to be normalised after each accepted step.
struct UnitVector {
  enum class Kind : std::uint8_t {
    direction,  // errors have count - 1 dimensions: those across it
    quaternion  // an attitude, scalar last: q and -q are the same, errors are three small angles
  };
  std::size_t first, count;
  Kind kind = Kind::direction;
};

/// White noise that filters and studies assume; running a system never draws any. Empty: none.
struct Noise {
  std::vector<double> process;      // by element of x: density q of dx = f dt + sqrt(q) dW
  std::vector<double> measurement;  // by element of y: standard deviation of one reading
};

/// Everything about a system that does not depend on the point. Vectors x, u, p, y hold the
/// elements of the signals one after another.
struct SystemSpec {
  std::vector<Signal> states, inputs, outputs;
  /// Constants that were asked to stay adjustable (p); `initial` has their values. Other constants
  /// are part of the equations.
  std::vector<Signal> parameters = {};
  std::vector<Automaton> automata;
  std::vector<Event> events;
  std::vector<Dependence> feedthrough;  // union over locations
  std::vector<UnitVector> unit_vectors;
  Noise noise = {};
  /// Input signals that guards(), select() and witness() look at; none: not known, all.
  std::optional<std::vector<std::size_t>> condition_inputs = {};
  std::size_t guards = 0;  // the most atoms of the conditions that any location has
  std::size_t work = 0;    // doubles that Workspace::doubles() has
};

/// How many elements signals have together.
std::size_t size(std::span<const Signal>) noexcept;
/// The same; chosen over std::size, which an unqualified call would find.
inline std::size_t size(const std::vector<Signal>& signals) noexcept {
  return size(std::span<const Signal>(signals));
}

/// Where a system is evaluated. `t` counts seconds from the start of the run; `mode` has the active
/// location of each automaton.
struct Point {
  double t = 0.0;
  std::span<const double> x;
  std::span<const int> mode;
  std::span<const double> u;
  std::span<const double> p = {};
  /// Which outputs are wanted, of output() and of tangents: other elements may be anything.
  OutputSet outputs = all_outputs;
};

/// A direction in (t, x, u, p), for derivatives along it; an empty span does not move.
struct Direction {
  double t = 0.0;
  std::span<const double> x;
  std::span<const double> u;
  std::span<const double> p = {};
};

/// Derivatives along a direction; an empty span is not wanted.
struct Tangent {
  std::span<double> xdot;  // of flow
  std::span<double> y;     // of output
  std::span<double> z;     // of guards
  /// Half of the digits are enough, as for a search that ends by values: a system whose exact
  /// derivatives along one direction cost more than two evaluations may take differences.
  bool approximate = false;
};

/// What transitions do, all at once: starts as a copy of the state before.
struct Jump {
  std::span<double> x;
  std::span<int> mode;
  std::span<std::uint8_t> emitted;  // by event; only ever set
};

/// How many points are evaluated side by side: as many doubles as a register of 512 bits has.
inline constexpr std::size_t lanes = 8;

/// Points of one system side by side, all in one mode: element i of point l is at [i * lanes + l].
/// Faster where arrays begin at multiples of 64 bytes (lane_vector.hpp).
struct Points {
  const double* t = nullptr;
  const double* x = nullptr;
  std::span<const int> mode;
  const double* u = nullptr;
  const double* p = nullptr;
  OutputSet outputs = all_outputs;  // as those of a Point
  /// Where the lanes of each element of u are, when they do not stand together; null: in u.
  const double* const* u_at = nullptr;
  /// More than one block, for flow_lanes() and output_lanes().
  LaneBlocks blocks = {};

  const double* input(std::size_t i) const noexcept {
    return u_at != nullptr ? u_at[i] : u + i * lanes;
  }
  /// `count` blocks from `first` on.
  Points some_blocks(std::size_t first, std::size_t count = 1) const noexcept;
};

/// The inputs as they stand in Points::u: there, or copied to `memory` of as many elements.
const double* together(const Points&, std::span<double> memory) noexcept;

/// A direction for each lane; null: no lane moves in these.
struct Directions {
  const double* t = nullptr;
  const double* x = nullptr;
  const double* u = nullptr;
  const double* p = nullptr;
};

/// Derivatives of each lane along its direction; null: not wanted.
struct Tangents {
  double* xdot = nullptr;
  double* y = nullptr;
  double* z = nullptr;
  bool approximate = false;  // as in Tangent
};

/// Places of a sparse matrix, column by column: column c has the rows row[start[c]] to
/// row[start[c + 1] - 1], ascending.
struct Pattern {
  std::size_t rows = 0;
  std::vector<std::size_t> start = {0};
  std::vector<std::uint32_t> row;

  std::size_t columns() const noexcept { return start.size() - 1; }
};

/// Working memory of one evaluation at a time, for the system that made it. What a system leaves in
/// it never changes a result; it may spare a later call work. A system whose memory has more
/// structure derives its own.
class Workspace {
 public:
  explicit Workspace(const SystemSpec&);
  virtual ~Workspace() = default;
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;

  std::span<double> doubles() noexcept { return doubles_; }  // spec().work of them

 private:
  friend class System;
  std::vector<double> doubles_;
  // of what System does for those that do not override it
  struct Place {
    std::vector<double> x, u, p;
  };
  Place lane_, moves_, near_;                  // a lane, its direction, a point at some distance
  std::vector<double> xdot_, y_, z_, before_;  // of a lane; on the other side
  std::vector<double> directions_, tangents_;  // of jacobian(), in lanes
};

/// Equations: a deterministic hybrid system of constant dimension. Const and without a state of its
/// own, so that integrators, filters and controllers can evaluate many states of one system, from
/// many threads, each with a workspace of its own. Nothing but workspace(), lane_workspace() and
/// pattern() allocates.
///
/// Transitions are urgent and level-triggered: one must be taken at the first instant its condition
/// holds; what counts is the truth now, never a remembered sign.
class System {
 public:
  virtual ~System() = default;

  virtual const SystemSpec& spec() const noexcept = 0;

  /// Points will often want just these outputs: may compile code for them. Before any workspace is
  /// made. Without it such calls work as well, and may compute all outputs.
  virtual void prepare_outputs(OutputSet) {}

  /// Memory for the calls below.
  virtual std::unique_ptr<Workspace> workspace() const;
  /// The same, for calls in lanes too; may compile code for them. With memory of workspace() calls
  /// in lanes work as well, and may be as slow as one point after the other.
  virtual std::unique_ptr<Workspace> lane_workspace() const { return workspace(); }

  virtual void flow(const Point&, std::span<double> xdot, Workspace&) const noexcept = 0;
  virtual void output(const Point&, std::span<double> y, Workspace&) const noexcept = 0;

  /// The atoms of the conditions of the active locations, each as left - right: conditions can only
  /// change where one of them crosses or leaves zero. Unused entries are set to 1.
  virtual void guards(const Point&, std::span<double> z, Workspace&) const noexcept;

  /// For each automaton the first enabled transition (document order or priority) as an index into
  /// its transitions, or -1; true when any is enabled. `present` has the labels present now.
  virtual bool select(const Point&, std::span<const std::uint8_t> present, std::span<int> chosen,
                      Workspace&) const noexcept;

  /// Takes the chosen transitions. All right-hand sides are evaluated at the point.
  virtual void jump(const Point&, std::span<const int> chosen, Jump&, Workspace&) const noexcept;

  /// Both sides of the comparison that decided a transition, for showing the reason.
  virtual void witness(const Point&, int automaton, int transition, std::span<double, 2> sides,
                       Workspace&) const noexcept;

  /// Why flow() gives something that is not finite at the point, or is about to, as a clause;
  /// false: nothing to say. Called after an integration failed.
  virtual bool explain(const Point&, Fault&, Workspace&) const noexcept;

  /// Derivatives of flow, output and guards along a direction; by central differences where a
  /// system does not know better.
  virtual void tangent(const Point&, const Direction&, const Tangent&, Workspace&) const noexcept;
  /// The same along several directions from one point.
  virtual void tangents(const Point&, const Directions&, const Tangents&,
                        Workspace&) const noexcept;

  // Points side by side. Every lane has the bits of the call for one point. Many blocks in one call
  // take less time than one by one.
  virtual void flow_lanes(const Points&, double* xdot, Workspace&) const noexcept;
  virtual void output_lanes(const Points&, double* y, Workspace&) const noexcept;
  virtual void guards_lanes(const Points&, double* z, Workspace&) const noexcept;
  virtual void tangent_lanes(const Points&, const Directions&, const Tangents&,
                             Workspace&) const noexcept;

  /// The derivatives of (xdot, y, z) by (x, u, p) that can be other than zero in some mode. By
  /// default all but those of y by inputs without feedthrough.
  virtual Pattern pattern() const;
  /// Derivatives of (xdot, y, z) by (x, u, p), at the places of a pattern, which may have fewer
  /// places than pattern().
  virtual void jacobian(const Point&, const Pattern&, std::span<double> values,
                        Workspace&) const noexcept;

 private:
  // One lane of several, in the memory of the workspace.
  static Point lane_of(const Points&, std::size_t lane, Workspace&) noexcept;
  static Direction lane_of(const Directions&, std::size_t lane, Workspace&) noexcept;
  static Tangent lane_of(const Tangents&, Workspace&) noexcept;
};

/// Calls `evaluate(points, result)` block by block: for systems that have code for one.
template <class Evaluate>
void each_block(const Points& p, double* result, const Evaluate& evaluate) noexcept {
  if (p.blocks.count == 1) return evaluate(p, result);
  for (std::size_t b = 0; b < p.blocks.count; ++b)
    evaluate(p.some_blocks(b), result + b * p.blocks.result * lanes);
}

/// The `initial` values of signals one after another; zero where there are none.
std::vector<double> initial_values(std::span<const Signal>);

}  // namespace vernier::hybrid
