#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "vernier/kernel/expression/detail/functions.hpp"
#include "vernier/kernel/expression/detail/quantity.hpp"
#include "vernier/kernel/expression/expression.hpp"

namespace vernier::expression::detail {

/// One element of a value.
struct Cell {
  Term term = 0;
  Quantity quantity = {};
  bool absent = false;  // a structural zero of diag, skew, identity or zeros: products omit it
};

/// A number, vector or matrix of terms; a matrix is stored row by row.
struct Cells {
  Shape shape = {};
  std::vector<Cell> cells = {};

  bool literal() const noexcept;
  const Cell& at(std::size_t row, std::size_t column) const {
    return cells[row * shape.columns + column];
  }
};

/// A result, or what is wrong with it. There is a result even if units are wrong, but not if sizes
/// are wrong.
struct Outcome {
  Cells value = {};
  std::string complaint = {};
  Problem::Kind kind = Problem::Kind::units;
};

/// Expands operations on vectors and matrices into operations on elements, in the order in which
/// they are written out by hand: sums from the left, the first factor of a product first.
class Algebra {
 public:
  explicit Algebra(Graph& g) noexcept : graph_(g) {}

  Cell number(double) const;
  Cells value(const Value&) const;

  /// For +, - and comparisons; `sign` is the operator as written.
  Outcome agreed(Operation, const Cells& a, const Cells& b, std::string_view sign) const;
  /// The matrix product; a scalar factor scales.
  Outcome product(const Cells& a, const Cells& b) const;
  /// For .* and ./, and division by a number.
  Outcome each(Operation, const Cells& a, const Cells& b, std::string_view sign) const;
  Outcome raised(const Cells& a, const Cells& b) const;
  Cells negated(Cells) const;

  /// A function of numbers, applied element by element; scalars are combined with every element.
  Outcome called(const Function&, std::span<const Cells> arguments) const;
  /// A function of vectors.
  Outcome called(const VectorFunction&, std::span<const Cells> arguments) const;

  std::optional<double> constant(Term) const;

 private:
  Cell times(const Cell& a, const Cell& b) const;
  Cell plus(const Cell& a, const Cell& b, Operation, std::string& complaint) const;
  Cell dot(std::span<const Cell> a, std::span<const Cell> b, std::string& complaint) const;
  Cell scaled(double, const Cell&) const;
  Term element(const Function&, std::span<const Term>) const;
  Outcome reduced(const Function&, const Cells&) const;
  Outcome cross(const Cells& a, const Cells& b) const;
  Outcome norm(const Cells&) const;
  Outcome unit(const Cells&) const;
  Outcome total(const Cells&) const;
  Outcome transposed(const Cells&) const;
  Outcome inverse(const Cells&) const;
  Outcome filled(std::span<const Cells>, bool ones) const;
  Outcome identity(const Cells&) const;
  Outcome diagonal(const Cells&) const;
  Outcome skew(const Cells&) const;
  Outcome rotation_matrix(const Cells& q) const;
  Outcome quaternion_product(const Cells& a, const Cells& b) const;
  Outcome quaternion_rate(const Cells& q, const Cells& w) const;
  Outcome interpolated(std::span<const Cells>) const;
  std::optional<std::uint32_t> count(const Cells&) const;

  Graph& graph_;
};

}  // namespace vernier::expression::detail
