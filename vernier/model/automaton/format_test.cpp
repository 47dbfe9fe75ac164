#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "vernier/model/automaton/automaton.hpp"
#include "vernier/testing/files.hpp"

namespace vernier::automaton {
namespace {

namespace fs = std::filesystem;

const fs::path format = fs::path(VERNIER_SOURCE_DIR) / "formats/hybrid";

std::unique_ptr<hybrid::System> made_plainly(const Type& type) {
  Diagnostics problems;
  const Parameters p("x", type.parameters, {}, 1, {}, problems);
  EXPECT_EQ(problems.errors(), 0u) << rendered(problems);
  return type.system(p);
}

TEST(HybridFormat, GoodDocumentsReadWithoutAWord) {
  ASSERT_GE(testing::files(format / "good", ".xml").size(), 15u);
  for (const fs::path& path : testing::files(format / "good", ".xml")) {
    Diagnostics problems;
    const Type type = read_type(path, problems);
    EXPECT_EQ(rendered(problems), "") << path;
    ASSERT_TRUE(type.system) << path;
    EXPECT_FALSE(type.summary.empty()) << path;
    EXPECT_TRUE(made_plainly(type)) << path;
  }
}

TEST(HybridFormat, BadDocumentsGetTheMessageStoredBesideThem) {
  ASSERT_GE(testing::files(format / "bad", ".xml").size(), 40u);
  for (const fs::path& path : testing::files(format / "bad", ".xml")) {
    Diagnostics problems;
    const Type type = parse_type(testing::content(path), path.filename(), problems);
    EXPECT_EQ(rendered(problems), testing::content(fs::path(path).replace_extension(".txt")))
        << path;
    EXPECT_EQ(problems.errors() == 0, static_cast<bool>(type.system)) << path;
  }
}

TEST(HybridFormat, EveryMessageOfTheReaderIsExplained) {
  for (const fs::path& path : testing::files(format / "bad", ".xml")) {
    Diagnostics problems;
    parse_type(testing::content(path), path.filename(), problems);
    for (const Diagnostic& d : problems.list()) {
      const fs::path text = fs::path(VERNIER_SOURCE_DIR) / "docs/messages" / (d.code + ".md");
      EXPECT_TRUE(testing::content(text).starts_with("# " + d.code + ": ")) << text;
    }
  }
}

TEST(HybridFormat, TheGrammarIsThatOfTheTree) {
  EXPECT_EQ(grammar().dtd, testing::content(format / "hybrid.dtd"));
}

// xmllint is an independent reader of the same grammar
TEST(HybridFormat, XmllintFindsTheGoodDocumentsValid) {
  for (const fs::path& path : testing::files(format / "good", ".xml")) {
    EXPECT_TRUE(testing::xmllint_accepts(format / "hybrid.dtd", path)) << path;
  }
}

}  // namespace
}  // namespace vernier::automaton
