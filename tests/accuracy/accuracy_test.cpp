// The accuracy cases as documents, run by an island as the executive would: every event in its
// order, and in time to the tolerance asked for.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "vernier/model/automaton/automaton.hpp"
#include "vernier/model/island/island.hpp"
#include "vernier/testing/accuracy_cases.hpp"
#include "vernier/testing/rig.hpp"

namespace vernier {
namespace {

using namespace std::chrono_literals;
using testing::AccuracyCase;

struct Source {
  const char* file;
  ParameterValues values = {};
};

/// The document of each case; the composition has three and is tested with its interconnection.
const std::map<std::string, Source> sources = {
    {"bouncing ball", {"bouncing_ball"}},
    {"thermostat", {"thermostat"}},
    {"two tanks", {"two_tanks"}},
    {"water tank", {"water_tank"}},
    {"cradle, one lifted", {"cradle"}},
    {"cradle, two lifted", {"cradle", {{"th", {"-0.1 -0.1 0 0 0"}}}}},
    {"navigation", {"navigation"}},
    {"short pulse", {"short_pulse"}},
    {"priority", {"priority"}},
    {"cascade", {"cascade"}},
    {"rigid body", {"rigid_body"}},
    {"relay", {"relay"}},
    {"integrate and fire", {"integrate_and_fire"}},
};

std::unique_ptr<hybrid::System> made(const Source& s) {
  Diagnostics problems;
  const auto path = std::filesystem::path(VERNIER_SOURCE_DIR) / "formats/hybrid/good" /
                    (std::string(s.file) + ".xml");
  const Type type = automaton::read_type(path, problems);
  const Parameters p("it", type.parameters, s.values, 1, {}, problems);
  EXPECT_EQ(problems.errors(), 0u) << rendered(problems);
  return type.system(p);
}

struct Seen {
  long double t;
  std::string transition;
};

std::vector<Seen> events_of(const AccuracyCase& c, double tolerance) {
  const auto spec = made(sources.at(c.name))->spec();
  IslandSettings settings;
  settings.rtol = settings.atol = tolerance;
  const auto component = island::make_island(made(sources.at(c.name)), settings);
  testing::Rig rig(*component);
  std::vector<Seen> seen;
  const Time end{Duration(std::llround(c.until * 1e9))};
  while (rig.now() < end) {
    rig.step(std::min<Duration>(100ms, end - rig.now()));
    for (const Entry& e : rig.journal().entries()) {
      const auto number = static_cast<std::size_t>(e.item & 0x7fff);
      seen.push_back(
          {static_cast<long double>(e.at.time.time_since_epoch().count()) * 1e-9L + e.remainder,
           spec.automata[0].transitions[number].name});
    }
    rig.journal().clear();
  }
  return seen;
}

class Documents : public ::testing::TestWithParam<std::tuple<std::string, double>> {};

TEST_P(Documents, HaveTheirEventsInOrderAndTime) {
  const auto& [name, tolerance] = GetParam();
  const AccuracyCase& c = testing::accuracy_case(name);
  const std::vector<Seen> seen = events_of(c, tolerance);
  ASSERT_EQ(seen.size(), c.events.size());
  // double precision sets the floor: times of some tens of seconds, errors that events pass on
  const double within = std::max(tolerance, 1e-11);
  for (std::size_t k = 0; k < seen.size(); ++k) {
    EXPECT_NEAR(static_cast<double>(seen[k].t - c.events[k].t), 0.0, within) << k;
    // where bodies touch within rounding, the collisions of one impact may come in another order
    if (!c.ties) {
      EXPECT_EQ(seen[k].transition, c.events[k].transition) << k;
    }
  }
}

std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const auto& [name, source] : sources) all.push_back(name);
  return all;
}

INSTANTIATE_TEST_SUITE_P(
    All, Documents,
    ::testing::Combine(::testing::ValuesIn(names()), ::testing::Values(1e-6, 1e-9, 1e-12)),
    [](const auto& instance) {
      std::string name = std::get<0>(instance.param);
      std::replace_if(
          name.begin(), name.end(), [](char ch) { return ch == ' ' || ch == ','; }, '_');
      return name + "_at_1em" +
             std::to_string(std::lround(-std::log10(std::get<1>(instance.param))));
    });

TEST(Documents, CoverEveryCaseThatIsOneSystem) {
  for (const AccuracyCase& c : testing::accuracy_cases()) {
    EXPECT_TRUE(sources.contains(c.name) || c.name.find("compos") != std::string::npos) << c.name;
  }
}

}  // namespace
}  // namespace vernier
