#pragma once

#include "vernier/kernel/elementary/exponential.hpp"
#include "vernier/kernel/multibody/detail/node_force.hpp"
#include "vernier/kernel/multibody/detail/node_math.hpp"
#include "vernier/kernel/multibody/detail/surroundings_plan.hpp"

/// What stands around a tree, with a state in each lane. Operations and their order are those of
/// spacecraft.cpp and node_kernels.hpp for one state, so every lane has the same bits.
namespace vernier::multibody::detail {
inline namespace VERNIER_INSTRUCTIONS {

using spatial::Mask;
using spatial::select;

template <class T>
VERNIER_INLINE Vec3<T> vec3_of(const T* p) noexcept {
  return {p[0], p[1], p[2]};
}
template <class T>
VERNIER_INLINE Mat3<T> mat3_of(const T* p) noexcept {
  Mat3<T> m;
  for (int i = 0; i < 9; ++i) m.a[i] = p[i];
  return m;
}
template <class T>
VERNIER_INLINE void put3(T* to, std::size_t stride, const Vec3<T>& v) noexcept {
  to[0] = v.x;
  to[stride] = v.y;
  to[2 * stride] = v.z;
}

/// m v in Eigen's order: it computes the first two rows in a vector of two, column by column, and
/// sums the last row from its end.
template <class T>
VERNIER_INLINE Vec3<T> times(const Mat3<T>& m, const Vec3<T>& v) noexcept {
  return {m.a[0] * v.x + m.a[1] * v.y + m.a[2] * v.z, m.a[3] * v.x + m.a[4] * v.y + m.a[5] * v.z,
          m.a[6] * v.x + (m.a[7] * v.y + m.a[8] * v.z)};
}
/// a b in Eigen's order.
template <class T>
VERNIER_INLINE Mat3<T> times(const Mat3<T>& a, const Mat3<T>& b) noexcept {
  Mat3<T> r;
  for (int j = 0; j < 3; ++j) {
    const Vec3<T> c = times(a, column(b, j));
    r.a[j] = c.x;
    r.a[3 + j] = c.y;
    r.a[6 + j] = c.z;
  }
  return r;
}
/// aᵀ b; here Eigen's order is that of blocks.hpp.
template <class T>
VERNIER_INLINE Mat3<T> transposed_times(const Mat3<T>& a, const Mat3<T>& b) noexcept {
  return spatial::transposed(a) * b;
}

template <class T>
VERNIER_INLINE void put_mass(const T& m, const Vec3<T>& s, const Mat3<T>& J,
                             MassOf<T>& to) noexcept {
  to.m = m;
  put3(to.s, 1, s);
  constexpr int at[6] = {0, 4, 8, 1, 2, 5};
  for (int i = 0; i < 6; ++i) to.J[i] = J.a[at[i]];
}
/// Rᵀ J R
template <class T>
VERNIER_INLINE Mat3<T> turned_back(const Mat3<T>& R, const Mat3<T>& J) noexcept {
  return times(transposed_times(R, J), R);
}
/// in_frame() of a body with the given inertia in its own frame.
template <class T>
inline void mass_in_frame(const VaryingPlan& of, const T& m, const Vec3<T>& s, const Mat3<T>& J,
                          MassOf<T>& to) noexcept {
  const Mat3<T> R = mat3<T>(of.R), P = spatial::skew(vec3<T>(of.p)), S = spatial::skew(s);
  const Mat3<T> PS = transposed_times(P, S), SP = transposed_times(S, P);
  Mat3<T> mP, own;
  for (int i = 0; i < 9; ++i) mP.a[i] = m * P.a[i];
  const Mat3<T> PP = transposed_times(mP, P);
  for (int i = 0; i < 9; ++i) own.a[i] = J.a[i] - PS.a[i] - SP.a[i] + PP.a[i];
  const Mat3<T> turned = turned_back(R, own);
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j)
      own.a[3 * i + j] = constant<T>(0.5) * (turned.a[3 * i + j] + turned.a[3 * j + i]);
  }
  put_mass(m, spatial::transposed_times(R, s - vec3<T>(of.p) * m), own, to);
}
/// Star::mass() of an appendage.
template <class T>
inline void mass_at_hinge(const VaryingPlan& of, const T& m, const Vec3<T>& s, const Mat3<T>& J,
                          MassOf<T>& to) noexcept {
  const Mat3<T> R = mat3<T>(of.hinge_R);
  const Vec3<T> p = vec3<T>(of.hinge_p);
  const T on_diagonal = m * dot(p, p) - constant<T>(2.0) * dot(s, p);
  const T ps[3] = {p.x, p.y, p.z}, ss[3] = {s.x, s.y, s.z};
  Mat3<T> own;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      own.a[3 * i + j] = J.a[3 * i + j] + on_diagonal * constant<T>(i == j ? 1.0 : 0.0) -
                         m * ps[i] * ps[j] + ss[i] * ps[j] + ps[i] * ss[j];
    }
  }
  put_mass(m, spatial::transposed_times(R, s - p * m), turned_back(R, own), to);
}

