#include "vernier/run/realtime/machine.hpp"

#include <sched.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "vernier/base/text.hpp"

namespace vernier::realtime {
namespace {

constexpr int most_cpus = CPU_SETSIZE;
constexpr unsigned cap_ipc_lock = 14, cap_sys_nice = 23;

/// The first line of a system file; empty when it cannot be read.
std::string line_of(const std::string& file) {
  std::ifstream in(file);
  std::string line;
  std::getline(in, line);
  return std::string(trimmed(line));
}

/// The value of `key` in a file of lines "key: value".
std::string value_of(const std::string& file, std::string_view key) {
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    if (!std::string_view(line).starts_with(key)) continue;
    const std::size_t colon = line.find(':');
    if (colon != std::string::npos)
      return std::string(trimmed(std::string_view(line).substr(colon + 1)));
  }
  return {};
}

}  // namespace

Machine this_machine() {
  Machine m;
  utsname name{};
  std::string version;
  if (uname(&name) == 0) {
    m.host = name.nodename;
    m.kernel = name.release;
    version = name.version;
  }
  m.preempt_rt = line_of("/sys/kernel/realtime") == "1" ||
                 version.find("PREEMPT_RT") != std::string::npos ||
                 version.find("PREEMPT RT") != std::string::npos;
  m.cpus = static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN));
  cpu_set_t mask;
  CPU_ZERO(&mask);
  if (sched_getaffinity(0, sizeof mask, &mask) == 0)
    for (int cpu = 0; cpu < most_cpus; ++cpu)
      if (CPU_ISSET(cpu, &mask)) m.usable.push_back(cpu);
  m.memory = static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) *
             static_cast<std::uint64_t>(sysconf(_SC_PAGE_SIZE));
  m.hypervisor =
      (" " + value_of("/proc/cpuinfo", "flags") + " ").find(" hypervisor ") != std::string::npos;
  m.clock_source = line_of("/sys/devices/system/clocksource/clocksource0/current_clocksource");
  m.rt_runtime_us = parsed_integer(line_of("/proc/sys/kernel/sched_rt_runtime_us")).value_or(-1);
  m.rt_period_us =
      parsed_integer(line_of("/proc/sys/kernel/sched_rt_period_us")).value_or(1'000'000);
  m.isolated = line_of("/sys/devices/system/cpu/isolated");
  for (const int cpu : m.usable) {
    std::string governor =
        line_of("/sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/cpufreq/scaling_governor");
    if (!governor.empty()) m.governors.push_back({cpu, std::move(governor)});
  }
  rlimit limit{};
  if (getrlimit(RLIMIT_RTPRIO, &limit) == 0) m.rtprio_limit = limit.rlim_cur;
  if (getrlimit(RLIMIT_MEMLOCK, &limit) == 0) m.memlock_limit = limit.rlim_cur;
  const unsigned long long caps =
      std::strtoull(value_of("/proc/self/status", "CapEff").c_str(), nullptr, 16);
  m.may_prioritize = (caps >> cap_sys_nice & 1) != 0;
  m.may_lock = (caps >> cap_ipc_lock & 1) != 0;
  double load[1] = {};
  if (getloadavg(load, 1) == 1) m.load = load[0];
  return m;
}

std::string cpu_list(const std::vector<int>& cpus) {
  std::string out;
  for (std::size_t i = 0; i < cpus.size();) {
    std::size_t last = i;
    while (last + 1 < cpus.size() && cpus[last + 1] == cpus[last] + 1) ++last;
    out += (out.empty() ? "" : ",") + std::to_string(cpus[i]);
    if (last > i) out += "-" + std::to_string(cpus[last]);
    i = last + 1;
  }
  return out;
}

}  // namespace vernier::realtime
