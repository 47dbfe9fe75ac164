#include "vernier/gateway/link/grid.hpp"

#include <algorithm>
#include <cmath>

namespace vernier::link {

void StepGrid::begin(const Period& p, std::int64_t k, std::int64_t at) noexcept {
  *this = {};
  period_ = p;
  k_ = k;
  due_ = at;
}

std::int64_t StepGrid::next(const net::ClockEstimate& e, std::int64_t now) noexcept {
  const double period = seconds(period_) * 1e9;
  if (!engaged_ && e.converged && !e.stale(now)) {
    // the grid begins at the server time of the step that is due now: no jump
    engaged_ = true;
    k0_ = k_;
    origin_ = due_ - e.offset_at(due_);
  }
  ++k_;
  double stretch = 0.0;
  if (engaged_ && !e.stale(now)) {
    skew_ = e.skew;
    const std::int64_t wanted = e.home_of(instant(origin_, period_, k_ - k0_));
    error_ = static_cast<double>(wanted - due_) - rest_ - period;
    stretch = error_ / period;
  } else if (engaged_) {
    stretch = skew_;  // a server period takes this much longer here
  }
  const double there = rest_ + period * (1.0 + std::clamp(stretch, -most, most));
  const double whole = std::floor(there);
  rest_ = there - whole;
  due_ += static_cast<std::int64_t>(whole);
  return due_;
}

}  // namespace vernier::link
