#include "vernier/kernel/expression/detail/quantity.hpp"

#include <algorithm>
#include <cmath>

namespace vernier::expression::detail {
namespace {

// Units with larger powers are treated as unknown.
constexpr int largest_power = 60;

bool has_dimension(const Quantity& q) noexcept {
  return q.unit && !q.literal && !dimensionless(*q.unit);
}

Quantity bounded(std::optional<Unit> u) {
  if (!u) return {};
  const bool sane = std::all_of(u->power.begin(), u->power.end(),
                                [](int p) { return std::abs(p) <= largest_power; });
  if (!sane) return {};
  u->factor = 1.0;  // values are in SI already
  return {u};
}

const Quantity number{Unit{}, false};

// An exponent as a fraction with a small denominator: 0.5, 1.5, 0.3333333333333333.
std::optional<std::pair<int, int>> fraction(double p) noexcept {
  if (!(std::abs(p) <= largest_power)) return {};
  for (int denominator = 1; denominator <= 6; ++denominator) {
    const double numerator = p * denominator;
    if (std::abs(numerator - std::round(numerator)) < 1e-12) {
      return {{static_cast<int>(std::round(numerator)), denominator}};
    }
  }
  return {};
}

/// A unit with what it measures: "kg (a mass)". Energies and torques share a dimension, and
/// expressions do not know which was meant.
std::string shown(const Unit& u) {
  const std::string unit = text(u);
  if (unit == "N*m") return "N*m (a torque or an energy in J)";
  const std::string_view measures = unit == "1" ? "" : quantity(unit);
  return measures.empty() ? unit : unit + " (" + std::string(measures) + ")";
}

}  // namespace

// A literal number adopts the unit of the other operand; an unknown unit agrees with every unit.
Combined agreed(const Quantity& a, const Quantity& b, std::string_view sign) {
  if (a.literal && b.literal) return {written};
  if (a.literal) return {b};
  if (b.literal) return {a};
  if (!a.unit || !b.unit) return {};
  if (same_dimension(*a.unit, *b.unit)) return {a};
  return {{},
          "units do not agree: " + shown(*a.unit) + " " + std::string(sign) + " " + shown(*b.unit)};
}

Quantity multiplied(const Quantity& a, const Quantity& b) {
  if (a.literal && b.literal) return written;
  if (!a.unit || !b.unit) return {};
  return bounded(product(*a.unit, *b.unit));
}

Quantity divided(const Quantity& a, const Quantity& b) {
  if (a.literal && b.literal) return written;
  if (!a.unit || !b.unit) return {};
  return bounded(quotient(*a.unit, *b.unit));
}

Combined raised(const Quantity& base, const Quantity& exponent, std::optional<double> value) {
  if (has_dimension(exponent)) {
    return {{}, "an exponent has no unit, this one is " + shown(*exponent.unit)};
  }
  if (base.literal && exponent.literal) return {written};
  if (!base.unit) return {};
  if (!has_dimension(base)) return {number};
  if (!value) {
    return {{}, "a quantity in " + text(*base.unit) + " can only be raised to a constant power"};
  }
  const auto p = fraction(*value);
  if (!p) return {};
  // Units keep integer powers: for roots of odd powers, as in T/sqrt(Hz), the unit becomes unknown.
  return {bounded(power(*base.unit, p->first, p->second))};
}

Combined called(const Function& f, std::span<const Quantity> arguments,
                std::optional<double> exponent) {
  const bool literal =
      std::all_of(arguments.begin(), arguments.end(), [](const Quantity& q) { return q.literal; });
  const std::string name(f.name);
  switch (f.units) {
    case UnitRule::raised:
      return raised(arguments[0], arguments[1], exponent);
    case UnitRule::root:
      return raised(arguments[0], literal ? written : number, 0.5);
    case UnitRule::any_to_none:
      return {literal ? written : number};
    case UnitRule::none_to_none:
      for (const Quantity& q : arguments) {
        if (has_dimension(q)) {
          return {number, name + " wants a number without unit, not " + shown(*q.unit)};
        }
      }
      return {literal ? written : number};
    default:
      break;
  }
  Combined all{arguments[0]};
  for (const Quantity& q : arguments.subspan(1)) {
    const Quantity before = all.quantity;
    all = agreed(before, q, ",");
    if (all.complaint.empty()) continue;
    all.complaint =
        "units do not agree: " + name + " of " + shown(*before.unit) + " and " + shown(*q.unit);
    break;
  }
  if (f.units == UnitRule::same_to_none) all.quantity = literal ? written : number;
  return all;
}

}  // namespace vernier::expression::detail
