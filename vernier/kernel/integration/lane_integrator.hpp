#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "vernier/kernel/integration/integrator.hpp"

namespace vernier::integration {

/// Hears of transitions of many states.
class LaneListener {
 public:
  virtual ~LaneListener() = default;
  virtual void fired(std::size_t state, const Firing&) noexcept = 0;
};

/// Advances many states of one hybrid system, in blocks of eight side by side: each has its own
/// steps, error control and events. Every state comes out with the bits that an Integrator of the
/// same settings gives it alone, whatever the others do. Events are rare: a step in which one may
/// lie is taken again by the Integrator. Methods other than dopri5 go one state after the other.
/// Nothing allocates after construction.
class LaneIntegrator {
 public:
  /// The system must outlive it. All states begin at the initial state of the spec, inputs at
  /// theirs. Throws ConfigurationError like make_stepper().
  LaneIntegrator(const hybrid::System&, const Settings&, std::size_t states);
  ~LaneIntegrator();

  std::size_t states() const noexcept;
  void set(std::size_t state, std::span<const double> x, std::span<const int> mode) noexcept;
  /// Held while time advances.
  void set_inputs(std::size_t state, std::span<const double> u) noexcept;
  void set_parameters(std::size_t state, std::span<const double> p) noexcept;

  std::span<const double> x(std::size_t state) const noexcept;
  std::span<const int> mode(std::size_t state) const noexcept;

  /// Takes the transitions of all states that are enabled at an instant, all rounds of it; states
  /// that were set may be where one is, and advance() expects that none is. False: some state took
  /// Limits::microsteps rounds and could go on.
  bool settle(Time now, LaneListener* listener = nullptr) noexcept;

  /// All states from local time `t` to `end` (s after `origin`), transitions where they become
  /// enabled. Returns how many arrived; arrival() tells of each. `listener` may be null.
  std::size_t advance(Time origin, double t, double end, const Limits& = {},
                      LaneListener* listener = nullptr) noexcept;
  const Arrival& arrival(std::size_t state) const noexcept;

 private:
  struct Data;
  std::unique_ptr<Data> data_;
};

}  // namespace vernier::integration
