#include "vernier/run/desktop/frame_history.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <thread>

#include "vernier/base/diagnostic.hpp"
#include "vernier/base/temporary_folder.hpp"
#include "vernier/run/desktop/real_time.hpp"
#include "vernier/run/realtime/report.hpp"
#include "vernier/run/record/manifest.hpp"
#include "vernier/run/record/result_writer.hpp"
#include "vernier/run/session/frame_log.hpp"

namespace vernier::desktop {
namespace {

using namespace std::chrono_literals;
using realtime::FramePacer;
using realtime::Histogram;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr std::int64_t us = 1000;

/// Time that advances only by work and sleep.
class Hours final : public realtime::Clock {
 public:
  std::int64_t now() noexcept override { return now_; }
  void sleep_until(std::int64_t ns) noexcept override { now_ = std::max(now_, ns) + late; }
  void work(std::int64_t ns) noexcept { now_ += ns; }
  std::int64_t late = 0;

 private:
  std::int64_t now_ = 1'000'000'000;
};

class Idle final : public Component {
 public:
  const Description& description() const noexcept override { return description_; }
  void bind(const Bindings&) override {}
  Outcome output(Instant) noexcept override { return Outcome::ok; }
  Advance advance(Time, Time to) noexcept override { return {to}; }
  void save(std::span<std::byte>) const noexcept override {}
  void load(std::span<const std::byte>) noexcept override {}

 private:
  Description description_;
};

struct Load {
  std::int64_t plant = 400 * us, control = 100 * us, other = 20 * us, wake_up = 15 * us;
};

/// A run at 250 Hz whose frames cost what is asked, written to frames.h5 by the run's own code: the
/// pacer's statistics are the oracle of all that is read from the file.
struct Ran {
  explicit Ran(int frames, const std::function<Load(int)>& load)
      : pacer({.grid = {.step = 4ms}}, clock) {
    std::vector<composition::Part> parts;
    for (const char* name : {"plant", "control"}) {
      composition::Part& p = parts.emplace_back();
      p.name = name;
      p.component = std::make_unique<Idle>();
    }
    pacer.know(parts);
    session::FrameLog log(folder.path(), {"plant", "control"},
                          {.queue_bytes = std::size_t{64} << 20});
    pacer.set_sink(&log);
    pacer.start(Time{});
    for (int k = 0; k < frames; ++k) {
      const Load l = load(k);
      clock.work(l.plant + l.control + l.other);
      const std::int64_t costs[] = {l.plant, l.control};
      pacer.spent(costs);
      clock.late = load(k + 1).wake_up;
      pacer.wait_for(Time{(k + 1) * 4ms});
      // frames that find no room in the log are dropped, and these come faster than by the clock
      while (k % 1000 == 999 && log.statistics().rows < static_cast<std::uint64_t>(k))
        std::this_thread::yield();
    }
    log.finish();
    EXPECT_EQ(log.statistics().dropped, 0u);
    record::Manifest m;
    m.status = "finished";
    m.options = {{"rt", "yes"}, {"late", "elastic"}};
    m.machine = {{"kernel", "6.1"}};
    std::ofstream(folder.path() / "manifest.json") << record::to_json(m);
  }

