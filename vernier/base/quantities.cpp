#include <algorithm>

#include "vernier/base/text.hpp"
#include "vernier/base/units.hpp"

namespace vernier {
namespace {

struct Quantity {
  std::string_view unit;
  std::string_view symbol;  // that the text must contain; empty: any text of this dimension
  std::string_view name;
};

// Of one dimension, the first whose symbol the author wrote.
constexpr Quantity quantities[] = {
    {"1", "rad", "an angle"},
    {"1", "deg", "an angle"},
    {"1", "\u00b0", "an angle"},
    {"1", "arc", "an angle"},
    {"1", "rev", "an angle"},
    {"1", "", "a number without unit"},
    {"m", "", "a length"},
    {"m^2", "", "an area"},
    {"m^3", "", "a volume"},
    {"kg", "", "a mass"},
    {"s", "", "a time"},
    {"A", "", "a current"},
    {"K", "", "a temperature"},
    {"mol", "", "an amount of substance"},
    {"cd", "", "a luminous intensity"},
    {"1/s", "rad", "an angular velocity"},
    {"1/s", "deg", "an angular velocity"},
    {"1/s", "\u00b0", "an angular velocity"},
    {"1/s", "rev", "an angular velocity"},
    {"1/s", "rpm", "an angular velocity"},
    {"1/s", "arc", "an angular velocity"},
    {"1/s", "Hz", "a frequency"},
    {"1/s", "", "a rate"},
    {"1/s^2", "rad", "an angular acceleration"},
    {"1/s^2", "deg", "an angular acceleration"},
    {"m/s", "", "a velocity"},
    {"m/s^2", "", "an acceleration"},
    {"m^3/s^2", "", "a gravitational parameter"},
    {"N", "", "a force"},
    {"N*s", "", "a momentum"},
    {"N*m", "N", "a torque"},
    {"N*m", "", "an energy"},
    {"N*m*s", "", "an angular momentum"},
    {"kg*m", "", "a first moment of mass"},
    {"kg*m^2", "", "a moment of inertia"},
    {"kg/m", "", "a mass per length"},
    {"kg/m^2", "", "a mass per area"},
    {"kg/m^3", "", "a density"},
    {"kg/s", "", "a mass flow"},
    {"N/m", "", "a stiffness"},
    {"Pa", "", "a pressure"},
    {"Pa*s", "", "a viscosity"},
    {"W", "", "a power"},
    {"W/m^2", "", "an irradiance"},
    {"W/K", "", "a thermal conductance"},
    {"W/(m*K)", "", "a thermal conductivity"},
    {"J/K", "", "a heat capacity"},
    {"J/(kg*K)", "", "a specific heat capacity"},
    {"V", "", "a voltage"},
    {"C", "", "an electric charge"},
    {"F", "", "a capacitance"},
    {"Ohm", "", "a resistance"},
    {"S", "", "a conductance"},
    {"H", "", "an inductance"},
    {"Wb", "", "a magnetic flux"},
    {"T", "", "a magnetic flux density"},
    {"A*m^2", "", "a magnetic dipole moment"},
    {"V/m", "", "an electric field"},
};

bool has_turns(std::string_view unit) noexcept { return unit.find("Hz") != unit.npos; }

bool has_angles(std::string_view unit) noexcept {
  for (const std::string_view angle : {"rad", "deg", "°", "rev", "rpm", "arcmin", "arcsec"})
    if (unit.find(angle) != unit.npos) return true;
  return false;
}

/// Whether one is in Hz and the other an angle per time.
bool turns_or_angles(std::string_view a, std::string_view b) noexcept {
  return (has_turns(a) && has_angles(b)) || (has_angles(a) && has_turns(b));
}

/// Numbers at the start of a text, and what follows them.
struct Numbers {
  std::size_t count = 0;
  std::string unit;
};

Numbers numbers_in(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c == ',' || c == ';'; }, ' ');
  Numbers all;
  for (const std::string_view word : words(text)) {
    std::size_t digits = 0;  // of a number that the word begins with: "4.1kg"
    if (all.unit.empty()) {
      digits = word.size();
      while (digits > 0 && !parsed_real(word.substr(0, digits))) --digits;
      all.count += digits > 0;
    }
    if (digits == word.size()) continue;
    all.unit += (all.unit.empty() ? "" : " ") + std::string(word.substr(digits));
  }
  return all;
}

