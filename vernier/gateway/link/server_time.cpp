#include "vernier/gateway/link/server_time.hpp"

#include <cstdlib>

namespace vernier::link {

ServerTime::ServerTime(Link& l, const Period& p) noexcept : link_(l), period_(p) {}

void ServerTime::start(Time t, std::int64_t now) noexcept {
  origin_ = t;
  followed_ = true;
  before_ = now;
  grid_.begin(period_, 0, now);
}

std::int64_t ServerTime::due(Time t, std::int64_t now) noexcept {
  const std::int64_t into = (t - origin_).count();
  while (instant(0, period_, grid_.step() + 1) <= into) {
    before_ = grid_.due();
    grid_.next(link_.quality().clock, now);
  }
  // between two steps this machine's clock is accurate enough
  return grid_.due() + into - instant(0, period_, grid_.step());
}

std::int64_t ServerTime::planned(std::int64_t now) const noexcept {
  if (!followed_) return 0;
  // the end of a step is requested at its beginning: the grid may be one step ahead
  return std::abs(now - grid_.due()) < std::abs(now - before_) ? grid_.due() : before_;
}

}  // namespace vernier::link
