#include <algorithm>
#include <bit>
#include <optional>

#include "vernier/base/require.hpp"
#include "vernier/kernel/expression/detail/operations.hpp"
#include "vernier/kernel/expression/expression.hpp"

namespace vernier::expression {
namespace {

// A 64-bit mixer (xor-shift, multiply): nodes that differ in one operand land far apart in the
// table.
std::uint64_t mixed(std::uint64_t h) noexcept {
  h ^= h >> 32;
  h *= 0xd6e8feb86659fd93u;
  h ^= h >> 32;
  h *= 0xd6e8feb86659fd93u;
  return h ^ (h >> 32);
}

std::uint64_t hash(const Node& n) noexcept {
  std::uint64_t h = mixed(static_cast<std::uint64_t>(n.operation) << 32 | n.symbol);
  h = mixed(h ^ (static_cast<std::uint64_t>(n.a) << 32 | n.b));
  return mixed(h ^ (std::bit_cast<std::uint64_t>(n.value) + n.c));
}

// Constants are compared by their bits: 0 and -0 are different terms, and NaN equals itself.
bool identical(const Node& x, const Node& y) noexcept {
  return x.operation == y.operation && x.a == y.a && x.b == y.b && x.c == y.c &&
         x.symbol == y.symbol &&
         std::bit_cast<std::uint64_t>(x.value) == std::bit_cast<std::uint64_t>(y.value);
}

bool is(const Node& n, double value) noexcept {
  return n.operation == Operation::constant &&
         std::bit_cast<std::uint64_t>(n.value) == std::bit_cast<std::uint64_t>(value);
}

// True for powers of two: 1/d is exact, so x/d and x*(1/d) are equal for every x.
bool exact_reciprocal(double d) noexcept {
  int exponent = 0;
  return std::isnormal(d) && std::isnormal(1.0 / d) && std::abs(std::frexp(d, &exponent)) == 0.5;
}

// Simplifies a term while it is built. Each rule preserves every bit of the result for all
// operands, including infinities, zeros of both signs and NaN. (x + 0 is kept: it turns -0 into 0.
// 0*x is kept: it may be NaN.)
class Rewriter {
 public:
  Rewriter(Graph& graph, Operation o, Term a, Term b, Term c) noexcept
      : graph_(graph), o_(o), a_(a), b_(b), c_(c) {}

  std::optional<Term> result() {
    if (o_ == Operation::power) {
      if (const auto t = power()) return t;
    }
    if (const auto t = folded()) return t;
    switch (o_) {
      case Operation::add:
        return sum();
      case Operation::subtract:
        return difference();
      case Operation::multiply:
        return multiplied();
      case Operation::divide:
        return divided();
      case Operation::negate:
        if (node(a_).operation == Operation::negate) return node(a_).a;
        return {};
      case Operation::abs:
        if (node(a_).operation == Operation::abs) return a_;
        if (node(a_).operation == Operation::negate) return apply(o_, node(a_).a);
        return {};
      case Operation::logical_and:
      case Operation::logical_or:
        return logical();
      case Operation::logical_not:
        if (node(a_).operation == Operation::logical_not && truth_valued(node(a_).a)) {
          return node(a_).a;
        }
        return {};
      case Operation::select:
        if (node(a_).operation == Operation::constant) return node(a_).value != 0.0 ? b_ : c_;
        if (b_ == c_) return b_;
        return {};
      default:
        return {};
    }
  }

 private:
  const Node& node(Term t) const { return graph_[t]; }
  bool truth_valued(Term t) const { return detail::truth_valued(node(t).operation); }
  Term apply(Operation o, Term a, Term b = 0) { return graph_.apply(o, a, b); }

  // Constant folding with the same functions that the programs call.
  std::optional<Term> folded() {
    const Term operands[3] = {a_, b_, c_};
    double value[3] = {};
    for (int i = 0; i < 3 && i < arity(o_); ++i) {
      if (node(operands[i]).operation != Operation::constant) return {};
      value[i] = node(operands[i]).value;
    }
    return graph_.constant(detail::evaluate(o_, value[0], value[1], value[2]));
  }

  std::optional<Term> sum() {
    if (is(node(a_), -0.0)) return b_;
    if (is(node(b_), -0.0)) return a_;
    if (node(b_).operation == Operation::negate) return apply(Operation::subtract, a_, node(b_).a);
    if (node(a_).operation == Operation::negate) return apply(Operation::subtract, b_, node(a_).a);
    return {};
  }

  std::optional<Term> difference() {
    if (is(node(b_), 0.0)) return a_;
    if (node(b_).operation == Operation::negate) return apply(Operation::add, a_, node(b_).a);
    return {};
  }

  std::optional<Term> multiplied() {
    for (const auto& [x, y] : {std::pair{a_, b_}, std::pair{b_, a_}}) {
      if (is(node(x), 1.0)) return y;
      if (is(node(x), -1.0)) return apply(Operation::negate, y);
    }
    return {};
  }

  std::optional<Term> divided() {
    if (is(node(b_), 1.0)) return a_;
    if (is(node(b_), -1.0)) return apply(Operation::negate, a_);
    if (node(b_).operation == Operation::constant && exact_reciprocal(node(b_).value)) {
      return apply(Operation::multiply, a_, graph_.constant(1.0 / node(b_).value));
    }
    return {};
  }

