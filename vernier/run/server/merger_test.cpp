#include "vernier/run/server/merger.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

namespace vernier::server {
namespace {

using namespace std::chrono_literals;

Port real() {
  Port p;
  p.name = "y";
  p.count = 1;
  return p;
}

/// Two ports of two nodes that one observer reads, and everything that is shown, as text.
class Shown : public ::testing::Test, public Merger::Reader {
 protected:
  Shown() {
    for (std::size_t i = 0; i < 2; ++i) views[i] = {.path = "y", .port = &port, .data = &values[i]};
    merger.watch(7, eye, {{&views[0]}, {&views[1]}});
    merger.rewind(Time(-2ns));
  }

  bool row(std::uint32_t node, Time t, double value, bool last = true) {
    std::byte bytes[sizeof value];
    std::memcpy(bytes, &value, sizeof value);
    return merger.take(node, {.tap = 7, .at = {t}, .last = last, .content = bytes});
  }
  bool show(Time end) { return merger.show(end, *this); }
  void noted(Time t, std::uint32_t round, std::uint32_t part) {
    merger.take(Noted{.time = t, .round = round, .part = part, .entry = {}});
  }

  struct Eye final : executive::Observer {
    explicit Eye(Shown& s) : shown(s) {}
    Shown& shown;
    void sample(Instant at, bool last) noexcept override {
      shown.all.push_back(words(at.time) + (last ? " " : " before ") +
                          std::to_string(int(shown.values[0])) +
                          std::to_string(int(shown.values[1])));
    }
  };
  bool reach(Time t) override { return t < enough; }
  void note(std::uint32_t part, std::span<const Entry> entries) override {
    all.push_back("part " + std::to_string(part) + " " + std::to_string(entries.size()));
  }
  bool speaks(std::uint32_t node, std::uint32_t) const override { return node == speaker; }
  void executed(const Executed& e) override {
    all.push_back(words(e.at) + (e.settled ? " settled order" : " order"));
  }
  static std::string words(Time t) {
    return std::to_string(t.time_since_epoch() / std::chrono::milliseconds(1));
  }