/// beyond_stop()
template <class T>
VERNIER_INLINE T beyond(const LawPlan& l, const T& q) noexcept {
  const T upper = constant<T>(l.upper), lower = constant<T>(l.lower);
  return select(q > upper, T(q - upper), select(q < lower, T(q - lower), constant<T>(0.0)));
}
/// The force of a hinge law, as law_force(); `k` has stiffness, damping, friction.
template <class T>
VERNIER_INLINE T force_of(const LawPlan& l, const T* k, const T& q, const T& u) noexcept {
  const T o = constant<T>(0.0);
  T f = -k[0] * (q - constant<T>(l.rest)) - k[1] * u;
  const auto smooth = k[2] == o;
  if (!spatial::all(smooth)) {
    const T rub = elementary::hyperbolic_tangent(T(u / constant<T>(l.friction_speed)));
    f = select(smooth, f, T(f - k[2] * rub));
  }
  if (!l.stops) return f;
  const T d = beyond(l, q);
  const T sign = select(d > o, constant<T>(1.0), constant<T>(-1.0)), depth = d * sign;
  const T damped =
      constant<T>(l.stop_damping) * sign * u * depth / (depth + constant<T>(stop_onset));
  const T push = constant<T>(l.stop_stiffness) * depth + damped;
  return select((push > o) & ((d > o) | (d < o)), T(f - sign * push), f);
}

template <class T>
class Surroundings {
 public:
  Surroundings(const LayoutView& layout, const SurroundingsPlan& plan, const SurroundingsPoint& at,
               const Workspace<T>& work) noexcept
      : layout_(layout), plan_(plan), at_(at), work_(work), q_(in(at.q)), u_(in(at.u)) {}

  /// Inertia of bodies with tanks and adjustable mass: with_fuel() and in_frame(). Calls take(k,
  /// mass, moment, inertia by rows), all in the body frame, for each of plan.varying.
  template <class F>
  void weigh(const F& take) const noexcept {
    for (int k = 0; k < plan_.varying_count; ++k) {
      const T* own = in(at_.inertias) + 13 * k;
      T sum[13];
      for (int i = 0; i < 13; ++i) sum[i] = own[i];
      for (int j = 0; j < plan_.varying[k].tank_count; ++j) {
        const int t = plan_.varying[k].tanks[j];
        const TankPlan& tank = plan_.tanks[t];
        const T capacity = constant<T>(tank.capacity), share = in(at_.fuel)[t] / capacity;
        sum[0] += share * capacity;
        for (int i = 0; i < 3; ++i) sum[1 + i] += share * constant<T>(tank.moment[i]);
        for (int i = 0; i < 9; ++i) sum[4 + i] += share * constant<T>(tank.inertia[i]);
      }
      take(k, sum[0], vec3_of(sum + 1), mat3_of(sum + 4));
    }
  }

  /// Poses of the links in plan.posed, or of all.
  void pose(bool all = false) const noexcept {
    T *R = out(at_.R), *p = out(at_.p);
    for (int i = 0; i < (all ? layout_.count : plan_.posed_count); ++i) {
      const int k = all ? i : plan_.posed[i];
      const TreeLink& link = layout_.links[k];
      const LinkState<T>& s = work_.links[k];
      Mat3<T> own = s.E;
      Vec3<T> at = s.r;
      if (link.parent >= 0) {
        const Mat3<T> on = mat3_of(R + 9 * link.parent);
        own = on * s.E;
        at = vec3_of(p + 3 * link.parent) + on * s.r;
      }
      if (link.inboard_moves) {
        const ModalState<T>& m = work_.modal[link.mode];
        own = spatial::times_transposed(own, m.Ri);
        at = at - own * m.pi;
      }
      for (int j = 0; j < 9; ++j) R[9 * k + j] = own.a[j];
      put3(p + 3 * k, 1, at);
    }
  }

