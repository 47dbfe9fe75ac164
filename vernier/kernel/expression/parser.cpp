#include <algorithm>
#include <numbers>
#include <unordered_map>

#include "vernier/kernel/expression/detail/functions.hpp"
#include "vernier/kernel/expression/detail/lexer.hpp"
#include "vernier/kernel/expression/detail/operations.hpp"
#include "vernier/kernel/expression/detail/quantity.hpp"
#include "vernier/kernel/expression/expression.hpp"

namespace vernier::expression {
namespace {

using detail::Quantity;
using detail::Symbol;
using detail::Token;

constexpr std::size_t longest_text = std::size_t{64} * 1024;
constexpr int deepest_nesting = 1000;  // whatever the caller asks for: the stack is finite
constexpr std::size_t most_problems = 100;

// Precedences, rising.
enum Level {
  any,
  disjunction,
  conjunction,
  negation,
  relation,
  additive,
  factors,
  prefix,
  exponent
};

struct Operator {
  Operation operation;
  Level level;
  std::string_view text;
};

const Operator* binary_operator(Symbol s) noexcept {
  static constexpr Operator table[] = {
      {Operation::add, additive, "+"},
      {Operation::subtract, additive, "-"},
      {Operation::multiply, factors, "*"},
      {Operation::divide, factors, "/"},
      {Operation::power, exponent, "^"},
      {Operation::less, relation, "<"},
      {Operation::less_equal, relation, "<="},
      {Operation::greater, relation, ">"},
      {Operation::greater_equal, relation, ">="},
      {Operation::equal, relation, "=="},
      {Operation::not_equal, relation, "!="},
      {Operation::logical_and, conjunction, "and"},
      {Operation::logical_or, disjunction, "or"},
  };
  if (s < Symbol::plus || s > Symbol::logical_or) return nullptr;
  return &table[static_cast<int>(s) - static_cast<int>(Symbol::plus)];
}

// A part of the expression that has been read.
struct Part {
  Term term = 0;
  Quantity quantity = {};
  bool boolean = false;
  bool broken = false;  // something in it was complained about: its type is a guess
  std::size_t begin = 0, end = 0;
};

// Thrown at the first mistake of syntax, after it was noted: what follows cannot be understood.
struct Stop {};

class Parser {
 public:
  Parser(std::string_view text, Graph& graph, const Scope& scope, Wanted wanted, int depth)
      : lexer_(text),
        size_(text.size()),
        graph_(graph),
        scope_(scope),
        wanted_(wanted),
        depth_left_(std::min(depth, deepest_nesting)) {}

  Parsed whole() {
    Parsed result;
    try {
      if (size_ > longest_text) stop(0, 1, "the expression is longer than 64 KiB");
      advance();
      if (token_.symbol == Symbol::end) stop(0, size_, "the expression is empty");
      Part part = expression(any);
      if (token_.symbol != Symbol::end) unexpected();
      want(part, wanted_ == Wanted::condition);
      result.term = part.term;
      result.boolean = part.boolean;
      // numbers alone fit everywhere
      if (!part.quantity.literal) result.unit = part.quantity.unit;
    } catch (const Stop&) {
    }
    if (!problems_.empty()) {
      std::stable_sort(problems_.begin(), problems_.end(),
                       [](const Problem& a, const Problem& b) { return a.offset < b.offset; });
      result.term = graph_.constant(0.0);
      result.unit = {};
    } else if (result.boolean) {
      result.atoms = placed_atoms(result.term);
    }
    result.problems = std::move(problems_);
    return result;
  }

 private:
  void advance() {
    token_ = lexer_.next();
    if (token_.symbol == Symbol::wrong) {
      stop(token_.begin, token_.end - token_.begin, token_.complaint);
    }
  }
  bool take(Symbol s) {
    if (token_.symbol != s) return false;
    previous_end_ = token_.end;
    advance();
    return true;
  }

  void complain(Problem::Kind kind, std::size_t begin, std::size_t end, std::string message,
                std::string name = {}) {
    if (problems_.size() >= most_problems) return;
    problems_.push_back(
        {begin, std::max<std::size_t>(1, end - begin), kind, std::move(message), std::move(name)});
  }
  [[noreturn]] void stop(std::size_t begin, std::size_t length, std::string message) {
    complain(Problem::Kind::syntax, begin, begin + length, std::move(message));
    throw Stop{};
  }
  [[noreturn]] void unexpected() {
    const std::size_t length = token_.end - token_.begin;
    switch (token_.symbol) {
      case Symbol::end:
        // at the last byte, which exists: the text is not empty here
        stop(size_ - 1, 1, "the expression ends where a value is expected");
      case Symbol::number:
      case Symbol::name:
      case Symbol::open:
        stop(token_.begin, length, "an operator is missing before this");
      case Symbol::close:
        stop(token_.begin, length, "this ) closes nothing, or a value is missing");
      case Symbol::comma:
        stop(token_.begin, length, "a comma can stand only between arguments");
      default:
        stop(token_.begin, length, "a value is expected here");
    }
  }

