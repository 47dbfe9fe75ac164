#include "vernier/model/spacecraft/rigid_body.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "vernier/base/diagnostic.hpp"
#include "vernier/kernel/hybrid/compose.hpp"
#include "vernier/model/spacecraft/actuators.hpp"
#include "vernier/testing/system_rig.hpp"

namespace vernier::spacecraft {
namespace {

using spatial::Vector3;
using testing::made_system;
using testing::SystemRig;
using Texts = std::map<std::string, std::string>;

Vector3 three_of(const std::vector<double>& v) { return {v[0], v[1], v[2]}; }

TEST(RigidBody, TumblesFreelyAsJacobisFunctionsSay) {
  // moments 1, 2, 3 and omega (0.4, 0, 1): the zeros of omega_y are 3.18478572123923 s apart (half
  // the period of the elliptic functions; reference values), and omega_x changes between 0.4 and
  // -0.4 there
  const auto body = made_system(rigid_body_type(), {{"inertia", "1 2 3"}, {"omega", "0.4 0 1"}});
  SystemRig rig(*body);
  const double h = 1e-3;
  double last = 0.0, sign = 1.0;
  int zeros = 0;
  for (int i = 1; zeros < 5; ++i) {
    const double before = rig.state("omega")[1];
    rig.step(h);
    const double after = rig.state("omega")[1];
    if (before == 0.0 || before * after > 0.0) continue;
    // Newton back from the end of the step; omega_y is nearly straight there
    const double rate = rig.rate("omega")[1];
    const double zero = rig.t - after / rate;
    EXPECT_NEAR(zero - last, 3.18478572123923, 1e-9);
    sign = -sign;
    EXPECT_NEAR(rig.state("omega")[0], 0.4 * sign, 1e-6);
    last = zero;
    ++zeros;
  }
}

TEST(RigidBody, KeepsMomentumInSpaceAndEnergyWithoutTorque) {
  const auto body = made_system(rigid_body_type(), {{"inertia", "1.0 1.4 2.1"},
                                                    {"products", "0.1 -0.05 0.2"},
                                                    {"omega", "0.3 -0.8 0.5"},
                                                    {"attitude", "0.3 -0.2 0.5 -0.78"}});
  SystemRig rig(*body);
  const Vector3 momentum = three_of(rig.out("momentum"));
  const double energy = rig.out("energy")[0];
  for (int i = 0; i < 10000; ++i) rig.step(0.005);
  // RK4: (omega h)^4 = 2.5e-10 per radian, 50 of them
  EXPECT_LT((three_of(rig.out("momentum")) - momentum).norm() / momentum.norm(), 1e-9);
  EXPECT_NEAR(rig.out("energy")[0] / energy, 1.0, 1e-9);
  EXPECT_NEAR(rig.out("momentum_norm")[0], momentum.norm(), 1e-9);
  EXPECT_NEAR(rig.out("attitude_norm")[0], 1.0, 1e-15);
}

TEST(RigidBody, SpinsUpByTorqueOverInertia) {
  const auto body = made_system(rigid_body_type(), {{"inertia", "0.5 1 1"}});
  SystemRig rig(*body);
  rig.in("torque")[0] = 0.02;
  for (int i = 0; i < 100; ++i) rig.step(0.1);
  EXPECT_NEAR(rig.out("omega")[0], 0.02 / 0.5 * 10.0, 1e-12);
  // turned by half a t² = 2 rad about x: q = (sin 1, 0, 0, cos 1)
  EXPECT_NEAR(rig.out("attitude")[0], std::sin(1.0), 1e-9);
  EXPECT_NEAR(rig.out("attitude")[3], std::cos(1.0), 1e-9);
  // work equals energy
  EXPECT_NEAR(rig.out("energy")[0], 0.02 * 2.0, 1e-12);
}

TEST(RigidBody, StoredMomentumMakesItNutate) {
  // J ω' = -ω × h for small ω and h along z: ω turns about z at h/J
  const auto body = made_system(rigid_body_type(), {{"inertia", "2 2 2"}, {"omega", "1e-6 0 0"}});
  SystemRig rig(*body);
  rig.in("wheel_momentum")[2] = 1.0;
  for (int i = 0; i < 1000; ++i) rig.step(0.002);
  EXPECT_NEAR(rig.out("omega")[0] / 1e-6, std::cos(1.0), 1e-9);
  EXPECT_NEAR(rig.out("omega")[1] / 1e-6, std::sin(1.0), 1e-9);
}

TEST(RigidBody, ExchangesMomentumWithItsWheelsWithoutLoss) {
  std::vector<hybrid::Part> parts;
  parts.push_back({"body", made_system(rigid_body_type(), {{"inertia", "1.0 1.4 2.1 "},
                                                           {"omega", "0.02 -0.01 0.03"}})});
  parts.push_back({"wheels", made_system(reaction_wheels_type(), {{"max_torque", "0.1 N*m"}})});
  const std::vector<hybrid::MatrixBlock> wires{{{1, "torque"}, {0, "torque"}},
                                               {{1, "momentum"}, {0, "wheel_momentum"}}};
  const auto craft = hybrid::compose(std::move(parts), wires);
  SystemRig rig(*craft);
  const Vector3 before = three_of(rig.out("body.momentum"));
  for (int i = 0; i < 5000; ++i) {
    for (int k = 0; k < 3; ++k) rig.in("wheels.command")[k] = 0.05 * std::sin(0.01 * i + k);
    rig.step(0.01);
  }
  EXPECT_GT(three_of(rig.out("wheels.momentum")).norm(), 0.01);
  EXPECT_LT((three_of(rig.out("body.momentum")) - before).norm() / before.norm(), 1e-9);
}

TEST(RigidBody, KeepsTheContractOfSystems) {
  const auto body = made_system(rigid_body_type(), {{"inertia", "1.0 1.4 2.1"},
                                                    {"products", "0.1 -0.05 0.2"},
                                                    {"omega", "0.3 -0.8 0.5"},
                                                    {"attitude", "0.3 -0.2 0.5 -0.78"}});
  SystemRig rig(*body);
  rig.in("torque")[1] = 0.1;
  rig.in("wheel_momentum")[0] = -0.4;
  testing::expect_conforming(rig);
}

TEST(RigidBody, HasDerivativesByItsInertia) {
  testing::expect_adjustable(rigid_body_type(),
                             {{"inertia", "1.0 1.4 2.1"},
                              {"products", "0.1 -0.05 0.2"},
                              {"omega", "0.3 -0.8 0.5"},
                              {"attitude", "0.3 -0.2 0.5 -0.78"}},
                             {"inertia", "products"}, [](SystemRig& rig) {
                               rig.in("torque")[1] = 0.1;
                               rig.in("wheel_momentum")[0] = -0.4;
                             });
}

TEST(RigidBody, RefusesWhatIsNoBody) {
  for (const Texts& bad :
       {Texts{}, Texts{{"inertia", "1 1 0"}}, Texts{{"inertia", "1 -1 1"}},
        Texts{{"inertia", "1 1 1"}, {"products", "2 0 0"}},
        Texts{{"inertia", "1 1 1"}, {"attitude", "0 0 0 0"}}, Texts{{"inertia", "1 1 1 m"}}}) {
    EXPECT_THROW(made_system(rigid_body_type(), bad), ConfigurationError);
  }
}

TEST(Rotation, TakesVectorsThereAndBack) {
  const auto there = made_system(rotation_type(), {{"unit", "T"}});
  const auto back = made_system(rotation_type(), {{"unit", "T"}, {"way", "to_inertial"}});
  EXPECT_EQ(there->spec().inputs[1].frame, "N");
  EXPECT_EQ(there->spec().outputs[0].frame, "B");
  EXPECT_EQ(back->spec().outputs[0].frame, "N");
  SystemRig a(*there), b(*back);
  const spatial::Quaternion q = spatial::Quaternion(0.3, -0.2, 0.5, -0.78).normalized();
  const Vector3 v(1e-5, 2e-5, -3e-5);
  std::copy(q.data(), q.data() + 4, a.in("attitude").begin());
  std::copy(q.data(), q.data() + 4, b.in("attitude").begin());
  std::copy(v.data(), v.data() + 3, a.in("vector").begin());
  EXPECT_LT((three_of(a.out("rotated")) - spatial::to_body(q, v)).norm(), 1e-20);
  const auto rotated = a.out("rotated");
  std::copy(rotated.begin(), rotated.end(), b.in("vector").begin());
  EXPECT_LT((three_of(b.out("rotated")) - v).norm(), 1e-19);
  testing::expect_conforming(a);
  testing::expect_conforming(b);
  EXPECT_THROW(made_system(rotation_type(), {{"unit", "furlong"}}), ConfigurationError);
}

}  // namespace
}  // namespace vernier::spacecraft