  TemporaryFolder folder;
  Hours clock;
  FramePacer pacer;
};

Load uneven(int k) {
  Load l{.plant = (300 + (k * 37) % 400) * us, .wake_up = (k * 13) % 60 * us};
  if (k == 500) l.plant = 5000 * us;    // late by work
  if (k == 800) l.wake_up = 3900 * us;  // late by its wake-up
  if (k == 900) l.control = 9500 * us;  // and delays the next
  return l;
}

void expect_same(const Histogram& a, const Histogram& b, const char* what) {
  EXPECT_EQ(a.count(), b.count()) << what;
  EXPECT_EQ(a.max(), b.max()) << what;
  EXPECT_EQ(a.max_frame(), b.max_frame()) << what;
  EXPECT_EQ(a.max_time(), b.max_time()) << what;
  EXPECT_EQ(a.mean(), b.mean()) << what;
  for (std::size_t i = 0; i < Histogram::buckets; ++i) ASSERT_EQ(a.in_bucket(i), b.in_bucket(i));
}

TEST(FrameHistory, HasTheStatisticsOfTheRunItself) {
  const Ran ran(2000, uneven);
  const FrameHistory h(ran.folder.path());
  const auto &read = h.statistics(), &run = ran.pacer.statistics();
  EXPECT_THAT(h.parts(), ElementsAre("plant", "control"));
  EXPECT_EQ(read.frames, 2000u);
  EXPECT_GE(run.late, 4u);
  EXPECT_EQ(read.late, run.late);
  EXPECT_EQ(read.behind, run.behind);
  EXPECT_EQ(read.in_a_row, run.in_a_row);
  EXPECT_EQ(read.worst_lag, run.worst_lag);
  for (std::size_t c = 0; c < realtime::causes; ++c) EXPECT_EQ(read.late_by[c], run.late_by[c]);
  expect_same(read.used, run.used, "used");
  expect_same(read.wake_up, run.wake_up, "wake-up");
  expect_same(read.cost, run.cost, "cost");
  expect_same(read.rest, run.rest, "rest");
  for (std::size_t p = 0; p < 2; ++p) expect_same(read.parts[p], run.parts[p], "part");
}

TEST(FrameHistory, NamesTheCauseOfEachLateFrameAsTheReportDoes) {
  const Ran ran(1000, uneven);
  const FrameHistory h(ran.folder.path());
  const auto& run = ran.pacer.statistics().late_frames;
  ASSERT_EQ(h.late().size(), run.size());
  for (std::size_t i = 0; i < run.size(); ++i) {
    EXPECT_EQ(h.late()[i].number, run[i].number);
    EXPECT_EQ(h.late()[i].frame().margin, run[i].margin);
    EXPECT_EQ(realtime::blame(h.late()[i].frame(), h.parts()), realtime::blame(run[i], h.parts()));
  }
  EXPECT_EQ(realtime::blame(h.late()[0].frame(), h.parts()), "work of plant");
}

TEST(FrameHistory, KeepsTheWorstFrameOfEveryIntervalHoweverFarOut) {
  Ran ran(60'000, uneven);
  FrameHistory h(ran.folder.path());
  const FrameHistory::Strip all = h.strip(0.0, 1e9, 200);
  EXPECT_FALSE(all.whole);
  EXPECT_EQ(all.frames, 60'000u);
  EXPECT_LE(all.rows.size(), 204u);
  for (std::size_t i = 1; i < all.rows.size(); ++i)
    EXPECT_LT(all.rows[i - 1].number, all.rows[i].number);
  for (const int worst : {900, 500}) {
    const FrameHistory::Strip near = h.strip(worst * 0.004 - 1.0, worst * 0.004 + 1.0, 40);
    EXPECT_FALSE(near.whole);
    EXPECT_TRUE(std::any_of(near.rows.begin(), near.rows.end(),
                            [&](const FrameRow& r) { return r.number == worst; }));
  }
  // the frame that used most in all is there, too
  EXPECT_TRUE(std::any_of(all.rows.begin(), all.rows.end(), [&](const FrameRow& r) {
    return r.number == ran.pacer.statistics().used.max_frame();
  }));
}

TEST(FrameHistory, ShowsOneFrameWithTheNumbersOfTheFile) {
  const Ran ran(300, uneven);
  FrameHistory h(ran.folder.path());
  const FrameHistory::Strip one = h.strip(0.4, 0.4, 10);
  ASSERT_TRUE(one.whole);
  ASSERT_EQ(one.rows.size(), 1u);
  const record::ResultReader file(ran.folder.path() / "frames.h5");
  const auto value = [&](const char* path) {
    return file.read(*file.find(path), 100, 1).values[0];
  };
  const FrameRow& r = one.rows[0];
  EXPECT_EQ(r.number, 100);
  EXPECT_EQ(r.time, 0.4);
  EXPECT_EQ(r.cost, value("frame.cost"));
  EXPECT_EQ(r.margin, value("frame.margin"));
  EXPECT_EQ(r.wake_up, value("frame.wake_up"));
  EXPECT_THAT(r.parts, ElementsAre(value("frame.cost_of.plant"), value("frame.cost_of.control")));
  EXPECT_TRUE(h.strip(-2.0, -1.0, 10).rows.empty());
  EXPECT_TRUE(h.strip(NAN, 1.0, 10).rows.empty());
  EXPECT_EQ(h.strip(5.0, 2.0, 10).rows.size(), 0u);
}

TEST(FrameHistory, NeedsBoundedMemoryAndForgetsNoExtreme) {
  // more frames than blocks of 64 frames can be kept: blocks are joined
  Ran ran(64 * (1 << 14) + 5000, [](int k) {
    return Load{.plant = k == 700'001 ? 3000 * us : 300 * us, .wake_up = 10 * us};
  });
  FrameHistory h(ran.folder.path());
  const FrameHistory::Strip s = h.strip(0.0, 1e9, 50);
  EXPECT_LE(s.rows.size(), 54u);
  EXPECT_TRUE(std::any_of(s.rows.begin(), s.rows.end(),
                          [](const FrameRow& r) { return r.number == 700'001; }));
  const FrameHistory::Strip near = h.strip(700'001 * 0.004, 700'001 * 0.004, 10);
  ASSERT_EQ(near.rows.size(), 1u);
  EXPECT_EQ(near.rows[0].number, 700'001);
}

std::string refusal_of(const std::filesystem::path& folder) {
  try {
    const FrameHistory h(folder);
  } catch (const ConfigurationError& e) {
    return rendered(e.diagnostics());
  }
  return "";
}

TEST(FrameHistory, RefusesWhatIsNoRecordOfFrames) {
  const TemporaryFolder folder;
  EXPECT_THAT(refusal_of(folder.path()),
              HasSubstr("error[V8131]: the run in " + folder.path().string() +
                        " has no frames: it did not keep time"));
  record::ResultLayout layout;
  layout.groups.push_back({{}, {{.path = "frame.number"}}});
  { const record::ResultWriter w(folder / "frames.h5", layout); }
  EXPECT_THAT(refusal_of(folder.path()),
              AllOf(HasSubstr("error[V8132]: "),
                    HasSubstr("frames.h5 is no record of frames: it lacks frame.wake_up")));
}

TEST(RealTimeView, AnswersWithTheNumbersOfTheFile) {
  const Ran ran(1000, uneven);
  RealTimeView view(ran.folder.path());
  const nlohmann::ordered_json j = view.description(0);
  const auto& run = ran.pacer.statistics();
  EXPECT_EQ(j["frames"], 1000);
  EXPECT_EQ(j["policy"], "elastic");
  EXPECT_EQ(j["late"], run.late);
  EXPECT_EQ(j["late_frames"].size(), run.late_frames.size());
  EXPECT_EQ(j["late_frames"][0]["words"], "work of plant");
  EXPECT_EQ(j["figures"][0]["p99"], static_cast<double>(run.used.quantile(0.99)) * 1e-9);
  EXPECT_EQ(j["figures"][0]["max_frame"], run.used.max_frame());
  EXPECT_EQ(j["worst"][1], 900);
  EXPECT_EQ(j["shares_time"], false);
  EXPECT_TRUE(j["federation"].is_null());
  EXPECT_TRUE(j["links"].empty());
  EXPECT_EQ(j["machine"][0][1], "6.1");
  // a page that has some late frames gets the others
  EXPECT_EQ(view.description(2)["late_frames"].size(), run.late_frames.size() - 2);
  const nlohmann::ordered_json s = view.strip(0.4, 0.4, 10);
  EXPECT_EQ(s["columns"][10], "cost_of.plant");
  ASSERT_EQ(s["rows"].size(), 1u);
  EXPECT_EQ(s["rows"][0][1], 100);
}

TEST(RealTimeView, SummarizesTheDelaysOfLinks) {
  const Ran ran(100, uneven);
  record::ResultLayout layout;
  layout.groups.push_back({{},
                           {{.path = "arm.link.last.dead_time", .unit = "s"},
                            {.path = "arm.link.offset", .unit = "s"},
                            {.path = "fed.logical_time", .unit = "s"},
                            {.path = "fed.mode"}}});
  {
    record::ResultWriter w(ran.folder.path() / "results.h5", layout);
    for (int k = 0; k < 1000; ++k) {
      const double delay = k == 0 ? 0.0 : k == 700 ? 0.088 : 0.040;  // 0: none was measured yet
      const double row[] = {k * 0.004, delay, 0.001 + k * 1e-6, k * 0.25, 2.0};
      w.append(0, std::as_bytes(std::span(row)));
    }
  }
  RealTimeView view(ran.folder.path());
  const nlohmann::ordered_json j = view.description(0);
  ASSERT_EQ(j["links"].size(), 1u);
  const auto& arm = j["links"][0];
  EXPECT_EQ(arm["link"], "arm");
  EXPECT_EQ(arm["delays"][0]["signal"], "arm.link.last.dead_time");
  EXPECT_EQ(arm["delays"][0]["now"], 0.040);
  EXPECT_EQ(arm["delays"][0]["count"], 999);
  EXPECT_NEAR(arm["delays"][0]["mean"].get<double>(), (998 * 0.040 + 0.088) / 999, 1e-15);
  EXPECT_NEAR(arm["delays"][0]["p99"].get<double>(), 0.040, 0.040 / 32);  // width of a bucket
  EXPECT_EQ(arm["delays"][0]["max"], 0.088);
  EXPECT_EQ(arm["delays"][0]["max_time"], 700 * 0.004);
  EXPECT_EQ(arm["values"][0]["begin"], 0.001);
  EXPECT_EQ(j["federation"]["component"], "fed");
  EXPECT_EQ(j["federation"]["logical_time"], 249.75);
  EXPECT_EQ(j["federation"]["mode"], 2.0);
}

}  // namespace
}  // namespace vernier::desktop
