#pragma once

#include "vernier/kernel/elementary/pairs.hpp"
#include "vernier/kernel/elementary/reduction.hpp"

/// Sine, cosine and tangent of numbers and of lanes: the same bits. Errors under 0.8 ulp. Method:
/// reduction to |r| <= π/4 with π/2 in parts (Cody and Waite, Software Manual for the Elementary
/// Functions, 1980, chapter 8), then polynomials. Coefficients: tools/elementary_coefficients.py.
namespace vernier::elementary {
inline namespace VERNIER_INSTRUCTIONS {
namespace circular {

// π/2 in four parts: products of the first three with |k| < 2^20 are exact.
inline constexpr double part1 = 1.5707963267341256, part2 = 6.077100506303966e-11,
                        part3 = 2.0222662487111665e-21, part4 = 8.4784276603689e-32;
inline constexpr double part3_and_4 = 2.0222662487959506e-21;
inline constexpr double farthest = 1e6;  // |x| for which this holds
// Beyond this |r| three parts are enough, and k part2 is smaller than r.
inline constexpr double nearest = 0x1p-12;
inline constexpr double two_over_pi = 0.6366197723675814;
// (sin r - r) / r³ and (cos r - 1 + r²/2) / r⁴ as polynomials in r².
inline constexpr double of_sine[6] = {-0.16666666666666632,    0.008333333333322418,
                                      -0.0001984126982981245,  2.7557313693599207e-06,
                                      -2.5050758388764303e-08, 1.5896812062882047e-10};
inline constexpr double of_cosine[6] = {0.0416666666666666,     -0.0013888888888874131,
                                        2.4801587289487124e-05, -2.7557314353821923e-07,
                                        2.0875723483556423e-09, -1.1359659080192245e-11};

/// x = quadrant π/2 + r + low.
template <class T>
struct Reduced {
  T r, low;
  Bits<T> quadrant;
};

template <class T>
VERNIER_INLINE Reduced<T> reduced(const T& x) noexcept {
  const T t = x * two_over_pi + shift, k = t - shift;
  const T high = x - k * part1, middle = k * part2;
  const T near = high - middle, rest = ((high - near) - middle) - k * part3_and_4;
  Reduced<T> to{near + rest, T{}, bits_of(t)};
  to.low = (near - to.r) + rest;
  const auto beyond = !(magnitude(x) <= constant<T>(farthest));  // NaN too
  const auto close = (magnitude(to.r) < constant<T>(nearest)) & (k != constant<T>(0.0));
  if (all((!beyond) & (!close))) return to;
  // Near a multiple of π/2, r cancels and all its digits come from further parts.
  const Pair<T> a = exact_sum(high, T(-middle)), b = exact_sum(a.high, T(-(k * part3)));
  const Pair<T> c = ordered_sum(b.high, T((a.low + b.low) - k * part4));
  to.r = select(close, c.high, to.r);
  to.low = select(close, c.low, to.low);
  if (all(!beyond)) return to;
  if constexpr (lane_count<T> == 1) {
    const Reduction far = reduced_exactly(x);
    return {far.r, far.low, far.quadrant};
  } else {
    for (int i = 0; i < lane_count<T>; ++i) {
      if (beyond[i] == 0) continue;
      const Reduction far = reduced_exactly(x[i]);
      to.r[i] = far.r;
      to.low[i] = far.low;
      to.quadrant[i] = far.quadrant;
    }
    return to;
  }
}

/// sin(r + low) = sine.high + sine.low, the same for the cosine; low parts are not normalised.
template <class T>
struct SineCosine {
  Pair<T> sine, cosine;
};
template <class T>
VERNIER_INLINE SineCosine<T> of_reduced(const T& r, const T& low) noexcept {
  const T z = r * r, half = 0.5 * z, w = 1.0 - half;
  const T a = polynomial(of_sine, z), b = polynomial(of_cosine, z);
  return {{r, a * (r * z) + low * w}, {w, b * (z * z) + (((1.0 - w) - half) - r * low)}};
}

}  // namespace circular

template <class T>
requires(lane_count<T> > 1) VERNIER_INLINE void sine_cosine(const T& x, T& s, T& c) noexcept {
  const auto [r, low, quadrant] = circular::reduced(x);
  const auto [sine, cosine] = circular::of_reduced(r, low);
  const T a = sine.low + sine.high, b = cosine.low + cosine.high;
  const auto odd = (quadrant & 1) != 0;
  const T ss = odd ? b : a, cc = odd ? a : b;
  s = (quadrant & 2) != 0 ? -ss : ss;
  c = ((quadrant + 1) & 2) != 0 ? -cc : cc;
}

/// The same for one number, with the sine in the first and the cosine in the second half of a
/// vector of two.
VERNIER_INLINE void sine_cosine(const double& x, double& s, double& c) noexcept {
  using namespace circular;
  using Two = Lanes<2>;
  const auto [r, low, quadrant] = reduced(x);
  const double z = r * r, half = 0.5 * z, w = 1.0 - half;
  const Two zz = {z, z};
  Two p = {of_sine[5], of_cosine[5]};
  for (int i = 4; i >= 0; --i) p = p * zz + Two{of_sine[i], of_cosine[i]};
  p = p * Two{r * z, z * z} + Two{low * w, ((1.0 - w) - half) - r * low};
  p = p + Two{r, w};
  const std::int64_t odd = -(quadrant & 1);
  Bits<Two> bits = bits_of(p);
  const Bits<Two> swapped = {bits[1], bits[0]}, choose = {odd, odd};
  bits = (bits & ~choose) | (swapped & choose);
  bits ^=
      Bits<Two>{static_cast<std::int64_t>(static_cast<std::uint64_t>(quadrant & 2) << 62),
                static_cast<std::int64_t>(static_cast<std::uint64_t>((quadrant + 1) & 2) << 62)};
  p = from_bits<Two>(bits);
  s = p[0];
  c = p[1];
}

template <class T>
VERNIER_INLINE T sine(const T& x) noexcept {
  T s, c;
  sine_cosine(x, s, c);
  return select(x == constant<T>(0.0), x, s);  // keeps the sign of zero
}
template <class T>
VERNIER_INLINE T cosine(const T& x) noexcept {
  T s, c;
  sine_cosine(x, s, c);
  return c;
}
template <class T>
VERNIER_INLINE T tangent(const T& x) noexcept {
  const auto [r, low, quadrant] = circular::reduced(x);
  const auto [sine, cosine] = circular::of_reduced(r, low);
  // The quotient needs a few more bits: the rounding error of r².
  const T lost = exact_product(r, r).low;
  const Pair<T> s = ordered_sum(sine.high, sine.low),
                c = ordered_sum(cosine.high, T(cosine.low - 0.5 * lost));
  const auto odd = (quadrant & 1) != 0;
  const Pair<T> q = quotient<T>({select(odd, T(-c.high), s.high), select(odd, T(-c.low), s.low)},
                                {select(odd, s.high, c.high), select(odd, s.low, c.low)});
  // For the smallest numbers, products have no low part.
  return select(magnitude(x) < constant<T>(0x1p-40), x, T(q.high + q.low));
}

}  // namespace VERNIER_INSTRUCTIONS
}  // namespace vernier::elementary
