#pragma once

#include "vernier/kernel/multibody/detail/inverse.hpp"
#include "vernier/kernel/multibody/detail/node_force.hpp"
#include "vernier/kernel/multibody/detail/tangent_plan.hpp"
#include "vernier/kernel/spatial/sloped.hpp"

/// Derivatives of inverse dynamics at the accelerations of a point, eight directions at a time
/// (forward automatic differentiation), and what is needed to convert them to derivatives of the
/// accelerations: M udot' = (f - τ)' (docs/mathematics/multibody.md, "Derivatives").
namespace vernier::multibody::detail {
inline namespace VERNIER_INSTRUCTIONS {

using Slopes = elementary::Lanes<slope_lanes>;
using Sloped = spatial::Sloped<slope_lanes>;

VERNIER_INLINE void store(double* to, const Slopes& x) noexcept {
  __builtin_memcpy(to, &x, sizeof x);
}
VERNIER_INLINE Slopes loaded(const double* from) noexcept {
  Slopes x;
  __builtin_memcpy(&x, from, sizeof x);
  return x;
}

/// Copies a structure of doubles to one of T; both contain only numbers, in the same order.
template <class T, class S, class D>
VERNIER_INLINE void copy_numbers(const D& from, S& to) noexcept {
  static_assert(sizeof(S) / sizeof(T) == sizeof(D) / sizeof(double));
  const auto* x = reinterpret_cast<const double*>(&from);
  auto* y = reinterpret_cast<T*>(&to);
  for (unsigned long i = 0; i < sizeof(D) / sizeof(double); ++i) y[i] = constant<T>(x[i]);
}

/// The equipment of a spacecraft at a point, with or without derivatives.
template <class T>
struct Craft {
  const LayoutView& layout;
  const PlainCraft& craft;
  const T *q, *u, *momentum, *fuel, *commands, *torque;
  T *fade, *thrust;  // factors of tanks, thrusts of actuators
  Workspace<T> work;
  const MovingNode<double>* nodes;  // nodes of actuators, then of rotors, in their current pose

  /// Thrusts, and the factors by which they fade when tanks run empty.
  void command() const noexcept {
    const T zero = constant<T>(0.0), one = constant<T>(1.0);
    for (int t = 0; t < craft.tank_count; ++t) {
      const T left = fuel[t] / constant<T>(thrust_fading * craft.tanks[t].capacity);
      fade[t] = left > one ? one : left > zero ? left : zero;
    }
    for (int k = 0; k < craft.actuator_count; ++k) {
      const PlainActuator& a = craft.actuators[k];
      if (a.kind != PlainActuator::thruster) continue;
      const T& c = commands[a.command];
      T f = c < zero ? zero : c;
      for (int i = 0; i < a.feeds; ++i) f = f * fade[craft.feeds[a.feed + i].tank];
      thrust[k] = f;
    }
  }
  /// Node i of actuators and rotors; `bent`: a direction moves it.
  MovingNode<T> node(int i, const NodeRecord& record, bool bent) const noexcept {
    if (bent && record.moves) return node_of(layout, record, q, u);
    MovingNode<T> same;
    copy_numbers<T>(nodes[i], same);
    return same;
  }
  // Applies the actuators of links for which wanted(link) is true.
  template <class F, class B>
  void actuate(F wanted, B bent) const noexcept {
    for (int k = 0; k < craft.actuator_count; ++k) {
      const PlainActuator& a = craft.actuators[k];
      const NodeRecord& record = craft.nodes[a.node];
      if (record.link < 0 || !wanted(record.link)) continue;
      Vec6<T> f = zero6<T>();
      const T* c = commands + a.command;
      switch (a.kind) {
        case PlainActuator::thruster:
          f.l = vec3<T>(a.axis) * thrust[k];
          break;
        case PlainActuator::force:
          f.l = {c[0], c[1], c[2]};
          break;
        case PlainActuator::moment:
          f.a = {c[0], c[1], c[2]};
          break;
        case PlainActuator::wrench:
          f = {{c[0], c[1], c[2]}, {c[3], c[4], c[5]}};
          break;
      }
      apply(layout, record, node(k, record, bent(record.link)), q, f, work);
    }
  }
  // Torques of rotors on their carriers, -(g τ + ω × g h), and h' = τ.
  template <class F, class B>
  void turn_rotors(F wanted, B bent, T* rate) const noexcept {
    for (int k = 0; k < craft.rotor_count; ++k) {
      const PlainRotor& r = craft.rotors[k];
      const NodeRecord& record = craft.nodes[r.node];
      rate[k] = constant<T>(0.0);
      if (!wanted(record.link)) continue;
      const MovingNode<T> at =
          node(craft.actuator_count + k, record, record.link >= 0 && bent(record.link));
      const Vec3<T> g = vec3<T>(r.axis);
      Vec3<T> omega = zero3<T>();
      if (record.link >= 0) omega = transposed_times(at.R, work.links[record.link].V.a + at.omega);
      const T speed = momentum[k] * (1.0 / r.inertia) - dot(g, omega);
      const T tau = torque[k] - speed * constant<T>(r.friction);
      rate[k] = tau;
      if (record.link < 0) continue;
      const Vec3<T> moment = g * (-tau) - cross(omega, g) * momentum[k];
      apply(layout, record, at, q, Vec6<T>{moment, zero3<T>()}, work);
    }
  }
};

struct TangentSweeps {
  static constexpr int W = slope_lanes;
  using Numbers = Workspace<double>;

  /// The parts of the working memory.
  struct Memory {
    Sloped *q, *u, *momentum, *fuel, *commands, *torque, *tau, *fade, *thrust, *rate, *qdot;
    Mat3<Sloped>* R;
    Vec3<Sloped>* p;
    Workspace<Sloped> work;
    Workspace<Slopes> unit;  // for the mass matrix: unit accelerations
    Slopes *unit_udot, *unit_tau;
    Sloped* udot;
    MovingNode<double>* nodes;     // nodes of actuators and rotors, in their current pose
    MovingNode<double>* outboard;  // outboard nodes that move
    unsigned char* placed;         // by link: 1 if its numbers are valid and have no derivatives
    unsigned char* touched;        // by link: see unit_forces()
    unsigned long bytes;
  };
  static Memory divide(void* memory, const LayoutView& layout, const PlainCraft& craft,
                       const Directions& at) noexcept {
    auto* const begin = static_cast<char*>(memory);
    char* next = begin;
    const auto take = [&next]<class U>(U*& array, long count) {
      array = reinterpret_cast<U*>(next);
      next += sizeof(U) * static_cast<unsigned long>(count);
      next = begin_of_line(next);
    };
    Memory m;
    take(m.q, layout.coordinates);
    take(m.u, layout.speeds);
    take(m.momentum, craft.rotor_count);
    take(m.fuel, craft.tank_count + craft.inertia_count);
    take(m.commands, at.torque - at.commands);
    take(m.torque, craft.rotor_count);
    take(m.tau, layout.speeds);
    take(m.fade, craft.tank_count);
    take(m.thrust, craft.actuator_count);
    take(m.rate, craft.rotor_count > craft.tank_count ? craft.rotor_count : craft.tank_count);
    take(m.qdot, layout.coordinates);
    take(m.R, layout.count);
    take(m.p, layout.count);
    char* space = nullptr;
    take(space, static_cast<long>(workspace_bytes<Sloped>(layout)));
    m.work = make_workspace<Sloped>(space, layout);
    take(space, static_cast<long>(workspace_bytes<Slopes>(layout)));
    m.unit = make_workspace<Slopes>(space, layout);
    take(m.unit_udot, layout.speeds);
    take(m.unit_tau, layout.speeds);
    take(m.udot, layout.speeds);
    take(m.nodes, craft.actuator_count + craft.rotor_count);
    take(m.outboard, layout.count);
    take(m.placed, layout.count);
    take(m.touched, layout.count);
    m.bytes = static_cast<unsigned long>(next - begin);
    return m;
  }
  static char* begin_of_line(char* p) noexcept {
    return p + (64 - reinterpret_cast<unsigned long>(p) % 64) % 64;
  }
  static unsigned long slope_bytes(const LayoutView& layout, const PlainCraft& craft,
                                   const Directions& at) noexcept {
    return divide(nullptr, layout, craft, at).bytes;
  }
  static Memory memory_of(const TangentPoint& p) noexcept {
    return divide(p.slopes, p.layout, p.craft, p.at);
  }
  static Numbers numbers_of(const TangentPoint& p) noexcept {
    return make_workspace<double>(p.values, p.layout);
  }

  static void take(const double* from, int count, Sloped* to) noexcept {
    for (int i = 0; i < count; ++i) to[i] = Sloped(from[i]);
  }
  static void begin(const TangentPoint& point) noexcept {
    const Memory m = memory_of(point);
    const LayoutView& layout = point.layout;
    take(point.q, layout.coordinates, m.q);
    take(point.u, layout.speeds, m.u);
    take(point.momentum, point.craft.rotor_count, m.momentum);
    take(point.fuel, point.craft.tank_count, m.fuel);
    for (int i = 0; i < point.craft.inertia_count; ++i)
      m.fuel[point.craft.tank_count + i] = Sloped(0.0);
    take(point.commands, point.at.torque - point.at.commands, m.commands);
    take(point.torque, point.craft.rotor_count, m.torque);
    for (int k = 0; k < layout.count; ++k) {
      m.placed[k] = 0;
      const TreeLink& link = layout.links[k];
      if (link.outboard_moves) m.outboard[k] = outboard_node(layout, link, point.q, point.u);
    }
    for (int i = 0; i < point.craft.actuator_count + point.craft.rotor_count; ++i) {
      const int node = i < point.craft.actuator_count
                           ? point.craft.actuators[i].node
                           : point.craft.rotors[i - point.craft.actuator_count].node;
      m.nodes[i] = node_of(layout, point.craft.nodes[node], point.q, point.u);
    }
    // Accelerations as these sweeps define them, and the forces of actuators, without derivatives.
    const Numbers work = numbers_of(point);
    const Vec6<double> down = {zero3<double>(), -vec3<double>(point.gravity)};
    for (int k = 0; k < layout.count; ++k) {
      const int parent = layout.links[k].parent;
      accelerate_link(layout, point.masses, k, parent < 0 ? down : work.links[parent].A, point.udot,
                      work);
    }
    for (int k = 0; k < layout.count; ++k) work.links[k].z = zero6<double>();
    for (int i = 0; i < layout.modes; ++i) work.ze[i] = 0.0;
    double* thrust = point.wrench + 6 * layout.count;  // then values of actuators, then of tanks
    const Craft<double> craft{layout,         point.craft,    point.q,
                              point.u,        point.momentum, point.fuel,
                              point.commands, point.torque,   thrust + point.craft.actuator_count,
                              thrust,         work,           m.nodes};
    craft.command();
    take(craft.fade, point.craft.tank_count, m.fade);
    take(craft.thrust, point.craft.actuator_count, m.thrust);
    craft.actuate([](int) { return true; }, [](int) { return false; });
    for (int k = 0; k < layout.count; ++k)
      __builtin_memcpy(point.wrench + 6 * k, &work.links[k].z, 6 * sizeof(double));
    for (int i = 0; i < layout.modes; ++i) point.modal[i] = work.ze[i];
  }

  /// Copies the numbers of a link that no direction moves, for its children and its own forces.
  static void keep(const TangentPoint& point, const Memory& m, const Numbers& values,
                   int k) noexcept {
    if (m.placed[k] != 0) return;
    const TreeLink& link = point.layout.links[k];
    const LinkState<double>& from = values.links[k];
    LinkState<Sloped>& to = m.work.links[k];
    copy_numbers<Sloped>(from.E, to.E);
    copy_numbers<Sloped>(from.r, to.r);
    for (int i = 0; i < 4; ++i) to.trig[i] = Sloped(from.trig[i]);
    copy_numbers<Sloped>(from.V, to.V);
    copy_numbers<Sloped>(from.A, to.A);
    if (link.outboard_moves) {
      const int n = point.layout.links[link.parent].modes;
      for (int i = 0; i < n; ++i)
        copy_numbers<Sloped>(values.psi[link.outboard_psi + i], m.work.psi[link.outboard_psi + i]);
    }
    if (link.inboard_moves) {
      for (int i = 0; i < link.modes; ++i)
        copy_numbers<Sloped>(values.psi[link.inboard_psi + i], m.work.psi[link.inboard_psi + i]);
      copy_numbers<Sloped>(values.modal[link.mode].Ri, m.work.modal[link.mode].Ri);
      copy_numbers<Sloped>(values.modal[link.mode].pi, m.work.modal[link.mode].pi);
    }
    if (link.modes > 0) {
      copy_numbers<Sloped>(values.modal[link.mode].s, m.work.modal[link.mode].s);
      copy_numbers<Sloped>(values.modal[link.mode].J, m.work.modal[link.mode].J);
      for (int i = 0; link.order > 0 && i < link.modes; ++i)
        copy_numbers<Sloped>(values.dJ[link.mode + i], m.work.dJ[link.mode + i]);
      for (int i = 0; link.shortens && i < link.modes; ++i)
        copy_numbers<Sloped>(values.S1[link.mode + i], m.work.S1[link.mode + i]);
    }
    for (int i = 0; i < 9; ++i) m.R[k].a[i] = Sloped(point.R[9 * k + i]);
    m.p[k] = vec3<Sloped>(point.p + 3 * k);
    m.placed[k] = 1;
  }
  static void pose(const LayoutView& layout, const Memory& m, int k) noexcept {
    const TreeLink& link = layout.links[k];
    const LinkState<Sloped>& s = m.work.links[k];
    m.R[k] = s.E;
    m.p[k] = s.r;
    if (link.parent >= 0) {
      m.R[k] = m.R[link.parent] * s.E;
      m.p[k] = m.p[link.parent] + m.R[link.parent] * s.r;
    }
    if (link.inboard_moves) {
      const ModalState<Sloped>& modal = m.work.modal[link.mode];
      m.R[k] = spatial::times_transposed(m.R[k], modal.Ri);
      m.p[k] = m.p[k] - m.R[k] * modal.pi;
    }
  }

  /// The motion of an outboard node whose position no direction changes.
  static void add_rates(const TangentPoint& point, const TreeLink& link, const Sloped* u,
                        MovingNode<Sloped>& node) noexcept {
    const TreeLink& on = point.layout.links[link.parent];
    const NodeShape phi(point.layout.numbers + link.outboard_shape, on.modes);
    Vec3<double> th = zero3<double>();
    Vec3<Sloped> rate = zero3<Sloped>();
    node.v = zero3<Sloped>();
    for (int i = 0; i < on.modes; ++i) {
      const double *t = phi.t + 3 * i, *r = phi.r + 3 * i;
      const Sloped& by = u[on.u_modes + i];
      th += vec3<double>(r) * point.q[on.q_modes + i];
      rate += Vec3<Sloped>{by * r[0], by * r[1], by * r[2]};
      node.v += Vec3<Sloped>{by * t[0], by * t[1], by * t[2]};
    }
    const auto k = spatial::turn_coefficients(dot(th, th));
    const double at[3] = {th.x, th.y, th.z};
    const Vec3<Sloped> tr = cross_with(at, rate);
    const Sloped ad = rate.x * th.x + rate.y * th.y + rate.z * th.z;
    node.omega = node.J * rate;
    node.bias =
        tr * (ad * k.c_rate) + cross_with(at, tr) * (ad * k.d_rate) + cross(rate, tr) * Sloped(k.d);
  }

  /// Gravity of a point mass on a link, in its working frame: central_gravity.cpp with derivatives.
  static void attract(const TangentPoint& point, const Memory& m, int k, const Sloped& mass,
                      const Vec3<Sloped>& s, const Sym3<Sloped>& J) noexcept {
    const TreeLink& link = point.layout.links[k];
    if (!(mass.v > 0.0)) return;
    const Sloped over = Sloped(1.0) / mass;
    const auto about_centre = [&](const Sym3<Sloped>& j, const Vec3<Sloped>& a,
                                  const Vec3<Sloped>& b) {
      // j - (2 a·b - a bᵀ - b aᵀ) / (2 m)
      const Sloped ab = dot(a, b);
      const auto off = [&](const Sloped& x, const Sloped& y) { return (x + y) * 0.5 * over; };
      return Sym3<Sloped>{j.xx - (ab - a.x * b.x) * over,   j.yy - (ab - a.y * b.y) * over,
                          j.zz - (ab - a.z * b.z) * over,   j.xy + off(a.x * b.y, a.y * b.x),
                          j.xz + off(a.x * b.z, a.z * b.x), j.yz + off(a.y * b.z, a.z * b.y)};
    };
    const Vec3<Sloped> c = s * over, r = transposed_times(m.R[k], m.p[k]) + c;
    const Sym3<Sloped> Jc = about_centre(J, s, s);
    const Sloped distance = square_root(dot(r, r)), near = Sloped(1.0) / distance;
    const Vec3<Sloped> e = r * near;
    const Sloped pull = Sloped(point.craft.mu) * near * near * near;
    const Vec3<Sloped> Je = Jc * e;
    const Sloped eJe = dot(e, Je);
    const Vec3<Sloped> force =
        r * (-(mass * pull)) -
        (e * (trace(Jc) - eJe * 5.0) + Je * Sloped(2.0)) * (pull * near * 1.5);
    LinkState<Sloped>& state = m.work.links[k];
    state.z -= Vec6<Sloped>{cross(c, force) + cross(e, Je) * (pull * 3.0), force};
    for (int i = 0; i < link.modes; ++i) {
      const Vec3<Sloped> S1 = coupling(point.layout, link, m.work, i).l;
      Sym3<Sloped> dJ = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0};
      if (link.order > 0) dJ = m.work.dJ[link.mode + i];
      dJ = about_centre(about_centre(dJ, s, S1), S1, s);
      Sloped& ze = m.work.ze[link.mode + i];
      ze -= dot(S1, force) * over + (trace(dJ) - dot(e, dJ * e) * 3.0) * (pull * 0.5);
    }
  }

  /// Fuel consumption, and the Coriolis force of fuel on its way to the nozzle, which acts on the
  /// bus.
  static void burn(const TangentPoint& point, const Memory& m,
                   const Craft<Sloped>& craft) noexcept {
    const PlainCraft& c = point.craft;
    for (int t = 0; t < c.tank_count; ++t) m.rate[t] = Sloped(0.0);
    const NodeRecord& frame = c.nodes[c.bus_frame];
    const Mat3<Sloped> R = mat3<Sloped>(frame.R0);
    const Vec3<Sloped> p = vec3<Sloped>(frame.p0);
    const Vec3<Sloped> omega = transposed_times(R, m.work.links[c.bus].V.a);
    const auto in_bus = [&](int link, const double* at) {
      Vec3<Sloped> x = vec3<Sloped>(at);
      if (link != c.bus) x = transposed_times(m.R[c.bus], m.p[link] + m.R[link] * x - m.p[c.bus]);
      return transposed_times(R, x - p);
    };
    Vec6<Sloped> jet = zero6<Sloped>();
    for (int k = 0; k < c.actuator_count; ++k) {
      const PlainActuator& a = c.actuators[k];
      if (a.feeds == 0) continue;
      bool any = craft.thrust[k].v != 0.0;
      for (int i = 0; i < W; ++i) any = any || craft.thrust[k].d[i] != 0.0;
      if (!any) continue;
      for (int i = 0; i < a.feeds; ++i) {
        const PlainFeed& feed = c.feeds[a.feed + i];
        const Sloped flow = craft.thrust[k] * feed.flow;
        m.rate[feed.tank] -= flow;
        if (!c.jet_damping) continue;
        const Vec3<Sloped> from = in_bus(c.tanks[feed.tank].link, c.tanks[feed.tank].centre),
                           way = in_bus(a.carrier, a.nozzle) - from,
                           coriolis = cross(omega, way) * (flow * -2.0);
        jet.l += coriolis;
        jet.a += cross(from + way * Sloped(0.5), coriolis);
      }
    }
    if (c.jet_damping)
      apply(point.layout, frame, node_of(point.layout, frame, m.q, m.u), m.q, jet, m.work);
  }

  /// Mass, first moment and inertia of a link; `varies`: with derivatives by fuel and parameters.
  struct Standing {
    Sloped m;
    Vec3<Sloped> s;
    Sym3<Sloped> J;
  };
  static Standing standing(const TangentPoint& point, const Memory& m, int k,
                           bool varies) noexcept {
    const TreeLink& link = point.layout.links[k];
    const Mass& mass = point.masses[k];
    Standing at{Sloped(mass.m), vec3<Sloped>(mass.s), sym3<Sloped>(mass.J)};
    if (link.modes > 0) {
      at.s = m.work.modal[link.mode].s;
      at.J = m.work.modal[link.mode].J;
    }
    const PlainCraft& c = point.craft;
    for (int t = 0; varies && t < c.tank_count + c.inertia_count; ++t) {
      const PlainTank& tank = c.tanks[t];
      if (tank.link != k) continue;
      const Sloped more(0.0, m.fuel[t].d);
      at.m += more * tank.each.m;
      at.s += vec3<Sloped>(tank.each.s) * more;
      at.J += sym3<Sloped>(tank.each.J) * more;
    }
    return at;
  }

  static void sweep(const TangentPoint& point, const Sweep& sweep,
                    const SweepResult& result) noexcept {
    follow(
        point, sweep, point.udot, result, [](int) {}, [] {});
  }
  /// One sweep of inverse dynamics with derivatives. Only links that a direction moves are placed
  /// and accelerated again; forces are projected on these and on the links between them and the
  /// ground. `hinge` is called for each link when all forces on it are known, `look` at the end.
  template <class U, class Hinge, class Look>
  static VERNIER_INLINE void follow(const TangentPoint& point, const Sweep& sweep, const U* udot,
                                    const SweepResult& result, const Hinge& hinge,
                                    const Look& look) noexcept {
    const LayoutView& layout = point.layout;
    const PlainCraft& c = point.craft;
    const Memory m = memory_of(point);
    const Numbers values = numbers_of(point);
    const Workspace<Sloped>& work = m.work;
    Sloped* const arrays[] = {m.q,        m.u,      m.momentum,           m.fuel, nullptr, nullptr,
                              m.commands, m.torque, m.fuel + c.tank_count};
    const int firsts[] = {point.at.q,        point.at.u,      point.at.momentum,
                          point.at.fuel,     point.at.force,  point.at.acceleration,
                          point.at.commands, point.at.torque, point.at.inertia};
    const auto seed = [&](double slope) {
      for (int i = 0; i < sweep.count; ++i) {
        const int column = sweep.directions[i];
        int part = 8;
        while (firsts[part] > column) --part;
        if (arrays[part] != nullptr) arrays[part][column - firsts[part]].d[i] = slope;
      }
    };
    seed(1.0);
    const auto moved = [&](int link) { return sweep.is_moved[link] != 0; };

    const auto outboard = [&](const TreeLink& link) {
      const int k = static_cast<int>(&link - layout.links);
      const TreeLink& on = layout.links[link.parent];
      if (sweep.deformed[link.parent] != 0 || (on.shortens && sweep.bent[link.parent] != 0))
        return outboard_node(layout, link, m.q, m.u);
      MovingNode<Sloped> same;
      copy_numbers<Sloped>(m.outboard[k], same);
      if (sweep.bent[link.parent] != 0) add_rates(point, link, m.u, same);
      return same;
    };
    for (int i = 0; i < sweep.involved_count; ++i) {
      const int k = sweep.involved[i];
      const TreeLink& link = layout.links[k];
      LinkState<Sloped>& s = work.links[k];
      if (!moved(k)) {
        keep(point, m, values, k);
        s.z = zero6<Sloped>();
        for (int l = 0; l < link.modes; ++l) work.ze[link.mode + l] = Sloped(0.0);
        continue;
      }
      place_link(layout, point.masses, k, m.q, m.u, work, outboard);
      m.placed[k] = 0;
      s.z = s.b;
      for (int l = 0; l < link.modes; ++l) work.ze[link.mode + l] = work.be[link.mode + l];
      if (c.posed[k] != 0) pose(layout, m, k);
    }
    for (int k = 0; k < layout.count; ++k) {
      if (c.posed[k] != 0 && !moved(k)) keep(point, m, values, k);
    }

    // Loads: actuators whose forces do not change come from begin().
    const Craft<Sloped> craft{layout,     c,        m.q,    m.u,      m.momentum, m.fuel,
                              m.commands, m.torque, m.fade, m.thrust, work,       m.nodes};
    const auto bent = [&](int k) { return sweep.bent[k] != 0; };
    const auto deformed = [&](int k) { return sweep.deformed[k] != 0; };
    const auto afresh = [&](int k) { return sweep.equipment || deformed(k); };
    for (int i = 0; i < sweep.moved_count; ++i) {
      const int k = sweep.moved[i];
      if (afresh(k)) continue;
      const TreeLink& link = layout.links[k];
      work.links[k].z +=
          Vec6<Sloped>{vec3<Sloped>(point.wrench + 6 * k), vec3<Sloped>(point.wrench + 6 * k + 3)};
      for (int l = 0; l < link.modes; ++l)
        work.ze[link.mode + l] += Sloped(point.modal[link.mode + l]);
    }
    if (sweep.equipment) craft.command();
    craft.actuate(afresh, bent);
    craft.turn_rotors([&](int k) { return sweep.equipment || (k >= 0 && moved(k)); }, bent, m.rate);
    for (int k = 0; k < c.rotor_count; ++k) store(result.momentum + W * k, m.rate[k].d);
    bool burns = c.burns && (sweep.equipment || moved(c.bus));
    for (int k = 0; c.burns && k < c.actuator_count; ++k) {
      const PlainActuator& a = c.actuators[k];
      for (int i = 0; i < a.feeds; ++i)
        burns = burns || moved(a.carrier) || moved(c.tanks[c.feeds[a.feed + i].tank].link);
    }
    if (burns) {
      burn(point, m, craft);
      for (int t = 0; t < c.tank_count; ++t) store(result.fuel + W * t, m.rate[t].d);
    } else {
      for (int t = 0; t < c.tank_count; ++t) store(result.fuel + W * t, Slopes{});
    }
    for (int i = 0; c.mu != 0.0 && i < sweep.involved_count; ++i) {
      const int k = sweep.involved[i];
      if (!moved(k) && !sweep.equipment) continue;
      const Standing at = standing(point, m, k, sweep.equipment);
      attract(point, m, k, at.m, at.s, at.J);
    }
    if (sweep.equipment) {
      // Inertia forces are linear in the mass: the force of one more unit, at the motion of its
      // link.
      for (int t = 0; t < c.tank_count + c.inertia_count; ++t) {
        const PlainTank& tank = c.tanks[t];
        const LinkState<double>& s = values.links[tank.link];
        const Vec3<double> moment = vec3<double>(tank.each.s);
        const Sym3<double> J = sym3<double>(tank.each.J);
        const Vec6<double> needs =
            rigid(tank.each.m, moment, J) * s.A + rigid_bias(tank.each.m, moment, J, s.V);
        const double each[6] = {needs.a.x, needs.a.y, needs.a.z, needs.l.x, needs.l.y, needs.l.z};
        auto* z = reinterpret_cast<Sloped*>(&work.links[tank.link].z);
        for (int i = 0; i < 6; ++i) z[i].d += m.fuel[t].d * each[i];
      }
    }

    const Vec6<Sloped> down = {zero3<Sloped>(), -vec3<Sloped>(point.gravity)};
    for (int i = 0; i < sweep.moved_count; ++i) {
      const int k = sweep.moved[i], parent = layout.links[k].parent;
      accelerate_link(layout, point.masses, k, parent < 0 ? down : work.links[parent].A, udot,
                      work);
    }
    for (int i = 0; i < layout.speeds; ++i) store(result.force + W * i, Slopes{});
    for (int i = sweep.involved_count - 1; i >= 0; --i) {
      const int k = sweep.involved[i];
      const TreeLink& link = layout.links[k];
      hinge(k);
      const Vec6<Sloped> f = project_link(layout, k, udot, work, m.tau);
      if (link.parent >= 0) add_force(layout, k, f, work);
      for (int l = link.u; l < link.u + link.speeds; ++l) store(result.force + W * l, -m.tau[l].d);
      for (int l = link.u_modes; l < link.u_modes + link.modes; ++l)
        store(result.force + W * l, -m.tau[l].d);
    }
    for (int i = 0; i < layout.coordinates; ++i) store(result.qdot + W * i, Slopes{});
    for (int i = 0; i < sweep.moved_count; ++i) {
      const TreeLink& link = layout.links[sweep.moved[i]];
      hinge_rates(link.kind, m.q + link.q, m.u + link.u, m.qdot + link.q);
      const int end = link.q_modes;
      for (int l = link.q; l < end; ++l) store(result.qdot + W * l, m.qdot[l].d);
      for (int l = 0; l < link.modes; ++l)
        store(result.qdot + W * (link.q_modes + l), m.u[link.u_modes + l].d);
    }
    look();
    seed(0.0);
    if (sweep.equipment) craft.command();  // clears the derivatives
  }

  static void store3(double* to, const Vec3<Sloped>& v) noexcept {
    store(to, v.x.d);
    store(to + W, v.y.d);
    store(to + 2 * W, v.z.d);
  }
  static void store6(double* to, const Vec6<Sloped>& v) noexcept {
    store3(to, v.a);
    store3(to + 3 * W, v.l);
  }

  static void observe(const TangentPoint& point, const Sweep& sweep, const double* udot,
                      const SweepResult& result, const Observed& to) noexcept {
    const Memory m = memory_of(point);
    const LayoutView& layout = point.layout;
    for (int i = 0; i < layout.speeds; ++i) m.udot[i] = Sloped(point.udot[i], loaded(udot + W * i));
    const auto hinge = [&](int k) {
      const TreeLink& link = layout.links[k];
      Vec6<Sloped> f = m.work.links[k].z;
      if (link.inboard_moves) {
        const ModalState<Sloped>& modal = m.work.modal[link.mode];
        f = rotated_back(modal.Ri, force_from(f, -modal.pi));
      }
      store6(to.reaction + 6 * W * k, f);
    };
    follow(point, sweep, m.udot, result, hinge, [&] {
      for (int i = 0; i < layout.speeds; ++i) store(to.effort + W * i, m.tau[i].d);
      for (int k = 0; k < layout.count; ++k) pose(layout, m, k);
      add_up(point, m, to);
      for (int i = 0; i < point.craft.sensor_count; ++i)
        read(point, m, point.craft.sensors[i], to.reading + reading_size * W * i);
    });
  }

  /// Speeds of rotors and totals: analysis.cpp and Spacecraft::totals() with derivatives.
  static void add_up(const TangentPoint& point, const Memory& m, const Observed& to) noexcept {
    const LayoutView& layout = point.layout;
    const PlainCraft& c = point.craft;
    Sloped mass(0.0), twice(0.0), deformation(0.0), potential(0.0);
    Vec3<Sloped> momentum = zero3<Sloped>(), spin = momentum, moment = momentum;
    for (int k = 0; k < layout.count; ++k) {
      const TreeLink& link = layout.links[k];
      const Standing at = standing(point, m, k, true);
      const Vec6<Sloped>& V = m.work.links[k].V;
      // Momentum y = M [η'; V], T = y·[η'; V] / 2.
      Vec6<Sloped> y = {at.J * V.a + cross(at.s, V.l), V.l * at.m + cross(V.a, at.s)};
      const ModalConstants constants(layout.numbers + link.constants, link.modes);
      const Sloped *eta = m.q + link.q_modes, *rate = m.u + link.u_modes;
      for (int i = 0; i < link.modes; ++i) {
        const Vec6<Sloped> by = coupling(layout, link, m.work, i);
        y += by * rate[i];
        Sloped modal = dot(by, V);
        for (int l = 0; l < link.modes; ++l) {
          const int high = i > l ? i : l, low = i > l ? l : i;
          modal += rate[l] * constants.mass[high * (high + 1) / 2 + low];
          deformation += eta[i] * eta[l] * (0.5 * constants.K[link.modes * i + l]);
        }
        twice += modal * rate[i];
      }
      twice += dot(y, V);
      for (int i = 0; i < link.speeds; ++i)
        twice += m.u[link.u + i] * m.u[link.u + i] * link.rotor[i];
      const Vec3<Sloped> P = m.R[k] * y.l;
      mass += at.m;
      momentum += P;
      spin += m.R[k] * y.a + cross(m.p[k], P);
      moment += m.p[k] * at.m + m.R[k] * at.s;
      if (c.mu != 0.0) potential += attraction(c.mu, m, k, at);
    }
    potential -= dot(moment, vec3<Sloped>(point.gravity));
    for (int k = 0; k < c.rotor_count; ++k) {
      const PlainRotor& r = c.rotors[k];
      const NodeRecord& record = c.nodes[r.node];
      const Vec3<Sloped> g = vec3<Sloped>(r.axis);
      const MovingNode<Sloped> node = node_of(layout, record, m.q, m.u);
      Sloped speed = m.momentum[k] * (1.0 / r.inertia);
      Vec3<Sloped> axis = node.R * g;
      if (record.link >= 0) {
        speed -= dot(g, transposed_times(node.R, m.work.links[record.link].V.a + node.omega));
        axis = m.R[record.link] * axis;
      }
      store(to.speed + W * k, speed.d);
      twice += m.momentum[k] * m.momentum[k] * (1.0 / r.inertia);
      spin += axis * m.momentum[k];
    }
    const auto put = [&](int row, const Sloped& x) { store(to.totals + W * row, x.d); };
    put(total_mass, mass);
    put(total_kinetic, twice * 0.5);
    put(total_deformation, deformation);
    put(total_springs, Sloped(0.0));
    put(total_gravitational, potential);
    put(total_energy, twice * 0.5 + deformation + potential);
    store3(to.totals + W * total_momentum, momentum);
    store3(to.totals + W * total_angular_momentum, spin);
    const Sloped over = mass.v > 0.0 ? Sloped(1.0) / mass : Sloped(0.0);
    store3(to.totals + W * total_centre, moment * over);
    store3(to.totals + W * total_centre_velocity, momentum * over);
  }

  /// The potential of a link in the gravity of a point mass: central_gravity.cpp with derivatives.
  static Sloped attraction(double mu, const Memory& m, int k, const Standing& at) noexcept {
    if (!(at.m.v > 0.0)) return Sloped(0.0);
    const Sloped over = Sloped(1.0) / at.m, near2 = dot(at.s, at.s) * over;
    const Vec3<Sloped> r = transposed_times(m.R[k], m.p[k]) + at.s * over;
    const Sloped near = Sloped(1.0) / square_root(dot(r, r));
    const Vec3<Sloped> e = r * near;
    // Inertia about the centre of mass: J - (s·s 1 - s sᵀ)/m.
    const Sloped se = dot(at.s, e), turn = dot(e, at.J * e) - near2 + se * se * over,
                 sum = trace(at.J) - near2 * 2.0;
    return at.m * near * -mu - near * near * near * (sum - turn * 3.0) * (0.5 * mu);
  }

  /// A quaternion from a rotation matrix by the algorithm of Eigen; scalar last.
  struct Turned {
    Vec3<Sloped> q;
    Sloped s;
  };
  static Turned quaternion_of(const Mat3<Sloped>& R) noexcept {
    const auto at = [&](int i, int j) -> const Sloped& { return R.a[3 * i + j]; };
    const Sloped trace = at(0, 0) + at(1, 1) + at(2, 2);
    if (trace > Sloped(0.0)) {
      const Sloped t = square_root(trace + Sloped(1.0)), over = Sloped(0.5) / t;
      return {{(at(2, 1) - at(1, 2)) * over, (at(0, 2) - at(2, 0)) * over,
               (at(1, 0) - at(0, 1)) * over},
              t * 0.5};
    }
    int i = 0;
    if (at(1, 1) > at(0, 0)) i = 1;
    if (at(2, 2) > at(i, i)) i = 2;
    const int j = (i + 1) % 3, k = (j + 1) % 3;
    const Sloped t = square_root(at(i, i) - at(j, j) - at(k, k) + Sloped(1.0)),
                 over = Sloped(0.5) / t;
    Sloped v[3];
    v[i] = t * 0.5;
    v[j] = (at(j, i) + at(i, j)) * over;
    v[k] = (at(k, i) + at(i, k)) * over;
    return {{v[0], v[1], v[2]}, (at(k, j) - at(j, k)) * over};
  }
  /// spatial::product
  static Turned product(const Turned& a, const Turned& b) noexcept {
    return {b.q * a.s + a.q * b.s - cross(a.q, b.q), a.s * b.s - dot(a.q, b.q)};
  }

  /// The reading of a sensor: spacecraft.cpp and node_kernels.hpp with derivatives.
  static void read(const TangentPoint& point, const Memory& m, const PlainSensor& sensor,
                   double* to) noexcept {
    const LayoutView& layout = point.layout;
    const PlainCraft& c = point.craft;
    const NodeRecord& record = c.nodes[sensor.node];
    const NodeRecord& bus = c.nodes[c.bus_frame];
    const MovingNode<Sloped> node = node_of(layout, record, m.q, m.u);
    const TreeLink& link = layout.links[record.link];
    const LinkState<Sloped>& s = m.work.links[record.link];
    const Mat3<Sloped>& R = m.R[record.link];
    const Mat3<Sloped> in_bus = mat3<Sloped>(bus.R0);
    const Vec3<Sloped> at = m.p[record.link] + R * node.p;  // in the ground frame

    // Attitude: Exp(θ), then the axes of the node.
    Turned attitude = {vec3<Sloped>(sensor.attitude), Sloped(sensor.attitude[3])};
    if (sensor.rotation != nullptr) {
      Vec3<Sloped> th = zero3<Sloped>();
      for (int i = 0; i < link.modes; ++i)
        th += vec3<Sloped>(sensor.rotation + 3 * i) * m.q[link.q_modes + i];
      const Sloped a2 = dot(th, th);
      const auto k = spatial::turn_coefficients(a2);
      const Sloped half = square_root(Sloped(1.0) - a2 * k.c * 0.5);
      attitude = product(attitude, {th * (k.sigma * 0.5 / half), half});
    }
    Vec3<Sloped> position = node.p - vec3<Sloped>(bus.p0);
    if (!sensor.on_bus) {
      const Mat3<Sloped>& R_bus = m.R[c.bus];
      position = transposed_times(R_bus, at - m.p[c.bus] - R_bus * vec3<Sloped>(bus.p0));
      // The axes of its body in those of the bus.
      const Mat3<Sloped> body = R * mat3<Sloped>(sensor.frame);
      attitude = product(attitude, quaternion_of(transposed(R_bus * in_bus) * body));
    }
    store3(to, transposed_times(in_bus, position));
    store3(to + 3 * W, attitude.q);
    store(to + 6 * W, attitude.s.d);

    Vec6<Sloped> v = motion_at(s.V, node.p);
    v = {v.a + node.omega, v.l + node.v};
    store6(to + 7 * W, rotated_back(node.R, v));

    Vec6<Sloped> a = motion_at(s.A, node.p);
    if (record.moves) {
      a += node_bias(link, node, s.V);
      const NodeShape phi(layout.numbers + record.shape, link.modes);
      Vec3<Sloped> turn = zero3<Sloped>();
      for (int i = 0; i < link.modes; ++i) {
        const Sloped& x = m.udot[link.u_modes + i];
        turn += vec3<Sloped>(phi.r + 3 * i) * x;
        a.l += translation(link, phi, i, m.q + link.q_modes) * x;
      }
      a.a += node.J * turn;
    }
    a.l += cross(v.a, v.l);
    const auto here = [&](const Vec3<Sloped>& x) {
      return transposed_times(node.R, transposed_times(R, x));
    };
    const Vec3<Sloped> felt = transposed_times(node.R, a.l),
                       gravity = here(vec3<Sloped>(point.gravity));
    store3(to + 13 * W, transposed_times(node.R, a.a));
    store3(to + 16 * W, felt + gravity);
    Vec3<Sloped> specific = felt;
    if (c.mu != 0.0) {
      const Sloped near = Sloped(1.0) / square_root(dot(at, at));
      specific += here(at * (near * near * near * c.mu));
    }
    store3(to + 19 * W, specific);
  }

  /// Inverse dynamics for unit accelerations of the speeds from `first` to `end`, restricted to the
  /// links that they move and those between them and the ground.
  static void unit_forces(const TangentPoint& point, const Memory& m, int first, int end) noexcept {
    const LayoutView& layout = point.layout;
    constexpr unsigned char moved = 1, pushed = 2;
    const auto among = [&](int from, int count) { return from < end && from + count > first; };
    for (int k = 0; k < layout.count; ++k) {
      const TreeLink& link = layout.links[k];
      const bool carried = link.parent >= 0 && (m.touched[link.parent] & moved) != 0;
      m.touched[k] = 0;
      if (!carried && !among(link.u, link.speeds) && !among(link.u_modes, link.modes)) {
        m.unit.links[k].A = zero6<Slopes>();
        continue;
      }
      m.touched[k] = moved;
      accelerate_link(layout, point.masses, k,
                      link.parent < 0 ? zero6<Slopes>() : m.unit.links[link.parent].A, m.unit_udot,
                      m.unit);
    }
    for (int i = 0; i < layout.speeds; ++i) m.unit_tau[i] = Slopes{};
    for (int k = layout.count - 1; k >= 0; --k) {
      if (m.touched[k] == 0) continue;
      const Vec6<Slopes> f = project_link(layout, k, m.unit_udot, m.unit, m.unit_tau);
      const int parent = layout.links[k].parent;
      if (parent < 0) continue;
      add_force(layout, k, f, m.unit);
      m.touched[parent] |= pushed;
    }
  }

  static void mass(const TangentPoint& point, double* M) noexcept {
    const LayoutView& layout = point.layout;
    const Memory m = memory_of(point);
    // Column j of M is inverse dynamics at rest with udot = e_j; eight columns at a time. Copies
    // what inverse dynamics reads to all lanes, with zero velocity terms. In memory, modal to
    // S1 are contiguous (make_workspace).
    const Numbers values = numbers_of(point);
    const auto* from = reinterpret_cast<const double*>(values.modal);
    const auto* const end = reinterpret_cast<const double*>(values.dJ);
    for (auto* to = reinterpret_cast<Slopes*>(m.unit.modal); from < end; ++from, ++to)
      *to = constant<Slopes>(*from);
    for (int k = 0; k < layout.count; ++k) {
      copy_numbers<Slopes>(values.links[k].E, m.unit.links[k].E);
      copy_numbers<Slopes>(values.links[k].r, m.unit.links[k].r);
      copy_numbers<Slopes>(values.links[k].trig, m.unit.links[k].trig);
      m.unit.links[k].c = zero6<Slopes>();
      if (layout.links[k].inboard_moves) m.unit.modal[layout.links[k].mode].ai = zero6<Slopes>();
    }
    const int n = layout.speeds;
    for (int first = 0; first < n; first += W) {
      for (int i = 0; i < n; ++i) m.unit_udot[i] = Slopes{};
      for (int i = first; i < n && i < first + W; ++i) m.unit_udot[i][i - first] = 1.0;
      for (int k = 0; k < layout.count; ++k) m.unit.links[k].z = zero6<Slopes>();
      for (int i = 0; i < layout.modes; ++i) m.unit.ze[i] = Slopes{};
      unit_forces(point, m, first, first + W < n ? first + W : n);
      for (int i = 0; i < n; ++i) {
        for (int j = first; j < n && j < first + W; ++j) M[i * n + j] = m.unit_tau[i][j - first];
      }
    }
  }

  static void solve(const double* L, const double* inverse_pivots, const int* order,
                    const int* ways, const int* first, const double* regular, int n, double* x,
                    int blocks) noexcept {
    // Two blocks at a time share the loads of L.
    int b = 0;
    for (; b + 2 <= blocks; b += 2)
      solve_blocks<2>(L, inverse_pivots, order, ways, first, regular, n,
                      reinterpret_cast<Slopes*>(x) + static_cast<long>(b) * n);
    if (b < blocks)
      solve_blocks<1>(L, inverse_pivots, order, ways, first, regular, n,
                      reinterpret_cast<Slopes*>(x) + static_cast<long>(b) * n);
  }
  // Solves LᵀDL x = y along the paths to the ground: first tips to base, then base to tips
  // (Featherstone, section 6.5).
  template <int B>
  static VERNIER_INLINE void solve_blocks(const double* L, const double* inverse_pivots,
                                          const int* order, const int* ways, const int* first,
                                          const double* regular, int n, Slopes* y) noexcept {
    for (int i = n - 1; i >= 0; --i) {
      const int row = order[i];
      if (regular[row] == 0.0) continue;
      Slopes own[B];
      for (int b = 0; b < B; ++b) own[b] = y[b * n + row];
      for (int k = first[row]; k < first[row + 1]; ++k) {
        const int j = ways[k];
        const double l = L[row * n + j];
        for (int b = 0; b < B; ++b) y[b * n + j] -= own[b] * l;
      }
    }
    for (int i = 0; i < n; ++i) {
      const int row = order[i];
      if (regular[row] == 0.0) continue;
      Slopes own[B];
      for (int b = 0; b < B; ++b) own[b] = y[b * n + row] * inverse_pivots[row];
      for (int k = first[row]; k < first[row + 1]; ++k) {
        const int j = ways[k];
        const double l = L[row * n + j];
        for (int b = 0; b < B; ++b) own[b] -= y[b * n + j] * l;
      }
      for (int b = 0; b < B; ++b) y[b * n + row] = own[b];
    }
  }

  static constexpr TangentCode code = {slope_bytes, begin, sweep, observe, mass, solve};
};

}  // namespace VERNIER_INSTRUCTIONS
}  // namespace vernier::multibody::detail
