#pragma once

#include "vernier/kernel/multibody/detail/solve.hpp"
#include "vernier/kernel/multibody/detail/surroundings.hpp"

/// What can be read of accelerated states, with a state in each lane: Spacecraft::efforts(),
/// sense() and totals(), Tree::reaction(). Operations and their order are those for one state.
namespace vernier::multibody::detail {
inline namespace VERNIER_INSTRUCTIONS {

/// The quaternion (scalar last) of the rotation R, as Eigen computes it.
template <class T>
struct Turned {
  Vec3<T> v;
  T s;
};
template <class T>
inline Turned<T> quaternion_of(const Mat3<T>& R) noexcept {
  const auto at = [&](int i, int j) noexcept { return R.a[3 * i + j]; };
  const T trace = at(0, 0) + (at(1, 1) + at(2, 2));
  const auto usual = trace > constant<T>(0.0);
  T t = spatial::square_root(T(select(usual, trace, constant<T>(0.0)) + constant<T>(1.0)));
  Turned<T> q;
  q.s = constant<T>(0.5) * t;
  t = constant<T>(0.5) / t;
  q.v = {(at(2, 1) - at(1, 2)) * t, (at(0, 2) - at(2, 0)) * t, (at(1, 0) - at(0, 1)) * t};
  if (spatial::all(usual)) return q;
  // Turns by more than 120 degrees, lane by lane: from the largest element of the diagonal.
  for (int l = 0; l < spatial::lane_count<T>; ++l) {
    if (usual[l] != 0) continue;
    const auto one = [&](int i, int j) noexcept { return R.a[3 * i + j][l]; };
    int i = one(1, 1) > one(0, 0) ? 1 : 0;
    if (one(2, 2) > one(i, i)) i = 2;
    const int j = (i + 1) % 3, k = (j + 1) % 3;
    double v[3], r = __builtin_sqrt(one(i, i) - one(j, j) - one(k, k) + 1.0);
    v[i] = 0.5 * r;
    r = 0.5 / r;
    q.s[l] = (one(k, j) - one(j, k)) * r;
    v[j] = (one(j, i) + one(i, j)) * r;
    v[k] = (one(k, i) + one(i, k)) * r;
    q.v.x[l] = v[0];
    q.v.y[l] = v[1];
    q.v.z[l] = v[2];
  }
  return q;
}
/// spatial::product()
template <class T>
VERNIER_INLINE Turned<T> product(const Turned<T>& p, const Turned<T>& q) noexcept {
  return {q.v * p.s + p.v * q.s - cross(p.v, q.v), p.s * q.s - dot(p.v, q.v)};
}
/// spatial::to_body()
template <class T>
VERNIER_INLINE Vec3<T> to_body(const Turned<T>& q, const Vec3<T>& v) noexcept {
  const T a = q.v.x, b = q.v.y, c = q.v.z, s = q.s, two = constant<T>(2.0);
  const Mat3<T> R = {{a * a - b * b - c * c + s * s, two * (a * b + c * s), two * (a * c - b * s),
                      two * (a * b - c * s), -a * a + b * b - c * c + s * s, two * (b * c + a * s),
                      two * (a * c + b * s), two * (b * c - a * s),
                      -a * a - b * b + c * c + s * s}};
  return times(R, v);
}

/// Reads states whose links have E, r, trig, V and A; poses of all links are known.
template <class T>
class Readings {
 public:
  using Around = Surroundings<T>;

  Readings(const LayoutView& layout, const SurroundingsPlan& plan, const SurroundingsPoint& at,
           const Workspace<T>& work, const MassOf<T>* masses, const double* udot,
           const Around& around) noexcept
      : layout_(layout),
        plan_(plan),
        at_(at),
        work_(work),
        masses_(masses),
        around_(around),
        q_(in(at.q)),
        u_(in(at.u)),
        udot_(in(udot)) {}

  void speeds(double* to) const noexcept {
    const T* k = in(at_.rotors);
    for (int i = 0; i < plan_.rotor_count; ++i, k += 2) {
      const RotorPlan& r = plan_.rotors[i];
      out(to)[i] = in(at_.momentum)[i] / k[0] - dot(vec3<T>(r.axis), around_.turning_of(*r.node));
    }
  }

  /// `reaction(k)`: of the hinge of a link, on it.
  template <class F>
  void efforts(const double* regular, const F& reaction, double* to) const noexcept {
    for (int i = 0; i < layout_.speeds; ++i) out(to)[i] = in(at_.tau)[i];
    if (regular == nullptr) return;
    for (int k = 0; k < layout_.count; ++k) {
      const TreeLink& link = layout_.links[k];
      for (int i = 0; i < link.speeds; ++i) {
        if (regular[link.u + i] != 0.0) continue;
        const Vec6<T> S = hinge_axis(link.kind, link.parameter, i, work_.links[k].trig);
        out(to)[link.u + i] = dot(S, reaction(k)) + constant<T>(link.rotor[i]) * udot_[link.u + i];
      }
    }
  }
  template <class F>
  void reactions(const F& reaction, double* to) const noexcept {
    for (int k = 0; k < layout_.count; ++k) {
      const Vec6<T> f = reaction(k);
      put3(out(to) + 6 * layout_.links[k].body, 1, f.a);
      put3(out(to) + 6 * layout_.links[k].body + 3, 1, f.l);
    }
  }

  void sense(double* to) const noexcept {
    const auto bus = around_.pose_of(plan_.nodes[plan_.bus_frame]);
    const Vec3<T> gravity = vec3<T>(plan_.gravity);
    const bool uniform =
        plan_.gravity[0] != 0.0 || plan_.gravity[1] != 0.0 || plan_.gravity[2] != 0.0;
    for (int k = 0; k < plan_.sensor_count; ++k) {
      const SensorPlan& b = plan_.sensors[k];
      const auto body = around_.pose_of(*b.frame);
      const typename Around::Math::Moving moving = motion_of(b, body.R);
      const Mat3<T> R = transposed_times(bus.R, body.R);
      const Vec3<T> origin = spatial::transposed_times(bus.R, body.p - bus.p);
      Turned<T> from_bus{};
      if (!b.on_bus) from_bus = quaternion_of(R);
      for (std::size_t i = 0; i < b.nodes->nodes; ++i) {
        const SensedNode<T> n = Around::Math::sense(*b.nodes, i, moving, true);
        const Turned<T> from_body{n.q, n.s},
            attitude = b.on_bus ? from_body : product(from_body, from_bus);
        Vec3<T> felt = n.acceleration;
        if (uniform || plan_.mu != 0.0) {
          Vec3<T> g = gravity;
          if (plan_.mu != 0.0) {
            const Vec3<T> r = body.p + times(body.R, n.p);
            const T r2 = dot(r, r);
            g += r * T(constant<T>(-plan_.mu) / (r2 * spatial::square_root(r2)));
          }
          felt -= to_body(from_body, spatial::transposed_times(body.R, g));
        }
        T* reading = out(to) + reading_size * static_cast<int>(b.sensors[i]);
        put3(reading, 1, b.on_bus ? n.p : times(R, n.p) + origin);
        put3(reading + 3, 1, attitude.v);
        reading[6] = attitude.s;
        put3(reading + 7, 1, n.rate);
        put3(reading + 10, 1, n.velocity);
        put3(reading + 13, 1, n.rate_change);
        put3(reading + 16, 1, n.acceleration);
        put3(reading + 19, 1, felt);
      }
    }
  }

  /// Spacecraft::totals() without central gravity.
  void totals(double* to) const noexcept {
    const T o = constant<T>(0.0), half = constant<T>(0.5);
    T mass = o, kinetic = o, deformation = o, springs = o;
    Vec3<T> momentum = zero3<T>(), angular = zero3<T>(), moment = zero3<T>();
    for (int k = 0; k < layout_.count; ++k) {
      const TreeLink& link = layout_.links[k];
      const Vec6<T>& V = work_.links[k].V;
      const T m = masses_[k].m;
      Vec3<T> s = moment_of<T>(masses_[k]);
      Sym3<T> J = inertia_of<T>(masses_[k]);
      if (link.modes > 0) {
        s = work_.modal[link.mode].s;
        J = work_.modal[link.mode].J;
      }
      Vec6<T> y = {J * V.a + cross(s, V.l), V.l * m + cross(V.a, s)};
      T twice = o;
      if (link.modes > 0) deform(link, V, y, twice, deformation);
      twice += dot(y, V);
      for (int i = 0; i < link.speeds; ++i)
        twice += constant<T>(link.rotor[i]) * u_[link.u + i] * u_[link.u + i];
      kinetic += half * twice;
      const Mat3<T> R = mat3_of(in(at_.R) + 9 * k);
      const Vec3<T> P = R * y.l, r = vec3_of(in(at_.p) + 3 * k);
      mass += m;
      momentum += P;
      angular += R * y.a + cross(r, P);
      moment += r * m + R * s;
    }
    const T potential = -dot(moment, vec3<T>(plan_.gravity));
    for (int i = 0; i < plan_.rotor_count; ++i) {
      const T h = in(at_.momentum)[i];
      kinetic += h * h / (constant<T>(2.0) * in(at_.rotors)[2 * i]);
      const NodeRecord& record = *plan_.rotors[i].node;
      Mat3<T> R = node_of(layout_, record, q_, u_).R;
      if (record.link >= 0) R = mat3_of(in(at_.R) + 9 * record.link) * R;
      for (T& x : R.a) x *= h;  // Eigen computes h (R g) as (h R) g
      angular += times(R, vec3<T>(plan_.rotors[i].axis));
    }
    for (int i = 0; i < plan_.law_count; ++i) {
      const LawPlan& l = plan_.laws[i];
      if (l.q < 0) continue;
      const T q = q_[l.q], x = q - constant<T>(l.rest), d = beyond(l, q);
      springs += half * (in(at_.laws)[3 * i] * x * x + constant<T>(l.stop_stiffness) * d * d);
    }
    for (int i = 0; i < plan_.softer_count; ++i) {
      const T q = q_[plan_.softer[2 * i]];
      deformation += half * in(at_.softer)[2 * i] * q * q;
    }
    T* t = out(to);
    t[total_mass] = mass;
    t[total_kinetic] = kinetic;
    t[total_deformation] = deformation;
    t[total_springs] = springs;
    t[total_gravitational] = potential;
    t[total_energy] = kinetic + deformation + springs + potential;
    const auto some = mass > o;
    const auto by_mass = [&](const Vec3<T>& v) noexcept -> Vec3<T> {
      return {select(some, T(v.x / mass), o), select(some, T(v.y / mass), o),
              select(some, T(v.z / mass), o)};
    };
    put3(t + total_momentum, 1, momentum);
    put3(t + total_angular_momentum, 1, angular);
    put3(t + total_centre, 1, by_mass(moment));
    put3(t + total_centre_velocity, 1, by_mass(momentum));
  }

 private:
  static const T* in(const double* p) noexcept { return reinterpret_cast<const T*>(p); }
  static T* out(double* p) noexcept { return reinterpret_cast<T*>(p); }

  /// The part of the modes in momentum, twice the kinetic energy, and deformation energy.
  void deform(const TreeLink& link, const Vec6<T>& V, Vec6<T>& y, T& twice,
              T& deformation) const noexcept {
    const int n = link.modes;
    const ModalConstants c(layout_.numbers + link.constants, n);
    const T *eta = q_ + link.q_modes, *rate = u_ + link.u_modes;
    for (int i = 0; i < n; ++i) {
      const Vec6<T> by = coupling(layout_, link, work_, i);
      y += by * rate[i];
      T modal = dot(by, V);
      for (int l = 0; l < n; ++l) {
        const int high = i > l ? i : l, low = i > l ? l : i;
        modal += constant<T>(c.mass[high * (high + 1) / 2 + low]) * rate[l];
        deformation += constant<T>(0.5) * eta[i] * constant<T>(c.K[n * i + l]) * eta[l];
      }
      twice += modal * rate[i];
    }
  }

  /// The motion of the frame of a body, whose axes are R in the ground frame, for its sensors.
  typename Around::Math::Moving motion_of(const SensorPlan& b, const Mat3<T>& R) const noexcept {
    const MovingNode<T> node = node_of(layout_, *b.frame, q_, u_);
    const LinkState<T>& s = work_.links[b.frame->link];
    const Vec6<T> v = node_motion(node, s.V), own = rotated_back(node.R, v);
    // Tree::acceleration(): from the derivative of components to the true acceleration.
    Vec6<T> a = motion_at(s.A, node.p);
    a.l += cross(v.a, v.l);
    a = rotated_back(node.R, a);
    a.l += spatial::transposed_times(R, vec3<T>(plan_.gravity));
    const T *eta = q_ + b.first_q, *rate = u_ + b.first_u, *change = udot_ + b.first_u;
    if (b.shortens) {
      // put_products()
      const std::size_t slides = b.nodes->slides;
      T *to = out(at_.products), *to_rate = to + slides, *to_change = to_rate + slides;
      std::size_t pair = b.modes;
      for (std::size_t i = 0; i < b.modes; ++i) {
        to[i] = eta[i];
        to_rate[i] = rate[i];
        to_change[i] = change[i];
        for (std::size_t l = 0; l <= i; ++l, ++pair) {
          const T share = constant<T>(l < i ? 1.0 : 0.5);
          to[pair] = share * eta[i] * eta[l];
          to_rate[pair] = share * (rate[i] * eta[l] + eta[i] * rate[l]);
          to_change[pair] = share * (change[i] * eta[l] + constant<T>(2.0) * rate[i] * rate[l] +
                                     eta[i] * change[l]);
        }
      }
      eta = to;
      rate = to_rate;
      change = to_change;
    }
    return {own.a, own.l, a.a, a.l, eta, rate, change};
  }

  const LayoutView& layout_;
  const SurroundingsPlan& plan_;
  const SurroundingsPoint& at_;
  const Workspace<T>& work_;
  const MassOf<T>* masses_;
  const Around& around_;
  const T *q_, *u_, *udot_;
};

/// Evaluation::Data::reaction() of a general tree.
template <class T>
inline Vec6<T> reaction_of(const LayoutView& layout, const MassOf<T>* masses,
                           const Workspace<T>& work, bool prescribed, int k) noexcept {
  const TreeLink& link = layout.links[k];
  const LinkState<T>& s = work.links[k];
  if (prescribed || !turns_freely_at_the_end(link)) return s.P * s.a0 + s.z;
  // F = P a0 + z with P - U gᵀ, which gather_leaf() does not store.
  const Vec3<T> s0 = moment_of<T>(masses[k]);
  const Sym3<T> J0 = inertia_of<T>(masses[k]);
  const Vec6<T> U = about_z(s0, J0), &g = work.columns[link.column].g;
  return rigid(mass_of<T>(masses[k]), s0, J0) * s.a0 - U * dot(g, s.a0) + s.z;
}

}  // namespace VERNIER_INSTRUCTIONS
}  // namespace vernier::multibody::detail
