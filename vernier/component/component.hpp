#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "vernier/base/fault.hpp"
#include "vernier/base/time.hpp"
#include "vernier/component/description.hpp"
#include "vernier/component/journal.hpp"
#include "vernier/component/stream.hpp"

namespace vernier {

/// ok: done. changed (react only): the state changed, outputs must be computed again.
/// held: done as well as possible, with an old value; counted. failed: see fault().
enum class Outcome : std::uint8_t { ok, changed, held, failed };

struct Advance {
  Time reached;
  Outcome outcome = Outcome::ok;
};

/// The memory of a component's ports. Valid from bind() to the next bind() or the end of the run.
/// Asking for a name that the description lacks, or of another kind, is a programming error.
class Bindings {
 public:
  virtual ~Bindings() = default;

  virtual std::span<const double> real_input(std::string_view) const = 0;
  virtual std::span<double> real_output(std::string_view) const = 0;
  /// Integer signals, and the counts of events.
  virtual std::span<const std::int64_t> integer_input(std::string_view) const = 0;
  virtual std::span<std::int64_t> integer_output(std::string_view) const = 0;
  /// Boolean and byte signals.
  virtual std::span<const std::uint8_t> byte_input(std::string_view) const = 0;
  virtual std::span<std::uint8_t> byte_output(std::string_view) const = 0;
  virtual StreamReader& stream_input(std::string_view) const = 0;
  virtual Stream& stream_output(std::string_view) const = 0;

  /// Where the component records its events.
  virtual Journal& journal() const = 0;
};

/// Anything that runs. One tick of the executive:
///
///   output    every due component, in feedthrough order    outputs from state and direct inputs
///   react     until none returns `changed`                 events, at successive microsteps
///   advance   every due component to its next instant      no output changes while anyone advances
///
/// output() writes output memory and nothing else that others see; react() and advance() change
/// only the state, so that the order of calls within a phase never matters. The functions marked
/// noexcept are called in the loop: they must not allocate, lock, wait or throw.
class Component {
 public:
  virtual ~Component() = default;

  virtual const Description& description() const noexcept = 0;

  /// Receives the memory of the ports; may allocate and throw. May be called again between two
  /// ticks of a run, with other memory: then it must not throw, and must not allocate unless it has
  /// abilities.faces_world.
  virtual void bind(const Bindings&) = 0;

  /// Brings the state to the start of the run. Called with phase 0, 1, … until all components
  /// return true; outputs of the previous phase are visible. May allocate and throw.
  virtual bool initialize(Time start, int phase);

  virtual Outcome output(Instant) noexcept = 0;
  virtual Outcome react(Instant) noexcept;
  virtual Advance advance(Time from, Time to) noexcept = 0;

  /// The next event, if known (abilities.predicts); Time::max(): none.
  virtual Time horizon(Time now) const noexcept;

  // Dense output, with abilities.dense: observers sample between instants without adding one, so
  // that
  // observing a run never changes it.

  /// At most `most` samples are requested per advance(). Not called in the loop: may allocate.
  virtual void reserve_samples(std::size_t most);
  /// Called before advance(from, to): the times between from and to, ascending, for which sample()
  /// will be called. They remain valid until the next expect().
  virtual void expect(std::span<const Time>) noexcept;
  /// Writes the signal outputs as of `at`: an expected time not after the one that advance()
  /// reached, or that time itself, where the outputs are those before the event that ended the
  /// step. Direct inputs are as of `at`. Changes nothing else; event outputs keep their counts.
  virtual Outcome sample(Time at) noexcept;

  /// The complete state of description().state_bytes bytes, including modes, random generators and
  /// integrator history.
  virtual void save(std::span<std::byte>) const noexcept = 0;
  virtual void load(std::span<const std::byte>) noexcept = 0;

  /// An entry of this component's journal as text. Called from another thread: must read only what
  /// does not change after bind().
  virtual Telling tell(const Entry&) const;

  /// Why the last call returned `failed`.
  virtual const Fault& fault() const noexcept;
};

}  // namespace vernier
