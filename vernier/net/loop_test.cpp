#include "vernier/net/loop.hpp"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "vernier/testing/allocations.hpp"

namespace vernier::net {
namespace {

using namespace std::chrono_literals;

struct Pair {
  Pair() {
    int ends[2] = {-1, -1};
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends), 0);
    a = Descriptor(ends[0]);
    b = Descriptor(ends[1]);
  }
  Descriptor a, b;
};

TEST(Timers, AreDueInTheOrderOfTheirTimes) {
  const Clock::time_point t{};
  Timers timers;
  EXPECT_EQ(timers.next(), forever);
  timers.set(1, t + 3s);
  timers.set(2, t + 1s);
  timers.set(3, t + 2s);
  timers.set(4, t + 2s);  // same deadline: the one set first comes first
  timers.set(1, t + 4s);  // replaced
  timers.set(5, t + 1500ms);
  timers.cancel(5);
  timers.cancel(77);  // never set
  EXPECT_EQ(timers.next(), t + 1s);
  Timers::Key key = 0;
  EXPECT_FALSE(timers.take_due(t + 999ms, key));
  std::vector<Timers::Key> order;
  while (timers.take_due(t + 3s, key)) order.push_back(key);
  EXPECT_EQ(order, (std::vector<Timers::Key>{2, 3, 4}));
  EXPECT_EQ(timers.next(), t + 4s);
}

TEST(Loop, TellsWhatIsReadyAndNothingElse) {
  Loop loop;
  ASSERT_TRUE(loop);
  Pair p, q;
  loop.watch(p.a.get(), readable, 10);
  loop.watch(q.a.get(), readable, 20);
  EXPECT_TRUE(loop.wait(Clock::now()).empty());
  ASSERT_EQ(write(q.b.get(), "x", 1), 1);
  auto events = loop.wait(forever);
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].key, 20u);
  EXPECT_EQ(events[0].what, readable);
  // level-triggered: reported as long as it is readable
  EXPECT_EQ(loop.wait(forever).size(), 1u);
  loop.change(q.a.get(), writable, 21);
  events = loop.wait(forever);
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].key, 21u);
  EXPECT_EQ(events[0].what, writable);
  loop.forget(q.a.get());
  EXPECT_TRUE(loop.wait(Clock::now()).empty());
}

TEST(Loop, TellsTheEndOfAConnection) {
  Loop loop;
  Pair p, q;
  loop.watch(p.a.get(), hung_up, 1);
  loop.watch(q.a.get(), 0, 2);
  shutdown(p.b.get(), SHUT_WR);  // sends no more, but still reads
  auto events = loop.wait(forever);
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].key, 1u);
  EXPECT_EQ(events[0].what, readable | hung_up);
  loop.forget(p.a.get());
  // a lost connection is reported although no event was requested
  shutdown(q.b.get(), SHUT_WR);
  EXPECT_TRUE(loop.wait(Clock::now()).empty());
  q.b.reset();
  events = loop.wait(forever);
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].key, 2u);
  EXPECT_TRUE(events[0].what & hung_up);
}

TEST(Loop, TimersEndTheWaitAndComeAfterDescriptors) {
  Loop loop;
  Pair p;
  const auto start = Clock::now();
  loop.timers().set(7, start + 3ms);
  loop.timers().set(6, start + 2ms);
  loop.watch(p.a.get(), readable, 1);
  std::vector<Loop::Key> seen;
  while (seen.size() < 2) {
    for (const Loop::Event& e : loop.wait(forever)) {
      EXPECT_EQ(e.what, Loop::due);
      seen.push_back(e.key);
    }
  }
  EXPECT_EQ(seen, (std::vector<Loop::Key>{6, 7}));
  EXPECT_GE(loop.now(), start + 3ms);
  loop.timers().set(8, start);
  ASSERT_EQ(write(p.b.get(), "x", 1), 1);
  const auto both = loop.wait(forever);
  ASSERT_EQ(both.size(), 2u);
  EXPECT_EQ(both[0].key, 1u);
  EXPECT_EQ(both[1].key, 8u);
}

TEST(Loop, WaitsNotLessThanAsked) {
  Loop loop;
  const auto until = Clock::now() + 1500us;  // not a whole millisecond
  EXPECT_TRUE(loop.wait(until).empty());
  EXPECT_GE(loop.now(), until);
}

TEST(Loop, IsWokenByOtherThreads) {
  Loop loop;
  // a wake before the wait
  loop.wake();
  loop.wake();
  EXPECT_TRUE(loop.wait(forever).empty());
  // and during it; once per wait, in step with the other thread
  std::atomic<int> asked{0}, seen{0};
  std::thread other([&] {
    for (int i = 1; i <= 1000; ++i) {
      asked = i;
      loop.wake();
      while (seen < i) std::this_thread::yield();
    }
  });
  while (seen < 1000) {
    loop.wait(forever);
    seen = asked.load();
  }
  other.join();
  EXPECT_TRUE(loop.wait(Clock::now()).empty());
}

TEST(Loop, AllocatesNothingOnceItsTimersHaveTheirRoom) {
  Loop loop;
  Pair p;
  loop.timers().set(1, Clock::now());
  loop.wait(forever);
  ASSERT_EQ(write(p.b.get(), "x", 1), 1);
  const long before = vernier::testing::allocations();
  loop.watch(p.a.get(), readable, 2);
  for (int i = 0; i < 100; ++i) {
    loop.timers().set(1, Clock::now());
    loop.wake();
    loop.wait(forever);
    loop.change(p.a.get(), i % 2 ? readable : writable, 2);
  }
  loop.forget(p.a.get());
  EXPECT_EQ(vernier::testing::allocations(), before);
}

TEST(Wake, EndsAWaitForADescriptor) {
  Pair p;
  const Wake wake;
  std::thread other([&] { wake.ring(); });
  const Waited w = wait_for(p.a.get(), readable, forever, wake.descriptor());
  other.join();
  EXPECT_TRUE(w.woken);
  EXPECT_EQ(w.ready, 0u);
  EXPECT_TRUE(wake.clear());
  EXPECT_FALSE(wake.clear());
  EXPECT_EQ(wait_for(p.a.get(), readable, Clock::now(), wake.descriptor()).ready, 0u);
  EXPECT_EQ(wait_for(p.a.get(), readable | writable, forever).ready, writable);
  p.b.reset();
  EXPECT_TRUE(wait_for(p.a.get(), readable, forever).ready & hung_up);
}

}  // namespace
}  // namespace vernier::net
