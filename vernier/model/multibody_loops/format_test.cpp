#include <gtest/gtest.h>

#include <filesystem>
#include <set>
#include <string>

#include "vernier/base/units.hpp"
#include "vernier/model/multibody_loops/deck.hpp"
#include "vernier/model/multibody_loops/mechanism.hpp"
#include "vernier/model/multibody_loops/reader.hpp"
#include "vernier/testing/files.hpp"

namespace vernier::multibody_loops {
namespace {

namespace fs = std::filesystem;

const fs::path format = fs::path(VERNIER_SOURCE_DIR) / "formats/constrained";

Diagnostics problems_of(const fs::path& path) {
  Diagnostics problems;
  const testing::Standing there(path.parent_path());
  if (path.extension() == ".mbd") {
    convert_deck(testing::content(path), path.filename().string(), problems);
  } else {
    parse_source(testing::content(path), path.filename(), problems);
  }
  return problems;
}

TEST(ConstrainedFormat, GoodDocumentsReadAndCanBePutTogether) {
  ASSERT_GE(testing::files(format / "good", ".xml").size(), 5u);
  for (const fs::path& path : testing::files(format / "good", ".xml")) {
    Diagnostics problems;
    const auto source = read_source(path, problems);
    EXPECT_EQ(rendered(problems), "") << path;
    ASSERT_TRUE(source) << path;
    EXPECT_FALSE(source->summary().empty()) << path;
    const Parameters p("x", source->parameters(), {}, 1, {}, problems);
    EXPECT_EQ(rendered(problems), "") << path;
    const Mechanism m(source->made(p));
    for (const Port& port : m.description().outputs)
      EXPECT_TRUE(parsed_unit(port.unit)) << port.unit;
    // xmllint is an independent reader of the same grammar
    EXPECT_TRUE(testing::xmllint_accepts(format / "constrained.dtd", path)) << path;
  }
}

TEST(ConstrainedFormat, BadFilesGetTheMessageStoredBesideThem) {
  std::set<std::string> shown;
  for (const char* extension : {".xml", ".mbd"}) {
    ASSERT_GE(testing::files(format / "bad", extension).size(), 6u);
    for (const fs::path& path : testing::files(format / "bad", extension)) {
      const Diagnostics problems = problems_of(path);
      EXPECT_EQ(rendered(problems, 1000),
                testing::content(fs::path(path).replace_extension(".txt")))
          << path;
      EXPECT_FALSE(problems.list().empty()) << path;
      for (const Diagnostic& d : problems.list()) shown.insert(d.code);
    }
  }
  for (const char* code :
       {"V1700", "V1702", "V1704", "V1705", "V1706", "V1707", "V1708", "V1709", "V1710",
        "V1711", "V1712", "V1713", "V1714", "V1715", "V1716", "V1717", "V1721", "V1722",
        "V1723", "V1724", "V1725", "V1726", "V1727", "V1728", "V1729"})
    EXPECT_TRUE(shown.contains(code)) << code << " has no bad file";
}

TEST(ConstrainedFormat, TheGrammarIsThatOfTheTree) {
  EXPECT_EQ(grammar().dtd, testing::content(format / "constrained.dtd"));
}

}  // namespace
}  // namespace vernier::multibody_loops
