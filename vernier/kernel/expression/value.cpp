#include "vernier/kernel/expression/detail/value.hpp"

#include <algorithm>
#include <cmath>

namespace vernier::expression {

std::string text(Shape s) {
  if (s.scalar()) return "a number";
  if (s.vector()) return std::to_string(s.rows) + (s.rows == 1 ? " element" : " elements");
  return std::to_string(s.rows) + " x " + std::to_string(s.columns) + " elements";
}

namespace detail {
namespace {

// A result of a single dummy element, with the reason.
Outcome refused(std::string complaint) {
  return {{{}, {Cell{}}}, std::move(complaint), Problem::Kind::sizes};
}

Outcome wanted(std::string_view name, std::string_view what, const Cells& given) {
  return refused(std::string(name) + " wants " + std::string(what) + ", this has " +
                 (given.shape.scalar() ? "no elements: it is a number" : text(given.shape)));
}

Shape vector_of(std::size_t n) { return {static_cast<std::uint32_t>(n), 0}; }

/// The common shape for an elementwise operation; scalars are compatible with every shape.
std::optional<Shape> common(std::span<const Cells> values) {
  Shape shape;
  for (const Cells& v : values) {
    if (v.shape.scalar()) continue;
    if (!shape.scalar() && shape != v.shape) return {};
    shape = v.shape;
  }
  return shape;
}

const Cell& element_of(const Cells& v, std::size_t i) {
  return v.shape.scalar() ? v.cells[0] : v.cells[i];
}

}  // namespace

bool Cells::literal() const noexcept {
  return std::all_of(cells.begin(), cells.end(), [](const Cell& c) { return c.quantity.literal; });
}

std::optional<double> Algebra::constant(Term t) const {
  if (graph_[t].operation != Operation::constant) return {};
  return graph_[t].value;
}

Cell Algebra::number(double x) const { return {graph_.constant(x), written}; }

Cells Algebra::value(const Value& v) const {
  Cells c{v.shape, {}};
  c.cells.reserve(v.elements.size());
  for (const Meaning& m : v.elements) c.cells.push_back({m.term, {m.unit}});
  return c;
}

Cells Algebra::negated(Cells v) const {
  for (Cell& c : v.cells) c.term = graph_.apply(Operation::negate, c.term);
  return v;
}

Cell Algebra::times(const Cell& a, const Cell& b) const {
  if (a.absent || b.absent) return {graph_.constant(0.0), written, true};
  // A literal 0 has every unit, also in a product: 2*n*[v, 0].
  const auto nothing = [&](const Cell& c) { return c.quantity.literal && constant(c.term) == 0.0; };
  return {graph_.apply(Operation::multiply, a.term, b.term),
          nothing(a) || nothing(b) ? written : multiplied(a.quantity, b.quantity)};
}

Cell Algebra::scaled(double k, const Cell& c) const { return times(number(k), c); }

// A structural zero adds no term. Rewriting could not remove it: x + 0 differs from x for x = -0.
Cell Algebra::plus(const Cell& a, const Cell& b, Operation o, std::string& complaint) const {
  if (b.absent) return a;
  if (a.absent)
    return o == Operation::add ? b : Cell{graph_.apply(Operation::negate, b.term), b.quantity};
  const Combined units = detail::agreed(a.quantity, b.quantity, o == Operation::add ? "+" : "-");
  if (complaint.empty()) complaint = units.complaint;
  return {graph_.apply(o, a.term, b.term), units.quantity};
}

Cell Algebra::dot(std::span<const Cell> a, std::span<const Cell> b, std::string& complaint) const {
  Cell sum = times(a[0], b[0]);
  for (std::size_t i = 1; i < a.size(); ++i)
    sum = plus(sum, times(a[i], b[i]), Operation::add, complaint);
  return sum;
}

// Elementwise operation on equal shapes; units must agree element by element, and the first
// disagreement is reported.
Outcome Algebra::agreed(Operation o, const Cells& a, const Cells& b, std::string_view sign) const {
  if (a.shape != b.shape) {
    return refused("sizes do not agree: " + text(a.shape) + " " + std::string(sign) + " " +
                   text(b.shape));
  }
  Outcome out;
  out.value.shape = a.shape;
  out.value.cells.reserve(a.cells.size());
  for (std::size_t i = 0; i < a.cells.size(); ++i) {
    const Combined units = detail::agreed(a.cells[i].quantity, b.cells[i].quantity, sign);
    if (out.complaint.empty()) out.complaint = units.complaint;
    out.value.cells.push_back({graph_.apply(o, a.cells[i].term, b.cells[i].term), units.quantity});
  }
  return out;
}

Outcome Algebra::each(Operation o, const Cells& a, const Cells& b, std::string_view sign) const {
  const Cells both[] = {a, b};
  const auto shape = common(both);
  if (!shape) {
    return refused("sizes do not agree: " + text(a.shape) + " " + std::string(sign) + " " +
                   text(b.shape));
  }
  Outcome out;
  out.value.shape = *shape;
  out.value.cells.reserve(shape->size());
  for (std::size_t i = 0; i < shape->size(); ++i) {
    const Cell &x = element_of(a, i), &y = element_of(b, i);
    if (o == Operation::multiply) {
      out.value.cells.push_back(times(x, y));
    } else {
      out.value.cells.push_back(
          {graph_.apply(o, x.term, y.term), divided(x.quantity, y.quantity), x.absent});
    }
  }
  return out;
}

Outcome Algebra::product(const Cells& a, const Cells& b) const {
  if (a.shape.scalar() || b.shape.scalar()) return each(Operation::multiply, a, b, "*");
  if (a.shape.vector() && b.shape.vector()) {
    return refused(
        "two vectors have several products: write dot(a, b), cross(a, b), or a .* b for each "
        "element");
  }
  // A vector is a column; a matrix with one row is a row vector.
  const std::size_t rows = a.shape.rows, inner = a.shape.vector() ? 1 : a.shape.columns;
  const std::size_t columns = b.shape.vector() ? 1 : b.shape.columns;
  if (inner != b.shape.rows) {
    return refused("sizes do not agree: " + text(a.shape) + " * " + text(b.shape));
  }
  Outcome out;
  if (b.shape.matrix()) {
    out.value.shape = {static_cast<std::uint32_t>(rows), static_cast<std::uint32_t>(columns)};
  } else if (rows > 1) {
    out.value.shape = vector_of(rows);  // a row times a column is a number
  }
  std::vector<Cell> column(inner);
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t c = 0; c < columns; ++c) {
      for (std::size_t k = 0; k < inner; ++k) column[k] = b.cells[k * columns + c];
      out.value.cells.push_back(dot({&a.cells[r * inner], inner}, column, out.complaint));
    }
  }
  return out;
}

