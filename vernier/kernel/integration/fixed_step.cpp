#include <algorithm>
#include <cmath>

#include "vernier/kernel/integration/detail/methods.hpp"

namespace vernier::integration::detail {

namespace {

// The length of equal steps to the end, each at most `step` long (0: one step).
double equal_step(double step, double left) noexcept {
  if (!(step > 0.0) || step >= left) return left;
  return left / std::ceil(left / step - 1e-9);
}

// The classical Runge-Kutta method of fourth order; dense output by the Hermite cubic.
class Rk4 final : public Stepper {
 public:
  Rk4(const hybrid::SystemSpec& spec, const Settings& settings)
      : Stepper(spec), step_(settings.step) {
    for (auto* v : {&k2_, &k3_, &k4_, &stage_, &rate0_}) v->resize(n_);
  }

  StepOutcome step(const Equations& f, double t, double left, Trail& trail) noexcept override {
    t_ = t;
    h_ = equal_step(step_, left);
    std::copy(trail.x.begin(), trail.x.end(), x0_.begin());
    std::copy(trail.low.begin(), trail.low.end(), low0_.begin());
    std::copy(trail.rate.begin(), trail.rate.end(), rate0_.begin());
    stage(f, t_ + 0.5 * h_, 0.5 * h_, rate0_, k2_);
    stage(f, t_ + 0.5 * h_, 0.5 * h_, k2_, k3_);
    stage(f, t_ + h_, h_, k3_, k4_);
    for (std::size_t i = 0; i < n_; ++i) {
      dx_[i] = h_ / 6.0 * (rate0_[i] + 2.0 * (k2_[i] + k3_[i]) + k4_[i]);
    }
    land(trail);
    knows1_ = false;
    return end_is_finite() ? StepOutcome::done : StepOutcome::not_finite;
  }

  void prepare_dense(const Equations& f) noexcept override { rate(f); }

  void increment(double s, std::span<double> dx) const noexcept override {
    const double p = s / h_;
    const double q = 1.0 - p;
    for (std::size_t i = 0; i < n_; ++i) {
      const double a = h_ * rate0_[i] - dx_[i];
      const double b = h_ * rate1_[i] - dx_[i];
      dx[i] = p * (dx_[i] + q * (q * a - p * b));
    }
  }

  void interpolate_rate(double s, std::span<double> xdot) const noexcept override {
    const double p = s / h_;
    const double q = 1.0 - p;
    for (std::size_t i = 0; i < n_; ++i) {
      const double a = h_ * rate0_[i] - dx_[i];
      const double b = h_ * rate1_[i] - dx_[i];
      // d/dp of p dx + p q^2 a - p^2 q b.
      xdot[i] = (dx_[i] + q * (q - 2.0 * p) * a - p * (2.0 * q - p) * b) / h_;
    }
  }

 private:
  void stage(const Equations& f, double t, double h, const std::vector<double>& k,
             std::vector<double>& result) noexcept {
    for (std::size_t i = 0; i < n_; ++i) stage_[i] = x0_[i] + (low0_[i] + h * k[i]);
    f.rate(t, stage_, result);
  }

  double step_;
  std::vector<double> k2_, k3_, k4_, stage_, rate0_;
};

class Euler final : public Stepper {
 public:
  Euler(const hybrid::SystemSpec& spec, const Settings& settings)
      : Stepper(spec), step_(settings.step), rate0_(n_) {}

  StepOutcome step(const Equations&, double t, double left, Trail& trail) noexcept override {
    t_ = t;
    h_ = equal_step(step_, left);
    std::copy(trail.x.begin(), trail.x.end(), x0_.begin());
    std::copy(trail.low.begin(), trail.low.end(), low0_.begin());
    std::copy(trail.rate.begin(), trail.rate.end(), rate0_.begin());
    for (std::size_t i = 0; i < n_; ++i) dx_[i] = h_ * rate0_[i];
    land(trail);
    knows1_ = false;
    return end_is_finite() ? StepOutcome::done : StepOutcome::not_finite;
  }

  void increment(double s, std::span<double> dx) const noexcept override {
    for (std::size_t i = 0; i < n_; ++i) dx[i] = s * rate0_[i];
  }

  void interpolate_rate(double, std::span<double> xdot) const noexcept override {
    std::copy(rate0_.begin(), rate0_.end(), xdot.begin());
  }

 private:
  double step_;
  std::vector<double> rate0_;
};

}  // namespace

std::unique_ptr<Stepper> make_rk4(const hybrid::SystemSpec& spec, const Settings& settings) {
  return std::make_unique<Rk4>(spec, settings);
}

std::unique_ptr<Stepper> make_euler(const hybrid::SystemSpec& spec, const Settings& settings) {
  return std::make_unique<Euler>(spec, settings);
}

}  // namespace vernier::integration::detail
