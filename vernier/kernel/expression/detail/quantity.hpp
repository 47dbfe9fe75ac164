#pragma once

#include <optional>
#include <span>
#include <string>

#include "vernier/base/units.hpp"
#include "vernier/kernel/expression/detail/functions.hpp"

namespace vernier::expression::detail {

/// What is known about the unit of a subexpression. A literal number, or an expression of literal
/// numbers only, takes the unit of whatever it is added to or compared with.
struct Quantity {
  std::optional<Unit> unit = {};  // nothing: not known, compatible with every unit
  bool literal = false;
};

/// The quantity of a literal number.
inline const Quantity written{Unit{}, true};

/// The unit of a combination. If the units are incompatible, `complaint` says why and the unit is
/// not known.
struct Combined {
  Quantity quantity = {};
  std::string complaint = {};
};

/// For +, - and comparisons; `sign` is the operator as written.
Combined agreed(const Quantity& a, const Quantity& b, std::string_view sign);
Quantity multiplied(const Quantity& a, const Quantity& b);
Quantity divided(const Quantity& a, const Quantity& b);
/// `value`: the exponent, if it is constant.
Combined raised(const Quantity& base, const Quantity& exponent, std::optional<double> value);
/// The units of a call; for `if`, without the condition.
Combined called(const Function&, std::span<const Quantity> arguments,
                std::optional<double> exponent);

}  // namespace vernier::expression::detail
