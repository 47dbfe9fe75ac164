#pragma once

#include "vernier/kernel/multibody/detail/lanes_plan.hpp"
#include "vernier/kernel/multibody/detail/solve.hpp"
#include "vernier/kernel/multibody/detail/star_code.hpp"

/// The recursion of a star with a state in each lane and the bits of one state: sums over
/// appendages go to the same places, and these are added in the same order (total_of()).
namespace vernier::multibody::detail {
inline namespace VERNIER_INSTRUCTIONS {

template <class T>
class StarEight {
 public:
  static unsigned long bytes(const LaneCraft& craft) noexcept {
    StarEight star(craft, nullptr);
    return static_cast<unsigned long>(star.end_) * sizeof(T);
  }
  StarEight(const LaneCraft& craft, void* memory) noexcept
      : craft_(craft), plan_(*craft.star), memory_(static_cast<T*>(memory)) {
    const auto take = [&](int count) noexcept {
      const int first = end_;
      end_ += count;
      return first;
    };
    const int groups = plan_.group_count, unknowns = plan_.unknowns();
    placed_ = take(groups * placed_size);
    psi_ = take(groups * 3 * plan_.modes);
    rows_ = take(groups * rows_size());
    external_ = take((groups + 1) * 6);
    sums_ = take((buffers + 1) * sums_size(plan_.modes));
    work_ = take(unknowns * (unknowns + 1) / 2 + 2 * unknowns);
    x_ = take(unknowns);
  }

  void place(const MassOf<T>* masses, const T* q, const T* u, const Workspace<T>& work) noexcept {
    if (plan_.modes > 0) {
      place_all<true>(masses, q, u);
    } else {
      place_all<false>(masses, q, u);
    }
    for (int i = 0; i < craft_.described_count; ++i) describe(craft_.described[i], q, u, work);
  }
  void forget_forces() noexcept {
    for (int i = 0; i < (plan_.group_count + 1) * 6; ++i) at(external_)[i] = T{};
  }
  /// Adds a force on a link at the frame of its inboard node, in its axes.
  void push(int link, const Vec6<T>& f) noexcept {
    if (link < 0) return;
    *external(craft_.groups[link]) += f;
  }
  /// Completes all links of accelerated states: E, r, trig, V and A; z is the reaction of the hinge
  /// (Evaluation::Data::accelerated_link()). masses: at the hinges; weights: in working frames.
  void describe_all(const MassOf<T>* masses, const MassOf<T>* weights, const T* q, const T* u,
                    const T* tau, const T* udot, const Workspace<T>& work) noexcept {
    const T *x = at(x_), *hub = x + plan_.modes;
    // The integrals of the deformed hub.
    place_link<T>(craft_.layout, weights, 0, q, u, work,
                  [](const TreeLink&) noexcept { return MovingNode<T>{}; });
    for (int k = 0; k < craft_.layout.count; ++k) {
      const TreeLink& link = craft_.layout.links[k];
      LinkState<T>& s = work.links[k];
      describe(k, q, u, work);
      if (link.parent < 0) {
        s.A = {{hub[0], hub[1], hub[2]}, Vec3<T>{hub[3], hub[4], hub[5]} - cross(s.V.a, s.V.l)};
        s.z = force_on_hub(plan_, sums(buffers), x, tau);
        continue;
      }
      with_kind(link.kind, [&]<class K>() noexcept {
        if constexpr (K::trigs > 0) {
          Mat3<T> E = s.E;
          Vec3<T> r = s.r;
          K::place(q + link.q, constant<T>(link.parameter), E, r, s.trig);
        }
      });
      const int g = craft_.groups[k];
      const StarGroup& group = plan_.groups[g];
      const Same<T> shapes{craft_.constants + group.shapes};
      acceleration_of(
          placed(g), masses[k].m, x, moving(plan_, group),
          [&](int i) noexcept { return psi(g)[i]; },
          [&](int i) noexcept { return vec3_at<T>(shapes, 6 * i); }, udot + group.u[0], link.speeds,
          s.V, s.A, s.z);
      if (craft_.forced[g] != 0) s.z -= *external(g);
    }
  }
  /// Returns which lanes are not singular.
  Mask<T> accelerate(const MassOf<T>* masses, const T* q, const T* u, const Drive<T>& drive,
                     T* udot) noexcept {
    return plan_.modes > 0 ? accelerate_all<true>(masses, q, u, drive, udot)
                           : accelerate_all<false>(masses, q, u, drive, udot);
  }

 private:
  static constexpr int placed_size = static_cast<int>(sizeof(Placed<T>) / sizeof(T)), buffers = 4;

  int rows_size() const noexcept { return 6 + 3 * plan_.unknowns(); }
  T* at(int first) noexcept { return memory_ + first; }
  Placed<T>& placed(int g) noexcept {
    return *reinterpret_cast<Placed<T>*>(at(placed_ + g * placed_size));
  }
  Vec3<T>* psi(int g) noexcept {
    return reinterpret_cast<Vec3<T>*>(at(psi_ + 3 * g * plan_.modes));
  }
  /// The force on an appendage; the last one is that on the hub.
  Vec6<T>* external(int g) noexcept { return reinterpret_cast<Vec6<T>*>(at(external_ + 6 * g)); }
  T* sums(int buffer) noexcept { return at(sums_ + buffer * sums_size(plan_.modes)); }
  static Mask<T> mask(bool yes) noexcept { return Mask<T>{} - (yes ? 1 : 0); }

  template <bool flexible>
  void place_all(const MassOf<T>* masses, const T* q, const T* u) noexcept {
    const Hub<T> hub{hub_motion<T>(plan_, u).a, q + plan_.eta, u + plan_.rate};
    for (int g = 0; g < plan_.group_count; ++g) {
      const StarGroup& group = plan_.groups[g];
      with_star_kind(group.kind, [&]<class K>() noexcept {
        Appendage<T> a = appendage_at<T>(Same<T>{craft_.constants + group.constants});
        const MassOf<T>& mass = masses[craft_.links[g]];
        a.m = mass.m;
        a.s = moment_of<T>(mass);
        a.J = inertia_of<T>(mass);
        Placed<T>& p = placed(g);
        place_node<T, flexible>(a.R0, a.r0, Same<T>{craft_.constants + group.shapes},
                                moving(plan_, group), hub, p.node, psi(g));
        hang<T, K>(q + group.q[0], u + group.u[0], a.parameter, p);
        place_inertia<T, K>(a, p);
      });
    }
  }

  /// Pose and motion of a link: Evaluation::Data::link().
  void describe(int k, const T* q, const T* u, const Workspace<T>& work) noexcept {
    const TreeLink& link = craft_.layout.links[k];
    LinkState<T>& s = work.links[k];
    if (link.parent < 0) {
      s.E = mat3<T>(link.R0);
      s.r = vec3<T>(link.p0);
      place_hinge(link.kind, link.parameter, q + link.q, s.E, s.r, s.trig);
      s.V = zero6<T>();
      move_hinge(link.kind, link.parameter, u + link.u, s.trig, s.V, s.c);
    } else {
      const int g = craft_.groups[k];
      place_of(plan_, placed(g), u, u + plan_.groups[g].u[0], link.speeds, s.E, s.r, s.V);
    }
  }

  template <class K, bool flexible>
  Mask<T> eliminate_one(int g, const MassOf<T>* masses, const Drive<T>& drive, T* to) noexcept {
    const StarGroup& group = plan_.groups[g];
    HingeLoads<T> loads;
    for (int k = 0; k < K::speeds; ++k) {
      const int i = group.u[0] + k;
      const bool held = drive.regular != nullptr && drive.regular[i] == 0.0;
      loads.tau[k] = drive.tau[i];
      loads.given[k] = held ? drive.given[i] : T{};
      loads.prescribed[k] = mask(held);
    }
    const Placed<T>& p = placed(g);
    Vec6<T> force = zero6<T>();
    if (craft_.forced[g] != 0) force = force_from(rotated(p.R, *external(g)), p.d);
    T* rows = at(rows_ + g * rows_size());
    return eliminate<T, K, flexible>(
        p, masses[craft_.links[g]].m, Same<T>{craft_.constants + group.constants + 22},
        Same<T>{craft_.constants + group.shapes}, moving(plan_, group), psi(g), loads, force,
        *reinterpret_cast<Rows<T>*>(rows), rows + 6, *reinterpret_cast<Sums<T>*>(to));
  }

  /// Adds the appendages of one place into a buffer; false if it has none.
  template <bool flexible>
  bool sum_of(int place, const MassOf<T>* masses, const Drive<T>& drive, int buffer,
              Mask<T>& bad) noexcept {
    bool any = false;
    for (int g = 0; g < plan_.group_count; ++g) {
      if (plan_.groups[g].place != place) continue;
      T* to = sums(buffer);
      for (int i = 0; !any && i < sums_size(plan_.modes); ++i) to[i] = T{};
      any = true;
      bad = bad | with_star_kind(plan_.groups[g].kind, [&]<class K>() noexcept {
              return eliminate_one<K, flexible>(g, masses, drive, to);
            });
    }
    return any;
  }
  /// Adds buffer b to buffer a, if there is something in it; returns whether there is in a now. A
  /// sum over places is never -0, so that one without appendages, +0, can be left out.
  bool join(int a, bool in_a, int b, bool in_b) noexcept {
    if (!in_b) return in_a;
    const int size = sums_size(plan_.modes);
    T* to = sums(a);
    const T* from = sums(b);
    for (int i = 0; i < size; ++i) to[i] = in_a ? to[i] + from[i] : from[i];
    return true;
  }

  template <bool flexible>
  Mask<T> accelerate_all(const MassOf<T>* masses, const T* q, const T* u, const Drive<T>& drive,
                         T* udot) noexcept {
    const int n = plan_.modes, size = sums_size(n);
    Mask<T> bad = mask(false);
    // The order of total_of(): places p, p + 4, p + 8, then (0 + 1) + (2 + 3). Buffers: 0 and 1
    // for the pairs, 2 for the odd place of a pair, 3 for what is added to it.
    bool full[2];
    for (int pair = 0; pair < 2; ++pair) {
      for (int odd = 0; odd < 2; ++odd) {
        const int first = 2 * pair + odd, to = odd == 0 ? pair : 2;
        bool any = sum_of<flexible>(first, masses, drive, to, bad);
        for (int place = first + 4; place < star_places; place += 4)
          any = join(to, any, 3, sum_of<flexible>(place, masses, drive, 3, bad));
        full[pair] = odd == 0 ? any : join(pair, full[pair], 2, any);
      }
    }
    const bool any = join(0, full[0], 1, full[1]);
    const Vec6<T> motion = hub_motion<T>(plan_, u);
    const Hub<T> hub{motion.a, q + plan_.eta, u + plan_.rate};
    const double* constants = craft_.constants + plan_.constants;
    T* total = sums(buffers);
    hub_equations<T, flexible>(plan_, constants, masses[0], hub, total);
    for (int i = 0; i < size; ++i) total[i] += any ? sums(0)[i] : T{};
    if (craft_.forced[plan_.group_count] != 0) {
      const T* f = at(external_ + 6 * plan_.group_count);
      for (int i = 0; i < 6; ++i) total[plan_.forces[n + i]] -= f[i];
    }
    for (int i = 0; i < n; ++i) total[plan_.forces[i]] -= drive.tau[plan_.rate + i];
    const Vec3<T> gravity = hub_gravity<T>(plan_, constants + HubFields(n).gravity, q);
    const Vec3<T> carried = cross(motion.a, motion.l) - gravity;
    const T o = constant<T>(0.0), offset[6] = {o, o, o, carried.x, carried.y, carried.z};
    T given[6];
    Mask<T> held[6];
    for (int i = 0; i < 6; ++i) {
      const int speed = plan_.hub_u + i;
      const bool told = plan_.free && drive.regular != nullptr && drive.regular[speed] == 0.0;
      held[i] = mask(!plan_.free || told);
      given[i] = offset[i] + (told ? drive.given[speed] : o);
      if (plan_.free) total[plan_.forces[n + i]] -= drive.tau[speed];
    }
    T* x = at(x_);
    bad = bad | solve_hub<T>(plan_, total, given, held, at(work_), x);
    for (int i = 0; i < n; ++i) udot[plan_.rate + i] = x[i];
    if (plan_.free) {
      for (int i = 0; i < 6; ++i) udot[plan_.hub_u + i] = x[n + i] - offset[i];
    }
    for (int g = 0; g < plan_.group_count; ++g) {
      const StarGroup& group = plan_.groups[g];
      with_star_kind(group.kind, [&]<class K>() noexcept {
        const T* rows = at(rows_ + g * rows_size());
        substitute<T, K>(*reinterpret_cast<const Rows<T>*>(rows), rows + 6, x, moving(plan_, group),
                         udot + group.u[0]);
      });
    }
    return !bad;
  }

  const LaneCraft& craft_;
  const StarPlan& plan_;
  T* memory_;
  // Offsets in memory
  int end_ = 0, placed_ = 0, psi_ = 0, rows_ = 0, external_ = 0, sums_ = 0, work_ = 0, x_ = 0;
};

}  // namespace VERNIER_INSTRUCTIONS
}  // namespace vernier::multibody::detail
