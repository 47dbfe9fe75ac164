#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "vernier/model/facility/reader.hpp"
#include "vernier/testing/files.hpp"

namespace vernier::facility {
namespace {

namespace fs = std::filesystem;

const fs::path format = fs::path(VERNIER_SOURCE_DIR) / "formats/facility";

TEST(FacilityFormat, GoodDocumentsReadWithoutAWord) {
  std::vector<fs::path> all = testing::files(format / "good", ".xml");
  all.push_back(fs::path(VERNIER_SOURCE_DIR) / "missions/epos/robots.xml");
  for (const fs::path& path : all) {
    Diagnostics problems;
    const auto source = read_source(path, problems);
    EXPECT_EQ(rendered(problems), "") << path;
    ASSERT_TRUE(source) << path;
    EXPECT_FALSE(source->summary().empty());
    const Parameters p("x", source->parameters(), {}, 1, {}, problems);
    EXPECT_EQ(rendered(problems), "") << path;
    EXPECT_NO_THROW(source->made(p)) << path;
    // xmllint is an independent reader of the same grammar
    EXPECT_TRUE(testing::xmllint_accepts(format / "facility.dtd", path)) << path;
  }
}

TEST(FacilityFormat, BadDocumentsGetTheMessageStoredBesideThem) {
  std::set<std::string> shown;
  for (const fs::path& path : testing::files(format / "bad", ".xml")) {
    Diagnostics problems;
    EXPECT_FALSE(parse_source(testing::content(path), path.filename(), problems)) << path;
    EXPECT_EQ(rendered(problems, 1000), testing::content(fs::path(path).replace_extension(".txt")))
        << path;
    for (const Diagnostic& d : problems.list()) shown.insert(d.code);
  }
  for (int n = 1680; n <= 1687; ++n)
    EXPECT_TRUE(shown.contains("V" + std::to_string(n))) << "V" << n << " has no bad file";
}

TEST(FacilityFormat, AParameterThatMakesItImpossibleIsRefused) {
  Diagnostics problems;
  const auto source = read_source(format / "good/epos.xml", problems);
  ParameterValues values;
  values["delay"] = {"3 ms", "", {}};
  const Parameters p("x", source->parameters(), values, 1, {}, problems);
  EXPECT_THROW(source->made(p), ConfigurationError);
}

TEST(FacilityFormat, TheGrammarIsThatOfTheTree) {
  EXPECT_EQ(grammar().dtd, testing::content(format / "facility.dtd"));
}

}  // namespace
}  // namespace vernier::facility
