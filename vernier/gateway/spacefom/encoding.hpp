#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "vernier/gateway/spacefom/steps.hpp"
#include "vernier/kernel/frames/state.hpp"

/// The encodings of SpaceFOM attributes: numbers are little endian, strings and logical times big
/// endian.
namespace vernier::spacefom {

using Octets = std::vector<std::byte>;

/// ExecutionMode, and MTRMode for the values that it has.
enum class Mode : std::int16_t { uninitialized, initializing, running, freeze, shutdown };
std::string_view word(Mode) noexcept;

/// A state and its time: seconds of TT past the origin of TJD. Accelerations are not part of the
/// record.
struct TimedState {
  frames::FrameState state;
  double time = 0.0;
};

constexpr std::size_t state_bytes = 112;  // SpaceTimeCoordinateState

void put_reals(std::span<const double>, Octets&);
void put_state(const TimedState&, frames::WireAttitude, Octets&);
void put_attitude(const frames::Quaternion&, frames::WireAttitude, Octets&);
void put_string(std::string_view utf8, Octets&);
void put_mode(Mode, Octets&);
void put_ticks(Ticks, Octets&);

/// Each decodes a complete value; nothing when the size differs, a number is not finite, a string
/// is not UTF-16, or a value is invalid for the type.
bool read_reals(std::span<const std::byte>, std::span<double>) noexcept;
std::optional<TimedState> read_state(std::span<const std::byte>, frames::WireAttitude) noexcept;
std::optional<frames::Quaternion> read_attitude(std::span<const std::byte>,
                                                frames::WireAttitude) noexcept;
std::optional<std::string> read_string(std::span<const std::byte>);
std::optional<Mode> read_mode(std::span<const std::byte>) noexcept;
std::optional<Ticks> read_ticks(std::span<const std::byte>) noexcept;

/// UTF-8 to the wide strings of the standard interface, and back.
std::wstring wide(std::string_view utf8);
std::string narrow(std::wstring_view);

}  // namespace vernier::spacefom
