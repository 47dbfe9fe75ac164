#pragma once

#include "vernier/kernel/elementary/circular.hpp"
#include "vernier/kernel/elementary/exponential.hpp"
#include "vernier/kernel/hybrid/lane_table.hpp"

/// Models written once, as templates over the kind of number: a double, lanes of them, or either
/// with its rate. A model M is made from its data, M::Data, which do not depend on what code is
/// compiled for. It has the most elements of its vectors as constants (states, inputs, outputs,
/// atoms), how many it has now (n, m, p, g), and templates flow, output and guards of
/// (numbers, t, x, mode, u, result).
///
/// Numbers are what the equations need of the parameters. Data has those that were given (`given`,
/// lane_table.hpp) and their Numbers<double> (`numbers`); M::numbers(data, given) computes them of
/// any kind of number. A model whose parameters are all fixed uses the stored ones; both have the
/// same bits, being of the same source. See elementary/lanes.hpp for what may be included here.
namespace vernier::hybrid {
inline namespace VERNIER_INSTRUCTIONS {

using elementary::constant;
using elementary::Lanes;
using elementary::select;
using elementary::sine_cosine;
using elementary::square_root;

/// A number and its rate along a direction.
template <class T>
struct Moving {
  T v, d;

  Moving() = default;
  VERNIER_INLINE Moving(const T& value, const T& rate) : v(value), d(rate) {}
  VERNIER_INLINE explicit Moving(double x) : v(constant<T>(x)), d(constant<T>(0.0)) {}
};
#define VERNIER_OF_MOVING \
  template <class T>      \
  VERNIER_INLINE
VERNIER_OF_MOVING Moving<T> operator+(const Moving<T>& a, const Moving<T>& b) noexcept {
  return {a.v + b.v, a.d + b.d};
}
VERNIER_OF_MOVING Moving<T> operator-(const Moving<T>& a, const Moving<T>& b) noexcept {
  return {a.v - b.v, a.d - b.d};
}
VERNIER_OF_MOVING Moving<T> operator-(const Moving<T>& a) noexcept { return {-a.v, -a.d}; }
VERNIER_OF_MOVING Moving<T> operator*(const Moving<T>& a, const Moving<T>& b) noexcept {
  return {a.v * b.v, a.d * b.v + a.v * b.d};
}
VERNIER_OF_MOVING Moving<T> operator/(const Moving<T>& a, const Moving<T>& b) noexcept {
  const T q = a.v / b.v;
  return {q, (a.d - q * b.d) / b.v};
}
VERNIER_OF_MOVING auto operator<(const Moving<T>& a, const Moving<T>& b) noexcept {
  return a.v < b.v;
}
VERNIER_OF_MOVING auto operator>(const Moving<T>& a, const Moving<T>& b) noexcept {
  return a.v > b.v;
}
template <class M, class T>
VERNIER_INLINE Moving<T> select(const M& m, const Moving<T>& a, const Moving<T>& b) noexcept {
  return {elementary::select(m, a.v, b.v), elementary::select(m, a.d, b.d)};
}
/// Zero has the rate zero, where there is none.
VERNIER_OF_MOVING Moving<T> square_root(const Moving<T>& a) noexcept {
  const T r = elementary::square_root(a.v), zero = constant<T>(0.0);
  return {r, elementary::select(r > zero, T(a.d / (r + r)), zero)};
}
VERNIER_OF_MOVING void sine_cosine(const Moving<T>& a, Moving<T>& s, Moving<T>& c) noexcept {
  elementary::sine_cosine(a.v, s.v, c.v);
  s.d = c.v * a.d;
  c.d = -(s.v * a.d);
}
VERNIER_OF_MOVING Moving<T> hyperbolic_tangent(const Moving<T>& a) noexcept {
  const T r = elementary::hyperbolic_tangent(a.v);
  return {r, (constant<T>(1.0) - r * r) * a.d};
}
#undef VERNIER_OF_MOVING
using elementary::hyperbolic_tangent;

/// As std::min and std::max: the first where they are equal or do not compare.
template <class S>
VERNIER_INLINE S least(const S& a, const S& b) noexcept {
  return select(b < a, b, a);
}
template <class S>
VERNIER_INLINE S most(const S& a, const S& b) noexcept {
  return select(a < b, b, a);
}

/// A number of a model: fixed, or of the kind that is computed with.
template <class S, class X>
VERNIER_INLINE S as(const X& x) noexcept {
  if constexpr (std::is_same_v<S, X>) {
    return x;
  } else {
    return constant<S>(x);
  }
}

/// What models without states and conditions have.
struct Stateless {
  static constexpr int states = 0, atoms = 0;
  static VERNIER_INLINE int n() noexcept { return 0; }
  static VERNIER_INLINE int g() noexcept { return 0; }
  template <class N, class S>
  VERNIER_INLINE void flow(const N&, const S&, const S*, const int*, const S*, S*) const noexcept {}
  template <class N, class S>
  VERNIER_INLINE void guards(const N&, const S&, const S*, const int*, const S*,
                             S*) const noexcept {}
};

template <int W, class M>
struct LaneCode {
  using T = Lanes<W>;
  using S = Moving<T>;
  using Data = typename M::Data;
  static constexpr int eight = 8;

  static VERNIER_INLINE T loaded(const double* from) noexcept {
    T v;
    __builtin_memcpy(&v, from, sizeof v);
    return v;
  }
  static VERNIER_INLINE void stored(const T& v, double* to) noexcept {
    __builtin_memcpy(to, &v, sizeof v);
  }

  /// What was given, with what p has in place of it; `at(p, i)` gives an element.
  template <class N, class At>
  static VERNIER_INLINE void given(const Data& data, const At& at, N* to) noexcept {
    for (int i = 0; i < M::parameters; ++i)
      to[i] =
          data.given.kept(i) ? at(data.given.symbol[i] - 1) : N(constant<N>(data.given.value[i]));
  }

  // `call(numbers, t, x, u, r)`, for each group of lanes
  template <int most_results, class Call>
  static VERNIER_INLINE void values(const M& m, const Data& data,
                                    const typename LaneTable<Data>::At& at, int results, double* to,
                                    const Call& call) noexcept {
    for (int g = 0; g < eight; g += W) {
      T xs[M::states + 1], us[M::inputs + 1], r[most_results + 1];
      for (int i = 0; i < m.n(); ++i) xs[i] = loaded(at.x + i * eight + g);
      for (int i = 0; i < m.m(); ++i) us[i] = loaded(at.u + i * eight + g);
      const T t = loaded(at.t + g);
      if (data.given.adjustable == 0) {
        call(data.numbers, t, xs, us, r);
      } else {
        T ps[M::parameters + 1];
        given(
            data, [&](int i) VERNIER_LAMBDA { return loaded(at.p + i * eight + g); }, ps);
        call(M::numbers(data, ps), t, xs, us, r);
      }
      for (int i = 0; i < results; ++i) stored(r[i], to + i * eight + g);
    }
  }

  static void flow(const Data& data, const typename LaneTable<Data>::At& at, double* to) {
    const M m{data};
    values<M::states>(m, data, at, m.n(), to,
                      [&](const auto& n, const T& s, const T* xs, const T* us, T* r)
                          VERNIER_LAMBDA { m.flow(n, s, xs, at.mode, us, r); });
  }
  static void output(const Data& data, const typename LaneTable<Data>::At& at, double* to) {
    const M m{data};
    values<M::outputs>(m, data, at, m.p(), to,
                       [&](const auto& n, const T& s, const T* xs, const T* us, T* r)
                           VERNIER_LAMBDA { m.output(n, s, xs, at.mode, us, r); });
  }
  static void guards(const Data& data, const typename LaneTable<Data>::At& at, double* to) {
    const M m{data};
    values<M::atoms>(m, data, at, m.g(), to,
                     [&](const auto& n, const T& s, const T* xs, const T* us, T* r)
                         VERNIER_LAMBDA { m.guards(n, s, xs, at.mode, us, r); });
  }

  static void tangent(const Data& data, bool same, const typename LaneTable<Data>::At& point,
                      const typename LaneTable<Data>::Along& d,
                      const typename LaneTable<Data>::Wanted& wanted) {
    constexpr int a = M::states > M::outputs ? M::states : M::outputs;
    constexpr int most_results = a > M::atoms ? a : M::atoms;
    const M m{data};
    for (int g = 0; g < eight; g += W) {
      const auto at = [&](const double* p, const double* along, int i) VERNIER_LAMBDA {
        return S(same ? constant<T>(p[i]) : loaded(p + i * eight + g),
                 along ? loaded(along + i * eight + g) : constant<T>(0.0));
      };
      S xs[M::states + 1], us[M::inputs + 1], r[most_results + 1];
      const S s = at(point.t, d.t, 0);
      for (int i = 0; i < m.n(); ++i) xs[i] = at(point.x, d.x, i);
      for (int i = 0; i < m.m(); ++i) us[i] = at(point.u, d.u, i);
      const auto put = [&](int results, double* to) VERNIER_LAMBDA {
        for (int i = 0; i < results; ++i) stored(r[i].d, to + i * eight + g);
      };
      const auto follow = [&](const auto& n) VERNIER_LAMBDA {
        if (wanted.xdot) {
          m.flow(n, s, xs, point.mode, us, r);
          put(m.n(), wanted.xdot);
        }
        if (wanted.y) {
          m.output(n, s, xs, point.mode, us, r);
          put(m.p(), wanted.y);
        }
        if (wanted.z) {
          m.guards(n, s, xs, point.mode, us, r);
          put(m.g(), wanted.z);
        }
      };
      if (data.given.adjustable == 0) {
        follow(data.numbers);
      } else {
        S ps[M::parameters + 1];
        given(
            data, [&](int i) VERNIER_LAMBDA { return at(point.p, d.p, i); }, ps);
        follow(M::numbers(data, ps));
      }
    }
  }

  static constexpr LaneTable<Data> table{&flow, &output, &guards, &tangent};
};

}  // namespace VERNIER_INSTRUCTIONS
}  // namespace vernier::hybrid
