#include "vernier/kernel/integration/stepper.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "vernier/base/diagnostic.hpp"
#include "vernier/base/text.hpp"
#include "vernier/kernel/integration/detail/methods.hpp"

namespace vernier::integration {

namespace {

constexpr std::array<std::string_view, 4> names = {"dopri5", "rk4", "euler", "rodas"};

// a + b as the rounded sum and its rounding error (Knuth's TwoSum).
void two_sum(double a, double b, double& sum, double& low) noexcept {
  sum = a + b;
  const double part = sum - a;
  low = (a - (sum - part)) + (b - part);
}

}  // namespace

std::span<const std::string_view> methods() noexcept { return names; }

Stepper::Stepper(const hybrid::SystemSpec& spec)
    : n_(hybrid::size(spec.states)), unit_vectors_(spec.unit_vectors) {
  for (auto* v : {&x0_, &low0_, &dx_, &x1_, &low1_, &rate1_, &scratch_}) v->resize(n_);
}

std::span<const double> Stepper::rate(const Equations& e) noexcept {
  if (!knows1_) e.rate(t_ + h_, x1_, rate1_);
  knows1_ = true;
  return rate1_;
}

void Stepper::interpolate(double s, std::span<double> x) const noexcept {
  increment(s, scratch_);
  for (std::size_t i = 0; i < n_; ++i) x[i] = x0_[i] + (low0_[i] + scratch_[i]);
}

void Stepper::interpolate(double s, std::span<double> x, std::span<double> low) const noexcept {
  increment(s, scratch_);
  for (std::size_t i = 0; i < n_; ++i) two_sum(x0_[i], low0_[i] + scratch_[i], x[i], low[i]);
}

void Stepper::accept(Trail& trail) const noexcept {
  std::copy(x1_.begin(), x1_.end(), trail.x.begin());
  std::copy(low1_.begin(), low1_.end(), trail.low.begin());
  trail.rate_known = knows1_;
  if (knows1_) std::copy(rate1_.begin(), rate1_.end(), trail.rate.begin());
}

void Stepper::land(const Trail& trail) noexcept {
  for (std::size_t i = 0; i < n_; ++i) {
    two_sum(trail.x[i], trail.low[i] + dx_[i], x1_[i], low1_[i]);
  }
  for (const hybrid::UnitVector& v : unit_vectors_) {
    double excess = -1.0;
    for (std::size_t i = v.first; i < v.first + v.count; ++i) excess += x1_[i] * x1_[i];
    // Near length 1, a first-order correction changes the length only and preserves `low`.
    const bool near = std::abs(excess) < 1e-6;
    const double scale = near ? -0.5 * excess : 1.0 / std::sqrt(1.0 + excess) - 1.0;
    for (std::size_t i = v.first; i < v.first + v.count; ++i) {
      const double shift = scale * x1_[i];
      two_sum(x1_[i], low1_[i] + shift, x1_[i], low1_[i]);
      dx_[i] += shift;
    }
  }
}

bool Stepper::end_is_finite() const noexcept {
  return std::all_of(x1_.begin(), x1_.end(), [](double v) { return std::isfinite(v); });
}

std::unique_ptr<Stepper> make_stepper(const hybrid::SystemSpec& spec, const Settings& settings) {
  if (!(settings.rtol > 0.0) || !(settings.atol > 0.0) || !(settings.step >= 0.0)) {
    throw ConfigurationError("V3131",
                             "rtol and atol must be positive, and step must not be negative");
  }
  if (settings.method == "dopri5") return detail::make_dopri5(spec, settings);
  if (settings.method == "rk4") return detail::make_rk4(spec, settings);
  if (settings.method == "euler") return detail::make_euler(spec, settings);
  if (settings.method == "rodas") return detail::make_rodas(spec, settings);
  const std::vector<std::string> known(names.begin(), names.end());
  Diagnostics problems;
  Diagnostic& d =
      problems.error("V3130", "there is no integrator \"" + settings.method + "\"", Place{});
  if (const auto meant = closest(settings.method, known)) d.mark = "did you mean " + *meant + "?";
  d.notes.push_back("integrators: " + joined(known, ", "));
  throw ConfigurationError(std::move(problems));
}

}  // namespace vernier::integration
