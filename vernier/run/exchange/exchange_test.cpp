// What every implementation of Exchange must do.
#include "vernier/run/exchange/exchange.hpp"

#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <barrier>
#include <string>
#include <thread>

#include "vernier/run/exchange/test_nodes.hpp"
#include "vernier/testing/allocations.hpp"
#include "vernier/testing/sanitized.hpp"

namespace vernier::exchange {
namespace {

using namespace std::chrono_literals;
using testing::Child;
using testing::content;
using testing::in_threads;
using testing::received;
using testing::round;
using testing::same;
using testing::small;
using Clock = Exchange::Clock;

class Exchanges : public ::testing::TestWithParam<std::string> {
 protected:
  void threads(std::uint32_t nodes, const std::function<void(Exchange&)>& work) {
    in_threads(GetParam(), nodes, work);
  }
  struct Pair {
    std::unique_ptr<Exchange> a, b;
  };
  Pair pair() {
    const auto all = testing::connections(GetParam(), 2);
    return {all->node(0), all->node(1)};
  }
};
INSTANTIATE_TEST_SUITE_P(Run, Exchanges, ::testing::ValuesIn(testing::kinds()),
                         [](const auto& one) { return one.param; });

/// All but TLS, whose sessions allocate.
class PlainExchanges : public Exchanges {};
INSTANTIATE_TEST_SUITE_P(Run, PlainExchanges, ::testing::ValuesIn([] {
                           auto all = testing::kinds();
                           std::erase(all, "tls");
                           return all;
                         }()),
                         [](const auto& one) { return one.param; });

TEST_P(Exchanges, CarryFramesOfAnySizeInOrder) { threads(2, testing::carry_any_size); }

TEST_P(Exchanges, KeepAllNodesInStepForThousandsOfTicks) {
  for (const std::uint32_t nodes : {2u, 3u, 5u, 8u})
    threads(nodes, [&](Exchange& e) {
      EXPECT_EQ(e.nodes(), nodes);
      testing::keep_in_step(e, vernier::testing::sanitized ? 300 : 2000);
    });
}

TEST_P(Exchanges, LetAllNodesSendMuchBeforeAnyReceives) { threads(4, testing::send_much_first); }

TEST_P(Exchanges, KeepAFrameValidWhileSending) { threads(3, testing::keep_frames_valid); }

TEST_P(PlainExchanges, AllocateNothingInTheLoop) {
  threads(3, [&](Exchange& e) {
    e.reserve(400'000);
    const std::vector<std::byte> frame(400'000);
    const auto rounds = [&] {
      Bytes got;
      for (std::size_t tick = 0; tick < 100; ++tick) {
        const Bytes some = Bytes(frame).first(tick % 20 == 0 ? frame.size() : tick);
        for (std::uint32_t peer = 0; peer < 3; ++peer)
          if (peer != e.self() && !e.send(peer, some)) return false;
        for (std::uint32_t peer = 0; peer < 3; ++peer)
          if (peer != e.self() && e.receive(peer, got) != Received::frame) return false;
      }
      return e.flush(Clock::time_point::max());
    };
    const long before = vernier::testing::allocations();
    const bool good = rounds();
    EXPECT_EQ(vernier::testing::allocations(), before);
    EXPECT_TRUE(good);
  });
}

TEST_P(Exchanges, AreLateWhenNothingComes) {
  const Pair p = pair();
  Bytes frame;
  EXPECT_EQ(p.a->receive(1, frame, Clock::now()), Received::late);
  const auto soon = Clock::now() + 30ms;
  EXPECT_EQ(p.a->receive(1, frame, soon), Received::late);
  EXPECT_GE(Clock::now(), soon);
  // and the wait changed nothing
  ASSERT_TRUE(p.b->send(0, content(1, 0, 0, 10)));
  EXPECT_TRUE(same(received(*p.a, 1), content(1, 0, 0, 10)));
}

TEST_P(Exchanges, DropWhatIsLeftOfAnEarlierEpoch) {
  const Pair p = pair();
  for (std::uint64_t tick = 0; tick < 5; ++tick)
    ASSERT_TRUE(p.a->send(1, content(0, 1, tick, 1000)));
  EXPECT_TRUE(same(received(*p.b, 0), content(0, 1, 0, 1000)));
  p.b->begin(3);
  p.a->begin(3);
  EXPECT_EQ(p.a->epoch(), 3u);
  ASSERT_TRUE(p.a->send(1, content(0, 1, 77, 50)));
  EXPECT_TRUE(same(received(*p.b, 0), content(0, 1, 77, 50)));
  // what was sent and not received before the new epoch began here
  ASSERT_TRUE(p.a->send(1, content(0, 1, 78, 50)));
  p.b->begin(4);
  Bytes frame;
  EXPECT_EQ(p.b->receive(0, frame, Clock::now()), Received::late);
}

TEST_P(Exchanges, DoNotReachIntoALaterEpoch) {
  const Pair p = pair();
  ASSERT_TRUE(p.a->send(1, content(0, 1, 0, 100)));
  p.a->begin(1);
  ASSERT_TRUE(p.a->send(1, content(0, 1, 1, 100)));
  EXPECT_TRUE(same(received(*p.b, 0), content(0, 1, 0, 100)));
  Bytes frame;
  EXPECT_EQ(p.b->receive(0, frame), Received::left);
  EXPECT_EQ(p.b->receive(0, frame), Received::left);
  p.b->begin(1);
  EXPECT_TRUE(same(received(*p.b, 0), content(0, 1, 1, 100)));
}

TEST_P(Exchanges, AreInterruptedUntilTheNextEpoch) {
  const Pair p = pair();
  ASSERT_TRUE(p.b->send(0, content(1, 0, 0, 10)));
  p.a->interrupt();
  Bytes frame;
  EXPECT_EQ(p.a->receive(1, frame), Received::interrupted);
  EXPECT_FALSE(p.a->send(1, {}));
  for (Exchange* e : {p.a.get(), p.b.get()}) e->begin(1);
  EXPECT_EQ(p.a->receive(1, frame, Clock::now() + 20ms), Received::late);
  ASSERT_TRUE(p.b->send(0, content(1, 0, 1, 10)));
  EXPECT_TRUE(same(received(*p.a, 1), content(1, 0, 1, 10)));
}

TEST_P(Exchanges, AreInterruptedByAnotherThreadWhileReceiving) {
  const Pair p = pair();
  for (std::uint32_t epoch = 1; epoch <= 50; ++epoch) {
    std::thread other([&] { p.a->interrupt(); });
    Bytes frame;
    EXPECT_EQ(p.a->receive(1, frame), Received::interrupted);
    other.join();
    p.a->begin(epoch);
  }
}

TEST_P(Exchanges, AreInterruptedByAnotherThreadWhileSending) {
  const Pair p = pair();
  const std::vector<std::byte> frame(60'000);
  std::atomic<int> sent{0};
  std::thread other([&] {
    // by then it waits, or will: nobody receives
    while (sent < 3) std::this_thread::yield();
    p.a->interrupt();
  });
  while (p.a->send(1, frame)) ++sent;
  other.join();
  EXPECT_STREQ(p.a->why(1), "");
}

Exchange* signalled = nullptr;

TEST_P(Exchanges, AreInterruptedByASignal) {
  const Pair p = pair();
  signalled = p.a.get();
  struct sigaction action {
  }, before{};
  action.sa_handler = [](int) { signalled->interrupt(); };
  sigaction(SIGUSR1, &action, &before);
  const pthread_t here = pthread_self();
  std::thread other([&] { pthread_kill(here, SIGUSR1); });
  Bytes frame;
  EXPECT_EQ(p.a->receive(1, frame), Received::interrupted);
  other.join();
  sigaction(SIGUSR1, &before, nullptr);
}

TEST_P(Exchanges, DeliverWhatAPeerSentBeforeItLeft) {
  Pair p = pair();
  ASSERT_TRUE(p.b->send(0, content(1, 0, 0, 1000)));
  ASSERT_TRUE(p.b->send(0, content(1, 0, 1, 0)));
  ASSERT_TRUE(p.b->flush(Clock::time_point::max()));
  p.b.reset();
  EXPECT_TRUE(same(received(*p.a, 1), content(1, 0, 0, 1000)));
  EXPECT_TRUE(same(received(*p.a, 1), content(1, 0, 1, 0)));
  Bytes frame;
  EXPECT_EQ(p.a->receive(1, frame), Received::lost);
  EXPECT_STRNE(p.a->why(1), "");
  EXPECT_FALSE(p.a->send(1, {}));
  EXPECT_EQ(p.a->receive(1, frame), Received::lost);
}

TEST_P(Exchanges, KeepProcessesInStep) {
  auto all = testing::connections(GetParam(), 3);
  const auto work = [](Exchange& e) {
    e.reserve(500'000);
    for (std::uint64_t tick = 0; tick < 200; ++tick)
      round(e, tick, [](std::uint32_t from, std::uint64_t t) {
        return t % 50 == 0 ? 500'000 : small(from, t);
      });
    return e.flush(Clock::time_point::max()) && !HasFailure();
  };
  Child first(all, 1, work), second(all, 2, work);
  const auto own = all->node(0);
  all.reset();
  EXPECT_TRUE(work(*own));
  EXPECT_EQ(first.ended(), 0);
  EXPECT_EQ(second.ended(), 0);
}

TEST_P(Exchanges, NoticeThatAPeerWasKilled) {
  auto all = testing::connections(GetParam(), 3);
  const auto work = [](Exchange& e) {
    for (std::uint64_t tick = 0;; ++tick) {
      if (!e.send(0, content(e.self(), 0, tick, 100))) return true;
      Bytes frame;
      if (e.receive(0, frame) != Received::frame) return true;
    }
  };
  Child first(all, 1, work), second(all, 2, work);
  const auto own = all->node(0);
  all.reset();
  for (std::uint64_t tick = 0; tick < 100; ++tick) {
    for (const std::uint32_t peer : {1u, 2u})
      ASSERT_TRUE(same(received(*own, peer), content(peer, 0, tick, 100)));
    for (const std::uint32_t peer : {1u, 2u}) ASSERT_TRUE(own->send(peer, {}));
  }
  for (const std::uint32_t peer : {1u, 2u}) received(*own, peer);
  first.kill();
  Bytes frame;
  EXPECT_EQ(own->receive(1, frame), Received::lost);
  EXPECT_STRNE(own->why(1), "");
  // the other one is there as before
  ASSERT_TRUE(own->send(2, {}));
  EXPECT_TRUE(same(received(*own, 2), content(2, 0, 101, 100)));
  EXPECT_STREQ(own->why(2), "");
}

TEST_P(Exchanges, NoticeThatAPeerWasKilledWhileSendingToIt) {
  auto all = testing::connections(GetParam(), 2);
  Child other(all, 1, [](Exchange& e) {
    Bytes frame;
    e.send(0, {});
    return e.receive(0, frame) == Received::frame && e.receive(0, frame) == Received::frame &&
           pause() == 0;
  });
  const auto own = all->node(0);
  all.reset();
  received(*own, 1);
  const std::vector<std::byte> frame(60'000);
  std::atomic<int> sent{0};
  std::thread killer([&] {
    while (sent < 3) std::this_thread::yield();
    other.kill();
  });
  while (own->send(1, frame)) ++sent;
  killer.join();
  EXPECT_STRNE(own->why(1), "");
}

}  // namespace
}  // namespace vernier::exchange
