#include "vernier/base/trust.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <thread>

#include "vernier/base/diagnostic.hpp"
#include "vernier/base/temporary_folder.hpp"

namespace vernier {
namespace {

namespace fs = std::filesystem;

std::string trust_refusal(const fs::path& file) {
  try {
    read_trust(file);
    return "read";
  } catch (const ConfigurationError& e) {
    EXPECT_EQ(e.diagnostics().list().front().code, "V7604");
    return e.what();
  }
}

std::string digest_text(char c) { return std::string(64, c); }

TEST(Trust, RemembersFilesByTheirContent) {
  const TemporaryFolder folder;
  const fs::path file = folder / "a.so", list = folder / "config/trusted";
  std::ofstream(file) << "one";
  change_trust(list, [&](Trust& t) { t.add(file); });
  std::ofstream(file) << "two";
  change_trust(list, [&](Trust& t) { t.add(file); });
  const Trust read = read_trust(list);
  ASSERT_EQ(read.list().size(), 2u);
  EXPECT_TRUE(read.contains(sha256(std::as_bytes(std::span("one", 3)))));
  ASSERT_NE(read.at(file), nullptr);
  EXPECT_EQ(read.at(file)->sha256, sha256(std::as_bytes(std::span("two", 3))));
  EXPECT_EQ(read.at(folder / "b.so"), nullptr);
  change_trust(list, [&](Trust& t) { EXPECT_EQ(t.remove(file.string()), 2u); });
  EXPECT_TRUE(read_trust(list).list().empty());
}

TEST(Trust, CanBeWithdrawnByTheDigest) {
  const TemporaryFolder folder;
  std::ofstream(folder / "a.so") << "one";
  Trust t;
  const std::string digest = text(t.add(folder / "a.so").sha256);
  EXPECT_EQ(t.remove(digest_text('0')), 0u);
  EXPECT_EQ(t.remove(digest), 1u);
  EXPECT_TRUE(t.list().empty());
}

TEST(Trust, IsReadAsItWasWritten) {
  const std::string line = digest_text('a') + " 2026-06-01T12:00:00Z /a folder/with blanks.so\n";
  const Trust t = parsed_trust("# a comment\n\n" + line, "trusted");
  ASSERT_EQ(t.list().size(), 1u);
  EXPECT_EQ(t.list()[0].path, "/a folder/with blanks.so");
  EXPECT_EQ(t.list()[0].since, "2026-06-01T12:00:00Z");
  EXPECT_TRUE(text(t).ends_with("\n" + line));
}

TEST(Trust, RefusesLinesThatAreNoTrustedFiles) {
  const std::string good = digest_text('1') + " now /x.so\n";
  for (const std::string& bad :
       {std::string("hello"), digest_text('1'), digest_text('1') + " now",
        digest_text('1') + " now relative.so", digest_text('g') + " now /x.so",
        digest_text('A') + " now /x.so", digest_text('1') + "  /x.so",
        digest_text('1') + " now /x\t.so", " " + good}) {
    try {
      parsed_trust(good + bad, "trusted");
      ADD_FAILURE() << bad;
    } catch (const ConfigurationError& e) {
      EXPECT_EQ(e.diagnostics().list().front().code, "V7604");
      EXPECT_EQ(e.diagnostics().list().front().place.line, 2);
    }
  }
}

TEST(TrustFile, IsRefusedWhenOthersCanChangeIt) {
  const TemporaryFolder folder;
  const fs::path list = folder / "trusted";
  EXPECT_EQ(trust_refusal(list), "read");  // none: nothing is trusted
  std::ofstream(list) << digest_text('1') + " now /x.so\n";
  for (const mode_t mode : {0660u, 0606u, 0666u}) {
    chmod(list.c_str(), mode);
    EXPECT_NE(trust_refusal(list).find("others can change it"), std::string::npos);
  }
  chmod(list.c_str(), 0644);
  EXPECT_EQ(trust_refusal(list), "read");
}

TEST(TrustFile, IsRefusedWhenItBelongsToAnotherUser) {
  // a file of another user that everyone can read and only root can change
  struct stat about {};
  const char* foreign = geteuid() == 0 ? nullptr : "/etc/hostname";
  const TemporaryFolder folder;
  const fs::path list = folder / "trusted";
  if (!foreign) {
    std::ofstream(list) << "";
    chmod(list.c_str(), 0600);
    if (chown(list.c_str(), 12345, 12345) != 0) GTEST_SKIP() << "no right to give a file away";
    foreign = list.c_str();
  }
  ASSERT_EQ(stat(foreign, &about), 0);
  EXPECT_NE(trust_refusal(foreign).find("it belongs to another user"), std::string::npos);
}

TEST(TrustFile, MustBeAFileOfBoundedSize) {
  const TemporaryFolder folder;
  EXPECT_NE(trust_refusal(folder.path()).find("it is not a file"), std::string::npos);
  const fs::path list = folder / "trusted";
  std::ofstream(list) << std::string((1u << 20) + 1, '#');
  chmod(list.c_str(), 0600);
  EXPECT_NE(trust_refusal(list).find("larger than 1 MiB"), std::string::npos);
}

TEST(TrustFile, IsWrittenForItsOwnerAloneAndNotLostByTwoAtOnce) {
  const TemporaryFolder folder;
  const fs::path list = folder / "trusted";
  std::vector<std::jthread> threads;
  for (int k = 0; k < 4; ++k)
    threads.emplace_back([&, k] {
      for (int i = 0; i < 5; ++i) {
        const fs::path file = folder / (std::to_string(k) + "-" + std::to_string(i));
        std::ofstream(file) << file;
        change_trust(list, [&](Trust& t) { t.add(file); });
      }
    });
  threads.clear();
  EXPECT_EQ(read_trust(list).list().size(), 20u);
  struct stat about {};
  ASSERT_EQ(stat(list.c_str(), &about), 0);
  EXPECT_EQ(about.st_mode & 0777, 0600u);
}

TEST(TrustFile, RefusesNamesThatItCannotKeep) {
  const TemporaryFolder folder;
  const fs::path file = folder / "two\nlines.so";
  std::ofstream(file) << "one";
  Trust t;
  EXPECT_THROW(t.add(file), ConfigurationError);
}

}  // namespace
}  // namespace vernier
