#pragma once

#include "vernier/kernel/elementary/pairs.hpp"

/// Exponential, logarithms, powers and hyperbolic functions of numbers and of lanes: the same bits.
/// Errors under 0.9 ulp, most under 0.6. Methods: Muller, Elementary Functions, 3rd ed., chapters 5
/// and 11. Coefficients: tools/elementary_coefficients.py.
namespace vernier::elementary {
inline namespace VERNIER_INSTRUCTIONS {
namespace exponential_parts {

inline constexpr double ln2_high = 0.6931471805601177, ln2_low = -1.7239444525614835e-13;
inline constexpr double one_over_ln2 = 1.4426950408889634;
// Beyond this every result is zero or infinite.
inline constexpr double farthest = 800.0;
// (sinh r - r) / r³ and (cosh r - 1 - r²/2) / r⁴ as polynomials in r², |r| <= ln 2 / 2
inline constexpr double of_odd[5] = {0.16666666666666677, 0.008333333333321577,
                                     0.00019841269886268262, 2.7557244059874715e-06,
                                     2.510909112025094e-08};
inline constexpr double of_even[5] = {0.041666666666666685, 0.0013888888888873411,
                                      2.480158734890979e-05, 2.7557252096542794e-07,
                                      2.0921677193880448e-09};

/// x + more = k ln 2 + r + low, |x| <= farthest.
template <class T>
struct Reduced {
  T k, r, low;
};
template <class T>
VERNIER_INLINE Reduced<T> reduced(const T& x, const T& more) noexcept {
  const T k = (x * one_over_ln2 + shift) - shift;
  const T high = x - k * ln2_high, rest = more - k * ln2_low;  // the first is exact
  const T r = high + rest;
  return {k, r, (high - r) + rest};
}

/// e^(r + low) = 1 + r + more.
template <class T>
struct Parts {
  T odd, even;  // sinh - r, cosh - 1, of r + low
};
template <class T>
VERNIER_INLINE Parts<T> parts(const T& r, const T& low) noexcept {
  const T z = r * r;
  return {polynomial(of_odd, z) * (r * z) + low,
          (polynomial(of_even, z) * (z * z) + r * low) + 0.5 * z};
}
/// 1 + r + more, |r| < 1/2.
template <class T>
VERNIER_INLINE Pair<T> one_and(const T& r, const T& more) noexcept {
  const T w = 1.0 + r;
  return ordered_sum(w, T(((1.0 - w) + r) + more));
}

/// x, limited in magnitude; NaN becomes the limit. The following steps then operate on valid
/// exponents.
template <class T>
VERNIER_INLINE T limited(const T& x, double most) noexcept {
  const T a = select(x < constant<T>(most), x, constant<T>(most));
  return select(a > constant<T>(-most), a, constant<T>(-most));
}

/// e^(x + more); undefined for NaN.
template <class T>
VERNIER_INLINE T of_pair(const T& x, const T& more) noexcept {
  const auto [k, r, low] = reduced(limited(x, farthest), more);
  const auto [odd, even] = parts(r, low);
  return scaled(one_and(r, T(odd + even)).high, k);
}

}  // namespace exponential_parts

template <class T>
VERNIER_INLINE T exponential(const T& x) noexcept {
  return select(x == x, exponential_parts::of_pair(x, constant<T>(0.0)), x);
}

namespace hyperbolic_parts {

/// 2^(k-1) (p - m) = sinh a and 2^(k-1) (p + m) = cosh a for a = |x|, up to 800.
template <class T>
struct Parts {
  Pair<T> p, m;
  T k;
  Pair<T> sine, cosine;  // the values themselves, if k = 0
};
template <class T>
VERNIER_INLINE Parts<T> parts(const T& x) noexcept {
  using namespace exponential_parts;
  const auto [k, r, low] = exponential_parts::reduced(
      limited(magnitude(x), exponential_parts::farthest), constant<T>(0.0));
  const auto [odd, even] = exponential_parts::parts(r, low);
  Parts<T> to{one_and(r, T(even + odd)), one_and(T(-r), T(even - odd)), k, ordered_sum(r, odd),
              ordered_sum(constant<T>(1.0), even)};
  // e^-a relative to 2^k.
  const T most = constant<T>(400.0);
  const T down = power_of_two(T(shift - select(k > most, most, k)));
  to.m = {to.m.high * down * down, to.m.low * down * down};
  return to;
}
template <class T>
VERNIER_INLINE Pair<T> difference(const Pair<T>& a, const Pair<T>& b) noexcept {
  const Pair<T> d = exact_sum(a.high, T(-b.high));
  return ordered_sum(d.high, T(d.low + (a.low - b.low)));
}

}  // namespace hyperbolic_parts

template <class T>
VERNIER_INLINE T hyperbolic_sine(const T& x) noexcept {
  const auto h = hyperbolic_parts::parts(x);
  const T far = scaled(hyperbolic_parts::difference(h.p, h.m).high, T(h.k - 1.0));
  return select(x == x, with_sign(select(h.k == constant<T>(0.0), h.sine.high, far), x), x);
}
template <class T>
VERNIER_INLINE T hyperbolic_cosine(const T& x) noexcept {
  const auto h = hyperbolic_parts::parts(x);
  const Pair<T> minus = {-h.m.high, -h.m.low};
  return select(x == x, scaled(hyperbolic_parts::difference(h.p, minus).high, T(h.k - 1.0)), x);
}
template <class T>
VERNIER_INLINE T hyperbolic_tangent(const T& x) noexcept {
  const auto h = hyperbolic_parts::parts(x);
  const Pair<T> minus = {-h.m.high, -h.m.low};
  const Pair<T> s = hyperbolic_parts::difference(h.p, h.m),
                c = hyperbolic_parts::difference(h.p, minus);
  const auto near = h.k == constant<T>(0.0);
  const Pair<T> q =
      quotient<T>({select(near, h.sine.high, s.high), select(near, h.sine.low, s.low)},
                  {select(near, h.cosine.high, c.high), select(near, h.cosine.low, c.low)});
  // For the smallest numbers, products have no low part.
  const auto itself = (magnitude(x) < constant<T>(0x1p-40)) | (x != x);
  return select(itself, x, with_sign(T(q.high + q.low), x));
}

namespace logarithm_parts {

// 2 (atanh s - s) / s³ as a polynomial in s², |s| <= (√2 - 1) / (√2 + 1)
inline constexpr double of_whole[7] = {0.6666666666666735, 0.3999999999941109,  0.2857142874326283,
                                       0.2222219847597916, 0.18183569740005542, 0.1531390324396188,
                                       0.14797507714292876};
// (atanh s / s - 1 - s²/3) / s⁴, |s| <= (√1.5 - 1) / (√1.5 + 1)
inline constexpr double of_pair[6] = {0.1999999999999982,  0.14285714285950543,
                                      0.11111110994361184, 0.09090937388784344,
                                      0.07688697368635371, 0.06898984395423784};
inline constexpr double ln15_high = 0.4054651081081644, ln15_low = -2.8811380259626426e-18;
inline constexpr double third_high = 0.3333333333333333, third_low = 1.850371707708594e-17;

/// x = m 2^k, x > 0, with m from `least` to 2 `least`; least: a number from 1/2 to 2. Of NaN: 1.
template <class T>
struct Split {
  T m, k;
};
template <class T>
VERNIER_INLINE Split<T> split(const T& x, double least) noexcept {
  const auto tiny = x < constant<T>(0x1p-1022);
  const T known = select(x <= constant<T>(__builtin_inf()), x, constant<T>(1.0));
  const T y = select(tiny, T(x * 0x1p54), known);
  constexpr std::int64_t one = 0x3ff0000000000000, exponent = 0x7ff0000000000000;
  const Bits<T> bits = bits_of(y);
  const Bits<T> steps = (bits + (one - __builtin_bit_cast(std::int64_t, least))) & exponent;
  // The exponent as a number: its field is added to the lowest bits of `shift`, whose spacing is 1.
  const Bits<T> number = (steps >> 52) + __builtin_bit_cast(std::int64_t, shift);
  const T k = from_bits<T>(number) - (shift + 1023.0);
  return {from_bits<T>(bits - (steps - one)), select(tiny, T(k - 54.0), k)};
}

/// ln x for finite x > 0, to about 2^-67.
template <class T>
VERNIER_INLINE Pair<T> pair(const T& x) noexcept {
  // m = c (1 + s) / (1 - s) with c = 1 or 3/2.
  const auto [m, k] = split(x, 0.8660254037844386);        // √3 / 2
  const auto upper = m > constant<T>(1.2247448713915890);  // √1.5
  const T c = select(upper, constant<T>(1.5), constant<T>(1.0));
  const T f = m - c;
  const Pair<T> s = quotient<T>({f, constant<T>(0.0)}, exact_sum(m, c));
  Pair<T> z = exact_product(s.high, s.high);
  z.low += 2.0 * (s.high * s.low);
  // atanh s = s (1 + w), w = z/3 + z² (…)
  Pair<T> w = exact_product(z.high, constant<T>(third_high));
  w.low += z.high * third_low + z.low * third_high;
  w = ordered_sum(w.high, T(w.low + polynomial(of_pair, z.high) * (z.high * z.high)));
  const T s2 = s.high + s.high;
  Pair<T> more = exact_product(s2, w.high);
  more.low += s2 * w.low + (s.low + s.low) * w.high;
  const Pair<T> own = ordered_sum(s2, more.high);
  const T own_low = own.low + (more.low + (s.low + s.low));
  // k ln 2 + ln c: the product with the high part is exact.
  using namespace exponential_parts;
  const T ln_c = select(upper, constant<T>(ln15_high), constant<T>(0.0)),
          ln_c_low = select(upper, constant<T>(ln15_low), constant<T>(0.0));
  const Pair<T> base = exact_sum(T(k * ln2_high), ln_c);
  const Pair<T> sum = exact_sum(base.high, own.high);
  return ordered_sum(sum.high, T(sum.low + ((base.low + (k * ln2_low + ln_c_low)) + own_low)));
}

/// Completes a logarithm f that is correct for finite x > 0 with its special cases.
template <class T>
VERNIER_INLINE T everywhere(const T& x, const T& f) noexcept {
  const T infinity = constant<T>(__builtin_inf());
  const T below = select(x == constant<T>(0.0), T(-infinity), constant<T>(__builtin_nan("")));
  return select(x > constant<T>(0.0), select(x < infinity, f, x),
                select(x <= constant<T>(0.0), below, x));
}

}  // namespace logarithm_parts

template <class T>
VERNIER_INLINE T logarithm(const T& x) noexcept {
  using namespace exponential_parts;
  const auto [m, k] = logarithm_parts::split(x, 0.7071067811865476);
  const T f = m - 1.0, s = f / (2.0 + f), z = s * s, half = 0.5 * f * f;
  // ln (1 + f) = f - f²/2 + s (f²/2 + R), R = 2 (atanh s - s) / s: the form of fdlibm, which loses
  // little accuracy.
  const T R = z * polynomial(logarithm_parts::of_whole, z);
  const T own = k * ln2_high - ((half - (s * (half + R) + k * ln2_low)) - f);
  return logarithm_parts::everywhere(x, own);
}

template <class T>
VERNIER_INLINE T logarithm10(const T& x) noexcept {
  constexpr double high = 0.4342944819032518, low = 1.098319650216765e-17;  // 1 / ln 10
  const Pair<T> l = logarithm_parts::pair(x);
  const Pair<T> p = exact_product(l.high, constant<T>(high));
  return logarithm_parts::everywhere(x, T(p.high + (p.low + (l.high * low + l.low * high))));
}

/// x^y with the special cases of the C standard (annex F).
template <class T>
VERNIER_INLINE T power(const T& x, const T& y) noexcept {
  const T zero = constant<T>(0.0), one = constant<T>(1.0), infinity = constant<T>(__builtin_inf());
  const T ax = magnitude(x), ay = magnitude(y);
  const Pair<T> l = logarithm_parts::pair(ax);
  const Pair<T> p = exact_product(y, l.high);
  const auto normal = magnitude(p.high) < constant<T>(exponential_parts::farthest);
  T result = exponential_parts::of_pair(p.high, select(normal, T(p.low + y * l.low), zero));
  // Zero or infinite operands.
  const auto grows = select(ax > one, y, T(-y)) > zero;
  const auto extreme = (ax == zero) | (ax == infinity) | (ay == infinity);
  result = select(extreme, select(grows, infinity, zero), result);
  // Whether y is an integer, and odd.
  const T half = 0.5 * ay;
  const auto large = ay >= constant<T>(0x1p52);
  const auto whole = large | (((ay + 0x1p52) - 0x1p52) == ay);
  const auto even = (ay >= constant<T>(0x1p53)) | (((half + 0x1p52) - 0x1p52) == half);
  const auto negative = bits_of(x) < 0;
  result = select(negative & whole & !even, T(-result), result);
  result = select((x < zero) & (!whole) & (ax != infinity), constant<T>(__builtin_nan("")), result);
  result = select((x != x) | (y != y), T(x + y), result);
  return select((y == zero) | (x == one) | ((ax == one) & (ay == infinity)), one, result);
}

}  // namespace VERNIER_INSTRUCTIONS
}  // namespace vernier::elementary
