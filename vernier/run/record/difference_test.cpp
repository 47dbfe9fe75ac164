#include "vernier/run/record/difference.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "vernier/base/temporary_folder.hpp"
#include "vernier/run/record/compare.hpp"
#include "vernier/run/record/result_writer.hpp"

namespace vernier::record {
namespace {

using ::testing::ElementsAre;
using ::testing::Optional;

struct LineAndStep {
  double time, line;  // a quantity that changes continuously
  double step;        // one that is held
};

ResultReader run_of(const std::filesystem::path& file, const std::vector<LineAndStep>& rows) {
  ResultLayout layout;
  layout.groups.push_back({{}, {{.path = "line"}, {.path = "step", .held = true}}});
  {
    ResultWriter w(file, layout);
    for (const LineAndStep& r : rows) w.append(0, std::as_bytes(std::span(&r, 1)));
  }
  return ResultReader(file);
}

Trace curve(const ResultReader& a, const ResultReader& b, const char* path, double shift = 0.0) {
  return difference(a, *a.find(path), b, *b.find(path), 0, shift);
}

TEST(Differences, OfTwoSamplingsOfOneLineVanish) {
  const TemporaryFolder folder;
  std::vector<LineAndStep> often, seldom;
  for (int k = 0; k <= 20; ++k) often.push_back({k / 4.0, 3.0 * (k / 4.0), 0});
  for (int k = 0; k <= 5; ++k) seldom.push_back({double(k), 3.0 * k, 0});
  const auto a = run_of(folder / "a.h5", often), b = run_of(folder / "b.h5", seldom);
  const Trace d = curve(a, b, "line");
  EXPECT_EQ(d.time.size(), 21u);
  for (const double v : d.values) EXPECT_EQ(v, 0.0);  // quarters are exact
  CompareOptions o{.signals = {"line"}, .between = true};
  EXPECT_EQ(compare(a, b, o).signals[0].compared, 21u);
  EXPECT_EQ(compare(b, a, o).signals[0].largest, 0.0);
}

TEST(Differences, HoldWhatIsHeldAndInterpolateTheRest) {
  const TemporaryFolder folder;
  const auto a = run_of(folder / "a.h5", {{0, 0, 0}, {1, 10, 10}, {2, 20, 20}});
  const auto b = run_of(folder / "b.h5", {{0, 0, 0}, {0.5, 0, 7}, {2, 20, 20}, {3, 9, 9}});
  const Trace held = curve(a, b, "step"), line = curve(a, b, "line");
  EXPECT_THAT(held.time, ElementsAre(0, 0.5, 1, 2));  // 3 s is after the end of the first run
  EXPECT_THAT(held.values, ElementsAre(0, -7, 3, 0));
  EXPECT_THAT(line.values, ElementsAre(0, 5, ::testing::DoubleEq(10 - 20.0 / 3.0), 0));
  // the table has the numbers of the curve
  const Comparison c = compare(a, b, {.between = true});
  EXPECT_EQ(c.signals[0].compared, 4u);
  EXPECT_EQ(c.signals[0].only_b, 1u);
  EXPECT_EQ(c.signals[0].largest, 5.0);
  EXPECT_EQ(c.signals[0].largest_at, 0.5);
  EXPECT_EQ(c.signals[1].largest, 7.0);
  EXPECT_NEAR(c.signals[1].rms, std::sqrt((49.0 + 9.0) / 4.0), 1e-14);
}

TEST(Differences, CompareBothSidesOfAnEvent) {
  const TemporaryFolder folder;
  const auto a = run_of(folder / "a.h5", {{0, 0, 0}, {1, 1, 1}, {1, 5, 5}, {2, 6, 6}});
  const auto b = run_of(folder / "b.h5", {{0, 0, 0}, {1, 2, 2}, {1, 4, 4}, {2, 6, 6}});
  EXPECT_THAT(curve(a, b, "step").values, ElementsAre(0, -1, 1, 0));
}

TEST(Differences, AreThoseOfTheUnshiftedRunAfterAShift) {
  const TemporaryFolder folder;
  std::vector<LineAndStep> rows, later;
  for (int k = 0; k <= 1000; ++k) {
    const double v = std::sin(0.1 * k);
    rows.push_back({k * 0.1, v, v});
    later.push_back({k * 0.1 + 12.3, v, v});  // rounded otherwise than 123 + k tenths
  }
  const auto a = run_of(folder / "a.h5", rows), b = run_of(folder / "b.h5", later);
  const CompareOptions o{.shift = -12.3};
  const Comparison c = compare(a, b, o);
  EXPECT_EQ(c.signals[0].compared, 1001u);
  EXPECT_TRUE(c.within());
  const Trace d = curve(a, b, "line", -12.3);
  EXPECT_EQ(d.time.size(), 1001u);
  for (const double v : d.values) EXPECT_EQ(v, 0.0);
}

TEST(Differences, KeepASpikeHoweverFewPointsAreWanted) {
  const TemporaryFolder folder;
  std::vector<LineAndStep> rows, spiky;
  for (int k = 0; k < 10'000; ++k) rows.push_back({k * 0.01, 1, 1});
  spiky = rows;
  spiky[7777].step = -41;
  const auto a = run_of(folder / "a.h5", rows), b = run_of(folder / "b.h5", spiky);
  const Trace d = difference(a, *a.find("step"), b, *b.find("step"), 0, 0.0, 100);
  EXPECT_LE(d.time.size(), 150u);
  const auto spike = std::find(d.values.begin(), d.values.end(), 42.0);
  ASSERT_NE(spike, d.values.end());
  EXPECT_EQ(d.time[static_cast<std::size_t>(spike - d.values.begin())], rows[7777].time);
}

TEST(Crossings, AreFoundBetweenRowsAndAtRows) {
  const TemporaryFolder folder;
  const auto r = run_of(folder / "a.h5", {{0, 0, 0}, {1, 4, 4}, {2, 0, 0}, {3, 4, 4}});
  const Signal &line = *r.find("line"), &step = *r.find("step");
  EXPECT_THAT(crossing(r, line, 0, 1.0), Optional(0.25));
  EXPECT_THAT(crossing(r, line, 0, 1.0, Crossing::falling), Optional(1.75));
  EXPECT_THAT(crossing(r, line, 0, 1.0, Crossing::rising, 2), Optional(2.25));
  EXPECT_THAT(crossing(r, line, 0, 1.0, Crossing::either, 2), Optional(1.75));
  EXPECT_THAT(crossing(r, step, 0, 1.0), Optional(1.0));
  EXPECT_EQ(crossing(r, line, 0, 5.0), std::nullopt);
  EXPECT_EQ(crossing(r, line, 0, 1.0, Crossing::either, 4), std::nullopt);
}

}  // namespace
}  // namespace vernier::record