Outcome Algebra::raised(const Cells& a, const Cells& b) const {
  if (!a.shape.scalar() || !b.shape.scalar()) {
    return refused("^ wants numbers; for each element write pow(v, p)");
  }
  const Cell &x = a.cells[0], &p = b.cells[0];
  const Combined units = detail::raised(x.quantity, p.quantity, constant(p.term));
  return {{{}, {{graph_.apply(Operation::power, x.term, p.term), units.quantity}}},
          units.complaint};
}

Term Algebra::element(const Function& f, std::span<const Term> of) const {
  if (f.operation == Operation::select) return graph_.apply(f.operation, of[0], of[1], of[2]);
  // x is the second operand: minimum and maximum return the second one for NaN, so NaN stays NaN.
  if (f.name == "clamp") {
    return graph_.apply(Operation::minimum, of[2], graph_.apply(Operation::maximum, of[1], of[0]));
  }
  Term t = graph_.apply(f.operation, of[0], of.size() > 1 ? of[1] : 0);
  for (std::size_t i = 2; i < of.size(); ++i) t = graph_.apply(f.operation, t, of[i]);
  return t;
}

// Applies a function of numbers element by element; scalars are repeated.
Outcome Algebra::called(const Function& f, std::span<const Cells> arguments) const {
  if (arguments.size() == 1 && f.most > 1) return reduced(f, arguments[0]);
  const auto shape = common(arguments);
  if (!shape) {
    std::string sizes;
    for (const Cells& a : arguments) sizes += (sizes.empty() ? "" : ", ") + text(a.shape);
    return refused("sizes do not agree: " + std::string(f.name) + " of " + sizes);
  }
  const std::size_t first = f.operation == Operation::select ? 1 : 0;  // whose units must agree
  if (first == 1 && !arguments[0].shape.scalar()) {
    return refused("the condition of if must be a single one");
  }
  Outcome out;
  out.value.shape = *shape;
  std::vector<Term> terms(arguments.size());
  std::vector<Quantity> quantities(arguments.size() - first);
  for (std::size_t i = 0; i < shape->size(); ++i) {
    for (std::size_t k = 0; k < arguments.size(); ++k) {
      const Cell& c = element_of(arguments[k], i);
      terms[k] = c.term;
      if (k >= first) quantities[k - first] = c.quantity;
    }
    const auto exponent = f.units == UnitRule::raised ? constant(terms[1]) : std::nullopt;
    const Combined units = detail::called(f, quantities, exponent);
    if (out.complaint.empty()) out.complaint = units.complaint;
    out.value.cells.push_back({element(f, terms), units.quantity});
  }
  return out;
}