  std::uint32_t speaker = 0;
  const Port port = real();
  double values[2] = {0.0, 0.0};
  executive::PortView views[2];
  Eye eye{*this};
  Merger merger;
  Time enough = Time::max();
  std::vector<std::string> all;
};

using Words = std::vector<std::string>;

TEST_F(Shown, AreTheRowsOfAllNodesTogetherInTheOrderOfTime) {
  row(0, Time(1ms), 1);
  row(0, Time(2ms), 2);
  row(1, Time(1ms), 5);
  row(1, Time(2ms), 6);
  EXPECT_TRUE(show(Time(2ms)));  // what is before
  EXPECT_EQ(all, (Words{"1 15"}));
  EXPECT_TRUE(show(Time(3ms)));
  EXPECT_EQ(all, (Words{"1 15", "2 26"}));
  EXPECT_EQ(merger.shown(), Time(3ms));
}

TEST_F(Shown, AreNotesByRoundAndPartBeforeTheRowsOfTheirTime) {
  noted(Time(1ms), 1, 4);
  noted(Time(1ms), 0, 9);
  noted(Time(1ms), 1, 2);
  noted(Time(1ms), 1, 4);
  row(0, Time(1ms), 1);
  row(1, Time(1ms), 1);
  EXPECT_TRUE(show(Time(2ms)));
  EXPECT_EQ(all, (Words{"part 9 1", "part 2 1", "part 4 2", "1 11"}));
}

TEST_F(Shown, AreNotShownAgainAfterAReturn) {
  for (const Time t : {Time(1ms), Time(2ms), Time(3ms)}) {
    noted(t, 0, 1);
    row(0, t, 1);
    row(1, t, 1);
  }
  EXPECT_TRUE(show(Time(2500us)));
  merger.drop();
  all.clear();
  for (const Time t : {Time(2ms), Time(3ms), Time(4ms)}) {
    noted(t, 0, 1);
    row(0, t, 1);
    row(1, t, 1);
  }
  EXPECT_TRUE(show(Time(5ms)));
  EXPECT_EQ(all, (Words{"part 1 1", "3 11", "part 1 1", "4 11"}));
}

TEST_F(Shown, AreOrdersAroundTheRowsOfTheirTimeOnce) {
  const auto orders = [this] {
    merger.take(Executed{.at = Time(1ms), .settled = true, .scheduled = true, .values = {}});
    merger.take(Executed{.at = Time(1ms), .settled = false, .scheduled = true, .values = {}});
  };
  orders();
  row(0, Time(1ms), 1);
  row(1, Time(1ms), 1);
  EXPECT_TRUE(show(Time(2ms)));
  EXPECT_EQ(all, (Words{"1 order", "1 11", "1 settled order"}));
  merger.drop();
  orders();
  EXPECT_TRUE(show(Time(3ms)));
  EXPECT_EQ(all.size(), 3u);
}

TEST_F(Shown, EndWhereTheReaderWantsNoMore) {
  enough = Time(2ms);
  for (const Time t : {Time(1ms), Time(2ms)}) {
    row(0, t, 1);
    row(1, t, 1);
  }
  EXPECT_FALSE(show(Time(5ms)));
  EXPECT_EQ(all, (Words{"1 11"}));
  EXPECT_FALSE(merger.disagree());
}

TEST_F(Shown, TellsWhenNodesShowDifferentInstants) {
  row(0, Time(1ms), 1);
  row(1, Time(1ms), 1, false);
  EXPECT_FALSE(show(Time(2ms)));
  EXPECT_TRUE(merger.disagree());
}

TEST_F(Shown, RefusesRowsThatNobodyAskedFor) {
  EXPECT_FALSE(row(2, Time(1ms), 1));  // no such node
  std::byte few[4] = {};
  EXPECT_FALSE(merger.take(0, {.tap = 7, .at = {Time(1ms)}, .last = true, .content = few}));
  EXPECT_TRUE(merger.take(0, {.tap = 8, .at = {Time(1ms)}, .last = true, .content = few}));
}

TEST_F(Shown, AreOnlyRowsThatAllHaveIfGapsArePermitted) {
  merger.permit_gaps();
  for (const std::uint32_t node : {0u, 1u})
    for (int k = 1; k <= 6; ++k)
      if (!(node == 0 && k == 2) && !(node == 1 && (k == 4 || k == 6))) row(node, Time(k * 1ms), k);
  EXPECT_TRUE(show(Time(5ms)));
  EXPECT_EQ(all, (Words{"1 11", "3 33"}));
  EXPECT_EQ(merger.left_out(), 2u);
  EXPECT_FALSE(merger.disagree());
  EXPECT_TRUE(show(Time(7ms)));
  EXPECT_EQ(all, (Words{"1 11", "3 33", "5 55"}));
}

/// The first port comes from two nodes.
class Twice : public Shown {
 protected:
  Twice() { merger.watch(7, eye, {{&views[0]}, {&views[0]}, {&views[1]}}); }
};

TEST_F(Twice, IsShownOnce) {
  for (const std::uint32_t node : {1u, 0u}) EXPECT_TRUE(row(node, Time(1ms), 4.0));
  EXPECT_TRUE(row(2, Time(1ms), 5.0));
  EXPECT_TRUE(show(Time(2ms)));
  EXPECT_EQ(all, (std::vector<std::string>{"1 45"}));
}

TEST_F(Twice, IsShownWithoutTheNodeThatIsLost) {
  EXPECT_TRUE(row(1, Time(1ms), 4.0));
  EXPECT_TRUE(row(2, Time(1ms), 5.0));
  EXPECT_TRUE(row(0, Time(1ms), 4.0));
  EXPECT_TRUE(row(1, Time(2ms), 6.0));
  EXPECT_TRUE(row(2, Time(2ms), 7.0));
  merger.lose(0);
  EXPECT_TRUE(show(Time(3ms)));
  EXPECT_EQ(all, (std::vector<std::string>{"1 45", "2 67"}));
}

TEST_F(Twice, IsRefusedWhenItDiffers) {
  EXPECT_TRUE(row(0, Time(1ms), 4.0));
  EXPECT_TRUE(row(1, Time(1ms), 4.5));
  EXPECT_TRUE(row(2, Time(1ms), 5.0));
  EXPECT_FALSE(show(Time(2ms)));
  ASSERT_TRUE(merger.difference());
  EXPECT_EQ(merger.difference()->port, &views[0]);
  EXPECT_EQ(merger.difference()->at, Time(1ms));
  EXPECT_TRUE(all.empty());
}

TEST_F(Twice, BelievesTheNotesOfTheNodeThatSpeaks) {
  noted(Time(1ms), 0, 3);
  speaker = 1;
  EXPECT_TRUE(show(Time(2ms)));
  EXPECT_TRUE(all.empty());
  speaker = 0;
  noted(Time(3ms), 0, 3);
  EXPECT_TRUE(show(Time(4ms)));
  EXPECT_EQ(all, (std::vector<std::string>{"part 3 1"}));
}

}  // namespace
}  // namespace vernier::server
