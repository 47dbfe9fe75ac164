#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "vernier/base/time.hpp"
#include "vernier/kernel/integration/event_locator.hpp"
#include "vernier/kernel/integration/stepper.hpp"
#include "vernier/kernel/integration/zeno.hpp"

namespace vernier::integration {

/// A transition that was taken.
struct Firing {
  int automaton = 0;
  int transition = 0;
  int from = 0, to = 0;          // locations
  double t = 0.0;                // s, local time
  std::uint32_t microstep = 0;   // order at one instant, from 1
  double sides[2] = {0.0, 0.0};  // of the comparison that decided; NaN: none
};

/// Receives transitions as they are taken.
class Listener {
 public:
  virtual ~Listener() = default;
  /// The state at the k-th time of Integrator::expect(), by the dense output.
  virtual void passed(std::size_t k, std::span<const double> x,
                      std::span<const int> mode) noexcept = 0;
  /// The state right before transitions that the flow triggers.
  virtual void crossing(std::span<const double> x, std::span<const int> mode) noexcept = 0;
  virtual void fired(const Firing&) noexcept = 0;
  /// Events accumulate; called once per accumulation.
  virtual void accumulating(double t) noexcept = 0;
};

enum class Status : std::uint8_t {
  arrived,             // at the requested end
  event,               // at an event before it
  not_finite,          // a state or its rate is not a number
  undecided,           // a condition depends on a value that is not a number
  step_too_small,      // the tolerances cannot be met
  too_many_steps,      // Limits::steps
  instantaneous_loop,  // Limits::microsteps at one instant
  accumulation,        // events accumulate (Zeno)
};

struct Arrival {
  double t = 0.0;  // s, local time
  Status status = Status::arrived;
};

/// Limits of one call; reaching one is a status.
struct Limits {
  long steps = 1'000'000;
  int microsteps = 1'000;
  int events = 100;           // per call, if accumulations stop the run
  int events_most = 100'000;  // per call, always
};

/// Advances a hybrid system: integrates the flow, locates events, takes transitions. Owns the
/// state. Only the constructor allocates.
///
/// Semantics: transitions are urgent and level-triggered. At an instant all automata select on the
/// same snapshot, then commit. Emitted labels are present in the next round of the same instant.
class Integrator {
 public:
  /// The system must outlive it. Throws ConfigurationError like make_stepper().
  Integrator(const hybrid::System&, const Settings&);

  /// The initial state of the spec.
  void reset() noexcept;

  std::span<const double> x() const noexcept { return trail_.x; }
  std::span<const int> mode() const noexcept { return mode_; }
  /// Sets the parameters of the system; initially those of the spec.
  void set_parameters(std::span<const double>) noexcept;
  /// Replaces the state, as a jump would.
  void set(std::span<const double> x, std::span<const int> mode) noexcept;

  /// Takes one round of transitions at the instant `now`: selects with the labels present, then
  /// commits. Sets `emitted` for emitted labels. False if none was enabled.
  bool react(Time now, std::span<const double> u, std::span<const std::uint8_t> present,
             std::span<std::uint8_t> emitted, std::uint32_t microstep, Listener&) noexcept;

  /// Integrates from local time `t` to `end` (s after `origin`) with constant inputs and takes
  /// transitions where they become enabled, all rounds of an instant. With `stop` it returns after
  /// the first such instant. Emitted labels are counted in `emitted`. `stop_at_accumulation`:
  /// accumulating events end the run; otherwise they are reported.
  Arrival advance(Time origin, double t, double end, std::span<const double> u,
                  std::span<std::int64_t> emitted, bool stop, bool stop_at_accumulation,
                  Listener&) noexcept;

  /// Starts a new external call: the counts of Limits are reset.
  void begin(const Limits&) noexcept;

  /// Local times, ascending, at which the listener gets the state as advance() passes them. The
  /// steps do not depend on them.
  void expect(std::span<const double> times) noexcept {
    expected_ = times;
    passed_ = 0;
  }

