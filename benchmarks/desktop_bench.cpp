// What the desktop reads from: the time to the first plot of a recorded signal of 10^7 samples and
// to a zoom into it, the cost of live rows, and how old a live row is when a reader gets it. Prints
// the figures; fails when one misses its target.
#include <spawn.h>
#include <sys/wait.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "machine.hpp"
#include "vernier/base/temporary_folder.hpp"
#include "vernier/run/record/columns.hpp"
#include "vernier/run/record/live_rows.hpp"
#include "vernier/run/record/recorder.hpp"
#include "vernier/run/record/result_writer.hpp"

using namespace vernier;
using Clock = std::chrono::steady_clock;

namespace {

constexpr std::int64_t samples = 10'000'000;
constexpr double rate = 1e4, end = samples / rate;  // Hz, s
constexpr std::size_t points = 2000;
constexpr double first_plot = 1.0, zoom = 0.1, goal_of_zoom = 0.02;  // s
constexpr double delivery = 20e-3, row_cost = 2e-6;                  // s
constexpr int zooms = 200, live_samples = 3000, fast_rows = 200'000;

bool all_ok = true;

double since(Clock::time_point t) {
  return std::chrono::duration<double>(Clock::now() - t).count();
}

void print(const char* what, std::vector<double> v, double target, double unit, const char* name) {
  std::sort(v.begin(), v.end());
  const double median = v[v.size() / 2];
  const bool ok = v[v.size() * 99 / 100] <= target;
  all_ok &= ok;
  std::printf("  %-46s median %8.3f  p99 %8.3f  worst %8.3f  target %7.1f %s  %s\n", what,
              median * unit, v[v.size() * 99 / 100] * unit, v.back() * unit, target * unit, name,
              ok ? "ok" : "NOT");
}

/// Three signals in one group, 10^7 rows: a noisy sine with a spike of one sample, a ramp, a flag.
void record_samples(const std::filesystem::path& folder) {
  record::ResultWriter w(folder / "results.h5",
                         {"bench",
                          "desktop",
                          "now",
                          {{{static_cast<std::int64_t>(rate), 1},
                            {{.path = "plant.rate"},
                             {.path = "plant.angle"},
                             {.path = "plant.on", .scalar = Scalar::boolean}}}}});
  std::uint64_t noise = 1;
  double row[4] = {};
  for (std::int64_t k = 0; k < samples; ++k) {
    noise = noise * 6364136223846793005u + 1442695040888963407u;
    row[0] = seconds(tick({static_cast<std::int64_t>(rate), 1}, k));
    row[1] = std::sin(1e-5 * double(k)) + 1e-20 * static_cast<double>(noise >> 4);
    row[2] = 1e-3 * double(k);
    if (k == samples / 3) row[1] = 99.0;
    w.append(0, std::as_bytes(std::span(row)));
  }
  w.close();
}

/// The program of a first plot: false when what it would draw lacks the spike.
bool draw(const std::filesystem::path& folder) {
  record::Columns columns(folder);
  bool whole = true;
  const record::Trace t =
      columns.read(*columns.reader().find("plant.rate"), 0, 0.0, end, points, whole);
  return !whole && t.time.size() <= points * 3 / 2 + 2 &&
         *std::max_element(t.values.begin(), t.values.end()) == 99.0;
}

void measure_columns(char* program, const std::filesystem::path& folder) {
  std::vector<double> first, zoomed, rows, more;
  for (int i = 0; i < 5; ++i) {
    const Clock::time_point start = Clock::now();
    std::string word = "draw", place = folder.string();
    char* arguments[] = {program, word.data(), place.data(), nullptr};
    pid_t child = 0;
    int status = 1;
    if (::posix_spawn(&child, program, nullptr, nullptr, arguments, environ) == 0)
      ::waitpid(child, &status, 0);
    all_ok &= status == 0;
    first.push_back(since(start));
  }
  print("first plot, from the start of the program", first, first_plot, 1e3, "ms");

  record::Columns columns(folder);
  bool whole = false;
  const record::Signal& s = *columns.reader().find("plant.rate");
  columns.read(s, 0, 0.0, end, points, whole);
  Clock::time_point start = Clock::now();
  columns.read(*columns.reader().find("plant.angle"), 0, 0.0, end, points, whole);
  more.push_back(since(start));
  print("first plot of another signal", more, first_plot, 1e3, "ms");
  // ranges of all lengths, from the whole to a few samples
  std::uint64_t number = 7;
  for (int i = 0; i < zooms; ++i) {
    number = number * 6364136223846793005u + 1442695040888963407u;
    const double length = end * std::pow(10.0, -6.0 * i / zooms);
    const double from = static_cast<double>(number >> 11) * 0x1p-53 * (end - length);
    start = Clock::now();
    const record::Trace t = columns.read(s, 0, from, from + length, points, whole);
    zoomed.push_back(since(start));
    all_ok &= t.time.size() > 2 && t.time.size() <= points * 3 / 2 + 2;
    start = Clock::now();
    all_ok &= columns.row(s, from).has_value();
    rows.push_back(since(start));
  }
  print("zoom to any range", zoomed, zoom, 1e3, "ms");
  print("  its goal", zoomed, goal_of_zoom, 1e3, "ms");
  print("row at a time", rows, zoom, 1e3, "ms");
}

/// A run with 60 numbers in 20 ports.
struct Run {
  std::vector<Port> ports{20};
  std::vector<double> memory = std::vector<double>(60);
  std::vector<executive::PortView> views{20};
  record::RecordGroup group;
  record::Recorder recorder;
  executive::Observer* tap = nullptr;

