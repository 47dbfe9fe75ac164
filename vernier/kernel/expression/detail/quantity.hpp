#pragma once

#include <optional>
#include <span>
#include <string>

#include "vernier/base/units.hpp"
#include "vernier/kernel/expression/detail/functions.hpp"

namespace vernier::expression::detail {

/// What is known of the unit of a part of an expression. A number written in the formula, and what
/// is made of such numbers alone, takes the unit of what it is added to or compared with.
struct Quantity {
  std::optional<Unit> unit = {};  // nothing: not known, agrees with everything
  bool literal = false;
};

/// Of a number that is written in the formula.
inline const Quantity written{Unit{}, true};

/// The unit of a combination, or why there is none: then `complaint` is not empty and the quantity
/// is not known.
struct Combined {
  Quantity quantity = {};
  std::string complaint = {};
};

/// + - and comparisons; `sign` is how the operator is written.
Combined agreed(const Quantity& a, const Quantity& b, std::string_view sign);
Quantity multiplied(const Quantity& a, const Quantity& b);
Quantity divided(const Quantity& a, const Quantity& b);
/// `exponent`: its value where it is constant.
Combined raised(const Quantity& base, const Quantity& exponent, std::optional<double> value);
/// The units of a call; for `if`, without the condition.
Combined called(const Function&, std::span<const Quantity> arguments,
                std::optional<double> exponent);

}  // namespace vernier::expression::detail
