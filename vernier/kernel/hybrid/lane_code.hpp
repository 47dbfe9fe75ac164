#pragma once

#include "vernier/kernel/elementary/circular.hpp"
#include "vernier/kernel/elementary/exponential.hpp"
#include "vernier/kernel/hybrid/lane_table.hpp"

/// Models written once, as templates over the kind of number: a double, lanes of them, or either
/// with its rate. A model M is made from its data, M::Data, which do not depend on what code is
/// compiled for, and has templates flow, output and guards of (numbers, t, x, mode, u, result).
/// output() also gets which signals are wanted, before the result, and need not set others.
/// Elements of x and u are read by x[i], those of results written by r[i] = …, and x + k begins at
/// element k; nothing else is promised of them, since they may be in memory that all lanes share.
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

/// A number and its rate along a direction (forward differentiation).
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
/// At zero, where the derivative does not exist, the rate is zero.
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

/// The defaults for models without states and conditions.
struct Stateless {
  template <class N, class S, class X, class U, class R>
  VERNIER_INLINE void flow(const N&, const S&, const X&, const int*, const U&,
                           const R&) const noexcept {}
  template <class N, class S, class X, class U, class R>
  VERNIER_INLINE void guards(const N&, const S&, const X&, const int*, const U&,
                             const R&) const noexcept {}
};

/// Reads a vector for as many points as T has lanes, from blocks of eight points, beginning with
/// lane `first`: element i is at at[i], or at from[8 i] if `at` is null. `same`: one point in all
/// lanes, at from[i].
template <class T>
struct Elements {
  const double* from;
  const double* const* at = nullptr;
  int first = 0;
  bool same = false;

  VERNIER_INLINE T operator[](int i) const noexcept {
    if (same) return constant<T>(from[i]);
    T v;
    __builtin_memcpy(&v, (at != nullptr ? at[i] : from + i * 8) + first, sizeof v);
    return v;
  }
  VERNIER_INLINE Elements operator+(int i) const noexcept {
    return {same ? from + i : from + i * 8, at != nullptr ? at + i : nullptr, first, same};
  }
};
/// The same with rates `along` a direction; null: zero rates.
template <class T>
struct MovingElements {
  Elements<T> values, along;

  VERNIER_INLINE Moving<T> operator[](int i) const noexcept {
    return {values[i], along.from != nullptr ? along[i] : constant<T>(0.0)};
  }
  VERNIER_INLINE MovingElements operator+(int i) const noexcept {
    return {values + i, along.from != nullptr ? along + i : along};
  }
};
/// Receives results; for numbers with rates, only the rates.
template <class T, int stride>
struct Results {
  double* to;

  struct Element {
    double* to;
    VERNIER_INLINE void operator=(const T& v) const noexcept { __builtin_memcpy(to, &v, sizeof v); }
    VERNIER_INLINE void operator=(const Moving<T>& v) const noexcept {
      __builtin_memcpy(to, &v.d, sizeof v.d);
    }
  };
  VERNIER_INLINE Element operator[](int i) const noexcept { return {to + i * stride}; }
  VERNIER_INLINE Results operator+(int i) const noexcept { return {to + i * stride}; }
};

template <int W, class M>
struct LaneCode {
  static constexpr int eight = 8;
  using T = Lanes<W>;
  using In = Elements<T>;
  using Out = Results<T, eight>;
  using Data = typename M::Data;

  /// Calls `use` with the numbers of the model; `at(i)` is element i of p.
  template <class S, class At, class Use>
  static VERNIER_INLINE void with_numbers(const Data& data, const At& at, const Use& use) noexcept {
    if (data.given.adjustable == 0) return use(data.numbers);
    S given[M::parameters + 1];
    for (int i = 0; i < M::parameters; ++i)
      given[i] =
          data.given.kept(i) ? at(data.given.symbol[i] - 1) : S(constant<S>(data.given.value[i]));
    use(M::numbers(data, given));
  }

  // call(numbers, t, x, u, result) for all lanes of all blocks
  template <class Call>
  static VERNIER_INLINE void each(const Data& data, const LanePlace& at, const LaneBlocks& blocks,
                                  double* to, const Call& call) noexcept {
    for (std::size_t b = 0; b < blocks.count; ++b) {
      const double *t = at.t + b * blocks.t * eight, *x = at.x + b * blocks.x * eight;
      const double* u = at.u_at != nullptr ? nullptr : at.u + b * blocks.u * eight;
      const double* const* u_at = at.u_at != nullptr ? at.u_at + b * blocks.u : nullptr;
      const double* p = at.p + b * blocks.p * eight;
      double* const result = to + b * blocks.result * eight;
      for (int g = 0; g < eight; g += W)
        with_numbers<T>(
            data,
            [&](int i) VERNIER_LAMBDA {
              return In{p, nullptr, g}[i];
            },
            [&](const auto& n) VERNIER_LAMBDA {
              call(n, In{t, nullptr, g}[0], In{x, nullptr, g}, In{u, u_at, g}, Out{result + g});
            });
    }
  }

  static void flow(const Data& data, const LanePlace& at, const LaneBlocks& blocks, double* to) {
    each(data, at, blocks, to,
         [&](const auto& n, const T& t, const In& x, const In& u, const Out& r)
             VERNIER_LAMBDA { M{data}.flow(n, t, x, at.mode, u, r); });
  }
  static void output(const Data& data, const LanePlace& at, const LaneBlocks& blocks,
                     OutputSet wanted, double* to) {
    each(data, at, blocks, to,
         [&](const auto& n, const T& t, const In& x, const In& u, const Out& r)
             VERNIER_LAMBDA { M{data}.output(n, t, x, at.mode, u, wanted, r); });
  }
  static void guards(const Data& data, const LanePlace& at, const LaneBlocks& blocks, double* to) {
    each(data, at, blocks, to,
         [&](const auto& n, const T& t, const In& x, const In& u, const Out& r)
             VERNIER_LAMBDA { M{data}.guards(n, t, x, at.mode, u, r); });
  }

  static void tangent(const Data& data, bool same, const LanePlace& at,
                      const typename LaneTable<Data>::Along& d,
                      const typename LaneTable<Data>::Wanted& wanted) {
    const M m{data};
    for (int g = 0; g < eight; g += W) {
      const auto moving = [&](const double* p, const double* const* p_at, const double* along)
                              VERNIER_LAMBDA {
                                return MovingElements<T>{{p, p_at, g, same}, {along, nullptr, g}};
                              };
      const Moving<T> t = moving(at.t, nullptr, d.t)[0];
      const auto x = moving(at.x, nullptr, d.x), u = moving(at.u, at.u_at, d.u);
      const auto p = moving(at.p, nullptr, d.p);
      with_numbers<Moving<T>>(
          data, [&](int i) VERNIER_LAMBDA { return p[i]; },
          [&](const auto& n) VERNIER_LAMBDA {
            if (wanted.xdot) m.flow(n, t, x, at.mode, u, Out{wanted.xdot + g});
            if (wanted.y) m.output(n, t, x, at.mode, u, wanted.outputs, Out{wanted.y + g});
            if (wanted.z) m.guards(n, t, x, at.mode, u, Out{wanted.z + g});
          });
    }
  }

  static constexpr LaneTable<Data> table{&flow, &guards, &output, &tangent};
};

}  // namespace VERNIER_INSTRUCTIONS
}  // namespace vernier::hybrid
