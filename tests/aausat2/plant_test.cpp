// AAUSAT-II with the catalogue's plant and a supervisor written in C++: a second way to the numbers
// that missions/aausat2 computes from XML. Reference case, computed by two
// independent programs (scipy DOP853 at 1e-11; RK4 at 0.5 ms), which agree to 1e-8 s in the
// switching time.
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>

#include "vernier/base/diagnostic.hpp"
#include "vernier/kernel/hybrid/compose.hpp"
#include "vernier/kernel/spatial/spans.hpp"
#include "vernier/model/automaton/automaton.hpp"
#include "vernier/model/environment/magnetic_field.hpp"
#include "vernier/model/environment/orbit.hpp"
#include "vernier/model/spacecraft/actuators.hpp"
#include "vernier/model/spacecraft/rigid_body.hpp"
#include "vernier/testing/system_rig.hpp"

namespace vernier {
namespace {

using hybrid::Point;
using hybrid::Workspace;
using spatial::vector3;
using spatial::Vector3;
using testing::made_system;
using testing::SystemRig;

// B-dot on the coils until |omega| < 0.017 rad/s, then state feedback on the wheels; `telecommand`
// goes back
class Supervisor final : public hybrid::System {
 public:
  Supervisor() {
    spec_.states = {{"f", "1", "", 3}};
    spec_.inputs = {{"b", "T", "B", 3}, {"omega", "rad/s", "B", 3}, {"q", "1", "", 4}};
    spec_.outputs = {{"voltage", "V", "B", 3}, {"wheel_torque", "N*m", "B", 3}};
    spec_.feedthrough = {{0, 0}, {1, 1}, {1, 2}};
    spec_.automata = {
        {"", {"Detumbling", "Pointing"}, {{"slow enough", 0, 1, ""}, {"commanded", 1, 0, ""}}}};
    spec_.events = {{"telecommand", true, false}};
    spec_.guards = 1;
  }
  const hybrid::SystemSpec& spec() const noexcept override { return spec_; }
  void flow(const Point& p, std::span<double> xdot, Workspace&) const noexcept override {
    vector3(xdot) = 1e4 * vector3(p.u) - 12.6 * vector3(p.x);
  }
  void output(const Point& p, std::span<double> y, Workspace&) const noexcept override {
    if (p.mode[0] == 0) {
      const Vector3 v = -80.0 * (12.6e4 * vector3(p.u) + (2.69e-4 - 12.6 * 12.6) * vector3(p.x));
      vector3(y) = v.cwiseMin(1.25).cwiseMax(-1.25);
      vector3(y, 3).setZero();
    } else {
      const Vector3 k(1.27553911e-4, 1.36857591e-4, 1.34870309e-4);
      vector3(y).setZero();
      vector3(y, 3) =
          (k.cwiseProduct(vector3(p.u, 3)) - 1e-5 * vector3(p.u, 6)).cwiseMin(2e-5).cwiseMax(-2e-5);
    }
  }
  void guards(const Point& p, std::span<double> z, Workspace&) const noexcept override {
    z[0] = p.mode[0] == 0 ? vector3(p.u, 3).norm() - 0.017 : 1.0;
  }
  bool select(const Point& p, std::span<const std::uint8_t> present, std::span<int> chosen,
              Workspace&) const noexcept override {
    chosen[0] = -1;
    if (p.mode[0] == 0 && vector3(p.u, 3).norm() < 0.017) chosen[0] = 0;
    if (p.mode[0] == 1 && present[0]) chosen[0] = 1;
    return chosen[0] >= 0;
  }
  void jump(const Point&, std::span<const int> chosen, hybrid::Jump& to,
            Workspace&) const noexcept override {
    if (chosen[0] >= 0) to.mode[0] = 1 - chosen[0];
  }

