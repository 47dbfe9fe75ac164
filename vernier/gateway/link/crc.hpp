#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace vernier::link {

/// CRC-32C (Castagnoli): polynomial 0x1EDC6F41, reflected, initial and final value all ones. The
/// check value for "123456789" is E3069283.
std::uint32_t crc32c(std::span<const std::byte>) noexcept;

}  // namespace vernier::link
