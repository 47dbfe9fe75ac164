#include "vernier/run/registry/file_registry.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <thread>

#include "vernier/base/temporary_folder.hpp"

namespace vernier::registry {
namespace {

using Kind = Trouble::Kind;
const auto never = net::forever;
const Leader me{"desk", 4711, 0};

TEST(FileRegistry, HasOneLeaderAtATimeWithAGrowingEpoch) {
  const TemporaryFolder folder;
  FileRegistry one(folder.path()), two(folder.path());
  for (std::uint64_t epoch = 1; epoch < 4; ++epoch) {
    FileRegistry& now = epoch % 2 == 0 ? two : one;
    FileRegistry& other = epoch % 2 == 0 ? one : two;
    const auto term = now.lead("a", me, never);
    ASSERT_TRUE(term) << term.error().why;
    EXPECT_EQ(term->epoch, epoch);
    EXPECT_EQ(term->ends, net::forever);
    const auto refused = other.lead("a", {"lab", 1, 0}, never);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().kind, Kind::taken);
    EXPECT_EQ(refused.error().leader, (Leader{"desk", 4711, epoch}));
    EXPECT_TRUE(now.renew(*term, never));
    EXPECT_TRUE(now.resign(*term, false, never));
    const auto after = now.publish(*term, Record{.run = "a"}, never);
    ASSERT_FALSE(after);
    EXPECT_EQ(after.error().kind, Kind::lost);
  }
}

TEST(FileRegistry, ShowsTheRecordOfTheLastLeader) {
  const TemporaryFolder folder;
  FileRegistry one(folder.path()), two(folder.path());
  EXPECT_FALSE(two.look("a", never)->record);
  const auto term = one.lead("a", me, never);
  ASSERT_TRUE(term) << term.error().why;
  Record r{.run = "a", .leader = {"desk", 4711, 1}, .folder = "somewhere"};
  r.checkpoint = {"60.vchk", 60, std::string(64, '0')};
  ASSERT_TRUE(one.publish(*term, r, never));
  auto seen = two.look("a", never);
  ASSERT_TRUE(seen);
  EXPECT_EQ(seen->record, r);
  EXPECT_EQ(seen->leader, r.leader);
  ASSERT_TRUE(one.resign(*term, false, never));
  seen = two.look("a", never);
  EXPECT_EQ(seen->record, r);
  EXPECT_FALSE(seen->leader);
}

TEST(FileRegistry, IsFreeWhenTheProcessOfTheLeaderIsKilled) {
  const TemporaryFolder folder;
  int ready[2];
  ASSERT_EQ(::pipe(ready), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    FileRegistry mine(folder.path());
    const char ok = mine.lead("a", me, never) ? 'y' : 'n';
    if (::write(ready[1], &ok, 1) == 1) ::pause();
    ::_exit(1);
  }
  char ok = 0;
  ASSERT_EQ(::read(ready[0], &ok, 1), 1);
  EXPECT_EQ(ok, 'y');
  FileRegistry here(folder.path());
  EXPECT_FALSE(here.lead("a", me, never));
  EXPECT_FALSE(here.wait_until_free("a", Clock::now() + std::chrono::milliseconds(1)));
  const net::Wake wake;
  wake.ring();
  EXPECT_FALSE(here.wait_until_free("a", never, wake.descriptor()));
  std::thread kills([child] { ::kill(child, SIGKILL); });
  EXPECT_TRUE(here.wait_until_free("a", never));
  kills.join();
  ::waitpid(child, nullptr, 0);
  ::close(ready[0]);
  ::close(ready[1]);
  const auto term = here.lead("a", me, never);
  ASSERT_TRUE(term) << term.error().why;
  EXPECT_EQ(term->epoch, 2u);
}

TEST(FileRegistry, RefusesADamagedRecord) {
  const TemporaryFolder folder;
  std::ofstream(folder / "registry.json") << "{\"record\": 1";
  FileRegistry r(folder.path());
  const auto term = r.lead("a", me, never);
  ASSERT_FALSE(term);
  EXPECT_EQ(term.error().kind, Kind::damaged);
}

TEST(FileRegistry, SaysThatAFolderIsMissing) {
  const TemporaryFolder folder;
  FileRegistry r(folder / "none");
  const auto term = r.lead("a", me, never);
  ASSERT_FALSE(term);
  EXPECT_EQ(term.error().kind, Kind::unreachable);
  EXPECT_NE(term.error().why.find("No such file"), std::string::npos);
}

}  // namespace
}  // namespace vernier::registry
