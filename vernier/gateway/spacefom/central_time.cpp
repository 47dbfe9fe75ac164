#include "vernier/gateway/spacefom/member.hpp"

namespace vernier::spacefom {

TimeBase* Member::time_base() {
  return document_.settings.pacing && !document_.central_clock.empty() ? &central_ : nullptr;
}

void Member::CentralTime::start(Time t, std::int64_t) noexcept {
  const Settings& s = member_.document_.settings;
  const std::int64_t ran = member_.federate_ ? member_.federate_->ran_at() : -1;
  origin_ = t;
  // only a transition has an instant of its own
  at_ = ran != began_ || !s.central_clock ? ran : s.central_clock();
  began_ = ran;
}

std::int64_t Member::CentralTime::due(Time t, std::int64_t now) noexcept {
  const Settings& s = member_.document_.settings;
  if (!s.central_clock) return now + (t - origin_).count();
  return now + (at_ + (t - origin_).count() - s.central_clock());
}

}  // namespace vernier::spacefom
