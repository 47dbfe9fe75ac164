// The robot as a component, in runs: in real time, and recorded.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "constrained_bench.hpp"
#include "vernier/base/diagnostic.hpp"
#include "vernier/base/temporary_folder.hpp"
#include "vernier/model/mechanism/mechanism.hpp"
#include "vernier/model/mechanism/reader.hpp"
#include "vernier/run/realtime/histogram.hpp"
#include "vernier/run/realtime/ports.hpp"
#include "vernier/run/session/session.hpp"
#include "vernier/testing/allocations.hpp"

namespace vernier::bench {
namespace {

const std::string robot_file = VERNIER_SOURCE_DIR "/missions/flexible-robot/robot.xml";

std::int64_t now(clockid_t clock) {
  timespec t{};
  ::clock_gettime(clock, &t);
  return std::int64_t{1'000'000'000} * t.tv_sec + t.tv_nsec;
}

struct Times {
  realtime::Histogram wall, processor;
  long allocations = 0;
};
Times steps, fixed;

/// Times a piece of work by both clocks.
template <class Work>
void timed(Times& to, const Work& work) {
  const long before = testing::allocations();
  const std::int64_t wall = now(CLOCK_MONOTONIC), cpu = now(CLOCK_THREAD_CPUTIME_ID);
  work();
  to.processor.add(now(CLOCK_THREAD_CPUTIME_ID) - cpu);
  to.wall.add(now(CLOCK_MONOTONIC) - wall);
  to.allocations += testing::allocations() - before;
}

/// One iteration a step, as for real time.
mechanism::Definition bounded(mechanism::Definition d) {
  d.settings.iterations_most = 1;
  d.settings.accept_unconverged = true;
  return d;
}

/// The mechanism, each step timed.
class TimedRobot final : public Component {
 public:
  explicit TimedRobot(mechanism::Definition d) : robot_(bounded(std::move(d))) {}
  const Description& description() const noexcept override { return robot_.description(); }
  void bind(const Bindings& b) override { robot_.bind(b); }
  bool initialize(Time t, int phase) override { return robot_.initialize(t, phase); }
  Outcome output(Instant i) noexcept override { return robot_.output(i); }
  Advance advance(Time from, Time to) noexcept override {
    Advance a{to};
    timed(steps, [&] { a = robot_.advance(from, to); });
    return a;
  }
  void save(std::span<std::byte> to) const noexcept override { robot_.save(to); }
  void load(std::span<const std::byte> from) noexcept override { robot_.load(from); }
  const Fault& fault() const noexcept override { return robot_.fault(); }

 private:
  mechanism::Mechanism robot_;
};

/// The same number of additions each time, about as long as a step: what the machine does to work
/// that never changes.
class FixedWork final : public Component {
 public:
  const Description& description() const noexcept override { return description_; }
  void bind(const Bindings&) override {}
  Outcome output(Instant) noexcept override { return Outcome::ok; }
  Advance advance(Time, Time to) noexcept override {
    timed(fixed, [this] {
      for (int i = 0; i < 8000; ++i) sum_ = sum_ + 1.0;
    });
    return {to};
  }
  void save(std::span<std::byte>) const noexcept override {}
  void load(std::span<const std::byte>) noexcept override {}

 private:
  Description description_;
  volatile double sum_ = 0.0;
};

Catalogue catalogue() {
  Catalogue c;
  mechanism::add_to(c);
  realtime::add_to(c);
  Type robot;
  robot.name = "timed-robot";
  Diagnostics problems;
  const auto source = mechanism::read_source(robot_file, problems);
  robot.parameters = source->parameters();
  robot.component = [source](const Parameters& p) {
    return std::make_unique<TimedRobot>(source->made(p));
  };
  c.add(std::move(robot));
  Type work;
  work.name = "fixed-work";
  work.component = [](const Parameters&) { return std::make_unique<FixedWork>(); };
  c.add(std::move(work));
  return c;
}

std::filesystem::path document(const std::filesystem::path& folder, const std::string& parts,
                               double seconds) {
  auto file = folder / "bench.xml";
  std::ofstream(file) << "<interconnection name='bench' version='1'>" << parts << "<run stop='"
                      << seconds << " s' step='1 ms'/></interconnection>";
  return file;
}

void real_time(double seconds) {
  const TemporaryFolder folder;
  Diagnostics problems;
  session::Options options;
  options.real_time.emplace();
  options.keep = false;
  const Catalogue types = catalogue();
  session::Session run(session::prepare(document(folder.path(),
                                                 "<component id='robot' type='timed-robot'/>"
                                                 "<component id='work' type='fixed-work'/>",
                                                 seconds),
                                        options.changes, types, problems),
                       options, problems);
  const session::Summary s = run.run();
  std::printf("\nrobot under the real-time executive, 1 kHz, one iteration, %g s, %s\n", seconds,
              s.real_time->prioritized ? "SCHED_FIFO 80" : "without real-time priority");
  const auto row = [](const char* what, const realtime::Histogram& h) {
    const double median = static_cast<double>(h.quantile(0.5)) * 1e-3;
    std::printf("  %-44s median %7.2f   p99 %7.2f   p99.9 %7.2f   worst %9.2f µs\n", what, median,
                static_cast<double>(h.quantile(0.99)) * 1e-3,
                static_cast<double>(h.quantile(0.999)) * 1e-3, static_cast<double>(h.max()) * 1e-3);
    return static_cast<double>(h.max()) * 1e-3 / median;
  };
  row("a step, wall clock", steps.wall);
  const double worst = row("a step, processor time", steps.processor);
  row("the same work each time, wall clock", fixed.wall);
  const double machine = row("the same work each time, processor time", fixed.processor);
  std::printf("  late frames %llu of %llu, by work %llu\n",
              static_cast<unsigned long long>(s.real_time->frames.late),
              static_cast<unsigned long long>(s.real_time->frames.frames),
              static_cast<unsigned long long>(s.real_time->frames.late_by[1]));
  judge("real time: worst step over median (processor time)", worst, "<=", 3.0);
  std::printf("  worst over median of work that never changes: %.2f\n", machine);
  judge("real time: allocations in steps", static_cast<double>(steps.allocations), "==", 0);
}

/// Processor time of the loop's thread for so many seconds of simulated time.
double loop_seconds(const Catalogue& types, double seconds, bool record) {
  const TemporaryFolder folder;
  Diagnostics problems;
  session::Options options;
  options.keep = record;
  options.runs = folder.path() / "runs";
  if (record) options.changes.record = {"robot.*"};
  session::Session run(
      session::prepare(
          document(folder.path(), "<component id='robot' file='" + robot_file + "'/>", seconds),
          options.changes, types, problems),
      options, problems);
  const double before = cpu_seconds();
  static_cast<void>(run.run());
  return cpu_seconds() - before;
}

void recording() {
  // what a run costs beside its steps falls out of the difference of two lengths
  constexpr double length = 10.0, little = 1.0;
  const Catalogue types = catalogue();
  std::vector<double> without, with;
  for (int k = 0; k < 15; ++k) {
    for (const bool record : {false, true}) {
      const double t = loop_seconds(types, length, record) - loop_seconds(types, little, record);
      (record ? with : without).push_back(t / ((length - little) * 1000.0) * 1e6);
    }
  }
  std::sort(without.begin(), without.end());
  std::sort(with.begin(), with.end());
  const double a = without[without.size() / 2], b = with[with.size() / 2];
  std::printf("\nrobot in a run as fast as possible, processor time of the loop\n");
  std::printf("  a tick, nothing recorded %.2f µs, all %.2f µs\n", a, b);
  judge("recording everything, part of the step", (b - a) / a, "<=", 0.1);
}

}  // namespace

void run_figures(double seconds) {
  recording();
  real_time(seconds);
}

}  // namespace vernier::bench
