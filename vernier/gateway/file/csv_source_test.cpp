#include "vernier/gateway/file/csv_source.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <numbers>

#include "vernier/base/diagnostic.hpp"
#include "vernier/base/temporary_folder.hpp"
#include "vernier/testing/rig.hpp"

namespace vernier::file {
namespace {

using namespace std::chrono_literals;
using testing::Rig;
using Between = CsvSourceSettings::Between;
using Outside = CsvSourceSettings::Outside;

std::filesystem::path written(const std::string& name, const std::string& text) {
  static const TemporaryFolder folder;
  const auto path = folder / name;
  std::ofstream(path, std::ios::binary) << text;
  return path;
}

channel::Channels columns() {
  channel::Channels c;
  c.outputs.resize(2);
  c.outputs[0].name = "x";
  c.outputs[1].name = "w";
  c.outputs[1].count = 2;
  return c;
}

const std::string table =
    "t,x,extra,w[1],w[0]\n0,1,a,11,10\n1,2,b,21,20\n1,3,c,31,30\n4,6,d,61,60\n";

/// x and w at the given time.
std::array<double, 3> at(CsvSource& source, Duration t) {
  Rig rig(source);
  if (t > Duration{}) rig.step(t);
  source.pacers().front()->wait_for(rig.now());  // the rows are read by another thread
  rig.settle();
  return {rig.out("x"), rig.out("w", 0), rig.out("w", 1)};
}

TEST(CsvSource, HoldsTheLastRowThatIsNotLater) {
  CsvSource source(columns(), {.path = written("hold.csv", table)});
  EXPECT_EQ(at(source, 0s), (std::array{1.0, 10.0, 11.0}));
  EXPECT_EQ(at(source, 999ms), (std::array{1.0, 10.0, 11.0}));
  EXPECT_EQ(at(source, 1s), (std::array{3.0, 30.0, 31.0})) << "of equal times the last counts";
  EXPECT_EQ(at(source, 3999ms), (std::array{3.0, 30.0, 31.0}));
  EXPECT_EQ(at(source, 1h), (std::array{6.0, 60.0, 61.0})) << "after the last row it stays";
}

TEST(CsvSource, GoesOnAStraightLineBetweenRows) {
  CsvSource source(columns(), {.path = written("linear.csv", table), .between = Between::linear});
  EXPECT_EQ(at(source, 500ms), (std::array{1.5, 15.0, 16.0}));
  EXPECT_EQ(at(source, 1s), (std::array{3.0, 30.0, 31.0}));
  EXPECT_EQ(at(source, 2500ms), (std::array{4.5, 45.0, 46.0}));
  EXPECT_EQ(at(source, 5s), (std::array{6.0, 60.0, 61.0}));
}

TEST(CsvSource, DoesWhatIsAskedOutsideTheFile) {
  auto channels = columns();
  channels.outputs[0].initial = {{-7.0}};
  const auto path = written("outside.csv", "t,x,w[0],w[1]\n1,2,3,4\n2,5,6,7\n");
  CsvSource nearest(channels, {.path = path});
  EXPECT_EQ(at(nearest, 0s)[0], 2.0);
  CsvSource initial(channels,
                    {.path = path, .before = Outside::initial, .after = Outside::initial});
  EXPECT_EQ(at(initial, 0s)[0], -7.0);
  EXPECT_EQ(at(initial, 1s)[0], 2.0);
  EXPECT_EQ(at(initial, 2s)[0], 5.0);
  EXPECT_EQ(at(initial, 2001ms)[0], -7.0);
  CsvSource stop(channels, {.path = path, .after = Outside::stop});
  Rig rig(stop);
  stop.advance(Time{}, Time{2s});
  stop.pacers().front()->wait_for(Time{2s});
  EXPECT_EQ(stop.output({Time{2s}}), Outcome::ok);
  stop.advance(Time{2s}, Time{3s});
  stop.pacers().front()->wait_for(Time{3s});
  EXPECT_EQ(stop.output({Time{3s}}), Outcome::failed);
  EXPECT_EQ(std::string(stop.fault().code) + " " + stop.fault().text,
            "V7309 " + path.string() + ": t = 3 s is after the last row, at 2 s");
}

TEST(CsvSource, TakesUnitsFromTheHeaderElseFromTheConnector) {
  channel::Channels c;
  c.outputs.resize(2);
  c.outputs[0].name = "a";
  channel::set_unit(c.outputs[0], "deg");
  c.outputs[1].name = "b";
  channel::set_unit(c.outputs[1], "m");
  c.outputs[1].column = "plant.b";
  CsvSource source(c, {.path = written("units.csv", "t [ms],a,plant.b (km)\n0,180,1\n500,90,2\n"),
                       .time_column = "t"});
  Rig rig(source);
  rig.settle();
  EXPECT_NEAR(rig.out("a"), std::numbers::pi, 1e-15);
  EXPECT_EQ(rig.out("b"), 1000.0);
  rig.step(500ms);
  source.pacers().front()->wait_for(rig.now());
  rig.settle();
  EXPECT_EQ(rig.out("b"), 2000.0);
}

TEST(CsvSource, KeepsTheComponentContract) {
  std::string text = "t,x,w[0],w[1]\n";
  for (int k = 0; k < 400; ++k) {
    text += std::to_string(0.05 * k) + "," + std::to_string(std::sin(0.3 * k)) + ",1," +
            std::to_string(k) + "\n";
  }
  const auto path = written("contract.csv", text);
  for (const auto between : {Between::hold, Between::linear}) {
    CsvSource source(columns(), {.path = path, .between = between});
    testing::expect_conforming(source, 100ms, [](Rig&, int) {});
  }
}

// 40 000 rows through a window of 16: far before and after it
TEST(CsvSource, GoesBackToAnyRowInAFileLargerThanItsMemory) {
  std::string text = "# made by a test\n\nt,x,w[0],w[1]\n";
  for (int k = 0; k < 40'000; ++k) {
    text += std::to_string(k) + "e-3," + std::to_string(k) + ",0,0\n";
    if (k % 1000 == 0) text += "# a comment\n";
  }
  CsvSource source(columns(), {.path = written("large.csv", text), .memory = 1});
  Rig rig(source);
  Pacer& pacer = *source.pacers().front();
  std::vector<std::byte> early(source.description().state_bytes);
  const auto go = [&](Time from, Time to) {
    EXPECT_EQ(source.advance(from, to).outcome, Outcome::ok);
    pacer.wait_for(to);
    EXPECT_EQ(source.output({to}), Outcome::ok);
    return rig.out("x");
  };
  EXPECT_EQ(go(Time{}, Time{1s}), 1000.0);
  source.save(early);
  EXPECT_EQ(go(Time{1s}, Time{30s}), 30'000.0);
  EXPECT_EQ(go(Time{30s}, Time{1000s}), 39'999.0);
  source.load(early);
  EXPECT_EQ(go(Time{1s}, Time{1s + 1ms}), 1001.0);
  std::vector<std::byte> again(early.size());
  source.load(early);
  source.save(again);
  EXPECT_EQ(early, again);
}

// interpolation after a rewind needs the next row at once
TEST(CsvSource, KnowsTheNextRowWhereverItGoesBackTo) {
  std::string text = "t,x,w[0],w[1]\n";
  for (int k = 0; k < 400; ++k) text += std::to_string(k) + "e-3," + std::to_string(k) + ",0,0\n";
  CsvSource source(columns(),
                   {.path = written("line.csv", text), .between = Between::linear, .memory = 1});
  Rig rig(source);
  const Time half{500us};  // after the first row
  source.pacers().front()->wait_for(half);
  ASSERT_EQ(source.output({half}), Outcome::ok);
  std::vector<std::byte> early(source.description().state_bytes);
  source.save(early);
  for (int k = 0; k < 200; ++k) {
    ASSERT_EQ(source.advance(half, Time{300ms}).outcome, Outcome::ok);
    source.pacers().front()->wait_for(Time{300ms});
    source.load(early);
    ASSERT_EQ(source.output({half}), Outcome::ok);
    ASSERT_EQ(rig.out("x"), 0.5);
  }
}

std::string refused(const std::string& text, CsvSourceSettings settings = {}) {
  settings.path = written("bad.csv", text);
  try {
    CsvSource source(columns(), settings);
    Rig rig(source);
    Time t{};
    for (int k = 0; k < 100; ++k, t += 100ms) {
      if (source.advance(t, t + 100ms).outcome == Outcome::failed) {
        return std::string(source.fault().code) + " " + source.fault().text;
      }
      source.pacers().front()->wait_for(t + 100ms);
      if (source.output({t + 100ms}) == Outcome::failed) {
        return std::string(source.fault().code) + " " + source.fault().text;
      }
    }
  } catch (const ConfigurationError& e) {
    const Diagnostic& d = e.diagnostics().list().front();
    return d.code + " " + (d.place.line > 0 ? std::to_string(d.place.line) + ": " : "") +
           d.message + (d.mark.empty() ? "" : " | " + d.mark);
  }
  return "accepted";
}

TEST(CsvSource, RefusesWhatItCannotUseWithFileAndLine) {
  const std::string path = written("bad.csv", "").string();
  const std::string head = "t,x,w[0],w[1]\n0,1,2,3\n";
  EXPECT_EQ(refused(head), "accepted");
  EXPECT_EQ(refused(""), "V7302 " + path + " is empty; its first line must name the columns");
  EXPECT_EQ(refused("t,x,w[0],w[1]\n"), "V7308 " + path + " has a header and no rows");
  EXPECT_EQ(refused("t,X,w[0],w[1]\n0,1,2,3\n"),
            "V7303 1: there is no column \"x\" | did you mean X?");
  EXPECT_EQ(refused("time,x,w[0],w[1]\n0,1,2,3\n"), "V7303 1: there is no column \"t\"");
  EXPECT_EQ(refused("t,x,x,w[0],w[1]\n0,1,1,2,3\n"), "V7303 1: column \"x\" is there twice");
  EXPECT_EQ(refused("t,x (m),w[0],w[1]\n0,1,2,3\n"),
            "V7303 1: column \"x\" is in \"m\", which is not of the kind of \"1\"");
  EXPECT_EQ(refused("t,x,w[0],w[1]\n0,1,2\n"), "V7304 2: 3 fields, the header has 4");
  EXPECT_EQ(refused("t,x,w[0],w[1]\n0,1,2,NaN\n"),
            "V7305 2: \"NaN\" in column \"w[1]\" is not a finite number");
  EXPECT_EQ(refused(head + "1,2,3\n"), "V7304 " + path + ":3: 3 fields, the header has 4");
  EXPECT_EQ(refused(head + "1,2,,4\n"),
            "V7305 " + path + ":3: the field of column \"w[0]\" is empty");
  EXPECT_EQ(refused(head + "1,2,\x1b[2J,4\n"),
            "V7305 " + path + ":3: \"?[2J\" in column \"w[0]\" is not a finite number");
  EXPECT_EQ(refused(head + "2,1,1,1\n1,1,1,1\n"),
            "V7306 " + path + ":4: time goes back, from 2 s to 1 s");
  EXPECT_EQ(refused(head + "1e300,1,1,1\n"), "V7305 " + path + ":3: the time is beyond 292 years");
  EXPECT_EQ(refused(head + std::string(longest_csv_line + 9, '1') + "\n"),
            "V7307 " + path + ":3: the line is longer than 1048576 bytes");
  EXPECT_EQ(refused("t;x;w[0];w[1]\n0;1;2;3\n", {.separator = ';'}), "accepted");
}

TEST(CsvSource, RefusesAFileThatIsNotThere) {
  EXPECT_THROW(CsvSource(columns(), {.path = "/nowhere/x.csv"}), ConfigurationError);
}

TEST(CsvSource, GoesOnWithoutABadRowThatItNeverReaches) {
  CsvSource source(columns(),
                   {.path = written("later.csv", "t,x,w[0],w[1]\n0,1,2,3\n5,1,2,3\n9,oops,1,1\n")});
  EXPECT_EQ(at(source, 4s)[0], 1.0);
}

}  // namespace
}  // namespace vernier::file