  void want(Part& p, bool condition) {
    if (p.boolean == condition || p.broken) return;
    complain(Problem::Kind::type, p.begin, p.end,
             condition ? "a condition is wanted here, such as x > 0"
                       : "a number is wanted here, not a condition; write if(condition, 1, 0)");
    p.broken = true;
  }

  // Everything from here that binds at least as tightly as `least`.
  Part expression(Level least) {
    if (depth_left_ <= 0) {
      stop(token_.begin, token_.end - token_.begin, "the expression is nested too deeply");
    }
    --depth_left_;
    Part left = operand(least);
    while (const Operator* o = binary_operator(token_.symbol)) {
      if (o->level < least) break;
      left = combined(left, *o);
    }
    ++depth_left_;
    return left;
  }

  Part combined(Part left, const Operator& o) {
    const std::size_t begin = token_.begin, end = token_.end;
    advance();
    // ^ associates to the right, and its exponent may have a sign
    Part right = expression(o.level == exponent ? prefix : static_cast<Level>(o.level + 1));
    const bool logical = o.level <= conjunction;
    want(left, logical);
    want(right, logical);

    Part p{0, {}, o.level <= relation, left.broken || right.broken, left.begin, right.end};
    detail::Combined units;
    if (o.level == relation) {
      check_relation(o, begin, end);
      units = detail::agreed(left.quantity, right.quantity, o.text);
      units.quantity = {Unit{}};
    } else if (o.level == additive) {
      units = detail::agreed(left.quantity, right.quantity, o.text);
    } else if (o.operation == Operation::multiply) {
      units.quantity = detail::multiplied(left.quantity, right.quantity);
    } else if (o.operation == Operation::divide) {
      units.quantity = detail::divided(left.quantity, right.quantity);
    } else if (o.level == exponent) {
      units = detail::raised(left.quantity, right.quantity, constant(right.term));
    }
    if (!units.complaint.empty()) complain(Problem::Kind::units, begin, end, units.complaint);
    p.quantity = units.quantity;
    p.term = graph_.apply(o.operation, left.term, right.term);
    if (o.level == relation) comparisons_.try_emplace(p.term, Place{p.begin, p.end});
    return p;
  }

  void check_relation(const Operator& o, std::size_t begin, std::size_t end) {
    if (wanted_ == Wanted::condition &&
        (o.operation == Operation::equal || o.operation == Operation::not_equal)) {
      complain(
          Problem::Kind::type, begin, end,
          std::string(o.text) +
              " cannot stand in the condition of a transition: a changing value may never meet "
              "it; write < or >");
    }
    if (const Operator* next = binary_operator(token_.symbol); next && next->level == relation) {
      stop(token_.begin, token_.end - token_.begin,
           "comparisons do not chain; write a < b and b < c");
    }
  }

  std::optional<double> constant(Term t) const {
    if (graph_[t].operation != Operation::constant) return {};
    return graph_[t].value;
  }

  Part operand(Level least) {
    const Token at = token_;
    switch (at.symbol) {
      case Symbol::minus:
      case Symbol::plus: {
        advance();
        Part p = expression(prefix);
        want(p, false);
        if (at.symbol == Symbol::minus) p.term = graph_.apply(Operation::negate, p.term);
        p.begin = at.begin;
        return p;
      }
      case Symbol::logical_not: {
        if (least > negation) stop(at.begin, 3, "put not and what belongs to it in parentheses");
        advance();
        Part p = expression(negation);
        want(p, true);
        p.term = graph_.apply(Operation::logical_not, p.term);
        p.begin = at.begin;
        return p;
      }
      case Symbol::number:
        advance();
        return {graph_.constant(at.number), {Unit{}, true}, false, false, at.begin, at.end};
      case Symbol::open: {
        advance();
        Part p = expression(any);
        close(at);
        p.begin = at.begin;
        p.end = previous_end_;
        return p;
      }
      case Symbol::name:
        advance();
        return token_.symbol == Symbol::open ? call(at) : name(at);
      default:
        if (at.symbol == Symbol::close || at.symbol == Symbol::comma) {
          stop(at.begin, 1, "a value is missing before this");
        }
        unexpected();
    }
  }

  void close(const Token& opened) {
    if (take(Symbol::close)) return;
    if (token_.symbol == Symbol::end) {
      stop(opened.symbol == Symbol::open ? opened.begin : opened.end, 1, "this ( is never closed");
    }
    unexpected();
  }

