#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace vernier::realtime {

/// The properties of a machine that matter for real time. What could not be read is empty, 0 or -1.
struct Machine {
  std::string host, kernel;
  int cpus = 0;              // of the machine
  std::vector<int> usable;   // available to this process
  std::uint64_t memory = 0;  // bytes
  bool preempt_rt = false;   // the kernel is built for real time
  bool hypervisor = false;   // a virtual machine: the host may suspend it
  std::string clock_source;  // "tsc"
  std::int64_t rt_runtime_us = -1, rt_period_us = 1'000'000;  // throttling; -1: none
  std::string isolated;  // CPUs excluded from the scheduler: "2-3"
  struct Governor {
    int cpu = 0;
    std::string name;  // "powersave"
  };
  std::vector<Governor> governors;
  std::uint64_t rtprio_limit = 0, memlock_limit = 0;  // RLIM_INFINITY: none
  bool may_prioritize = false, may_lock = false;      // capabilities
  double load = 0.0;                                  // mean number of runnable tasks, last minute

  /// The fraction of a CPU that real-time threads may use; 1: all of it.
  double throttle() const noexcept {
    return rt_runtime_us < 0 || rt_period_us <= 0
               ? 1.0
               : static_cast<double>(rt_runtime_us) / static_cast<double>(rt_period_us);
  }
};

Machine this_machine();

/// "2-3,7"
std::string cpu_list(const std::vector<int>&);

}  // namespace vernier::realtime
