// The recorder with a real executive: what a run records, repeated, resumed and killed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <fstream>
#include <sstream>
#include <thread>

#include "vernier/base/temporary_folder.hpp"
#include "vernier/run/executive/test_parts.hpp"
#include "vernier/run/record/checkpoint.hpp"
#include "vernier/run/record/compare.hpp"
#include "vernier/run/record/recorder.hpp"
#include "vernier/run/record/result_reader.hpp"
#include "vernier/run/record/run_folder.hpp"
#include "vernier/testing/files.hpp"

namespace vernier::record {
namespace {

using namespace std::chrono_literals;
using executive::Ending;
using executive::Executive;
using executive::test::at;
using executive::test::Bench;
using executive::test::Lag;

/// y switches between 0 and 1 every 0.7 s, with a journal entry.
class Switch final : public executive::test::Small<executive::test::One> {
 public:
  Switch() {
    description_.rate = {10, 7};
    description_.outputs = {executive::test::real("y")};
    description_.abilities.reacts = true;
  }
  void bind(const Bindings& b) override {
    y_ = b.real_output("y");
    journal_ = &b.journal();
  }
  Outcome output(Instant) noexcept override {
    y_[0] = state.x;
    return Outcome::ok;
  }
  Outcome react(Instant now) noexcept override {
    const auto n = now.time.time_since_epoch() / 700ms;
    const double wanted = static_cast<double>(n % 2);
    if (state.x == wanted) return Outcome::ok;
    state.x = wanted;
    journal_->note(
        {.at = now, .from = 1 - static_cast<int>(wanted), .to = static_cast<int>(wanted)});
    return Outcome::changed;
  }
  Telling tell(const Entry& e) const override {
    return {.subject = {},
            .kind = "transition",
            .from = e.from ? "on" : "off",
            .to = e.to ? "on" : "off",
            .reason = {}};
  }

 private:
  std::span<double> y_;
  Journal* journal_ = nullptr;
};

composition::Plan small_plan() {
  Bench bench;
  bench.add("switch", std::make_unique<Switch>());
  bench.add("bus.lag", std::make_unique<Lag>(0.5, 1.0));
  bench.wire("switch.y", "bus.lag.u");
  return bench.take();
}

/// A run with a recorder as its pacer.
struct Recorded {
  Recorder recorder;
  Executive executive;
  Finisher finisher{recorder};

