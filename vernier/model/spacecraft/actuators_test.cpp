#include "vernier/model/spacecraft/actuators.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "vernier/base/diagnostic.hpp"
#include "vernier/testing/system_rig.hpp"

namespace vernier::spacecraft {
namespace {

using spatial::Vector3;
using testing::made_system;
using testing::SystemRig;
using Texts = std::map<std::string, std::string>;

Vector3 vector(const std::vector<double>& v) { return {v[0], v[1], v[2]}; }

TEST(Magnetorquers, TurnAcrossTheFieldOnly) {
  const auto coils =
      made_system(magnetorquers_type(), {{"gain", "0.01463959077"}, {"max_voltage", "1.25 V"}});
  SystemRig rig(*coils);
  const Vector3 field(2e-5, -1e-5, 3e-5);
  std::copy(field.data(), field.data() + 3, rig.in("field").begin());
  rig.in("command")[0] = 0.5;
  rig.in("command")[1] = 7.0;  // beyond the limit
  rig.in("command")[2] = -9.0;
  const Vector3 moment = vector(rig.out("moment")), torque = vector(rig.out("torque"));
  EXPECT_LT((moment - 0.01463959077 * Vector3(0.5, 1.25, -1.25)).norm(), 1e-18);
  EXPECT_LT((torque - moment.cross(field)).norm(), 1e-22);
  EXPECT_NEAR(torque.dot(field), 0.0, 1e-25);
  testing::expect_conforming(rig);
}

TEST(Magnetorquers, TakeMomentsToo) {
  const auto coils =
      made_system(magnetorquers_type(), {{"drive", "moment"}, {"max_moment", "0.2 A*m^2"}});
  SystemRig rig(*coils);
  rig.in("command")[0] = 0.1;
  rig.in("command")[1] = 0.3;
  EXPECT_EQ(rig.out("moment")[0], 0.1);
  EXPECT_EQ(rig.out("moment")[1], 0.2);
  EXPECT_EQ(coils->spec().inputs[0].unit, "A*m^2");
}

TEST(Magnetorquers, RefuseParametersThatContradict) {
  EXPECT_THROW(made_system(magnetorquers_type()), ConfigurationError);
  EXPECT_THROW(made_system(magnetorquers_type(), {{"gain", "1"}, {"max_voltage", "-1"}}),
               ConfigurationError);
  EXPECT_THROW(made_system(magnetorquers_type(), {{"gain", "1"}, {"max_moment", "1"}}),
               ConfigurationError);
}

const Texts small{{"axis", "0 0 2"},
                  {"inertia", "0.01 kg*m^2"},
                  {"max_torque", "0.2 N*m"},
                  {"max_momentum", "6 N*m*s"}};

TEST(ReactionWheel, SpinsUpByTorqueOverInertia) {
  const auto wheel = made_system(reaction_wheel_type(), small);
  SystemRig rig(*wheel);
  rig.in("command")[0] = 0.1;
  for (int i = 0; i < 20; ++i) rig.step(0.1);
  EXPECT_NEAR(rig.out("speed")[0], 0.1 / 0.01 * 2.0, 1e-12);
  EXPECT_LT((vector(rig.out("torque")) - Vector3(0, 0, -0.1)).norm(), 1e-16);
  EXPECT_LT((vector(rig.out("momentum")) - Vector3(0, 0, 0.2)).norm(), 1e-15);
}

TEST(ReactionWheel, GivesNoMoreThanItsTorque) {
  const auto wheel = made_system(reaction_wheel_type(), small);
  SystemRig rig(*wheel);
  rig.in("command")[0] = -1.0;
  EXPECT_EQ(rig.out("motor_torque")[0], -0.2);
  EXPECT_EQ(rig.out("torque")[2], 0.2);
}

TEST(ReactionWheel, StopsPushingAtFullMomentumAndComesBack) {
  const auto wheel = made_system(reaction_wheel_type(), small);
  SystemRig rig(*wheel);
  rig.in("command")[0] = 1.0;
  std::vector<std::string> taken;
  const auto run = [&](int steps) {
    for (int i = 0; i < steps; ++i) {
      rig.step(0.1);
      for (const auto& name : rig.react()) taken.push_back(name);
    }
  };
  run(400);  // 40 s at 0.2 N·m: 6 N·m·s after 30
  EXPECT_EQ(taken, std::vector<std::string>{"saturation begins"});
  EXPECT_EQ(rig.state("stored")[0], 6.0);
  EXPECT_EQ(rig.out("torque")[2], 0.0) << "nothing is exchanged at the limit";
  EXPECT_EQ(rig.mode[0], ReactionWheels::upper);
  // a command of zero ends it, one that pushes again begins it anew
  rig.in("command")[0] = 0.0;
  EXPECT_EQ(rig.react(), std::vector<std::string>{"saturation ends"});
  EXPECT_TRUE(rig.react().empty()) << "no chattering";
  rig.in("command")[0] = 0.01;
  EXPECT_EQ(rig.react(), std::vector<std::string>{"saturation begins"});
  rig.in("command")[0] = -0.2;
  EXPECT_EQ(rig.react(), std::vector<std::string>{"saturation ends"});
  taken.clear();
  run(700);
  EXPECT_EQ(taken, std::vector<std::string>{"saturation begins"});
  EXPECT_EQ(rig.state("stored")[0], -6.0);
  EXPECT_EQ(rig.mode[0], ReactionWheels::lower);
}

TEST(ReactionWheel, GuardsCrossZeroWhereSaturationBeginsAndEnds) {
  const auto wheel = made_system(reaction_wheel_type(), small);
  SystemRig rig(*wheel);
  rig.in("command")[0] = 0.1;
  rig.state("stored")[0] = 5.999;
  EXPECT_LT(rig.guards()[1], 0.0);
  rig.state("stored")[0] = 6.001;
  EXPECT_GT(rig.guards()[1], 0.0);
  rig.react();
  EXPECT_GT(rig.guards()[0], 0.0);
  rig.in("command")[0] = -0.1;
  EXPECT_LT(rig.guards()[0], 0.0);
}

TEST(ReactionWheel, RunsDownByViscousDrag) {
  auto texts = small;
  texts["viscous"] = "0.001";
  texts["momentum"] = "1";
  const auto wheel = made_system(reaction_wheel_type(), texts);
  SystemRig rig(*wheel);
  rig.in("command")[0] = 0.0;
  for (int i = 0; i < 1000; ++i) rig.step(0.01);
  EXPECT_NEAR(rig.state("stored")[0], std::exp(-0.001 / 0.01 * 10.0), 1e-10);
}

TEST(ReactionWheel, StopsUnderCoulombDrag) {
  auto texts = small;
  texts["coulomb"] = "0.01 N*m";
  texts["coulomb_speed"] = "0.1 rad/s";
  texts["momentum"] = "0.1";
  const auto wheel = made_system(reaction_wheel_type(), texts);
  SystemRig rig(*wheel);
  rig.in("command")[0] = 0.0;
  for (int i = 0; i < 5000; ++i) rig.step(0.001);
  EXPECT_NEAR(rig.state("stored")[0], 0.05, 1e-4);  // half of the 10 s that 0.01 N·m needs
  for (int i = 0; i < 10000; ++i) rig.step(0.001);
  EXPECT_NEAR(rig.state("stored")[0], 0.0, 1e-6);
}

TEST(ReactionWheels, AreIndependentPerAxis) {
  const auto wheels =
      made_system(reaction_wheels_type(), {{"max_torque", "2e-5"}, {"max_momentum", "2e-4"}});
  SystemRig rig(*wheels);
  rig.in("command")[0] = 1.0;
  rig.in("command")[1] = -1.0;
  rig.in("command")[2] = 1e-6;
  for (int i = 0; i < 110; ++i) {
    rig.step(0.1);
    rig.react();
  }
  EXPECT_EQ(rig.mode, (std::vector<int>{1, 2, 0}));
  EXPECT_EQ(rig.out("momentum")[0], 2e-4);
  EXPECT_EQ(rig.out("momentum")[1], -2e-4);
  EXPECT_NEAR(rig.out("momentum")[2], 1.1e-5, 1e-18);
  EXPECT_EQ(vector(rig.out("torque")), Vector3(0.0, 0.0, -1e-6));
  EXPECT_EQ(wheels->spec().automata[1].name, "y");
}

TEST(ReactionWheels, KeepTheContractOfSystems) {
  auto texts = Texts{{"max_torque", "2e-5"},
                     {"max_momentum", "2e-4"},
                     {"viscous", "1e-9"},
                     {"coulomb", "1e-7"},
                     {"momentum", "1e-4 -2e-5 3e-6"}};
  const auto wheels = made_system(reaction_wheels_type(), texts);
  SystemRig rig(*wheels);
  rig.in("command")[0] = 1e-5;
  rig.in("command")[1] = -3e-5;
  rig.in("command")[2] = 4e-6;
  // states of 1e-4 against the differences' floor of 1e-3 in step size
  testing::expect_conforming(rig, 1e-3);
  rig.mode[0] = ReactionWheels::upper;
  testing::expect_conforming(rig, 1e-3);
}

TEST(ReactionWheels, RefuseLimitsThatAreNegative) {
  EXPECT_THROW(made_system(reaction_wheels_type(), {{"max_torque", "-1"}}), ConfigurationError);
  EXPECT_THROW(made_system(reaction_wheels_type(), {{"inertia", "0"}}), ConfigurationError);
  EXPECT_THROW(made_system(reaction_wheels_type(), {{"max_momentum", "1"}, {"momentum", "2 0 0"}}),
               ConfigurationError);
  EXPECT_THROW(made_system(reaction_wheel_type(), {{"axis", "0 0 0"}}), ConfigurationError);
  EXPECT_THROW(made_system(reaction_wheel_type()), ConfigurationError);
}

// commands inside and beyond the limits, wheels of both signs of speed
TEST(Actuators, HaveDerivativesByTheirParameters) {
  const auto drive = [](SystemRig& rig) {
    for (int i = 0; i < 3; ++i) rig.in("command")[i] = 0.03 - 0.05 * i;
    if (!rig.x.empty())
      for (int i = 0; i < 3; ++i) rig.x[i] = 0.02 - 0.03 * i;
  };
  testing::expect_adjustable(
      reaction_wheels_type(),
      {{"inertia", "1e-4"},
       {"max_torque", "0.05"},
       {"max_momentum", "0.5"},
       {"viscous", "1e-5"},
       {"coulomb", "2e-4"},
       {"coulomb_speed", "150"}},
      {"inertia", "max_torque", "max_momentum", "viscous", "coulomb", "coulomb_speed"}, drive);
  testing::expect_adjustable(reaction_wheels_type(), {{"inertia", "1e-4"}}, {"viscous", "inertia"},
                             drive);
  testing::expect_adjustable(magnetorquers_type(), {{"gain", "0.2"}, {"max_voltage", "0.05"}},
                             {"gain", "max_voltage"}, [&](SystemRig& rig) {
                               drive(rig);
                               rig.in("field")[1] = 3e-5;
                             });
  EXPECT_THROW(
      testing::expect_adjustable(magnetorquers_type(), {{"gain", "0.2"}}, {"max_voltage"}, drive),
      ConfigurationError);
}

}  // namespace
}  // namespace vernier::spacecraft
