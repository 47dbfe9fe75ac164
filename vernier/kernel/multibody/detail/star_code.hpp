#pragma once

#include "vernier/kernel/multibody/detail/star_hub.hpp"

/// The code of one set of instructions: VERNIER_INSTRUCTIONS names it, W is the width of its
/// vectors.
namespace vernier::multibody::detail {
inline namespace VERNIER_INSTRUCTIONS {

template <int W>
struct VectorOf {
  typedef double type __attribute__((vector_size(W * sizeof(double))));
};
template <int W>
using Vector = typename VectorOf<W>::type;

template <class T>
VERNIER_INLINE T* block(double* memory, std::size_t first) noexcept {
  return reinterpret_cast<T*>(memory + first);
}
template <class T>
VERNIER_INLINE T gather(const double* from, const int* index, int offset) noexcept {
  T x;
  for (int i = 0; i < lane_count<T>; ++i) x[i] = from[index[i] + offset];
  return x;
}
/// The same where idle lanes are to be zero.
template <class T>
VERNIER_INLINE T gather(const double* from, const StarGroup& group, int offset) noexcept {
  T x = {};
  for (int i = 0; i < lane_count<T>; ++i) {
    if (i < group.count) x[i] = from[group.u[i] + offset];
  }
  return x;
}

/// Calls f with the kind of hinge as a constant.
template <class F>
VERNIER_INLINE auto with_kind(StarHinge kind, F&& f) noexcept {
  using enum StarHinge;
  switch (kind) {
    case pin:
      return f.template operator()<pin>();
    case prismatic:
      return f.template operator()<prismatic>();
    case cylindrical:
      return f.template operator()<cylindrical>();
    case universal:
      return f.template operator()<universal>();
    case gimbal:
      return f.template operator()<gimbal>();
    case ball:
      return f.template operator()<ball>();
    case planar:
      return f.template operator()<planar>();
    default:
      return f.template operator()<fixed>();
  }
}

template <class T>
VERNIER_INLINE Vec3<T> broadcast(const Vec3<double>& v) noexcept {
  return {constant<T>(v.x), constant<T>(v.y), constant<T>(v.z)};
}

/// Angular and linear velocity of the hub; zero when it is fixed.
template <class T>
VERNIER_INLINE Vec6<T> hub_motion(const StarPlan& plan, const T* u) noexcept {
  if (!plan.free) return zero6<T>();
  const T* v = u + plan.hub_u;
  return {{v[0], v[1], v[2]}, {v[3], v[4], v[5]}};
}
/// Gravity in the axes of the hub.
template <class T>
VERNIER_INLINE Vec3<T> hub_gravity(const StarPlan& plan, const double* g, const T* q) noexcept {
  const Vec3<T> down = vec3<T>(g);
  if (!plan.free) return down;
  const T* k = q + plan.hub_q;
  const T &a = k[0], &b = k[1], &c = k[2], &s = k[3], two = constant<T>(2.0);
  const T aa = a * a, bb = b * b, cc = c * c, ss = s * s;
  return {
      (aa - bb - cc + ss) * down.x + two * ((a * b + c * s) * down.y + (a * c - b * s) * down.z),
      (bb - aa - cc + ss) * down.y + two * ((a * b - c * s) * down.x + (b * c + a * s) * down.z),
      (cc - aa - bb + ss) * down.z + two * ((a * c + b * s) * down.x + (b * c - a * s) * down.y)};
}

// ---- one state, an appendage in each lane

/// Modal coordinates and rates in all lanes; after the hub's own numbers in memory.
template <class T>
VERNIER_INLINE Hub<T> spread(const StarPlan& plan, const double* q, const double* u,
                             T* numbers) noexcept {
  for (int i = 0; i < plan.modes; ++i) {
    numbers[i] = constant<T>(q[plan.eta + i]);
    numbers[plan.modes + i] = constant<T>(u[plan.rate + i]);
  }
  return {broadcast<T>(hub_motion<double>(plan, u).a), numbers, numbers + plan.modes};
}

template <class T, StarHinge kind, bool flexible>
void place_group(const StarPlan& plan, const StarGroup& group, double* memory, const Hub<T>& hub,
                 const double* q, const double* u) noexcept {
  T own_q[4], own_u[3];
  for (int k = 0; k < coordinates_of(kind); ++k) own_q[k] = gather<T>(q, group.q, k);
  for (int k = 0; k < speeds_of(kind); ++k) own_u[k] = gather<T>(u, group.u, k);
  const Appendage<T> a = appendage_at<T>(Wide<T>{memory + group.constants});
  auto& placed = *block<Placed<T>>(memory, group.placed);
  Placed<T> p;
  place_node<T, flexible>(a.R0, a.r0, Wide<T>{memory + group.shapes}, plan.modes, hub, p.node,
                          block<Vec3<T>>(memory, group.psi));
  place_hinge<T, kind>(own_q, own_u, p);
  place_inertia<T, kind>(a, p);
  placed = p;
}

template <class T, StarHinge kind, bool flexible>
int accelerate_group(const StarPlan& plan, const StarGroup& group, double* memory,
                     const StarLoads& loads, bool forced, Sums<T>& sums) noexcept {
  HingeLoads<T> own;
  for (int k = 0; k < speeds_of(kind); ++k) {
    own.tau[k] = loads.force != nullptr ? gather<T>(loads.force, group, k) : T{};
    own.given[k] = T{};
    own.prescribed[k] = own.given[k] != own.given[k];
    if (loads.prescribed != nullptr) {
      for (int i = 0; i < group.count; ++i) {
        const int at = group.u[i] + k;
        if (loads.prescribed[at] == 0) continue;
        own.prescribed[k][i] = -1;
        own.given[k][i] = loads.acceleration != nullptr ? loads.acceleration[at] : 0.0;
      }
    }
  }
  const auto& p = *block<Placed<T>>(memory, group.placed);
  Vec6<T> external = zero6<T>();
  if (forced) {
    const Vec6<T>& f = *block<Vec6<T>>(memory, group.external);
    external = force_from(rotated(p.R, f), p.d);
  }
  const Wide<T> constants{memory + group.constants};
  auto& rows = *block<Rows<T>>(memory, group.rows);
  const auto bad = eliminate<T, kind, flexible>(
      p, constants[21], Wide<T>{constants.p + 22 * lane_count<T>}, Wide<T>{memory + group.shapes},
      plan.modes, block<Vec3<T>>(memory, group.psi), own, external, rows,
      reinterpret_cast<T*>(&rows + 1), sums);
  if (all(!bad)) return -1;
  for (int i = 0; i < group.count; ++i) {
    if (bad[i] != 0) return group.body[i];
  }
  return -1;
}

template <class T, StarHinge kind>
VERNIER_INLINE void substitute_group(const StarPlan& plan, const StarGroup& group, double* memory,
                                     const T* x, double* udot) noexcept {
  auto& rows = *block<Rows<T>>(memory, group.rows);
  T own[3];
  substitute<T, kind>(rows, reinterpret_cast<T*>(&rows + 1), x, plan.unknowns(), own);
  for (int k = 0; k < speeds_of(kind); ++k) {
    for (int i = 0; i < group.count; ++i) udot[group.u[i] + k] = own[k][i];
  }
}

template <int W, int R, bool flexible>
struct StarLanes {
  using T = Vector<W>;
  using S = Vector<R>;  // of a group for what is left

  static void place(const StarPlan& plan, double* memory, const double* q,
                    const double* u) noexcept {
    T* wide = block<T>(memory, plan.gathered);
    const Hub<T> hub = spread<T>(plan, q, u, wide);
    const Hub<S> half = spread<S>(plan, q, u, reinterpret_cast<S*>(wide + 2 * plan.modes));
    for (int g = 0; g < plan.group_count; ++g) {
      const StarGroup& group = plan.groups[g];
      with_kind(group.kind, [&]<StarHinge kind>() {
        if (group.width == W) {
          place_group<T, kind, flexible>(plan, group, memory, hub, q, u);
        } else {
          place_group<S, kind, flexible>(plan, group, memory, half, q, u);
        }
      });
    }
  }

  static int accelerate(const StarPlan& plan, double* memory, const double* q, const double* u,
                        const StarLoads& loads, double* udot) noexcept {
    const int n = plan.modes, unknowns = plan.unknowns(), size = sums_size(n);
    T* wide = block<T>(memory, plan.sums);
    S* half = reinterpret_cast<S*>(wide + size);
    for (int i = 0; i < size; ++i) wide[i] = T{};
    if constexpr (W != R) {
      for (int i = 0; i < size; ++i) half[i] = S{};
    }
    auto& sums = *reinterpret_cast<Sums<T>*>(wide);
    auto& half_sums = *reinterpret_cast<Sums<S>*>(half);
    int singular = -1;
    for (int g = 0; g < plan.group_count; ++g) {
      const StarGroup& group = plan.groups[g];
      const bool forced = loads.forced != nullptr && loads.forced[g] != 0;
      const int bad = with_kind(group.kind, [&]<StarHinge kind>() {
        if (group.width == W) {
          return accelerate_group<T, kind, flexible>(plan, group, memory, loads, forced, sums);
        }
        if constexpr (W != R) {
          return accelerate_group<S, kind, flexible>(plan, group, memory, loads, forced, half_sums);
        }
        return -1;
      });
      if (bad >= 0 && singular < 0) singular = bad;
    }
    if (singular >= 0) return singular;

    double* total = memory + plan.gathered;
    for (int i = 0; i < size; ++i) {
      T x = wide[i];
      double t = 0.0;
      for (int l = 0; l < W; ++l) t += x[l];
      if constexpr (W != R) {
        S y = half[i];
        for (int l = 0; l < R; ++l) t += y[l];
      }
      total[i] = t;
    }
    const double* constants = memory + plan.constants;
    double* M = memory + plan.matrix;
    double* z = M + unknowns * (unknowns + 1) / 2;
    double* work = z + unknowns;
    double* x = memory + plan.solution;
    const Vec6<double> motion = hub_motion<double>(plan, u);
    const Hub<double> hub{motion.a, q + plan.eta, u + plan.rate};
    hub_equations<double, flexible>(plan, constants, hub, total, M, z);
    if (loads.hub_forced) {
      for (int i = 0; i < unknowns; ++i) z[i] -= memory[plan.external + i];
    }
    if (loads.force != nullptr) {
      for (int i = 0; i < n; ++i) z[i] -= loads.force[plan.rate + i];
      if (plan.free) {
        for (int i = 0; i < 6; ++i) z[n + i] -= loads.force[plan.hub_u + i];
      }
    }
    // linear accelerations here are inertial and less gravity
    const Vec3<double> g = hub_gravity<double>(plan, constants + HubFields(n).gravity, q);
    const Vec3<double> carried = cross(motion.a, motion.l) - g;
    const double offset[6] = {0.0, 0.0, 0.0, carried.x, carried.y, carried.z};
    double given[6];
    bool held[6];
    for (int i = 0; i < 6; ++i) {
      held[i] =
          !plan.free || (loads.prescribed != nullptr && loads.prescribed[plan.hub_u + i] != 0);
      const bool told = plan.free && held[i] && loads.acceleration != nullptr;
      given[i] = offset[i] + (told ? loads.acceleration[plan.hub_u + i] : 0.0);
    }
    if (solve_hub<double>(unknowns, M, z, given, held, work, x)) return plan.hub;
    for (int i = 0; i < n; ++i) udot[plan.rate + i] = x[i];
    if (plan.free) {
      for (int i = 0; i < 6; ++i) udot[plan.hub_u + i] = x[n + i] - offset[i];
    }
    for (int i = 0; i < unknowns; ++i) wide[i] = constant<T>(x[i]);
    if constexpr (W != R) {
      for (int i = 0; i < unknowns; ++i) half[i] = constant<S>(x[i]);
    }
    for (int k = 0; k < plan.group_count; ++k) {
      const StarGroup& group = plan.groups[k];
      with_kind(group.kind, [&]<StarHinge kind>() {
        if (group.width == W) {
          substitute_group<T, kind>(plan, group, memory, wide, udot);
        } else if constexpr (W != R) {
          substitute_group<S, kind>(plan, group, memory, half, udot);
        }
      });
    }
    return -1;
  }
};

// ---- many states, one in each lane

template <int W, bool flexible>
struct StarInStates {
  using T = Vector<W>;

  static std::size_t scratch(const StarPlan& plan, std::size_t coordinates,
                             std::size_t speeds) noexcept {
    const auto n = static_cast<std::size_t>(plan.modes), unknowns = n + 6;
    const auto groups = static_cast<std::size_t>(plan.group_count);
    return W * (coordinates + 4 * speeds + static_cast<std::size_t>(sums_size(plan.modes)) +
                unknowns * (unknowns + 1) / 2 + 4 * unknowns + 3 * n + groups * (6 + 3 * unknowns));
  }

  template <StarHinge kind>
  static Mask<T> appendage(const StarPlan& plan, const StarGroup& group, const double* memory,
                           const Hub<T>& hub, const T* q, const T* u, const HingeLoads<T>& loads,
                           Vec3<T>* psi, Rows<T>& rows, Sums<T>& sums) noexcept {
    const Appendage<T> a = appendage_at<T>(Same<T>{memory + group.constants});
    const Same<T> shapes{memory + group.shapes};
    Placed<T> p;
    place_node<T, flexible>(a.R0, a.r0, shapes, plan.modes, hub, p.node, psi);
    place_hinge<T, kind>(q + group.q[0], u + group.u[0], p);
    place_inertia<T, kind>(a, p);
    return eliminate<T, kind, flexible>(p, a.m, Same<T>{memory + group.constants + 22}, shapes,
                                        plan.modes, psi, loads, zero6<T>(), rows,
                                        reinterpret_cast<T*>(&rows + 1), sums);
  }

  static std::size_t run(const StarPlan& plan, double* memory, const StarStates& states) noexcept {
    const int n = plan.modes, unknowns = plan.unknowns(), size = sums_size(n);
    T* next = block<T>(memory, plan.size);
    const auto take = [&](std::size_t count) {
      T* from = next;
      next += count;
      return from;
    };
    T* q = take(states.coordinates);
    T* u = take(states.speeds);
    T* force = take(states.speeds);
    T* acceleration = take(states.speeds);
    T* udot = take(states.speeds);
    T* wide = take(static_cast<std::size_t>(size));
    T* M = take(static_cast<std::size_t>(unknowns * (unknowns + 1) / 2));
    T* z = take(static_cast<std::size_t>(unknowns));
    T* work = take(static_cast<std::size_t>(2 * unknowns));
    T* x = take(static_cast<std::size_t>(unknowns));
    auto* psi = reinterpret_cast<Vec3<T>*>(take(static_cast<std::size_t>(3 * n)));
    T* rows = next;
    const std::ptrdiff_t rows_size = 6 + 3 * unknowns;
    for (std::size_t k = 0; k < states.speeds; ++k) force[k] = acceleration[k] = T{};
    auto& sums = *reinterpret_cast<Sums<T>*>(wide);
    const double* constants = memory + plan.constants;
    const auto held_at = [&](int k) {
      return states.prescribed != nullptr && states.prescribed[k] != 0;
    };
    std::size_t bad_states = 0;

    for (std::size_t first = 0; first < states.count; first += W) {
      const std::size_t here = states.count - first < W ? states.count - first : W;
      const auto stage = [&](const double* from, std::size_t count, T* to) {
        if (from == nullptr) return;
        for (std::size_t k = 0; k < count; ++k) {
          const double* row = from + k * states.count + first;
          if (here == W) {
            __builtin_memcpy(to + k, row, sizeof(T));
          } else {
            for (std::size_t i = 0; i < W; ++i) to[k][i] = row[i < here ? i : 0];
          }
        }
      };
      stage(states.q, states.coordinates, q);
      stage(states.u, states.speeds, u);
      stage(states.force, states.speeds, force);
      stage(states.acceleration, states.speeds, acceleration);

      for (int i = 0; i < size; ++i) wide[i] = T{};
      const Vec6<T> motion = hub_motion<T>(plan, u);
      const Hub<T> hub{motion.a, q + plan.eta, u + plan.rate};
      Mask<T> bad = u[0] != u[0];
      bad = bad ^ bad;
      for (int g = 0; g < plan.group_count; ++g) {
        const StarGroup& group = plan.groups[g];
        bad = bad | with_kind(group.kind, [&]<StarHinge kind>() {
                HingeLoads<T> loads;
                for (int k = 0; k < speeds_of(kind); ++k) {
                  loads.tau[k] = force[group.u[0] + k];
                  loads.given[k] = acceleration[group.u[0] + k];
                  loads.prescribed[k] = Mask<T>{} - (held_at(group.u[0] + k) ? 1 : 0);
                }
                return appendage<kind>(plan, group, memory, hub, q, u, loads, psi,
                                       *reinterpret_cast<Rows<T>*>(rows + g * rows_size), sums);
              });
      }
      hub_equations<T, flexible>(plan, constants, hub, wide, M, z);
      for (int i = 0; i < n; ++i) z[i] -= force[plan.rate + i];
      const Vec3<T> gravity = hub_gravity<T>(plan, constants + HubFields(n).gravity, q);
      const Vec3<T> carried = cross(motion.a, motion.l) - gravity;
      const T offset[6] = {T{}, T{}, T{}, carried.x, carried.y, carried.z};
      T given[6];
      Mask<T> held[6];
      for (int i = 0; i < 6; ++i) {
        given[i] = offset[i];
        held[i] = Mask<T>{} - 1;
        if (plan.free) {
          z[n + i] -= force[plan.hub_u + i];
          given[i] += acceleration[plan.hub_u + i];
          held[i] = Mask<T>{} - (held_at(plan.hub_u + i) ? 1 : 0);
        }
      }
      bad = bad | solve_hub<T>(unknowns, M, z, given, held, work, x);
      for (int i = 0; i < n; ++i) udot[plan.rate + i] = x[i];
      if (plan.free) {
        for (int i = 0; i < 6; ++i) udot[plan.hub_u + i] = x[n + i] - offset[i];
      }
      for (int g = 0; g < plan.group_count; ++g) {
        const StarGroup& group = plan.groups[g];
        with_kind(group.kind, [&]<StarHinge kind>() {
          const T* own = rows + g * rows_size;
          substitute<T, kind>(*reinterpret_cast<const Rows<T>*>(own), own + 6, x, unknowns,
                              udot + group.u[0]);
        });
      }
      const T none = constant<T>(__builtin_nan(""));
      const bool well = all(!bad);
      for (std::size_t i = 0; !well && i < here; ++i) bad_states += bad[i] != 0 ? 1 : 0;
      for (std::size_t k = 0; k < states.speeds; ++k) {
        const T value = well ? udot[k] : select(bad, none, udot[k]);
        __builtin_memcpy(states.udot + k * states.count + first, &value, here * sizeof(double));
      }
    }
    return bad_states;
  }
};

/// The table of this set: W lanes, groups for the remainder with R.
template <int W, int R>
struct StarTable {
  static void place(const StarPlan& plan, double* memory, const double* q,
                    const double* u) noexcept {
    if (plan.modes == 0) return StarLanes<W, R, false>::place(plan, memory, q, u);
    StarLanes<W, R, true>::place(plan, memory, q, u);
  }
  static int accelerate(const StarPlan& plan, double* memory, const double* q, const double* u,
                        const StarLoads& loads, double* udot) noexcept {
    if (plan.modes == 0) return StarLanes<W, R, false>::accelerate(plan, memory, q, u, loads, udot);
    return StarLanes<W, R, true>::accelerate(plan, memory, q, u, loads, udot);
  }
  static std::size_t states(const StarPlan& plan, double* memory,
                            const StarStates& states) noexcept {
    if (plan.modes == 0) return StarInStates<W, false>::run(plan, memory, states);
    return StarInStates<W, true>::run(plan, memory, states);
  }
  static std::size_t scratch(const StarPlan& plan, std::size_t coordinates,
                             std::size_t speeds) noexcept {
    return StarInStates<W, true>::scratch(plan, coordinates, speeds);
  }
  static constexpr StarCode code = {W, R, place, accelerate, states, scratch};
};

}  // namespace VERNIER_INSTRUCTIONS
}  // namespace vernier::multibody::detail
