#include <cmath>

#include "vernier/kernel/integration/detail/lu.hpp"
#include "vernier/kernel/integration/detail/methods.hpp"

namespace vernier::integration::detail {

namespace {

// Hairer and Wanner, Solving ODEs II, IV.7: the Rosenbrock method RODAS of order 4(3), stiffly
// accurate and L-stable, in the form of their program with its dense output of order 3.
constexpr double g = 0.25;
constexpr double a21 = 1.544, a31 = 0.9466785280815826, a32 = 0.2557011698983284,
                 a41 = 3.314825187068521, a42 = 2.896124015972201, a43 = 0.9986419139977817,
                 a51 = 1.221224509226641, a52 = 6.019134481288629, a53 = 12.53708332932087,
                 a54 = -0.6878860361058950;
constexpr double c21 = -5.6688, c31 = -2.430093356833875, c32 = -0.2063599157091915,
                 c41 = -0.1073529058151375, c42 = -9.594562251023355, c43 = -20.47028614809616,
                 c51 = 7.496443313967647, c52 = -10.24680431464352, c53 = -33.99990352819905,
                 c54 = 11.70890893206160, c61 = 8.083246795921522, c62 = -7.981132988064893,
                 c63 = -31.52159432874371, c64 = 16.31930543123136, c65 = -6.058818238834054;
constexpr double t2 = 0.386, t3 = 0.21, t4 = 0.63;
constexpr double g1 = 0.25, g2 = -0.1043, g3 = 0.1035, g4 = -0.0362;
constexpr double d21 = 10.12623508344586, d22 = -7.487995877610167, d23 = -34.80091861555747,
                 d24 = -7.992771707568823, d25 = 1.025137723295662, d31 = -0.6762803392801253,
                 d32 = 6.087714651680015, d33 = 16.43084320892478, d34 = 24.76722511418386,
                 d35 = -6.594389125716872;

class Rodas final : public Adaptive {
 public:
  Rodas(const hybrid::SystemSpec& spec, const Settings& settings)
      : Adaptive(spec, settings, 4.0), lu_(n_), jacobian_(n_ * n_) {
    for (auto& k : k_) k.resize(n_);
    for (auto* v : {&time_rate_, &unit_, &r3_, &r4_}) v->resize(n_);
  }

  void increment(double s, std::span<double> dx) const noexcept override {
    const double p = s / h_;
    const double q = 1.0 - p;
    for (std::size_t i = 0; i < n_; ++i) dx[i] = p * (dx_[i] + q * (r3_[i] + p * r4_[i]));
  }

  void interpolate_rate(double s, std::span<double> xdot) const noexcept override {
    const double p = s / h_;
    const double q = 1.0 - p;
    for (std::size_t i = 0; i < n_; ++i) {
      xdot[i] = (dx_[i] + (q - p) * r3_[i] + p * (2.0 * q - p) * r4_[i]) / h_;
    }
  }

 private:
  // One Jacobian serves all attempts of a step.
  void begin(const Equations& f) noexcept override {
    const hybrid::Point p = f.at(t_, x0_);
    for (std::size_t j = 0; j < n_; ++j) {
      unit_[j] = 1.0;
      f.system->tangent(p, {0.0, unit_, {}}, {work_, {}, {}}, *f.workspace);
      unit_[j] = 0.0;
      for (std::size_t i = 0; i < n_; ++i) jacobian_[i * n_ + j] = work_[i];
    }
    f.system->tangent(p, {1.0, unit_, {}}, {time_rate_, {}, {}}, *f.workspace);
  }

  // k := (1/(h g) - J)^-1 (f(t, stage) + sum/h + h gi f_t)
  template <class Sum>
  void solve(std::size_t k, std::span<const double> rate, double gi, Sum sum) noexcept {
    for (std::size_t i = 0; i < n_; ++i) {
      k_[k][i] = rate[i] + sum(i) / h_ + h_ * gi * time_rate_[i];
    }
    lu_.solve(k_[k].data());
  }

  template <class Sum>
  std::span<const double> stage(const Equations& f, double t, Sum sum) noexcept {
    for (std::size_t i = 0; i < n_; ++i) stage_[i] = x0_[i] + (low0_[i] + sum(i));
    f.rate(t, stage_, work_);
    return work_;
  }

  double attempt(const Equations& f, const Trail& trail) noexcept override {
    for (std::size_t i = 0; i < n_; ++i) {
      for (std::size_t j = 0; j < n_; ++j) lu_(i, j) = -jacobian_[i * n_ + j];
      lu_(i, i) += 1.0 / (h_ * g);
    }
    if (!lu_.factor()) return std::nan("");
    const auto& k = k_;
    using I = std::size_t;
    solve(0, rate0_, g1, [](I) { return 0.0; });
    solve(1, stage(f, t_ + t2 * h_, [&](I i) { return a21 * k[0][i]; }), g2,
          [&](I i) { return c21 * k[0][i]; });
    solve(2, stage(f, t_ + t3 * h_, [&](I i) { return a31 * k[0][i] + a32 * k[1][i]; }), g3,
          [&](I i) { return c31 * k[0][i] + c32 * k[1][i]; });
    solve(
        3,
        stage(f, t_ + t4 * h_, [&](I i) { return a41 * k[0][i] + a42 * k[1][i] + a43 * k[2][i]; }),
        g4, [&](I i) { return c41 * k[0][i] + c42 * k[1][i] + c43 * k[2][i]; });
    for (I i = 0; i < n_; ++i) {
      dx_[i] = a51 * k[0][i] + a52 * k[1][i] + a53 * k[2][i] + a54 * k[3][i];
    }
    solve(4, stage(f, t_ + h_, [&](I i) { return dx_[i]; }), 0.0,
          [&](I i) { return c51 * k[0][i] + c52 * k[1][i] + c53 * k[2][i] + c54 * k[3][i]; });
    for (I i = 0; i < n_; ++i) dx_[i] += k[4][i];
    solve(5, stage(f, t_ + h_, [&](I i) { return dx_[i]; }), 0.0, [&](I i) {
      return c61 * k[0][i] + c62 * k[1][i] + c63 * k[2][i] + c64 * k[3][i] + c65 * k[4][i];
    });
    for (I i = 0; i < n_; ++i) {
      dx_[i] += k[5][i];
      r3_[i] = d21 * k[0][i] + d22 * k[1][i] + d23 * k[2][i] + d24 * k[3][i] + d25 * k[4][i];
      r4_[i] = d31 * k[0][i] + d32 * k[1][i] + d33 * k[2][i] + d34 * k[3][i] + d35 * k[4][i];
    }
    land(trail);
    return control_.norm(k_[5], x0_, x1_);
  }

  Lu lu_;
  std::vector<double> jacobian_;  // row by row
  std::vector<double> k_[6];
  std::vector<double> time_rate_, unit_, r3_, r4_;
};

}  // namespace

std::unique_ptr<Stepper> make_rodas(const hybrid::SystemSpec& spec, const Settings& settings) {
  return std::make_unique<Rodas>(spec, settings);
}

}  // namespace vernier::integration::detail
