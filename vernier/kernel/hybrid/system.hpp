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
  std::string condition;  // as written, for messages: "C > HFull", "on telecommand"
  bool on_event = false;  // triggered only by a label, never by the flow alone
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

/// White noise for filters and studies; running a system does not simulate it. Empty: none.
struct Noise {
  std::vector<double> process;      // by element of x: density q of dx = f dt + sqrt(q) dW
  std::vector<double> measurement;  // by element of y: standard deviation of one reading
};

/// Everything about a system that does not depend on the point. Vectors x, u, p, y hold the
/// elements of the signals one after another.
struct SystemSpec {
  std::vector<Signal> states, inputs, outputs;
  /// Constants that remain adjustable (p); `initial` has their values. Other constants are part of
  /// the equations.
  std::vector<Signal> parameters = {};
  std::vector<Automaton> automata;
  std::vector<Event> events;
  std::vector<Dependence> feedthrough;  // union over locations
  std::vector<UnitVector> unit_vectors;
  Noise noise = {};
  /// Input signals that guards(), select() and witness() use; none: unknown, assume all.
  std::optional<std::vector<std::size_t>> condition_inputs = {};
  std::size_t guards = 0;  // the largest number of atoms of any location
  std::size_t work = 0;    // doubles that Workspace::doubles() has
};

/// The total number of elements of signals.
std::size_t size(std::span<const Signal>) noexcept;
/// The same; chosen over std::size, which an unqualified call would find.
inline std::size_t size(const std::vector<Signal>& signals) noexcept {
  return size(std::span<const Signal>(signals));
}

/// The point at which a system is evaluated. `t` is in seconds from the start of the run; `mode`
/// has the active location of each automaton.
struct Point {
  double t = 0.0;
  std::span<const double> x;
  std::span<const int> mode;
  std::span<const double> u;
  std::span<const double> p = {};
  /// The outputs required of output() and of tangents; other elements are undefined.
  OutputSet outputs = all_outputs;
};

/// A direction in (t, x, u, p) for derivatives; an empty span is zero.
struct Direction {
  double t = 0.0;
  std::span<const double> x;
  std::span<const double> u;
  std::span<const double> p = {};
};

/// Derivatives along a direction; an empty span is not computed.
struct Tangent {
  std::span<double> xdot;  // of flow
  std::span<double> y;     // of output
  std::span<double> z;     // of guards
  /// Half of the digits are enough, as for a search that ends by values: a system whose exact
  /// derivatives along one direction cost more than two evaluations may take differences.
  bool approximate = false;
};

/// The combined effect of transitions; initially a copy of the state before.
struct Jump {
  std::span<double> x;
  std::span<int> mode;
  std::span<std::uint8_t> emitted;  // by event; only ever set
};

/// The number of points evaluated together: as many doubles as a register of 512 bits has.
inline constexpr std::size_t lanes = 8;

/// Several points of one system in the same mode: element i of point l is at [i * lanes + l].
/// Faster if arrays are aligned to 64 bytes (lane_vector.hpp).
struct Points {
  const double* t = nullptr;
  const double* x = nullptr;
  std::span<const int> mode;
  const double* u = nullptr;
  const double* p = nullptr;
  OutputSet outputs = all_outputs;  // as those of a Point
  /// The addresses of the lanes of each element of u, if they are not contiguous; null: in u.
  const double* const* u_at = nullptr;
  /// More than one block, for flow_lanes() and output_lanes().
  LaneBlocks blocks = {};

  const double* input(std::size_t i) const noexcept {
    return u_at != nullptr ? u_at[i] : u + i * lanes;
  }
  /// The blocks from `first` to `first` + `count`.
  Points some_blocks(std::size_t first, std::size_t count = 1) const noexcept;
};

/// The inputs as a contiguous array: Points::u, or a copy in `memory` of the same size.
const double* together(const Points&, std::span<double> memory) noexcept;

/// A direction for each lane; null: zero in all lanes.
struct Directions {
  const double* t = nullptr;
  const double* x = nullptr;
  const double* u = nullptr;
  const double* p = nullptr;
};

/// Derivatives of each lane along its direction; null: not computed.
struct Tangents {
  double* xdot = nullptr;
  double* y = nullptr;
  double* z = nullptr;
  bool approximate = false;  // as in Tangent
};

/// The nonzeros of a sparse matrix by columns: column c has the rows row[start[c]] to row[start[c +
/// 1] - 1], ascending.
struct Pattern {
  std::size_t rows = 0;
  std::vector<std::size_t> start = {0};
  std::vector<std::uint32_t> row;

  std::size_t columns() const noexcept { return start.size() - 1; }
};

