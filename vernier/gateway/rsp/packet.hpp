#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "vernier/kernel/spatial/segment.hpp"

/// RSP, the Remote Simulation Protocol: how an experiment is run over a link that moves vectors of
/// numbers. What the numbers mean is in formats/rsp.
namespace vernier::rsp {

inline constexpr std::size_t prefix = 12;        // numbers before the bodies
inline constexpr std::uint32_t most_bodies = 8;  // in one packet
/// Numbers of a packet with so many bodies.
constexpr std::size_t numbers(std::uint32_t bodies, bool accelerations) noexcept {
  return prefix + bodies * (accelerations ? 19u : 13u);
}

enum class Kind : std::uint8_t {
  ready = 1,  // server: a run may begin
  init,       // client: begin one
  init_ack,   // server: it begins
  init_nak,   // server: it does not, and why
  state,      // client: where the bodies shall be
  feedback,   // server: where they are
  stop,       // client: end it
  halted,     // server: the bodies are at rest
  fault       // server: the facility cannot continue
};

/// Why an initialization was refused; on the wire.
enum class Refusal : std::uint8_t {
  none,
  run,           // the run's number is not larger than the last
  bodies,        // not as many as the facility has
  not_a_number,  // a number or an attitude that is none
  too_late,      // it would begin in less than a second
  too_far,       // it would begin in more than ten minutes
  ratio,         // the client's period is shorter than the server's, or is none
  forerun,       // not from 0 to 1
  busy,          // another run is going on, or the facility is not ready
  reference,     // no step of the client has been heard of for a second
  turn,          // more than 170° from where the body is
  position,      // the way there leaves the limits of …
  speed,
  acceleration,
  jerk,
  rate,
  angular_acceleration,
  angular_jerk,
  flags  // accelerations in some packets only, or flags that are not known
};
inline constexpr Refusal last_refusal = Refusal::flags;
/// "the start is less than a second ahead"; the same for limits: "speed".
std::string_view words(Refusal) noexcept;
/// Unit of the value and the limit of a refusal; empty for numbers.
std::string_view unit(Refusal) noexcept;

struct Packet {
  Kind kind = Kind::ready;
  std::int64_t run = 0;
  std::int64_t step = 0;  // of the client in init and state, of the server in ready and feedback
  std::uint32_t bodies = 0;
  bool accelerations = false;   // the states have accelerations
  bool reference_axes = false;  // on the wire, turning is in reference axes; never here
  std::array<double, 6> arguments{};
  /// Here always in the conventions of Trajectory: attitude scalar last, turning in body axes.
  std::array<spatial::Trajectory, most_bodies> states{};
};

/// What is wrong with a vector that came.
enum class Flaw : std::uint8_t {
  none,
  size,      // shorter than what it says to hold
  version,   // not 1
  kind,      // not known
  whole,     // a number that must be whole is not, or is beyond 2^53; a run not from 0 to 2^52
  bodies,    // more than most_bodies
  flags,     // not known
  finite,    // NaN or infinity
  attitude,  // not a unit quaternion within 1e-6
};
std::string_view words(Flaw) noexcept;

/// Writes `p`; what is behind it becomes zero. The span has room for it.
void encode(const Packet& p, std::span<double>) noexcept;
/// Reads a vector. Attitudes within 1e-6 of a unit are made one. With the flaws `bodies`, `flags`,
/// `finite` and `attitude`, kind, run and step have been read and are sound.
Flaw decode(std::span<const double>, Packet&) noexcept;

}  // namespace vernier::rsp
