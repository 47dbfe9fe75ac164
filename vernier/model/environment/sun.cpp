#include "vernier/model/environment/sun.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "vernier/component/scene.hpp"
#include "vernier/kernel/elementary/elementary.hpp"
#include "vernier/kernel/spatial/spans.hpp"
#include "vernier/model/environment/earth.hpp"

namespace vernier::environment {
namespace {

using hybrid::Jump;
using hybrid::Point;
using hybrid::Workspace;
using spatial::vector3;
using spatial::Vector3;

}  // namespace

Sun::Sun(const frames::Epoch& epoch) : path_(epoch) {
  spec_.inputs = {{"position", "m", "N", 3, std::vector<double>{0.0, 0.0, 0.0},
                   "of the spacecraft; the Earth's centre when not connected"}};
  spec_.outputs = {{"sun", "m", "N", 3, {}, "of the Sun, from the Earth's centre"},
                   {"direction", "1", "N", 3, {}, "from the spacecraft to the Sun"}};
  spec_.feedthrough = {{1, 0}};
}

void Sun::output(const Point& p, std::span<double> y, Workspace&) const noexcept {
  const Vector3 sun = path_.position(p.t);
  vector3(y) = sun;
  vector3(y, 3) = (sun - vector3(p.u)).normalized();
}

double visible_share(double a, double b, double c) noexcept {
  // Separate discs, total eclipse, annular eclipse.
  if (c >= a + b) return 1.0;
  if (c <= b - a) return 0.0;
  if (c <= a - b) return 1.0 - (b * b) / (a * a);
  // The area of the intersection of two circles (Montenbruck and Gill, eqs. 3.87 to 3.94).
  const double x = (c * c + a * a - b * b) / (2.0 * c);
  const double y = std::sqrt(std::max(0.0, a * a - x * x));
  const double lens = a * a * elementary::acos(std::clamp(x / a, -1.0, 1.0)) +
                      b * b * elementary::acos(std::clamp((c - x) / b, -1.0, 1.0)) - c * y;
  return 1.0 - lens / (std::numbers::pi * a * a);
}

Eclipse::Eclipse(const Parameters& p) : parameters_(p) {
  spec_.inputs = {{"position", "m", "N", 3, {}, "of the spacecraft, from the Earth's centre"},
                  {"sun", "m", "N", 3, {}, "of the Sun, from the Earth's centre"}};
  spec_.outputs = {{"illumination", "1", "", 1, {}, "share of the Sun's disc that is seen"}};
  hybrid::Automaton a;
  if (p.shadow == Shadow::conical) {
    a.locations = {"Sunlight", "Penumbra", "Umbra"};
    a.transitions = {{"enter penumbra", sunlight, penumbra, "the Earth covers the Sun's edge"},
                     {"enter umbra", penumbra, umbra, "the Earth covers the Sun"},
                     {"leave umbra", umbra, penumbra, "the Sun's edge appears"},
                     {"leave penumbra", penumbra, sunlight, "the whole Sun is seen"}};
    spec_.guards = 2;
    spec_.feedthrough = {{0, 0}, {0, 1}};
  } else {
    a.locations = {"Sunlight", "Umbra"};
    a.transitions = {{"enter shadow", 0, 1, "behind the Earth"},
                     {"leave shadow", 1, 0, "not behind the Earth"}};
    spec_.guards = 2;
  }
  spec_.automata = {a};
}

Eclipse::Discs Eclipse::discs(const Point& p) const noexcept {
  const auto r = vector3(p.u);
  // Apparent half-widths of Sun and Earth and the angle between their centres, by atan2 for
  // accuracy at small angles.
  const Vector3 s = vector3(p.u, 3) - r;
  const double distance = s.norm(), length = r.norm();
  return {elementary::asin(std::min(1.0, parameters_.sun_radius / distance)),
          elementary::asin(std::min(1.0, parameters_.earth_radius / length)),
          elementary::atan2(r.cross(s).norm(), -r.dot(s))};
}

void Eclipse::output(const Point& p, std::span<double> y, Workspace&) const noexcept {
  if (parameters_.shadow == Shadow::cylindrical) {
    y[0] = p.mode[0] == 0 ? 1.0 : 0.0;
    return;
  }
  const Discs d = discs(p);
  y[0] = visible_share(d.sun, d.earth, d.apart);
}

void Eclipse::guards(const Point& p, std::span<double> z, Workspace&) const noexcept {
  if (parameters_.shadow == Shadow::conical) {
    const Discs d = discs(p);
    // Outer contact (penumbra) and inner contact (umbra) of the two discs.
    z[0] = d.apart - (d.earth + d.sun);
    z[1] = d.apart - (d.earth - d.sun);
    return;
  }
  const auto r = vector3(p.u), s = vector3(p.u, 3);
  // The distance from the axis of the shadow, and which side of the Earth.
  const double along = r.dot(s) / s.norm();
  z[0] =
      (std::sqrt(std::max(0.0, r.squaredNorm() - along * along))) / parameters_.earth_radius - 1.0;
  z[1] = along / parameters_.earth_radius;
}

bool Eclipse::select(const Point& p, std::span<const std::uint8_t>, std::span<int> chosen,
                     Workspace& scratch) const noexcept {
  double z[2];
  guards(p, z, scratch);
  chosen[0] = -1;
  if (parameters_.shadow == Shadow::cylindrical) {
    const bool behind = z[0] < 0.0 && z[1] < 0.0;
    if (behind != (p.mode[0] == 1)) chosen[0] = behind ? 0 : 1;
  } else if (p.mode[0] == sunlight) {
    if (z[0] < 0.0) chosen[0] = 0;
  } else if (p.mode[0] == umbra) {
    if (z[1] >= 0.0) chosen[0] = 2;
  } else if (z[1] < 0.0) {
    chosen[0] = 1;
  } else if (z[0] >= 0.0) {
    chosen[0] = 3;
  }
  return chosen[0] >= 0;
}

void Eclipse::jump(const Point&, std::span<const int> chosen, Jump& to, Workspace&) const noexcept {
  if (chosen[0] >= 0) to.mode[0] = spec_.automata[0].transitions[chosen[0]].to;
}

void Eclipse::witness(const Point& p, int, int transition, std::span<double, 2> sides,
                      Workspace& scratch) const noexcept {
  if (parameters_.shadow == Shadow::conical) {
    const Discs d = discs(p);
    const bool inner = transition == 1 || transition == 2;
    sides[0] = d.apart;
    sides[1] = inner ? d.earth - d.sun : d.earth + d.sun;
    return;
  }
  double z[2];
  guards(p, z, scratch);
  sides[0] = (z[0] + 1.0) * parameters_.earth_radius;
  sides[1] = parameters_.earth_radius;
}

Type sun_type() {
  Type type{"sun", "direction and place of the Sun", {epoch_parameter()}, {}, {}};
  type.system = [](const vernier::Parameters& p) { return std::make_unique<Sun>(epoch(p)); };
  type.scene = [](const vernier::Parameters& p) {
    const Vector3 start = frames::SunPath(epoch(p)).position(0.0).normalized();
    const std::vector<double> v(start.data(), start.data() + 3);
    const scene::Binding direction{.signal = "direction", .count = 3, .start = v};
    scene::Scene s;
    s.sun = direction;
    s.vectors = {{.name = "direction", .by = direction, .unit = "1", .role = "sun"}};
    return s;
  };
  return type;
}

Type eclipse_type() {
  Type type{"eclipse", "the Earth's shadow", {}, {}, {}};
  ParameterSpec shadow;
  shadow.name = "shadow";
  shadow.kind = ParameterKind::choice;
  shadow.choices = {"conical", "cylindrical"};
  shadow.initial = "conical";
  shadow.description = "with or without a penumbra";
  type.parameters = {shadow,
                     real_parameter("earth_radius", "m", "6378137", "of the shading sphere"),
                     real_parameter("sun_radius", "m", "695700e3", "conical: of the Sun")};
  type.system = [](const vernier::Parameters& p) {
    for (const char* name : {"earth_radius", "sun_radius"}) {
      if (!(p.real(name) > 0.0)) p.reject(name, "must be positive");
    }
    return std::make_unique<Eclipse>(Eclipse::Parameters{
        p.text("shadow") == "conical" ? Eclipse::Shadow::conical : Eclipse::Shadow::cylindrical,
        p.real("earth_radius"), p.real("sun_radius")});
  };
  return type;
}

}  // namespace vernier::environment
