#include "vernier/gateway/file/confined.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <fstream>

#include "vernier/base/diagnostic.hpp"
#include "vernier/base/temporary_folder.hpp"
#include "vernier/gateway/file/csv_sink.hpp"

namespace vernier::file {
namespace {

namespace fs = std::filesystem;

TEST(Confined, ARelativePathStaysInTheFolderOfTheRun) {
  EXPECT_EQ(escape("log.csv", {}), "");
  EXPECT_EQ(escape("logs/a/log.csv", {}), "");
  EXPECT_NE(escape("../log.csv", {"/"}), "");
  EXPECT_NE(escape("logs/../../log.csv", {"/"}), "");
}

TEST(Confined, AnAbsolutePathNeedsAFolderThatIsAllowed) {
  EXPECT_NE(escape("/home/ada/log.csv", {}), "");
  EXPECT_EQ(escape("/home/ada/log.csv", {"/home/ada"}), "");
  EXPECT_EQ(escape("/home/ada/log.csv", {"/home/bob", "/home/ada/"}), "");
  EXPECT_EQ(escape("/home/ada/log.csv", {"/"}), "");
  EXPECT_NE(escape("/home/adam/log.csv", {"/home/ada"}), "");
  EXPECT_NE(escape("/home/ada/../bob/log.csv", {"/home/ada"}), "");
}

/// The errno of an attempt to create a file; 0: created.
int attempt(const fs::path& root, const fs::path& file, int how = O_EXCL) {
  const Descriptor d(open_below(root, file, O_RDWR | O_CREAT | how));
  return d ? 0 : errno;
}

TEST(Confined, LinksDoNotLeadOut) {
  const TemporaryFolder folder;
  const fs::path root = folder / "root", out = folder / "out";
  fs::create_directories(root / "sub");
  fs::create_directories(out);
  fs::create_directory_symlink(out, root / "link");
  fs::create_directory_symlink(root / "sub", root / "inner");
  std::ofstream(out / "precious") << "mine";
  fs::create_symlink(out / "precious", root / "file");
  EXPECT_EQ(attempt(root, root / "log.csv"), 0);
  EXPECT_EQ(attempt(root, root / "inner/log.csv"), 0);
  EXPECT_TRUE(fs::exists(root / "sub/log.csv"));
  EXPECT_EQ(attempt(root, root / "link/log.csv"), EXDEV);
  EXPECT_EQ(attempt(root, root / "sub/../../out/log.csv"), EXDEV);
  EXPECT_EQ(attempt(root, root / "file", O_TRUNC), ELOOP);
  EXPECT_EQ(fs::file_size(out / "precious"), 4u);
  EXPECT_EQ(attempt(root, root / "none/log.csv"), ENOENT);
  // the allowed folder may itself be reached through a link
  EXPECT_EQ(attempt(root / "link", root / "link/log.csv"), 0);
}

channel::Channels one_input() {
  channel::Channels c;
  c.inputs.resize(1);
  c.inputs[0].name = "x";
  c.inputs[0].initial = {0.0};
  return c;
}

std::string refused_sink(const CsvSinkSettings& settings, const fs::path& folder = {}) {
  try {
    CsvSink sink(one_input(), settings);
    if (!folder.empty()) sink.write_below(folder);
    sink.initialize(Time{}, 0);
    return sink.files().front().string();
  } catch (const ConfigurationError& e) {
    return e.diagnostics().list().front().code;
  }
}

TEST(CsvSink, OfADocumentWritesOnlyWhereItMay) {
  const TemporaryFolder folder;
  const fs::path run = folder / "run/outputs", allowed = folder / "allowed";
  fs::create_directories(allowed);
  fs::create_directory_symlink(folder.path(), allowed / "out");
  const auto sink = [&](const fs::path& path) {
    return refused_sink({.path = path, .confined = true, .writable = {allowed}}, run);
  };
  EXPECT_EQ(sink("a/log.csv"), (run / "a/log.csv").string());
  EXPECT_EQ(sink("a/log.csv"), (run / "a/log-2.csv").string());
  EXPECT_EQ(sink(allowed / "log.csv"), (allowed / "log.csv").string());
  EXPECT_EQ(sink("../log.csv"), "V7312");
  EXPECT_EQ(sink(folder / "log.csv"), "V7312");
  EXPECT_EQ(sink(allowed / "out/log.csv"), "V7312");
  EXPECT_FALSE(fs::exists(folder / "log.csv"));
  // without a run there is no folder for it
  EXPECT_EQ(refused_sink({.path = "log.csv", .confined = true}), "V7312");
}

}  // namespace
}  // namespace vernier::file