/// "1,5 2" as "1, 5 2".
std::string with_blanks(std::string_view text) {
  std::string better;
  for (const char c : text) {
    if (!better.empty() && better.back() == ',' && c != ' ') better += ' ';
    better += c;
  }
  return better;
}

}  // namespace

std::string_view quantity(std::string_view unit) noexcept {
  const auto read = parsed_unit(unit);
  if (!read) return {};
  for (const Quantity& q : quantities) {
    const auto known = parsed_unit(q.unit);
    if (known && same_dimension(*known, *read) && unit.find(q.symbol) != std::string_view::npos)
      return q.name;
  }
  return {};
}

std::vector<std::string_view> quantity_units() {
  std::vector<std::string_view> all;
  for (const Quantity& q : quantities)
    if (q.symbol.empty()) all.push_back(q.unit);
  return all;
}

bool interchangeable(std::string_view a, std::string_view b) noexcept {
  if (a == b) return true;
  const auto one = parsed_unit(a), other = parsed_unit(b);
  return one && other && same_dimension(*one, *other) && !turns_or_angles(a, b);
}

std::string unit_mismatch(std::string_view given, std::string_view expected) {
  if (const auto one = parsed_unit(given), other = parsed_unit(expected);
      one && other && same_dimension(*one, *other) && turns_or_angles(given, expected))
    return "1 Hz may mean 1 rad/s or 2π rad/s: write " +
           std::string(has_turns(expected) ? "it in Hz" : "rad/s, deg/s, rpm or rev/s");
  const std::string_view is = quantity(given), wanted = quantity(expected);
  std::string said(given);
  if (!parsed_unit(given))
    said = '"' + said + "\" is not a unit";
  else if (given == "1")
    said = "it has no unit";
  else if (is.empty())
    said += " was given";
  else
    said += " is " + std::string(is);
  if (expected == "1") return said + ", a number without unit was expected";
  return said + ", " +
         (wanted.empty() ? std::string(expected)
                         : std::string(wanted) + " (" + std::string(expected) + ")") +
         " was expected";
}

std::string quantity_problem(std::string_view text, std::string_view expected, std::size_t count) {
  const Numbers given = numbers_in(std::string(text));
  if (const auto better = without_decimal_commas(text)) {
    const Numbers read = numbers_in(*better);
    if (count == 0 ? read.count < given.count : read.count == count)
      return "the decimal separator is a point: write " + *better;
    if (given.count == count && given.unit.empty())
      return "a comma directly between digits may mean two things: write " + *better + " or " +
             with_blanks(text);
  }
  if (given.count == 0) return {};
  if (!given.unit.empty()) {
    if (given.unit.find_first_of("0123456789") == 0) return {};  // no unit: a slip in a number
    const auto unit = parsed_unit(given.unit), wanted = parsed_unit(expected);
    if (!unit || (wanted && !interchangeable(given.unit, expected)))
      return unit_mismatch(given.unit, expected);
  }
  if (count == 0 || given.count == count) return {};
  return std::to_string(given.count) + (given.count == 1 ? " number is" : " numbers are") +
         " given, " + std::to_string(count) + (count == 1 ? " is needed" : " are needed");
}

std::string text(const Unit& u, std::span<const std::string> written) {
  const auto own = std::find_if(written.begin(), written.end(), [&u](const std::string& w) {
    const auto read = parsed_unit(w);
    return read && same_dimension(*read, u) && read->factor == 1.0;
  });
  return own == written.end() ? text(u) : *own;
}

}  // namespace vernier
