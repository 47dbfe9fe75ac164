#include "vernier/gateway/link/link.hpp"

#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstddef>

#include "vernier/gateway/link/link_rig_test.hpp"
#include "vernier/testing/allocations.hpp"
#include "vernier/testing/sanitized.hpp"

namespace vernier::link {
namespace {

TEST(Link, CarriesVectorsBothWays) {
  Link server(server_settings());
  Link client(client_settings(server));
  EXPECT_TRUE(server.receive().stale);
  server.start();
  client.start();
  ASSERT_TRUE(comes_up(client));
  ASSERT_TRUE(comes_up(server));
  EXPECT_TRUE(passes(client, server, {1.0, -2.5, 3e300}));
  EXPECT_TRUE(passes(server, client, {7.0, -0.0}));
  EXPECT_TRUE(eventually([&] { return !client.receive().fresh; }));  // the same again
  EXPECT_FALSE(client.receive().stale);
  EXPECT_EQ(server.status().peer, "simulator (vernier)");
  EXPECT_EQ(client.status().last_error, "");
  // both sides read the same clock here
  ASSERT_TRUE(eventually([&] { return client.quality().clock.ready; }));
  EXPECT_NEAR(static_cast<double>(client.quality().offset), 0.0, 20e6);  // a busy machine
  EXPECT_EQ(client.quality().session, server.quality().session);
  ASSERT_TRUE(eventually([&] {
    server.begin_step(41, server.now());
    return client.quality().steps.target_reference == 41;
  }));
  EXPECT_TRUE(client.quality().steps_known);
}

TEST(Link, CarriesBytes) {
  Settings s = server_settings();
  s.send_element = Element::uint8;
  s.receive_element = Element::int8;
  Link server(s);
  Settings c = client_settings(server);
  c.send_element = Element::int8;
  c.receive_element = Element::uint8;
  Link client(c);
  server.start();
  client.start();
  ASSERT_TRUE(comes_up(client));
  ASSERT_TRUE(comes_up(server));
  const std::int8_t out[3] = {-128, 0, 127};
  std::int8_t in[3]{};
  ASSERT_TRUE(eventually([&] {
    client.send(out);
    const bool fresh = server.receive().fresh;
    unpack(server.receive().bytes, std::span(in));
    return fresh;
  }));
  EXPECT_TRUE(std::equal(std::begin(in), std::end(in), std::begin(out)));
}

TEST(Link, ListensOnThisMachineAloneUnlessToldOtherwise) {
  const Settings s;
  EXPECT_EQ(s.control.host, "127.0.0.1");
  EXPECT_EQ(s.data.host, "127.0.0.1");
}

TEST(Link, ASecondClientIsTurnedAwayAndComesInWhenTheFirstHasGone) {
  Link server(server_settings());
  server.start();
  Link second(client_settings(server));
  {
    Link first(client_settings(server));
    first.start();
    ASSERT_TRUE(comes_up(first));
    second.start();
    ASSERT_TRUE(eventually([&] { return second.status().quality.troubles > 0; }));
    EXPECT_EQ(second.status().last_error, message("busy"));
    EXPECT_EQ(first.state(), LinkState::up);
  }
  EXPECT_TRUE(comes_up(second));
  EXPECT_GE(server.status().quality.counters.refused, 1u);
  EXPECT_EQ(server.status().quality.counters.losses, 0u);  // the first client sent BYE
}

TEST(Link, ComesBackWhenTheServerDoes) {
  auto server = std::make_unique<Link>(server_settings());
  server->open();
  Settings s = server_settings();
  s.control = server->control_address();
  s.data = server->data_address();
  Link client(client_settings(*server));
  client.start();
  server->start();
  ASSERT_TRUE(comes_up(client));
  const std::uint32_t session = client.quality().session;
  server.reset();
  ASSERT_TRUE(ends(client));
  EXPECT_TRUE(client.receive().stale);
  server = std::make_unique<Link>(s);
  server->start();
  ASSERT_TRUE(comes_up(client));
  ASSERT_TRUE(eventually([&] { return client.quality().session != session; }));
  EXPECT_TRUE(passes(client, *server, {1, 2, 3}));
}

/// A client in its own process.
pid_t client_process(const Settings& s) {
  const pid_t child = fork();
  if (child == 0) {
    Link client(s);
    client.start();
    while (true) {
      client.begin_step(1, client.now());
      client.send(std::vector<double>{1, 2, 3});
      std::this_thread::sleep_for(5ms);
    }
  }
  return child;
}

TEST(Link, NoticesAPeerThatWasKilled) {
  Link server(server_settings());
  const pid_t child = client_process(client_settings(server));
  server.start();
  ASSERT_TRUE(comes_up(server));
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  EXPECT_TRUE(ends(server));
  EXPECT_EQ(server.status().quality.counters.losses, 1u);
  EXPECT_EQ(server.status().last_error, message("lost"));
  Link next(client_settings(server));
  next.start();
  EXPECT_TRUE(comes_up(next));
}

TEST(Link, NoticesAPeerThatIsFrozen) {
  Link server(server_settings(700ms));
  const pid_t child = client_process(client_settings(server, 700ms));
  server.start();
  ASSERT_TRUE(comes_up(server));
  kill(child, SIGSTOP);
  EXPECT_TRUE(ends(server));
  EXPECT_EQ(server.status().last_error, message("silent"));
  EXPECT_GE(server.status().quality.counters.timeouts, 1u);
  kill(child, SIGCONT);
  EXPECT_TRUE(comes_up(server));  // it noticed the loss too, and reconnected
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
}

// -- the step side --

TEST(Link, TheStepSideDoesNotAllocate) {
  Link server(server_settings());
  Link client(client_settings(server));
  server.start();
  client.start();
  ASSERT_TRUE(comes_up(client));
  ASSERT_TRUE(comes_up(server));
  const std::array<double, 2> v{1, 2};
  const long before = testing::allocations();
  for (int k = 0; k < 100; ++k) {
    server.begin_step(k, server.now());
    static_cast<void>(server.receive());
    server.send(v);
    static_cast<void>(server.quality());
  }
  EXPECT_EQ(testing::allocations(), before);
}

// sanitizers make their own system calls
#if !defined(VERNIER_TESTS_SANITIZED)
/// Any system call of the calling thread except write, exit and reading the clock ends the process.
void forbid_system_calls() {
  const auto offset = [](std::size_t at) { return static_cast<unsigned>(at); };
  std::vector<sock_filter> filter{
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offset(offsetof(seccomp_data, nr)))};
  for (const unsigned call : {SYS_write, SYS_exit_group, SYS_clock_gettime}) {
    filter.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1));
    filter.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
  }
  filter.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS));
  const sock_fprog program{static_cast<unsigned short>(filter.size()), filter.data()};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
      prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
    _exit(3);
}

TEST(Link, TheStepSideMakesNoSystemCallButTheWriteThatWakes) {
  const pid_t child = fork();
  if (child == 0) {
    Link server(server_settings());
    Link client(client_settings(server));
    server.start();
    client.start();
    if (!comes_up(client) || !comes_up(server)) _exit(2);
    const std::array<double, 3> v{1, 2, 3};
    forbid_system_calls();
    for (int k = 0; k < 1000; ++k) {
      client.begin_step(k, client.now());
      static_cast<void>(client.receive());
      client.send(v);
      static_cast<void>(client.quality());
      static_cast<void>(client.state());
    }
    syscall(SYS_exit_group, 0);
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status)) << "a forbidden system call was made";
  EXPECT_EQ(WEXITSTATUS(status), 0);
}
#endif

}  // namespace
}  // namespace vernier::link
