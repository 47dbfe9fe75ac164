#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "vernier/kernel/spatial/segment.hpp"

/// RSP, the Remote Simulation Protocol: runs an experiment over a link that transfers vectors of
/// numbers. formats/rsp specifies the numbers.
namespace vernier::rsp {

inline constexpr std::size_t prefix = 12;        // numbers before the bodies
inline constexpr std::uint32_t most_bodies = 8;  // in one packet
/// The numbers in a packet with this many bodies.
constexpr std::size_t numbers(std::uint32_t bodies, bool accelerations) noexcept {
  return prefix + bodies * (accelerations ? 19u : 13u);
}

enum class Kind : std::uint8_t {
  ready = 1,  // server: a run may begin
  init,       // client: request a run
  init_ack,   // server: it begins
  init_nak,   // server: refused, and why
  state,      // client: commanded states
  feedback,   // server: measured states
  stop,       // client: end it
  halted,     // server: the bodies are at rest
  fault       // server: the facility cannot continue
};

/// Why an initialization was refused; part of the protocol.
enum class Refusal : std::uint8_t {
  none,
  run,           // the run's number is not larger than the last
  bodies,        // not the facility's number of bodies
  not_a_number,  // a number is not finite, or an attitude is not a rotation
  too_late,      // it would begin in less than a second
  too_far,       // it would begin in more than ten minutes
  ratio,         // the client's period is shorter than the server's, or unknown
  forerun,       // not from 0 to 1
  busy,          // another run is active, or the facility is not ready
  reference,     // no step of the client was received for a second
  turn,          // more than 170° from the body's attitude
  position,      // the path exceeds the limits of …
  speed,
  acceleration,
  jerk,
  rate,
  angular_acceleration,
  angular_jerk,
  flags  // accelerations in some packets only, or unknown flags
};
inline constexpr Refusal last_refusal = Refusal::flags;
/// "the start is less than a second ahead"; the same for limits: "speed".
std::string_view words(Refusal) noexcept;
/// The unit of a refusal's value and limit; empty for pure numbers.
std::string_view unit(Refusal) noexcept;

struct Packet {
  Kind kind = Kind::ready;
  std::int64_t run = 0;
  std::int64_t step = 0;  // of the client in init and state, of the server in ready and feedback
  std::uint32_t bodies = 0;
  bool accelerations = false;   // the states have accelerations
  bool reference_axes = false;  // encoded angular quantities are in reference axes; never here
  std::array<double, 6> arguments{};
  /// Always in the conventions of Trajectory: attitude scalar last, angular quantities in body
  /// axes.
  std::array<spatial::Trajectory, most_bodies> states{};
};

/// What is wrong with a received vector.
enum class Flaw : std::uint8_t {
  none,
  size,      // shorter than its contents
  version,   // not 1
  kind,      // unknown
  whole,     // not an integer where required, or beyond 2^53; a run not from 0 to 2^52
  bodies,    // more than most_bodies
  flags,     // unknown
  finite,    // NaN or infinity
  attitude,  // not a unit quaternion within 1e-6
};
std::string_view words(Flaw) noexcept;

/// Writes `p`; the rest becomes zero. The span must be large enough.
void encode(const Packet& p, std::span<double>) noexcept;
/// Decodes a vector. Attitudes within 1e-6 of unit norm are normalized. With the flaws `bodies`,
/// `flags`, `finite` and `attitude`, kind, run and step are valid.
Flaw decode(std::span<const double>, Packet&) noexcept;

}  // namespace vernier::rsp