  Run(const std::filesystem::path& folder, bool live) {
    group.sampling.rate = {1000, 1};
    for (std::size_t i = 0; i < ports.size(); ++i) {
      ports[i].name = "p" + std::to_string(i);
      ports[i].count = 3;
      views[i].path = "plant." + ports[i].name;
      views[i].port = &ports[i];
      views[i].data = &memory[3 * i];
      group.ports.push_back(&views[i]);
    }
    record::RecorderOptions options;
    options.live = live;
    const auto tell = [](std::size_t, const Entry&) { return Telling{}; };
    tap = recorder.begin(folder, {group}, options, tell).front().observer;
  }
};

/// Processor time of the recorder's thread for a run as fast as possible, per row.
double recording(bool live) {
  const TemporaryFolder folder;
  const double before = bench::cpu_seconds(CLOCK_PROCESS_CPUTIME_ID);
  const double loop = bench::cpu_seconds();
  Run run(folder.path(), live);
  for (std::int64_t k = 0; k < fast_rows; ++k) {
    run.tap->sample({tick({1000, 1}, k)}, true);
    static_cast<void>(run.recorder.pacer().wait_for({}));
  }
  run.recorder.finish();
  return (bench::cpu_seconds(CLOCK_PROCESS_CPUTIME_ID) - before - bench::cpu_seconds() + loop) /
         fast_rows;
}

double now() { return std::chrono::duration<double>(Clock::now().time_since_epoch()).count(); }

/// The age of each row of a run at 1 kHz when a reader that looks every millisecond gets it.
void measure_delivery() {
  const TemporaryFolder folder;
  Run run(folder.path(), true);
  std::atomic<bool> ready{false};
  std::vector<double> ages, polls;
  std::uint64_t lost = 0;
  std::thread reader([&] {
    record::LiveRowReader r(folder.path());
    const std::size_t stamp = r.row(0).columns[0].offset;
    ready = true;
    while (ages.size() + lost < live_samples) {
      const Clock::time_point start = Clock::now();
      lost += r.poll([&](const record::LiveRowReader::Row& row) {
        ages.push_back(now() - load<double>(row.bytes.data() + stamp));
      });
      polls.push_back(since(start));
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  });
  while (!ready) std::this_thread::yield();
  Clock::time_point next = Clock::now();
  for (std::int64_t k = 0; k < live_samples; ++k) {
    std::this_thread::sleep_until(next += std::chrono::milliseconds(1));
    run.memory[0] = now();
    run.tap->sample({tick({1000, 1}, k)}, true);
  }
  reader.join();
  run.recorder.finish();
  all_ok &= lost == 0;
  print("age of a row at 1 kHz in a reader", ages, delivery, 1e3, "ms");
  print("one look of the reader", polls, delivery, 1e6, "µs");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 3 && std::strcmp(argv[1], "draw") == 0) return draw(argv[2]) ? 0 : 1;
  std::printf("what the desktop reads (%s)\n", bench::machine().c_str());
  {
    const TemporaryFolder folder;
    record_samples(folder.path());
    measure_columns(argv[0], folder.path());
  }
  std::vector<double> with, without, more;
  for (int i = 0; i < 9; ++i) {
    without.push_back(recording(false));
    with.push_back(recording(true));
    more.push_back(with.back() - without.back());
  }
  print("recorder's thread, per row of 60 numbers", without, 1.0, 1e6, "µs");
  print("  more with live rows", more, row_cost, 1e6, "µs");
  measure_delivery();
  if (!all_ok) std::puts("a target was missed, or a plot was wrong");
  return all_ok ? 0 : 1;
}
