#include "vernier/run/realtime/doctor.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "vernier/base/diagnostic.hpp"
#include "vernier/run/realtime/ports.hpp"

namespace vernier::realtime {
namespace {

using Level = MachineFinding::Level;

constexpr const char* wake_up_name = "wake-up latency";
constexpr const char* cost_name = "cost of a frame";
constexpr const char* priority_name = "real-time priority";
constexpr double free_share = 0.3;  // of a frame, that its work leaves for late wake-ups

MachineFinding of_privilege(const Privilege& p) {
  MachineFinding f{p.granted ? Level::good : Level::bad, p.name, p.detail, {}, {}};
  if (p.granted) return f;
  f.fix = p.fix;
  f.why = p.name == priority_name ? "other programs run before the loop, and frames begin late"
                                  : "memory that was taken away comes back too late for a frame";
  return f;
}

MachineFinding of_governors(const Machine& m) {
  std::vector<int> slow;
  std::string name;
  for (const Machine::Governor& g : m.governors) {
    if (g.name == "performance") continue;
    slow.push_back(g.cpu);
    name = g.name;
  }
  MachineFinding f{
      Level::good, "CPU frequency", m.governors.empty() ? "not adjustable" : "performance", {}, {}};
  if (slow.empty()) return f;
  const std::string cpus = cpu_list(slow);
  f.level = Level::bad;
  f.value = fmt::format("CPU{} {} use{} governor \"{}\"", slow.size() == 1 ? "" : "s", cpus,
                        slow.size() == 1 ? "s" : "", name);
  f.why = "frames wake up 50-300 µs late while the clock ramps up";
  f.fix = fmt::format("sudo cpupower -c {} frequency-set -g performance", cpus);
  return f;
}

MachineFinding of_throttling(const Machine& m) {
  MachineFinding f{Level::good, "throttling", {}, {}, {}};
  if (m.rt_runtime_us < 0) {
    f.value = "none: a loop that never sleeps can lock the machine up";
    return f;
  }
  f.value = fmt::format("real-time threads may use {:.0f} % of a CPU", m.throttle() * 100.0);
  if (m.throttle() >= 0.9) return f;
  f.level = Level::bad;
  f.why = "the kernel stops the loop when it has used its share";
  f.fix = "sudo sysctl kernel.sched_rt_runtime_us=950000";
  return f;
}

MachineFinding of_clock(const Machine& m) {
  MachineFinding f{Level::good, "clock", "CLOCK_MONOTONIC from " + m.clock_source, {}, {}};
  if (m.clock_source != "hpet" && m.clock_source != "acpi_pm" && m.clock_source != "jiffies")
    return f;
  f.level = Level::bad;
  f.why = "reading it takes a microsecond, for every component of every frame";
  f.fix = "boot with clocksource=tsc, if the processor's counter is stable";
  return f;
}

}  // namespace

std::vector<MachineFinding> examined(const Machine& m, const std::vector<Privilege>& privileges) {
  std::vector<MachineFinding> all;
  // the most important first
  for (auto p = privileges.rbegin(); p != privileges.rend(); ++p) all.push_back(of_privilege(*p));
  all.push_back(of_governors(m));
  all.push_back({m.isolated.empty() ? Level::warning : Level::good, "isolated CPUs",
                 m.isolated.empty() ? "none" : m.isolated,
                 m.isolated.empty() ? "other programs and interrupts share the loop's CPU" : "",
                 m.isolated.empty() && m.cpus > 1
                     ? fmt::format("add isolcpus={0} to the kernel command line, and say --cpu {0}",
                                   m.cpus - 1)
                     : ""});
  if (m.usable.size() == 1)
    all.push_back({Level::warning, "CPUs", "only one may be used",
                   "recorder and links wait until the loop sleeps",
                   "give the process more (taskset, cpuset of the container)"});
  all.push_back(of_throttling(m));
  all.push_back(of_clock(m));
  all.push_back({m.preempt_rt ? Level::good : Level::warning, "kernel",
                 m.kernel + (m.preempt_rt ? ", PREEMPT_RT" : ", not PREEMPT_RT"),
                 m.preempt_rt
                     ? ""
                     : "the kernel itself may keep a frame waiting for milliseconds, now and then",
                 m.preempt_rt ? "" : "install a real-time kernel (Debian: linux-image-rt-amd64)"});
  if (m.hypervisor)
    all.push_back({Level::warning, "virtual machine", "yes",
                   "the host takes milliseconds away without telling",
                   "run on the machine itself, or pin the virtual CPUs"});
  return all;
}

MachineFinding judged_wake_up(const Histogram& h, double period_ns, double seconds) {
  const auto p99 = static_cast<double>(h.quantile(0.99)), max = static_cast<double>(h.max());
  const double budget = 0.02 * period_ns;
  MachineFinding f{Level::good, wake_up_name, {}, {}, {}};
  f.value = fmt::format("p99 {}, max {} in {:g} s; budget {} at {}", time_text(p99), time_text(max),
                        seconds, time_text(budget), rate_text(period_ns));
  if (p99 <= budget && max <= 5.0 * budget) return f;
  const bool few = p99 <= 5.0 * budget && max <= free_share * period_ns;
  f.level = few ? Level::warning : Level::bad;
  f.why = fmt::format("a frame began {:.0f} % of its length late; one in 100, {:.1f} % or more",
                      max / period_ns * 100.0, p99 / period_ns * 100.0);
  f.fix = "fix the problems above; --spin 60us hides small delays; a longer step tolerates more";
  return f;
}

MachineFinding judged_cost(const Health& h, const std::string& document) {
  const auto p99 = static_cast<double>(h.frames.cost.quantile(0.99));
  const double period = h.period();
  MachineFinding f{Level::good, cost_name, {}, {}, {}};
  f.value = fmt::format("{}: {} of {}, p99 {}, worst {}", document, time_text(h.frames.cost.mean()),
                        time_text(period), time_text(p99),
                        time_text(static_cast<double>(h.frames.cost.max())));
  if (p99 <= (1.0 - free_share) * period) return f;
  f.level = p99 <= 0.9 * period ? Level::warning : Level::bad;
  std::size_t dearest = 0;
  for (std::size_t i = 0; i < h.frames.parts.size(); ++i)
    if (h.frames.parts[i].mean() > h.frames.parts[dearest].mean()) dearest = i;
  f.why = fmt::format("less than {:.0f} % of each frame is free", free_share * 100.0);
  if (dearest < h.parts.size() && !h.frames.parts.empty())
    f.why +=
        fmt::format("; {} takes {}", h.parts[dearest], time_text(h.frames.parts[dearest].mean()));
  f.fix = "a longer step, a cheaper model, a larger tolerance, or --rate 0.5";
  return f;
}

Health measured(Duration period, Duration how_long, const Wanted& wanted) {
  composition::Plan plan;
  plan.name = "wake-up";
  plan.step = period;
  composition::Part part;
  part.name = frame_instance;
  part.prefix = part.name + ".";
  part.instances = {part.name};
  part.component = std::make_unique<FramePorts>(std::vector<std::string>{});
  plan.parts.push_back(std::move(part));
  Diagnostics problems;
  composition::arrange(plan, problems);
  Health h;
  h.grid = grid_of(plan);
  FramePacer pacer({.grid = h.grid});
  executive::Executive run(std::move(plan), {&pacer}, {.real_time = true, .meter = &pacer});
  pacer.know(run.parts());
  run.initialize();
  {
    const RealTimeScope scope(wanted, run);
    h.privileges = scope.privileges();
    h.machine = scope.machine();
    h.prioritized = scope.prioritized();
    static_cast<void>(run.run_until(Time{how_long}));
  }
  h.parts = {std::string(frame_instance)};
  h.frames = pacer.statistics();
  return h;
}

Verdict concluded(const std::vector<MachineFinding>& all, double period_ns) {
  Verdict v;
  int to_fix = 0;
  for (const MachineFinding& f : all) {
    to_fix += f.level == Level::bad;
    // the measurements decide; without priority they do not hold
    const bool decides = f.name == wake_up_name || f.name == cost_name || f.name == priority_name;
    v.fit = v.fit && !(f.level == Level::bad && decides);
  }
  static constexpr const char* few[] = {"", "one thing", "two things", "three things"};
  const std::string count = to_fix < 4 ? few[to_fix] : fmt::format("{} things", to_fix);
  v.words = fmt::format("{} for {}{}{}", v.fit ? "fit" : "not fit", rate_text(period_ns),
                        to_fix > 0 ? ", " + count : "", to_fix > 0 ? " to fix" : "");
  return v;
}

}  // namespace vernier::realtime
