#include "vernier/kernel/frames/standard.hpp"

#include <erfa.h>

#include <cmath>
#include <utility>

#include "vernier/base/require.hpp"
#include "vernier/kernel/elementary/elementary.hpp"
#include "vernier/kernel/frames/earth_rotation.hpp"
#include "vernier/kernel/frames/rotations.hpp"
#include "vernier/kernel/frames/scales.hpp"
#include "vernier/kernel/frames/sun.hpp"

namespace vernier::frames {
namespace {

// In the order of standard_frames().
struct Place {
  enum : std::size_t {
    barycentre,
    sun,
    earth_icrf,
    earth_mean_equator,
    earth_mean_ecliptic,
    earth_fixed,
    itrf,
    earth_inertial,
    earth_turning,
    both_inertial,
    both_rotating,
    beyond_moon,
    moon_inertial,
    moon_fixed,
    mars_inertial,
    mars_also,
    mars_fixed
  };
};
constexpr std::array<StandardFrame, standard_frame_count> all_frames = {{
    {"SolarSystemBarycentricInertial", "", "the root: centre of mass of the solar system"},
    {"SunCentricInertial", "SolarSystemBarycentricInertial", "centre of the Sun"},
    {"EarthICRF", "SolarSystemBarycentricInertial", "centre of the Earth, axes of the ICRF"},
    {"EarthMJ2000Eq", "SolarSystemBarycentricInertial", "mean equator and equinox of J2000"},
    {"EarthMJ2000Ec", "EarthMJ2000Eq", "mean ecliptic and equinox of J2000"},
    {"EarthFixed", "EarthMJ2000Eq", "turns with the Earth, the ITRF"},
    {"ITRF", "EarthMJ2000Eq", "the same by another name"},
    {"EarthCentricInertial", "SolarSystemBarycentricInertial", "EarthICRF by another name"},
    {"EarthCentricFixed", "EarthCentricInertial", "EarthFixed by another name"},
    {"EarthMoonBarycentricInertial", "SolarSystemBarycentricInertial",
     "centre of mass of Earth and Moon"},
    {"EarthMoonBarycentricRotating", "EarthMoonBarycentricInertial",
     "x to the Moon, z along its angular momentum"},
    {"EarthMoonL2Rotating", "EarthMoonBarycentricRotating", "the libration point behind the Moon"},
    {"MoonCentricInertial", "EarthICRF", "centre of the Moon"},
    {"MoonCentricFixed", "MoonCentricInertial", "turns with the Moon, mean Earth and polar axis"},
    {"MarsCentricInertial", "SolarSystemBarycentricInertial", "centre of Mars"},
    {"MarsInertial", "SolarSystemBarycentricInertial", "the same by another name"},
    {"MarsCentricFixed", "MarsCentricInertial", "turns with Mars"},
}};

constexpr std::size_t place_of(std::string_view name) noexcept {
  for (std::size_t i = 0; i < all_frames.size(); ++i) {
    if (all_frames[i].name == name) return i;
  }
  return all_frames.size();
}

constexpr std::array<std::size_t, standard_frame_count> parents = [] {
  std::array<std::size_t, standard_frame_count> p{};
  for (std::size_t i = 0; i < all_frames.size(); ++i) p[i] = place_of(all_frames[i].parent);
  return p;
}();

constexpr std::int64_t quarter_day = 21600;  // s
constexpr std::int64_t quarters = 4;
// Interpolation uses the samples at -4 … 5 quarter days from the one before.
constexpr int sample_points = 10, samples_before = 4;

// Lagrange polynomials through the samples, as coefficients of x^k, 0 <= x < 1. The products are
// integers below 2^53, hence exact.
struct Basis {
  double c[sample_points][sample_points] = {};
};
constexpr Basis lagrange_basis() noexcept {
  Basis b;
  for (int j = 0; j < sample_points; ++j) {
    double divisor = 1.0;
    b.c[j][0] = 1.0;
    int top = 0;
    for (int m = 0; m < sample_points; ++m) {
      if (m == j) continue;
      const double root = m - samples_before;
      ++top;
      for (int k = top; k >= 0; --k)
        b.c[j][k] = (k > 0 ? b.c[j][k - 1] : 0.0) - root * (k < top ? b.c[j][k] : 0.0);
      divisor *= j - m;
    }
    for (double& x : b.c[j]) x /= divisor;
  }
  return b;
}
constexpr Basis basis = lagrange_basis();

Quaternion quaternion_of(const double (&m)[3][3]) noexcept {
  // Our quaternion corresponds to the active rotation, which is the transpose.
  Matrix3 turn;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) turn(i, j) = m[j][i];
  }
  const Quaternion q = Eigen::Quaterniond(turn).coeffs();
  return q[3] < 0.0 ? Quaternion(-q) : q;
}

