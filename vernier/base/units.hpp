#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace vernier {

/// A physical unit: powers of the SI base units and the factor to SI. Angles are dimensionless: rad
/// is 1.
///
/// Texts: "1", "m", "kg*m^2", "N m s", "rad/s", "deg/s", "1/s", "km", "mT"; products with blank or
/// *, any number of /, integer powers with ^, parentheses, SI prefixes. "A.m2" is not valid.
struct Unit {
  std::array<std::int8_t, 7> power{};  // m, kg, s, A, K, mol, cd
  double factor = 1.0;                 // value in SI = value * factor

  bool operator==(const Unit&) const = default;
};

std::optional<Unit> parsed_unit(std::string_view) noexcept;

constexpr bool same_dimension(const Unit& a, const Unit& b) noexcept { return a.power == b.power; }
/// Whether a value in one of these units can be given in the other: units of the same dimension,
/// but not Hz and an angle per time, since 1 Hz might be 1 rad/s or 2π rad/s.
bool interchangeable(std::string_view, std::string_view) noexcept;
bool dimensionless(const Unit&) noexcept;
Unit product(const Unit&, const Unit&) noexcept;
Unit quotient(const Unit&, const Unit&) noexcept;
/// Nothing when a power would not be an integer.
std::optional<Unit> power(const Unit&, int numerator, int denominator = 1) noexcept;

/// A text for a dimension, with customary derived units: "N*m"; never "rad/s".
std::string text(const Unit&);
/// The same in a unit the author wrote where one of `written` fits: J for an energy, rad/s.
std::string text(const Unit&, std::span<const std::string> written);

/// What a unit measures: "a mass", "a torque"; empty when the dimension has no usual name. The
/// symbols decide between quantities of one dimension: J is an energy, N*m a torque.
std::string_view quantity(std::string_view unit) noexcept;

/// Why values in `given` cannot be used: "kg is a mass, a torque (N*m) was expected". A text that
/// is no unit: "\"kgs\" is not a unit, a torque (N*m) was expected".
std::string unit_mismatch(std::string_view given, std::string_view expected);

/// Why a text does not read as `count` numbers (0: some) and a unit of the dimension of `expected`,
/// for the user: a decimal comma, a unit of another quantity, too many numbers. Empty: nothing more
/// to say.
std::string quantity_problem(std::string_view text, std::string_view expected,
                             std::size_t count = 1);

/// The names of units without prefixes, and a unit for each quantity that quantity() knows.
std::vector<std::string_view> unit_names();
std::vector<std::string_view> quantity_units();

/// A number followed by a unit, "4.1 kg", "600km", "10 ms", "-3": in SI. `expected` is the unit of
/// a bare number; another dimension is refused.
std::optional<double> parsed_quantity(std::string_view, std::string_view expected);

}  // namespace vernier
