#pragma once

#include <pthread.h>

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "vernier/run/executive/executive.hpp"
#include "vernier/run/realtime/machine.hpp"

namespace vernier::realtime {

/// The privileges that a real-time run requests.
struct Wanted {
  int priority = 80;  // SCHED_FIFO, 1 to 99; 0: the normal policy
  int cpu = -1;       // the CPU to run on; -1: any
  bool lock = true;   // locks memory
};
constexpr int link_priority = 60;  // of threads between a link and the loop

/// A requested privilege, and whether it was granted.
struct Privilege {
  std::string name;  // "real-time priority"
  bool granted = false;
  std::string detail;  // "SCHED_FIFO 80"; if refused: why, and what was done instead
  std::string fix;     // if refused
};

/// Makes malloc keep freed memory: for a run that keeps time, before it allocates.
void keep_heap() noexcept;

/// Gives a thread beside the loop this SCHED_FIFO priority (0: the normal policy), if the system
/// permits it.
void prioritize(pthread_t, int priority) noexcept;

/// The calling thread, and those that it creates from now on, ask for short time slices: when they
/// are woken on a busy machine, they run soon. Needs no privilege. Kernels before 6.12 ignore it.
void shorten_time_slices() noexcept;

/// While it exists, the calling thread and the other threads of an executive have the granted
/// privileges, and all memory is resident. What is refused is recorded, and the next best is used.
/// Threads created meanwhile do not inherit the priority. Create it after all allocations and
/// threads, right before the loop.
class RealTimeScope {
 public:
  /// Throws ConfigurationError (V4104) when this process must not use `wanted.cpu`.
  RealTimeScope(const Wanted& wanted, executive::Executive&);
  ~RealTimeScope();
  RealTimeScope(const RealTimeScope&) = delete;
  RealTimeScope& operator=(const RealTimeScope&) = delete;

  const std::vector<Privilege>& privileges() const noexcept { return privileges_; }
  const Machine& machine() const noexcept { return machine_; }
  /// Whether the loop's thread has a real-time policy.
  bool prioritized() const noexcept { return prioritized_; }

 private:
  void place(const Wanted&);
  void lock();
  void prioritize(const Wanted&);

  executive::Executive& executive_;
  Machine machine_;
  std::vector<Privilege> privileges_;
  struct Before;
  std::unique_ptr<Before> before_;  // the previous settings of the calling thread
  bool locked_ = false, prioritized_ = false;
};

/// Makes all writable and executable memory of this process resident, without locking it. Returns
/// the bytes; 0 when the kernel is too old.
std::size_t populate_memory() noexcept;

}  // namespace vernier::realtime