// The distance of L2 beyond the Moon relative to the distance of the bodies: the root of Euler's
// quintic.
double beyond(double mu) noexcept {
  double g = elementary::cbrt(mu / 3.0);
  for (int i = 0; i < 30; ++i) {
    const double f = ((((g + 3.0 - mu) * g + 3.0 - 2.0 * mu) * g - mu) * g - 2.0 * mu) * g - mu;
    const double slope =
        (((5.0 * g + 4.0 * (3.0 - mu)) * g + 3.0 * (3.0 - 2.0 * mu)) * g - 2.0 * mu) * g - 2.0 * mu;
    g -= f / slope;
  }
  return g;
}

Vector3 three(const double* p) noexcept { return {p[0], p[1], p[2]}; }

// One frame relative to another, through their lowest common ancestor.
FrameState between(std::size_t subject, std::size_t observer,
                   std::span<const FrameState, standard_frame_count> states) noexcept {
  const auto depth = [](std::size_t i) {
    int d = 0;
    for (; parents[i] < all_frames.size(); i = parents[i]) ++d;
    return d;
  };
  FrameState s, o;
  std::size_t a = subject, b = observer;
  const auto climb = [&](std::size_t& i, FrameState& f) {
    f = composed(states[i], f);
    i = parents[i];
  };
  int up = depth(a) - depth(b);
  for (; up > 0; --up) climb(a, s);
  for (; up < 0; ++up) climb(b, o);
  while (a != b) {
    climb(a, s);
    climb(b, o);
  }
  return b == observer ? s : relative(s, o);
}

}  // namespace

std::span<const StandardFrame, standard_frame_count> standard_frames() noexcept {
  return all_frames;
}

std::optional<std::size_t> standard_frame(std::string_view name) noexcept {
  const std::size_t place = place_of(name);
  return place < all_frames.size() ? std::optional(place) : std::nullopt;
}

StandardFrames::StandardFrames(Settings settings, const Epoch& from, int days)
    : settings_(std::move(settings)) {
  const double ratio = settings_.ephemeris ? settings_.ephemeris->mass_ratio() : 81.30056;
  librations_ = settings_.ephemeris && settings_.ephemeris->has_librations();
  if (librations_) mean_axes_ = mean_axes(settings_.ephemeris->number());
  moon_share_ = 1.0 / (1.0 + ratio);
  beyond_moon_ = 1.0 - moon_share_ + beyond(moon_share_);
  double bias[3][3], precession[3][3], both[3][3], pole[3][3];
  eraBp06(2451545.0, 0.0, bias, precession, both);
  bias_.attitude = quaternion_of(bias);
  const JulianDate tt = terrestrial_time(from);
  eraPom00(settings_.polar_x, settings_.polar_y, eraSp00(tt.whole, tt.part), pole);
  pole_.attitude = quaternion_of(pole);
  if (days <= 0) return;
  const std::int64_t s = reading(from, Scale::tt).count.whole;
  first_ = (s >= 0 ? s / quarter_day : -((quarter_day - 1 - s) / quarter_day)) - samples_before;
  nodes_.reserve(static_cast<std::size_t>(days * quarters + sample_points + 1));
  for (std::int64_t k = 0; k <= days * quarters + sample_points; ++k) {
    Node n;
    if (!sample(first_ + k, n)) break;  // the source ends here; evaluation reports this
    nodes_.push_back(n);
  }
}

