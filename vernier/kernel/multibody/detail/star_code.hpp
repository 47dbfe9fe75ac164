#pragma once

#include "vernier/kernel/multibody/detail/star_hub.hpp"

/// The recursion of a star for one state, with an appendage in each lane.
namespace vernier::multibody::detail {
inline namespace VERNIER_INSTRUCTIONS {

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
/// Adds `count` sums over the places and the hub, in the same order for all vector widths: first
/// places p, p + 4, p + 8, then (0 + 1) + (2 + 3). Sum i of the lanes from place p on is at sums +
/// p * count, one vector each; `count` is a multiple of four.
template <int W>
VERNIER_INLINE void total_of(const double* sums, const double* own, int count,
                             double* to) noexcept {
  const auto at = [&]<int N>(int place, int i) {
    Lanes<N> x;
    __builtin_memcpy(&x, sums + place * count + i * N, sizeof x);
    return x;
  };
  if constexpr (W == 2) {
    // Half 0 holds places 0 and 1, half 1 places 2 and 3.
    const auto two = [&](int half, int i) {
      return at.template operator()<2>(2 * half, i) + at.template operator()<2>(4 + 2 * half, i) +
             at.template operator()<2>(8 + 2 * half, i);
    };
    for (int i = 0; i < count; i += 2) {
      const auto pair = [&](int half) {
        const Lanes<2> a = two(half, i), b = two(half, i + 1);
        return __builtin_shufflevector(a, b, 0, 2) + __builtin_shufflevector(a, b, 1, 3);
      };
      Lanes<2> s;
      __builtin_memcpy(&s, own + i, sizeof s);
      s += pair(0) + pair(1);
      __builtin_memcpy(to + i, &s, sizeof s);
    }
  } else {
    const auto four = [&](int i) {
      if constexpr (W == 8) {
        const Lanes<8> wide = at.template operator()<8>(0, i);
        return __builtin_shufflevector(wide, wide, 0, 1, 2, 3) +
               __builtin_shufflevector(wide, wide, 4, 5, 6, 7) + at.template operator()<4>(8, i);
      } else {
        return at.template operator()<4>(0, i) + at.template operator()<4>(4, i) +
               at.template operator()<4>(8, i);
      }
    };
    for (int i = 0; i < count; i += 4) {
      const Lanes<4> a = four(i), b = four(i + 1), c = four(i + 2), d = four(i + 3);
      const Lanes<4> ab = __builtin_shufflevector(a, b, 0, 4, 2, 6) +
                          __builtin_shufflevector(a, b, 1, 5, 3, 7),
                     cd = __builtin_shufflevector(c, d, 0, 4, 2, 6) +
                          __builtin_shufflevector(c, d, 1, 5, 3, 7);
      Lanes<4> s;
      __builtin_memcpy(&s, own + i, sizeof s);
      s +=
          __builtin_shufflevector(ab, cd, 0, 1, 4, 5) + __builtin_shufflevector(ab, cd, 2, 3, 6, 7);
      __builtin_memcpy(to + i, &s, sizeof s);
    }
  }
}

VERNIER_INLINE MovingModes moving(const StarPlan& plan, const StarGroup& group) noexcept {
  return {group.moving, group.modes, plan.modes};
}

/// Calls f with the class of a kind of hinge that is allowed in a star.
template <class F>
VERNIER_INLINE auto with_star_kind(HingeKind kind, F&& f) noexcept {
  using R = decltype(f.template operator()<Fixed>());
  return with_kind(kind, [&]<class K>() -> R {
    if constexpr (K::in_star) {
      return f.template operator()<K>();
    } else {
      __builtin_unreachable();
    }
  });
}

template <class T>
VERNIER_INLINE Vec3<T> broadcast(const Vec3<double>& v) noexcept {
  return {constant<T>(v.x), constant<T>(v.y), constant<T>(v.z)};
}

/// Angular and linear velocity of the hub; zero if it is fixed.
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
  if (g[0] == 0.0 && g[1] == 0.0 && g[2] == 0.0) return down;
  return transposed_times(from_quaternion(q + plan.hub_q), down);
}

/// Broadcasts modal coordinates and rates to all lanes, into `numbers`.
template <class T>
VERNIER_INLINE Hub<T> spread(const StarPlan& plan, const double* q, const double* u,
                             T* numbers) noexcept {
  for (int i = 0; i < plan.modes; ++i) {
    numbers[i] = constant<T>(q[plan.eta + i]);
    numbers[plan.modes + i] = constant<T>(u[plan.rate + i]);
  }
  return {broadcast<T>(hub_motion<double>(plan, u).a), numbers, numbers + plan.modes};
}

// First sweep for one group: node of the hub, hinge, inertia and velocity-product forces.
template <class T, class K, bool flexible>
void place_group(const StarPlan& plan, const StarGroup& group, double* memory, const Hub<T>& hub,
                 const double* q, const double* u) noexcept {
  T own_q[4], own_u[3];
  for (int k = 0; k < K::coordinates; ++k) own_q[k] = gather<T>(q, group.q, k);
  for (int k = 0; k < K::speeds; ++k) own_u[k] = gather<T>(u, group.u, k);
  const Appendage<T> a = appendage_at<T>(Wide<T>{memory + group.constants});
  auto& placed = *block<Placed<T>>(memory, group.placed);
  Placed<T> p;
  place_node<T, flexible>(a.R0, a.r0, Wide<T>{memory + group.shapes}, moving(plan, group), hub,
                          p.node, block<Vec3<T>>(memory, group.psi));
  hang<T, K>(own_q, own_u, a.parameter, p);
  place_inertia<T, K>(a, p);
  placed = p;
}

// Inward sweep for one group: collects the loads of its lanes and eliminates the hinges.
template <class T, class K, bool flexible>
int accelerate_group(const StarPlan& plan, const StarGroup& group, double* memory,
                     const StarLoads& loads, bool forced, Sums<T>& sums) noexcept {
  HingeLoads<T> own;
  for (int k = 0; k < K::speeds; ++k) {
    own.tau[k] = loads.force != nullptr ? gather<T>(loads.force, group.u, k) : T{};
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
  const auto bad = eliminate<T, K, flexible>(
      p, constants[21], Wide<T>{constants.p + 22 * lane_count<T>}, Wide<T>{memory + group.shapes},
      moving(plan, group), block<Vec3<T>>(memory, group.psi), own, external, rows,
      reinterpret_cast<T*>(&rows + 1), sums);
  if (all(!bad)) return -1;
  for (int i = 0; i < group.count; ++i) {
    if (bad[i] != 0) return group.body[i];
  }
  return -1;
}

// Outward sweep for one group: hinge accelerations from those of the hub.
template <class T, class K>
VERNIER_INLINE void substitute_group(const StarPlan& plan, const StarGroup& group, double* memory,
                                     const T* x, double* udot) noexcept {
  auto& rows = *block<Rows<T>>(memory, group.rows);
  T own[3];
  substitute<T, K>(rows, reinterpret_cast<T*>(&rows + 1), x, moving(plan, group), own);
  for (int k = 0; k < K::speeds; ++k) {
    for (int i = 0; i < group.count; ++i) udot[group.u[i] + k] = own[k][i];
  }
}

template <int W, bool flexible>
struct StarLanes {
  using T = Lanes<W>;
  // The width of a group for the remainder, if narrower than the others.
  static constexpr int R = W < star_remainder ? W : star_remainder;
  using S = Lanes<R>;

  static void place(const StarPlan& plan, double* memory, const double* q,
                    const double* u) noexcept {
    T* wide = block<T>(memory, plan.spread);
    const Hub<T> hub = spread<T>(plan, q, u, wide);
    Hub<S> half;
    if constexpr (W != R) half = spread<S>(plan, q, u, reinterpret_cast<S*>(wide + 2 * plan.modes));
    for (int g = 0; g < plan.group_count; ++g) {
      const StarGroup& group = plan.groups[g];
      with_star_kind(group.kind, [&]<class K>() {
        if (group.width == W) {
          place_group<T, K, flexible>(plan, group, memory, hub, q, u);
        } else if constexpr (W != R) {
          place_group<S, K, flexible>(plan, group, memory, half, q, u);
        }
      });
    }
  }

  static int accelerate(const StarPlan& plan, double* memory, const double* q, const double* u,
                        const StarLoads& loads, double* udot) noexcept {
    const int n = plan.modes, unknowns = plan.unknowns(), size = padded_sums_size(n);
    double* all = memory + plan.sums;
    for (int i = 0; i < star_places / R * size; ++i) block<S>(all, 0)[i] = S{};
    int singular = -1;
    for (int g = 0; g < plan.group_count; ++g) {
      const StarGroup& group = plan.groups[g];
      const bool forced = loads.forced != nullptr && loads.forced[g] != 0;
      const int bad = with_star_kind(group.kind, [&]<class K>() {
        double* sums = all + group.place * size;
        if (group.width == W) {
          return accelerate_group<T, K, flexible>(plan, group, memory, loads, forced,
                                                  *reinterpret_cast<Sums<T>*>(sums));
        }
        if constexpr (W != R) {
          return accelerate_group<S, K, flexible>(plan, group, memory, loads, forced,
                                                  *reinterpret_cast<Sums<S>*>(sums));
        }
        return -1;
      });
      if (bad >= 0 && singular < 0) singular = bad;
    }
    if (singular >= 0) return singular;

    const double* constants = memory + plan.constants;
    double* total = memory + plan.totals;
    double* x = memory + plan.solution;
    const Vec6<double> motion = hub_motion<double>(plan, u);
    const Hub<double> hub{motion.a, q + plan.eta, u + plan.rate};
    hub_equations<double, flexible>(plan, constants, hub_mass(constants), hub, memory + plan.own);
    total_of<W>(all, memory + plan.own, size, total);
    if (loads.hub_forced) {
      for (int i = 0; i < unknowns; ++i) total[plan.forces[i]] -= memory[plan.external + i];
    }
    if (loads.force != nullptr) {
      for (int i = 0; i < n; ++i) total[plan.forces[i]] -= loads.force[plan.rate + i];
      if (plan.free) {
        for (int i = 0; i < 6; ++i) total[plan.forces[n + i]] -= loads.force[plan.hub_u + i];
      }
    }
    // Linear accelerations are inertial and less gravity here: a + ω × v - g.
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
    if (solve_hub<double>(plan, total, given, held, memory + plan.factors, x)) return plan.hub;
    for (int i = 0; i < n; ++i) udot[plan.rate + i] = x[i];
    if (plan.free) {
      for (int i = 0; i < 6; ++i) udot[plan.hub_u + i] = x[n + i] - offset[i];
    }
    T* wide = block<T>(all, 0);
    S* half = reinterpret_cast<S*>(wide + unknowns);
    for (int i = 0; i < unknowns; ++i) wide[i] = constant<T>(x[i]);
    if constexpr (W != R) {
      for (int i = 0; i < unknowns; ++i) half[i] = constant<S>(x[i]);
    }
    for (int k = 0; k < plan.group_count; ++k) {
      const StarGroup& group = plan.groups[k];
      with_star_kind(group.kind, [&]<class K>() {
        if (group.width == W) {
          substitute_group<T, K>(plan, group, memory, wide, udot);
        } else if constexpr (W != R) {
          substitute_group<S, K>(plan, group, memory, half, udot);
        }
      });
    }
    return -1;
  }
};

}  // namespace VERNIER_INSTRUCTIONS
}  // namespace vernier::multibody::detail