  explicit Recorded(const std::filesystem::path& folder, RecorderOptions options = {})
      : executive(small_plan(), {&recorder.pacer()}) {
    Diagnostics warnings;
    std::vector<composition::Record> records;
    records.push_back({.signals = "*", .rate = {10, 1}, .place = {}});
    recorder.begin(executive, folder, groups_of(executive.ports(), records, warnings), options);
  }
};

TEST(RecordedRun, HoldsWhatHappened) {
  const TemporaryFolder folder;
  Recorded run(folder.path());
  run.executive.initialize();
  ASSERT_EQ(run.executive.run_until(at(100.0)), Ending::reached);
  run.recorder.finish();
  EXPECT_EQ(run.recorder.statistics().dropped, 0u);
  EXPECT_EQ(run.recorder.statistics().failure, "");

  const ResultReader r(folder.path());
  const Trace y = r.trace(*r.find("bus.lag.y"), 0);
  const Trace u = r.trace(*r.find("switch.y"), 0);
  EXPECT_TRUE(r.find("switch.y")->spec.held);  // ten times in 7 s
  EXPECT_FALSE(r.find("bus.lag.y")->spec.held);
  ASSERT_GE(y.time.size(), 1001u);
  EXPECT_EQ(y.time.front(), 0.0);
  EXPECT_EQ(y.time.back(), 100.0);
  EXPECT_NEAR(y.values[7], std::exp(-0.35), 1e-12);  // until the switch at 0.7 s
  // both sides of the first switch
  const auto before = std::find(u.time.begin(), u.time.end(), 0.7) - u.time.begin();
  EXPECT_EQ(u.time[before + 1], 0.7);
  EXPECT_EQ(u.values[before], 0.0);
  EXPECT_EQ(u.values[before + 1], 1.0);

  EXPECT_THAT(testing::content(folder / "events.csv"),
              ::testing::StartsWith("time,component,kind,from,to,reason,transition\n"
                                    "0.700000000,switch,transition,off,on,,\n"
                                    "1.400000000,switch,transition,on,off,,\n"));
  EXPECT_EQ(run.recorder.statistics().events, 142u);  // 100 s / 0.7 s
}

TEST(RecordedRun, RepeatsWithoutADifference) {
  const TemporaryFolder one, two;
  for (const TemporaryFolder* folder : {&one, &two}) {
    Recorded run(folder->path());
    run.executive.initialize();
    ASSERT_EQ(run.executive.run_until(at(50.0)), Ending::reached);
  }
  const Comparison c = compare(ResultReader(one.path()), ResultReader(two.path()));
  EXPECT_TRUE(c.within());
  ASSERT_EQ(c.signals.size(), 2u);
  for (const Difference& d : c.signals) {
    EXPECT_EQ(d.largest, 0.0);
    EXPECT_EQ(d.only_a + d.only_b, 0u);
    EXPECT_GT(d.compared, 500u);
  }
}

TEST(RecordedRun, GoesOnFromACheckpointToTheBit) {
  const TemporaryFolder whole, rest;
  {
    Recorded run(whole.path());
    run.executive.initialize();
    ASSERT_EQ(run.executive.run_until(at(20.05)), Ending::reached);
    write_checkpoint(whole / "a.vchk", {"0.1.0", "small", {}, run.executive.save()});
    ASSERT_EQ(run.executive.run_until(at(60.0)), Ending::reached);
  }
  {
    Recorded run(rest.path());
    const Checkpoint c = read_checkpoint(whole / "a.vchk");
    Diagnostics problems;
    compare_shape(c, run.executive.save(), {}, "a.vchk", problems);
    EXPECT_TRUE(problems.list().empty());
    run.executive.restore(c.snapshot);
    ASSERT_EQ(run.executive.run_until(at(60.0)), Ending::reached);
  }
  const Comparison c = compare(ResultReader(whole.path()), ResultReader(rest.path()));
  for (const Difference& d : c.signals) {
    EXPECT_EQ(d.largest, 0.0) << d.signal;
    EXPECT_GT(d.compared, 400u);
  }
}

/// Runs endlessly.
[[noreturn]] void run_until_killed(const std::filesystem::path& folder) {
  Recorded run(folder);
  run.executive.initialize();
  for (double t = 10.0;; t += 10.0) {
    if (run.executive.run_until(at(t)) != Ending::reached) ::_exit(1);
    std::this_thread::sleep_for(5ms);
  }
}

/// The times of the last row and the last event that can be read.
std::pair<double, double> readable(const std::filesystem::path& folder) {
  std::pair<double, double> last{};
  if (!std::filesystem::exists(folder / "results.h5")) return last;
  const ResultReader r(folder);
  const Trace y = r.trace(*r.find("bus.lag.y"), 0);
  EXPECT_TRUE(
      std::all_of(y.values.begin(), y.values.end(), [](double v) { return v > 0.0 && v < 2.0; }));
  if (!y.time.empty()) last.first = y.time.back();
  std::ifstream events(folder / "events.csv");
  for (std::string line; std::getline(events, line);) {
    if (!events.eof() && line[0] != 't') last.second = std::stod(line);
  }
  return last;
}

// What was on disk without an explicit flush while it ran is still there after a kill.
// Recorder.FlushesAboutTwiceASecondWithoutBeingAsked tests how often that happens.
TEST(RecordedRun, LosesNothingThatWasOnDiskWhenItIsKilled) {
  const TemporaryFolder folder;
  const pid_t child = ::fork();
  if (child == 0) run_until_killed(folder.path());
  std::pair<double, double> before{};
  for (int i = 0; i < 5000 && (before.first < 100.0 || before.second < 100.0); ++i) {
    std::this_thread::sleep_for(20ms);
    before = readable(folder.path());
  }
  ::kill(child, SIGKILL);
  int status = 0;
  ::waitpid(child, &status, 0);
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_GE(before.first, 100.0);
  const auto after = readable(folder.path());
  EXPECT_GE(after.first, before.first);
  EXPECT_GE(after.second, before.second);
}

}  // namespace
}  // namespace vernier::record