bool StandardFrames::sample(std::int64_t quarter, Node& n) const noexcept {
  constexpr double begin_1900 = -36525.0, end_2100 = 36525.0;  // days from J2000
  const double days = static_cast<double>(quarter) * 0.25;
  if (!(days >= begin_1900 && days <= end_2100)) return false;
  const double j2000 = 2451545.0;
  const double ahead = eraDtdb(j2000, days, 0.0, 0.0, 0.0, 0.0);
  // Whole days are handled separately, so that the fraction keeps its digits.
  const double whole = std::floor(days);
  const JulianDate tdb{j2000 + whole, (days - whole) + ahead / 86400.0};
  Vector3 earth_at, sun_at, moon_at, mars_at, librations = Vector3::Zero();
  if (settings_.ephemeris) {
    const Ephemeris& e = *settings_.ephemeris;
    Ephemeris::PositionVelocity both, moon, star, mars;
    if (!e.state(Ephemeris::Body::earth_moon, tdb, both) ||
        !e.state(Ephemeris::Body::moon, tdb, moon) || !e.state(Ephemeris::Body::sun, tdb, star) ||
        !e.state(Ephemeris::Body::mars, tdb, mars) ||
        (librations_ && !e.librations(tdb, librations)))
      return false;
    earth_at = both.position - moon_share_ * moon.position;
    moon_at = moon.position;
    sun_at = star.position;
    mars_at = mars.position;
  } else {
    double from_sun[2][3], from_centre[2][3], of_moon[2][3], of_mars[2][3];
    eraEpv00(tdb.whole, tdb.part, from_sun, from_centre);
    eraMoon98(j2000, days, of_moon);
    eraPlan94(tdb.whole, tdb.part, 4, of_mars);
    earth_at = three(from_centre[0]) * astronomical_unit;
    sun_at = earth_at - three(from_sun[0]) * astronomical_unit;
    moon_at = three(of_moon[0]) * astronomical_unit;
    mars_at = sun_at + three(of_mars[0]) * astronomical_unit;
  }
  double x = 0.0, y = 0.0, s = 0.0, intermediate[3][3];
  eraXys06a(j2000, days, &x, &y, &s);
  eraC2ixys(x, y, s, intermediate);
  const Quaternion q = quaternion_of(intermediate);
  for (int i = 0; i < 3; ++i) {
    n[i] = earth_at[i];
    n[3 + i] = sun_at[i];
    n[6 + i] = moon_at[i];
    n[9 + i] = mars_at[i];
    n[17 + i] = librations[i];
  }
  for (int i = 0; i < 4; ++i) n[12 + i] = q[i];
  n[16] = ahead;
  return true;
}

bool StandardFrames::evaluate(const Epoch& e, Derivatives& out) const noexcept {
  const Seconds tt = reading(e, Scale::tt).count;
  const std::int64_t s = tt.whole;
  const std::int64_t k = s >= 0 ? s / quarter_day : -((quarter_day - 1 - s) / quarter_day);
  const double x = rounded(Seconds{s - k * quarter_day, tt.attoseconds}) / quarter_day;
  // Powers of x and their derivatives.
  double power[4][sample_points] = {};
  double p = 1.0;
  for (int n = 0; n < sample_points; ++n, p *= x) {
    power[0][n] = p;
    for (int d = 1; d < 4 && d <= n; ++d) power[d][n] = n * power[d - 1][n - 1];
  }
  std::array<Node, sample_points> here;
  const std::int64_t at = k - samples_before - first_;
  const bool ready = at >= 0 && at + sample_points <= static_cast<std::int64_t>(nodes_.size());
  for (int j = 0; j < sample_points && !ready; ++j) {
    if (!sample(k - samples_before + j, here[static_cast<std::size_t>(j)])) return false;
  }
  const Node* nodes = ready ? &nodes_[static_cast<std::size_t>(at)] : here.data();
  double scale = 1.0;
  for (int d = 0; d < 4; ++d, scale /= quarter_day) {
    Node& sum = out[static_cast<std::size_t>(d)];
    sum.fill(0.0);
    for (int j = 0; j < sample_points; ++j) {
      double weight = 0.0;
      for (int n = sample_points; n-- > 0;) weight += basis.c[j][n] * power[d][n];
      weight *= scale;
      for (std::size_t i = 0; i < width; ++i) sum[i] += weight * nodes[j][i];
    }
  }
  return true;
}