/// The least or largest element, for min and max of one vector.
Outcome Algebra::reduced(const Function& f, const Cells& v) const {
  std::vector<Term> terms;
  std::vector<Quantity> quantities;
  for (const Cell& c : v.cells) {
    terms.push_back(c.term);
    quantities.push_back(c.quantity);
  }
  const Combined units = detail::called(f, quantities, {});
  const Term t = terms.size() == 1 ? terms[0] : element(f, terms);
  return {{{}, {{t, units.quantity}}}, units.complaint};
}

Outcome Algebra::cross(const Cells& a, const Cells& b) const {
  for (const Cells* v : {&a, &b}) {
    if (v->shape != Shape{3, 0}) return wanted("cross", "vectors of 3 elements", *v);
  }
  Outcome out;
  out.value.shape = {3, 0};
  for (std::size_t i = 0; i < 3; ++i) {
    const std::size_t j = (i + 1) % 3, k = (i + 2) % 3;
    out.value.cells.push_back(plus(times(a.cells[j], b.cells[k]), times(a.cells[k], b.cells[j]),
                                   Operation::subtract, out.complaint));
  }
  return out;
}

Outcome Algebra::norm(const Cells& v) const {
  if (v.shape.scalar()) return wanted("norm", "a vector", v);
  Outcome out;
  const Cell squared = dot(v.cells, v.cells, out.complaint);
  const Combined units = detail::raised(squared.quantity, written, 0.5);
  out.value.cells.push_back({graph_.apply(Operation::sqrt, squared.term), units.quantity});
  return out;
}

Outcome Algebra::unit(const Cells& v) const {
  Outcome length = norm(v);
  if (!length.complaint.empty()) return length;
  return each(Operation::divide, v, length.value, "/");
}

Outcome Algebra::total(const Cells& v) const {
  if (v.shape.scalar()) return wanted("sum", "a vector", v);
  Outcome out;
  Cell sum = v.cells[0];
  for (std::size_t i = 1; i < v.cells.size(); ++i)
    sum = plus(sum, v.cells[i], Operation::add, out.complaint);
  out.value.cells.push_back(sum);
  return out;
}

Outcome Algebra::transposed(const Cells& v) const {
  if (v.shape.scalar()) return wanted("transpose", "a vector or a matrix", v);
  Outcome out{v};
  if (v.shape.vector()) {
    out.value.shape = {1, v.shape.rows};
    return out;
  }
  out.value.shape = {v.shape.columns, v.shape.rows};
  for (std::size_t r = 0; r < v.shape.rows; ++r) {
    for (std::size_t c = 0; c < v.shape.columns; ++c)
      out.value.cells[c * v.shape.rows + r] = v.at(r, c);
  }
  return out;
}

