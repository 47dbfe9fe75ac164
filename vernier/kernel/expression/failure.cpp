#include "vernier/kernel/expression/failure.hpp"

#include <cmath>
#include <cstdio>
#include <vector>

#include "vernier/kernel/expression/detail/functions.hpp"
#include "vernier/kernel/expression/detail/operations.hpp"

namespace vernier::expression {
namespace {

constexpr int deepest = 6;

std::string shown_value(double x) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", x);
  return text;
}

std::string_view function_name(Operation o) {
  for (const detail::Function& f : detail::functions())
    if (f.operation == o) return f.name;
  return "";
}

/// How an operator is written and how tightly it binds; no sign: a function.
struct WrittenAs {
  std::string_view sign;
  int level = 0;
};

WrittenAs operator_of(Operation o) {
  switch (o) {
    case Operation::logical_or:
      return {" or ", 1};
    case Operation::logical_and:
      return {" and ", 2};
    case Operation::less:
      return {" < ", 4};
    case Operation::less_equal:
      return {" <= ", 4};
    case Operation::greater:
      return {" > ", 4};
    case Operation::greater_equal:
      return {" >= ", 4};
    case Operation::equal:
      return {" == ", 4};
    case Operation::not_equal:
      return {" != ", 4};
    case Operation::add:
      return {" + ", 5};
    case Operation::subtract:
      return {" - ", 5};
    case Operation::multiply:
      return {"*", 6};
    case Operation::divide:
      return {"/", 6};
    case Operation::power:
      return {"^", 8};
    default:
      return {};
  }
}

class Writer {
 public:
  Writer(const Graph& g, const SymbolName& name) : graph_(g), name_(name) {}

  /// In parentheses where it binds less tightly than `level`.
  std::string text(Term t, int level, int depth) const {
    const Node& n = graph_[t];
    if (n.operation == Operation::symbol) return name_(n.symbol);
    if (n.operation == Operation::constant) return shown_value(n.value);
    if (depth == 0) return "…";
    const WrittenAs o = operator_of(n.operation);
    if (!o.sign.empty()) {
      std::string s = text(n.a, o.level, depth - 1);
      s += o.sign;
      s += text(n.b, o.level + 1, depth - 1);
      return o.level < level ? "(" + s + ")" : s;
    }
    if (n.operation == Operation::negate) return "-" + text(n.a, 7, depth - 1);
    if (n.operation == Operation::logical_not) return "not " + text(n.a, 3, depth - 1);
    std::string s(n.operation == Operation::select ? "if" : function_name(n.operation));
    s += "(" + text(n.a, 0, depth - 1);
    if (arity(n.operation) > 1) s += ", " + text(n.b, 0, depth - 1);
    if (arity(n.operation) > 2) s += ", " + text(n.c, 0, depth - 1);
    return s + ")";
  }

 private:
  const Graph& graph_;
  const SymbolName& name_;
};

/// Values of all that a term is made of.
std::vector<double> values(const Graph& g, Term root, std::span<const double> symbols) {
  std::vector<double> all(g.size());
  for (const Term t : detail::reachable(g, std::span(&root, 1))) {
    const Node& n = g[t];
    all[t] = n.operation == Operation::constant ? n.value
             : n.operation == Operation::symbol
                 ? symbols[n.symbol]
                 : detail::evaluate(n.operation, all[n.a], all[n.b], all[n.c]);
  }
  return all;
}

/// From a term that is not finite down to an operation on finite numbers.
Term culprit(const Graph& g, Term t, const std::vector<double>& value) {
  const auto bad = [&](Term operand) { return !std::isfinite(value[operand]); };
  while (true) {
    const Node& n = g[t];
    const int operands = arity(n.operation);
    if (n.operation == Operation::select)
      t = value[n.a] != 0.0 ? n.b : n.c;
    else if (operands > 0 && bad(n.a))
      t = n.a;
    else if (operands > 1 && bad(n.b))
      t = n.b;
    else
      return t;
  }
}

}  // namespace

std::string written(const Graph& g, Term t, const SymbolName& name) {
  return Writer(g, name).text(t, 0, deepest);
}

std::optional<std::string> failure(const Graph& g, Term t, std::span<const double> symbols,
                                   const SymbolName& name) {
  const std::vector<double> value = values(g, t, symbols);
  if (std::isfinite(value[t])) return {};
  const Term bad = culprit(g, t, value);
  const Node& n = g[bad];
  const Writer w(g, name);
  const auto is = [&](Term operand) {
    std::string what = w.text(operand, 0, deepest);
    if (g[operand].operation != Operation::constant) what += " is " + shown_value(value[operand]);
    return what;
  };
  const double a = arity(n.operation) > 0 ? value[n.a] : 0.0;
  const bool nan = std::isnan(value[bad]);
  switch (n.operation) {
    case Operation::symbol:
      return name(n.symbol) + " is " + shown_value(symbols[n.symbol]);
    case Operation::constant:
      return "its constants alone give " + shown_value(n.value);
    case Operation::divide:
      if (value[n.b] == 0.0) return "division by zero: " + is(n.b);
      break;
    case Operation::power:
      if (a == 0.0)
        return "division by zero: " + is(n.a) + ", to the power of " + shown_value(value[n.b]);
      if (nan)
        return "a negative number has no power of " + shown_value(value[n.b]) + ": " + is(n.a);
      break;
    case Operation::sqrt:
    case Operation::log:
    case Operation::log10:
    case Operation::asin:
    case Operation::acos:
      return std::string(function_name(n.operation)) + " has no value there: " + is(n.a);
    default:
      break;
  }
  std::string text = "overflow: " + w.text(bad, 0, deepest) + " is beyond 1.8e308";
  if (arity(n.operation) > 0) text += "; " + is(n.a);
  if (arity(n.operation) > 1) text += ", " + is(n.b);
  return text;
}

}  // namespace vernier::expression
