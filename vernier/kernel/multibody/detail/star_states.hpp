#pragma once

#include "vernier/kernel/multibody/detail/star_code.hpp"
#include "vernier/kernel/multibody/detail/states.hpp"

/// The recursion of a star for many states, one in each lane.
namespace vernier::multibody::detail {
inline namespace VERNIER_INSTRUCTIONS {

template <int W, bool flexible>
class StarInStates {
 public:
  using T = Lanes<W>;
  static constexpr std::size_t vectors = StateTiles<T>::vectors;

  /// Memory that run() needs after that of the plan, in doubles.
  static std::size_t scratch(const StarPlan& plan, std::size_t coordinates,
                             std::size_t speeds) noexcept {
    const auto unknowns = static_cast<std::size_t>(plan.unknowns());
    return W * (vectors * (coordinates + 4 * speeds) +
                static_cast<std::size_t>(sums_size(plan.modes)) + unknowns * (unknowns + 1) / 2 +
                3 * unknowns + 3 * static_cast<std::size_t>(plan.modes) +
                static_cast<std::size_t>(plan.group_count) * rows_size(plan));
  }

  static std::size_t run(const StarPlan& plan, double* memory, const StarStates& states) noexcept {
    return StarInStates(plan, memory, states).all_of(states);
  }

 private:
  static std::size_t rows_size(const StarPlan& plan) noexcept {
    return 6 + 3 * static_cast<std::size_t>(plan.unknowns());
  }

  StarInStates(const StarPlan& plan, double* memory, const StarStates& states) noexcept
      : plan_(plan), memory_(memory), prescribed_(states.prescribed) {
    T* next = block<T>(memory, plan.size);
    const auto take = [&](std::size_t count) {
      T* from = next;
      next += count;
      return from;
    };
    const auto unknowns = static_cast<std::size_t>(plan.unknowns());
    q_ = take(vectors * states.coordinates);
    u_ = take(vectors * states.speeds);
    force_ = take(vectors * states.speeds);
    acceleration_ = take(vectors * states.speeds);
    udot_ = take(vectors * states.speeds);
    sums_ = take(static_cast<std::size_t>(sums_size(plan.modes)));
    work_ = take(unknowns * (unknowns + 1) / 2 + 2 * unknowns);
    x_ = take(unknowns);
    psi_ = reinterpret_cast<Vec3<T>*>(take(3 * static_cast<std::size_t>(plan.modes)));
    rows_ = next;
    for (std::size_t k = 0; k < vectors * states.speeds; ++k) force_[k] = acceleration_[k] = T{};
  }

  // Processes tiles of states: load, prefetch the next tile, solve each vector, store.
  std::size_t all_of(const StarStates& states) noexcept {
    const StateTiles<T> tiles{states.count};
    std::size_t bad = 0;
    for (std::size_t first = 0; first < states.count; first += vectors * W) {
      tiles.take(states.q, first, states.coordinates, q_);
      tiles.take(states.u, first, states.speeds, u_);
      tiles.take(states.force, first, states.speeds, force_);
      tiles.take(states.acceleration, first, states.speeds, acceleration_);
      const std::size_t here = tiles.states(first), next = first + here;
      tiles.foresee(states.udot, first, states.speeds);
      tiles.foresee(states.q, next, states.coordinates);
      tiles.foresee(states.u, next, states.speeds);
      tiles.foresee(states.force, next, states.speeds);
      tiles.foresee(states.acceleration, next, states.speeds);
      for (std::size_t v = 0; v * W < here; ++v) {
        const std::size_t at = v * states.speeds;
        const auto good =
            one(q_ + v * states.coordinates, u_ + at, force_ + at, acceleration_ + at, udot_ + at);
        bad += StateTiles<T>::spoil(good, here - v * W, states.speeds, udot_ + at);
      }
      tiles.give(udot_, first, states.speeds, states.udot);
    }
    return bad;
  }

  bool held_at(int k) const noexcept { return prescribed_ != nullptr && prescribed_[k] != 0; }
  Mask<T> mask(bool yes) const noexcept { return Mask<T>{} - (yes ? 1 : 0); }

  template <class K>
  Mask<T> appendage(const StarGroup& group, const Hub<T>& hub, const T* q, const T* u,
                    const T* force, const T* acceleration, T* rows) noexcept {
    HingeLoads<T> loads;
    for (int k = 0; k < K::speeds; ++k) {
      loads.tau[k] = force[group.u[0] + k];
      loads.given[k] = acceleration[group.u[0] + k];
      loads.prescribed[k] = mask(held_at(group.u[0] + k));
    }
    const Appendage<T> a = appendage_at<T>(Same<T>{memory_ + group.constants});
    const Same<T> shapes{memory_ + group.shapes};
    Placed<T> p;
    place_node<T, flexible>(a.R0, a.r0, shapes, moving(plan_, group), hub, p.node, psi_);
    hang<T, K>(q + group.q[0], u + group.u[0], a.parameter, p);
    place_inertia<T, K>(a, p);
    return eliminate<T, K, flexible>(p, a.m, Same<T>{memory_ + group.constants + 22}, shapes,
                                     moving(plan_, group), psi_, loads, zero6<T>(),
                                     *reinterpret_cast<Rows<T>*>(rows), rows + 6,
                                     *reinterpret_cast<Sums<T>*>(sums_));
  }

  /// Computes the states of one vector; returns which are not singular.
  Mask<T> one(const T* q, const T* u, const T* force, const T* acceleration, T* udot) noexcept {
    const int n = plan_.modes;
    const auto rows_step = static_cast<std::ptrdiff_t>(rows_size(plan_));
    const Vec6<T> motion = hub_motion<T>(plan_, u);
    const Hub<T> hub{motion.a, q + plan_.eta, u + plan_.rate};
    const double* constants = memory_ + plan_.constants;
    hub_equations<T, flexible>(plan_, constants, hub_mass(constants), hub, sums_);
    Mask<T> bad = mask(false);
    for (int g = 0; g < plan_.group_count; ++g) {
      const StarGroup& group = plan_.groups[g];
      bad = bad | with_star_kind(group.kind, [&]<class K>() {
              return appendage<K>(group, hub, q, u, force, acceleration, rows_ + g * rows_step);
            });
    }
    for (int i = 0; i < n; ++i) sums_[plan_.forces[i]] -= force[plan_.rate + i];
    const Vec3<T> gravity = hub_gravity<T>(plan_, constants + HubFields(n).gravity, q);
    const Vec3<T> carried = cross(motion.a, motion.l) - gravity;
    const T offset[6] = {T{}, T{}, T{}, carried.x, carried.y, carried.z};
    T given[6];
    Mask<T> held[6];
    for (int i = 0; i < 6; ++i) {
      given[i] = offset[i];
      held[i] = mask(true);
      if (plan_.free) {
        sums_[plan_.forces[n + i]] -= force[plan_.hub_u + i];
        given[i] += acceleration[plan_.hub_u + i];
        held[i] = mask(held_at(plan_.hub_u + i));
      }
    }
    bad = bad | solve_hub<T>(plan_, sums_, given, held, work_, x_);
    for (int i = 0; i < n; ++i) udot[plan_.rate + i] = x_[i];
    if (plan_.free) {
      for (int i = 0; i < 6; ++i) udot[plan_.hub_u + i] = x_[n + i] - offset[i];
    }
    for (int g = 0; g < plan_.group_count; ++g) {
      const StarGroup& group = plan_.groups[g];
      with_star_kind(group.kind, [&]<class K>() {
        const T* own = rows_ + g * rows_step;
        substitute<T, K>(*reinterpret_cast<const Rows<T>*>(own), own + 6, x_, moving(plan_, group),
                         udot + group.u[0]);
      });
    }
    return !bad;
  }

  const StarPlan& plan_;
  const double* memory_;
  const std::uint8_t* prescribed_;
  T *q_, *u_, *force_, *acceleration_, *udot_, *sums_, *work_, *x_, *rows_;
  Vec3<T>* psi_;
};

}  // namespace VERNIER_INSTRUCTIONS
}  // namespace vernier::multibody::detail
