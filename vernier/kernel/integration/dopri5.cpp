#include "vernier/kernel/integration/detail/dormand_prince.hpp"
#include "vernier/kernel/integration/detail/methods.hpp"

namespace vernier::integration::detail {

namespace {

using namespace dormand_prince;

class Dopri5 final : public Adaptive {
 public:
  Dopri5(const hybrid::SystemSpec& spec, const Settings& settings) : Adaptive(spec, settings, 5.0) {
    for (auto* v : {&k2_, &k3_, &k4_, &k5_, &k6_, &r3_, &r4_, &r5_}) v->resize(n_);
  }

  void prepare_dense(const Equations&) noexcept override {
    if (dense_known_) return;
    dense_known_ = true;
    for (std::size_t i = 0; i < n_; ++i) {
      r3_[i] = h_ * rate0_[i] - dx_[i];
      r4_[i] = dx_[i] - h_ * rate1_[i] - r3_[i];
      r5_[i] = h_ * (d1 * rate0_[i] + d3 * k3_[i] + d4 * k4_[i] + d5 * k5_[i] + d6 * k6_[i] +
                     d7 * rate1_[i]);
    }
  }

  void increment(double s, std::span<double> dx) const noexcept override {
    const double p = s / h_;
    const double q = 1.0 - p;
    for (std::size_t i = 0; i < n_; ++i) {
      dx[i] = p * (dx_[i] + q * (r3_[i] + p * (r4_[i] + q * r5_[i])));
    }
  }

  void interpolate_rate(double s, std::span<double> xdot) const noexcept override {
    const double p = s / h_;
    const double q = 1.0 - p;
    const double w3 = q - p;
    const double w4 = p * (2.0 * q - p);
    const double w5 = 2.0 * p * q * (q - p);
    for (std::size_t i = 0; i < n_; ++i) {
      xdot[i] = (dx_[i] + w3 * r3_[i] + w4 * r4_[i] + w5 * r5_[i]) / h_;
    }
  }

 private:
  // f of a stage at x + low + h (…).
  template <class Sum>
  void stage(const Equations& f, double t, std::vector<double>& k, Sum sum) noexcept {
    for (std::size_t i = 0; i < n_; ++i) stage_[i] = x0_[i] + (low0_[i] + h_ * sum(i));
    f.rate(t, stage_, k);
  }

  void begin(const Equations&) noexcept override { dense_known_ = false; }

  double attempt(const Equations& f, const Trail& trail) noexcept override {
    const double* k1 = rate0_.data();
    const double* k2 = k2_.data();
    const double* k3 = k3_.data();
    const double* k4 = k4_.data();
    const double* k5 = k5_.data();
    const double* k6 = k6_.data();
    stage(f, t_ + c2 * h_, k2_, [&](std::size_t i) { return a21 * k1[i]; });
    stage(f, t_ + c3 * h_, k3_, [&](std::size_t i) { return a31 * k1[i] + a32 * k2[i]; });
    stage(f, t_ + c4 * h_, k4_,
          [&](std::size_t i) { return a41 * k1[i] + a42 * k2[i] + a43 * k3[i]; });
    stage(f, t_ + c5 * h_, k5_,
          [&](std::size_t i) { return a51 * k1[i] + a52 * k2[i] + a53 * k3[i] + a54 * k4[i]; });
    stage(f, t_ + h_, k6_, [&](std::size_t i) {
      return a61 * k1[i] + a62 * k2[i] + a63 * k3[i] + a64 * k4[i] + a65 * k5[i];
    });
    for (std::size_t i = 0; i < n_; ++i) {
      dx_[i] = h_ * (b1 * k1[i] + b3 * k3[i] + b4 * k4[i] + b5 * k5[i] + b6 * k6[i]);
    }
    land(trail);
    f.rate(t_ + h_, x1_, rate1_);
    knows1_ = true;
    const double* k7 = rate1_.data();
    for (std::size_t i = 0; i < n_; ++i) {
      work_[i] = h_ * (e1 * k1[i] + e3 * k3[i] + e4 * k4[i] + e5 * k5[i] + e6 * k6[i] + e7 * k7[i]);
    }
    return control_.norm(work_, x0_, x1_);
  }

  std::vector<double> k2_, k3_, k4_, k5_, k6_, r3_, r4_, r5_;
  bool dense_known_ = false;
};

}  // namespace

std::unique_ptr<Stepper> make_dopri5(const hybrid::SystemSpec& spec, const Settings& settings) {
  return std::make_unique<Dopri5>(spec, settings);
}

}  // namespace vernier::integration::detail
