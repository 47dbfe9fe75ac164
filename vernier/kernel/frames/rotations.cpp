#include "vernier/kernel/frames/rotations.hpp"

#include <array>
#include <cmath>
#include <numbers>

#include "vernier/kernel/elementary/elementary.hpp"

namespace vernier::frames {
namespace {

constexpr double degree = std::numbers::pi / 180.0;
constexpr double one_day = 86400.0, century = 36525.0 * one_day;

// a + b t + c t², in degrees and days.
Changing polynomial(double t, double a, double b, double c = 0.0) noexcept {
  const double d = t / one_day;
  // Whole turns are removed, so that the sine keeps its accuracy.
  const double angle = std::remainder(a + b * d + c * d * d, 360.0);
  return {angle * degree, (b + 2.0 * c * d) * (degree / one_day),
          2.0 * c * (degree / (one_day * one_day))};
}

// Adds amplitude sin(phase), or cos(phase) if `cosine`.
void add_wave(Changing& sum, double amplitude_deg, const Changing& phase, bool cosine) noexcept {
  const double a = amplitude_deg * degree, s = elementary::sin(phase.value),
               c = elementary::cos(phase.value);
  const double f = cosine ? c : s, f1 = cosine ? -s : c;
  sum.value += a * f;
  sum.rate += a * f1 * phase.rate;
  sum.second -= a * f * phase.rate * phase.rate;
}

struct Libration {
  double phase, rate;      // degrees, degrees a day
  double alpha, delta, w;  // degrees
};
// E1 to E13
constexpr std::array<Libration, 13> librations = {{
    {125.045, -0.0529921, -3.8787, 1.5419, 3.5610},
    {250.089, -0.1059842, -0.1204, 0.0239, 0.1208},
    {260.008, 13.0120009, 0.0700, -0.0278, -0.0642},
    {176.625, 13.3407154, -0.0172, 0.0068, 0.0158},
    {357.529, 0.9856003, 0.0, 0.0, 0.0252},
    {311.589, 26.4057084, 0.0072, -0.0029, -0.0066},
    {134.963, 13.0649930, 0.0, 0.0009, -0.0047},
    {276.617, 0.3287146, 0.0, 0.0, -0.0046},
    {34.226, 1.7484877, 0.0, 0.0, 0.0028},
    {15.134, -0.1589763, -0.0052, 0.0008, 0.0052},
    {119.743, 0.0036096, 0.0, 0.0, 0.0040},
    {239.961, 0.1643573, 0.0, 0.0, 0.0019},
    {25.053, 12.9590088, 0.0043, -0.0009, -0.0044},
}};

Changing per_century(double t, double a, double b) noexcept {
  return {(a + b * t / century) * degree, b * degree / century, 0.0};
}

}  // namespace

FrameState pole_and_meridian(const Changing& alpha, const Changing& delta,
                             const Changing& w) noexcept {
  const double quarter = std::numbers::pi / 2.0;
  // R3(W) R1(90° - delta) R3(90° + alpha)
  const FrameState node = turned_about(2, quarter + alpha.value, alpha.rate, alpha.second);
  const FrameState tilt = turned_about(0, quarter - delta.value, -delta.rate, -delta.second);
  const FrameState spin = turned_about(2, w.value, w.rate, w.second);
  return composed(composed(node, tilt), spin);
}

FrameState mean_axes(int ephemeris) noexcept {
  struct Angles {
    int from;
    double x, y, z;  // arc seconds
  };
  constexpr std::array<Angles, 4> known = {{{440, 0.2785, 78.6944, 67.8526},
                                            {430, 0.285, 78.580, 67.573},
                                            {418, 0.30, 78.56, 67.92},
                                            {0, 0.1462, 79.0768, 63.8986}}};
  for (const Angles& a : known) {
    if (ephemeris < a.from) continue;
    // R1(-x) R2(-y) R3(-z)
    const auto turn = [](int axis, double seconds) {
      return turned_about(axis, -seconds / 3600.0 * degree, 0.0, 0.0);
    };
    return composed(composed(turn(2, a.z), turn(1, a.y)), turn(0, a.x));
  }
  return {};
}

FrameState mars_axes(double t) noexcept {
  return pole_and_meridian(per_century(t, 317.68143, -0.1061), per_century(t, 52.88650, -0.0609),
                           polynomial(t, 176.630, 350.89198226));
}

FrameState moon_axes(double t) noexcept {
  Changing alpha = per_century(t, 269.9949, 0.0031), delta = per_century(t, 66.5392, 0.0130);
  Changing w = polynomial(t, 38.3213, 13.17635815, -1.4e-12);
  for (const Libration& l : librations) {
    const Changing phase = polynomial(t, l.phase, l.rate);
    if (l.alpha != 0.0) add_wave(alpha, l.alpha, phase, false);
    if (l.delta != 0.0) add_wave(delta, l.delta, phase, true);
    add_wave(w, l.w, phase, false);
  }
  return pole_and_meridian(alpha, delta, w);
}

}  // namespace vernier::frames
