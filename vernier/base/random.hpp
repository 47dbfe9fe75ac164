#pragma once

#include <array>
#include <cstdint>

namespace vernier {

/// Random numbers with the same bits on every machine: xoshiro256++ (Blackman and Vigna), and
/// normal deviates from it using only additions, multiplications, divisions and square roots, so
/// that they do not depend on a mathematics library. Its whole state is `state`, to be saved with
/// its owner's.
struct Random {
  std::array<std::uint64_t, 4> state;

  /// Any two seeds give independent sequences (expanded by SplitMix64).
  explicit Random(std::uint64_t seed) noexcept;

  std::uint64_t bits() noexcept;
  /// In the open interval (0, 1): an odd multiple of 2^-53.
  double uniform() noexcept;
  /// Mean 0, standard deviation 1. Uses exactly one number of the sequence.
  double normal() noexcept;
};

/// The normal deviate below which a fraction `p` of all lies, 0 < p < 1; to 1e-15 relative
/// (Wichura, algorithm AS 241, 1988).
double normal_quantile(double p) noexcept;

}  // namespace vernier
