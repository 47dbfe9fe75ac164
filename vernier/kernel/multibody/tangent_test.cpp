#include "vernier/kernel/multibody/tangent.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "vernier/kernel/multibody/random_craft_test.hpp"
#include "vernier/testing/allocations.hpp"

namespace vernier::multibody {
namespace {

Body rigid(const char* name, double mass, const Vector3& J, HingeKind kind) {
  Body b;
  b.name = name;
  b.inertia.mass = mass;
  b.inertia.inertia = J.asDiagonal();
  b.hinge.kind = kind;
  return b;
}

using Matrix = Eigen::Map<const Eigen::MatrixXd>;

Matrix matrix(std::span<const double> x, std::size_t rows) {
  return {x.data(), static_cast<Eigen::Index>(rows),
          static_cast<Eigen::Index>(x.size() / std::max<std::size_t>(rows, 1))};
}

/// All rates of a spacecraft, as a function of everything: state, then commands.
Eigen::VectorXd rates_of(const RandomCraft& at, SpacecraftEvaluation& e, Eigen::VectorXd x) {
  auto take = [p = x.data()](std::size_t count) mutable {
    const std::span<const double> s(p, count);
    p += count;
    return s;
  };
  const auto q = take(at.q.size()), u = take(at.u.size()), h = take(at.momentum.size()),
             fuel = take(at.fuel.size()), force = take(at.u.size()), given = take(at.u.size()),
             commands = take(at.commands.size()), torque = take(at.torque.size());
  Eigen::VectorXd out(static_cast<Eigen::Index>(q.size() + u.size() + h.size() + fuel.size()));
  std::span<double> to(out.data(), static_cast<std::size_t>(out.size()));
  at.craft.tree().coordinate_rates(q, u, to.first(q.size()));
  at.craft.place({q, u, h, fuel}, e);
  EXPECT_TRUE(at.craft.accelerate(
      {force, given, at.prescribed, commands, torque},
      {to.subspan(q.size(), u.size()), to.subspan(q.size() + u.size(), h.size()),
       to.subspan(q.size() + u.size() + h.size())},
      e));
  return out;
}

// oracle: differences of sixth order; what they lose is rounding over the step
void expect_differences(unsigned seed, bool central, const RandomOptions& options = {}) {
  RandomCraft at(seed, 1 + static_cast<int>(seed % 6), central, options);
  SpacecraftTangent tangent(at.craft);
  ASSERT_TRUE(tangent.evaluate(at.state(), at.all_commands())) << seed;
  SpacecraftEvaluation e(at.craft);
  std::vector<double> all;
  for (const auto* part : {&at.q, &at.u, &at.momentum, &at.fuel, &at.force, &at.acceleration,
                           &at.commands, &at.torque})
    all.insert(all.end(), part->begin(), part->end());
  const Eigen::VectorXd x =
      Eigen::Map<Eigen::VectorXd>(all.data(), static_cast<Eigen::Index>(all.size()));
  const std::size_t rows = tangent.rows();
  ASSERT_EQ(all.size(), rows + tangent.commands());
  const Eigen::VectorXd here = rates_of(at, e, x);
  EXPECT_LT((matrix(tangent.rates(), rows) - here).norm(), 1e-9 * here.norm()) << seed;
  const double scale = here.norm();
  for (Eigen::Index i = 0; i < x.size(); ++i) {
    // fuel: within the last ten-thousandth of a tank, where its thrust fades
    const bool fuel = i >= static_cast<Eigen::Index>(rows - at.fuel.size()) &&
                      i < static_cast<Eigen::Index>(rows);
    const double h = fuel ? 1e-5 : 1e-3;
    const auto slope = [&](double step) {
      Eigen::VectorXd up = x, down = x;
      up[i] += step;
      down[i] -= step;
      return Eigen::VectorXd((rates_of(at, e, up) - rates_of(at, e, down)) / (2 * step));
    };
    const Eigen::VectorXd expected = (15 * slope(h) - 6 * slope(2 * h) + slope(3 * h)) / 10;
    const Eigen::VectorXd found =
        i < static_cast<Eigen::Index>(rows)
            ? Eigen::VectorXd(matrix(tangent.by_state(), rows).col(i))
            : Eigen::VectorXd(
                  matrix(tangent.by_command(), rows).col(i - static_cast<Eigen::Index>(rows)));
    const double rounding = 2e-13 * scale / h;
    EXPECT_LT((found - expected).norm(), rounding + 1e-8 * (1.0 + expected.norm()))
        << "seed " << seed << " column " << i << " of " << rows << '\n'
        << (found - expected).transpose();
  }
}

TEST(Tangent, OfRandomSpacecraftEqualsDifferences) {
  for (unsigned seed = 0; seed < 36; ++seed) expect_differences(seed, false);
}

TEST(Tangent, OfRandomSpacecraftInCentralGravityEqualsDifferences) {
  for (unsigned seed = 0; seed < 24; ++seed) expect_differences(seed, true);
}

TEST(Tangent, OfBodiesThatShortenEqualsDifferences) {
  RandomOptions options;
  options.flexible = 0.8;
  options.shortens = true;
  for (unsigned seed = 60; seed < 84; ++seed) {
    options.order = 1 + static_cast<int>(seed % 2);
    expect_differences(seed, seed % 3 == 0, options);
  }
}

TEST(Tangent, OfRigidTreesWithGearedRotorsEqualsDifferences) {
  RandomOptions options;
  options.flexible = 0.0;
  options.rotors = true;
  for (unsigned seed = 40; seed < 52; ++seed) expect_differences(seed, false, options);
}

// closed form: u' = -(m g d / J) sin q + τ / J, on a spring and a damper
TEST(Tangent, OfAPendulumIsItsClosedForm) {
  SpacecraftModel m;
  m.tree.gravity = {0, -9.81, 0};
  Body rod = rigid("rod", 2, {0.01, 0.5, 0.6}, HingeKind::pin);
  rod.hinge.inboard.pose.p = {0, 0.7, 0};
  m.tree.bodies = {rod};
  HingeLaw law;
  law.stiffness = 3.0;
  law.damping = 0.25;
  m.laws = {law};
  const Spacecraft craft(std::move(m));
  SpacecraftTangent tangent(craft);
  const double J = 0.6 + 2 * 0.49, k = 2 * 9.81 * 0.7 / J, angle = 0.4;
  const std::vector<double> q = {angle}, u = {0.3};
  ASSERT_TRUE(tangent.evaluate({q, u, {}, {}}, {}));
  const Matrix A = matrix(tangent.by_state(), 2), B = matrix(tangent.by_command(), 2);
  EXPECT_EQ(A(0, 0), 0.0);
  EXPECT_EQ(A(0, 1), 1.0);
  EXPECT_NEAR(A(1, 0), -k * std::cos(angle) - 3.0 / J, 1e-13);
  EXPECT_NEAR(A(1, 1), -0.25 / J, 1e-15);
  EXPECT_NEAR(B(1, 0), 1 / J, 1e-15);
}

// closed form: J ω' = -ω × J ω - g τ - ω × g h, h' = τ - friction (h / Js - g·ω)
TEST(Tangent, OfABodyWithAWheelIsItsClosedForm) {
  SpacecraftModel m;
  const Vector3 J(3, 4, 5), g(0.6, 0.0, 0.8), w(0.2, -0.4, 0.3);
  m.tree.bodies = {rigid("bus", 7, J, HingeKind::free)};
  Rotor r;
  r.name = "wheel";
  r.at = {0, NodeId::frame};
  r.axis = g;
  r.inertia = 0.05;
  r.friction = 2e-3;
  m.rotors = {r};
  const Spacecraft craft(std::move(m));
  SpacecraftTangent tangent(craft);
  const std::vector<double> q = {0, 0, 0, 1, 0, 0, 0}, u = {w[0], w[1], w[2], 0, 0, 0}, h = {1.7},
                            torque = {0.3};
  ASSERT_TRUE(tangent.evaluate({q, u, h, {}}, {{}, {}, {}, {}, torque}));
  const auto skew = [](const Vector3& v) {
    return (Matrix3() << 0, -v[2], v[1], v[2], 0, -v[0], -v[1], v[0], 0).finished();
  };
  const Matrix3 inertia = J.asDiagonal();
  // of the torque on the wheel by ω: friction gᵀ
  const Matrix3 by_w = inertia.inverse() * (skew(inertia * w) - skew(w) * inertia + skew(g) * h[0] -
                                            r.friction * g * g.transpose());
  const Vector3 by_h = inertia.inverse() * (-g * (-r.friction / r.inertia) - w.cross(g));
  const Matrix A = matrix(tangent.by_state(), 14), B = matrix(tangent.by_command(), 14);
  EXPECT_LT((A.block<3, 3>(7, 7) - by_w).norm(), 1e-15);
  EXPECT_LT((A.block<3, 1>(7, 13) - by_h).norm(), 1e-15);
  EXPECT_NEAR(A(13, 13), -r.friction / r.inertia, 1e-15);
  EXPECT_LT((A.block<1, 3>(13, 7) - r.friction * g.transpose()).norm(), 1e-16);
  EXPECT_LT((B.col(12).segment<3>(7) + inertia.inverse() * g).norm(), 1e-15);
  EXPECT_EQ(B(13, 12), 1.0);
}

TEST(Tangent, AllocatesNothing) {
  RandomCraft at(3, 5, false);
  SpacecraftTangent tangent(at.craft);
  const long before = testing::allocations();
  EXPECT_TRUE(tangent.evaluate(at.state(), at.all_commands()));
  EXPECT_EQ(testing::allocations(), before);
}

TEST(Tangent, IsTheSameAgain) {
  RandomCraft at(5, 6, false), other(5, 6, false);
  SpacecraftTangent used(at.craft), fresh(at.craft);
  ASSERT_TRUE(fresh.evaluate(at.state(), at.all_commands()));
  for (double& x : other.u) x += 0.1;
  ASSERT_TRUE(used.evaluate(other.state(), at.all_commands()));
  ASSERT_TRUE(used.evaluate(at.state(), at.all_commands()));
  EXPECT_TRUE(std::ranges::equal(used.by_state(), fresh.by_state()));
  EXPECT_TRUE(std::ranges::equal(used.by_command(), fresh.by_command()));
}

}  // namespace
}  // namespace vernier::multibody