  Part name(const Token& at) {
    Part p{0, {}, false, false, at.begin, at.end};
    if (const auto meaning = scope_(at.name)) {
      p.term = meaning->term;
      p.quantity.unit = meaning->unit;
      p.boolean = detail::truth_valued(graph_[p.term].operation);
    } else if (at.name == "pi") {
      p.term = graph_.constant(std::numbers::pi);
      p.quantity = {Unit{}, true};
    } else {
      const bool function = detail::find_function(at.name) != nullptr;
      complain(Problem::Kind::unknown_name, at.begin, at.end,
               function ? at.name + " is a function; its arguments in parentheses are missing"
                        : "unknown name \"" + at.name + "\"",
               at.name);
      p.term = graph_.constant(0.0);
      p.broken = true;
    }
    return p;
  }

  Part call(const Token& at) {
    const Token opened = token_;
    advance();
    std::vector<Part> arguments;
    if (token_.symbol != Symbol::close) {
      do {
        arguments.push_back(expression(any));
      } while (take(Symbol::comma));
    }
    close(opened);

    Part p{0, {}, false, false, at.begin, previous_end_};
    const detail::Function* f = detail::find_function(at.name);
    const int count = static_cast<int>(arguments.size());
    if (f == nullptr) {
      complain(Problem::Kind::unknown_function, at.begin, at.end,
               "unknown function \"" + at.name + "\"", at.name);
    } else if (count < f->least || count > f->most) {
      complain(Problem::Kind::arguments, at.begin, at.end, wrong_count(*f, count), at.name);
    } else {
      apply(*f, arguments, p, at);
      return p;
    }
    p.term = graph_.constant(0.0);
    p.broken = true;
    return p;
  }

  static std::string wrong_count(const detail::Function& f, int count) {
    std::string text(f.name);
    text += f.most > f.least ? " takes at least " : " takes ";
    if (count > f.most && f.most > f.least) text = std::string(f.name) + " takes at most ";
    const int limit = count > f.most ? f.most : f.least;
    return text + std::to_string(limit) + (limit == 1 ? " argument, not " : " arguments, not ") +
           std::to_string(count);
  }

  void apply(const detail::Function& f, std::vector<Part>& arguments, Part& p, const Token& at) {
    std::size_t first = 0;  // of those whose units must agree
    if (f.operation == Operation::select) {
      first = 1;
      want(arguments[0], true);
      // both branches are what the first one is
      p.boolean = arguments[1].broken ? arguments[2].boolean : arguments[1].boolean;
    }
    std::vector<Quantity> quantities;
    for (std::size_t i = first; i < arguments.size(); ++i) {
      want(arguments[i], p.boolean);
      quantities.push_back(arguments[i].quantity);
    }
    for (const Part& a : arguments) p.broken = p.broken || a.broken;

    const std::optional<double> exponent_value =
        f.units == detail::UnitRule::raised ? constant(arguments[1].term) : std::nullopt;
    const auto units = detail::called(f, quantities, exponent_value);
    if (!units.complaint.empty()) {
      complain(Problem::Kind::units, at.begin, at.end, units.complaint);
    }
    p.quantity = units.quantity;
    p.term = term(f, arguments);
  }

  Term term(const detail::Function& f, const std::vector<Part>& arguments) {
    const Term a = arguments[0].term;
    const Term b = arguments.size() > 1 ? arguments[1].term : 0;
    const Term c = arguments.size() > 2 ? arguments[2].term : 0;
    if (f.operation == Operation::select) return graph_.apply(Operation::select, a, b, c);
    // x comes second, so that it is kept within the limits to the bit, and NaN stays NaN
    if (f.name == "clamp") {
      return graph_.apply(Operation::minimum, c, graph_.apply(Operation::maximum, b, a));
    }
    Term t = graph_.apply(f.operation, a, b);
    for (std::size_t i = 2; i < arguments.size(); ++i) {
      t = graph_.apply(f.operation, t, arguments[i].term);
    }
    return t;
  }

  std::vector<Atom> placed_atoms(Term condition) const {
    std::vector<Atom> found;
    for (const Term t : detail::comparisons(graph_, condition)) {
      const Node& n = graph_[t];
      const auto at = comparisons_.find(t);
      const Place p = at == comparisons_.end() ? Place{} : at->second;
      found.push_back({n.a, n.b, n.operation, p.begin, p.end - p.begin});
    }
    return found;
  }

  struct Place {
    std::size_t begin = 0, end = 0;
  };

  detail::Lexer lexer_;
  std::size_t size_;
  Graph& graph_;
  const Scope& scope_;
  Wanted wanted_;
  int depth_left_;
  Token token_;
  std::size_t previous_end_ = 0;
  std::vector<Problem> problems_;
  std::unordered_map<Term, Place> comparisons_;  // where each was written first
};

}  // namespace

Parsed parse(std::string_view text, Graph& graph, const Scope& scope, Wanted wanted, int depth) {
  return Parser(text, graph, scope, wanted, depth).whole();
}

}  // namespace vernier::expression
