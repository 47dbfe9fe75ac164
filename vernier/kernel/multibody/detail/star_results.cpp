#include <algorithm>

#include "vernier/kernel/multibody/detail/star.hpp"
#include "vernier/kernel/multibody/detail/star_hub.hpp"

namespace vernier::multibody::detail {
namespace {

/// Extracts one lane of a block.
template <class S>
S lane_of(const double* block, int width, int lane) noexcept {
  S s;
  auto* to = reinterpret_cast<double*>(&s);
  for (std::size_t i = 0; i < sizeof(S) / sizeof(double); ++i) to[i] = block[i * width + lane];
  return s;
}

Vec3<double> vector_of(const double* block, int width, int lane) noexcept {
  return lane_of<Vec3<double>>(block, width, lane);
}

}  // namespace

void Star::describe_place(const StarMemory& m, int body, const double* u, Mat3<double>& E,
                          Vec3<double>& r, Vec6<double>& V) const noexcept {
  const Place at = places_[body];
  const StarGroup& group = groups_[at.group];
  const auto p = lane_of<Placed<double>>(m.numbers.get() + group.placed, group.width, at.lane);
  place_of(plan_, p, u, u + group.u[at.lane], static_cast<int>(speeds(group.kind)), E, r, V);
}

void Star::describe_acceleration(const StarMemory& m, int body, const Vec6<double>& V,
                                 const double* udot, Vec6<double>& A,
                                 Vec6<double>& reaction) const noexcept {
  const double* memory = m.numbers.get();
  const double* x = memory + plan_.solution;
  const int n = plan_.modes;
  if (body == plan_.hub) {
    A = {vec3<double>(x + n), vec3<double>(x + n + 3) - cross(V.a, V.l)};
    return;
  }
  const Place at = places_[body];
  const StarGroup& group = groups_[at.group];
  const int w = group.width;
  const auto p = lane_of<Placed<double>>(memory + group.placed, w, at.lane);
  // The inertial acceleration of the body at the outboard node: hub, bias, modes, then hinge
  // speeds.
  Vec6<double> a = motion_at(Vec6<double>{vec3<double>(x + n), vec3<double>(x + n + 3)}, p.node.r);
  a += p.node.bias + p.c;
  for (int i = 0; i < group.moving; ++i) {
    const double acceleration = x[group.modes[i]];
    a.a += vector_of(memory + group.psi + 3 * i * w, w, at.lane) * acceleration;
    a.l += vector_of(memory + group.shapes + 6 * i * w, w, at.lane) * acceleration;
  }
  for (int k = 0; k < static_cast<int>(speeds(group.kind)); ++k)
    a += p.axis[k] * udot[group.u[at.lane] + k];
  // The force on the body at the outboard node, by Newton and Euler.
  const double mass = memory[group.constants + 21 * w + at.lane];
  Vec6<double> f = {p.J * a.a + cross(p.s, a.l) + cross(p.w, p.J * p.w),
                    a.l * mass + cross(a.a, p.s) + cross(p.w, cross(p.w, p.s))};
  reaction = rotated_back(p.R, force_from(f, -p.d));
  if (m.forced[at.group] != 0)
    reaction -= lane_of<Vec6<double>>(memory + group.external, w, at.lane);
  const Vec3<double> linear = a.l + cross(a.a, p.d) + cross(p.w, cross(p.w, p.d));
  A = rotated_back(p.R, Vec6<double>{a.a, linear});
  A.l -= cross(V.a, V.l);
}

Vec6<double> Star::hub_reaction(const StarMemory& m, const double* force) const noexcept {
  const double* sums = m.numbers.get() + plan_.totals;
  const double* x = m.numbers.get() + plan_.solution;
  const int n = plan_.modes;
  // The row of M x + z that belongs to the hub, plus the forces that were subtracted from z.
  double f[6];
  for (int i = 0; i < 6; ++i) {
    const int row = n + i;
    f[i] = sums[plan_.forces[row]] + (plan_.free ? force[plan_.hub_u + i] : 0.0);
    for (int j = 0; j < plan_.unknowns(); ++j) {
      const int high = std::max(row, j), low = std::min(row, j);
      f[i] += sums[plan_.entries[high * (high + 1) / 2 + low]] * x[j];
    }
  }
  return {vec3<double>(f), vec3<double>(f + 3)};
}

void Star::forget_forces(StarMemory& m) const noexcept {
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    if (m.forced[g] == 0) continue;
    double* f = m.numbers.get() + groups_[g].external;
    for (int i = 0; i < 6 * groups_[g].width; ++i) f[i] = 0.0;
    m.forced[g] = 0;
  }
  if (m.hub_forced) {
    for (int i = 0; i < plan_.unknowns(); ++i) m.numbers.get()[plan_.external + i] = 0.0;
    m.hub_forced = false;
  }
}

double* Star::push(StarMemory& m, int body, const Vec6<double>& f) const noexcept {
  const double numbers[6] = {f.a.x, f.a.y, f.a.z, f.l.x, f.l.y, f.l.z};
  if (body == plan_.hub) {
    double* to = m.numbers.get() + plan_.external;
    for (int i = 0; i < 6; ++i) to[plan_.modes + i] += numbers[i];
    m.hub_forced = true;
    return to;
  }
  const Place at = places_[body];
  const StarGroup& group = groups_[at.group];
  double* to = m.numbers.get() + group.external + at.lane;
  for (int i = 0; i < 6; ++i) to[i * group.width] += numbers[i];
  m.forced[at.group] = 1;
  return nullptr;
}

}  // namespace vernier::multibody::detail
