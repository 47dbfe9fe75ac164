#include "vernier/run/realtime/privileges.hpp"

#include <malloc.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <system_error>

#include "vernier/base/diagnostic.hpp"

#ifndef MADV_POPULATE_READ
#define MADV_POPULATE_READ 22
#define MADV_POPULATE_WRITE 23
#endif

namespace vernier::realtime {
namespace {

constexpr std::size_t stack_bytes = 512u << 10;
constexpr std::size_t heap_bytes = 1u << 20;
constexpr std::size_t largest_region = 256u << 20, most_populated = 1u << 30;
constexpr const char* rights =
    "sudo setcap cap_sys_nice,cap_ipc_lock+ep \"$(command -v vernier)\"; in a container: "
    "--cap-add=SYS_NICE "
    "--cap-add=IPC_LOCK --ulimit rtprio=99 --ulimit memlock=-1";

std::string reason(int error) { return std::generic_category().message(error); }

/// Touches deeper stack pages before the loop needs them.
[[gnu::noinline]] void touch_stack() noexcept {
  volatile char stack[stack_bytes];
  for (std::size_t i = 0; i < sizeof stack; i += 1024) stack[i] = 0;
}

int set_priority(int priority) noexcept {
  sched_param p{};
  p.sched_priority = priority;
  const int policy = priority > 0 ? SCHED_FIFO | SCHED_RESET_ON_FORK : SCHED_OTHER;
  return sched_setscheduler(0, policy, &p) == 0 ? 0 : errno;
}

/// Called for every thread of a run.
void prioritize_thread(void* priority) noexcept {
  set_priority(*static_cast<const int*>(priority));
  touch_stack();
}

}  // namespace

struct RealTimeScope::Before {
  int policy = SCHED_OTHER;
  sched_param param{};
  cpu_set_t mask{};
  unsigned long slack = 50'000;
  int nice = 0;
};

void keep_heap() noexcept {
  // called while the process has one thread
  mallopt(M_TRIM_THRESHOLD, -1);  // NOLINT(concurrency-mt-unsafe)
  mallopt(M_MMAP_MAX, 0);         // NOLINT(concurrency-mt-unsafe)
}

void prioritize(pthread_t thread, int priority) noexcept {
  sched_param p{};
  p.sched_priority = priority;
  pthread_setschedparam(thread, priority > 0 ? SCHED_FIFO : SCHED_OTHER, &p);
}

void shorten_time_slices() noexcept {
  // what the kernel reads and writes; not every C library has it
  struct {
    std::uint32_t size, policy;
    std::uint64_t flags;
    std::int32_t nice;
    std::uint32_t priority;
    std::uint64_t runtime, deadline, period;  // ns; runtime: the time slice
  } attributes{};
  constexpr std::uint64_t slice = 100'000;  // the shortest that the kernel gives
  if (syscall(SYS_sched_getattr, 0, &attributes, sizeof attributes, 0) != 0) return;
  if (attributes.policy != SCHED_OTHER) return;
  attributes.size = sizeof attributes;
  attributes.runtime = slice;
  syscall(SYS_sched_setattr, 0, &attributes, 0);
}

std::size_t populate_memory() noexcept {
  // stdio, not a stream: little memory may be left
  std::FILE* maps = std::fopen("/proc/self/maps", "re");
  if (!maps) return 0;
  std::size_t done = 0;
  char line[512];
  while (std::fgets(line, sizeof line, maps)) {
    void *from = nullptr, *to = nullptr;
    char rights_of[8] = "";
    if (std::sscanf(line, "%p-%p %7s", &from, &to, rights_of) != 3) continue;
    const auto bytes = static_cast<std::size_t>(static_cast<char*>(to) - static_cast<char*>(from));
    // larger regions are reservations, for example of sanitizers
    if (rights_of[0] != 'r' || bytes > largest_region || done + bytes > most_populated) continue;
    if (std::strstr(line, "[v")) continue;  // of the kernel
    const bool write = rights_of[1] == 'w' && rights_of[3] == 'p';
    if (madvise(from, bytes, write ? MADV_POPULATE_WRITE : MADV_POPULATE_READ) == 0) done += bytes;
  }
  std::fclose(maps);
  return done;
}

RealTimeScope::RealTimeScope(const Wanted& wanted, executive::Executive& e)
    : executive_(e), machine_(this_machine()), before_(std::make_unique<Before>()) {
  Before& before = *before_;
  before.policy = sched_getscheduler(0);
  sched_getparam(0, &before.param);
  sched_getaffinity(0, sizeof before.mask, &before.mask);
  before.slack = static_cast<unsigned long>(prctl(PR_GET_TIMERSLACK, 0, 0, 0, 0));
  before.nice = getpriority(PRIO_PROCESS, 0);
  if (wanted.cpu >= 0) place(wanted);
  {
    // a reserve for allocations of other threads during the run
    std::vector<char> reserve(heap_bytes, 1);
    static_cast<void>(*const_cast<volatile char*>(reserve.data()));
  }
  if (wanted.lock) lock();
  prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0);
  prioritize(wanted);
}

