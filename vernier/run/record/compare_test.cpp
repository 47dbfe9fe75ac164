#include "vernier/run/record/compare.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <sstream>

#include "vernier/base/temporary_folder.hpp"
#include "vernier/run/record/export.hpp"
#include "vernier/run/record/result_writer.hpp"
#include "vernier/testing/files.hpp"

namespace vernier::record {
namespace {

namespace fs = std::filesystem;
const double nan = std::nan("");

struct Row {
  double time, x, y0, y1;
};

/// Results with a.x and the vector a.y in one group, and b.z at other times.
ResultReader results(const fs::path& file, const std::vector<Row>& rows,
                     const std::vector<std::pair<double, double>>& z = {}) {
  ResultLayout layout;
  layout.composition = "c";
  layout.groups.push_back({{}, {{"a.x", "m"}, {.path = "a.y", .unit = "rad/s", .count = 2}}});
  layout.groups.push_back({{1, 1}, {{"b.z"}}});
  {
    ResultWriter w(file, layout);
    for (const Row& r : rows) w.append(0, std::as_bytes(std::span(&r, 1)));
    for (const auto& [t, v] : z) {
      const double row[2] = {t, v};
      w.append(1, std::as_bytes(std::span(row)));
    }
  }
  return ResultReader(file);
}

TEST(Compare, FindsNothingBetweenEqualRuns) {
  const TemporaryFolder folder;
  const std::vector<Row> rows{{0, 1, 2, nan}, {0.1, 1, 2, 3}};
  const auto a = results(folder / "a.h5", rows), b = results(folder / "b.h5", rows);
  const Comparison c = compare(a, b);
  EXPECT_TRUE(c.within());
  ASSERT_EQ(c.signals.size(), 3u);
  for (const Difference& d : c.signals) EXPECT_EQ(d.largest, 0.0);
  EXPECT_EQ(c.signals[1].compared, 2u);
}

TEST(Compare, RefusesRunsWithoutAValue) {
  const TemporaryFolder folder;
  const auto a = results(folder / "a.h5", {}), b = results(folder / "b.h5", {});
  const auto c = results(folder / "c.h5", {{0, 1, 2, 3}});
  EXPECT_THROW(compare(a, b), ConfigurationError);
  EXPECT_THROW(compare(c, c, {.signals = {"b.z"}}), ConfigurationError);
  EXPECT_FALSE(compare(a, c).within());
  EXPECT_TRUE(compare(c, c).within());
}

TEST(Compare, MeasuresLargestAndRmsAndFirstDivergence) {
  const TemporaryFolder folder;
  const auto a = results(folder / "a.h5", {{0, 1, 0, 0}, {1, 1, 0, 0}, {2, 1, 0, 0}, {3, 1, 0, 0}});
  const auto b =
      results(folder / "b.h5", {{0, 1, 0, 0}, {1, 1.1, 0, 3}, {2, 1.3, 4, 0}, {3, 1, 0, 0}});
  CompareOptions o;
  o.tolerances = {{"a.x", 0.2, 0.0}};
  const Comparison c = compare(a, b, o);
  EXPECT_FALSE(c.within());
  EXPECT_NEAR(c.signals[0].largest, 0.3, 1e-15);
  EXPECT_EQ(c.signals[0].largest_at, 2.0);
  EXPECT_EQ(c.signals[0].diverges_at, 2.0);
  EXPECT_EQ(c.signals[1].largest, 4.0);
  EXPECT_EQ(c.signals[1].largest_element, 0u);
  EXPECT_EQ(c.signals[1].diverges_at, 1.0);
  EXPECT_NEAR(c.signals[1].rms, std::sqrt((9.0 + 16.0) / 8.0), 1e-15);  // 4 rows of 2 elements
  o.tolerances = {{"a.*", 0.0, 1.0}};
  EXPECT_TRUE(compare(a, b, o).within());
}

TEST(Compare, UsesTheCommonInstantsOfDifferentGrids) {
  const TemporaryFolder folder;
  const auto a =
      results(folder / "a.h5", {{0, 1, 0, 0}, {0.5, 7, 0, 0}, {1, 2, 0, 0}, {1, 3, 0, 0}});
  const auto b = results(folder / "b.h5", {{0, 1, 0, 0}, {0.7, 9, 0, 0}, {1, 3, 0, 0}});
  const Comparison c = compare(a, b, {.signals = {"a.x"}});
  ASSERT_EQ(c.signals.size(), 1u);
  EXPECT_EQ(c.signals[0].compared, 2u);
  EXPECT_EQ(c.signals[0].only_a, 2u);  // 0.5, and the left limit at 1
  EXPECT_EQ(c.signals[0].only_b, 1u);
  EXPECT_EQ(c.signals[0].largest, 0.0);
  const auto d = results(folder / "d.h5", {{0.3, 1, 0, 0}});
  EXPECT_EQ(compare(a, d, {.signals = {"a.x"}}).signals[0].problem,
            "the runs have no instant in common");
}

TEST(Compare, TakesANumberAgainstNoneForInfinitelyFar) {
  const TemporaryFolder folder;
  const auto a = results(folder / "a.h5", {{0, nan, 0, 0}});
  const auto b = results(folder / "b.h5", {{0, 1, 0, 0}});
  CompareOptions o;
  o.tolerances = {{"*", 1e300, 1.0}};
  const Comparison c = compare(a, b, o);
  EXPECT_TRUE(std::isinf(c.signals[0].largest));
  EXPECT_FALSE(c.within());
}

std::string refusal(const fs::path& file) {
  try {
    read_tolerances(file);
  } catch (const ConfigurationError& e) {
    std::string text = rendered(e.diagnostics());
    // messages show the file name as given
    const std::string folder = file.parent_path().string() + "/";
    for (std::size_t at; (at = text.find(folder)) != text.npos;) text.erase(at, folder.size());
    return text;
  }
  return "";
}

TEST(Tolerances, ReadTheGoodAndRefuseTheBadWordForWord) {
  const fs::path format = fs::path(VERNIER_SOURCE_DIR) / "formats/tolerances";
  const auto good = read_tolerances(format / "good/regression.xml");
  ASSERT_EQ(good.size(), 3u);
  EXPECT_EQ(good[1].pattern, "wheel*.speed");
  EXPECT_EQ(good[1].absolute, 1e-6);
  EXPECT_EQ(good[1].relative, 1e-9);
  int files = 0;
  for (const auto& entry : fs::directory_iterator(format / "bad")) {
    if (entry.path().extension() != ".xml") continue;
    fs::path expected = entry.path();
    expected.replace_extension(".txt");
    EXPECT_EQ(refusal(entry.path()), testing::content(expected)) << entry.path();
    ++files;
  }
  EXPECT_EQ(files, 3);
}

TEST(Export, WritesOneTableOfAllTimes) {
  const TemporaryFolder folder;
  const auto r = results(folder / "a.h5", {{0, 1, 2, 3}, {0.5, 4, 5, 6}, {0.5, 7, 8, 9}},
                         {{0.0, -1}, {1.0, -2}});
  std::ostringstream out;
  export_csv(r, {}, out);
  EXPECT_EQ(out.str(),
            "time [s],a.x [m],a.y[0] [rad/s],a.y[1] [rad/s],b.z [1]\n"
            "0,1,2,3,-1\n"
            "0.5,4,5,6,\n"
            "0.5,7,8,9,\n"
            "1,,,,-2\n");
}

TEST(Export, ThinsToMultiplesOfAStep) {
  const TemporaryFolder folder;
  std::vector<Row> rows;
  for (int k = 0; k <= 10'000; ++k) rows.push_back({k * 0.1, double(k), 0, 0});
  const auto r = results(folder / "a.h5", rows);
  std::ostringstream out;
  export_csv(r, {.signals = {"a.x"}, .every = 100.0}, out);
  EXPECT_EQ(out.str(),
            "time [s],a.x [m]\n0,0\n100,1000\n200,2000\n300,3000\n400,4000\n500,5000\n600,6000\n"
            "700,7000\n800,8000\n900,9000\n1000,10000\n");
}

TEST(Export, WritesJson) {
  const TemporaryFolder folder;
  const auto r = results(folder / "a.h5", {{0, 1, 2, nan}});
  std::ostringstream out;
  export_json(r, {.signals = {"a.y", "a.y[0]"}}, out);
  EXPECT_EQ(
      out.str(),
      "{\"composition\": \"c\", \"vernier\": \"\", \"start\": \"\",\n \"signals\": [\n"
      "  {\"path\": \"a.y\", \"unit\": \"rad/s\", \"frame\": \"\", \"description\": \"\",\n"
      "   \"time\": [0],\n   \"values\": [[2,null]]},\n"
      "  {\"path\": \"a.y[0]\", \"unit\": \"rad/s\", \"frame\": \"\", \"description\": \"\",\n"
      "   \"time\": [0],\n   \"values\": [2]}\n ]}\n");
}

}  // namespace
}  // namespace vernier::record
