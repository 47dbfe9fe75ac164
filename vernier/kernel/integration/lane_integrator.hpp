#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "vernier/kernel/integration/integrator.hpp"

namespace vernier::integration {

/// Receives transitions of many states.
class LaneListener {
 public:
  virtual ~LaneListener() = default;
  virtual void fired(std::size_t state, const Firing&) noexcept = 0;
};

/// Advances many states of one hybrid system in blocks of eight: each has its own steps, error
/// control and events. Every state has the same bits as an Integrator with the same settings would
/// give, whatever the others do. Events are rare: a step that may contain one is repeated by the
/// Integrator. Methods other than dopri5 advance one state at a time. Only the constructor
/// allocates.
class LaneIntegrator {
 public:
  /// The system must outlive it. All states start at the initial state of the spec, with its
  /// initial inputs. Throws ConfigurationError like make_stepper().
  LaneIntegrator(const hybrid::System&, const Settings&, std::size_t states);
  ~LaneIntegrator();

  std::size_t states() const noexcept;
  void set(std::size_t state, std::span<const double> x, std::span<const int> mode) noexcept;
  /// The inputs are held while time advances.
  void set_inputs(std::size_t state, std::span<const double> u) noexcept;
  void set_parameters(std::size_t state, std::span<const double> p) noexcept;

  std::span<const double> x(std::size_t state) const noexcept;
  std::span<const int> mode(std::size_t state) const noexcept;

  /// Takes all enabled transitions of all states at an instant, in all rounds. Call it after states
  /// were set, because advance() requires that none is enabled. False: some state took
  /// Limits::microsteps rounds without end.
  bool settle(Time now, LaneListener* listener = nullptr) noexcept;

  /// Advances all states from local time `t` to `end` (s after `origin`), with transitions where
  /// they become enabled. Returns how many arrived; arrival() describes each. `listener` may be
  /// null.
  std::size_t advance(Time origin, double t, double end, const Limits& = {},
                      LaneListener* listener = nullptr) noexcept;
  const Arrival& arrival(std::size_t state) const noexcept;

 private:
  struct Data;
  std::unique_ptr<Data> data_;
};

}  // namespace vernier::integration
