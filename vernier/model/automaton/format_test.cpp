#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "vernier/model/automaton/automaton.hpp"

namespace vernier::automaton {
namespace {

namespace fs = std::filesystem;

const fs::path format = fs::path(VERNIER_SOURCE_DIR) / "formats/hybrid";

std::string content(const fs::path& path) {
  std::ostringstream out;
  out << std::ifstream(path, std::ios::binary).rdbuf();
  return out.str();
}

std::vector<fs::path> documents(const char* folder) {
  std::vector<fs::path> all;
  for (const auto& entry : fs::directory_iterator(format / folder)) {
    if (entry.path().extension() == ".xml") all.push_back(entry.path());
  }
  std::sort(all.begin(), all.end());
  return all;
}

std::unique_ptr<hybrid::System> made(const Type& type) {
  Diagnostics problems;
  const Parameters p("x", type.parameters, {}, 1, {}, problems);
  EXPECT_EQ(problems.errors(), 0u) << rendered(problems);
  return type.system(p);
}

TEST(HybridFormat, GoodDocumentsReadWithoutAWord) {
  ASSERT_GE(documents("good").size(), 15u);
  for (const fs::path& path : documents("good")) {
    Diagnostics problems;
    const Type type = read_type(path, problems);
    EXPECT_EQ(rendered(problems), "") << path;
    ASSERT_TRUE(type.system) << path;
    EXPECT_FALSE(type.summary.empty()) << path;
    EXPECT_TRUE(made(type)) << path;
  }
}

TEST(HybridFormat, BadDocumentsGetTheMessageStoredBesideThem) {
  ASSERT_GE(documents("bad").size(), 40u);
  for (const fs::path& path : documents("bad")) {
    Diagnostics problems;
    const Type type = parse_type(content(path), path.filename(), problems);
    EXPECT_EQ(rendered(problems), content(fs::path(path).replace_extension(".txt"))) << path;
    EXPECT_EQ(problems.errors() == 0, static_cast<bool>(type.system)) << path;
  }
}

TEST(HybridFormat, EveryMessageOfTheReaderIsExplained) {
  for (const fs::path& path : documents("bad")) {
    Diagnostics problems;
    parse_type(content(path), path.filename(), problems);
    for (const Diagnostic& d : problems.list()) {
      const fs::path text = fs::path(VERNIER_SOURCE_DIR) / "docs/messages" / (d.code + ".md");
      EXPECT_TRUE(content(text).starts_with("# " + d.code + ": ")) << text;
    }
  }
}

TEST(HybridFormat, TheGrammarIsThatOfTheTree) {
  EXPECT_EQ(grammar().dtd, content(format / "hybrid.dtd"));
}

// xmllint is an independent reader of the same grammar
TEST(HybridFormat, XmllintFindsTheGoodDocumentsValid) {
  for (const fs::path& path : documents("good")) {
    const std::string command = "xmllint --nonet --noout --dtdvalid '" +
                                (format / "hybrid.dtd").string() + "' '" + path.string() + "'";
    EXPECT_EQ(std::system(command.c_str()), 0) << path;  // NOLINT(concurrency-mt-unsafe)
  }
}

}  // namespace
}  // namespace vernier::automaton