  /// Computes the loads: gather_loads(), except central gravity and the sum of loads and jet.
  void gather() const noexcept {
    T* tau = out(at_.tau);
    for (int i = 0; i < layout_.speeds; ++i)
      tau[i] = at_.force != nullptr ? in(at_.force)[i] : constant<T>(0.0);
    for (int k = 0; k < plan_.law_count; ++k) {
      const LawPlan& l = plan_.laws[k];
      const T q = l.q >= 0 ? q_[l.q] : constant<T>(0.0);
      tau[l.u] += force_of(l, in(at_.laws) + 3 * k, q, u_[l.u]);
    }
    for (int k = 0; k < plan_.softer_count; ++k) {
      const int q = plan_.softer[2 * k], u = plan_.softer[2 * k + 1];
      const T* by = in(at_.softer) + 2 * k;
      tau[u] -= by[0] * q_[q] + by[1] * u_[u];
    }
    command();
    turn();
    burn();
    for (int k = 0; k < plan_.load_count; ++k) load(plan_.loads[k], out(at_.loads) + 6 * k);
  }

  /// Pose of a body frame in the ground frame.
  struct Posed {
    Mat3<T> R;
    Vec3<T> p;
  };
  Posed pose_of(const NodeRecord& frame) const noexcept {
    const Mat3<T> R = mat3_of(in(at_.R) + 9 * frame.link);
    return {R * mat3<T>(frame.R0), vec3_of(in(at_.p) + 3 * frame.link) + R * vec3<T>(frame.p0)};
  }
  /// The angular velocity of a node, in its axes.
  Vec3<T> turning_of(const NodeRecord& record) const noexcept {
    if (record.link < 0) return zero3<T>();
    const MovingNode<T> node = node_of(layout_, record, q_, u_);
    return spatial::transposed_times(node.R, work_.links[record.link].V.a + node.omega);
  }
  struct Load {
    static VERNIER_INLINE T of(const double* p) noexcept { return constant<T>(*p); }
  };
  using Math = NodeMath<T, Load, T>;

 private:
  static const T* in(const double* p) noexcept { return reinterpret_cast<const T*>(p); }
  static T* out(double* p) noexcept { return reinterpret_cast<T*>(p); }

  /// Converts commands of actuators to forces in body axes.
  void command() const noexcept {
    const T o = constant<T>(0.0), one = constant<T>(1.0);
    T *pushes = out(at_.pushes), *thrust = out(at_.thrust), *fade = out(at_.fade);
    if (at_.commands == nullptr) {
      for (std::size_t i = 0; i < plan_.pushes; ++i) pushes[i] = o;
      for (int k = 0; k < plan_.actuator_count; ++k) thrust[k] = o;
      return;
    }
    for (int t = 0; t < plan_.tank_count; ++t) {
      const T full = in(at_.fuel)[t] / constant<T>(thrust_fading * plan_.tanks[t].capacity);
      fade[t] = select(full < o, o, select(one < full, one, full));
    }
    for (int k = 0; k < plan_.actuator_count; ++k) {
      const ActuatorPlan& a = plan_.actuators[k];
      const T* c = in(at_.commands) + a.command;
      if (a.kind == ActuatorPlan::thruster) {
        T f = select(o < c[0], c[0], o);
        for (int i = 0; i < a.feeds; ++i) f *= fade[plan_.feeds[a.feed + i].tank];
        thrust[k] = f;
        put3(pushes + a.push, a.push_stride, vec3<T>(a.direction) * f);
        continue;
      }
      const Vec3<T> first = times(mat3<T>(a.R0), vec3_of(c));
      if (a.kind == ActuatorPlan::force) {
        put3(pushes + a.push, a.push_stride, first);
      } else {
        put3(pushes + a.twist, a.twist_stride, first);
        if (a.kind == ActuatorPlan::wrench)
          put3(pushes + a.push, a.push_stride, times(mat3<T>(a.R0), vec3_of(c + 3)));
      }
    }
  }

