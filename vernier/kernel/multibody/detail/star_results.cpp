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
  acceleration_of(
      p, memory[group.constants + 21 * w + at.lane], x, {group.moving, group.modes, n},
      [&](int i) noexcept { return vector_of(memory + group.psi + 3 * i * w, w, at.lane); },
      [&](int i) noexcept { return vector_of(memory + group.shapes + 6 * i * w, w, at.lane); },
      udot + group.u[at.lane], static_cast<int>(speeds(group.kind)), V, A, reaction);
  if (m.forced[at.group] != 0)
    reaction -= lane_of<Vec6<double>>(memory + group.external, w, at.lane);
}

Vec6<double> Star::hub_reaction(const StarMemory& m, const double* force) const noexcept {
  const double* memory = m.numbers.get();
  return force_on_hub(plan_, memory + plan_.totals, memory + plan_.solution, force);
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