  /// After not_finite: the first state concerned. After step_too_small and too_many_steps: the one
  /// that follows its own changes fastest.
  std::size_t culprit() const noexcept { return culprit_; }
  /// After not_finite: whether it grew beyond all numbers, and did not become not-a-number.
  bool infinite() const noexcept { return infinite_; }
  /// After step_too_small and too_many_steps: |∂ rate/∂ state| of the culprit, 1/s.
  double fastest() const noexcept { return fastest_; }
  /// After advance() failed: what the system has to say about it. `t`: where it ended.
  bool explain(Time origin, double t, Fault&) noexcept;
  /// The last transitions taken, oldest first; for explaining loops and accumulations.
  std::size_t recent(std::span<Firing>) const noexcept;
  const ZenoWatch& zeno() const noexcept { return memory_.zeno; }

  /// The state includes everything that the future depends on.
  std::size_t state_bytes() const noexcept;
  void save(std::span<std::byte>) const noexcept;
  void load(std::span<const std::byte>) noexcept;

 private:
  // What is saved in addition to the vectors.
  struct Memory {
    double step = 0.0;
    double error = 1e-4;
    std::int64_t rate_known = 0;
    std::int64_t atoms_known = 0;
    std::int64_t told = 0;  // an accumulation was reported and continues
    ZenoWatch zeno;
  };

  friend class LaneIntegrator;  // computes the same for eight states at once

  /// Local time as a rounded sum and its rounding error.
  struct Clock {
    double t = 0.0, low = 0.0;
  };
  /// One step of advance() with its events; a value if advance() ends here.
  std::optional<Arrival> step_towards(const Equations&, Time origin, Clock&, double end,
                                      std::span<std::int64_t> emitted, bool stop,
                                      bool stop_at_accumulation, Listener&) noexcept;
  /// Whether a flow can trigger a transition of an active location.
  bool watches() const noexcept;
  Equations equations(double origin, std::span<const double> u) noexcept;
  void take_inputs(std::span<const double> u) noexcept;
  bool round(const Equations&, double t, std::span<const std::uint8_t> present,
             std::span<std::uint8_t> emitted, std::uint32_t microstep, Listener&) noexcept;
  Status transitions(const Equations&, Time origin, double t, std::span<std::int64_t> emitted,
                     bool stop_at_accumulation, Listener&) noexcept;
  /// Reports the expected times within the first `length` seconds of the step from t + low.
  void pass(const Equations&, double t, double low, double length, Listener&) noexcept;
  /// Finds the state whose rate depends on it most.
  void seek_fastest(const Equations&, double t) noexcept;
  Status failed(const Equations&, StepOutcome, double t, double left) noexcept;
  /// Whether a transition depends on an atom of z_ that is not a number.
  bool undecided(const Equations&, double t) noexcept;
  void remember(const Firing&) noexcept;

  const hybrid::System& system_;
  std::unique_ptr<Stepper> stepper_;
  EventLocator locator_;
  bool guarded_;
  std::vector<std::vector<std::uint8_t>> watched_;  // by automaton and location
  Limits limits_;
  long steps_ = 0;
  int events_ = 0;

  // x, low, rate, inputs of the rate, atoms, their derivatives
  std::vector<double> values_;
  Trail trail_;
  std::span<double> u_, z_, dz_;
  std::vector<int> mode_;
  Memory memory_;

  std::unique_ptr<hybrid::Workspace> workspace_;
  std::vector<double> parameters_, initial_, next_x_, rate_ahead_;
  std::vector<int> next_mode_, chosen_;
  std::vector<std::uint8_t> present_, now_emitted_;
  std::span<const double> expected_;
  std::size_t passed_ = 0;
  std::vector<Firing> recent_;
  std::size_t fired_ = 0;
  std::size_t culprit_ = 0;
  bool infinite_ = false;
  double fastest_ = 0.0;
  // The last jump to a state that is not finite: where it began, and the transitions.
  bool bad_jump_ = false;
  bool undecided_ = false;
  double jump_t_ = 0.0;  // s since the start of the run
  std::vector<double> jump_x_;
  std::vector<int> jump_mode_, jump_chosen_;
  bool bad_ahead_ = false;  // after not_finite: next_x_ at bad_t_ is a point where it shows
  double bad_t_ = 0.0;
};

}  // namespace vernier::integration
