#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

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
  std::size_t first, count;
};

/// Everything about a system that does not depend on the point. Vectors x, u, y hold the elements
/// of the signals one after another.
struct SystemSpec {
  std::vector<Signal> states, inputs, outputs;
  std::vector<Automaton> automata;
  std::vector<Event> events;
  std::vector<Dependence> feedthrough;  // union over locations
  std::vector<UnitVector> unit_vectors;
  /// Input signals that guards(), select() and witness() look at; none: not known, all.
  std::optional<std::vector<std::size_t>> condition_inputs = {};
  std::size_t guards = 0;  // the most atoms of the conditions that any location has
  std::size_t work = 0;    // doubles of scratch memory that each call needs
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
};

/// A direction in (t, x, u), for derivatives along it.
struct Direction {
  double t = 0.0;
  std::span<const double> x;
  std::span<const double> u;
};

/// Derivatives along a direction; an empty span is not wanted.
struct Tangent {
  std::span<double> xdot;  // of flow
  std::span<double> y;     // of output
  std::span<double> z;     // of guards
};

/// What transitions do, all at once: starts as a copy of the state before.
struct Jump {
  std::span<double> x;
  std::span<int> mode;
  std::span<std::uint8_t> emitted;  // by event; only ever set
};

/// Why a system cannot go on, for the user; filled in place, so that failing does not allocate.
struct Complaint {
  char code[8] = "";    // "V3140"
  char text[256] = "";  // a clause, without a full stop
};

/// Working memory of one evaluation, spec().work doubles; its content means nothing between calls.
using Scratch = std::span<double>;

/// Equations: a deterministic hybrid system of constant dimension. Const and without a state of its
/// own, so that integrators, filters and controllers can evaluate many states of one system, from
/// many threads. None of the functions allocates.
///
/// Transitions are urgent and level-triggered: one must be taken at the first instant its condition
/// holds; what counts is the truth now, never a remembered sign.
class System {
 public:
  virtual ~System() = default;

  virtual const SystemSpec& spec() const noexcept = 0;

  virtual void flow(const Point&, std::span<double> xdot, Scratch) const noexcept = 0;
  virtual void output(const Point&, std::span<double> y, Scratch) const noexcept = 0;

  /// The atoms of the conditions of the active locations, each as left - right: conditions can only
  /// change where one of them crosses or leaves zero. Unused entries are set to 1.
  virtual void guards(const Point&, std::span<double> z, Scratch) const noexcept;

  /// For each automaton the first enabled transition (document order or priority) as an index into
  /// its transitions, or -1; true when any is enabled. `present` has the labels present now.
  virtual bool select(const Point&, std::span<const std::uint8_t> present, std::span<int> chosen,
                      Scratch) const noexcept;

  /// Takes the chosen transitions. All right-hand sides are evaluated at the point.
  virtual void jump(const Point&, std::span<const int> chosen, Jump&, Scratch) const noexcept;

  /// Both sides of the comparison that decided a transition, for showing the reason.
  virtual void witness(const Point&, int automaton, int transition, std::span<double, 2> sides,
                       Scratch) const noexcept;

  /// Why flow() gives something that is not finite at the point, or is about to; false: nothing to
  /// say. Called after an integration failed.
  virtual bool explain(const Point&, Complaint&, Scratch) const noexcept;

  /// Derivatives of flow, output and guards along a direction. The default uses central differences
  /// and needs extra_work() doubles beyond spec().work, which a system that does not override it
  /// must have included in spec().work.
  virtual void tangent(const Point&, const Direction&, const Tangent&, Scratch) const noexcept;

  /// What the default tangent() needs.
  static std::size_t extra_work(const SystemSpec&) noexcept;
};

}  // namespace vernier::hybrid
