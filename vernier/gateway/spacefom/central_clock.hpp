#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace vernier::spacefom {

/// Whether `name` is the name of a clock: "system", or a file /dev/….
bool names_central_clock(const std::string& name) noexcept;

/// Central timing equipment (rules 7-1 to 7-4 of SISO-STD-018-2020): a clock that a site keeps the
/// same on all its machines. "system" is CLOCK_REALTIME, disciplined by NTP or PTP (ns of UTC since
/// 1970); "/dev/ptp0" the clock of a network card (ns of TAI since 1970). The function returns ns,
/// -1 once the clock can no longer be read; it keeps the device open. Throws ConfigurationError
/// (V5337) when the clock cannot be read.
std::function<std::int64_t()> central_clock(const std::string& name);

}  // namespace vernier::spacefom
