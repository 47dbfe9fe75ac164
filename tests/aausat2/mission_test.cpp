// missions/aausat2 as users run it: documents, plan, executive. Reference numbers: as in
// plant_test.cpp.
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>

#include "vernier/base/diagnostic.hpp"
#include "vernier/model/automaton/automaton.hpp"
#include "vernier/model/environment/types.hpp"
#include "vernier/model/island/island.hpp"
#include "vernier/model/spacecraft/types.hpp"
#include "vernier/run/composition/plan.hpp"
#include "vernier/run/executive/executive.hpp"

namespace vernier {
namespace {

using namespace std::chrono_literals;
using composition::Composition;
using executive::Ending;
using executive::Executive;

Composition mission(const char* file) {
  Diagnostics problems;
  Composition c = composition::read_composition(
      std::string(VERNIER_SOURCE_DIR "/missions/aausat2/") + file, {}, problems);
  EXPECT_TRUE(problems.list().empty()) << rendered(problems);
  return c;
}

composition::Plan planned(const Composition& c) {
  Catalogue catalogue;
  environment::register_types(catalogue);
  spacecraft::register_types(catalogue);
  automaton::add_to(catalogue);
  catalogue.set_island(island::make_island);
  Diagnostics problems;
  composition::Plan plan = make_plan(c, catalogue, problems);
  EXPECT_TRUE(problems.list().empty()) << rendered(problems);
  return plan;
}

struct Change {
  double time = 0.0;
  std::string from, to;
};

// Notes the changes of location, and the largest values after `from`.
class Watcher final : public executive::Observer {
 public:
  Watcher(Executive& e, const std::string& prefix, Time from)
      : executive_(e),
        rate_(e.find(prefix + "body.omega_norm")),
        torque_(e.find(prefix + "wheels.motor_torque")),
        momentum_(e.find(prefix + "wheels.momentum")),
        from_(from) {
    e.observe(*this, {Rate{10, 1}});
  }
  ~Watcher() override { executive_.remove(*this); }

  void sample(Instant at, bool) noexcept override {
    if (at.time < from_) return;
    if (rate_->reals()[0] > peak_rate) {
      peak_rate = rate_->reals()[0];
      peak_time = seconds(at.time);
    }
    for (const double v : torque_->reals()) peak_torque = std::max(peak_torque, std::fabs(v));
    for (const double v : momentum_->reals()) peak_momentum = std::max(peak_momentum, std::fabs(v));
  }
  void note(std::size_t part, std::span<const Entry> entries) noexcept override {
    for (const Entry& e : entries) {
      const Telling t = executive_.tell(part, e);
      changes.push_back({seconds(e.at.time) + e.remainder, t.from, t.to});
    }
  }

  std::vector<Change> changes;
  double peak_rate = 0.0, peak_time = 0.0, peak_torque = 0.0, peak_momentum = 0.0;

 private:
  Executive& executive_;
  const executive::PortView *rate_, *torque_, *momentum_;
  Time from_;
};

void expect_at_rest(Executive& e, const std::string& prefix) {
  const auto q = e.find(prefix + "body.attitude")->reals();
  for (int i = 0; i < 3; ++i) EXPECT_LT(std::fabs(q[i]), 3e-6);
  EXPECT_NEAR(q[3], -1.0, 3e-6);
  EXPECT_LT(e.find(prefix + "body.omega_norm")->reals()[0], 4e-7);
}

TEST(Aausat2, SwitchesPointsAndRests) {
  Executive e(planned(mission("aausat2.xml")));
  Watcher w(e, "", Time(238125ms));
  e.initialize();
  ASSERT_EQ(e.run_until(Time(240s)), Ending::reached) << rendered(e.fault());
  const auto before = e.find("body.momentum")->reals();
  const std::vector<double> momentum(before.begin(), before.end());
  const double size = e.find("body.momentum_norm")->reals()[0];
  ASSERT_EQ(e.run_until(Time(600s)), Ending::reached) << rendered(e.fault());
  // no external torque while pointing; the document's check asks for the same
  const auto after = e.find("body.momentum")->reals();
  for (int i = 0; i < 3; ++i) EXPECT_NEAR((after[i] - momentum[i]) / size, 0.0, 1e-9);
  EXPECT_NEAR(e.find("body.attitude_norm")->reals()[0], 1.0, 1e-12);
  ASSERT_EQ(w.changes.size(), 2u);
  EXPECT_EQ(w.changes[0].to, "Detumbling");
  EXPECT_EQ(w.changes[0].time, 0.0);
  EXPECT_EQ(w.changes[1].from, "Detumbling");
  EXPECT_EQ(w.changes[1].to, "Pointing");
  EXPECT_NEAR(w.changes[1].time, 238.124467993, 1e-5);
  EXPECT_NEAR(w.peak_rate, 0.0421, 5e-5);
  EXPECT_NEAR(w.peak_time, 260.0, 3.0);
  EXPECT_NEAR(w.peak_torque, 6.26e-6, 5e-8);  // at the switch, between two samples
  EXPECT_NEAR(w.peak_momentum, 5.98e-5, 1e-7);
  expect_at_rest(e, "");
}

TEST(Aausat2, ReturnsToDetumblingByTelecommand) {
  Executive e(planned(mission("telecommand.xml")));
  Watcher w(e, "sat.", Time::max());
  e.initialize();
  ASSERT_EQ(e.run_until(Time(600s)), Ending::reached) << rendered(e.fault());
  ASSERT_EQ(w.changes.size(), 4u);
  EXPECT_NEAR(w.changes[1].time, 238.124467993, 1e-5);
  EXPECT_EQ(w.changes[2].time, 252.0);
  EXPECT_EQ(w.changes[2].to, "Detumbling");
  EXPECT_EQ(w.changes[3].to, "Pointing");
  EXPECT_NEAR(w.changes[3].time, 346.51659, 1e-5);
}

TEST(Aausat2, ATelecommandToASlowSatelliteIsUndoneAtOnce) {
  Composition c = mission("telecommand.xml");
  c.stimuli.at(0).at = Time(500s);
  Executive e(planned(c));
  Watcher w(e, "sat.", Time::max());
  e.initialize();
  ASSERT_EQ(e.run_until(Time(501s)), Ending::reached) << rendered(e.fault());
  ASSERT_EQ(w.changes.size(), 4u);
  EXPECT_EQ(w.changes[2].time, 500.0);
  EXPECT_EQ(w.changes[2].to, "Detumbling");
  EXPECT_EQ(w.changes[3].time, 500.0);
  EXPECT_EQ(w.changes[3].to, "Pointing");
}

TEST(Aausat2, TakesTheLongWayFromTheOtherQuaternion) {
  Composition c = mission("aausat2.xml");
  composition::set_value(c, "body.attitude=-0.3 0.2 -0.5 0.78");
  Executive e(planned(c));
  Watcher w(e, "", Time(239s));
  e.initialize();
  ASSERT_EQ(e.run_until(Time(400s)), Ending::reached) << rendered(e.fault());
  EXPECT_NEAR(w.changes.at(1).time, 238.124467993, 1e-5);
  EXPECT_NEAR(w.peak_rate, 0.0697, 5e-5);
}

}  // namespace
}  // namespace vernier
