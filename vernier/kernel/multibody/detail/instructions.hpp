#pragma once

#include <cstdint>

namespace vernier::multibody::detail {

/// Sets of instructions that the fast paths are compiled for; a later one includes those before it.
enum class Instructions : std::uint8_t { sse2, avx2, avx512 };

const char* name(Instructions) noexcept;
/// The best set that this machine has and this program was built for.
Instructions best_instructions() noexcept;
/// best_instructions(), or a lower set if the environment variable VERNIER_INSTRUCTIONS names one
/// (sse2, avx2, avx512). Results of different sets agree to rounding, not to the bit.
Instructions chosen_instructions() noexcept;

}  // namespace vernier::multibody::detail
