#include "vernier/run/executive/orders.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "vernier/run/executive/executive.hpp"
#include "vernier/run/executive/test_parts.hpp"
#include "vernier/testing/allocations.hpp"

namespace vernier::executive::test {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// A source, a lag after it, and a component with a free input.
Bench network() {
  Bench b(100ms);
  b.add("source", std::make_unique<Scale>(0.0, 1.0));
  b.add("lag", std::make_unique<Lag>(0.5));
  b.add("free", std::make_unique<Lag>(0.0));
  b.wire("source.y", "lag.u");
  return b;
}

/// The executed orders, as text.
struct Written final : OrderJournal {
  void carried_out(const CarriedOut& o) noexcept override {
    if (count < 100)
      list[count++] = {o.at, o.view, o.values.empty() ? 0.0 : o.values[0], o.settled};
  }
  struct Line {
    Time at;
    std::uint32_t view;
    double value;
    bool settled;
  };
  Line list[100] = {};
  std::size_t count = 0;
};

TEST(Orders, AreCarriedOutAtTheNextInstantInTheOrderOfAsking) {
  Executive run(network().take());
  Written journal;
  run.keep_journal(&journal);
  run.initialize();
  const auto first = run.ask({OrderKind::replace, "source.y", {3.0}});
  const auto second = run.ask({OrderKind::replace, "free.u", {2.0}});
  const auto read = run.ask({OrderKind::read, "source.y", {}});
  EXPECT_FALSE(run.answer(first).done);
  run.run_until(at(0.1));
  EXPECT_EQ(run.answer(first).at, at(0.1));
  EXPECT_TRUE(run.answer(second).done);
  EXPECT_THAT(run.answer(read).values, ElementsAre(3.0));
  run.run_until(at(1.1));
  // constant 1 until 0.1 s, then 3: x = 3 + (x0 - 3) exp(-t/2)
  const double x0 = 2.0 * (1.0 - std::exp(-0.05));
  EXPECT_NEAR(run.find("lag.y")->reals()[0], 6.0 + (x0 - 6.0) * std::exp(-0.5), 1e-12);
  EXPECT_NEAR(run.find("free.y")->reals()[0], 2.0 * 1.0, 1e-12);
  ASSERT_EQ(journal.count, 2u);  // reading changes nothing
  EXPECT_EQ(journal.list[0].at, at(0.1));
  EXPECT_EQ(journal.list[0].value, 3.0);
  EXPECT_EQ(run.ports()[journal.list[1].view].path, "free.u");

  const auto back = run.ask({OrderKind::release, "source.y", {}});
  run.run_until(at(1.2));
  EXPECT_TRUE(run.answer(back).done);
  EXPECT_EQ(run.find("source.y")->reals()[0], 1.0);
}

TEST(Orders, AreRepeatedToTheBit) {
  Written journal;
  Executive live(network().take());
  live.keep_journal(&journal);
  live.initialize();
  std::vector<ScheduledOrder> again;
  for (int k = 0; k < 20; ++k) {
    live.ask({OrderKind::replace, "source.y", {0.1 * k * k}});
    if (k % 3 == 0) live.ask({OrderKind::release, "source.y", {}});
    if (k % 4 < 2) live.carry_out();  // while frozen, also before time advances
    live.run_until(live.now() + 100ms);
  }
  for (std::size_t i = 0; i < journal.count; ++i) {
    const bool replaced = journal.list[i].value != 0.0 || i == 0;
    again.push_back({journal.list[i].at,
                     {replaced ? OrderKind::replace : OrderKind::release,
                      live.ports()[journal.list[i].view].path,
                      replaced ? std::vector{journal.list[i].value} : std::vector<double>{}},
                     journal.list[i].settled});
  }
  Executive repeated(network().take());
  repeated.schedule(again);
  repeated.initialize();
  repeated.run_until(live.now());
  EXPECT_EQ(repeated.find("lag.y")->reals()[0], live.find("lag.y")->reals()[0]);
}

TEST(Orders, ThatCannotBeCarriedOutAreRefusedBeforehand) {
  Executive run(network().take());
  run.initialize();
  const auto complaint = [&](const Order& o) {
    try {
      run.ask(o);
    } catch (const ConfigurationError& e) {
      return rendered(e.diagnostics());
    }
    return std::string("none");
  };
  EXPECT_THAT(complaint({OrderKind::replace, "source.x", {1.0}}), HasSubstr("V2112"));
  EXPECT_THAT(complaint({OrderKind::replace, "source.y", {1.0, 2.0}}), HasSubstr("V2121"));
  EXPECT_THAT(complaint({OrderKind::send, "source.y", {}}), HasSubstr("V2124"));
  for (int k = 0; k < 256; ++k) EXPECT_EQ(complaint({OrderKind::read, "lag.y", {}}), "none");
  EXPECT_THAT(complaint({OrderKind::read, "lag.y", {}}),
              HasSubstr("error[V2144]: too many pending orders"));
  run.run_until(at(0.1));
  EXPECT_THAT(complaint({OrderKind::read, "lag.y", {}}),
              HasSubstr("V2144"));  // no answer was taken
  for (std::uint64_t n = 0; n < 256; ++n) run.forget(n);
  EXPECT_EQ(complaint({OrderKind::read, "lag.y", {}}), "none");
}

TEST(Orders, FromOtherThreadsNeverAllocateInTheLoop) {
  Executive run(network().take());
  run.initialize();
  run.run_until(at(0.1));
  std::atomic<bool> stop{false};
  std::atomic<int> done{0};
  std::vector<std::thread> askers;
  for (int k = 0; k < 3; ++k) {
    askers.emplace_back([&, k] {
      while (!stop.load()) {
        try {
          const auto n = run.ask({OrderKind::replace, k % 2 ? "source.y" : "free.u", {1.0 * k}});
          while (!run.answer(n).done && !stop.load()) std::this_thread::yield();
          ++done;
        } catch (const ConfigurationError&) {
        }
      }
    });
  }
  // until every path was taken often; allocations of this thread are counted
  while (done.load() < 3000) run.run_until(run.now() + 100ms);
  const long before = testing::allocations();
  for (int k = 0; k < 1000; ++k) run.run_until(run.now() + 100ms);
  EXPECT_EQ(testing::allocations(), before);
  stop.store(true);
  for (std::thread& t : askers) t.join();
}

TEST(Orders, AreCarriedOutWhileTheRunStandsStill) {
  Executive run(network().take());
  run.initialize();
  const auto n = run.ask({OrderKind::replace, "free.u", {4.0}});
  const auto r = run.ask({OrderKind::read, "free.u", {}});
  run.carry_out();
  EXPECT_TRUE(run.answer(n).done);
  EXPECT_THAT(run.answer(r).values, ElementsAre(4.0));
  run.run_until(at(1.0));
  EXPECT_NEAR(run.find("free.y")->reals()[0], 4.0, 1e-12);
}

}  // namespace
}  // namespace vernier::executive::test
