#include "vernier/gateway/link/plan.hpp"

#include <cstdlib>

namespace vernier::link {

void StepPlan::restart() noexcept { *this = StepPlan(period_); }

void StepPlan::begin(std::int64_t now, std::int64_t due) noexcept {
  if (!began_) {
    origin_ = now;
    origin_step_ = step_;
  } else {
    ++step_;
  }
  planned_ = due != 0 ? due : instant(origin_, period_, step_ - origin_step_);
  const auto length = static_cast<std::int64_t>(seconds(period_) * 1e9);
  overran_ = now - planned_ > length;
  gap_ = began_ && now - last_ > 10 * length;
  if (std::abs(now - planned_) > 10 * length) {
    origin_ = planned_ = now;
    origin_step_ = step_;
  }
  last_ = now;
  began_ = true;
}

}  // namespace vernier::link
