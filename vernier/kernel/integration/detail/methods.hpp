#pragma once

#include <memory>

#include "vernier/kernel/elementary/lane_functions.hpp"
#include "vernier/kernel/integration/stepper.hpp"

namespace vernier::integration::detail {

std::unique_ptr<Stepper> make_dopri5(const hybrid::SystemSpec&, const Settings&);
std::unique_ptr<Stepper> make_rk4(const hybrid::SystemSpec&, const Settings&);
std::unique_ptr<Stepper> make_euler(const hybrid::SystemSpec&, const Settings&);
std::unique_ptr<Stepper> make_rodas(const hybrid::SystemSpec&, const Settings&);

/// t + low := t + low + s, as a rounded sum and what rounding took.
void advance_time(double& t, double& low, double s) noexcept;

/// What the step control aims at, as a fraction of the tolerance asked for. The error of an event's
/// time is the sum of those of many steps, divided by how fast the condition changes; the fraction
/// for systems with conditions keeps the events of benchmarks/accuracy within the tolerance.
inline constexpr double safety_of_events = 5e-5;
inline constexpr double safety_of_flows = 1e-2;

/// The size of the next step of an adaptive method.
class StepControl {
 public:
  /// `order`: the power of h with which the estimate of the error goes.
  StepControl(const hybrid::SystemSpec&, const Settings&, double order);

  /// The largest |error_i| / (atol + rtol max(|a_i|, |b_i|)); NaN when an error is.
  double norm(std::span<const double> error, std::span<const double> a,
              std::span<const double> b) const noexcept;

  /// A first step: such that the state changes little, and an explicit Euler step would too.
  double first(const Equations&, double t, double left, const Trail&, std::span<double> x,
               std::span<double> rate) const noexcept;

  /// The step to try: the guess, but not beyond the largest nor `left`. `whole`: it is the guess
  /// itself.
  double trial(const Trail&, double left, bool& whole) const noexcept;

  /// The factor after a step with `error` (< 1: accepted), by proportional and integral control.
  double factor(double error, double before) const noexcept;
  /// The same of eight steps.
  void factors(const double* error, const double* before, double* result) const noexcept;
  /// Remembers an accepted step; `by`: its factor().
  void accept(Trail&, double h, double error, double by, bool whole,
              bool rejected_before) const noexcept;
  double after_rejection(double h, double error) const noexcept;

  double rtol() const noexcept { return rtol_; }
  double atol() const noexcept { return atol_; }

  /// Below this, a step does not move time any more.
  static double smallest(double t, double left) noexcept;

 private:
  double rtol_, atol_, largest_, order_;
  const elementary::LaneFunctions& functions_;
};

/// A method that chooses its steps: tries one, and tries a shorter one while the error is too
/// large.
class Adaptive : public Stepper {
 public:
  Adaptive(const hybrid::SystemSpec&, const Settings&, double order);
  StepOutcome step(const Equations&, double t, double left, Trail&) noexcept final;

 protected:
  /// Before the first attempt of a step: t_, x0_, low0_ and rate0_ are known.
  virtual void begin(const Equations&) noexcept = 0;
  /// Goes h_ from the start, lands, and returns the error as control_ measures it; NaN when this
  /// step cannot be taken.
  virtual double attempt(const Equations&, const Trail&) noexcept = 0;

  StepControl control_;
  std::vector<double> rate0_;         // f at the start
  std::vector<double> stage_, work_;  // memory for attempts
};

}  // namespace vernier::integration::detail
