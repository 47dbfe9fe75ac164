#pragma once

#include <cstdint>

namespace vernier::session {

/// How a run ended: as planned; as planned, but with a violated check; by a fault, whose category
/// tells more; because it was stopped.
enum class Result : std::uint8_t { finished, broken_check, failed, interrupted };

}  // namespace vernier::session
