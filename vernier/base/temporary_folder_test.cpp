#include "vernier/base/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <string>

#include "vernier/base/diagnostic.hpp"

namespace vernier {
namespace {

TEST(TemporaryFolder, IsItsOwnAndGoesWithWhatIsInIt) {
  std::filesystem::path first;
  {
    const TemporaryFolder one;
    const TemporaryFolder other;
    first = one.path();
    EXPECT_NE(one.path(), other.path());
    std::filesystem::create_directories(one / "a" / "b");
    std::ofstream(one / "a" / "b" / "file") << "text";
    EXPECT_TRUE(std::filesystem::is_regular_file(first / "a/b/file"));
  }
  EXPECT_FALSE(std::filesystem::exists(first));
}

TEST(TemporaryFolder, SaysWhyNoneCanBeMade) {
  const char* before = std::getenv("TMPDIR");
  const std::string kept = before ? before : "";
  ::setenv("TMPDIR", "/proc", 1);
  std::string code;
  try {
    const TemporaryFolder none;
  } catch (const ConfigurationError& e) {
    code = e.diagnostics().list().front().code;
  }
  before ? ::setenv("TMPDIR", kept.c_str(), 1) : ::unsetenv("TMPDIR");
  EXPECT_EQ(code, "V7107");
}

}  // namespace
}  // namespace vernier
