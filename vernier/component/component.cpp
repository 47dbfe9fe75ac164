#include "vernier/component/component.hpp"

namespace vernier {

bool Component::initialize(Time /*start*/, int /*phase*/) { return true; }
Outcome Component::react(Instant) noexcept { return Outcome::ok; }
Time Component::horizon(Time) const noexcept { return Time::max(); }
Telling Component::tell(const Entry&) const { return {}; }

const Fault& Component::fault() const noexcept {
  static const Fault none;
  return none;
}

}  // namespace vernier