  // Powers with a small integer exponent or 1/2 are defined as products, quotients and roots. This
  // precedes folding, so that a constant base gives the same bits as a variable one.
  std::optional<Term> power() {
    if (node(b_).operation != Operation::constant) return {};
    const double p = node(b_).value;
    if (p == 0.5) return apply(Operation::sqrt, a_);
    if (std::abs(p) > 4.0 || p != std::floor(p)) return {};
    const Term one = graph_.constant(1.0);
    if (p == 0.0) return one;
    Term t = a_;
    if (std::abs(p) >= 2.0) t = apply(Operation::multiply, a_, a_);
    if (std::abs(p) == 3.0) t = apply(Operation::multiply, t, a_);
    if (std::abs(p) == 4.0) t = apply(Operation::multiply, t, t);
    return p > 0.0 ? t : apply(Operation::divide, one, t);
  }

  std::optional<Term> logical() {
    const bool decided_by =
        o_ == Operation::logical_or;  // the operand value that decides the result
    for (const auto& [x, y] : {std::pair{a_, b_}, std::pair{b_, a_}}) {
      if (node(x).operation != Operation::constant) continue;
      if ((node(x).value != 0.0) == decided_by) return graph_.constant(detail::truth(decided_by));
      if (truth_valued(y)) return y;
    }
    if (a_ == b_ && truth_valued(a_)) return a_;
    return {};
  }

  Graph& graph_;
  Operation o_;
  Term a_, b_, c_;
};

}  // namespace

Term Graph::constant(double value) {
  Node n{Operation::constant};
  n.value = value;
  return add_node(n);
}

Term Graph::symbol(std::uint32_t index) {
  Node n{Operation::symbol};
  n.symbol = index;
  return add_node(n);
}

Term Graph::apply(Operation o, Term a, Term b, Term c) {
  const int operands = arity(o);
  require(operands > 0 && a < size() && (operands < 2 || b < size()) &&
          (operands < 3 || c < size()));
  if (const auto t = Rewriter(*this, o, a, b, c).result()) return *t;
  if (operands < 2) b = 0;
  if (operands < 3) c = 0;
  // These commute to the bit; ordered operands make a*b and b*a one term.
  if ((o == Operation::add || o == Operation::multiply) && b < a) std::swap(a, b);
  return add_node({o, a, b, c});
}

// Hash consing: returns the existing node if there is an identical one. The table stores term + 1,
// 0 marks a free slot, and collisions probe linearly.
Term Graph::add_node(const Node& n) {
  // The table stays at most half full.
  if (table_.size() < 2 * (nodes_.size() + 1)) {
    table_.assign(std::max<std::size_t>(64, 2 * table_.size()), 0);
    for (std::size_t t = 0; t < nodes_.size(); ++t) {
      std::size_t i = hash(nodes_[t]) & (table_.size() - 1);
      while (table_[i] != 0) i = (i + 1) & (table_.size() - 1);
      table_[i] = static_cast<std::uint32_t>(t + 1);
    }
  }
  std::size_t i = hash(n) & (table_.size() - 1);
  for (; table_[i] != 0; i = (i + 1) & (table_.size() - 1)) {
    if (identical(nodes_[table_[i] - 1], n)) return table_[i] - 1;
  }
  require(nodes_.size() < 0xfffffffeu);
  nodes_.push_back(n);
  table_[i] = static_cast<std::uint32_t>(nodes_.size());
  return static_cast<Term>(nodes_.size() - 1);
}

std::vector<std::uint32_t> Graph::symbols(Term t) const {
  std::vector<std::uint32_t> found;
  for (const Term k : detail::reachable(*this, {&t, 1})) {
    if (nodes_[k].operation == Operation::symbol) found.push_back(nodes_[k].symbol);
  }
  std::sort(found.begin(), found.end());
  return found;
}

// Depth-first with an explicit stack: graphs are too deep for recursion. Sorting by number restores
// the order of evaluation, because operands have smaller numbers.
std::vector<Term> detail::reachable(const Graph& graph, std::span<const Term> from) {
  std::vector<bool> seen;
  std::vector<Term> found, open;
  const auto visit = [&](Term t) {
    if (t >= seen.size()) seen.resize(t + 1);
    if (seen[t]) return;
    seen[t] = true;
    found.push_back(t);
    open.push_back(t);
  };
  for (const Term t : from) {
    if (t == no_term) continue;
    require(t < graph.size());
    visit(t);
  }
  while (!open.empty()) {
    const Node& n = graph[open.back()];
    open.pop_back();
    const int operands = arity(n.operation);
    if (operands > 0) visit(n.a);
    if (operands > 1) visit(n.b);
    if (operands > 2) visit(n.c);
  }
  std::sort(found.begin(), found.end());
  return found;
}

// The left operand is pushed last and visited first, which gives the order written.
std::vector<Term> detail::comparisons(const Graph& graph, Term condition) {
  std::vector<Term> found;
  std::vector<bool> seen(condition + 1);
  std::vector<Term> open{condition};
  while (!open.empty()) {
    const Term t = open.back();
    open.pop_back();
    if (seen[t]) continue;
    seen[t] = true;
    const Node& n = graph[t];
    switch (n.operation) {
      case Operation::select:
        open.push_back(n.c);
        [[fallthrough]];
      case Operation::logical_and:
      case Operation::logical_or:
        open.push_back(n.b);
        [[fallthrough]];
      case Operation::logical_not:
        open.push_back(n.a);
        break;
      default:
        if (comparison(n.operation)) found.push_back(t);
    }
  }
  return found;
}

std::vector<Atom> atoms(const Graph& graph, Term condition) {
  std::vector<Atom> found;
  for (const Term t : detail::comparisons(graph, condition)) {
    found.push_back({graph[t].a, graph[t].b, graph[t].operation, 0, 0});
  }
  return found;
}

}  // namespace vernier::expression
