#pragma once

#include <cstdint>

namespace vernier::session {

/// How a run ended: as planned; as planned, but with a check that was not kept; by a fault, whose
/// category tells more; because somebody stopped it.
enum class Result : std::uint8_t { finished, broken_check, failed, interrupted };

}  // namespace vernier::session
