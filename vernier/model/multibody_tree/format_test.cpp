#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "vernier/model/multibody_tree/modal_file.hpp"
#include "vernier/model/multibody_tree/reader.hpp"
#include "vernier/testing/files.hpp"

namespace vernier::multibody_tree {
namespace {

namespace fs = std::filesystem;

const fs::path format = fs::path(VERNIER_SOURCE_DIR) / "formats/multibody";

Diagnostics problems_of(const fs::path& path) {
  Diagnostics problems;
  const testing::Standing there(path.parent_path());
  if (path.extension() == ".modal") {
    parse_modal_file(testing::content(path), path.filename().string(), problems);
  } else {
    parse_source(testing::content(path), path.filename(), problems);
  }
  return problems;
}

TEST(MultibodyFormat, GoodDocumentsReadWithoutAWord) {
  ASSERT_GE(testing::files(format / "good", ".xml").size(), 2u);
  for (const fs::path& path : testing::files(format / "good", ".xml")) {
    Diagnostics problems;
    const auto source = read_source(path, problems);
    EXPECT_EQ(rendered(problems), "") << path;
    ASSERT_TRUE(source) << path;
    EXPECT_FALSE(source->summary().empty()) << path;
    const Parameters p("x", source->parameters(), {}, 1, {}, problems);
    EXPECT_EQ(rendered(problems), "") << path;
    EXPECT_NO_THROW(source->made(p)) << path;
  }
}

TEST(MultibodyFormat, GoodModalFilesReadWithoutAWord) {
  ASSERT_GE(testing::files(format / "good", ".modal").size(), 1u);
  for (const fs::path& path : testing::files(format / "good", ".modal")) {
    Diagnostics problems;
    EXPECT_TRUE(read_modal_file(path, problems)) << path;
    EXPECT_EQ(rendered(problems), "") << path;
  }
}

TEST(MultibodyFormat, BadFilesGetTheMessageStoredBesideThem) {
  std::vector<fs::path> all = testing::files(format / "bad", ".xml");
  const std::vector<fs::path> modal = testing::files(format / "bad", ".modal");
  ASSERT_GE(all.size(), 25u);
  ASSERT_GE(modal.size(), 8u);
  all.insert(all.end(), modal.begin(), modal.end());
  for (const fs::path& path : all) {
    const std::string stored = testing::content(fs::path(path).replace_extension(".txt"));
    const std::string found = rendered(problems_of(path), 1000);
    EXPECT_EQ(found, stored) << path;
    EXPECT_NE(found, "") << path;
  }
}

TEST(MultibodyFormat, EveryMessageIsExplainedAndShown) {
  std::set<std::string> shown;
  for (const char* extension : {".xml", ".modal"}) {
    for (const fs::path& path : testing::files(format / "bad", extension)) {
      const Diagnostics problems = problems_of(path);
      for (const Diagnostic& d : problems.list()) shown.insert(d.code);
    }
  }
  for (const std::string& code : shown) {
    const fs::path text = fs::path(VERNIER_SOURCE_DIR) / "docs/messages" / (code + ".md");
    EXPECT_TRUE(testing::content(text).starts_with("# " + code + ": ")) << text;
  }
  // the reader's own codes, and those of the checks of the kernel that a document can cause
  for (int n = 1614; n <= 1617; ++n)
    EXPECT_TRUE(shown.contains("V" + std::to_string(n))) << "V" << n << " has no bad file";
  for (int n = 1620; n <= 1639; ++n)
    EXPECT_TRUE(shown.contains("V" + std::to_string(n))) << "V" << n << " has no bad file";
  for (int n = 1650; n <= 1658; ++n)
    EXPECT_TRUE(shown.contains("V" + std::to_string(n))) << "V" << n << " has no bad file";
}

TEST(MultibodyFormat, TheGrammarIsThatOfTheTree) {
  EXPECT_EQ(grammar().dtd, testing::content(format / "multibody.dtd"));
}

// xmllint is an independent reader of the same grammar
TEST(MultibodyFormat, XmllintFindsTheGoodDocumentsValid) {
  std::vector<fs::path> all = testing::files(format / "good", ".xml");
  for (const char* example : {"multibody/spacecraft.xml", "shapes/craft.xml"})
    all.push_back(fs::path(VERNIER_SOURCE_DIR) / "examples" / example);
  for (const fs::path& path : all) {
    EXPECT_TRUE(testing::xmllint_accepts(format / "multibody.dtd", path)) << path;
  }
}

}  // namespace
}  // namespace vernier::multibody_tree
