// The cost of recording: the loop's side of one tick, and the recorder's thread for a whole run of
// AAUSAT-II's size (900 s at 10 Hz, 60 numbers in 20 ports). Prints the figures: median and worst.
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "machine.hpp"
#include "vernier/base/temporary_folder.hpp"
#include "vernier/run/record/recorder.hpp"

using namespace vernier;
using bench::cpu_seconds;
using Clock = std::chrono::steady_clock;

namespace {

constexpr int ports = 20, rows = 9001, repetitions = 15;

double seconds_since(Clock::time_point t) {
  return std::chrono::duration<double>(Clock::now() - t).count();
}

struct Figures {
  double begin, loop, finish, cpu;  // s
  bool complete;                    // no row was lost
};

Figures once(const std::filesystem::path& folder) {
  std::vector<Port> descriptions(ports);
  std::vector<double> memory(3 * ports);
  std::vector<executive::PortView> views(ports);
  record::RecordGroup group;
  group.sampling.rate = {10, 1};
  for (int i = 0; i < ports; ++i) {
    descriptions[i].name = "p" + std::to_string(i);
    descriptions[i].unit = "rad/s";
    descriptions[i].count = 3;
    views[i].path = "plant" + std::to_string(i / 5) + "." + descriptions[i].name;
    views[i].port = &descriptions[i];
    views[i].data = &memory[3 * i];
    group.ports.push_back(&views[i]);
  }
  Figures f{};
  const double cpu = cpu_seconds(CLOCK_PROCESS_CPUTIME_ID);
  record::Recorder recorder;
  Clock::time_point start = Clock::now();
  const auto& attached =
      recorder.begin(folder, {group}, {}, [](std::size_t, const Entry&) { return Telling{}; });
  f.begin = seconds_since(start);
  const double before = cpu_seconds(CLOCK_THREAD_CPUTIME_ID);
  for (int k = 0; k < rows; ++k) {
    memory[k % memory.size()] += 1.0;
    const Time t = tick({10, 1}, k);
    // as an executive does: sample, then pace
    attached[0].observer->sample({t}, true);
    static_cast<void>(recorder.pacer().wait_for(t));
  }
  f.loop = cpu_seconds(CLOCK_THREAD_CPUTIME_ID) - before;
  start = Clock::now();
  recorder.finish();
  f.finish = seconds_since(start);
  f.cpu = cpu_seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu;
  f.complete = recorder.statistics().rows == rows;
  return f;
}

void print(const char* what, std::vector<double> v, double unit, const char* name) {
  std::sort(v.begin(), v.end());
  std::printf("  %-44s median %8.3f %s   worst %8.3f %s\n", what, v[v.size() / 2] * unit, name,
              v.back() * unit, name);
}

}  // namespace

int main() {
  std::vector<double> begin, loop, finish, cpu;
  bool complete = true;
  for (int i = 0; i < repetitions; ++i) {
    const TemporaryFolder folder;
    const Figures f = once(folder.path());
    begin.push_back(f.begin);
    loop.push_back(f.loop / rows);
    finish.push_back(f.finish);
    cpu.push_back(f.cpu);
    complete &= f.complete;
  }
  std::printf("recording 900 s at 10 Hz, 60 numbers in 20 ports (%d runs)\n", repetitions);
  print("making the files", begin, 1e3, "ms");
  print("in the loop, per tick (processor time)", loop, 1e6, "µs");
  print("finishing", finish, 1e3, "ms");
  print("processor time of the whole, both threads", cpu, 1e3, "ms");
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  std::printf("  %-44s        %8.1f MiB\n", "memory, at most",
              static_cast<double>(usage.ru_maxrss) / 1024.0);
  if (!complete) std::puts("rows were lost");
  return complete ? 0 : 1;
}
