#include <algorithm>
#include <cmath>
#include <limits>

#include "vernier/base/instructions.hpp"
#include "vernier/kernel/elementary/elementary.hpp"
#include "vernier/kernel/elementary/lane_functions.hpp"
#include "vernier/kernel/integration/detail/methods.hpp"

namespace vernier::integration::detail {

namespace {

// The gain of the integral part (Hairer and Wanner, Solving ODEs II, IV.2).
constexpr double beta = 0.04;
constexpr double epsilon = std::numeric_limits<double>::epsilon();

double limited_factor(double of_error, double of_before) noexcept {
  return std::clamp(0.9 / std::max(of_error / of_before, 1e-10), 0.2, 10.0);
}

}  // namespace

StepControl::StepControl(const hybrid::SystemSpec& spec, const Settings& s, double order)
    : largest_(s.step),
      order_(order),
      functions_(elementary::lane_functions(chosen_instructions())) {
  const double safety = spec.guards > 0 ? safety_of_events : safety_of_flows;
  rtol_ = safety * s.rtol;
  atol_ = safety * s.atol;
}

double StepControl::norm(std::span<const double> error, std::span<const double> a,
                         std::span<const double> b) const noexcept {
  double largest = 0.0;
  for (std::size_t i = 0; i < error.size(); ++i) {
    const double scale = atol_ + rtol_ * std::max(std::abs(a[i]), std::abs(b[i]));
    const double ratio = std::abs(error[i]) / scale;
    // Written so that NaN is kept.
    if (!(ratio <= largest)) largest = ratio;
  }
  return largest;
}

double StepControl::first(const Equations& e, double t, double left, const Trail& trail,
                          std::span<double> x, std::span<double> rate) const noexcept {
  // The starting step of Hairer, Norsett, Wanner, Solving ODEs I, II.4.
  const std::size_t n = trail.x.size();
  double d0 = 0.0;
  double d1 = 0.0;
  for (std::size_t i = 0; i < n; ++i) {
    const double scale = atol_ + rtol_ * std::abs(trail.x[i]);
    d0 = std::max(d0, std::abs(trail.x[i]) / scale);
    d1 = std::max(d1, std::abs(trail.rate[i]) / scale);
  }
  double h = d0 < 1e-5 || d1 < 1e-5 ? 1e-6 : 0.01 * d0 / d1;
  h = std::min(h, left);
  for (std::size_t i = 0; i < n; ++i) x[i] = trail.x[i] + h * trail.rate[i];
  e.rate(t + h, x, rate);
  double d2 = 0.0;
  for (std::size_t i = 0; i < n; ++i) {
    const double scale = atol_ + rtol_ * std::abs(trail.x[i]);
    d2 = std::max(d2, std::abs(rate[i] - trail.rate[i]) / scale);
  }
  d2 /= h;
  const double most = std::max(d1, d2);
  const double second =
      !(most > 1e-15) ? std::max(1e-6, 1e-3 * h) : elementary::pow(0.01 / most, 1.0 / order_);
  const double result = std::min(100.0 * h, second);
  return std::isfinite(result) ? result : 1e-6;
}

double StepControl::trial(const Trail& trail, double left, bool& whole) const noexcept {
  double h = trail.step;
  if (largest_ > 0.0) h = std::min(h, largest_);
  whole = h < left;
  // Two equal steps are better than a tiny one at the end.
  if (h >= left) return left;
  return 1.1 * h >= left ? left : 2.0 * h > left ? 0.5 * left : h;
}

double StepControl::factor(double error, double before) const noexcept {
  return limited_factor(elementary::pow(error, 1.0 / order_ - 0.75 * beta),
                        elementary::pow(before, beta));
}

void StepControl::factors(const double* error, const double* before,
                          double* result) const noexcept {
  constexpr std::size_t count = hybrid::lanes;
  double of_before[count], exponent[count];
  std::copy_n(error, count, result);
  std::copy_n(before, count, of_before);
  std::fill_n(exponent, count, 1.0 / order_ - 0.75 * beta);
  functions_.pow(result, exponent, count);
  std::fill_n(exponent, count, beta);
  functions_.pow(of_before, exponent, count);
  for (std::size_t l = 0; l < count; ++l) result[l] = limited_factor(result[l], of_before[l]);
}

void StepControl::accept(Trail& trail, double h, double error, double by, bool whole,
                         bool rejected_before) const noexcept {
  double next = h * by;
  if (rejected_before) next = std::min(next, h);
  // A step that was limited by the end says little about the possible step size.
  trail.step = whole ? next : std::max(trail.step, next);
  trail.error = std::max(error, 1e-4);
}

double StepControl::after_rejection(double h, double error) const noexcept {
  if (!std::isfinite(error)) return 0.1 * h;
  return h * std::max(0.2, 0.9 / elementary::pow(error, 1.0 / order_));
}

double StepControl::smallest(double t, double left) noexcept {
  return 4.0 * epsilon * std::max(std::abs(t), left);
}

Adaptive::Adaptive(const hybrid::SystemSpec& spec, const Settings& settings, double order)
    : Stepper(spec), control_(spec, settings, order), rate0_(n_), stage_(n_), work_(n_) {}

StepOutcome Adaptive::step(const Equations& f, double t, double left, Trail& trail) noexcept {
  if (!(trail.step > 0.0)) trail.step = control_.first(f, t, left, trail, stage_, work_);
  t_ = t;
  std::copy(trail.x.begin(), trail.x.end(), x0_.begin());
  std::copy(trail.low.begin(), trail.low.end(), low0_.begin());
  std::copy(trail.rate.begin(), trail.rate.end(), rate0_.begin());
  knows1_ = false;
  begin(f);
  bool whole = true;
  h_ = control_.trial(trail, left, whole);
  bool rejected = false;
  for (int attempts = 0; attempts < 200; ++attempts) {
    const double error = attempt(f, trail);
    if (error <= 1.0 && end_is_finite()) {
      control_.accept(trail, h_, error, control_.factor(error, trail.error), whole, rejected);
      return StepOutcome::done;
    }
    rejected = true;
    whole = true;
    h_ = control_.after_rejection(h_, error);
    trail.step = h_;
    if (!(h_ > StepControl::smallest(t, left))) {
      return std::isfinite(error) ? StepOutcome::too_small : StepOutcome::not_finite;
    }
  }
  return StepOutcome::too_small;
}

}  // namespace vernier::integration::detail
