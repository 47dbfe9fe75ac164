#pragma once

#include <bit>
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <random>
#include <span>
#include <vector>

#include "vernier/kernel/elementary/elementary.hpp"
#include "vernier/kernel/expression/detail/operations.hpp"
#include "vernier/kernel/expression/expression.hpp"
#include "vernier/kernel/expression/program.hpp"

namespace vernier::expression {

/// Equal to the bit; NaN are all one value, since their sign and payload depend on the order in
/// which an instruction takes its operands.
inline bool same_bits(double a, double b) {
  return (std::isnan(a) && std::isnan(b)) ||
         std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

/// The value of each term up to the last, straight from the definition of its operation: the oracle
/// of all back ends. `Real` may be a complex number, for the operations that make sense there.
template <class Real>
std::vector<Real> tree_values(const Graph& g, std::span<const Real> inputs) {
  using namespace std;
  // of numbers; those of complex ones are found by their arguments
  using elementary::acos;
  using elementary::asin;
  using elementary::atan;
  using elementary::atan2;
  using elementary::cos;
  using elementary::cosh;
  using elementary::exp;
  using elementary::hypot;
  using elementary::log;
  using elementary::log10;
  using elementary::pow;
  using elementary::sin;
  using elementary::sinh;
  using elementary::tan;
  using elementary::tanh;
  vector<Real> v(g.size());
  const auto truth = [](bool t) { return Real(t ? 1.0 : 0.0); };
  const auto real = [](Real x) { return std::real(x); };
  for (Term t = 0; t < g.size(); ++t) {
    const Node& n = g[t];
    const Real a = v[n.a], b = v[n.b], c = v[n.c];
    switch (n.operation) {
      case Operation::constant:
        v[t] = n.value;
        break;
      case Operation::symbol:
        v[t] = inputs[n.symbol];
        break;
      case Operation::add:
        v[t] = a + b;
        break;
      case Operation::subtract:
        v[t] = a - b;
        break;
      case Operation::multiply:
        v[t] = a * b;
        break;
      case Operation::divide:
        v[t] = a / b;
        break;
      case Operation::negate:
        v[t] = -a;
        break;
      case Operation::power:
        v[t] = pow(a, b);
        break;
      case Operation::sin:
        v[t] = sin(a);
        break;
      case Operation::cos:
        v[t] = cos(a);
        break;
      case Operation::tan:
        v[t] = tan(a);
        break;
      case Operation::asin:
        v[t] = asin(a);
        break;
      case Operation::acos:
        v[t] = acos(a);
        break;
      case Operation::atan:
        v[t] = atan(a);
        break;
      case Operation::atan2:
        if constexpr (is_same_v<Real, double>)
          v[t] = atan2(a, b);
        else
          v[t] = atan(a / b);  // in the right half plane
        break;
      case Operation::sinh:
        v[t] = sinh(a);
        break;
      case Operation::cosh:
        v[t] = cosh(a);
        break;
      case Operation::tanh:
        v[t] = tanh(a);
        break;
      case Operation::exp:
        v[t] = exp(a);
        break;
      case Operation::log:
        v[t] = log(a);
        break;
      case Operation::log10:
        v[t] = log10(a);
        break;
      case Operation::sqrt:
        v[t] = sqrt(a);
        break;
      case Operation::abs:
        if constexpr (is_same_v<Real, double>)
          v[t] = fabs(a);
        else
          v[t] = real(a) < 0 ? -a : a;
        break;
      case Operation::sign:
        v[t] = real(a) < 0 ? Real(-1) : real(a) > 0 ? Real(1) : a;
        break;
      case Operation::floor:
        v[t] = floor(real(a));
        break;
      case Operation::ceil:
        v[t] = ceil(real(a));
        break;
      case Operation::minimum:
        v[t] = real(a) < real(b) ? a : b;
        break;
      case Operation::maximum:
        v[t] = real(a) > real(b) ? a : b;
        break;
      case Operation::hypot:
        if constexpr (is_same_v<Real, double>)
          v[t] = hypot(a, b);
        else
          v[t] = sqrt(a * a + b * b);
        break;
      case Operation::less:
        v[t] = truth(real(a) < real(b));
        break;
      case Operation::less_equal:
        v[t] = truth(real(a) <= real(b));
        break;
      case Operation::greater:
        v[t] = truth(real(a) > real(b));
        break;
      case Operation::greater_equal:
        v[t] = truth(real(a) >= real(b));
        break;
      case Operation::equal:
        v[t] = truth(real(a) == real(b));
        break;
      case Operation::not_equal:
        v[t] = truth(real(a) != real(b));
        break;
      case Operation::logical_and:
        v[t] = truth(real(a) != 0.0 && real(b) != 0.0);
        break;
      case Operation::logical_or:
        v[t] = truth(real(a) != 0.0 || real(b) != 0.0);
        break;
      case Operation::logical_not:
        v[t] = truth(real(a) == 0.0);
        break;
      case Operation::select:
        v[t] = real(a) != 0.0 ? b : c;
        break;
    }
  }
  return v;
}

constexpr Operation first_operation = Operation::add, last_operation = Operation::select;

/// Numbers that break careless code: both zeros, infinities, NaN, subnormals, extremes, and
/// ordinary ones.
inline double hostile(std::mt19937_64& random) {
  using L = std::numeric_limits<double>;
  constexpr double corners[] = {0.0,
                                -0.0,
                                1.0,
                                -1.0,
                                0.5,
                                2.0,
                                L::infinity(),
                                -L::infinity(),
                                L::quiet_NaN(),
                                L::denorm_min(),
                                -L::denorm_min(),
                                L::min(),
                                L::max(),
                                -L::max(),
                                1e-310,
                                -3e-320,
                                L::epsilon(),
                                4503599627370496.5,
                                -2.5,
                                1e17,
                                709.0,
                                3.141592653589793};
  if (random() % 3 == 0) return corners[random() % std::size(corners)];
  return std::normal_distribution<double>(0.0, random() % 4 == 0 ? 1e3 : 1.5)(random);
}

/// Where the lanes of each input are that stand one after another.
inline std::vector<const double*> lane_inputs(const std::vector<double>& in) {
  std::vector<const double*> at;
  for (std::size_t i = 0; i < in.size(); i += Program::lanes) at.push_back(&in[i]);
  return at;
}

/// A graph of about `operations` random operations over `inputs` symbols, constants among them.
inline std::vector<Term> random_terms(Graph& g, std::mt19937_64& random, std::uint32_t inputs,
                                      int operations) {
  std::vector<Term> made;
  for (std::uint32_t i = 0; i < inputs; ++i) made.push_back(g.symbol(i));
  // rather what was made lately, so that the graph gets deep
  const auto pick = [&] {
    if (random() % 12 == 0) return g.constant(hostile(random));
    const std::size_t n = made.size();
    return made[random() % 2 == 0 ? random() % n : n - 1 - random() % std::min<std::size_t>(n, 8)];
  };
  for (int i = 0; i < operations; ++i) {
    const auto span =
        static_cast<unsigned>(last_operation) - static_cast<unsigned>(first_operation) + 1;
    // sums and products often, as in models
    const auto o = static_cast<unsigned>(random() % (random() % 2 == 0 ? 4 : span));
    const auto operation = static_cast<Operation>(static_cast<unsigned>(first_operation) + o);
    const Term a = pick(), b = pick(), c = pick();
    made.push_back(g.apply(operation, a, b, c));
  }
  return made;
}

}  // namespace vernier::expression
