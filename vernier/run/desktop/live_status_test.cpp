#include "vernier/run/desktop/live_status.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace vernier::desktop {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;

const LiveStatus::Clock::time_point start{1000s};

TEST(LiveStatus, AsksARunThatIsWatchedFiveTimesASecond) {
  LiveStatus s;
  EXPECT_TRUE(s.due(start).empty());
  s.watch("runs/a", 1, "runs/latest");
  EXPECT_EQ(s.due(start), "runs/a");
  EXPECT_TRUE(s.due(start + 1s).empty()) << "it was not answered yet";
  s.take("runs/a", R"({"time":1})", 0, start);
  EXPECT_TRUE(s.due(start + 199ms).empty());
  EXPECT_EQ(s.next(), start + 200ms);
  EXPECT_EQ(s.due(start + 200ms), "runs/a");
  s.missed("runs/a", start + 1s);
  EXPECT_EQ(s.due(start + 1200ms), "runs/a");
}

TEST(LiveStatus, TellsEachPageUnderItsName) {
  LiveStatus s;
  s.watch("runs/a", 1, "runs/latest");
  s.watch("runs/a", 2, "runs/a");
  const auto told = s.take(
      "runs/a",
      R"({"time":1,"status":"running","frozen":false,"rate":2,"events":3,"pulse":{"late":4}})", 5,
      start);
  ASSERT_EQ(told.size(), 2u);
  const json first = json::parse(told[0].second);
  EXPECT_EQ(first["tell"], "status");
  EXPECT_EQ(first["run"], "runs/latest");
  EXPECT_EQ(first["live"], true);
  EXPECT_EQ(first["time"], 1);
  EXPECT_EQ(first["factor"], 2) << "what it wants, until it is measured";
  EXPECT_EQ(first["pulse"]["late"], 4);
  EXPECT_EQ(first["lost"], 5);
  EXPECT_EQ(json::parse(told[1].second)["run"], "runs/a");
}

TEST(LiveStatus, MeasuresHowFastARunIs) {
  LiveStatus s;
  s.watch("a", 1, "a");
  s.take("a", R"({"time":1})", 0, start);
  const auto told = s.take("a", R"({"time":4})", 0, start + 2s);
  ASSERT_EQ(told.size(), 1u);
  EXPECT_EQ(json::parse(told[0].second)["factor"], 1.5);
}

TEST(LiveStatus, IsSilentWhileNothingChanges) {
  LiveStatus s;
  s.watch("a", 1, "a");
  const char* frozen = R"({"time":1,"frozen":true})";
  EXPECT_EQ(s.take("a", frozen, 0, start).size(), 1u);
  EXPECT_EQ(s.take("a", frozen, 0, start + 1s).size(), 0u);
  // a page that comes later hears it
  s.watch("a", 2, "a");
  EXPECT_EQ(s.take("a", frozen, 0, start + 2s).size(), 2u);
}

TEST(LiveStatus, TellsTheEndOnce) {
  LiveStatus s;
  s.watch("a", 1, "a");
  s.take("a", R"({"time":7})", 0, start);
  const auto told = s.end("a", "interrupted", 9, "b");
  ASSERT_EQ(told.size(), 1u);
  const json j = json::parse(told[0].second);
  EXPECT_EQ(j["live"], false);
  EXPECT_EQ(j["status"], "interrupted");
  EXPECT_EQ(j["events"], 9);
  EXPECT_EQ(j["next"], "b");
  EXPECT_TRUE(s.end("a", "interrupted", 9, "").empty());
  EXPECT_TRUE(s.due(start + 1h).empty());
}

TEST(LiveStatus, ForgetsPagesThatAreGone) {
  LiveStatus s;
  s.watch("a", 1, "a");
  s.watch("b", 1, "b");
  s.forget("a", 1);
  EXPECT_EQ(s.due(start), "b");
  s.forget(1);
  EXPECT_TRUE(s.take("b", R"({"time":1})", 0, start).empty());
  EXPECT_EQ(s.next(), net::forever);
}

TEST(LiveStatus, IgnoresWhatIsNoState) {
  LiveStatus s;
  s.watch("a", 1, "a");
  EXPECT_TRUE(s.take("a", "nonsense", 0, start).empty());
  EXPECT_EQ(s.take("a", R"({"time":"soon"})", 0, start).size(), 1u);
}

}  // namespace
}  // namespace vernier::desktop
