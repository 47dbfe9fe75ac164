#pragma once

#include "vernier/kernel/elementary/pairs.hpp"

/// Inverse circular functions, hypotenuse and cube root of numbers and of lanes: the same bits.
/// Errors under 0.8 ulp. Method: all angles are those of a point (d, n), as a quotient in a pair
/// and a multiple of π/4. Coefficients: tools/elementary_coefficients.py.
namespace vernier::elementary {
inline namespace VERNIER_INSTRUCTIONS {
namespace inverse_parts {

inline constexpr double quarter_high = 0.7853981633974483, quarter_low = 3.061616997868383e-17;
inline constexpr double tan_eighth = 0.41421356237309503;  // of π/8
// (atan t / t - 1) / t² as a polynomial in t², |t| <= tan π/8
inline constexpr double of_atan[11] = {
    -0.333333333333332,    0.19999999999953663, -0.14285714280204045, 0.11111110783814938,
    -0.09090897767090082,  0.07692060362085973, -0.06663105461140305, 0.05847897449310388,
    -0.050393311659798455, 0.03806496539989914, -0.017907357195333935};

/// The angle, 0 to π, of the point (±d, n), with n and d not negative and not both zero; left of
/// the axis if `left`. Their products must not overflow or underflow, unless they differ by more
/// than a factor of 2^54.
template <class T, class M>
VERNIER_INLINE T angle(const Pair<T>& n, const Pair<T>& d, const M& left) noexcept {
  const auto steep = n.high > d.high;
  const Pair<T> less = {select(steep, d.high, n.high), select(steep, d.low, n.low)},
                more = {select(steep, n.high, d.high), select(steep, n.low, d.low)};
  // Beyond π/8: the angle from the diagonal.
  const auto wide = less.high > more.high * tan_eighth;
  Pair<T> top = exact_sum(less.high, T(-more.high)), bottom = exact_sum(more.high, less.high);
  top.low += less.low - more.low;
  bottom.low += less.low + more.low;
  top = {select(wide, top.high, less.high), select(wide, top.low, less.low)};
  bottom = {select(wide, bottom.high, more.high), select(wide, bottom.low, more.low)};
  Pair<T> t = quotient(top, bottom);
  const auto tiny = magnitude(t.high) < constant<T>(0x1p-54);
  t.low = select(tiny, constant<T>(0.0), t.low);
  const T z = t.high * t.high;
  T rest = t.high * (z * polynomial(of_atan, z)) + t.low * (1.0 - z);
  // Eighths of a turn, ± the angle of t.
  const T zero = constant<T>(0.0), one = constant<T>(1.0), two = constant<T>(2.0);
  T eighths = select(wide, one, zero), sign = one;
  eighths = select(steep, T(two - eighths), eighths);
  sign = select(steep, T(-sign), sign);
  eighths = select(left, T(4.0 - eighths), eighths);
  sign = select(left, T(-sign), sign);
  rest = sign * rest + eighths * quarter_low;
  const Pair<T> sum = ordered_sum(T(eighths * quarter_high), T(sign * t.high));
  return sum.high + (sum.low + rest);
}

/// √(1 - x²), |x| <= 1.
template <class T>
VERNIER_INLINE Pair<T> cathetus(const T& x) noexcept {
  const Pair<T> square = exact_product(x, x);
  const Pair<T> difference = exact_sum(constant<T>(1.0), T(-square.high));
  const Pair<T> r = root_of(ordered_sum(difference.high, T(difference.low - square.low)));
  return {r.high, select(r.high > constant<T>(0.0), r.low, constant<T>(0.0))};
}

/// A factor that scales numbers up to x to the middle of the floating-point range.
template <class T>
VERNIER_INLINE T to_middle(const T& x) noexcept {
  return select(x > constant<T>(0x1p450), constant<T>(0x1p-600),
                select(x < constant<T>(0x1p-400), constant<T>(0x1p600), constant<T>(1.0)));
}

}  // namespace inverse_parts

template <class T>
VERNIER_INLINE T arctangent2(const T& y, const T& x) noexcept {
  using namespace inverse_parts;
  const T zero = constant<T>(0.0), one = constant<T>(1.0), infinity = constant<T>(__builtin_inf());
  T n = magnitude(y), d = magnitude(x);
  const auto corner = (n == infinity) & (d == infinity);
  n = select(corner, one, n);
  d = select(corner | ((n == zero) & (d == zero)), one, d);
  const auto left = bits_of(x) < 0;
  const auto steep = n > d;
  const T less = select(steep, d, n), more = select(steep, n, d);
  // Far apart: scaled together, the smaller one would underflow, but it still matters if the angle
  // is their quotient.
  const auto apart = less < more * 0x1p-60;
  const T by = to_middle(more);
  const T a = select(apart, T(less / more), T(less * by)), b = select(apart, one, T(more * by));
  const T found = angle<T>({select(steep, b, a), zero}, {select(steep, a, b), zero}, left);
  return select((x != x) | (y != y), T(x + y), with_sign(found, y));
}
template <class T>
VERNIER_INLINE T arctangent(const T& x) noexcept {
  return arctangent2(x, constant<T>(1.0));
}
template <class T>
VERNIER_INLINE T arcsine(const T& x) noexcept {
  const T a = magnitude(x), zero = constant<T>(0.0);
  const T found = inverse_parts::angle<T>({a, zero}, inverse_parts::cathetus(a), x != x);
  return with_sign(found, x);
}
template <class T>
VERNIER_INLINE T arccosine(const T& x) noexcept {
  const T a = magnitude(x);
  return inverse_parts::angle<T>(inverse_parts::cathetus(a), {a, constant<T>(0.0)},
                                 x < constant<T>(0.0));
}

template <class T>
VERNIER_INLINE T hypotenuse(const T& x, const T& y) noexcept {
  const T a = magnitude(x), b = magnitude(y), infinity = constant<T>(__builtin_inf());
  const T more = select(a > b, a, b), less = select(a > b, b, a);
  const T by = inverse_parts::to_middle(more);
  const Pair<T> p = exact_product(T(more * by), T(more * by)),
                q = exact_product(T(less * by), T(less * by));
  const Pair<T> sum = ordered_sum(p.high, q.high);
  const Pair<T> r = root_of<T>({sum.high, sum.low + (p.low + q.low)});
  const T found = select(more == constant<T>(0.0), more, T((r.high + r.low) / by));
  const T finite = select((x != x) | (y != y), T(x + y), found);
  return select((a == infinity) | (b == infinity), infinity, finite);
}

template <class T>
VERNIER_INLINE T cube_root(const T& x) noexcept {
  // A polynomial within 0.2 % of the cube root of 1 to 8.
  constexpr double first[5] = {0.6272957099131605, 0.4491923449670096, -0.08377448716686423,
                               0.009583722425590656, -0.0004320955445795279};
  const T a = magnitude(x);
  const auto tiny = a < constant<T>(0x1p-1022);
  const T b = select(tiny, T(a * 0x1p54), a);
  constexpr std::int64_t one = 0x3ff0000000000000, exponent = 0x7ff0000000000000;
  const Bits<T> field = bits_of(b) & exponent;
  const Bits<T> number = (field >> 52) + __builtin_bit_cast(std::int64_t, shift);
  const T e = from_bits<T>(number) - (shift + 1023.0);
  const T third = ((e - 1.0) * (1.0 / 3.0) + shift) - shift;  // e / 3, rounded down
  const T mantissa = from_bits<T>(bits_of(b) - (field - one));
  const T m = mantissa * power_of_two(T((e - 3.0 * third) + shift));
  T r = polynomial(first, m);
  for (int i = 0; i < 2; ++i) {  // Halley's iteration: the error becomes its cube
    const T cube = r * r * r;
    r = r * ((cube + 2.0 * m) / (2.0 * cube + m));
  }
  const Pair<T> square = exact_product(r, r), cube = exact_product(square.high, r);
  const T rest = (m - cube.high) - (cube.low + square.low * r);
  r = r + rest / (3.0 * square.high);
  const T found = r * power_of_two(T(select(tiny, T(third - 18.0), third) + shift));
  const auto itself = (a == constant<T>(0.0)) | !(a < constant<T>(__builtin_inf()));
  return select(itself, x, with_sign(found, x));
}

}  // namespace VERNIER_INSTRUCTIONS
}  // namespace vernier::elementary
