#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "vernier/run/executive/executive.hpp"
#include "vernier/run/realtime/machine.hpp"

namespace vernier::realtime {

/// What a real-time run asks of the system.
struct Wanted {
  int priority = 80;  // SCHED_FIFO, 1 to 99; 0: the normal policy
  int cpu = -1;       // the one to run on; -1: any
  bool lock = true;   // memory stays where it is
};
constexpr int link_priority = 60;  // of threads between a link and the loop

/// Something that was asked for, and what became of it.
struct Privilege {
  std::string name;  // "real-time priority"
  bool granted = false;
  std::string detail;  // "SCHED_FIFO 80"; of what was refused: why, and what was done instead
  std::string fix;     // of what was refused
};

/// Asks malloc to keep what it has: for a run that will keep time, before it takes its memory.
void keep_heap() noexcept;

/// While it lives the calling thread and the other threads of an executive have what the system
/// gives of what was wanted, and all memory is in place; what is refused is recorded, and the next
/// best done. Threads that are made meanwhile do not inherit the priority. Make it when everything
/// is allocated and every thread is there: the next to come is the loop.
class RealTimeScope {
 public:
  /// Throws ConfigurationError (V4104) when `wanted.cpu` is not one that this process may use.
  RealTimeScope(const Wanted& wanted, executive::Executive&);
  ~RealTimeScope();
  RealTimeScope(const RealTimeScope&) = delete;
  RealTimeScope& operator=(const RealTimeScope&) = delete;

  const std::vector<Privilege>& privileges() const noexcept { return privileges_; }
  const Machine& machine() const noexcept { return machine_; }
  /// The loop's thread has a real-time policy.
  bool prioritized() const noexcept { return prioritized_; }

 private:
  void place(const Wanted&);
  void lock();
  void prioritize(const Wanted&);

  executive::Executive& executive_;
  Machine machine_;
  std::vector<Privilege> privileges_;
  struct Before;
  std::unique_ptr<Before> before_;  // what the calling thread was like
  bool locked_ = false, prioritized_ = false;
};

/// Lets the kernel bring all memory of this process that may be written or run into place, without
/// locking it. Answers the bytes of it; 0 when the kernel is too old to.
std::size_t populate_memory() noexcept;

}  // namespace vernier::realtime
