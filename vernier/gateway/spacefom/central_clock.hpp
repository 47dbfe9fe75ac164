#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace vernier::spacefom {

/// Whether `name` can stand for a clock: "system", or a file /dev/….
bool names_central_clock(const std::string& name) noexcept;

/// Central timing equipment: a clock that a site keeps the same on all its machines. "system" is
/// CLOCK_REALTIME, which NTP or PTP disciplines (ns of UTC since 1970); "/dev/ptp0" the clock of a
/// network card (ns of TAI since 1970). Answers ns, -1 when it cannot be read any
/// more; what it answers keeps the device open. Throws
/// ConfigurationError (V5337) when it cannot be read.
std::function<std::int64_t()> central_clock(const std::string& name);

}  // namespace vernier::spacefom
