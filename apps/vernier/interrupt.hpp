#pragma once

namespace vernier::app {

/// While it lives, the first Ctrl-C (or SIGTERM) calls `stop`, which must be fit for a signal
/// handler; the second ends the program at once with status 130. One at a time.
class Interruptible {
 public:
  using Stop = void (*)(void* whom) noexcept;
  Interruptible(Stop, void* whom);
  ~Interruptible();
  Interruptible(const Interruptible&) = delete;
  Interruptible& operator=(const Interruptible&) = delete;

  static bool interrupted() noexcept;
};

}  // namespace vernier::app