/// By cofactors: straight-line formulas, without a choice of pivots that would depend on values.
Outcome Algebra::inverse(const Cells& m) const {
  const std::size_t n = m.shape.rows;
  if (m.shape.columns != n || n > 3) {
    return wanted("inverse", "a matrix of 1 x 1, 2 x 2 or 3 x 3 elements", m);
  }
  Outcome out;
  out.value.shape = m.shape;
  std::vector<Cell> cofactor(n * n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < n; ++k) {
      Cell& c = cofactor[i * n + k];
      if (n == 1) {
        c = number(1.0);
      } else if (n == 2) {
        c = m.at(1 - i, 1 - k);
        if ((i + k) % 2 == 1) c.term = graph_.apply(Operation::negate, c.term);
      } else {
        const std::size_t i1 = (i + 1) % 3, i2 = (i + 2) % 3, k1 = (k + 1) % 3, k2 = (k + 2) % 3;
        c = plus(times(m.at(i1, k1), m.at(i2, k2)), times(m.at(i1, k2), m.at(i2, k1)),
                 Operation::subtract, out.complaint);
      }
    }
  }
  const Cell determinant = dot({m.cells.data(), n}, {cofactor.data(), n}, out.complaint);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < n; ++k) {
      const Cell& c = cofactor[k * n + i];
      out.value.cells.push_back({graph_.apply(Operation::divide, c.term, determinant.term),
                                 divided(c.quantity, determinant.quantity), c.absent});
    }
  }
  return out;
}

/// A size must be an integer that is known when the document is read.
std::optional<std::uint32_t> Algebra::count(const Cells& v) const {
  constexpr double most = 1000;
  const auto n = v.shape.scalar() ? constant(v.cells[0].term) : std::nullopt;
  if (!n || !(*n >= 1 && *n <= most) || *n != std::floor(*n)) return {};
  return static_cast<std::uint32_t>(*n);
}

Outcome Algebra::filled(std::span<const Cells> sizes, bool ones) const {
  const auto rows = count(sizes[0]);
  const auto columns = sizes.size() > 1 ? count(sizes[1]) : std::optional<std::uint32_t>(0);
  if (!rows || !columns)
    return refused("a size is a whole number from 1 to 1000, known before the run");
  Outcome out;
  out.value.shape = {*rows, *columns};
  Cell one = number(ones ? 1.0 : 0.0);
  one.absent = !ones;
  out.value.cells.assign(out.value.shape.size(), one);
  return out;
}

Outcome Algebra::identity(const Cells& size) const {
  const Cells square[] = {size, size};
  Outcome out = filled(square, false);
  for (std::size_t i = 0; out.complaint.empty() && i < out.value.shape.rows; ++i)
    out.value.cells[i * (out.value.shape.columns + 1)] = number(1.0);
  return out;
}

Outcome Algebra::diagonal(const Cells& v) const {
  if (!v.shape.vector()) return wanted("diag", "a vector", v);
  const std::size_t n = v.shape.rows;
  Outcome out;
  out.value.shape = {v.shape.rows, v.shape.rows};
  out.value.cells.assign(n * n, {graph_.constant(0.0), written, true});
  for (std::size_t i = 0; i < n; ++i) out.value.cells[i * (n + 1)] = v.cells[i];
  return out;
}

/// The matrix of the cross product: skew(a)*b is cross(a, b).
Outcome Algebra::skew(const Cells& v) const {
  if (v.shape != Shape{3, 0}) return wanted("skew", "a vector of 3 elements", v);
  const Cells n = negated(v);
  const Cell zero{graph_.constant(0.0), written, true};
  return {
      {{3, 3},
       {zero, n.cells[2], v.cells[1], v.cells[2], zero, n.cells[0], n.cells[1], v.cells[0], zero}}};
}

