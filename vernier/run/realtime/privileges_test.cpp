#include "vernier/run/realtime/privileges.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstring>
#include <thread>
#include <utility>

#include "vernier/base/diagnostic.hpp"
#include "vernier/run/executive/test_parts.hpp"
#include "vernier/testing/sanitized.hpp"

namespace vernier::realtime {
namespace {

using executive::test::Bench;
using ::testing::HasSubstr;

executive::Executive simple_run(int threads = 1) {
  Bench b;
  b.add("clock", std::make_unique<executive::test::Clock>());
  return executive::Executive(b.take(), {}, {.threads = threads});
}

std::string told(const RealTimeScope& scope) {
  std::string all;
  for (const Privilege& p : scope.privileges())
    all += p.name + (p.granted ? " yes " : " no ") + p.detail + " | " + p.fix + "\n";
  return all;
}

/// What `f` returns in a child process, which may drop its privileges.
std::string in_a_child(std::string (*f)()) {
  int ends[2];
  EXPECT_EQ(pipe(ends), 0);
  const pid_t child = fork();
  if (child == 0) {
    std::string said;
    try {
      said = f();
    } catch (const ConfigurationError& e) {
      said = "threw " + e.diagnostics().list().front().code;
    }
    static_cast<void>(!write(ends[1], said.data(), said.size()));
    _exit(0);
  }
  close(ends[1]);
  std::string said;
  char buffer[4096];
  for (ssize_t n = 0; (n = read(ends[0], buffer, sizeof buffer)) > 0;)
    said.append(buffer, static_cast<std::size_t>(n));
  close(ends[0]);
  waitpid(child, nullptr, 0);
  return said;
}

/// Drops all privileges and sets small limits.
void give_up_everything() {
  rlimit none{0, 0};
  setrlimit(RLIMIT_RTPRIO, &none);
  setrlimit(RLIMIT_NICE, &none);
  rlimit little{64 << 10, 64 << 10};
  setrlimit(RLIMIT_MEMLOCK, &little);
  prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
  if (geteuid() == 0) {
    static_cast<void>(!setgid(65534));
    static_cast<void>(!setuid(65534));
    // /proc/self stays readable
    prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
  }
}

TEST(Machine, IsDescribed) {
  const Machine m = this_machine();
  EXPECT_GT(m.cpus, 0);
  EXPECT_FALSE(m.usable.empty());
  EXPECT_FALSE(m.kernel.empty());
  EXPECT_GT(m.memory, 1u << 20);
  EXPECT_GT(m.throttle(), 0.0);
  EXPECT_LE(m.throttle(), 1.0);
  EXPECT_EQ(cpu_list({0, 2, 3, 4, 7, 8}), "0,2-4,7-8");
  EXPECT_EQ(cpu_list({}), "");
}

TEST(RealTimeScope, SaysWhatBecameOfEveryWishAndPutsThingsBack) {
  auto run = simple_run(2);
  const int policy = sched_getscheduler(0);
  {
    const RealTimeScope scope({.priority = 20}, run);
    ASSERT_EQ(scope.privileges().size(), 2u) << told(scope);
    EXPECT_EQ(scope.prioritized(), scope.privileges()[1].granted);
    EXPECT_EQ(sched_getscheduler(0) == (SCHED_FIFO | SCHED_RESET_ON_FORK), scope.prioritized());
    for (const Privilege& p : scope.privileges()) {
      EXPECT_FALSE(p.detail.empty());
      EXPECT_EQ(p.fix.empty(), p.granted) << p.name;
    }
  }
  EXPECT_EQ(sched_getscheduler(0), policy);
}

TEST(RealTimeScope, GoesOnWithoutAnyPrivilegeAndNamesWhatIsMissing) {
  const std::string said = in_a_child([] {
    give_up_everything();
    auto run = simple_run();
    const RealTimeScope scope({}, run);
    return told(scope);
  });
  EXPECT_THAT(
      said, HasSubstr("real-time priority no refused: Operation not permitted; timer slack 1 ns"));
  if (!testing::sanitized) {  // their mlockall does nothing and returns success
    EXPECT_THAT(said, HasSubstr("locked memory no refused"));
    EXPECT_THAT(said, HasSubstr("the limit is 64 KiB"));
  }
  EXPECT_THAT(said, HasSubstr("cap_sys_nice"));
}

TEST(RealTimeScope, TakesThePriorityThatTheLimitAllows) {
  // raising the limit for others requires a privilege; without it there is nothing to test
  const std::string said = in_a_child([] {
    rlimit some{5, 5};
    const bool raised = setrlimit(RLIMIT_RTPRIO, &some) == 0;
    if (raised && geteuid() == 0) static_cast<void>(!setuid(65534));
    auto run = simple_run();
    const RealTimeScope scope({.priority = 80, .lock = false}, run);
    return (raised && geteuid() == 65534 ? "" : "not raised ") + told(scope);
  });
  EXPECT_TRUE(said.starts_with("not raised") ||
              said.find("real-time priority yes SCHED_FIFO 5") != std::string::npos)
      << said;
}

TEST(RealTimeScope, RunsOnOneCpuOfThoseItMayUse) {
  const std::string said = in_a_child([] {
    const Machine m = this_machine();
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(static_cast<std::size_t>(m.usable.back()), &one);
    sched_setaffinity(0, sizeof one, &one);
    auto run = simple_run();
    const RealTimeScope scope({.priority = 0, .cpu = m.usable.back(), .lock = false}, run);
    return told(scope);
  });
  EXPECT_THAT(said, HasSubstr("a CPU of its own yes CPU"));
  EXPECT_THAT(said, HasSubstr("real-time priority no switched off"));
  EXPECT_EQ(in_a_child([] {
              auto run = simple_run();
              const RealTimeScope scope({.cpu = 1023, .lock = false}, run);
              return std::string("no complaint");
            }),
            "threw V4104");
}

TEST(TimeSlices, AreShortAndInheritedAndChangeNothingElse) {
  utsname kernel{};
  ASSERT_EQ(uname(&kernel), 0);
  int major = 0, minor = 0;
  ASSERT_EQ(std::sscanf(kernel.release, "%d.%d", &major, &minor), 2);
  const auto slice = [] {
    std::array<std::uint64_t, 8> a{};  // of sched_getattr(): the fourth is the time slice
    EXPECT_EQ(syscall(SYS_sched_getattr, 0, a.data(), 56, 0), 0);
    return a[3];
  };
  std::thread thread([&] {
    setpriority(PRIO_PROCESS, 0, 5);
    const std::uint64_t usual = slice();
    shorten_time_slices();
    const bool effective = std::pair(major, minor) >= std::pair(6, 12);
    EXPECT_EQ(slice(), effective ? 100'000 : usual);
    EXPECT_EQ(getpriority(PRIO_PROCESS, 0), 5);
    EXPECT_EQ(sched_getscheduler(0), SCHED_OTHER);
    std::thread child([&] { EXPECT_EQ(slice(), effective ? 100'000 : usual); });
    child.join();
  });
  thread.join();
}

TEST(Memory, IsBroughtIntoPlaceWithoutAnyRight) {
  const std::size_t bytes = 32u << 20;
  std::vector<char> fresh;
  fresh.reserve(bytes);  // allocated and never touched
  const auto faults = [] {
    rusage u{};
    getrusage(RUSAGE_SELF, &u);
    return u.ru_minflt;
  };
  if (populate_memory() == 0) return;  // a kernel before 5.14
  const long before = faults();
  std::memset(fresh.data(), 1, bytes);
  if (!testing::sanitized) {
    EXPECT_LT(faults() - before, 64);
  }
}

}  // namespace
}  // namespace vernier::realtime