 private:
  hybrid::SystemSpec spec_;
};

std::unique_ptr<hybrid::System> mission_supervisor() {
  Diagnostics problems;
  const Type type =
      automaton::read_type(VERNIER_SOURCE_DIR "/missions/aausat2/supervisor.xml", problems);
  EXPECT_TRUE(problems.list().empty()) << rendered(problems);
  return made_system(type);
}

std::unique_ptr<hybrid::System> craft(const std::string& source,
                                      const std::string& attitude = "0.3 -0.2 0.5 -0.78") {
  std::vector<hybrid::Part> parts;
  parts.push_back({"orbit", made_system(environment::kepler_orbit_type(),
                                        {{"altitude", "600 km"},
                                         {"inclination", "97.79 deg"},
                                         {"argument_of_latitude", "30 deg"}})});
  parts.push_back({"field", made_system(environment::dipole_field_type())});
  parts.push_back({"seen", made_system(spacecraft::rotation_type(), {{"unit", "T"}})});
  parts.push_back({"coils", made_system(spacecraft::magnetorquers_type(),
                                        {{"gain", "0.01463959077"}, {"max_voltage", "1.25"}})});
  parts.push_back({"wheels", made_system(spacecraft::reaction_wheels_type(),
                                         {{"max_torque", "2e-5"}, {"max_momentum", "2e-4"}})});
  parts.push_back(
      {"body", made_system(spacecraft::rigid_body_type(), {{"inertia", "1377e-6 1623e-6 1569e-6"},
                                                           {"attitude", attitude},
                                                           {"omega", "-0.031 0.087 -0.053"}})});
  parts.push_back(
      {"supervisor", source == "xml" ? mission_supervisor() : std::make_unique<Supervisor>()});
  enum { orbit, field, seen, coils, wheels, body, supervisor };
  const std::vector<hybrid::MatrixBlock> wires{{{orbit, "position"}, {field, "position"}},
                                               {{field, "field"}, {seen, "vector"}},
                                               {{body, "attitude"}, {seen, "attitude"}},
                                               {{seen, "rotated"}, {coils, "field"}},
                                               {{seen, "rotated"}, {supervisor, "b"}},
                                               {{body, "omega"}, {supervisor, "omega"}},
                                               {{body, "attitude"}, {supervisor, "q"}},
                                               {{supervisor, "voltage"}, {coils, "command"}},
                                               {{supervisor, "wheel_torque"}, {wheels, "command"}},
                                               {{coils, "torque"}, {body, "torque"}},
                                               {{wheels, "torque"}, {body, "torque"}},
                                               {{wheels, "momentum"}, {body, "wheel_momentum"}}};
  return hybrid::compose(std::move(parts), wires);
}

// the document does it by its first transition
void rest_filters(SystemRig& rig, const std::string& source) {
  if (source == "xml") {
    EXPECT_EQ(rig.react(), std::vector<std::string>{"filters at rest"});
  }
  const auto b = rig.out("seen.rotated");
  for (int i = 0; i < 3; ++i) {
    const double rest = 1e4 * b[i] / 12.6;
    if (source == "xml") {
      EXPECT_NEAR(rig.state("supervisor.f")[i], rest, 1e-15);
    }
    rig.state("supervisor.f")[i] = rest;
  }
}

class Aausat2Plant : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Supervisors, Aausat2Plant, ::testing::Values("cpp", "xml"),
                         [](const auto& which) { return which.param; });

double rate(SystemRig& rig) { return rig.out("body.omega_norm")[0]; }

// to the next transition, located by bisection of the last step; or to `end`
bool run_to_switch(SystemRig& rig, double h, double end) {
  while (rig.t < end - 1e-9) {
    const SystemRig before = rig;
    rig.step(std::min(h, end - rig.t));
    SystemRig probe = rig;
    if (probe.react().empty()) continue;
    double low = 0.0, high = rig.t - before.t;
    for (int i = 0; i < 45; ++i) {
      const double middle = 0.5 * (low + high);
      SystemRig trial = before;
      trial.step(middle);
      (trial.react().empty() ? low : high) = middle;
    }
    rig.t = before.t;
    rig.x = before.x;
    rig.step(high);
    rig.react();
    return true;
  }
  return false;
}

TEST_P(Aausat2Plant, SwitchesPointsAndRests) {
  const auto system = craft(GetParam());
  SystemRig rig(*system);
  rest_filters(rig, GetParam());
  ASSERT_TRUE(run_to_switch(rig, 2e-3, 600.0));
  EXPECT_NEAR(rig.t, 238.124467993, 1e-5);
  const double q[4] = {0.369423004031, -0.4000593245, 0.575374578153, -0.610264922628};
  for (int i = 0; i < 4; ++i) EXPECT_NEAR(rig.out("body.attitude")[i], q[i], 1e-6);

  const Vector3 momentum = vector3(std::span<const double>(rig.out("body.momentum")));
  double peak = 0.0, when = 0.0, torque = 0.0, stored = 0.0;
  while (rig.t < 600.0 - 1e-9) {
    if (rate(rig) > peak) {
      peak = rate(rig);
      when = rig.t;
    }
    for (const double n : rig.out("wheels.motor_torque")) torque = std::max(torque, std::fabs(n));
    for (const double n : rig.out("wheels.momentum")) stored = std::max(stored, std::fabs(n));
    rig.step(std::min(0.05, 600.0 - rig.t));
  }
  EXPECT_NEAR(peak, 0.0421, 5e-5);
  EXPECT_NEAR(when, 260.0, 3.0);
  EXPECT_NEAR(torque, 6.26e-6, 5e-9);
  EXPECT_NEAR(stored, 5.98e-5, 1e-7);
  const auto end = rig.out("body.attitude");
  for (int i = 0; i < 3; ++i) EXPECT_LT(std::fabs(end[i]), 3e-6);
  EXPECT_NEAR(end[3], -1.0, 3e-6);
  EXPECT_LT(rate(rig), 4e-7);
  // no external torque while pointing: body and wheels keep their momentum in inertial axes
  const Vector3 after = vector3(std::span<const double>(rig.out("body.momentum")));
  EXPECT_LT((after - momentum).norm() / momentum.norm(), 1e-8);
}

TEST_P(Aausat2Plant, ReturnsToDetumblingByTelecommand) {
  const auto system = craft(GetParam());
  SystemRig rig(*system);
  rest_filters(rig, GetParam());
  ASSERT_TRUE(run_to_switch(rig, 2e-3, 252.0));
  while (rig.t < 252.0 - 1e-9) rig.step(std::min(2e-3, 252.0 - rig.t));
  const double q[4] = {0.275764159524, -0.384424780607, 0.521254655419, -0.710257207342};
  for (int i = 0; i < 4; ++i) EXPECT_NEAR(rig.out("body.attitude")[i], q[i], 1e-6);
  EXPECT_EQ(rig.react({"telecommand"}), std::vector<std::string>{"commanded"});
  ASSERT_TRUE(run_to_switch(rig, 2e-3, 600.0));
  EXPECT_NEAR(rig.t, 346.51659, 1e-5);
}

TEST_P(Aausat2Plant, OnTelecommandWhenSlowIsLeftAgainAtOnce) {
  const auto system = craft(GetParam());
  SystemRig rig(*system);
  rest_filters(rig, GetParam());
  rig.state("body.omega")[0] = rig.state("body.omega")[2] = 0.0;
  rig.state("body.omega")[1] = 0.016;
  EXPECT_EQ(rig.react(), std::vector<std::string>{"slow enough"});
  EXPECT_EQ(rig.react({"telecommand"}), (std::vector<std::string>{"commanded", "slow enough"}));
}

TEST_P(Aausat2Plant, TakesTheLongWayFromTheOtherQuaternion) {
  const auto system = craft(GetParam(), "-0.3 0.2 -0.5 0.78");
  SystemRig rig(*system);
  rest_filters(rig, GetParam());
  ASSERT_TRUE(run_to_switch(rig, 2e-3, 600.0));
  EXPECT_NEAR(rig.t, 238.124467993, 1e-5);
  double peak = 0.0;
  while (rig.t < 400.0) {
    rig.step(0.05);
    peak = std::max(peak, rate(rig));
  }
  EXPECT_NEAR(peak, 0.0697, 5e-5);
}

}  // namespace
}  // namespace vernier
