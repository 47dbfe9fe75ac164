#include "vernier/run/desktop/compare_runs.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "vernier/base/diagnostic.hpp"
#include "vernier/base/temporary_folder.hpp"
#include "vernier/run/record/result_writer.hpp"

namespace vernier::desktop {
namespace {

using nlohmann::ordered_json;
using ::testing::HasSubstr;

/// A run with a ramp that begins at `begin`, and an event there.
record::ResultReader ramp(const std::filesystem::path& folder, double begin, double slope = 1.0,
                          const char* unit = "m") {
  std::filesystem::create_directories(folder);
  record::ResultLayout layout;
  layout.groups.push_back({{}, {{.path = "a.x", .unit = unit}}});
  {
    record::ResultWriter w(folder / "results.h5", layout);
    for (int k = 0; k <= 100; ++k) {
      const double t = k * 0.5, row[] = {t, std::max(0.0, slope * (t - begin))};
      w.append(0, std::as_bytes(std::span(row)));
    }
  }
  std::ofstream(folder / "events.csv") << "time,component,kind,from,to,reason,transition\n"
                                       << "0,clock,mode,,idle,,\n"
                                       << begin << ",ramp,mode,rest,\"up, at last\",,\n"
                                       << begin + 20 << ",ramp,mode,rest,\"up, at last\",,\n";
  return record::ResultReader(folder);
}

class CompareRuns : public ::testing::Test {
 protected:
  CompareRuns()
      : a_(ramp(folder_ / "a", 10)), b_(ramp(folder_ / "b", 15)), c_(ramp(folder_ / "c", 10, 2)) {}
  std::vector<Compared> runs(double shift = 0.0) const {
    return {{"a", &a_}, {"b", &b_, shift}, {"c", &c_}};
  }

  TemporaryFolder folder_;
  record::ResultReader a_, b_, c_;
};

TEST_F(CompareRuns, HaveTheNumbersOfTheCommand) {
  const ordered_json j = compared(runs(), {});
  EXPECT_EQ(j["reference"], "a");
  ASSERT_EQ(j["comparisons"].size(), 2u);
  const record::Comparison direct = record::compare(a_, b_, {});
  EXPECT_EQ(j["comparisons"][0]["signals"][0]["largest"], direct.signals[0].largest);
  EXPECT_EQ(j["comparisons"][0]["signals"][0]["rms"], direct.signals[0].rms);
  EXPECT_EQ(j["comparisons"][0]["signals"][0]["diverges_at_s"], 10.5);
  EXPECT_EQ(j["comparisons"][1]["signals"][0]["largest"], 40.0);
  EXPECT_EQ(j["comparisons"][1]["signals"][0]["largest_at_s"], 50.0);
}

TEST_F(CompareRuns, AlignByAnEventOrACrossing) {
  const ordered_json by_event = aligned(runs(), {.component = "ramp", .kind = "mode"});
  EXPECT_EQ(by_event["times"], ordered_json({10.0, 15.0, 10.0}));
  EXPECT_EQ(aligned(runs(), {.to = "up, at last", .n = 2})["times"],
            ordered_json({30.0, 35.0, 30.0}));
  EXPECT_EQ(aligned(runs(), {.component = "ramp", .n = 3})["times"][0], ordered_json());
  EXPECT_EQ(aligned(runs(), {.signal = "a.x", .level = 5.0})["times"],
            ordered_json({15.0, 20.0, 12.5}));
  EXPECT_EQ(aligned(runs(), {.signal = "a.y", .level = 5.0})["times"][0], ordered_json());
  // what is aligned agrees
  const ordered_json j = compared(runs(-5.0), {.between = true});
  EXPECT_EQ(j["comparisons"][0]["signals"][0]["largest"], 0.0);
  EXPECT_EQ(j["comparisons"][0]["shift"], -5.0);
}

TEST_F(CompareRuns, DrawTheDifferencesOfTheTable) {
  const ordered_json j = differences(runs(), "a.x", 0, 0);
  ASSERT_EQ(j["curves"].size(), 2u);
  double largest = 0.0;
  for (const auto& v : j["curves"][1]["value"])
    largest = std::max(largest, std::abs(v.get<double>()));
  EXPECT_EQ(largest, 40.0);
  EXPECT_EQ(j["unit"], "m");
  EXPECT_EQ(j["curves"][1]["time"].size(), 101u);
}

TEST_F(CompareRuns, LeaveACurveEmptyWhereARunHasNoSuchSignal) {
  const record::ResultReader other = ramp(folder_ / "d", 10, 1, "km");
  const std::vector<Compared> two{{"a", &a_}, {"d", &other}};
  EXPECT_TRUE(differences(two, "a.x", 0, 0)["curves"][0]["time"].empty());
  EXPECT_THAT(compared(two, {})["comparisons"][0]["signals"][0]["problem"].get<std::string>(),
              HasSubstr("in km"));
}

TEST_F(CompareRuns, RefuseASingleRun) {
  const std::vector<Compared> one{{"a", &a_}};
  try {
    compared(one, {});
    FAIL() << "one run was compared";
  } catch (const ConfigurationError& e) {
    EXPECT_THAT(rendered(e.diagnostics()),
                HasSubstr("error[V8133]: there is nothing to compare: name at least two runs"));
  }
  EXPECT_THROW(differences(one, "a.x", 0, 0), ConfigurationError);
  EXPECT_THROW(differences(runs(), "a.y", 0, 0), ConfigurationError);
  EXPECT_THROW(differences(runs(), "a.x", 3, 0), ConfigurationError);
}

}  // namespace
}  // namespace vernier::desktop
