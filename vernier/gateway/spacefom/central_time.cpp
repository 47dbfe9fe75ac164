#include "vernier/gateway/spacefom/federate_component.hpp"

namespace vernier::spacefom {

TimeBase* FederateComponent::time_base() {
  return document_.settings.pacing && !document_.central_clock.empty() ? &central_ : nullptr;
}

std::int64_t FederateComponent::CentralTime::central(std::int64_t now) noexcept {
  const auto& clock = member_.document_.settings.central_clock;
  const std::int64_t shows = clock ? clock() : now;
  if (shows >= 0) ahead_ = shows - now;
  return now + ahead_;
}

void FederateComponent::CentralTime::start(Time t, std::int64_t now) noexcept {
  const std::int64_t ran = member_.federate_ ? member_.federate_->ran_at() : -1;
  origin_ = t;
  // only a mode transition specifies its own instant
  at_ = ran != began_ ? ran : central(now);
  began_ = ran;
}

std::int64_t FederateComponent::CentralTime::due(Time t, std::int64_t now) noexcept {
  return now + (at_ + (t - origin_).count() - central(now));
}

}  // namespace vernier::spacefom
