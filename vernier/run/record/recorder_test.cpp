#include "vernier/run/record/recorder.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <fstream>
#include <sstream>
#include <thread>

#include "vernier/base/temporary_folder.hpp"
#include "vernier/run/record/result_reader.hpp"
#include "vernier/testing/allocations.hpp"
#include "vernier/testing/files.hpp"
#include "vernier/testing/sanitized.hpp"

namespace vernier::record {
namespace {

using executive::PortView;
using std::chrono::milliseconds;

/// Ports as an executive provides them: 20 vectors of 3.
struct Ports {
  static constexpr std::size_t count = 20;
  std::vector<Port> ports;
  std::vector<double> memory;
  std::vector<PortView> views;

  Ports() : ports(count), memory(3 * count), views(count) {
    for (std::size_t i = 0; i < count; ++i) {
      ports[i] = {.name = "p" + std::to_string(i), .unit = "m", .count = 3};
      views[i].path = "plant." + ports[i].name;
      views[i].port = &ports[i];
      views[i].output = true;
      views[i].data = &memory[3 * i];
    }
  }
  RecordGroup group() const {
    RecordGroup g;
    g.sampling.rate = {10, 1};
    for (const PortView& v : views) g.ports.push_back(&v);
    return g;
  }
  void set(std::int64_t k) {
    for (std::size_t i = 0; i < memory.size(); ++i)
      memory[i] = static_cast<double>(k) + 0.001 * double(i);
  }
};

Telling plain(std::size_t part, const Entry& e) {
  return {.subject = "part" + std::to_string(part),
          .kind = "transition",
          .from = std::to_string(e.from),
          .to = std::to_string(e.to),
          .reason = "x > 1, \"now\"",
          .transition = "go"};
}

TEST(Recorder, LosesNothingWhenItPacesTheRun) {
  const TemporaryFolder folder;
  Ports ports;
  Recorder recorder;
  RecorderOptions options;
  options.queue_bytes = 1;  // the smallest queue: the loop is much faster than the recorder
  const auto& attached = recorder.begin(folder.path(), {ports.group()}, options, plain);
  ASSERT_EQ(attached.size(), 1u);
  std::int64_t ticks = 0;
  for (; ticks < 10'000 || recorder.statistics().waits == 0; ++ticks) {
    ports.set(ticks);
    attached[0].observer->sample({tick({10, 1}, ticks)}, true);
    EXPECT_EQ(recorder.pacer().wait_for(tick({10, 1}, ticks + 1)), Outcome::ok);
  }
  recorder.finish();
  const RecorderStatistics s = recorder.statistics();
  EXPECT_EQ(s.rows, static_cast<std::uint64_t>(ticks));
  EXPECT_EQ(s.dropped, 0u);
  EXPECT_EQ(s.failure, "");
  const ResultReader r(folder.path());
  const Trace t = r.trace(*r.find("plant.p7"), 1);
  ASSERT_EQ(t.values.size(), static_cast<std::size_t>(ticks));
  std::int64_t wrong = 0;
  for (std::int64_t k = 0; k < ticks; ++k) {
    wrong += t.values[k] != static_cast<double>(k) + 0.001 * 22 ||
             t.time[k] != seconds(tick({10, 1}, k));
  }
  EXPECT_EQ(wrong, 0);
}

TEST(Recorder, CountsWhatItDropsAndNeverWaitsWhenTheClockRules) {
  const TemporaryFolder folder;
  Ports ports;
  Recorder recorder;
  RecorderOptions options;
  options.queue_bytes = 1;
  const auto& attached = recorder.begin(folder.path(), {ports.group()}, options, plain);
  std::int64_t ticks = 0;
  for (; ticks < 10'000 || recorder.statistics().dropped == 0; ++ticks)
    attached[0].observer->sample({tick({10, 1}, ticks)}, true);
  recorder.finish();
  const RecorderStatistics s = recorder.statistics();
  EXPECT_EQ(s.rows + s.dropped, static_cast<std::uint64_t>(ticks));
  EXPECT_EQ(s.waits, 0u);
  const ResultReader r(folder.path());
  EXPECT_EQ(r.find("plant.p0")->rows, s.rows);
}

TEST(Recorder, WritesGapsWhileTheRunGoesOn) {
  const TemporaryFolder folder;
  Ports ports;
  Recorder recorder;
  RecorderOptions options;
  options.queue_bytes = 1;
  options.flush_every = milliseconds(1);
  const auto& attached = recorder.begin(folder.path(), {ports.group()}, options, plain);
  std::int64_t ticks = 0;
  const auto sample = [&] { attached[0].observer->sample({tick({10, 1}, ticks++)}, true); };
  while (recorder.statistics().dropped == 0) sample();
  // the file has it before the recording ends: what a kill would leave
  const auto text = [&] { return testing::content(folder / "events.csv"); };
  while (text().find(",recorder,dropped,") == std::string::npos) std::this_thread::yield();
  for (int k = 0; k < 10'000; ++k) sample();
  recorder.finish();
  // lines: time, recorder, dropped, first, last, "N samples of plant.p0 and 19 more …"
  std::istringstream lines(text());
  std::uint64_t missing = 0;
  double end = -1.0;
  for (std::string line; std::getline(lines, line);) {
    double at = 0.0, first = 0.0, last = 0.0;
    unsigned long long count = 0;
    if (std::sscanf(line.c_str(),
                    "%lf,recorder,dropped,%lf,%lf,%llu samples of plant.p0 and 19 more", &at,
                    &first, &last, &count) != 4 &&
        std::sscanf(line.c_str(), "%lf,recorder,dropped,%lf,%lf,%llu sample of", &at, &first, &last,
                    &count) != 4)
      continue;
    missing += count;
    EXPECT_LE(first, last);
    EXPECT_EQ(at, last);
    EXPECT_GE(first, end);
    end = last;
  }
  EXPECT_EQ(missing, recorder.statistics().dropped);
}

TEST(Recorder, AllocatesNothingInTheLoop) {
  const TemporaryFolder folder;
  Ports ports;
  Recorder recorder;
  const auto& attached = recorder.begin(folder.path(), {ports.group()}, {}, plain);
  const Entry entries[2] = {};
  const long before = testing::allocations();
  for (std::int64_t k = 0; k < 2000; ++k) {
    attached[0].observer->note(0, entries);
    attached[0].observer->sample({tick({10, 1}, k)}, true);
    static_cast<void>(recorder.pacer().wait_for(tick({10, 1}, k + 1)));
  }
  EXPECT_EQ(testing::allocations(), before);
  recorder.finish();
}

TEST(Recorder, WritesEventsAsTheyHappen) {
  const TemporaryFolder folder;
  Ports ports;
  Recorder recorder;
  RecorderOptions options;
  std::atomic<int> heard{0};
  options.on_event = [&](const Event& e) {
    EXPECT_EQ(e.component, "part3");
    ++heard;
  };
  const auto& attached = recorder.begin(folder.path(), {ports.group()}, options, plain);
  Entry e;
  e.at.time = Time(Duration(238'123'456'789));
  e.remainder = -2.5e-10;
  e.from = 1;
  e.to = 2;
  attached[0].observer->note(3, {&e, 1});
  // on disk although nothing was finished
  const std::string written =
      "time,component,kind,from,to,reason,transition\n"
      "238.12345678875,part3,transition,1,2,\"x > 1, \"\"now\"\"\",go\n";
  for (int i = 0; i < 50'000 && testing::content(folder / "events.csv") != written; ++i)
    std::this_thread::sleep_for(milliseconds(2));
  EXPECT_EQ(testing::content(folder / "events.csv"), written);
  // told: what came before a sample that a later one followed
  EXPECT_EQ(recorder.told(), Time::min());
  attached[0].observer->sample({Time(std::chrono::seconds(239))}, true);
  attached[0].observer->sample({Time(std::chrono::seconds(240))}, true);
  for (int i = 0; i < 50'000 && recorder.told() == Time::min(); ++i)
    std::this_thread::sleep_for(milliseconds(2));
  EXPECT_EQ(recorder.told(), Time(std::chrono::seconds(239)));
  recorder.finish();
  EXPECT_EQ(heard, 1);
  EXPECT_EQ(recorder.statistics().events, 1u);
}

TEST(Recorder, HearsOfEventsWhenNothingIsSampled) {
  const TemporaryFolder folder;
  Recorder recorder;
  const auto& attached = recorder.begin(folder.path(), {}, {}, plain);
  ASSERT_EQ(attached.size(), 1u);
  const Entry e;
  attached[0].observer->sample({}, true);
  attached[0].observer->note(0, {&e, 1});
  recorder.finish();
  EXPECT_EQ(recorder.statistics().events, 1u);
  EXPECT_EQ(recorder.statistics().rows, 0u);
}

TEST(Recorder, FlushesAboutTwiceASecondWithoutBeingAsked) {
  const TemporaryFolder folder;
  Ports ports;
  Recorder recorder;
  RecorderOptions options;
  options.flush_every = milliseconds(50);
  const auto& attached = recorder.begin(folder.path(), {ports.group()}, options, plain);
  attached[0].observer->sample({}, true);
  std::uint64_t rows = 0;
  for (int i = 0; i < 10'000 && rows == 0; ++i) {
    std::this_thread::sleep_for(milliseconds(10));
    rows = ResultReader(folder.path()).find("plant.p0")->rows;
  }
  EXPECT_EQ(rows, 1u);
}

TEST(Recorder, KeepsBothSidesOfAJump) {
  const TemporaryFolder folder;
  Ports ports;
  Recorder recorder;
  const auto& attached = recorder.begin(folder.path(), {ports.group()}, {}, plain);
  ports.set(1);
  attached[0].observer->sample({Time(milliseconds(300)), 0}, false);
  ports.set(2);
  attached[0].observer->sample({Time(milliseconds(300)), 1}, true);
  recorder.finish();
  const ResultReader r(folder.path());
  const Trace t = r.trace(*r.find("plant.p0"), 0);
  EXPECT_EQ(t.time, (std::vector<double>{0.3, 0.3}));
  EXPECT_EQ(t.values, (std::vector<double>{1.0, 2.0}));
}

// sanitizers keep freed memory, so this cannot be measured with them
#if !defined(VERNIER_TESTS_SANITIZED)
long resident_kib() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmRSS:")) return std::stol(line.substr(6));
  }
  return 0;
}

TEST(Recorder, NeedsNoMoreMemoryForALongerRun) {
  const TemporaryFolder folder;
  Ports ports;
  RecordGroup one = ports.group();
  one.ports.resize(1);
  Recorder recorder;
  const auto& attached = recorder.begin(folder.path(), {one}, {}, plain);
  long early = 0;
  constexpr std::int64_t ticks = 2'000'000;  // 64 MB on disk
  for (std::int64_t k = 0; k < ticks; ++k) {
    attached[0].observer->sample({tick({10, 1}, k)}, true);
    static_cast<void>(recorder.pacer().wait_for(tick({10, 1}, k + 1)));
    if (k == ticks / 10) early = resident_kib();
  }
  EXPECT_LT(resident_kib() - early, 2048) << "grew from " << early << " KiB";
  recorder.finish();
  EXPECT_EQ(recorder.statistics().rows, static_cast<std::uint64_t>(ticks));
}
#endif

TEST(GroupsOf, PutsPortsOfOneRateTogetherAndTellsOfNamesThatFitNothing) {
  Ports ports;
  Diagnostics problems;
  std::vector<composition::Record> records;
  records.push_back({.signals = "plant.p0", .rate = {1, 1}, .place = {}});
  records.push_back({.signals = "plant.p1*", .rate = {10, 1}, .place = {}});
  records.push_back({.signals = "plant.p1 plant.p2", .rate = {1, 1}, .place = {}});
  records.push_back({.signals = "plnt.p3", .rate = {1, 1}, .place = {}});
  const auto groups = groups_of(ports.views, records, problems);
  ASSERT_EQ(groups.size(), 2u);
  EXPECT_EQ(groups[0].ports.size(), 2u);   // p0, p2
  EXPECT_EQ(groups[1].ports.size(), 11u);  // p1, p10 to p19
  ASSERT_EQ(problems.warnings(), 1u);
  EXPECT_EQ(problems.list()[0].mark, "did you mean plant.p3?");
  EXPECT_EQ(groups_of(ports.views, {}, problems)[0].ports.size(), Ports::count);
}

TEST(ExactSeconds, PrintsAllDigits) {
  EXPECT_EQ(exact_seconds(Time(Duration(1)), 0.0), "0.000000001");
  EXPECT_EQ(exact_seconds(Time(Duration(1'500'000'000)), 0.0), "1.500000000");
  EXPECT_EQ(exact_seconds(Time(Duration(-1'500'000'000)), 0.0), "-1.500000000");
  EXPECT_EQ(exact_seconds(Time(Duration(2)), -1e-18), "0.000000001999999999");
}

}  // namespace
}  // namespace vernier::record
