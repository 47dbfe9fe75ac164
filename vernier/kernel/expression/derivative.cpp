#include <numbers>

#include "vernier/kernel/expression/detail/operations.hpp"
#include "vernier/kernel/expression/expression.hpp"

namespace vernier::expression {
namespace {

// Nothing stands for a rate that is identically zero, so that no terms are made for it.
using Rate = std::optional<Term>;

// Forward differentiation on the graph: the rate of a term from the rates of its operands, by the
// chain rule. Terms that already exist (tan, exp, sqrt, quotients) are reused in their own
// derivatives.
class ChainRule {
 public:
  explicit ChainRule(Graph& graph) : g_(graph) {}

  Rate rate(Term t, Rate da, Rate db, Rate dc) {
    const Node n = g_[t];  // a copy: the graph grows below
    const Term a = n.a, b = n.b;
    if (!da && !db && !dc) return {};
    switch (n.operation) {
      case Operation::add:
        return sum(da, db);
      case Operation::subtract:
        return difference(da, db);
      case Operation::multiply:
        return sum(times(da, b), times(db, a));
      case Operation::divide:
        return over(difference(da, times(db, t)), b);
      case Operation::negate:
        return negated(da);
      case Operation::power:
        return sum(power_of_base(n, da), power_of_exponent(t, n, db));
      case Operation::sin:
        return times(da, apply(Operation::cos, a));
      case Operation::cos:
        return negated(times(da, apply(Operation::sin, a)));
      case Operation::tan:
        return times(da, apply(Operation::add, one(), square(t)));
      case Operation::asin:
        return over(da, apply(Operation::sqrt, one_minus_square(a)));
      case Operation::acos:
        return negated(over(da, apply(Operation::sqrt, one_minus_square(a))));
      case Operation::atan:
        return over(da, apply(Operation::add, one(), square(a)));
      case Operation::atan2:
        return over(difference(times(da, b), times(db, a)),
                    apply(Operation::add, square(a), square(b)));
      case Operation::sinh:
        return times(da, apply(Operation::cosh, a));
      case Operation::cosh:
        return times(da, apply(Operation::sinh, a));
      case Operation::tanh:
        return times(da, one_minus_square(t));
      case Operation::exp:
        return times(da, t);
      case Operation::log:
        return over(da, a);
      case Operation::log10:
        return over(da, apply(Operation::multiply, a, g_.constant(std::numbers::ln10)));
      case Operation::sqrt:
        return over_unless_zero(times(da, g_.constant(0.5)), t);
      case Operation::hypot:
        return over_unless_zero(sum(times(da, a), times(db, b)), t);
      case Operation::abs:
        return chosen(apply(Operation::less, a, g_.constant(0.0)), negated(da), da);
      case Operation::minimum:
        return chosen(apply(Operation::less, a, b), da, db);
      case Operation::maximum:
        return chosen(apply(Operation::greater, a, b), da, db);
      case Operation::select:
        return chosen(a, db, dc);
      default:
        return {};  // sign, floor, ceil, comparisons, logic: piecewise constant
    }
  }

 private:
  Term apply(Operation o, Term a, Term b = 0, Term c = 0) { return g_.apply(o, a, b, c); }
  Term one() { return g_.constant(1.0); }
  Term square(Term t) { return apply(Operation::multiply, t, t); }
  Term one_minus_square(Term t) { return apply(Operation::subtract, one(), square(t)); }

  Rate sum(Rate x, Rate y) {
    if (!x) return y;
    if (!y) return x;
    return apply(Operation::add, *x, *y);
  }
  Rate difference(Rate x, Rate y) {
    if (!y) return x;
    if (!x) return negated(y);
    return apply(Operation::subtract, *x, *y);
  }
  Rate negated(Rate x) {
    if (!x) return x;
    return apply(Operation::negate, *x);
  }
  Rate times(Rate x, Term y) {
    if (!x) return x;
    return apply(Operation::multiply, *x, y);
  }
  Rate over(Rate x, Term y) {
    if (!x) return x;
    return apply(Operation::divide, *x, y);
  }
  // The derivative of the branch that is active.
  Rate chosen(Term condition, Rate x, Rate y) {
    if (!x && !y) return {};
    const Term zero = g_.constant(0.0);
    return apply(Operation::select, condition, x.value_or(zero), y.value_or(zero));
  }
  // Roots have no finite slope at zero. If the argument does not move there, the rate is 0, not
  // 0/0.
  Rate over_unless_zero(Rate x, Term y) {
    if (!x) return x;
    return apply(Operation::select, apply(Operation::equal, *x, g_.constant(0.0)), *x,
                 apply(Operation::divide, *x, y));
  }

  // b a^(b-1) a'
  Rate power_of_base(const Node& n, Rate da) {
    if (!da) return da;
    const Term less_one = apply(Operation::subtract, n.b, one());
    return times(times(da, apply(Operation::power, n.a, less_one)), n.b);
  }
  // a^b log(a) b'. At a = 0 it is set to its limit for b > 0, which is 0.
  Rate power_of_exponent(Term t, const Node& n, Rate db) {
    if (!db) return db;
    const Term zero = g_.constant(0.0);
    const Rate slope = times(times(db, t), apply(Operation::log, n.a));
    return apply(Operation::select, apply(Operation::equal, n.a, zero), zero, *slope);
  }

  Graph& g_;
};

}  // namespace

Term Graph::tangent(Term t, const std::function<std::optional<Term>(std::uint32_t)>& seed) {
  return tangent(std::span<const Term>(&t, 1), seed)[0];
}

std::vector<Term> Graph::tangent(std::span<const Term> wanted,
                                 const std::function<std::optional<Term>(std::uint32_t)>& seed) {
  const std::vector<Term> terms = detail::reachable(*this, wanted);
  std::vector<Rate> rates(terms.empty() ? 0 : terms.back() + 1);
  ChainRule rule(*this);
  // Terms are ascending, so the rates of operands are known here.
  for (const Term k : terms) {
    const Node n = nodes_[k];
    if (n.operation == Operation::symbol) {
      rates[k] = seed(n.symbol);
      continue;
    }
    const int operands = arity(n.operation);
    if (operands == 0) continue;
    rates[k] = rule.rate(k, rates[n.a], operands > 1 ? rates[n.b] : Rate{},
                         operands > 2 ? rates[n.c] : Rate{});
  }
  std::vector<Term> result;
  result.reserve(wanted.size());
  for (const Term t : wanted)
    result.push_back(t == no_term ? no_term : rates[t] ? *rates[t] : constant(0.0));
  return result;
}

Term Graph::derivative(Term t, std::uint32_t symbol) {
  const Term one = constant(1.0);
  return tangent(t, [&](std::uint32_t s) { return s == symbol ? Rate(one) : Rate(); });
}

}  // namespace vernier::expression