/// A(q) of Wertz, Spacecraft Attitude Determination and Control (1978), eq. (12-13a), with the
/// scalar last. It transforms components of a vector to the axes whose attitude is q.
Outcome Algebra::rotation_matrix(const Cells& q) const {
  if (q.shape != Shape{4, 0}) return wanted("a rotation", "a quaternion of 4 elements", q);
  Outcome out;
  out.value.shape = {3, 3};
  const auto product = [&](std::size_t i, std::size_t k) { return times(q.cells[i], q.cells[k]); };
  const auto diagonal = [&](std::size_t i) {
    Cell sum;
    for (std::size_t k = 0; k < 4; ++k) {
      const Cell square = product(k, k);
      const bool positive = k == i || k == 3;
      if (k == 0) {
        sum = square;
        if (!positive) sum.term = graph_.apply(Operation::negate, sum.term);
      } else {
        sum = plus(sum, square, positive ? Operation::add : Operation::subtract, out.complaint);
      }
    }
    return sum;
  };
  const auto twice = [&](const Cell& a, const Cell& b, Operation o) {
    return scaled(2.0, plus(a, b, o, out.complaint));
  };
  const Operation add = Operation::add, subtract = Operation::subtract;
  out.value.cells = {diagonal(0),
                     twice(product(0, 1), product(2, 3), add),
                     twice(product(0, 2), product(1, 3), subtract),
                     twice(product(0, 1), product(2, 3), subtract),
                     diagonal(1),
                     twice(product(1, 2), product(0, 3), add),
                     twice(product(0, 2), product(1, 3), add),
                     twice(product(1, 2), product(0, 3), subtract),
                     diagonal(2)};
  return out;
}

/// The quaternion product in Shuster's order: A(qmul(a, b)) = A(a) A(b).
Outcome Algebra::quaternion_product(const Cells& a, const Cells& b) const {
  for (const Cells* q : {&a, &b}) {
    if (q->shape != Shape{4, 0}) return wanted("qmul", "quaternions of 4 elements", *q);
  }
  struct Factor {
    std::size_t of_a;
    bool positive;
  };
  // Row by row, for each element of b: the element of a that multiplies it, and the sign.
  static constexpr Factor factors[4][4] = {{{3, true}, {2, true}, {1, false}, {0, true}},
                                           {{2, false}, {3, true}, {0, true}, {1, true}},
                                           {{1, true}, {0, false}, {3, true}, {2, true}},
                                           {{0, false}, {1, false}, {2, false}, {3, true}}};
  Outcome out;
  out.value.shape = {4, 0};
  for (const auto& row : factors) {
    Cell sum;
    for (std::size_t k = 0; k < 4; ++k) {
      Cell factor = b.cells[k];
      if (k == 0 && !row[k].positive) factor.term = graph_.apply(Operation::negate, factor.term);
      const Cell t = times(factor, a.cells[row[k].of_a]);
      if (k == 0) {
        sum = t;
      } else {
        sum = plus(sum, t, row[k].positive ? Operation::add : Operation::subtract, out.complaint);
      }
    }
    out.value.cells.push_back(sum);
  }
  return out;
}

/// dq/dt for axes that rotate with angular velocity w, in components along these axes (Wertz, eq.
/// (16-3)).
Outcome Algebra::quaternion_rate(const Cells& q, const Cells& w) const {
  if (q.shape != Shape{4, 0}) return wanted("qrate", "a quaternion of 4 elements first", q);
  if (w.shape != Shape{3, 0}) return wanted("qrate", "an angular velocity of 3 elements second", w);
  const auto t = [&](std::size_t i, std::size_t k) { return times(w.cells[i], q.cells[k]); };
  Outcome out;
  const auto sum = [&](const Cell& a, const Cell& b, Operation o, const Cell& c) {
    return plus(plus(a, b, o, out.complaint), c, Operation::add, out.complaint);
  };
  const Cell minus = times(negated(w).cells[2], q.cells[0]);
  const Operation add = Operation::add, subtract = Operation::subtract;
  out.value = {{4, 0},
               {scaled(0.5, sum(t(2, 1), t(1, 2), subtract, t(0, 3))),
                scaled(0.5, sum(minus, t(0, 2), add, t(1, 3))),
                scaled(0.5, sum(t(1, 0), t(0, 1), subtract, t(2, 3))),
                scaled(-0.5, sum(t(0, 0), t(1, 1), add, t(2, 2)))}};
  return out;
}

