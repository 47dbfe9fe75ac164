#include <algorithm>
#include <cmath>
#include <numbers>
#include <tuple>
#include <unordered_map>

#include "vernier/kernel/expression/detail/functions.hpp"
#include "vernier/kernel/expression/detail/lexer.hpp"
#include "vernier/kernel/expression/detail/operations.hpp"
#include "vernier/kernel/expression/detail/value.hpp"

namespace vernier::expression {
namespace {

using detail::Algebra;
using detail::Cells;
using detail::Outcome;
using detail::Symbol;
using detail::Token;

constexpr std::size_t longest_text = std::size_t{64} * 1024;
constexpr int deepest_nesting = 1000;  // upper bound for the caller's limit: the stack is finite
constexpr std::size_t most_problems = 100;
// Limits tokens read plus elements made. Calls of user functions count too: nested calls grow
// exponentially.
constexpr std::size_t most_work = 2'000'000;

// Precedence levels, increasing.
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

// The table is in the order of Symbol, from plus to logical_or.
const Operator* binary_operator(Symbol s) noexcept {
  static constexpr Operator table[] = {
      {Operation::add, additive, "+"},
      {Operation::subtract, additive, "-"},
      {Operation::multiply, factors, "*"},
      {Operation::divide, factors, "/"},
      {Operation::multiply, factors, ".*"},
      {Operation::divide, factors, "./"},
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

// A subexpression that has been parsed.
struct Part {
  Cells value = {};
  bool boolean = false;
  bool broken = false;     // an error in it was reported: its type is a guess
  bool shapeless = false;  // and so is its shape
  std::size_t begin = 0, end = 0;

  bool scalar() const noexcept { return value.shape.scalar(); }
  Term term() const { return value.cells[0].term; }
};

struct Local {
  std::string name;
  Part part;
};

struct Place {
  std::size_t begin = 0, end = 0;
};

// Thrown after the first syntax error was reported: the rest of the text cannot be parsed. Other
// errors do not stop the parser, so one pass reports all of them.
struct Stop {};

// State shared by the parsers of a text and of the function bodies that it calls.
struct Common {
  Graph& graph;
  const Scope& scope;
  Wanted wanted;
  const UserFunctions& functions;
  std::size_t work_left = most_work;
  std::vector<Problem> problems = {};
  std::unordered_map<Term, Place> comparisons = {};  // where each was written first
};

// A recursive-descent parser with precedence climbing. It builds terms directly, without a syntax
// tree.
class Parser {
 public:
  Parser(std::string_view text, Common& common, int depth)
      : lexer_(text),
        text_(text),
        size_(text.size()),
        c_(common),
        graph_(common.graph),
        algebra_(common.graph),
        known_functions_(common.functions.size()),
        depth_left_(std::min(depth, deepest_nesting)) {}

  /// Parses the body of a function that is called at `called_from`. A function sees only the
  /// functions defined before it, so recursion is impossible.
  Parser(const Parser& caller, std::size_t function, std::vector<Local> arguments,
         Place called_from)
      : Parser(caller.c_.functions[function].body, caller.c_, caller.depth_left_) {
    function_ = known_functions_ = function;
    locals_ = std::move(arguments);
    called_from_ = called_from;
  }

  /// Parses the whole text; throws Stop.
  Part whole() {
    if (size_ > longest_text) stop(0, 1, "the expression is longer than 64 KiB");
    advance();
    if (token_.symbol == Symbol::end) stop(0, size_, "the expression is empty");
    while (binding()) {
    }
    Part part = expression(any);
    if (token_.symbol != Symbol::end) unexpected();
    return part;
  }

  void want(Part& p, bool condition) {
    if (p.boolean == condition || p.broken) return;
    complain(Problem::Kind::type, p.begin, p.end,
             condition ? "a condition is wanted here, such as x > 0"
                       : "a number is wanted here, not a condition; write if(condition, 1, 0)");
    p.broken = true;
  }

  /// One number, not several.
  void want_one(Part& p, std::string_view hint) {
    if (p.scalar()) return;
    if (!p.shapeless) {
      complain(Problem::Kind::sizes, p.begin, p.end,
               "a number is wanted here, this has " + text(p.value.shape) + std::string(hint));
    }
    spoil(p);
  }

 private:
  void advance() {
    spend(1);
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
  // Bounds time and memory for hostile or accidental inputs.
  void spend(std::size_t work) {
    if (work > c_.work_left) {
      c_.work_left = 0;
      stop(0, 1, "the expression is too large once its vectors and functions are written out");
    }
    c_.work_left -= work;
  }

  void complain(Problem::Kind kind, std::size_t begin, std::size_t end, std::string message,
                std::string name = {}) {
    if (c_.problems.size() >= most_problems) return;
    Problem p{
        begin,    std::max<std::size_t>(1, end - begin), kind, std::move(message), std::move(name),
        function_};
    // Errors in the body of a function are reported once, however often it is called.
    const bool known =
        function_ != Problem::outside &&
        std::any_of(c_.problems.begin(), c_.problems.end(), [&](const Problem& q) {
          return q.function == p.function && q.offset == p.offset && q.message == p.message;
        });
    if (!known) c_.problems.push_back(std::move(p));
  }
  [[noreturn]] void stop(std::size_t begin, std::size_t length, std::string message) {
    complain(Problem::Kind::syntax, begin, begin + length, std::move(message));
    throw Stop{};
  }
  /// "0,2" is a number in many languages, but not here.
  std::string misplaced_comma() const {
    const std::string_view before = text_.substr(0, token_.begin), after = text_.substr(token_.end);
    constexpr std::string_view digits = "0123456789";
    const std::size_t first = before.find_last_not_of(digits) + 1;
    const std::size_t last = std::min(after.find_first_not_of(digits), after.size());
    if (first == before.size() || last == 0) return "a comma can stand only between arguments";
    return "the decimal separator is a point: write " + std::string(before.substr(first)) + "." +
           std::string(after.substr(0, last));
  }

  [[noreturn]] void unexpected() {
    const std::size_t length = token_.end - token_.begin;
    switch (token_.symbol) {
      case Symbol::end:
        // The last byte exists, because the text is not empty here.
        stop(size_ - 1, 1, "the expression ends where a value is expected");
      case Symbol::number:
      case Symbol::name:
      case Symbol::open:
        stop(token_.begin, length, "an operator is missing before this");
      case Symbol::close:
        stop(token_.begin, length, "this ) closes nothing, or a value is missing");
      case Symbol::close_bracket:
        stop(token_.begin, length, "this ] closes nothing, or a value is missing");
      case Symbol::comma:
        stop(token_.begin, length, misplaced_comma());
      case Symbol::semicolon:
        stop(token_.begin, length, "; can stand only after let, or between the rows of a matrix");
      case Symbol::colon:
        stop(token_.begin, length, ": can stand only in an index, as in v[0:3]");
      case Symbol::assign:
        stop(token_.begin, length, "write == instead of =");
      default:
        stop(token_.begin, length, "a value is expected here");
    }
  }

  // Marks a part as unusable, so that its error causes no further messages.
  static void spoil(Part& p) {
    p.broken = p.shapeless = true;
    p.value = {{}, {detail::Cell{}}};
  }

  /// Puts a result into p, or reports why there is none.
  void put(Part& p, Outcome o, std::size_t begin, std::size_t end) {
    if (!o.complaint.empty()) {
      if (!p.broken || o.kind == Problem::Kind::units) complain(o.kind, begin, end, o.complaint);
    }
    spend(o.value.cells.size());
    p.value = std::move(o.value);
    if (!o.complaint.empty() && o.kind == Problem::Kind::sizes) spoil(p);
  }

  // let NAME = VALUE; The token after let decides: let may also be the name of a variable.
  bool binding() {
    if (token_.symbol != Symbol::name || token_.name != "let") return false;
    detail::Lexer ahead = lexer_;
    if (ahead.next().symbol != Symbol::name) return false;
    advance();
    const Token name = token_;
    advance();
    if (token_.symbol != Symbol::assign)
      stop(token_.begin, std::max<std::size_t>(1, token_.end - token_.begin),
           "= is expected here: let " + name.name + " = …; …");
    advance();
    Part part = expression(any);
    if (token_.symbol == Symbol::end) {
      stop(size_ - 1, 1, "; and the result are missing after let " + name.name + " = …");
    }
    if (!take(Symbol::semicolon)) unexpected();
    locals_.push_back({name.name, std::move(part)});
    return true;
  }

  // Precedence climbing: parses operators from here that bind at least as tightly as `least`.
  Part expression(Level least) {
    if (depth_left_ <= 0) {
      stop(token_.begin, token_.end - token_.begin, "the expression is nested too deeply");
    }
    --depth_left_;
    Part left = operand(least);
    while (const Operator* o = binary_operator(token_.symbol)) {
      if (o->level < least) break;
      left = combined(std::move(left), *o);
    }
    ++depth_left_;
    return left;
  }

  Part combined(Part left, const Operator& o) {
    const std::size_t begin = token_.begin, end = token_.end;
    advance();
    // ^ associates to the right, and its exponent may have a sign. All other operators associate to
    // the left: their right operand must bind more tightly.
    Part right = expression(o.level == exponent ? prefix : static_cast<Level>(o.level + 1));
    const bool logical = o.level <= conjunction;
    want(left, logical);
    want(right, logical);

    Part p{{}, o.level <= relation, left.broken || right.broken, false, left.begin, right.end};
    if (o.level == relation) {
      check_relation(o, begin, end);
      want_one(left, "; compare its norm or one element");
      want_one(right, "; compare its norm or one element");
    }
    if (left.shapeless || right.shapeless) {
      spoil(p);
      return p;
    }
    put(p, result(o, left.value, right.value), begin, end);
    if (o.level == relation) {
      for (detail::Cell& c : p.value.cells) c.quantity = {Unit{}};
      // The atoms of a condition carry their place in the text. For a comparison in a function
      // body this is the place of the call.
      const Place at = function_ == Problem::outside ? Place{p.begin, p.end} : called_from_;
      c_.comparisons.try_emplace(p.term(), at);
    }
    return p;
  }

  Outcome result(const Operator& o, const Cells& left, const Cells& right) {
    if (o.level == conjunction || o.level == disjunction) {
      return {{{}, {{graph_.apply(o.operation, left.cells[0].term, right.cells[0].term), {}}}}};
    }
    if (o.level == relation || o.level == additive) {
      return algebra_.agreed(o.operation, left, right, o.text);
    }
    if (o.level == exponent) return algebra_.raised(left, right);
    if (o.text == "*") {
      spend(left.shape.scalar() ? 1 : left.cells.size() * std::max(1u, right.shape.columns));
      return algebra_.product(left, right);
    }
    if (o.text == "/" && !right.shape.scalar()) {
      return {{{}, {detail::Cell{}}},
              "a vector or matrix cannot divide; write ./ for each element",
              Problem::Kind::sizes};
    }
    return algebra_.each(o.operation, left, right, o.text);
  }

  // A condition that holds only at isolated values would be missed by the event locator.
  void check_relation(const Operator& o, std::size_t begin, std::size_t end) {
    if (c_.wanted == Wanted::condition &&
        (o.operation == Operation::equal || o.operation == Operation::not_equal)) {
      complain(
          Problem::Kind::type, begin, end,
          std::string(o.text) +
              " is not allowed in the condition of a transition: a changing value may never meet "
              "it; write < or >");
    }
    if (const Operator* next = binary_operator(token_.symbol); next && next->level == relation) {
      stop(token_.begin, token_.end - token_.begin,
           "comparisons do not chain; write a < b and b < c");
    }
  }

  Part number(double x, std::size_t begin, std::size_t end) const {
    return {{{}, {algebra_.number(x)}}, false, false, false, begin, end};
  }

  Part operand(Level least) {
    const Token at = token_;
    switch (at.symbol) {
      case Symbol::minus:
      case Symbol::plus: {
        advance();
        Part p = expression(prefix);
        want(p, false);
        if (at.symbol == Symbol::minus) p.value = algebra_.negated(std::move(p.value));
        p.begin = at.begin;
        return p;
      }
      case Symbol::logical_not: {
        if (least > negation) stop(at.begin, 3, "put not and what belongs to it in parentheses");
        advance();
        Part p = expression(negation);
        want(p, true);
        p.value.cells[0].term = graph_.apply(Operation::logical_not, p.term());
        p.begin = at.begin;
        return p;
      }
      case Symbol::number:
        advance();
        return number(at.number, at.begin, at.end);
      case Symbol::open: {
        advance();
        Part p = expression(any);
        close(at);
        p.begin = at.begin;
        p.end = previous_end_;
        return indexed(std::move(p), "v");
      }
      case Symbol::open_bracket:
        return indexed(list(at), "v");
      case Symbol::name:
        advance();
        return token_.symbol == Symbol::open ? indexed(call(at), "v") : indexed(name(at), at.name);
      default:
        if (at.symbol == Symbol::close || at.symbol == Symbol::comma ||
            at.symbol == Symbol::close_bracket) {
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

  // [a, b, c] concatenates numbers and vectors; in [a, b; c, d] semicolons separate rows.
  Part list(const Token& opened) {
    advance();
    Part p{{}, false, false, false, opened.begin, 0};
    std::vector<std::size_t> ends;  // of the rows, in elements
    do {
      do {
        Part item = expression(any);
        want(item, false);
        p.broken = p.broken || item.broken;
        if (item.value.shape.matrix()) {
          complain(Problem::Kind::sizes, item.begin, item.end,
                   "a list is made of numbers and vectors, this has " + text(item.value.shape));
          p.broken = true;
        }
        spend(item.value.cells.size());
        p.value.cells.insert(p.value.cells.end(), item.value.cells.begin(), item.value.cells.end());
        p.shapeless = p.shapeless || item.shapeless;
      } while (take(Symbol::comma));
      ends.push_back(p.value.cells.size());
    } while (take(Symbol::semicolon));
    if (!take(Symbol::close_bracket)) {
      if (token_.symbol == Symbol::end) stop(opened.begin, 1, "this [ is never closed");
      unexpected();
    }
    p.end = previous_end_;
    shape_rows(p, ends);
    return p;
  }

  void shape_rows(Part& p, const std::vector<std::size_t>& ends) {
    p.value.shape = {static_cast<std::uint32_t>(p.value.cells.size()), 0};
    if (p.shapeless) return spoil(p);
    if (ends.size() == 1) return;
    for (std::size_t i = 1; i < ends.size(); ++i) {
      if (ends[i] - ends[i - 1] == ends[0]) continue;
      complain(Problem::Kind::sizes, p.begin, p.end,
               "the rows of a matrix must be of equal length: the first has " +
                   std::to_string(ends[0]) + ", row " + std::to_string(i + 1) + " has " +
                   std::to_string(ends[i] - ends[i - 1]));
      return spoil(p);
    }
    p.value.shape = {static_cast<std::uint32_t>(ends.size()), static_cast<std::uint32_t>(ends[0])};
  }

  struct Range {
    std::size_t from = 0, to = 0;
    bool single = false;
  };

  // v[i], v[from:to], M[i, k], M[i, :] and so on. Indices start at 0, and `to` is excluded.
  Part indexed(Part p, const std::string& name) {
    while (token_.symbol == Symbol::open_bracket) {
      const std::size_t begin = token_.begin;
      advance();
      const std::size_t sizes[] = {p.value.shape.rows, p.value.shape.columns};
      const std::size_t dimensions = p.value.shape.matrix() ? 2 : 1;
      std::vector<Range> ranges;
      bool inside = true;
      do {
        const std::size_t size = ranges.size() < dimensions ? sizes[ranges.size()] : 0;
        ranges.push_back(range(size, begin, name));
        const Range& r = ranges.back();
        inside = inside && r.from < r.to && r.to <= size;
      } while (ranges.size() < 2 && take(Symbol::comma));
      if (!take(Symbol::close_bracket)) wrong_index(begin, name);
      p.end = previous_end_;
      if (p.shapeless) continue;
      if (p.boolean || p.scalar() || ranges.size() != dimensions || !inside) {
        complain(Problem::Kind::sizes, begin, p.end, outside(p, name, ranges.size()), name);
        spoil(p);
        continue;
      }
      pick(p, ranges);
    }
    return p;
  }

  [[noreturn]] void wrong_index(std::size_t begin, const std::string& name) {
    const std::size_t end = token_.symbol == Symbol::end ? size_ : token_.end;
    stop(begin, std::max<std::size_t>(1, end - begin),
         "an index is a whole number, as in " + name + "[0], or a range, as in " + name + "[0:3]");
  }

  Range range(std::size_t size, std::size_t begin, const std::string& name) {
    const auto limit = [&]() -> std::optional<std::size_t> {
      if (token_.symbol != Symbol::number) return {};
      const double n = token_.number;
      if (!(n < 1e9) || n != std::floor(n)) wrong_index(begin, name);
      advance();
      return static_cast<std::size_t>(n);
    };
    const auto from = limit();
    if (!take(Symbol::colon)) {
      if (!from) wrong_index(begin, name);
      return {*from, *from + 1, true};
    }
    const auto to = limit();
    return {from.value_or(0), to.value_or(size), false};
  }

  static std::string outside(const Part& p, const std::string& name, std::size_t given) {
    const Shape s = p.value.shape;
    if (p.boolean) return "a condition has no elements";
    if (s.scalar()) return name + " has no elements: write " + name;
    const auto last = [](std::uint32_t n) { return std::to_string(n - 1); };
    if (s.matrix()) {
      std::string all = "the elements are " + name + "[0, 0] to " + name + "[" + last(s.rows) +
                        ", " + last(s.columns) + "]";
      return given == 1 ? all + "; a row is " + name + "[0, :]" : all;
    }
    return "the elements are " + name + "[0] to " + name + "[" + last(s.rows) + "]";
  }

  static void pick(Part& p, const std::vector<Range>& ranges) {
    const Cells from = std::move(p.value);
    const Range rows = ranges[0];
    const Range columns = ranges.size() > 1 ? ranges[1] : Range{0, 1, true};
    const std::size_t width = from.shape.matrix() ? from.shape.columns : 1;
    p.value = {};
    for (std::size_t r = rows.from; r < rows.to; ++r) {
      for (std::size_t c = columns.from; c < columns.to; ++c)
        p.value.cells.push_back(from.cells[r * width + c]);
    }
    const auto height = static_cast<std::uint32_t>(rows.to - rows.from);
    const auto breadth = static_cast<std::uint32_t>(columns.to - columns.from);
    if (rows.single && columns.single) return;
    p.value.shape = rows.single ? Shape{breadth, 0} : Shape{height, columns.single ? 0 : breadth};
  }

  // Local names (let, arguments) hide names of the scope; `pi` is known if nothing else has this
  // name.
  Part name(const Token& at) {
    Part p{{}, false, false, false, at.begin, at.end};
    const auto local = std::find_if(locals_.rbegin(), locals_.rend(),
                                    [&](const Local& l) { return l.name == at.name; });
    if (local != locals_.rend()) {
      p = local->part;
      p.begin = at.begin;
      p.end = at.end;
      spend(p.value.cells.size());
    } else if (const auto meaning = c_.scope(at.name)) {
      p.value = algebra_.value(*meaning);
      p.boolean = p.scalar() && detail::truth_valued(graph_[p.term()].operation);
      spend(p.value.cells.size());
    } else if (at.name == "pi") {
      return number(std::numbers::pi, at.begin, at.end);
    } else {
      const bool function = detail::find_function(at.name) != nullptr ||
                            detail::find_vector_function(at.name) != nullptr ||
                            user_function(at.name) < known_functions_;
      complain(Problem::Kind::unknown_name, at.begin, at.end,
               function ? at.name + " is a function; its arguments in parentheses are missing"
                        : "unknown name \"" + at.name + "\"",
               at.name);
      spoil(p);
    }
    return p;
  }

  /// The index of a user function among those visible here, or their number if there is none.
  std::size_t user_function(std::string_view name) const {
    const auto begin = c_.functions.begin();
    const auto end = begin + static_cast<std::ptrdiff_t>(known_functions_);
    return static_cast<std::size_t>(
        std::find_if(begin, end, [&](const UserFunction& f) { return f.name == name; }) - begin);
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

    Part p{{}, false, false, false, at.begin, previous_end_};
    const int count = static_cast<int>(arguments.size());
    const auto counted = [&](int least, int most) {
      if (count >= least && count <= most) return true;
      complain(Problem::Kind::arguments, at.begin, at.end, wrong_count(at.name, least, most, count),
               at.name);
      return false;
    };
    if (const std::size_t u = user_function(at.name); u < known_functions_) {
      const int wanted = static_cast<int>(c_.functions[u].arguments.size());
      if (counted(wanted, wanted)) return call_user(u, std::move(arguments), p);
    } else if (const detail::Function* f = detail::find_function(at.name)) {
      // min and max of a single vector: its least or largest element.
      const bool one = f->most > 3 && count == 1 && !arguments[0].scalar();
      if (one || counted(f->least, f->most)) {
        apply(*f, arguments, p, at);
        return p;
      }
    } else if (const detail::VectorFunction* v = detail::find_vector_function(at.name)) {
      if (counted(v->least, v->most)) {
        for (Part& a : arguments) want(a, false);
        apply(*v, arguments, p, at);
        return p;
      }
    } else {
      complain(Problem::Kind::unknown_function, at.begin, at.end,
               "unknown function \"" + at.name + "\"", at.name);
    }
    spoil(p);
    return p;
  }

  // A call parses the body with the arguments as local names, so terms are built as if the body
  // were written in place of the call.
  Part call_user(std::size_t number, std::vector<Part> arguments, const Part& at) {
    const UserFunction& f = c_.functions[number];
    std::vector<Local> locals;
    for (std::size_t i = 0; i < arguments.size(); ++i)
      locals.push_back({f.arguments[i], std::move(arguments[i])});
    const Place from = function_ == Problem::outside ? Place{at.begin, at.end} : called_from_;
    Part p = Parser(*this, number, std::move(locals), from).whole();
    p.begin = at.begin;
    p.end = at.end;
    return p;
  }

  static std::string wrong_count(const std::string& name, int least, int most, int count) {
    std::string text = name + (most > least ? " takes at least " : " takes ");
    if (count > most && most > least) text = name + " takes at most ";
    const int limit = count > most ? most : least;
    return text + std::to_string(limit) + (limit == 1 ? " argument, not " : " arguments, not ") +
           std::to_string(count);
  }

  void apply(const detail::Function& f, std::vector<Part>& arguments, Part& p, const Token& at) {
    std::size_t first = 0;
    if (f.operation == Operation::select) {
      first = 1;
      want(arguments[0], true);
      // The type of the first branch is that of the result, and of the second branch.
      p.boolean = arguments[1].broken ? arguments[2].boolean : arguments[1].boolean;
    }
    for (std::size_t i = first; i < arguments.size(); ++i) want(arguments[i], p.boolean);
    apply_to(f, arguments, p, at);
  }
  void apply(const detail::VectorFunction& f, std::vector<Part>& arguments, Part& p,
             const Token& at) {
    apply_to(f, arguments, p, at);
  }

  template <class F>
  void apply_to(const F& f, std::vector<Part>& arguments, Part& p, const Token& at) {
    bool shapeless = false;
    std::vector<Cells> values;
    for (Part& a : arguments) {
      p.broken = p.broken || a.broken;
      shapeless = shapeless || a.shapeless;
      values.push_back(std::move(a.value));
    }
    if (shapeless) return spoil(p);
    put(p, algebra_.called(f, values), at.begin, at.end);
  }

  detail::Lexer lexer_;
  std::string_view text_;
  std::size_t size_;
  Common& c_;
  Graph& graph_;
  Algebra algebra_;
  std::size_t known_functions_;  // the functions defined before this one
  int depth_left_;
  std::size_t function_ = Problem::outside;
  Place called_from_ = {};
  std::vector<Local> locals_ = {};
  Token token_ = {};
  std::size_t previous_end_ = 0;
};

std::vector<Atom> placed_atoms(const Common& c, Term condition) {
  std::vector<Atom> found;
  for (const Term t : detail::comparisons(c.graph, condition)) {
    const Node& n = c.graph[t];
    const auto at = c.comparisons.find(t);
    const Place p = at == c.comparisons.end() ? Place{} : at->second;
    found.push_back({n.a, n.b, n.operation, p.begin, p.end - p.begin});
  }
  return found;
}

}  // namespace

Parsed parse(std::string_view text, Graph& graph, const Scope& scope, Wanted wanted,
             const UserFunctions& functions, int depth) {
  Common common{graph, scope, wanted, functions};
  Parsed result;
  try {
    Parser parser(text, common, depth);
    Part part = parser.whole();
    parser.want(part, wanted == Wanted::condition);
    if (wanted != Wanted::values) parser.want_one(part, "");
    result.boolean = part.boolean;
    result.shape = part.value.shape;
    result.literal = part.value.literal();
    for (const detail::Cell& c : part.value.cells) {
      // An expression of literal numbers is compatible with every unit.
      result.elements.push_back({c.term, c.quantity.literal ? std::nullopt : c.quantity.unit});
    }
  } catch (const Stop&) {
  }
  if (!common.problems.empty()) {
    // In the order of the text: problems of the expression itself first, then those of functions
    // (`outside` + 1 is 0).
    std::stable_sort(
        common.problems.begin(), common.problems.end(), [](const Problem& a, const Problem& b) {
          return std::tuple(a.function + 1, a.offset) < std::tuple(b.function + 1, b.offset);
        });
    result.shape = {};
    result.elements = {{graph.constant(0.0), {}}};
  }
  result.term = result.elements[0].term;
  result.unit = result.elements[0].unit;
  if (common.problems.empty() && result.boolean) result.atoms = placed_atoms(common, result.term);
  result.problems = std::move(common.problems);
  return result;
}

}  // namespace vernier::expression
