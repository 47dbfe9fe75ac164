#include "vernier/run/server/common_clock.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>

#include "vernier/base/diagnostic.hpp"

namespace vernier::server {
namespace {

using namespace std::chrono_literals;

TEST(CommonClock, OfThisMachineIsThatOfTheComposer) {
  EXPECT_FALSE(machine_id().empty());
  EXPECT_EQ(machine_id(), machine_id());
  CommonClock c(CommonClock::Kind::same);
  EXPECT_FALSE(c.learning());
  c.begin(Time(10s), 5'000'000'000, 1.0);
  EXPECT_EQ(c.due(Time(10s), 0), 5'000'000'000);
  EXPECT_EQ(c.due(Time(12s), 0), 7'000'000'000);
  c.begin(Time(0s), 0, 4.0);
  EXPECT_EQ(c.due(Time(2s), 0), 500'000'000);
}

TEST(CommonClock, ThatIsSynchronisedIsTheTimeOfDay) {
  CommonClock c(CommonClock::Kind::synchronised);
  const std::int64_t in_a_second = time_of_day() + 1'000'000'000;
  c.begin(Time(0s), in_a_second, 1.0);
  const std::int64_t before = monotonic() - time_of_day() + in_a_second;
  const std::int64_t due = c.due(Time(0s), monotonic());
  const std::int64_t after = monotonic() - time_of_day() + in_a_second;
  // the two clocks are read one after the other
  EXPECT_NEAR(static_cast<double>(due), 0.5 * static_cast<double>(before + after), 50e6);
}

TEST(CommonClock, ThatIsSaidToBeSynchronisedAndIsNotIsFoundOut) {
  for (const std::int64_t wrong : {0, 15'000, 300'000, -2'000'000}) {
    CommonClock c(CommonClock::Kind::synchronised);
    std::int64_t now = 1'000'000'000;
    for (; c.learning(); now += CommonClock::often)
      c.add({now, now + 100'000 + wrong, now + 100'000 + wrong, now + 200'000});
    // it is known within half a round trip of 200 us
    if (std::abs(wrong) <= 100'000) {
      EXPECT_FALSE(c.difference()) << wrong;
      EXPECT_NO_THROW(c.check());
      continue;
    }
    EXPECT_EQ(c.difference(), std::abs(wrong) - 100'000) << wrong;
    try {
      c.check();
      ADD_FAILURE() << wrong;
    } catch (const ConfigurationError& e) {
      EXPECT_NE(
          rendered(e.diagnostics())
              .find(fmt::format("error[V5620]: the clock of this computer is not synchronised "
                                "with that of the run: it differs by {} or more",
                                wrong == 300'000 ? "200 µs" : "1.900 ms")),
          std::string::npos)
          << rendered(e.diagnostics());
    }
  }
}

/// A composer whose clock is 77 000 s ahead and 20 ppm faster, on a path of 200 µs with jitter.
TEST(CommonClock, IsEstimatedFromExchanges) {
  CommonClock c(CommonClock::Kind::estimated);
  std::mt19937_64 random(1);
  std::exponential_distribution<double> jitter(1.0 / 50e3);  // ns
  const auto theirs = [](std::int64_t ours) {
    return ours + 77'000'000'000'000 + static_cast<std::int64_t>(static_cast<double>(ours) * 20e-6);
  };
  EXPECT_EQ(c.text(), "of this machine, not compared with the composer's");
  std::int64_t now = 1'000'000'000;
  const auto exchange = [&] {
    const auto way = [&] { return 100'000 + static_cast<std::int64_t>(jitter(random)); };
    const std::int64_t arrives = now + way(), returns = arrives + way();
    c.add({now, theirs(arrives), theirs(arrives), returns});
    now += c.learning() ? CommonClock::often : CommonClock::usual;
  };
  int exchanges = 0;
  for (; c.learning(); ++exchanges) exchange();
  EXPECT_LT(exchanges, 200);
  const std::int64_t begin = now + 1'000'000'000;
  c.begin(Time(0s), theirs(begin), 1.0);
  // the frame that is due when the composer's clock has advanced by k s
  for (int k = 0; k < 600; ++k) {
    const double ours = static_cast<double>(begin) + k * 1e9 / (1.0 + 20e-6);
    EXPECT_NEAR(static_cast<double>(c.due(Time(k * 1s), now)), ours, 150e3) << k << " s";
    for (int i = 0; i < 5; ++i) exchange();
  }
  EXPECT_NE(c.text().find("the composer's, within 1"), std::string::npos) << c.text();
}

}  // namespace
}  // namespace vernier::server
