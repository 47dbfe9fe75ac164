#include "apps/vernier/interrupt.hpp"

#include <unistd.h>

#include <atomic>
#include <csignal>
#include <string_view>

#include "apps/vernier/command.hpp"

namespace vernier::app {
namespace {

std::atomic<int> count{0};
std::atomic<Interruptible::Stop> on_interrupt{nullptr};
std::atomic<void*> target{nullptr};

void on_signal(int signal) {
  // a second Ctrl-C is impatience; a terminal that closes, or a reader of our output that ends, may
  // cause several signals
  const bool impatient = signal == SIGINT || signal == SIGTERM;
  if (count.fetch_add(1) > 0) {
    if (!impatient) return;
    constexpr std::string_view end =
        "\ninterrupted again: the run ends at once; what moves is not brought to rest, and the "
        "files "
        "are not closed\n";
    if (write(STDERR_FILENO, end.data(), end.size()) < 0) {
    }  // nobody reads it
    _exit(status::interrupted);
  }
  if (const Interruptible::Stop stop = on_interrupt.load()) stop(target.load());
}

void install(void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  sigaction(SIGHUP, &action, nullptr);
  // at the end a report that nobody reads must not change the exit status
  if (handler == SIG_DFL) action.sa_handler = SIG_IGN;
  sigaction(SIGPIPE, &action, nullptr);
}

}  // namespace

Interruptible::Interruptible(Stop stop, void* whom) {
  count = 0;
  target = whom;
  on_interrupt = stop;
  install(on_signal);
}

Interruptible::~Interruptible() {
  install(SIG_DFL);
  on_interrupt = nullptr;
  target = nullptr;
}

bool Interruptible::interrupted() noexcept { return count.load() > 0; }

}  // namespace vernier::app
