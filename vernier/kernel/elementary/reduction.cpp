#include "vernier/kernel/elementary/reduction.hpp"

#include <array>
#include <bit>

#include "vernier/kernel/elementary/pairs.hpp"

namespace vernier::elementary {
namespace {

__extension__ using Wide = unsigned __int128;

// 2/π in words of 64 bits, with a word of zeros before the point.
constexpr std::array<std::uint64_t, 21> two_over_pi = {0,
                                                       0xa2f9836e4e441529,
                                                       0xfc2757d1f534ddc0,
                                                       0xdb6295993c439041,
                                                       0xfe5163abdebbc561,
                                                       0xb7246e3a424dd2e0,
                                                       0x06492eea09d1921c,
                                                       0xfe1deb1cb129a73e,
                                                       0xe88235f52ebb4484,
                                                       0xe99c7026b45f7e41,
                                                       0x3991d639835339f4,
                                                       0x9c845f8bbdf9283b,
                                                       0x1ff897ffde05980f,
                                                       0xef2f118b5a0a6d1f,
                                                       0x6d367ecf27cb09b7,
                                                       0x4f463f669e5fea2d,
                                                       0x7527bac7ebe5f17b,
                                                       0x3d0739f78a5292ea,
                                                       0x6bfb5fb11f8d5d08,
                                                       0x56033046fc7b6bab,
                                                       0xf0cfbc209af4361d};
constexpr double half_pi = 1.5707963267948966, half_pi_low = 6.123233995736766e-17;

/// 64 bits from a given bit on; bit 0 is the first of the word of zeros.
std::uint64_t bits_from(int bit) noexcept {
  const auto word = static_cast<std::size_t>(bit / 64);
  const int within = bit % 64;
  if (within == 0) return two_over_pi[word];
  return two_over_pi[word] << within | two_over_pi[word + 1] >> (64 - within);
}

}  // namespace

Reduction reduced_exactly(double x) noexcept {
  const auto bits = std::bit_cast<std::uint64_t>(x);
  const int exponent = static_cast<int>(bits >> 52 & 0x7ff);
  if (exponent == 0x7ff) return {x - x, x - x, 0};
  // x| = m 2^e with an integer m.
  const int e = exponent - 1075;
  if (e < -60) return {x, 0.0, 0};
  const std::uint64_t m = (bits & 0xfffffffffffff) | std::uint64_t{1} << 52;
  // Bit j of 2/π has the weight 2^-j, and m 2^e 2^-j is a multiple of 4 for j <= e - 2, so these
  // bits do not matter. Of the others 192 are used: m times these, modulo 2^192, has the quadrant
  // in its two highest bits and the fraction below.
  const int first = e - 1 + 63;
  const std::uint64_t b[3] = {bits_from(first), bits_from(first + 64), bits_from(first + 128)};
  const Wide low = Wide{m} * b[2];
  const Wide middle = Wide{m} * b[1] + static_cast<std::uint64_t>(low >> 64);
  std::uint64_t top = m * b[0] + static_cast<std::uint64_t>(middle >> 64);
  Wide rest = Wide{static_cast<std::uint64_t>(middle)} << 64 | static_cast<std::uint64_t>(low);
  auto quadrant = static_cast<std::int64_t>(top >> 62);
  // The fraction in the upper bits of 192, as quarter turns in two's complement.
  top = top << 2 | static_cast<std::uint64_t>(rest >> 126);
  rest <<= 2;
  bool negative = false;
  if (top >> 63 != 0) {  // nearer to the next multiple
    ++quadrant;
    negative = true;
    rest = ~rest + 1;
    top = ~top + (rest == 0 ? 1 : 0);
  }
  int zeros = 0;  // before its first bit
  while (top >> 63 == 0 && zeros < 128) {
    const int n = top == 0 ? 63 : std::countl_zero(top);
    top = top << n | static_cast<std::uint64_t>(rest >> (128 - n));
    rest <<= n;
    zeros += n;
  }
  // The first 53 bits, and the next 53.
  const std::uint64_t lower = top << 53 | static_cast<std::uint64_t>(rest >> 75);
  const double scale = std::bit_cast<double>(static_cast<std::uint64_t>(1023 - zeros) << 52);
  const double high = static_cast<double>(top >> 11) * 0x1p-53 * scale;
  const double remainder = static_cast<double>(lower >> 11) * 0x1p-106 * scale;
  const Pair<double> p = exact_product(high, half_pi);
  const Pair<double> r = ordered_sum(p.high, p.low + (high * half_pi_low + remainder * half_pi));
  const bool turned = negative != (bits >> 63 != 0);
  if (bits >> 63 != 0) quadrant = -quadrant;
  return {turned ? -r.high : r.high, turned ? -r.low : r.low, quadrant};
}

}  // namespace vernier::elementary
