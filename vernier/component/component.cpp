#include "vernier/component/component.hpp"

namespace vernier {

const char* name_of(Scalar s) noexcept {
  switch (s) {
    case Scalar::real:
      return "real";
    case Scalar::integer:
      return "integer";
    case Scalar::boolean:
      return "boolean";
    case Scalar::byte:
      return "byte";
  }
  return "";
}

const char* name_of(Flow f) noexcept {
  switch (f) {
    case Flow::signal:
      return "signal";
    case Flow::event:
      return "event";
    case Flow::stream:
      return "stream";
  }
  return "";
}

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
