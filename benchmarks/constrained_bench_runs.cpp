// The robot as a component, in runs: in real time, and recorded.
#include <sys/resource.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "constrained_bench.hpp"
#include "vernier/base/diagnostic.hpp"
#include "vernier/base/temporary_folder.hpp"
#include "vernier/model/multibody_loops/mechanism.hpp"
#include "vernier/model/multibody_loops/reader.hpp"
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

/// The duration of one step, and disturbances of its thread meanwhile.
struct Step {
  std::int64_t wall, processor;  // ns
  long faults, switches;         // page faults, and involuntary context switches
};

/// The steps of all runs, one list each.
struct Times {
  std::vector<std::vector<Step>> runs;
  long allocations = 0;

  void begin(std::size_t count) { runs.emplace_back().reserve(count); }
};
Times steps, fixed;

rusage usage() {
  rusage u{};
  ::getrusage(RUSAGE_THREAD, &u);
  return u;
}

/// Times a piece of work with both clocks.
template <class Work>
void timed(Times& to, const Work& work) {
  std::vector<Step>& run = to.runs.back();
  if (run.size() == run.capacity()) return work();
  const long before = testing::allocations();
  const rusage start = usage();
  const std::int64_t wall = now(CLOCK_MONOTONIC), cpu = now(CLOCK_THREAD_CPUTIME_ID);
  work();
  const std::int64_t cpu_after = now(CLOCK_THREAD_CPUTIME_ID), wall_after = now(CLOCK_MONOTONIC);
  const rusage end = usage();
  run.push_back({wall_after - wall, cpu_after - cpu,
                 end.ru_minflt - start.ru_minflt + end.ru_majflt - start.ru_majflt,
                 end.ru_nivcsw - start.ru_nivcsw});
  to.allocations += testing::allocations() - before;
}

/// One iteration per step, as for real time.
multibody_loops::Definition bounded(multibody_loops::Definition d) {
  d.settings.iterations_most = 1;
  d.settings.accept_unconverged = true;
  return d;
}

/// The mechanism with each step timed.
class TimedRobot final : public Component {
 public:
  explicit TimedRobot(multibody_loops::Definition d) : robot_(bounded(std::move(d))) {}
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
  void load(std::span<const std::byte> from) noexcept override {
    robot_.load(from);
    steps.runs.back().clear();  // what came before was the rehearsal
  }
  const Fault& fault() const noexcept override { return robot_.fault(); }

 private:
  multibody_loops::Mechanism robot_;
};

/// The same number of additions each time, about as long as a step: shows the machine's effect on
/// constant work.
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
  void load(std::span<const std::byte>) noexcept override { fixed.runs.back().clear(); }

 private:
  Description description_;
  volatile double sum_ = 0.0;
};

Catalogue catalogue() {
  Catalogue c;
  multibody_loops::add_to(c);
  realtime::add_to(c);
  Type robot;
  robot.name = "timed-robot";
  Diagnostics problems;
  const auto source = multibody_loops::read_source(robot_file, problems);
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

/// Prints a row of times in ns, and returns worst over median.
double row(const char* what, std::vector<std::int64_t> times) {
  std::sort(times.begin(), times.end());
  const auto at = [&](double part) {
    const auto last = static_cast<double>(times.size() - 1);
    return static_cast<double>(times[static_cast<std::size_t>(part * last)]) * 1e-3;
  };
  std::printf("  %-44s median %7.2f   p99 %7.2f   p99.9 %7.2f   worst %9.2f µs\n", what, at(0.5),
              at(0.99), at(0.999), at(1.0));
  return at(1.0) / at(0.5);
}

std::vector<std::int64_t> of(const std::vector<Step>& run, std::int64_t Step::*which) {
  std::vector<std::int64_t> all;
  for (const Step& s : run) all.push_back(s.*which);
  return all;
}

/// The least processor time of each step over all runs. The runs are identical to the bit, so a
/// step's own cost recurs in every run; disturbances by the machine do not.
std::vector<std::int64_t> least(const Times& t) {
  std::vector<std::int64_t> all = of(t.runs.front(), &Step::processor);
  for (const std::vector<Step>& run : t.runs)
    for (std::size_t k = 0; k < std::min(all.size(), run.size()); ++k)
      all[k] = std::min(all[k], run[k].processor);
  return all;
}

void real_time_run(double seconds) {
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
  const auto count = static_cast<std::size_t>(seconds * 1000.0);
  steps.begin(count);
  fixed.begin(count);
  const session::Summary s = run.run();
  std::printf("\nrobot under the real-time executive, 1 kHz, one iteration, %g s, %s\n", seconds,
              s.real_time->prioritized ? "SCHED_FIFO 80" : "without real-time priority");
  const std::vector<Step>&robot = steps.runs.back(), &work = fixed.runs.back();
  const double wall = row("a step, wall clock", of(robot, &Step::wall));
  const double processor = row("a step, processor time", of(robot, &Step::processor));
  row("the same work each time, wall clock", of(work, &Step::wall));
  const double machine = row("the same work each time, processor time", of(work, &Step::processor));
  std::printf("  worst over median: wall clock %.2f, processor time %.2f, same work %.2f\n", wall,
              processor, machine);
  long faults = 0, switches = 0, slow = 0, slow_switched = 0;
  const std::vector<std::int64_t> each = of(robot, &Step::wall);
  std::vector<std::int64_t> sorted = each;
  std::sort(sorted.begin(), sorted.end());
  for (const Step& step : robot) {
    faults += step.faults;
    switches += step.switches;
    if (step.wall <= 3 * sorted[sorted.size() / 2]) continue;
    ++slow;
    if (step.switches > 0) ++slow_switched;
  }
  std::printf(
      "  steps above three medians by the wall clock %ld, in %ld others took the processor\n", slow,
      slow_switched);
  std::printf("  in all steps: page faults %ld, processor taken %ld times\n", faults, switches);
  std::printf("  late frames %llu of %llu, by work %llu\n",
              static_cast<unsigned long long>(s.real_time->frames.late),
              static_cast<unsigned long long>(s.real_time->frames.frames),
              static_cast<unsigned long long>(s.real_time->frames.late_by[1]));
}

/// Prints when the slowest steps occur, and how long they take.
void slowest(const std::vector<std::int64_t>& times) {
  std::vector<std::size_t> order(times.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto count = static_cast<std::ptrdiff_t>(std::min<std::size_t>(5, order.size()));
  std::partial_sort(order.begin(), order.begin() + count, order.end(),
                    [&](std::size_t a, std::size_t b) { return times[a] > times[b]; });
  std::printf("  slowest:");
  for (std::ptrdiff_t k = 0; k < count; ++k)
    std::printf(" %.2f µs at %.3f s", static_cast<double>(times[order[k]]) * 1e-3,
                static_cast<double>(order[k]) * 1e-3);
  std::printf("\n");
}

void real_time(double seconds) {
  constexpr int runs = 3;
  for (int k = 0; k < runs; ++k) real_time_run(seconds);
  std::printf("\nthe same step in %d runs, least processor time of each\n", runs);
  const std::vector<std::int64_t> ours = least(steps);
  const double worst = row("a step", ours);
  slowest(ours);
  const double machine = row("the same work each time", least(fixed));
  judge("real time: worst step over median, what repeats", worst, "<=", 3.0);
  std::printf("  worst over median of work that never changes: %.2f\n", machine);
  judge("real time: allocations in steps", static_cast<double>(steps.allocations), "==", 0);
}

/// Processor time of the loop's thread for this many seconds of simulated time.
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
  // the difference of two lengths removes the cost of a run besides its steps
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
