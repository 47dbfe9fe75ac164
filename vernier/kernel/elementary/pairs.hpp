#pragma once

#include "vernier/kernel/elementary/lanes.hpp"

/// Double-double numbers (sums of two) and polynomials, for elementary functions. Nothing here
/// needs fused operations. Error-free products and sums: Dekker, A floating-point technique for
/// extending the available precision, Numer. Math. 18 (1971); Knuth, The Art of Computer
/// Programming, vol. 2, section 4.2.2.
namespace vernier::elementary {
inline namespace VERNIER_INSTRUCTIONS {

/// high + low, |low| at most half a unit of the last place of high.
template <class T>
struct Pair {
  T high, low;
};

/// a + b, |a| >= |b| or a = 0.
template <class T>
VERNIER_INLINE Pair<T> ordered_sum(const T& a, const T& b) noexcept {
  const T s = a + b;
  return {s, (a - s) + b};
}
template <class T>
VERNIER_INLINE Pair<T> exact_sum(const T& a, const T& b) noexcept {
  const T s = a + b, v = s - a;
  return {s, (a - (s - v)) + (b - v)};
}
/// a b. Numbers are split by their bits, so that nothing overflows; the product of the low halves
/// may lose its last bit, 2^-106 of the whole.
template <class T>
VERNIER_INLINE Pair<T> exact_product(const T& a, const T& b) noexcept {
  constexpr std::int64_t upper = ~((std::int64_t{1} << 27) - 1);
  const T ah = from_bits<T>(bits_of(a) & upper), bh = from_bits<T>(bits_of(b) & upper);
  const T al = a - ah, bl = b - bh, p = a * b;
  return {p, (((ah * bh - p) + ah * bl) + al * bh) + al * bl};
}
/// n / d, to about 2^-100.
template <class T>
VERNIER_INLINE Pair<T> quotient(const Pair<T>& n, const Pair<T>& d) noexcept {
  const T q = n.high / d.high;
  const Pair<T> p = exact_product(q, d.high);
  return {q, (((n.high - p.high) - p.low) + (n.low - q * d.low)) / d.high};
}
/// The square root of x > 0, to about 2^-100.
template <class T>
VERNIER_INLINE Pair<T> root_of(const Pair<T>& x) noexcept {
  const T r = square_root(x.high);
  const Pair<T> p = exact_product(r, r);
  return {r, (((x.high - p.high) - p.low) + x.low) / (r + r)};
}

template <class T>
VERNIER_INLINE T magnitude(const T& x) noexcept {
  return from_bits<T>(bits_of(x) & std::int64_t{0x7fffffffffffffff});
}
/// |x| with the sign of s.
template <class T>
VERNIER_INLINE T with_sign(const T& x, const T& s) noexcept {
  constexpr std::int64_t rest = 0x7fffffffffffffff;
  return from_bits<T>((bits_of(x) & rest) | (bits_of(s) & ~rest));
}

// 1.5 * 2^52: adding it rounds to an integer, which is then in the lowest bits.
inline constexpr double shift = 6755399441055744.0;

/// 2^k for a whole number k from -1022 to 1023, given as k + shift.
template <class T>
VERNIER_INLINE T power_of_two(const T& shifted) noexcept {
  return from_bits<T>((bits_of(shifted) + 1023) << 52);
}
/// x 2^k for a whole number k, in two steps: neither overflows before the result does.
template <class T>
VERNIER_INLINE T scaled(const T& x, const T& k) noexcept {
  const T half = k * 0.5 + shift, rest = k - (half - shift);
  return x * power_of_two(half) * power_of_two(rest + shift);
}

/// c[0] + c[1] z + …
template <class T, int n>
VERNIER_INLINE T polynomial(const double (&c)[n], const T& z) noexcept {
  T p = constant<T>(c[n - 1]);
  for (int i = n - 2; i >= 0; --i) p = p * z + c[i];
  return p;
}

}  // namespace VERNIER_INSTRUCTIONS
}  // namespace vernier::elementary
