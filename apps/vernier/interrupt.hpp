#pragma once

namespace vernier::app {

/// While it exists, the first Ctrl-C (or SIGTERM) calls `stop`, which must be async-signal-safe;
/// the second ends the program at once with status 130. Only one at a time.
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