bool StandardFrames::states(const Epoch& e,
                            std::span<FrameState, standard_frame_count> s) const noexcept {
  Derivatives d;
  if (!evaluate(e, d)) return false;
  const auto moving = [&d](std::size_t column) {
    FrameState f;
    f.position = three(&d[0][column]);
    f.velocity = three(&d[1][column]);
    f.acceleration = three(&d[2][column]);
    return f;
  };
  const FrameState earth = moving(0), moon = moving(6);
  s[Place::barycentre] = {};
  s[Place::sun] = moving(3);
  s[Place::earth_icrf] = s[Place::earth_inertial] = earth;
  s[Place::earth_mean_equator] = composed(earth, bias_);
  s[Place::earth_mean_ecliptic] = turned_about(0, eraObl06(2451545.0, 0.0), 0.0, 0.0);
  const auto quaternion = [&d](std::size_t k) {
    return Quaternion(d[k][12], d[k][13], d[k][14], d[k][15]);
  };
  const FrameState intermediate = turned_by(quaternion(0), quaternion(1), quaternion(2));
  const JulianDate ut1 = universal_time(e, settings_.dut1);
  const FrameState spin = turned_about(2, eraEra00(ut1.whole, ut1.part), earth_rotation_rate, 0.0);
  s[Place::earth_turning] = composed(composed(intermediate, spin), pole_);
  s[Place::earth_fixed] = s[Place::itrf] = frames::relative(s[Place::earth_turning], bias_);
  s[Place::both_inertial] = earth;
  s[Place::both_inertial].position += moon_share_ * moon.position;
  s[Place::both_inertial].velocity += moon_share_ * moon.velocity;
  s[Place::both_inertial].acceleration += moon_share_ * moon.acceleration;
  s[Place::both_rotating] =
      orbit_axes(moon.position, moon.velocity, moon.acceleration, three(&d[3][6]));
  // The point beyond the Moon moves with the Moon's distance r: r' = v·x, r'' = a·x + v_y²/r.
  const double r = moon.position.norm(), rate = moon.position.dot(moon.velocity) / r;
  const double second =
      (moon.velocity.squaredNorm() + moon.position.dot(moon.acceleration) - rate * rate) / r;
  s[Place::beyond_moon] = {};
  s[Place::beyond_moon].position[0] = beyond_moon_ * r;
  s[Place::beyond_moon].velocity[0] = beyond_moon_ * rate;
  s[Place::beyond_moon].acceleration[0] = beyond_moon_ * second;
  s[Place::moon_inertial] = moon;
  const double t = rounded(reading(e, Scale::tt).count) + d[0][16];
  if (librations_) {
    const auto turn = [&d](int axis, std::size_t column) {
      return turned_about(axis, d[0][column], d[1][column], d[2][column]);
    };
    s[Place::moon_fixed] =
        composed(composed(composed(turn(2, 17), turn(0, 18)), turn(2, 19)), mean_axes_);
  } else {
    s[Place::moon_fixed] = moon_axes(t);
  }
  s[Place::mars_inertial] = s[Place::mars_also] = moving(9);
  s[Place::mars_fixed] = mars_axes(t);
  return true;
}

bool StandardFrames::relative(std::size_t subject, std::size_t observer, const Epoch& e,
                              FrameState& out) const noexcept {
  require(subject < all_frames.size() && observer < all_frames.size());
  std::array<FrameState, standard_frame_count> all;
  if (!states(e, all)) return false;
  out = between(subject, observer, all);
  return true;
}

FrameTree StandardFrames::tree() {
  FrameTree t;
  for (const StandardFrame& f : all_frames) {
    const auto added = t.add(std::string(f.name), std::string(f.parent));
    require(added.has_value());
  }
  return t;
}

bool StandardFrames::update(FrameTree& t, const Epoch& e) const noexcept {
  std::array<FrameState, standard_frame_count> all;
  if (!states(e, all)) return false;
  for (FrameTree::Index i = 0; i < t.size(); ++i) {
    const std::size_t frame = place_of(t.name(i)), parent = place_of(t.parent_name(i));
    if (frame == all_frames.size()) continue;
    if (t.parent_name(i).empty())
      t.set(i, {}, e);  // a root of another tree
    else if (parent < all_frames.size())
      t.set(i, between(frame, parent, all), e);
  }
  return true;
}

}  // namespace vernier::frames
