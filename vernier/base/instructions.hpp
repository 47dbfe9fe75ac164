#pragma once

#include <cstdint>

namespace vernier {

/// Instruction sets for which the fast paths of kernels are compiled; each includes those before
/// it.
enum class Instructions : std::uint8_t { sse2, avx2, avx512 };

const char* name(Instructions) noexcept;
/// The best set of this machine.
Instructions best_instructions() noexcept;
/// best_instructions(), or a lower set if the environment variable VERNIER_INSTRUCTIONS names one
/// (sse2, avx2, avx512): for tests, since results are the same unless arithmetic is `fastest`.
Instructions chosen_instructions() noexcept;

/// How kernels round.
/// reproducible: the same bits with every instruction set.
/// fastest: a*b + c is one fused operation where the set has it; bits depend on the set.
enum class Arithmetic : std::uint8_t { reproducible, fastest };

const char* name(Arithmetic) noexcept;

/// How a run computes. The set matters only where bits depend on it.
struct Computing {
  Arithmetic arithmetic = Arithmetic::reproducible;
  Instructions instructions = Instructions::sse2;
};
/// Whether both give the same bits.
bool alike(const Computing&, const Computing&) noexcept;

}  // namespace vernier
