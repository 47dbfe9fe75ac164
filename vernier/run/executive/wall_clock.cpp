#include "vernier/run/executive/wall_clock.hpp"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <ctime>

#include "vernier/base/diagnostic.hpp"
#include "vernier/base/text.hpp"

namespace vernier::executive {

namespace {

std::int64_t wall_now() noexcept {
  timespec t{};
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1'000'000'000 + t.tv_nsec;
}

void sleep_until(std::int64_t ns) noexcept {
  const timespec t{ns / 1'000'000'000, ns % 1'000'000'000};
  // interrupted by a signal: the rest of the sleep follows, since the time is absolute
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, nullptr) == EINTR) {
  }
}

/// The longest sleep at once, so that interrupt() is heard soon.
constexpr std::int64_t nap = 50'000'000;

}  // namespace

WallClock::WallClock(double factor, Duration tolerance) : factor_(factor), tolerance_(tolerance) {
  if (!(factor > 0.0) || !std::isfinite(factor))
    throw ConfigurationError("V4110", "the rate must be positive, not " + exact(factor) +
                                          ": 1 is real time, 2 twice it");
}

void WallClock::start(Time t) noexcept {
  origin_ = t;
  origin_wall_ = wall_now();
  interrupted_.store(false);
}

Outcome WallClock::wait_for(Time t) noexcept {
  const double simulated = static_cast<double>((t - origin_).count());
  const std::int64_t due = origin_wall_ + static_cast<std::int64_t>(simulated / factor_);
  std::int64_t now = wall_now();
  if (now >= due) {
    const Duration late(now - due);
    worst_ = std::max(worst_, late);
    return late <= tolerance_ ? Outcome::ok : Outcome::held;
  }
  for (; now < due && !interrupted_.load(std::memory_order_relaxed); now = wall_now())
    sleep_until(std::min(due, now + nap));
  return Outcome::ok;
}

}  // namespace vernier::executive
