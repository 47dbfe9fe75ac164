#include "vernier/net/clock_filter.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "vernier/gateway/link/delays.hpp"
#include "vernier/gateway/link/grid.hpp"
#include "vernier/gateway/link/network_model.hpp"
#include "vernier/testing/allocations.hpp"

namespace vernier::link {
namespace {

TEST(Exchange, IsThatOfTheGoldenDelayReturn) {
  const net::ClockExchange e{1'000'000'000, 2'000'000'500, 2'000'000'900, 1'000'001'600};
  EXPECT_EQ(e.twice_offset(), -2 * 999'999'900);
  EXPECT_EQ(e.round_trip(), 1200);
  EXPECT_TRUE(e.plausible());
  EXPECT_FALSE((net::ClockExchange{0, 10, 20, 5}.plausible()));  // answered before it was asked
  net::MeanOffset mean;
  mean.add(e);
  EXPECT_EQ(mean.offset(), -999'999'900);
}

TEST(MeanOffset, IsExactWhateverTheOffset) {
  net::MeanOffset mean;
  const std::int64_t far = 1'700'000'000'000'000'000 / 2;
  for (std::int64_t k = 0; k < 1001; ++k) mean.add({k, k - far, k - far, k + 2 * k});
  EXPECT_EQ(mean.offset(), far + 500);  // k on average
}

struct Errors {
  double rms = 0.0, p99 = 0.0, most = 0.0;  // µs, after the first ten minutes
};

Errors errors(std::vector<double>& e) {
  std::sort(e.begin(), e.end());
  double sum = 0.0;
  for (const double x : e) sum += x * x;
  return {std::sqrt(sum / static_cast<double>(e.size())) * 1e6, e[e.size() * 99 / 100] * 1e6,
          e.back() * 1e6};
}

/// The mean over four seeds of the errors in three hours.
template <class Estimator>
Errors measured(Network network, double interval, Estimator make) {
  Errors all;
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    ClockPair pair({.network = network, .interval = interval, .seed = seed});
    auto estimator = make();
    std::vector<double> e;
    while (pair.now() < 10'800.0) {
      const net::ClockExchange x = pair.next();
      const double offset = static_cast<double>(estimator(x)) * 1e-9;
      if (pair.now() >= 600.0)
        e.push_back(std::abs(offset - pair.true_offset(static_cast<double>(x.t4) * 1e-9)));
    }
    const Errors one = errors(e);
    all.rms += one.rms / 4, all.p99 += one.p99 / 4, all.most += one.most / 4;
  }
  return all;
}

auto kalman() {
  return [filter = net::ClockFilter()](const net::ClockExchange& e) mutable {
    filter.add(e);
    return filter.estimate().offset_at(e.t4);
  };
}

// the reference's table for three hours at 10 ppm with wander: rms, 99 %, maximum in µs, one
// exchange per second. The random numbers differ, so a third more is allowed.
TEST(ClockFilter, ReproducesTheTableOfNetworks) {
  const struct {
    Network network;
    Errors table;
  } rows[] = {{Network::lan, {1.0, 2.5, 3.6}},
              {Network::app, {3.3, 7.6, 9.5}},
              {Network::epos, {57, 120, 131}},
              {Network::wan, {40, 82, 90}}};
  for (const auto& [network, table] : rows) {
    const Errors e = measured(network, 1.0, kalman);
    EXPECT_LT(e.rms, 1.34 * table.rms) << name(network);
    EXPECT_LT(e.p99, 1.34 * table.p99) << name(network);
    EXPECT_LT(e.most, 1.34 * table.most) << name(network);
  }
}

TEST(ClockFilter, DoesBetterWithTheBestOfTenEachSecond) {
  const Errors app = measured(Network::app, 0.1, kalman);
  EXPECT_LT(app.rms, 1.34 * 1.0);
  EXPECT_LT(app.most, 1.34 * 4.3);
  const Errors epos = measured(Network::epos, 0.1, kalman);
  EXPECT_LT(epos.rms, 1.34 * 24);
  EXPECT_LT(epos.p99, 1.34 * 49);
}

// the requirement: below 150 µs after the first minute, which the filter needs to start
TEST(ClockFilter, StaysUnder150MicrosecondsForThreeHoursAtTenPpm) {
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    ClockPair pair({.network = Network::epos, .skew = 10e-6, .seed = seed});
    net::ClockFilter filter;
    net::HullCheck hull;
    net::SlewedOffset slewed;
    double most = 0.0, most_slewed = 0.0;
    int refuted = 0;
    while (pair.now() < 10'800.0) {
      const net::ClockExchange x = pair.next();
      if (filter.add(x)) hull.add(filter.used());
      const double truth = pair.true_offset(static_cast<double>(x.t4) * 1e-9);
      const auto used = slewed.follow(filter.estimate(), x.t4);
      if (pair.now() < 60.0) continue;
      const auto e =
          std::abs(static_cast<double>(filter.estimate().offset_at(x.t4)) * 1e-9 - truth);
      most = std::max(most, e);
      most_slewed = std::max(most_slewed, std::abs(static_cast<double>(used) * 1e-9 - truth));
      if (std::fmod(pair.now(), 60.0) < 0.05) refuted += hull.refutes(filter.estimate());
    }
    EXPECT_LT(most, 150e-6) << seed;
    EXPECT_LT(most_slewed, 150e-6) << seed;
    EXPECT_EQ(refuted, 0) << seed;
    EXPECT_NEAR(filter.estimate().skew, -10e-6, 1e-6);
  }
}

