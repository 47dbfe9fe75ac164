#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "vernier/base/units.hpp"

namespace vernier::expression {

/// A term of a Graph; equal terms have equal numbers.
using Term = std::uint32_t;
/// No term: a Program does not write this output.
inline constexpr Term no_term = 0xffffffff;

enum class Operation : std::uint8_t {
  constant,
  symbol,
  add,
  subtract,
  multiply,
  divide,
  negate,
  power,
  sin,
  cos,
  tan,
  asin,
  acos,
  atan,
  atan2,
  sinh,
  cosh,
  tanh,
  exp,
  log,
  log10,
  sqrt,
  abs,
  sign,
  floor,
  ceil,
  minimum,
  maximum,
  hypot,
  less,
  less_equal,
  greater,
  greater_equal,
  equal,
  not_equal,
  logical_and,
  logical_or,
  logical_not,
  select  // condition, then, else
};

/// How many operands an operation has.
constexpr int arity(Operation o) noexcept {
  switch (o) {
    case Operation::constant:
    case Operation::symbol:
      return 0;
    case Operation::add:
    case Operation::subtract:
    case Operation::multiply:
    case Operation::divide:
    case Operation::power:
    case Operation::atan2:
    case Operation::minimum:
    case Operation::maximum:
    case Operation::hypot:
    case Operation::less:
    case Operation::less_equal:
    case Operation::greater:
    case Operation::greater_equal:
    case Operation::equal:
    case Operation::not_equal:
    case Operation::logical_and:
    case Operation::logical_or:
      return 2;
    case Operation::select:
      return 3;
    default:
      return 1;
  }
}

struct Node {
  Operation operation;
  Term a = 0, b = 0, c = 0;
  double value = 0.0;        // constant
  std::uint32_t symbol = 0;  // symbol: index of the input of the compiled program
};

/// The terms of all expressions of a model. Identical subterms are shared, constants are folded,
/// and x^2 becomes x*x. The operands of a term have smaller numbers than the term.
class Graph {
 public:
  Term constant(double);
  Term symbol(std::uint32_t index);
  Term apply(Operation, Term a, Term b = 0, Term c = 0);

  const Node& operator[](Term t) const { return nodes_[t]; }
  std::size_t size() const noexcept { return nodes_.size(); }

  /// d term / d symbol. At kinks this is the derivative of the active branch. Derivatives of floor,
  /// ceil, sign and comparisons are zero.
  Term derivative(Term, std::uint32_t symbol);
  /// The directional derivative: sum over symbols s of d term/ds * seed(s). `seed` returns the rate
  /// of a symbol as a term, or nothing if it is zero.
  Term tangent(Term, const std::function<std::optional<Term>(std::uint32_t)>& seed);
  /// The same for several terms; shared subterms are differentiated once. no_term stays no_term.
  std::vector<Term> tangent(std::span<const Term>,
                            const std::function<std::optional<Term>(std::uint32_t)>& seed);
  /// Symbols a term depends on, ascending.
  std::vector<std::uint32_t> symbols(Term) const;

 private:
  Term add_node(const Node&);
  std::vector<Node> nodes_;
  std::vector<std::uint32_t> table_;  // hash table with open addressing: finds identical nodes
};

/// What a name means in the context of an expression.
struct Meaning {
  Term term;                      // a symbol, a constant, or the term of a named expression
  std::optional<Unit> unit = {};  // nothing: not known, not checked
};

/// A number (no rows), a vector (no columns) or a matrix.
struct Shape {
  std::uint32_t rows = 0, columns = 0;

  bool scalar() const noexcept { return rows == 0; }
  bool vector() const noexcept { return rows != 0 && columns == 0; }
  bool matrix() const noexcept { return columns != 0; }
  std::size_t size() const noexcept {
    return (rows == 0 ? 1 : std::size_t{rows}) * (columns == 0 ? 1 : columns);
  }
  bool operator==(const Shape&) const = default;
};

/// "a number", "3 elements", "3 x 3 elements".
std::string text(Shape);

/// The elements that a name refers to, those of a matrix row by row.
struct Value {
  Shape shape;
  std::vector<Meaning> elements;

  Value(Meaning m) : elements{std::move(m)} {}  // NOLINT: a number is a value
  Value(Shape s, std::vector<Meaning> e) : shape(s), elements(std::move(e)) {}
};

/// Resolves a name without index; nothing if the name is unknown.
using Scope = std::function<std::optional<Value>(std::string_view)>;

/// A function that a document defines. Its body is parsed again at every call, with the arguments
/// substituted for their names. It sees the names that are visible where it is called.
struct UserFunction {
  std::string name;
  std::vector<std::string> arguments;
  std::string body;
};

/// In the order of their definition: each may call those before it.
using UserFunctions = std::vector<UserFunction>;

/// A problem in an expression; the offset is in bytes from the start of the text.
struct Problem {
  std::size_t offset = 0, length = 1;
  enum class Kind {
    syntax,
    unknown_name,
    unknown_function,
    arguments,
    units,
    sizes,
    type
  } kind = Kind::syntax;
  std::string message;
  std::string name;                // the unknown name or function
  std::size_t function = outside;  // offset and length refer to the body of this user function

  static constexpr std::size_t outside = static_cast<std::size_t>(-1);
};

/// A comparison inside a condition, as written and as terms.
struct Atom {
  Term left, right;
  Operation comparison;
  std::size_t offset, length;  // in the text; zeros where the text is not known
};

struct Parsed {
  Term term = 0;             // of a number or condition: its only element
  std::optional<Unit> unit;  // of it; nothing: not known
  Shape shape = {};
  std::vector<Meaning> elements;  // a matrix row by row
  bool literal = false;           // made of literal numbers only
  bool boolean = false;           // a comparison or a logical combination
  std::vector<Problem> problems;  // empty: good
  std::vector<Atom> atoms = {};   // of a condition without problems, with their places
};

/// The kind of expression required; `values`: numbers of any shape.
enum class Wanted { number, values, condition };

/// Operators by increasing precedence: or, and, not, comparison, + -, * /, unary -, ^ (right
/// associative, binds tighter than unary minus). Functions are those of
/// docs/reference/expressions.md. Vectors and matrices are expanded to the same terms as when
/// written out by hand. A text may have up to 64 KiB and be nested up to `depth` levels. == and !=
/// are refused in conditions of transitions.
Parsed parse(std::string_view text, Graph&, const Scope&, Wanted, const UserFunctions& = {},
             int depth = 200);

/// The comparisons of a condition in the order written, each once; without their positions in the
/// text.
std::vector<Atom> atoms(const Graph&, Term condition);

/// All functions that an expression can call, for suggestions.
std::vector<std::string> function_names();

/// The functions whose names variables cannot have.
std::vector<std::string> reserved_names();

}  // namespace vernier::expression
