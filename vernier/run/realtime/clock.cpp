#include "vernier/run/realtime/clock.hpp"

#include <ctime>

namespace vernier::realtime {
namespace {

constexpr std::int64_t second = 1'000'000'000;

class Monotonic final : public Clock {
 public:
  std::int64_t now() noexcept override {
    timespec t{};
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * second + t.tv_nsec;
  }
  void sleep_until(std::int64_t ns) noexcept override {
    const timespec t{ns / second, ns % second};
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, nullptr);
  }
};

}  // namespace

Clock& system_clock() noexcept {
  static Monotonic clock;
  return clock;
}

}  // namespace vernier::realtime