  /// Rotors: -(g τ + ω × g h) on the carrier, and h' = τ.
  void turn() const noexcept {
    const T *momentum = in(at_.momentum), *k = in(at_.rotors);
    T* rate = out(at_.momentum_rate);
    for (int i = 0; i < plan_.rotor_count; ++i, k += 2) {
      const RotorPlan& r = plan_.rotors[i];
      const Vec3<T> omega = turning_of(*r.node), axis = vec3<T>(r.axis);
      const T speed = momentum[i] / k[0] - dot(axis, omega);
      const T given = at_.torque != nullptr ? in(at_.torque)[i] : constant<T>(0.0);
      const T tau = given - k[1] * speed;
      const Vec3<T> moment = axis * T(-tau) - cross(omega, axis) * momentum[i];
      put3(out(at_.pushes) + r.twist, r.stride, times(mat3<T>(r.R0), moment));
      rate[i] = tau;
    }
  }

  /// A point of a body in the frame of the bus.
  Vec3<T> in_bus(int carrier, const double* point, const Posed& bus) const noexcept {
    if (carrier < 0) return vec3<T>(point);
    const Posed body = pose_of(plan_.nodes[carrier]);
    const Vec3<T> p = spatial::transposed_times(bus.R, body.p - bus.p);
    return times(transposed_times(bus.R, body.R), vec3<T>(point)) + p;
  }

  /// Fuel consumption, and the Coriolis force of fuel on its way to the nozzle.
  void burn() const noexcept {
    T *rate = out(at_.fuel_rate), *thrust = out(at_.thrust);
    const T o = constant<T>(0.0);
    for (int t = 0; t < plan_.tank_count; ++t) rate[t] = o;
    if (!plan_.burns) return;
    Vec3<T> moment = zero3<T>(), resultant = zero3<T>();
    const bool jets = plan_.jet_damping;
    const NodeRecord& frame = plan_.nodes[plan_.bus_frame];
    const Posed bus = plan_.posed_count > 0 ? pose_of(frame) : Posed{};
    const Vec3<T> omega = turning_of(frame);
    for (int k = 0; k < plan_.actuator_count; ++k) {
      const ActuatorPlan& a = plan_.actuators[k];
      const auto fires = thrust[k] > o;
      if (a.feeds == 0 || spatial::all(!fires)) continue;
      const Vec3<T> nozzle = jets ? in_bus(a.carrier, a.nozzle, bus) : zero3<T>();
      for (int i = 0; i < a.feeds; ++i) {
        const FeedPlan& feed = plan_.feeds[a.feed + i];
        const T flow = constant<T>(feed.flow) * thrust[k];
        rate[feed.tank] = select(fires, T(rate[feed.tank] - flow), rate[feed.tank]);
        if (!jets) continue;
        const TankPlan& tank = plan_.tanks[feed.tank];
        const Vec3<T> from = in_bus(tank.carrier, tank.centre, bus), way = nozzle - from;
        const Vec3<T> coriolis = cross(omega, way) * T(constant<T>(-2.0) * flow);
        resultant = chosen(fires, resultant + coriolis, resultant);
        moment = chosen(fires, moment + cross(from + way * constant<T>(0.5), coriolis), moment);
      }
    }
    put3(out(at_.jet), 1, moment);
    put3(out(at_.jet) + 3, 1, resultant);
  }
  static VERNIER_INLINE Vec3<T> chosen(const Mask<T>& m, const Vec3<T>& a,
                                       const Vec3<T>& b) noexcept {
    return {select(m, a.x, b.x), select(m, a.y, b.y), select(m, a.z, b.z)};
  }