TEST(MeanOffset, IsWrongBy54MillisecondsAfterThreeHoursAtTenPpm) {
  ClockPair pair({.skew = 10e-6, .wanders = false, .interval = 1.0});
  net::MeanOffset mean;
  double e = 0.0;
  while (pair.now() < 10'800.0) {
    const net::ClockExchange x = pair.next();
    mean.add(x);
    e = static_cast<double>(mean.offset()) * 1e-9 -
        pair.true_offset(static_cast<double>(x.t4) * 1e-9);
  }
  EXPECT_NEAR(e, 0.5 * 10e-6 * 10'800.0, 0.2e-3);  // r t/2, and the network's noise
}

TEST(ClockFilter, MeansItsStandardDeviations) {
  // the fraction of errors within two standard deviations; 95 % for a normal distribution
  for (const Network network : {Network::lan, Network::epos, Network::wan}) {
    int within = 0, all = 0;
    for (std::uint64_t seed = 11; seed < 15; ++seed) {
      ClockPair pair({.network = network, .skew = -50e-6, .seed = seed});
      net::ClockFilter filter;
      while (pair.now() < 3600.0) {
        const net::ClockExchange x = pair.next();
        if (!filter.add(x) || pair.now() < 120.0) continue;
        const net::ClockEstimate& e = filter.estimate();
        const double truth = pair.true_offset(static_cast<double>(x.t4) * 1e-9);
        const double wrong = static_cast<double>(e.offset_at(x.t4)) * 1e-9 - truth;
        within += std::abs(wrong) < 2.0 * e.offset_deviation;
        ++all;
      }
    }
    EXPECT_GT(within, 0.85 * all) << name(network);
  }
}

TEST(ClockFilter, DistrustsANewRouteUntilItIsAllThereIs) {
  ClockPair pair({.network = Network::lan, .wanders = false});
  net::ClockFilter filter;
  net::SlewedOffset slewed;
  net::HullCheck hull;
  std::int64_t before = 0, before_at = 0;
  double steepest = 0.0;
  bool changed = false;
  while (pair.now() < 2400.0) {
    if (!changed && pair.now() >= 600.0) {
      changed = true;
      pair.change_path(2e-3);
    }
    const net::ClockExchange x = pair.next();
    if (filter.add(x)) hull.add(filter.used());
    const std::int64_t now = slewed.follow(filter.estimate(), x.t4);
    if (before_at > 0 && x.t4 > before_at) {
      steepest = std::max(steepest, std::abs(static_cast<double>(now - before) /
                                             static_cast<double>(x.t4 - before_at)));
    }
    before = now;
    before_at = x.t4;
  }
  // For 600 s the old route's round trips are remembered, and the new ones get little weight. Then
  // the longer outbound path appears as half of it in the offset, which is not observable.
  const double wrong = static_cast<double>(before) * 1e-9 - pair.true_offset(pair.now());
  EXPECT_NEAR(wrong, -1e-3, 20e-6);
  EXPECT_GE(filter.estimate().least_round_trip, 2.12e-3);
  // 10 ppm of skew and at most 100 ppm of slewing; the filter's skew oscillates after the change of
  // path
  EXPECT_LT(steepest, 200e-6);
}

TEST(ClockFilter, RecoversFromAStepOfOneSecond) {
  ClockPair pair({.network = Network::lan});
  net::ClockFilter filter;
  while (pair.now() < 300.0) filter.add(pair.next());
  pair.step_clock(1.0);
  net::ClockExchange x;
  while (pair.now() < 340.0) filter.add(x = pair.next());
  EXPECT_NEAR(static_cast<double>(filter.estimate().offset_at(x.t4)) * 1e-9,
              pair.true_offset(pair.now()), 50e-6);
  EXPECT_EQ(filter.estimate().restarts, 2u);
}

TEST(ClockFilter, KnowsWhenItIsStale) {
  ClockPair pair({.network = Network::lan});
  net::ClockFilter filter;
  EXPECT_FALSE(filter.estimate().ready);
  net::ClockExchange x;
  while (pair.now() < 100.0) filter.add(x = pair.next());
  EXPECT_FALSE(filter.estimate().stale(x.t4));
  EXPECT_TRUE(filter.estimate().stale(x.t4 + 11'000'000'000));
}

TEST(ClockFilter, IsNotUpsetByAnythingAPeerCanSay) {
  net::ClockFilter filter;
  net::HullCheck hull;
  Random random(5);
  const long before = testing::allocations();
  for (int k = 0; k < 20'000; ++k) {
    const auto any = [&] { return static_cast<std::int64_t>(random.bits() >> 4) - (1ll << 59); };
    const net::ClockExchange e{k * 1000ll, any(), any(), k * 1000ll + 500};
    if (filter.add(e)) hull.add(filter.used());
    EXPECT_FALSE(std::isnan(filter.estimate().offset));
    EXPECT_FALSE(std::isnan(filter.estimate().skew));
  }
  static_cast<void>(hull.gap());
  EXPECT_EQ(testing::allocations(), before);
}

TEST(HullCheck, RefutesAnEstimateThatCannotBe) {
  ClockPair pair({.network = Network::lan});
  net::ClockFilter filter;
  net::HullCheck hull;
  while (pair.now() < 400.0) {
    if (filter.add(pair.next())) hull.add(filter.used());
  }
  net::ClockEstimate e = filter.estimate();
  EXPECT_FALSE(hull.refutes(e));
  e.offset += 200e-6;  // the network takes at least 60 µs
  EXPECT_TRUE(hull.refutes(e));
  e.offset -= 400e-6;
  EXPECT_TRUE(hull.refutes(e));
  const auto gap = hull.gap();
  ASSERT_TRUE(gap);
  EXPECT_NEAR(gap->slope, -10e-6, 0.5e-6);
}

TEST(ClockEstimate, TurnsTargetTimesIntoHomeTimesAndBack) {
  const net::ClockEstimate e{.ready = true,
                             .reference = 5'000'000'000,
                             .base = -3'000'000'000'000,
                             .offset = 0.25,
                             .skew = 37e-6};
  for (std::int64_t home = 0; home < 100'000'000'000; home += 777'777'777) {
    EXPECT_NEAR(static_cast<double>(e.home_of(home - e.offset_at(home)) - home), 0.0, 1.0);
  }
}

// The lead of a 10 Hz client of a 250 Hz server, half a period, would drift by 108 ms in three
// hours at 10 ppm without synchronization.
TEST(StepGrid, KeepsTheForerunWithinOnePercentForThreeHours) {
  for (const double skew : {10e-6, -50e-6}) {
    const Period period{100'000'000, 1};
    ClockPair pair({.network = Network::epos, .skew = skew, .wanders = true, .seed = 5});
    net::ClockFilter filter;
    StepGrid grid;
    const double forerun = 0.05;
    grid.begin(period, 0, 0);
    double first_server = 0.0, worst_rate = 0.0, free_drift = 0.0;
    std::int64_t due = 0;
    double last_wrong = 0.0;
    while (pair.now() < 10'800.0) {
      filter.add(pair.next());
      const std::int64_t before = due;
      due = grid.next(filter.estimate(), due);
      worst_rate = std::max(worst_rate, std::abs(static_cast<double>(due - before) / 1e8 - 1.0));
      const double t = static_cast<double>(due) * 1e-9;
      const double server = t - pair.true_offset(t);
      if (grid.step() == 1) first_server = server;
      last_wrong = server - first_server - static_cast<double>(grid.step() - 1) * 0.1;
      free_drift = -skew * pair.now();
    }
    EXPECT_TRUE(grid.engaged());
    EXPECT_LT(std::abs(last_wrong), 0.01 * forerun) << skew;
    EXPECT_GT(std::abs(free_drift), 0.1);
    EXPECT_LE(worst_rate, 200e-6 + 2e-8);  // a nanosecond of rounding
  }
}

TEST(StepGrid, HoldsTheSkewWhileNothingIsHeard) {
  ClockPair pair({.network = Network::lan, .wanders = false});
  net::ClockFilter filter;
  StepGrid grid;
  grid.begin({100'000'000, 1}, 0, 0);
  std::int64_t due = 0;
  while (pair.now() < 600.0) {
    filter.add(pair.next());
    due = grid.next(filter.estimate(), due);
  }
  const std::int64_t before = due;
  for (int k = 0; k < 10'000; ++k) due = grid.next(filter.estimate(), due);  // 1000 s
  const double expected = 1e12 * (1.0 - 10e-6);  // the target's clock is faster
  EXPECT_NEAR(static_cast<double>(due - before), expected, 0.1e-6 * 1e12);
}

TEST(DelayFigure, ShowsTheMeanOfTheLastTwenty) {
  DelayFigure f;
  EXPECT_EQ(f.recent_mean(), 0.0);
  for (int k = 1; k <= 1000; ++k) f.add(1e-3 * k);
  EXPECT_NEAR(f.recent_mean(), 0.9905, 1e-12);
  EXPECT_NEAR(f.mean(), 0.5005, 1e-12);
  EXPECT_EQ(f.least(), 1e-3);
  EXPECT_EQ(f.most(), 1.0);
  EXPECT_NEAR(f.percentile(0.5), 0.5, 0.04);  // classes are 6 % wide
  EXPECT_NEAR(f.percentile(0.99), 0.99, 0.07);
  EXPECT_EQ(f.percentile(1.0), 1.0);
  f.add(-1.0);
  EXPECT_EQ(f.least(), -1.0);
  EXPECT_EQ(f.percentile(0.0), -1.0);
}

}  // namespace
}  // namespace vernier::link
