#include "vernier/kernel/spatial/blocks.hpp"

#include <gtest/gtest.h>

#include <Eigen/Core>
#include <random>

#include "vernier/kernel/spatial/turns.hpp"

// oracle: the same in Eigen's dense matrices
namespace vernier::spatial {
namespace {

using Matrix6 = Eigen::Matrix<double, 6, 6>;
using Vector6 = Eigen::Matrix<double, 6, 1>;

std::mt19937_64 engine(7);
double draw() { return std::uniform_real_distribution<double>(-1.0, 1.0)(engine); }
Vec3<double> draw3() { return {draw(), draw(), draw()}; }
Sym6<double> draw66() {
  Sym6<double> P;
  for (double* p = &P.A.xx; p != &P.A.xx + sizeof(P) / sizeof(double); ++p) *p = draw();
  return P;
}

Eigen::Vector3d dense(const Vec3<double>& v) { return {v.x, v.y, v.z}; }
Eigen::Matrix3d dense(const Mat3<double>& m) {
  return Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(m.a);
}
Eigen::Matrix3d dense(const Sym3<double>& m) {
  Eigen::Matrix3d d;
  d << m.xx, m.xy, m.xz, m.xy, m.yy, m.yz, m.xz, m.yz, m.zz;
  return d;
}
Matrix6 dense(const Sym6<double>& P) {
  Matrix6 d;
  d << dense(P.A), dense(P.B), dense(P.B).transpose(), dense(P.C);
  return d;
}
Vector6 dense(const Vec6<double>& v) {
  Vector6 d;
  d << dense(v.a), dense(v.l);
  return d;
}
Eigen::Matrix3d cross_matrix(const Vec3<double>& v) { return dense(skew(v)); }

TEST(Blocks, ShiftingAnInertiaIsThePlainCongruence) {
  const Sym6<double> P = draw66();
  const Vec3<double> r = draw3();
  Matrix6 L = Matrix6::Identity();
  L.bottomLeftCorner<3, 3>() = -cross_matrix(r);
  EXPECT_LT((dense(shifted(P, r)) - L.transpose() * dense(P) * L).norm(), 1e-14);
}

TEST(Blocks, RotatingAnInertiaIsThePlainCongruence) {
  const Sym6<double> P = draw66();
  const Mat3<double> R = turn(draw3(), draw3()).R;
  Matrix6 X = Matrix6::Zero();
  X.topLeftCorner<3, 3>() = X.bottomRightCorner<3, 3>() = dense(R);
  EXPECT_LT((dense(rotated(R, P)) - X * dense(P) * X.transpose()).norm(), 1e-14);
}

TEST(Blocks, ProductsAndRankOneUpdatesAgreeWithDenseOnes) {
  Sym6<double> P = draw66();
  const Vec6<double> u = {draw3(), draw3()};
  EXPECT_LT((dense(P * u) - dense(P) * dense(u)).norm(), 1e-14);
  const Matrix6 expected = dense(P) - 0.7 * dense(u) * dense(u).transpose();
  take_rank_one(P, u, 0.7);
  EXPECT_LT((dense(P) - expected).norm(), 1e-14);
  const Mat3<double> a = skew(draw3()), b = turn(draw3(), draw3()).R;
  EXPECT_LT((dense(a * b) - dense(a) * dense(b)).norm(), 1e-14);
  EXPECT_LT((dense(times_transposed(a, b)) - dense(a) * dense(b).transpose()).norm(), 1e-14);
}

TEST(Blocks, PowerIsTheSameAtEveryPoint) {
  const Vec6<double> v = {draw3(), draw3()}, f = {draw3(), draw3()};
  const Vec3<double> r = draw3();
  // f acts at the point displaced by r
  EXPECT_NEAR(dot(motion_at(v, r), f), dot(v, force_from(f, r)), 1e-15);
}

// oracle: the series of the matrix exponential, and differences of it
Eigen::Matrix3d exponential_matrix(const Eigen::Vector3d& th) {
  const Eigen::Matrix3d K = cross_matrix({th[0], th[1], th[2]});
  Eigen::Matrix3d term = Eigen::Matrix3d::Identity(), R = term;
  for (int i = 1; i < 60; ++i) R += term = (term * K / i).eval();
  return R;
}

TEST(Turns, ExpIsTheMatrixExponentialAndJGivesItsAngularVelocity) {
  for (double size : {1e-9, 1e-3, 0.05, 0.0999, 0.11, 0.8, 1.49, 1.51, 3.0, 5.0}) {
    const Eigen::Vector3d th = size * Eigen::Vector3d(0.6, -0.48, 0.64), rate(0.4, 0.9, -0.3);
    const Turn<double> t = turn(Vec3<double>{th[0], th[1], th[2]}, Vec3<double>{0.4, 0.9, -0.3});
    EXPECT_LT((dense(t.R) - exponential_matrix(th)).norm(), 5e-15) << size;
    EXPECT_LT((dense(t.R) * dense(t.R).transpose() - Eigen::Matrix3d::Identity()).norm(), 2e-15);
    const double h = 1e-3;  // fourth order differences: h^4 = 1e-12
    const auto by = [&](auto f) {
      return ((8 * (f(h) - f(-h)) - (f(2 * h) - f(-2 * h))) / (12 * h)).eval();
    };
    const Eigen::Matrix3d dR = by([&](double s) { return exponential_matrix(th + s * rate); });
    EXPECT_LT((dR * exponential_matrix(th).transpose() - cross_matrix(t.omega)).norm(), 1e-11)
        << size;
    const Eigen::Vector3d bias = by([&](double s) -> Eigen::Vector3d {
      const Eigen::Vector3d x = th + s * rate;
      return dense(turn(Vec3<double>{x[0], x[1], x[2]}, Vec3<double>{0.4, 0.9, -0.3}).omega);
    });
    EXPECT_LT((bias - dense(t.bias)).norm(), 1e-11) << size;
  }
}

TEST(Turns, CoefficientsMeetWhereTheFormsChange) {
  for (double a2 : {0.01, 2.25}) {
    const auto below = turn_coefficients(a2), above = turn_coefficients(a2 * (1 + 1e-15));
    EXPECT_NEAR(above.sigma / below.sigma, 1.0, 1e-14);
    EXPECT_NEAR(above.c / below.c, 1.0, 1e-14);
    EXPECT_NEAR(above.d / below.d, 1.0, 1e-14);
    EXPECT_NEAR(above.c_rate / below.c_rate, 1.0, 1e-14);
    EXPECT_NEAR(above.d_rate / below.d_rate, 1.0, 1e-14);
  }
}

TEST(Turns, LanesWithSmallAndLargeAnglesEachGetTheirOwn) {
  using Two = double __attribute__((vector_size(16)));
  for (const Two a2 : {Two{1e-6, 0.5}, Two{0.0, 4.0}, Two{0.3, 9.0}}) {
    const auto k = turn_coefficients(a2);
    for (int i = 0; i < 2; ++i) {
      const auto one = turn_coefficients(static_cast<double>(a2[i]));
      EXPECT_NEAR(k.sigma[i] / one.sigma, 1.0, 1e-15);
      EXPECT_NEAR(k.d_rate[i] / one.d_rate, 1.0, 1e-15);
    }
  }
}

}  // namespace
}  // namespace vernier::spatial
