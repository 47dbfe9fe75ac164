#pragma once

#include <cstdint>

namespace vernier {

/// Sets of instructions that fast paths of kernels are compiled for; a later one includes those
/// before it.
enum class Instructions : std::uint8_t { sse2, avx2, avx512 };

const char* name(Instructions) noexcept;
/// The best set that this machine has.
Instructions best_instructions() noexcept;
/// best_instructions(), or a lower set if the environment variable VERNIER_INSTRUCTIONS names one
/// (sse2, avx2, avx512). Whether results of different sets agree to the bit or to rounding is said
/// by each kernel.
Instructions chosen_instructions() noexcept;

}  // namespace vernier
