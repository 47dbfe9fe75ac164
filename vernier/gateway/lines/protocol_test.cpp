#include "vernier/gateway/lines/protocol.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <random>

namespace vernier::lines {
namespace {

using namespace std::chrono_literals;

std::string written(Time t) {
  Composer c(64);
  return std::string(c.time(t).text());
}

TEST(LinesTime, IsExactInDecimalSeconds) {
  EXPECT_EQ(written(Time{252'100ms}), "252.1");
  EXPECT_EQ(written(Time{0s}), "0");
  EXPECT_EQ(written(Time{-1ns}), "-0.000000001");
  EXPECT_EQ(written(Time{1s + 23ns}), "1.000000023");
  std::mt19937_64 random(7);
  for (int i = 0; i < 20'000; ++i) {
    const auto ns = static_cast<std::int64_t>(random()) >> (random() % 60 + 1);
    const auto back = parsed_time(written(Time{Duration{ns}}));
    ASSERT_TRUE(back) << ns;
    EXPECT_EQ(back->time_since_epoch().count(), ns);
  }
}

TEST(LinesTime, ReadsWhatOtherLanguagesPrint) {
  EXPECT_EQ(parsed_time("0.10000000000000001"), Time{100ms});  // %.17g of 0.1
  EXPECT_EQ(parsed_time("252.09999999999999"), Time{252'100ms});
  EXPECT_EQ(parsed_time("1e-05"), Time{10us});
  EXPECT_EQ(parsed_time("9e2"), Time{900s});
  EXPECT_EQ(parsed_time("+3."), Time{3s});
  for (const char* bad : {"", ".", "nan", "inf", "1e400", "1e10", "99999999999999999999", "0x10",
                          "1,5", "1.5s", "--1"}) {
    EXPECT_FALSE(parsed_time(bad)) << bad;
  }
}

TEST(LinesNumbers, ComeBackToTheBit) {
  std::mt19937_64 random(3);
  Composer c(64);
  for (int i = 0; i < 20'000; ++i) {
    const double x = std::bit_cast<double>(random());
    if (!std::isfinite(x)) continue;
    const std::string line = "1 " + std::string(c.clear().real(x).text());
    double y = 0.0;
    ASSERT_EQ(read_moment(line, {&y, 1}, {}, {}).flaw, Flaw::none) << line;
    EXPECT_EQ(std::bit_cast<std::uint64_t>(x), std::bit_cast<std::uint64_t>(y)) << line;
  }
  EXPECT_EQ(c.clear().real(0.1).text(), "0.10000000000000001");
  EXPECT_EQ(c.clear().real(-0.0).text(), "-0");
}

TEST(LinesMoment, SaysWhatIsWrong) {
  const std::vector<std::string> labels{"low", "high"};
  const auto flaw = [&](std::string_view rest) {
    std::array<double, 2> values{};
    std::array<std::int64_t, 2> happened{};
    return read_moment(rest, values, labels, happened).flaw;
  };
  EXPECT_EQ(flaw(" 0.1 1 2"), Flaw::none);
  EXPECT_EQ(flaw("0.1\t1 \t 2  EVENT low low"), Flaw::none);
  EXPECT_EQ(flaw(""), Flaw::time);
  EXPECT_EQ(flaw("x 1 2"), Flaw::time);
  EXPECT_EQ(flaw("0.1 1"), Flaw::too_few);
  EXPECT_EQ(flaw("0.1 1 EVENT low"), Flaw::too_few);
  EXPECT_EQ(flaw("0.1 1 2 3"), Flaw::too_many);
  EXPECT_EQ(flaw("0.1 1 2,5"), Flaw::number);
  EXPECT_EQ(flaw("0.1 nan 2"), Flaw::not_finite);
  EXPECT_EQ(flaw("0.1 1 -inf"), Flaw::not_finite);
  EXPECT_EQ(flaw("0.1 1 1e999"), Flaw::not_finite);
  EXPECT_EQ(flaw("0.1 1 1e-999"), Flaw::none);
  EXPECT_EQ(flaw("0.1 1 2 EVENT"), Flaw::label);
  EXPECT_EQ(flaw("0.1 1 2 EVENT lo"), Flaw::label);
}

TEST(LinesMoment, CountsEvents) {
  const std::vector<std::string> labels{"low", "high"};
  std::array<std::int64_t, 2> happened{};
  EXPECT_EQ(read_moment("5 EVENT high low high", {}, labels, happened).flaw, Flaw::none);
  EXPECT_EQ(happened, (std::array<std::int64_t, 2>{1, 2}));
}

channel::Channels sample() {
  channel::Channels c;
  c.inputs.resize(2);
  c.inputs[0].name = "voltage";
  c.inputs[0].count = 3;
  c.inputs[0].unit = "V";
  c.inputs[1].name = "in";
  c.outputs.resize(1);
  c.outputs[0].name = "momentum";
  c.outputs[0].unit = "N m s";
  c.events_in = {"telecommand"};
  return c;
}

TEST(LinesChannels, RoundTrip) {
  const std::string text = channels_text(sample());
  EXPECT_EQ(text, "in: voltage[3](V) in out: momentum(N*m*s) events-in: telecommand");
  const auto offer = parsed_channels(text);
  ASSERT_TRUE(offer);
  EXPECT_EQ(difference(*offer, sample()), "");
}

TEST(LinesChannels, SayHowTheyDiffer) {
  const auto differs = [](std::string_view text) {
    const auto offer = parsed_channels(text);
    return offer ? difference(*offer, sample()) : offer.error();
  };
  EXPECT_EQ(differs("in: voltage[3] in out: momentum events-in: telecommand"), "");
  EXPECT_EQ(differs("in: voltage[3](mV) in out: momentum"),
            "input 1, \"voltage\", is in \"mV\" there, in \"V\" here");
  EXPECT_EQ(differs("in: voltage[2] in out: momentum"),
            "input 1, \"voltage\", has size 2 there, 3 here");
  EXPECT_EQ(differs("in: voltage[3] on out: momentum"), "input 2 is \"on\" there, \"in\" here");
  EXPECT_EQ(differs("in: voltage[3] out: momentum"), "1 inputs there, 2 here");
  EXPECT_EQ(differs("in: voltage[3] in out: momentum"),
            "event inputs are \"none\" there, \"telecommand\" here");
  EXPECT_EQ(differs("voltage[3]"), "\"voltage[3]\" comes before in: or out:");
  EXPECT_EQ(differs("in: voltage[0]"), "\"voltage[0]\" has no size from 1 to 40000");
  EXPECT_EQ(differs("in: a[99999999999]"), "\"a[99999999999]\" has no size from 1 to 40000");
  EXPECT_EQ(differs("ins: a"), "\"ins:\" is not in:, out:, events-in: or events-out:");
}

TEST(LinesVerbs, AreFoundAtTheStartOfALine) {
  ASSERT_TRUE(opened("STEP 1 2\r"));
  EXPECT_EQ(opened("STEP 1 2\r")->rest, " 1 2");
  EXPECT_EQ(opened(" BYE")->verb, Verb::bye);
  EXPECT_FALSE(opened(""));
  EXPECT_FALSE(opened("step 1"));
  EXPECT_FALSE(opened("GET / HTTP/1.1"));
}

TEST(LinesComposer, IsEmptyWhenTheLineDoesNotFit) {
  Composer c(8);
  EXPECT_EQ(c.verb(Verb::channels).text(), "CHANNELS");
  EXPECT_EQ(c.end().text(), "");
  EXPECT_EQ(c.clear().verb(Verb::bye).end().text(), "BYE\n");
}

TEST(LinesShown, ReplacesControlCharacters) {
  char out[8];
  EXPECT_EQ(shown("a\x1b[2Jbcdefgh", out), "a?[2Jbcd");
}

}  // namespace
}  // namespace vernier::lines