RealTimeScope::~RealTimeScope() {
  const Before& before = *before_;
  int normal = 0;
  if (prioritized_) executive_.on_every_thread(prioritize_thread, &normal);
  sched_setscheduler(0, before.policy, &before.param);
  sched_setaffinity(0, sizeof before.mask, &before.mask);
  prctl(PR_SET_TIMERSLACK, before.slack, 0, 0, 0);
  if (!prioritized_) setpriority(PRIO_PROCESS, 0, before.nice);
  if (locked_) munlockall();
}

void RealTimeScope::place(const Wanted& wanted) {
  const std::vector<int>& usable = machine_.usable;
  if (std::find(usable.begin(), usable.end(), wanted.cpu) == usable.end()) {
    Diagnostics problems;
    problems.error("V4104", "there is no CPU " + std::to_string(wanted.cpu) + " to run on", {})
        .notes.push_back("this process may use " + cpu_list(usable));
    throw ConfigurationError(problems);
  }
  cpu_set_t mask;
  CPU_ZERO(&mask);
  CPU_SET(static_cast<std::size_t>(wanted.cpu), &mask);
  const bool done = sched_setaffinity(0, sizeof mask, &mask) == 0;
  privileges_.push_back({"a CPU of its own", done,
                         done ? "CPU " + std::to_string(wanted.cpu) : reason(errno),
                         done ? "" : "leave --cpu out"});
}

void RealTimeScope::lock() {
  touch_stack();
  Privilege p{"locked memory", false, {}, rights};
  const bool unlimited = machine_.may_lock || machine_.memlock_limit == RLIM_INFINITY;
  // with a small limit later allocations would fail: then lock only what exists now
  locked_ = mlockall(unlimited ? MCL_CURRENT | MCL_FUTURE : MCL_CURRENT) == 0;
  if (locked_) {
    p = {"locked memory", true, unlimited ? "all, and what comes later" : "what there was", {}};
  } else {
    const std::string why = reason(errno);
    const std::size_t bytes = populate_memory();
    p.detail = "refused: " + why + "; the limit is " +
               std::to_string(machine_.memlock_limit >> 10) + " KiB";
    p.detail += bytes > 0 ? "; memory was brought into place instead" : "";
  }
  privileges_.push_back(std::move(p));
}

void RealTimeScope::prioritize(const Wanted& wanted) {
  Privilege p{"real-time priority", false, {}, rights};
  if (wanted.priority <= 0) {
    p.detail = "switched off";
    p.fix = "leave --priority 0 out";
    privileges_.push_back(std::move(p));
    return;
  }
  int priority = std::min(wanted.priority, 99);
  int error = set_priority(priority);
  if (error != 0 && machine_.rtprio_limit > 0 && machine_.rtprio_limit < 99) {
    priority = std::min(priority, static_cast<int>(machine_.rtprio_limit));
    error = set_priority(priority);
  }
  if (error == 0) {
    prioritized_ = true;
    executive_.on_every_thread(prioritize_thread, &priority);
    p = {"real-time priority", true, "SCHED_FIFO " + std::to_string(priority), {}};
  } else {
    p.detail = "refused: " + reason(error) + "; timer slack 1 ns instead";
    if (setpriority(PRIO_PROCESS, 0, -20) == 0) p.detail += ", nice -20";
  }
  privileges_.push_back(std::move(p));
}

}  // namespace vernier::realtime
