#include "vernier/gateway/file/csv_sink.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmath>
#include <csignal>
#include <fstream>
#include <sstream>

#include "vernier/base/diagnostic.hpp"
#include "vernier/base/temporary_folder.hpp"
#include "vernier/gateway/file/csv_source.hpp"
#include "vernier/testing/files.hpp"
#include "vernier/testing/rig.hpp"

namespace vernier::file {
namespace {

using namespace std::chrono_literals;
using testing::Rig;
using Existing = CsvSinkSettings::Existing;

/// The name of a file that does not exist.
std::filesystem::path fresh(const std::string& name) {
  static const TemporaryFolder folder;
  std::filesystem::remove(folder / name);
  return folder / name;
}

channel::Channels sink_columns() {
  channel::Channels c;
  c.inputs.resize(2);
  c.inputs[0].name = "x";
  c.inputs[0].initial = {{0.0}};
  c.inputs[1].name = "w";
  c.inputs[1].count = 2;
  c.inputs[1].unit = "rad/s";
  c.inputs[1].initial = {{0.0, -0.5}};
  return c;
}

TEST(CsvSink, WritesARowForEachTickAndTheLastOneWhenItEnds) {
  const auto path = fresh("rows.csv");
  {
    CsvSink sink(sink_columns(), {.path = path});
    Rig rig(sink);
    for (int k = 0; k < 3; ++k) {
      rig.in("x") = 0.1 * k;
      rig.step(100ms);
    }
    rig.in("x") = 9.0;
    rig.react();
  }
  EXPECT_EQ(testing::content(path),
            "t,x,w[0],w[1]\n"
            "0,0,0,-0.5\n"
            "0.1,0.10000000000000001,0,-0.5\n"
            "0.2,0.20000000000000001,0,-0.5\n"
            "0.3,9,0,-0.5\n");
}

TEST(CsvSink, WritesTheValuesThatEveryoneSettledOn) {
  const auto path = fresh("settled.csv");
  {
    CsvSink sink(sink_columns(), {.path = path, .separator = ';', .units = true});
    Rig rig(sink);
    rig.in("x") = 1.0;
    sink.output({Time{}, 0});
    sink.react({Time{}, 0});
    rig.in("x") = 2.0;  // another component's reaction, one microstep later
    sink.output({Time{}, 1});
    sink.react({Time{}, 1});
  }
  EXPECT_EQ(testing::content(path), "t (s);x;w[0] (rad/s);w[1] (rad/s)\n0;2;0;-0.5\n");
}

TEST(CsvSink, WhatItWritesASourceReadsBackToTheBit) {
  const auto path = fresh("back.csv");
  std::vector<double> sent;
  {
    CsvSink sink(sink_columns(), {.path = path});
    Rig rig(sink);
    for (int k = 0; k < 500; ++k) {
      sent.push_back(std::exp(std::sin(1.7 * k)) * std::pow(10.0, k % 30 - 15));
      rig.in("x") = sent.back();
      for (Pacer* p : sink.pacers()) p->wait_for(rig.now());  // as an unpaced run does
      rig.step(1ms);
    }
  }
  channel::Channels c;
  c.outputs.resize(1);
  c.outputs[0].name = "x";
  CsvSource source(c, {.path = path});
  Rig rig(source);
  for (const double x : sent) {
    for (Pacer* p : source.pacers()) p->wait_for(rig.now());
    rig.settle();
    EXPECT_EQ(rig.out("x"), x);
    rig.step(1ms);
  }
}

TEST(CsvSink, KeepsTheComponentContract) {
  CsvSink sink(sink_columns(), {.path = fresh("contract_sink.csv"), .existing = Existing::replace});
  testing::expect_conforming(sink, 100ms, [](Rig& r, int k) { r.in("x") = std::sin(k); });
}

TEST(CsvSink, AStepDoneAgainWritesNoRowTwice) {
  const auto path = fresh("again.csv");
  {
    CsvSink sink(sink_columns(), {.path = path});
    Rig rig(sink);
    rig.step(100ms);
    rig.react();
    const auto image = rig.save();
    sink.advance(Time{100ms}, Time{200ms});
    rig.load(image);  // another component stopped at 140 ms
    sink.advance(Time{100ms}, Time{140ms});
    sink.output({Time{140ms}});
    sink.react({Time{140ms}});
  }
  EXPECT_EQ(testing::content(path), "t,x,w[0],w[1]\n0,0,0,-0.5\n0.1,0,0,-0.5\n0.14,0,0,-0.5\n");
}

TEST(CsvSink, ARunBroughtBackWritesItsPastAnew) {
  const auto path = fresh("rewound.csv");
  {
    CsvSink sink(sink_columns(), {.path = path});
    Rig rig(sink);
    std::vector<std::byte> image(sink.description().state_bytes);
    const auto tick = [&](Duration t, double x) {
      rig.in("x") = x;
      sink.output({Time{t}});
      sink.react({Time{t}});
      sink.advance(Time{t}, Time{t + 1s});
    };
    tick(0s, 1);
    tick(1s, 2);
    sink.save(image);
    tick(2s, 3);
    tick(3s, 4);
    sink.load(image);
    tick(2s, 30);
    tick(3s, 40);
  }
  EXPECT_EQ(testing::content(path),
            "t,x,w[0],w[1]\n0,1,0,-0.5\n1,2,0,-0.5\n2,30,0,-0.5\n3,40,0,-0.5\n");
}

TEST(CsvSink, LosesNothingWhenPacedThroughASmallQueue) {
  const auto path = fresh("paced.csv");
  std::uint64_t dropped = 1;
  {
    CsvSink sink(sink_columns(), {.path = path, .memory = 1});  // 16 rows
    Rig rig(sink);
    Pacer& pacer = *sink.pacers().front();
    pacer.start(Time{});
    for (int k = 0; k < 5'000; ++k) {
      rig.in("x") = k;
      rig.step(1ms);
      pacer.wait_for(rig.now());
    }
    dropped = sink.dropped();
  }
  EXPECT_EQ(dropped, 0u);
  const std::string text = testing::content(path);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'),
            5'002);  // header, start, and one for each step
  EXPECT_TRUE(text.ends_with("\n4.999,4999,0,-0.5\n5,4999,0,-0.5\n"));
}

TEST(CsvSink, CountsWhatItDropsWhenNotPacedAndSaysSo) {
  const auto path = fresh("dropped.csv");
  std::uint64_t dropped = 0;
  int rows = 0;
  {
    CsvSink sink(sink_columns(), {.path = path, .memory = 1});
    Rig rig(sink);
    // a queue of 16 rows, and a writer that polls once per millisecond: eventually it is full
    for (; rows < 1000 || sink.dropped() == 0; ++rows) rig.step(1ms);
    dropped = sink.dropped();
    ASSERT_FALSE(rig.journal().entries().empty());
    const Telling told = sink.tell(rig.journal().entries().front());
    EXPECT_TRUE(told.warning);
    EXPECT_EQ(told.reason, "1 rows of " + path.string() + " dropped so far: the disk is too slow");
  }
  const std::string text = testing::content(path);
  EXPECT_EQ(static_cast<std::uint64_t>(std::count(text.begin(), text.end(), '\n')) - 1 + dropped,
            static_cast<std::uint64_t>(rows) + 1);  // one for the start
}

TEST(CsvSink, NeverOverwritesUnlessAskedTo) {
  const auto path = fresh("kept.csv");
  std::ofstream(path) << "precious\n";
  {
    CsvSink sink(sink_columns(), {.path = path});
    Rig rig(sink);
    EXPECT_EQ(sink.path().filename(), "kept-2.csv");
  }
  EXPECT_EQ(testing::content(path), "precious\n");
  CsvSink refusing(sink_columns(), {.path = path, .existing = Existing::refuse});
  EXPECT_THROW(Rig{refusing}, ConfigurationError);
  {
    CsvSink replacing(sink_columns(), {.path = path, .existing = Existing::replace});
    Rig rig(replacing);
  }
  EXPECT_EQ(testing::content(path), "t,x,w[0],w[1]\n");
}

/// Limits the size of this process's files, to simulate a full disk.
class FullDisk {
 public:
  explicit FullDisk(rlim_t bytes) {
    std::signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FullDisk() { setrlimit(RLIMIT_FSIZE, &before_); }

 private:
  rlimit before_{};
};

TEST(CsvSink, AFullDiskStopsARunThatMustNotLoseRowsAndNoOther) {
  for (const bool paced : {true, false}) {
    const auto path = fresh("full.csv");
    const FullDisk disk(4096);
    CsvSink sink(sink_columns(), {.path = path});
    Rig rig(sink);
    if (paced) sink.pacers().front()->start(Time{});
    for (int k = 1; k < 1000; ++k) {
      sink.output({Time{k * 1ms}});
      sink.react({Time{k * 1ms}});
    }
    sink.flush();
    EXPECT_EQ(sink.output({Time{1s}}), paced ? Outcome::failed : Outcome::ok);
    EXPECT_STREQ(sink.fault().code, "V7310");
    EXPECT_EQ(rig.journal().entries().empty(), paced);
  }
}

TEST(CsvSink, RefusesAFolderThatIsNotThere) {
  CsvSink sink(sink_columns(), {.path = "/nowhere/x.csv"});
  EXPECT_THROW(Rig{sink}, ConfigurationError);
}

}  // namespace
}  // namespace vernier::file