  // Sums over nodes: eight places, added pairwise, halves first (node_kernels.hpp).
  static constexpr std::size_t block = 8;
  static VERNIER_INLINE T total(T* x) noexcept {
    for (std::size_t half = block / 2; half > 0; half /= 2)
      for (std::size_t i = 0; i < half; ++i) x[i] += x[i + half];
    return x[0];
  }
  struct Sum3 {
    T x[block] = {}, y[block] = {}, z[block] = {};
    VERNIER_INLINE void add(std::size_t place, const Vec3<T>& v) noexcept {
      x[place] += v.x;
      y[place] += v.y;
      z[place] += v.z;
    }
    VERNIER_INLINE void add_to(T* to) noexcept {
      to[0] += total(x);
      to[1] += total(y);
      to[2] += total(z);
    }
  };
  /// Adds the generalised forces of vectors v at the nodes of the block from `first` on.
  static void add_modal(const NodeView& b, const double* shapes, std::size_t count,
                        std::size_t first, const Vec3<T>* v, T* modal) noexcept {
    const std::size_t here = b.nodes - first < block ? b.nodes - first : block;
    for (std::size_t k = 0; k < count; ++k) {
      T work[block] = {};
      for (std::size_t i = 0; i < here; ++i)
        work[i] = dot(Math::load3(shapes + 3 * k * b.lanes + first + i, b.lanes), v[i]);
      modal[k] += total(work);
    }
  }
  static void push(const NodeView& b, const T* eta, const T* forces, T* body, T* modal) noexcept {
    const std::size_t L = b.lanes;
    Sum3 moment, force;
    Vec3<T> all[block];
    for (std::size_t i = 0; i < b.nodes; ++i) {
      const std::size_t place = i % block;
      Vec3<T> p, f;
      Math::push(b, i, eta, {forces[i], forces[L + i], forces[2 * L + i]}, p, f);
      moment.add(place, cross(p, f));
      force.add(place, f);
      all[place] = f;
      if (place + 1 == block || i + 1 == b.nodes)
        add_modal(b, b.phi_t, b.slides, i - place, all, modal);
    }
    moment.add_to(body);
    force.add_to(body + 3);
  }
  static void twist(const NodeView& b, const T* eta, const T* moments, T* body, T* modal) noexcept {
    const std::size_t L = b.lanes;
    Sum3 moment;
    Vec3<T> all[block];
    for (std::size_t i = 0; i < b.nodes; ++i) {
      const std::size_t place = i % block;
      Vec3<T> n;
      Math::twist(b, i, eta, {moments[i], moments[L + i], moments[2 * L + i]}, n, all[place]);
      if (b.modes > 0 && (place + 1 == block || i + 1 == b.nodes))
        add_modal(b, b.phi_r, b.modes, i - place, all, modal);
      moment.add(place, n);
    }
    moment.add_to(body);
  }

  /// push() on a body that shortens: the force on the product of a pair acts on both modes.
  void push_shortening(const LoadPlan& l, const T* eta, const T* forces, T* body,
                       T* modal) const noexcept {
    const std::size_t n = l.modes, slides = l.pushed->slides;
    T *products = out(at_.products), *on = products + slides;
    for (std::size_t i = 0; i < slides; ++i) on[i] = constant<T>(0.0);
    std::size_t pair = n;
    for (std::size_t i = 0; i < n; ++i) {
      products[i] = eta[i];
      for (std::size_t j = 0; j <= i; ++j)
        products[pair++] = constant<T>(j < i ? 1.0 : 0.5) * eta[i] * eta[j];
    }
    push(*l.pushed, products, forces, body, on);
    pair = n;
    for (std::size_t i = 0; i < n; ++i) {
      modal[i] += on[i];
      for (std::size_t j = 0; j <= i; ++j) {
        const T f = on[pair++];
        modal[i] += f * eta[j];
        if (j < i) modal[j] += f * eta[i];
      }
    }
  }

  void load(const LoadPlan& l, T* force) const noexcept {
    const T *eta = q_ + l.first_q, *pushes = in(at_.pushes);
    T* modal = out(at_.tau) + l.first_u;
    for (int i = 0; i < 6; ++i) force[i] = constant<T>(0.0);
    if (l.pushed != nullptr) {
      if (l.shortens) {
        push_shortening(l, eta, pushes + l.push_at, force, modal);
      } else {
        push(*l.pushed, eta, pushes + l.push_at, force, modal);
      }
    }
    if (l.twisted != nullptr) twist(*l.twisted, eta, pushes + l.twist_at, force, modal);
  }

  const LayoutView& layout_;
  const SurroundingsPlan& plan_;
  const SurroundingsPoint& at_;
  const Workspace<T>& work_;
  const T *q_, *u_;
};

}  // namespace VERNIER_INSTRUCTIONS
}  // namespace vernier::multibody::detail
