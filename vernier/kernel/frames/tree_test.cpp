#include "vernier/kernel/frames/tree.hpp"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cmath>

#include "vernier/base/random.hpp"
#include "vernier/testing/allocations.hpp"

namespace vernier::frames {
namespace {

using spatial::attitude_matrix;
using spatial::product;
using spatial::quaternion_rate;
using Matrix4 = Eigen::Matrix4d;

Vector3 any_vector(Random& r, double size) {
  return size * Vector3(2 * r.uniform() - 1, 2 * r.uniform() - 1, 2 * r.uniform() - 1);
}

FrameState any_state(Random& r) {
  FrameState s;
  s.position = any_vector(r, 3.0);
  s.velocity = any_vector(r, 2.0);
  s.acceleration = any_vector(r, 1.0);
  s.attitude = Quaternion(any_vector(r, 1.0).homogeneous()).normalized();
  s.rate = any_vector(r, 2.0);
  s.angular_acceleration = any_vector(r, 1.5);
  return s;
}

Matrix3 skew(const Vector3& v) {
  Matrix3 m;
  m << 0, -v[2], v[1], v[2], 0, -v[0], -v[1], v[0], 0;
  return m;
}

// The second algorithm: homogeneous matrices with two time derivatives, multiplied and inverted as
// matrices; nothing of the algebra of rotations but R' = R skew(omega).
struct Jet {
  Matrix4 d[3];
};

Jet jet(const FrameState& s) {
  const Matrix3 R = attitude_matrix(s.attitude).transpose(), W = skew(s.rate);
  Jet j{Matrix4::Identity(), Matrix4::Zero(), Matrix4::Zero()};
  j.d[0].topLeftCorner<3, 3>() = R;
  j.d[1].topLeftCorner<3, 3>() = R * W;
  j.d[2].topLeftCorner<3, 3>() = R * (W * W + skew(s.angular_acceleration));
  j.d[0].topRightCorner<3, 1>() = s.position;
  j.d[1].topRightCorner<3, 1>() = s.velocity;
  j.d[2].topRightCorner<3, 1>() = s.acceleration;
  return j;
}

Jet times(const Jet& a, const Jet& b) {
  return {a.d[0] * b.d[0], a.d[1] * b.d[0] + a.d[0] * b.d[1],
          a.d[2] * b.d[0] + 2.0 * a.d[1] * b.d[1] + a.d[0] * b.d[2]};
}

Jet inverted(const Jet& a) {
  Jet i;
  i.d[0] = a.d[0].inverse();
  i.d[1] = -i.d[0] * a.d[1] * i.d[0];
  i.d[2] = -i.d[0] * (a.d[2] * i.d[0] + 2.0 * a.d[1] * i.d[1]);
  return i;
}

double difference(const FrameState& s, const Jet& expected) {
  const Jet j = jet(s);
  double worst = 0.0;
  for (int k = 0; k < 3; ++k) {
    const double size = std::max(1.0, expected.d[k].cwiseAbs().maxCoeff());
    worst = std::max(worst, (j.d[k] - expected.d[k]).cwiseAbs().maxCoeff() / size);
  }
  return worst;
}

TEST(FrameTree, ResolvesRandomTreesAsMatricesDo) {
  Random random(5);
  for (int trial = 0; trial < 50; ++trial) {
    FrameTree tree;
    std::vector<Jet> to_root;
    for (int i = 0; i < 20; ++i) {
      const int parent = i == 0 ? FrameTree::none : static_cast<int>(random.uniform() * i);
      const auto added =
          tree.add("f" + std::to_string(i), i == 0 ? "" : "f" + std::to_string(parent));
      ASSERT_TRUE(added);
      const FrameState s = i == 0 ? FrameState{} : any_state(random);
      tree.set(*added, s);
      to_root.push_back(i == 0 ? jet(s) : times(to_root[static_cast<std::size_t>(parent)], jet(s)));
    }
    EXPECT_TRUE(tree.problems().empty());
    for (int k = 0; k < 60; ++k) {
      const int a = static_cast<int>(random.uniform() * 20),
                b = static_cast<int>(random.uniform() * 20);
      FrameState s;
      ASSERT_TRUE(tree.resolve(a, b, s));
      const Jet direct = times(inverted(to_root[static_cast<std::size_t>(b)]),
                               to_root[static_cast<std::size_t>(a)]);
      // relative to the largest number, which the matrices' detour over the root rounds
      ASSERT_LT(difference(s, direct), 1e-11) << trial << ": f" << a << " from f" << b;
    }
  }
}

TEST(FrameTree, DerivativesAreThoseOfTheMovingChain) {
  Random random(8);
  const FrameState ab = any_state(random), bc = any_state(random), ad = any_state(random);
  // C seen from D, with everything moved by dt
  const auto at = [&](double dt) {
    return relative(composed(propagated(ab, dt), propagated(bc, dt)), propagated(ad, dt));
  };
  const double h = 1e-4;
  const FrameState now = at(0.0), before = at(-h), after = at(h);
  EXPECT_LT(((after.position - before.position) / (2 * h) - now.velocity).norm(), 1e-6);
  EXPECT_LT(((after.velocity - before.velocity) / (2 * h) - now.acceleration).norm(), 1e-5);
  EXPECT_LT(((after.rate - before.rate) / (2 * h) - now.angular_acceleration).norm(), 1e-6);
  const Quaternion rate = (after.attitude - before.attitude) / (2 * h);
  EXPECT_LT((rate - quaternion_rate(now.attitude, now.rate)).norm(), 1e-6);
  const Quaternion second = (after.attitude - 2.0 * now.attitude + before.attitude) / (h * h);
  const FrameState turned =
      turned_by(now.attitude, quaternion_rate(now.attitude, now.rate), second);
  EXPECT_LT((turned.rate - now.rate).norm(), 1e-14);
  EXPECT_LT((turned.angular_acceleration - now.angular_acceleration).norm(), 1e-6);
}

TEST(FrameTree, InverseOfInverseIsTheStateItself) {
  Random random(3);
  for (int k = 0; k < 100; ++k) {
    const FrameState s = any_state(random);
    EXPECT_LT(difference(inverse(inverse(s)), jet(s)), 1e-13);
    EXPECT_LT(difference(composed(s, inverse(s)), jet(FrameState{})), 1e-13);
    EXPECT_LT(difference(relative(s, s), jet(FrameState{})), 1e-13);
  }
}

TEST(FrameTree, AttitudesOnTheWireGoFromParentToOwnAxes) {
  // the example of the standard: turned by +90 degrees about z
  const Quaternion q = spatial::turned(Vector3::UnitZ(), M_PI / 2);
  const auto sent = wire_attitude(q, WireAttitude::parent_to_own);
  EXPECT_NEAR(sent[0], std::sqrt(0.5), 1e-15);
  EXPECT_NEAR(sent[3], -std::sqrt(0.5), 1e-15);
  EXPECT_LT((spatial::to_body(q, Vector3::UnitX()) + Vector3::UnitY()).norm(), 1e-15);
  // a turn that is no half and no quarter, about no axis: Q v Q* by the Hamilton product
  const Quaternion odd = Quaternion(0.1, -0.4, 0.7, 0.5).normalized();
  const Vector3 v(1.0, 2.0, -3.0);
  const auto turn = [&](WireAttitude way) -> Vector3 {
    const auto w = wire_attitude(odd, way);
    const Eigen::Quaterniond Q(w[0], w[1], w[2], w[3]), p(0.0, v[0], v[1], v[2]);
    return (Q * p * Q.conjugate()).vec();
  };
  EXPECT_LT((turn(WireAttitude::parent_to_own) - attitude_matrix(odd) * v).norm(), 1e-14);
  EXPECT_LT((turn(WireAttitude::own_to_parent) - attitude_matrix(odd).transpose() * v).norm(),
            1e-14);
  // chain A to B to C: Q_AC = Q_BC Q_AB, Hamilton
  const Quaternion other = Quaternion(-0.3, 0.2, 0.6, 0.9).normalized();
  const auto eigen = [](const Quaternion& x) {
    const auto w = wire_attitude(x, WireAttitude::parent_to_own);
    return Eigen::Quaterniond(w[0], w[1], w[2], w[3]);
  };
  EXPECT_LT((eigen(product(other, odd)).coeffs() - (eigen(other) * eigen(odd)).coeffs()).norm(),
            1e-15);
  for (const auto way : {WireAttitude::parent_to_own, WireAttitude::own_to_parent}) {
    EXPECT_LT((*from_wire(wire_attitude(odd, way), way) - odd).norm(), 1e-15);
    EXPECT_FALSE(from_wire({0.0, 0.0, 0.0, 0.0}, way));
    EXPECT_FALSE(from_wire({std::nan(""), 0.0, 0.0, 1.0}, way));
  }
}

TEST(FrameTree, KinematicsOnTheWireAreThoseOfTheStandard) {
  // ds = 1/2 v.w, dv = 1/2 (v x w - s w) with w in own axes
  const Quaternion q = Quaternion(0.1, -0.4, 0.7, 0.5).normalized();
  const Vector3 w(0.3, -0.2, 0.5);
  const auto Q = wire_attitude(q, WireAttitude::parent_to_own);
  const auto rate = wire_attitude(quaternion_rate(q, w), WireAttitude::parent_to_own);
  const Vector3 v(Q[1], Q[2], Q[3]), dv = 0.5 * (v.cross(w) - Q[0] * w);
  EXPECT_NEAR(rate[0], 0.5 * v.dot(w), 1e-15);
  EXPECT_LT((Vector3(rate[1], rate[2], rate[3]) - dv).norm(), 1e-15);
}

/// An ellipse, and a turn about z that grows and swings: closed forms, at any time.
FrameState ellipse(double t) {
  const double n = 0.7, a = 3.0, b = 2.0;
  FrameState s;
  s.position = {a * std::cos(n * t), b * std::sin(n * t), 0.1 * t * t * t};
  s.velocity = {-a * n * std::sin(n * t), b * n * std::cos(n * t), 0.3 * t * t};
  s.acceleration = {-a * n * n * std::cos(n * t), -b * n * n * std::sin(n * t), 0.6 * t};
  s.attitude = spatial::turned(Vector3::UnitZ(), 0.3 * t + 0.2 * std::sin(t));
  s.rate = {0.0, 0.0, 0.3 + 0.2 * std::cos(t)};
  s.angular_acceleration = {0.0, 0.0, -0.2 * std::sin(t)};
  return s;
}

TEST(FrameTree, DeadReckoningIsOfTheThirdOrder) {
  // with accelerations that were given, and with those of the last two states
  for (const bool given : {true, false}) {
    const auto errors = [&](double dt) {
      FrameState s = ellipse(1.0);
      if (!given) s = with_accelerations(s, ellipse(1.0 - dt), dt);
      const FrameState was = propagated(s, dt), is = ellipse(1.0 + dt);
      return std::pair{(was.position - is.position).norm(), (was.attitude - is.attitude).norm()};
    };
    const auto coarse = errors(0.02), fine = errors(0.01);
    // 8 and what the next order adds
    EXPECT_NEAR(coarse.first / fine.first, 8.0, 0.3) << given;
    EXPECT_NEAR(coarse.second / fine.second, 8.0, 0.3) << given;
    // j dt^3/6, and j dt^3/4 more where the acceleration is that of half a step ago
    const double jerk =
        (Vector3(0.343 * 3.0 * std::sin(0.7), -0.343 * 2.0 * std::cos(0.7), 0.6)).norm();
    EXPECT_NEAR(fine.first, jerk * 1e-6 * (given ? 1.0 / 6.0 : 5.0 / 12.0), 0.02 * fine.first);
  }
}

TEST(FrameTree, DeadReckoningOfConstantAccelerationIsExact) {
  const auto at = [](double t) {
    FrameState s;
    s.position = Vector3(1, 2, 3) + t * Vector3(4, 5, 6) + 0.5 * t * t * Vector3(-1, 2, 0.5);
    s.velocity = Vector3(4, 5, 6) + t * Vector3(-1, 2, 0.5);
    const Vector3 axis = Vector3(1, 2, 2) / 3.0;
    s.attitude = spatial::turned(axis, 0.2 * t + 0.15 * t * t);
    s.rate = (0.2 + 0.3 * t) * axis;
    return s;
  };
  const FrameState s = with_accelerations(at(1.0), at(0.5), 0.5);
  EXPECT_LT((s.acceleration - Vector3(-1, 2, 0.5)).norm(), 1e-14);
  EXPECT_LT((s.angular_acceleration - Vector3(0.1, 0.2, 0.2)).norm(), 1e-14);
  const FrameState later = propagated(s, 2.0);
  EXPECT_LT((later.position - at(3.0).position).norm(), 1e-13);
  EXPECT_LT((later.attitude - at(3.0).attitude).norm(), 1e-13);
}

TEST(FrameTree, AJumpIsNoAcceleration) {
  FrameState before = ellipse(1.0), now = ellipse(1.01);
  now.velocity += Vector3(0, 5, 0);  // just now: the way there shows nothing of it
  now.rate += Vector3(0.5, 0, 0);
  FrameState s = with_accelerations(now, before, 0.01);
  EXPECT_EQ(s.acceleration, Vector3::Zero());
  EXPECT_EQ(s.angular_acceleration, Vector3::Zero());
  before = ellipse(1.0);
  now = ellipse(1.01);
  now.position += Vector3(0, 0, 100);
  EXPECT_EQ(with_accelerations(now, before, 0.01).acceleration, Vector3::Zero());
  EXPECT_EQ(with_accelerations(now, now, 0.0).acceleration, Vector3::Zero());
}

TEST(FrameTree, PropagationTurnsToTheFifthOrder) {
  Random random(21);
  const FrameState s = any_state(random);
  const auto error = [&](double dt) {
    // midpoint steps, so many that their error does not show
    Quaternion q = s.attitude;
    const int n = 5000;
    for (int k = 0; k < n; ++k) {
      const Vector3 w = s.rate + (k + 0.5) * dt / n * s.angular_acceleration;
      q = product(spatial::turned(w.normalized(), w.norm() * dt / n), q);
    }
    return (q - propagated(s, dt).attitude).norm();
  };
  const double coarse = error(0.4), fine = error(0.2);
  EXPECT_LT(fine, 1e-5);
  EXPECT_GT(coarse / fine, 24.0);  // 32 less what rounding and the next order take
  FrameState spin;
  spin.rate = {0.0, 0.0, 0.5};
  spin.velocity = {1.0, 2.0, 0.0};
  spin.acceleration = {0.0, 0.0, -2.0};
  const FrameState later = propagated(spin, 2.0);
  EXPECT_LT((later.attitude - spatial::turned(Vector3::UnitZ(), 1.0)).norm(), 1e-15);
  EXPECT_EQ(later.position, Vector3(2.0, 4.0, -4.0));
}

TEST(FrameTree, ResolvesWithoutAllocating) {
  FrameTree tree;
  Random random(2);
  for (int i = 0; i < 8; ++i)
    tree.set(*tree.add("f" + std::to_string(i), i ? "f" + std::to_string((i - 1) / 2) : ""),
             any_state(random));
  const long before = testing::allocations();
  FrameState s;
  for (int a = 0; a < 8; ++a) {
    for (int b = 0; b < 8; ++b) {
      tree.set(a, s, {{b, 0}});
      EXPECT_TRUE(tree.resolve(a, b, Epoch{{9, 0}}, s));
    }
  }
  EXPECT_EQ(testing::allocations(), before);
}

TEST(FrameTree, StaleStatesArePropagatedEachFromItsOwnTime) {
  FrameTree tree;
  const int root = *tree.add("Root", ""), a = *tree.add("A", "Root"), b = *tree.add("B", "A");
  FrameState moving;
  moving.velocity = {1.0, 0.0, 0.0};
  tree.set(a, moving, {{10, 0}});
  tree.set(b, moving, {{12, 0}});
  FrameState s;
  ASSERT_TRUE(tree.resolve(b, root, Epoch{{13, attoseconds_per_second / 2}}, s));
  EXPECT_EQ(s.position[0], 3.5 + 1.5);
  ASSERT_TRUE(tree.resolve(b, root, s));
  EXPECT_EQ(s.position[0], 0.0);
}

TEST(FrameTree, SaysWhatKeepsItFromBeingATree) {
  FrameTree tree;
  EXPECT_EQ(tree.problems(), std::vector<std::string>{"there is no root frame"});
  const int moon = *tree.add("Moon", "Earth");
  EXPECT_EQ(tree.problems()[1], "the parent \"Earth\" of \"Moon\" is not there");
  FrameState s;
  const int lander = *tree.add("Lander", "Moon");
  EXPECT_TRUE(tree.resolve(lander, moon, s));
  const int root = *tree.add("Root", "");
  EXPECT_FALSE(tree.resolve(lander, root, s));
  EXPECT_EQ(tree.add("Earth", "Lander").error(),
            "with the parent \"Lander\" the frame \"Earth\" would be above itself");
  const int earth = *tree.add("Earth", "Root");
  EXPECT_TRUE(tree.problems().empty());
  EXPECT_EQ(tree.common_ancestor(lander, earth), earth);
  EXPECT_EQ(tree.add("Earth", "Root").error(), "there is a frame \"Earth\" already");
  EXPECT_EQ(tree.add("", "Root").error(), "a frame needs a name");
  EXPECT_FALSE(tree.reparent(earth, "Lander"));
  EXPECT_FALSE(tree.reparent(earth, "Earth"));
  ASSERT_TRUE(tree.reparent(lander, "Root"));
  EXPECT_EQ(tree.parent(lander), root);
  EXPECT_EQ(tree.common_ancestor(lander, moon), root);
  tree.remove(earth);
  EXPECT_FALSE(tree.resolve(moon, root, s));
  EXPECT_EQ(tree.find("Earth"), FrameTree::none);
  const int other = *tree.add("Other", "");
  EXPECT_EQ(other, earth);  // its place is free
  EXPECT_EQ(tree.problems().back(), "there are two root frames, \"Root\" and \"Other\"");
}

TEST(FrameTree, LocalVerticalIsThatOfACircularOrbit) {
  const double mu = 3.986004418e14, r = 7e6, n = std::sqrt(mu / (r * r * r));
  const double i = 0.9;
  const Vector3 x(1, 0, 0), y(0, std::cos(i), std::sin(i)), h = x.cross(y);
  const FrameState s = local_vertical(r * x, r * n * y, mu);
  const Matrix3 R = attitude_matrix(s.attitude);
  EXPECT_LT((R.row(0).transpose() - y).norm() + (R.row(1).transpose() + h).norm() +
                (R.row(2).transpose() + x).norm(),
            1e-14);
  EXPECT_LT((s.rate - Vector3(0, -n, 0)).norm(), 1e-17);
  EXPECT_LT(s.angular_acceleration.norm(), 1e-20);
}

TEST(FrameTree, OrbitAxesTurnAsTheirDifferences) {
  // a path out of plane with all derivatives known
  const auto path = [](double t, int k) -> Vector3 {
    const double p = M_PI / 2 * k;
    return {3.0 * std::cos(t + p), 2.0 * std::pow(1.1, k) * std::sin(1.1 * t + p),
            0.7 * std::pow(0.6, k) * std::cos(0.6 * t + p) + (k == 0 ? 4.0 : 0.0)};
  };
  const auto at = [&](double t) {
    return local_vertical(path(t, 0), path(t, 1), path(t, 2), path(t, 3));
  };
  const double t = 0.4, h = 1e-5;
  const FrameState now = at(t), before = at(t - h), after = at(t + h);
  const Quaternion rate = (after.attitude - before.attitude) / (2 * h);
  EXPECT_LT((rate - quaternion_rate(now.attitude, now.rate)).norm(), 1e-9);
  EXPECT_LT(((after.rate - before.rate) / (2 * h) - now.angular_acceleration).norm(), 1e-9);
  EXPECT_EQ(now.rate[0], 0.0);
}

}  // namespace
}  // namespace vernier::frames
