#include "vernier/net/socket.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <system_error>
#include <thread>

#include "vernier/base/temporary_folder.hpp"

namespace vernier::net {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

TEST(Address, MeansThisMachineUnlessItSaysMore) {
  EXPECT_EQ(text(*parsed_address(":4711")), "127.0.0.1:4711");
  EXPECT_EQ(text(*parsed_address("4711")), "127.0.0.1:4711");
  EXPECT_EQ(text(*parsed_address("plant.lab:80")), "plant.lab:80");
  EXPECT_EQ(text(*parsed_address("[::1]:80")), "[::1]:80");
  for (const char* bad :
       {"", ":", "host", "::1:80", "host:99999", "host:-1", "host:+1", "host:4x", "[]:1"}) {
    EXPECT_FALSE(parsed_address(bad)) << bad;
  }
}
TEST(Sockets, ListenAtAFreePortAndAreReachedThere) {
  const auto listener = listening({"127.0.0.1", "0"});
  ASSERT_TRUE(listener);
  EXPECT_FALSE(accepted(*listener));  // no connection, and it does not block
  const Address there{"127.0.0.1", std::to_string(port_of(*listener))};
  const auto near = connected(there, forever);
  ASSERT_TRUE(near) << near.error();
  const auto far = accepted(*listener, forever);
  ASSERT_TRUE(far);
  EXPECT_THAT(peer_name(near->get()), HasSubstr(text(there)));
  // in use: a second one cannot listen there
  const auto other = listening(there);
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error(), "Address already in use");
}

TEST(Sockets, SayWhyTheyCannotConnect) {
  Address nobody{"127.0.0.1", ""};
  {
    const auto listener = listening({"127.0.0.1", "0"});
    nobody.port = std::to_string(port_of(*listener));
  }
  const auto refused = connected(nobody, forever);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error(), "Connection refused");
  EXPECT_FALSE(connected({"no.such.host.invalid", "1"}, forever));
  EXPECT_FALSE(connected_to("/nowhere/at/all"));
}

TEST(Sockets, WaitingEndsAtTheDeadlineOrWhenWoken) {
  const auto listener = listening({"127.0.0.1", "0"});
  EXPECT_FALSE(accepted(*listener, Clock::now() + 1ms));
  const Wake wake;
  std::thread other([&] { wake.ring(); });
  EXPECT_FALSE(accepted(*listener, forever, wake.descriptor()));
  other.join();
}

TEST(Sockets, AtAPathAreForThisUserAndReplaceWhatADeadProcessLeft) {
  const TemporaryFolder folder;
  const std::string path = (folder.path() / "socket").string();
  {
    const auto listener = listening_at(path);
    ASSERT_TRUE(listener) << listener.error();
    struct stat status {};
    ASSERT_EQ(stat(path.c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777u, 0600u);
    const auto near = connected_to(path);
    ASSERT_TRUE(near) << near.error();
    const auto far = accepted(*listener, forever);
    ASSERT_TRUE(far);
    EXPECT_TRUE(from_this_user(far->get()));
    EXPECT_EQ(peer_name(far->get()), "process " + std::to_string(getpid()));
    // in use
    EXPECT_FALSE(listening_at(path));
  }
  // left by a process that did not clean up
  EXPECT_TRUE(listening_at(path));
  // a file that is not a socket is not removed
  const std::string file = (folder.path() / "file").string();
  std::ofstream(file) << "precious";
  EXPECT_FALSE(listening_at(file));
  EXPECT_TRUE(std::filesystem::is_regular_file(file));
  const auto far_too_long = listening_at(std::string(longest_path + 1, 'x'));
  ASSERT_FALSE(far_too_long);
  EXPECT_THAT(far_too_long.error(), HasSubstr("107"));
}

TEST(Sockets, AtAPathCanBeReachedAsSoonAsTheirNameIsThere) {
  const TemporaryFolder folder;
  const std::string path = (folder.path() / "socket").string();
  for (int round = 0; round < 200; ++round) {
    std::string refused;
    std::thread client([&] {
      while (true) {
        const auto near = connected_to(path);
        if (near) return;
        if (near.error() == std::generic_category().message(ENOENT)) continue;
        refused = near.error();
        return;
      }
    });
    const auto listener = listening_at(path);
    client.join();
    ASSERT_TRUE(listener) << listener.error();
    ASSERT_EQ(refused, "");
    unlink(path.c_str());
  }
}

TEST(Descriptors, CloseThemselvesOnce) {
  int number = -1;
  {
    Descriptor d(dup(0));
    number = d.get();
    Descriptor e(std::move(d));
    EXPECT_FALSE(d);
    d = std::move(e);
    EXPECT_EQ(d.get(), number);
    EXPECT_EQ(fcntl(number, F_GETFD) & ~FD_CLOEXEC, 0);
  }
  EXPECT_EQ(fcntl(number, F_GETFD), -1);
  Descriptor kept(dup(0));
  const Descriptor given(kept.release());
  EXPECT_FALSE(kept);
  EXPECT_TRUE(given);
}

}  // namespace
}  // namespace vernier::net
