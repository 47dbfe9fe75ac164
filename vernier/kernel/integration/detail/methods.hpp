#pragma once

#include <memory>

#include "vernier/kernel/elementary/lane_functions.hpp"
#include "vernier/kernel/integration/stepper.hpp"

namespace vernier::integration::detail {

std::unique_ptr<Stepper> make_dopri5(const hybrid::SystemSpec&, const Settings&);
std::unique_ptr<Stepper> make_rk4(const hybrid::SystemSpec&, const Settings&);
std::unique_ptr<Stepper> make_euler(const hybrid::SystemSpec&, const Settings&);
std::unique_ptr<Stepper> make_rodas(const hybrid::SystemSpec&, const Settings&);

/// t + low := t + low + s, as a rounded sum and its rounding error.
void advance_time(double& t, double& low, double s) noexcept;

/// The target of the step control as a fraction of the requested tolerance. The error of an event
/// time is the sum of the errors of many steps, divided by the rate of change of the condition. The
/// fraction for systems with conditions keeps the events of benchmarks/accuracy within the
/// tolerance (docs/mathematics/hybrid.md, section 4).
inline constexpr double safety_of_events = 5e-5;
inline constexpr double safety_of_flows = 1e-2;

/// The size of the next step of an adaptive method.
class StepControl {
 public:
  /// `order`: the power of h in the error estimate.
  StepControl(const hybrid::SystemSpec&, const Settings&, double order);

  /// The largest |error_i| / (atol + rtol max(|a_i|, |b_i|)); NaN if an error is NaN.
  double norm(std::span<const double> error, std::span<const double> a,
              std::span<const double> b) const noexcept;

  /// The first step: so short that the state and its rate change little (an explicit Euler step).
  double first(const Equations&, double t, double left, const Trail&, std::span<double> x,
               std::span<double> rate) const noexcept;

  /// The step to try: the guess, limited by the largest step and by `left`. `whole`: it is the
  /// unlimited guess.
  double trial(const Trail&, double left, bool& whole) const noexcept;

  /// The factor after a step with `error` (< 1: accepted), by proportional and integral control.
  double factor(double error, double before) const noexcept;
  /// The same for eight steps.
  void factors(const double* error, const double* before, double* result) const noexcept;
  /// Remembers an accepted step; `by`: its factor().
  void accept(Trail&, double h, double error, double by, bool whole,
              bool rejected_before) const noexcept;
  double after_rejection(double h, double error) const noexcept;

  double rtol() const noexcept { return rtol_; }
  double atol() const noexcept { return atol_; }

  /// Below this, a step no longer changes the time.
  static double smallest(double t, double left) noexcept;

 private:
  double rtol_, atol_, largest_, order_;
  const elementary::LaneFunctions& functions_;
};

/// An adaptive method: repeats a step with shorter lengths while the error is too large.
class Adaptive : public Stepper {
 public:
  Adaptive(const hybrid::SystemSpec&, const Settings&, double order);
  StepOutcome step(const Equations&, double t, double left, Trail&) noexcept final;

 protected:
  /// Called before the first attempt of a step, when t_, x0_, low0_ and rate0_ are known.
  virtual void begin(const Equations&) noexcept = 0;
  /// Takes a step of length h_ and returns its error in the norm of control_; NaN if the step
  /// cannot be taken.
  virtual double attempt(const Equations&, const Trail&) noexcept = 0;

  StepControl control_;
  std::vector<double> rate0_;         // f at the start
  std::vector<double> stage_, work_;  // memory for attempts
};

}  // namespace vernier::integration::detail
