#include "vernier/component/component.hpp"

namespace vernier {

bool Component::initialize(Time /*start*/, int /*phase*/) { return true; }
Outcome Component::react(Instant) noexcept { return Outcome::ok; }
Time Component::horizon(Time) const noexcept { return Time::max(); }
void Component::reserve_samples(std::size_t /*most*/) {}
void Component::expect(std::span<const Time>) noexcept {}
Outcome Component::sample(Time) noexcept { return Outcome::ok; }
Telling Component::tell(const Entry&) const { return {}; }

const Fault& Component::fault() const noexcept {
  static const Fault none;
  return none;
}

}  // namespace vernier