/// Linear interpolation; constant beyond the ends.
Outcome Algebra::interpolated(std::span<const Cells> arguments) const {
  const Cells &x = arguments[0], &places = arguments[1], &values = arguments[2];
  if (!x.shape.scalar()) return wanted("table", "a number first", x);
  if (!places.shape.vector() || places.shape.rows < 2)
    return wanted("table", "a vector of at least 2 places second", places);
  if (places.shape != values.shape) {
    return refused("table has " + text(places.shape) + " for places and " + text(values.shape) +
                   " for values; it wants as many of both");
  }
  const std::size_t n = places.cells.size();
  for (std::size_t i = 0; i < n; ++i) {
    const auto here = constant(places.cells[i].term);
    const auto before = i > 0 ? constant(places.cells[i - 1].term) : std::nullopt;
    if (!here) return refused("the places of a table must be constants");
    if (before && !(*here > *before)) return refused("the places of a table must rise");
  }
  Outcome out;
  const auto complain = [&](const Combined& units) {
    if (out.complaint.empty()) out.complaint = units.complaint;
  };
  for (const Cell& c : places.cells) complain(detail::agreed(x.cells[0].quantity, c.quantity, ","));
  const Term inside =
      graph_.apply(Operation::minimum, places.cells[n - 1].term,
                   graph_.apply(Operation::maximum, places.cells[0].term, x.cells[0].term));
  Cell result;
  // A chain of selects from the last interval to the first, without branches.
  for (std::size_t i = n - 1; i-- > 0;) {
    const Cell &a = values.cells[i], &b = values.cells[i + 1];
    const Combined units = detail::agreed(a.quantity, b.quantity, ",");
    complain(units);
    const Term rise = graph_.apply(Operation::subtract, b.term, a.term);
    const Term run =
        graph_.apply(Operation::subtract, places.cells[i + 1].term, places.cells[i].term);
    const Term beyond = graph_.apply(Operation::subtract, inside, places.cells[i].term);
    const Term line = graph_.apply(
        Operation::add, a.term,
        graph_.apply(Operation::multiply, beyond, graph_.apply(Operation::divide, rise, run)));
    const Term before = graph_.apply(Operation::less, inside, places.cells[i + 1].term);
    result.term = i + 2 == n ? line : graph_.apply(Operation::select, before, line, result.term);
    if (i + 2 == n || !units.quantity.literal) result.quantity = units.quantity;
  }
  out.value.cells.push_back(result);
  return out;
}

Outcome Algebra::called(const VectorFunction& f, std::span<const Cells> a) const {
  switch (f.kind) {
    case VectorKind::cross:
      return cross(a[0], a[1]);
    case VectorKind::dot: {
      if (!a[0].shape.vector() || a[0].shape != a[1].shape) {
        return refused("dot wants two vectors of the same size, not " + text(a[0].shape) + " and " +
                       text(a[1].shape));
      }
      Outcome out;
      out.value.cells.push_back(dot(a[0].cells, a[1].cells, out.complaint));
      return out;
    }
    case VectorKind::norm:
      return norm(a[0]);
    case VectorKind::unit:
      return unit(a[0]);
    case VectorKind::sum:
      return total(a[0]);
    case VectorKind::transpose:
      return transposed(a[0]);
    case VectorKind::inverse:
      return inverse(a[0]);
    case VectorKind::diag:
      return diagonal(a[0]);
    case VectorKind::skew:
      return skew(a[0]);
    case VectorKind::identity:
      return identity(a[0]);
    case VectorKind::zeros:
      return filled(a, false);
    case VectorKind::ones:
      return filled(a, true);
    case VectorKind::rotate: {
      if (a[1].shape != Shape{3, 0}) return wanted("rotate", "a vector of 3 elements second", a[1]);
      const Outcome matrix = rotation_matrix(a[0]);
      return matrix.complaint.empty() ? product(matrix.value, a[1]) : matrix;
    }
    case VectorKind::dcm:
      return rotation_matrix(a[0]);
    case VectorKind::qmul:
      return quaternion_product(a[0], a[1]);
    case VectorKind::qinv: {
      if (a[0].shape != Shape{4, 0}) return wanted("qinv", "a quaternion of 4 elements", a[0]);
      Outcome out{negated(a[0])};
      out.value.cells[3] = a[0].cells[3];
      return out;
    }
    case VectorKind::qrate:
      return quaternion_rate(a[0], a[1]);
    case VectorKind::table:
      return interpolated(a);
  }
  return {};
}

}  // namespace detail
}  // namespace vernier::expression