/// Working memory of one evaluation at a time, for the system that made it. Its contents never
/// change a result, but may save work in a later call. A system whose memory has more structure
/// derives its own.
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
  // For the default implementations of System.
  struct Place {
    std::vector<double> x, u, p;
  };
  Place lane_, moves_, near_;                  // a lane, its direction, a perturbed point
  std::vector<double> xdot_, y_, z_, before_;  // of a lane; on the other side
  std::vector<double> directions_, tangents_;  // of jacobian(), in lanes
};

/// A deterministic hybrid system of constant dimension, as equations (docs/mathematics/hybrid.md).
/// It is const and stateless, so integrators, filters and controllers can evaluate many states of
/// one system, from many threads, each with its own workspace. Only workspace(), lane_workspace()
/// and pattern() allocate.
///
/// Transitions are urgent and level-triggered: one must be taken at the first instant at which its
/// condition holds. Only the current truth counts, never a remembered sign.
class System {
 public:
  virtual ~System() = default;

  virtual const SystemSpec& spec() const noexcept = 0;

  /// Announces that points will often need just these outputs; the system may compile code for
  /// them. Call it before any workspace is made. Without it such calls also work, but may compute
  /// all outputs.
  virtual void prepare_outputs(OutputSet) {}

  /// Working memory for the following functions.
  virtual std::unique_ptr<Workspace> workspace() const;
  /// The same, also for calls in lanes; may compile code for them. With memory of workspace(),
  /// calls in lanes also work, but may be as slow as one point at a time.
  virtual std::unique_ptr<Workspace> lane_workspace() const { return workspace(); }

  virtual void flow(const Point&, std::span<double> xdot, Workspace&) const noexcept = 0;
  virtual void output(const Point&, std::span<double> y, Workspace&) const noexcept = 0;

  /// The atoms of the conditions of the active locations, each as left - right. Conditions can only
  /// change where an atom crosses or leaves zero. Unused entries are 1.
  virtual void guards(const Point&, std::span<double> z, Workspace&) const noexcept;

  /// Selects for each automaton the first enabled transition (by priority, then document order) as
  /// an index into its transitions, or -1; true if any is enabled. `present` has the labels present
  /// now.
  virtual bool select(const Point&, std::span<const std::uint8_t> present, std::span<int> chosen,
                      Workspace&) const noexcept;

  /// Whether the selection depends on a comparison with a value that is not a number: it would be
  /// false, and its negation too. Called only where an atom is not a number, or with labels
  /// present.
  virtual bool undecided(const Point&, std::span<const std::uint8_t> present,
                         Workspace&) const noexcept;

  /// Takes the chosen transitions. All right-hand sides are evaluated at the point.
  virtual void jump(const Point&, std::span<const int> chosen, Jump&, Workspace&) const noexcept;

  /// Both sides of the comparison that decided a transition, for messages.
  virtual void witness(const Point&, int automaton, int transition, std::span<double, 2> sides,
                       Workspace&) const noexcept;

  /// Explains in a clause why flow() or output() is not finite at the point, or is about to become
  /// so, or why the selection is undecided; false if unknown. Called after an integration failed or
  /// an output was not-a-number.
  virtual bool explain(const Point&, Fault&, Workspace&) const noexcept;
  /// The same for a jump() from this point that gave a state that is not finite.
  virtual bool explain_jump(const Point&, std::span<const int> chosen, Fault&,
                            Workspace&) const noexcept;

  /// Derivatives of flow, output and guards along a direction; the default uses central
  /// differences.
  virtual void tangent(const Point&, const Direction&, const Tangent&, Workspace&) const noexcept;
  /// The same along several directions from one point.
  virtual void tangents(const Point&, const Directions&, const Tangents&,
                        Workspace&) const noexcept;

  // Several points at once. Every lane has the same bits as a call for one point. Many blocks in
  // one call are faster than one by one.
  virtual void flow_lanes(const Points&, double* xdot, Workspace&) const noexcept;
  virtual void output_lanes(const Points&, double* y, Workspace&) const noexcept;
  virtual void guards_lanes(const Points&, double* z, Workspace&) const noexcept;
  virtual void tangent_lanes(const Points&, const Directions&, const Tangents&,
                             Workspace&) const noexcept;

  /// The derivatives of (xdot, y, z) by (x, u, p) that can be nonzero in some mode. The default is
  /// all except those of y by inputs without feedthrough.
  virtual Pattern pattern() const;
  /// Derivatives of (xdot, y, z) by (x, u, p) at the entries of a pattern, which may be a subset of
  /// pattern().
  virtual void jacobian(const Point&, const Pattern&, std::span<double> values,
                        Workspace&) const noexcept;

 private:
  // One lane of several points, copied to the workspace.
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
