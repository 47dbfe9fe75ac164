#include "vernier/gateway/rsp/packet.hpp"

#include <algorithm>
#include <cmath>

#include "vernier/base/require.hpp"

namespace vernier::rsp {
namespace {

using spatial::Quaternion;
using spatial::Trajectory;
using spatial::Vector3;

constexpr double version = 1.0, most_exact = 9007199254740992.0;
constexpr double most_run = 4503599627370496.0;  // 2^52: a larger number always exists
constexpr double unit_tolerance = 1e-6;

bool whole(double x) noexcept { return std::abs(x) <= most_exact && x == std::floor(x); }

double* put(double* to, const Vector3& v) noexcept {
  to[0] = v[0], to[1] = v[1], to[2] = v[2];
  return to + 3;
}
Vector3 get(const double*& from) noexcept {
  Vector3 v(from[0], from[1], from[2]);
  from += 3;
  return v;
}

}  // namespace

std::string_view words(Refusal r) noexcept {
  switch (r) {
    case Refusal::none:
      return "nothing is wrong";
    case Refusal::run:
      return "the number of the run is not larger than the last, or far above it";
    case Refusal::bodies:
      return "the number of bodies is not the facility's";
    case Refusal::not_a_number:
      return "a value is not a number, or an attitude is none";
    case Refusal::too_late:
      return "the run would begin too soon";
    case Refusal::too_far:
      return "the run would begin too late";
    case Refusal::ratio:
      return "the client's period is not one that the facility can follow";
    case Refusal::forerun:
      return "the forerun is not from 0 to 1";
    case Refusal::busy:
      return "the facility is not ready for a run";
    case Refusal::reference:
      return "the client's steps are not known";
    case Refusal::turn:
      return "the turn to the initial attitude is too large";
    case Refusal::position:
      return "the way leaves the limits of position";
    case Refusal::speed:
      return "the way exceeds the limit of speed";
    case Refusal::acceleration:
      return "the way exceeds the limit of acceleration";
    case Refusal::jerk:
      return "the way exceeds the limit of jerk";
    case Refusal::rate:
      return "the way exceeds the limit of angular rate";
    case Refusal::angular_acceleration:
      return "the way exceeds the limit of angular acceleration";
    case Refusal::angular_jerk:
      return "the way exceeds the limit of angular jerk";
    case Refusal::flags:
      return "accelerations are not sent as agreed";
  }
  return "a reason that is not known";
}

std::string_view unit(Refusal r) noexcept {
  switch (r) {
    case Refusal::too_late:
    case Refusal::too_far:
      return "s";
    case Refusal::turn:
      return "rad";
    case Refusal::position:
      return "m";
    case Refusal::speed:
      return "m/s";
    case Refusal::acceleration:
      return "m/s^2";
    case Refusal::jerk:
      return "m/s^3";
    case Refusal::rate:
      return "rad/s";
    case Refusal::angular_acceleration:
      return "rad/s^2";
    case Refusal::angular_jerk:
      return "rad/s^3";
    default:
      return "";
  }
}

std::string_view words(Flaw f) noexcept {
  switch (f) {
    case Flaw::none:
      return "nothing is wrong";
    case Flaw::size:
      return "it is shorter than what it says to hold";
    case Flaw::version:
      return "it is not of version 1";
    case Flaw::kind:
      return "its kind is not known";
    case Flaw::whole:
      return "a number that must be whole is not";
    case Flaw::bodies:
      return "it has too many bodies";
    case Flaw::flags:
      return "it has flags that are not known";
    case Flaw::finite:
      return "a value is infinite or not a number";
    case Flaw::attitude:
      return "an attitude is not a unit quaternion";
  }
  return "it is not a packet";
}

void encode(const Packet& p, std::span<double> to) noexcept {
  require(p.bodies <= most_bodies && to.size() >= numbers(p.bodies, p.accelerations));
  std::fill(to.begin(), to.end(), 0.0);
  to[0] = version;
  to[1] = static_cast<double>(p.kind);
  to[2] = static_cast<double>(p.run);
  to[3] = static_cast<double>(p.step);
  to[4] = p.bodies;
  to[5] = (p.accelerations ? 1.0 : 0.0) + (p.reference_axes ? 2.0 : 0.0);
  std::copy(p.arguments.begin(), p.arguments.end(), to.begin() + 6);
  double* at = to.data() + prefix;
  for (std::uint32_t i = 0; i < p.bodies; ++i) {
    const Trajectory& s = p.states[i];
    const auto turning = [&](const Vector3& w) -> Vector3 {
      return p.reference_axes ? spatial::to_inertial(s.q, w) : w;
    };
    at = put(at, s.p);
    at = put(at, s.v);
    *at++ = s.q[3];
    at = put(at, s.q.head<3>());
    at = put(at, turning(s.omega));
    if (!p.accelerations) continue;
    at = put(at, s.a);
    at = put(at, turning(s.alpha));
  }
}

Flaw decode(std::span<const double> from, Packet& p) noexcept {
  if (from.size() < prefix) return Flaw::size;
  if (from[0] != version) return Flaw::version;
  if (!(from[1] >= 1.0 && from[1] <= 9.0) || !whole(from[1])) return Flaw::kind;
  if (!whole(from[2]) || !whole(from[3]) || !whole(from[4]) || !whole(from[5])) return Flaw::whole;
  if (from[2] < 0.0 || from[2] > most_run) return Flaw::whole;
  p.kind = static_cast<Kind>(from[1]);
  p.run = static_cast<std::int64_t>(from[2]);
  p.step = static_cast<std::int64_t>(from[3]);
  if (from[4] < 0.0 || from[4] > most_bodies) return Flaw::bodies;
  p.bodies = static_cast<std::uint32_t>(from[4]);
  if (from[5] < 0.0 || from[5] > 3.0) return Flaw::flags;
  const auto flags = static_cast<unsigned>(from[5]);
  p.accelerations = (flags & 1u) != 0;
  p.reference_axes = (flags & 2u) != 0;
  const std::size_t size = numbers(p.bodies, p.accelerations);
  if (from.size() < size) return Flaw::size;
  for (std::size_t i = 6; i < size; ++i) {
    if (!std::isfinite(from[i])) return Flaw::finite;
  }
  std::copy(from.begin() + 6, from.begin() + prefix, p.arguments.begin());
  const double* at = from.data() + prefix;
  for (std::uint32_t i = 0; i < p.bodies; ++i) {
    Trajectory& s = p.states[i];
    s.p = get(at);
    s.v = get(at);
    s.q[3] = *at++;
    s.q.head<3>() = get(at);
    const double n = s.q.norm();
    if (!(std::abs(n - 1.0) <= unit_tolerance)) return Flaw::attitude;
    s.q /= n;
    s.omega = get(at);
    s.a = p.accelerations ? get(at) : Vector3::Zero();
    s.alpha = p.accelerations ? get(at) : Vector3::Zero();
    if (!p.reference_axes) continue;
    s.omega = spatial::to_body(s.q, s.omega);
    s.alpha = spatial::to_body(s.q, s.alpha);
  }
  return Flaw::none;
}

}  // namespace vernier::rsp
