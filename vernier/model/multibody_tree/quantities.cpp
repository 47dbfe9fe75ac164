#include "vernier/model/multibody_tree/quantities.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "vernier/base/text.hpp"
#include "vernier/base/units.hpp"

namespace vernier::multibody_tree {
namespace {

using spatial::Matrix3;
using spatial::Quaternion;
using spatial::Vector3;

constexpr std::size_t most_terms = 1'000'000;

/// Splits at commas outside parentheses.
std::vector<std::string_view> pieces(std::string_view text) {
  std::vector<std::string_view> all;
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '(') ++depth;
    if (text[i] == ')') --depth;
    if (text[i] != ',' || depth != 0) continue;
    all.push_back(trimmed(text.substr(begin, i - begin)));
    begin = i + 1;
  }
  all.push_back(trimmed(text.substr(begin)));
  return all;
}

/// Whether a comma outside parentheses stands directly between digits: "0,5" may be one number or
/// two.
bool ambiguous_comma(std::string_view text) {
  const auto digit = [&](std::size_t i) { return text[i] >= '0' && text[i] <= '9'; };
  int depth = 0;
  for (std::size_t i = 0; i + 1 < text.size(); ++i) {
    if (text[i] == '(') ++depth;
    if (text[i] == ')') --depth;
    if (text[i] == ',' && depth == 0 && i > 0 && digit(i - 1) && digit(i + 1)) return true;
  }
  return false;
}

/// A number and the text after it; nothing if the text does not begin with a number.
std::optional<std::pair<double, std::string_view>> leading(std::string_view text) {
  const std::size_t blank = std::min(text.find_first_of(" \t\r\n"), text.size());
  for (std::size_t end = blank; end > 0 && blank - end < 40; --end) {
    if (const auto x = parsed_real(text.substr(0, end)))
      return std::pair{*x, trimmed(text.substr(end))};
  }
  return {};
}

/// An element of a list, and its unit.
struct Piece {
  std::string_view text, unit;
};

/// Separates a number from the unit after it, with or without a blank.
Piece piece(std::string_view text) {
  const auto number = leading(text);
  if (!number || number->second.empty()) return {text, {}};
  const std::string_view unit = number->second;
  // "2*m" is an expression.
  if (!parsed_unit(unit) && text.find_first_of("+-*/^(", 1) != std::string_view::npos)
    return {text, {}};
  return {trimmed(text.substr(0, static_cast<std::size_t>(unit.data() - text.data()))), unit};
}

/// Splits elements separated by commas, each with an optional unit, or by blanks, with one unit
/// after the last. Elements without a unit take that of the last.
std::vector<Piece> split_elements(std::string_view text, std::size_t count) {
  std::vector<Piece> all;
  if (count == 1) {
    all.push_back(piece(text));
  } else if (const auto parts = pieces(text); parts.size() > 1) {
    for (const std::string_view p : parts) all.push_back(piece(p));
  } else {
    for (const std::string_view w : words(text)) all.push_back({w, {}});
    if (all.size() > count && count > 0) {
      const char* begin = all[count].text.data();
      all.resize(count);
      all.back().unit = text.substr(static_cast<std::size_t>(begin - text.data()));
    } else if (!all.empty()) {
      all.back() = piece(all.back().text);
    }
  }
  if (all.empty()) return all;
  for (Piece& p : all) {
    if (p.unit.empty()) p.unit = all.back().unit;
  }
  return all;
}

/// Words for numbers that are not finite.
bool not_finite(std::string_view word) {
  if (!word.empty() && (word[0] == '-' || word[0] == '+')) word.remove_prefix(1);
  for (const std::string_view bad : {"nan", "NaN", "NAN", "inf", "Inf", "INF", "infinity"}) {
    if (word == bad) return true;
  }
  return false;
}

bool angular(std::string_view unit) { return unit.substr(0, 3) == "rad"; }

}  // namespace

bool identifier(std::string_view s) noexcept {
  constexpr std::size_t longest = 100;
  if (s.empty() || s.size() > longest || (s[0] >= '0' && s[0] <= '9')) return false;
  return std::all_of(s.begin(), s.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           static_cast<unsigned char>(c) >= 0x80;
  });
}

Quantities::Quantities(Report& r, const Parameters* p) : report_(r), parameters_(p) {}

bool Quantities::good_name(const Element& e, const std::string& name) {
  if (identifier(name)) return true;
  report_.error("V1309", in_quotes(name) + " cannot be a name", Report::value_place(e, "name"))
      .notes.push_back("names have letters, digits and _, and begin with a letter");
  return false;
}

void Quantities::declare(const Element& constants) {
  for (const Element& e : constants.children) declare_one(e);
}

void Quantities::declare_one(const Element& e) {
  const std::string name(trimmed(e.value("name")));
  const Place place = Report::value_place(e, "name");
  static const std::vector<std::string> functions = expression::function_names();
  const bool used = std::find(functions.begin(), functions.end(), name) != functions.end();
  if (!good_name(e, name)) {
    constants_known_ = false;
    return;
  }
  if (used || name == "and" || name == "or" || name == "not" || name == "pi") {
    report_.error("V1309", in_quotes(name) + " cannot be a name: expressions use it", place);
    return;
  }
  if (const auto taken = constants_.find(name); taken != constants_.end()) {
    report_.error("V1310", "the name " + in_quotes(name) + " is used twice", place)
        .notes.push_back("first for the constant on line " +
                         std::to_string(taken->second.element->place.line));
    return;
  }
  Constant c;
  c.element = &e;
  std::string unit(trimmed(e.value("unit")));
  if (!unit.empty() && !parsed_unit(unit)) {
    report_.error("V1313", in_quotes(unit) + " is not a unit", Report::value_place(e, "unit"))
        .notes.push_back("units are written as m, kg*m^2, N*m, rad/s, 1/s, km, mT, deg");
    unit.clear();
    constants_known_ = false;
  }
  const std::string_view text = trimmed(e.value("value"));
  const Place value_place = Report::value_place(e, "value");
  const std::string what = "the constant " + in_quotes(name);
  const auto number = leading(text);
  const bool plain = number && (number->second.empty() || parsed_unit(number->second) ||
                                identifier(number->second));
  if (plain && unit.empty()) unit = number->second;
  c.unit = parsed_unit(unit);
  std::optional<double> value;
  if (plain) {
    // Without a unit it is not checked in expressions.
    const std::string in = unit.empty() ? "1" : unit;
    if (const auto one = numbers(text, value_place, what, in, 1, in)) value = one->front();
  } else if (const auto computed = expression(text, value_place, what, unit)) {
    value = computed->value;
    if (!c.unit) c.unit = computed->unit;
    if (c.unit && unit.empty()) unit = vernier::text(*c.unit);
  }
  if (!value) constants_known_ = false;
  if (unit.empty()) unit = "1";
  c.value = value.value_or(0.0);
  const double factor = parsed_unit(unit).value_or(Unit{}).factor;
  if (c.unit) c.unit->factor = 1.0;
  if (!parameters_) {
    specs_.push_back({.name = name,
                      .unit = unit,
                      .initial = exact(c.value / factor),
                      .description = std::string(trimmed(e.value("description")))});
  } else if (parameters_->given(name)) {
    c.value = parameters_->real(name);
  }
  constants_.emplace(name, c);
}

// Numbers

std::optional<std::vector<double>> Quantities::numbers(const Element& e, std::string_view attribute,
                                                       std::string_view unit, std::size_t count) {
  const document::Attribute* a = e.attribute(attribute);
  if (!a) return {};
  return numbers(a->value, a->value_place, std::string(attribute), unit, count);
}

std::optional<double> Quantities::number(const Element& e, std::string_view attribute,
                                         std::string_view unit) {
  const auto one = numbers(e, attribute, unit, 1);
  return one ? std::optional(one->front()) : std::nullopt;
}

std::optional<Vector3> Quantities::vector(const Element& e, std::string_view attribute,
                                          std::string_view unit) {
  const auto three = numbers(e, attribute, unit, 3);
  return three ? std::optional(Vector3(three->data())) : std::nullopt;
}

std::optional<std::vector<double>> Quantities::numbers(std::string_view text, const Place& place,
                                                       const std::string& what,
                                                       std::string_view unit, std::size_t count,
                                                       std::string_view bare_unit) {
  text = trimmed(text);
  const std::vector<Piece> all = split_elements(text, count);
  if (all.size() != count || ambiguous_comma(text)) {
    tell_number(text, place, what, unit, count);
    return {};
  }
  std::vector<double> values;
  bool bare = false;
  for (const Piece& p : all) {
    const std::string_view given = p.unit.empty() ? bare_unit : p.unit;
    if (p.text.empty() || not_finite(p.text)) {
      tell_number(text, place, what, unit, count);
      return {};
    }
    const auto factor = unit_factor(given, unit, text, place, what, count);
    if (!factor) return {};
    if (const auto x = parsed_real(p.text)) {
      if (!std::isfinite(*x * *factor)) {
        tell_number(text, place, what, unit, count);
        return {};
      }
      bare = bare || (*x != 0.0 && given.empty());
      values.push_back(*x * *factor);
    } else if (const auto y = expression(p.text, place, what, unit)) {
      values.push_back(y->value);
    } else {
      return {};
    }
  }
  if (bare && unit != "1") {
    const std::string with = std::string(text) + " " + std::string(unit);
    Diagnostic& d = report_.error("V1620", what + " has no unit", place);
    d.mark =
        all.back().text == words(text).back()
            ? "write " + in_quotes(with) + (angular(unit) ? " or deg" : "") + ", if that is meant"
            : "write " + std::string(unit) + " after the numbers, if that is meant";
    return {};
  }
  return values;
}

/// The factor from the unit `given` to SI; 1 without a unit.
std::optional<double> Quantities::unit_factor(std::string_view given, std::string_view unit,
                                              std::string_view text, const Place& place,
                                              const std::string& what, std::size_t count) {
  if (given.empty()) return 1.0;
  const auto known = parsed_unit(given);
  if (!known && identifier(given)) {
    report_.error("V1313", in_quotes(given) + " is not a unit, in " + what, place).mark =
        unit == "1" ? "" : "it is in " + std::string(unit);
    return {};
  }
  if (!known) {
    tell_number(text, place, what, unit, count);
    return {};
  }
  if (!fits(given, unit, place, what)) return {};
  return known->factor;
}

void Quantities::tell_number(std::string_view text, const Place& place, const std::string& what,
                             std::string_view unit, std::size_t count) {
  const std::string in = unit == "1" ? "" : " in " + std::string(unit);
  report_
      .error("V1308",
             what + " must be " + (count == 1 ? "a number" : std::to_string(count) + " numbers") +
                 in + ", not " + in_quotes(text),
             place)
      .mark = quantity_problem(text, unit, count);
}

bool Quantities::fits(std::string_view given, std::string_view unit, const Place& place,
                      const std::string& what) {
  const auto g = parsed_unit(given), u = parsed_unit(unit);
  if (!g || !u) return true;
  if (!interchangeable(given, unit)) {
    report_
        .error("V1621", what + " is in " + std::string(unit) + ", not in " + std::string(given),
               place)
        .mark = unit_mismatch(given, unit);
    return false;
  }
  return true;
}

std::optional<Quantities::Computed> Quantities::expression(std::string_view text,
                                                           const Place& place,
                                                           const std::string& what,
                                                           std::string_view unit) {
  if (graph_.size() > most_terms) {
    report_.error("V1315",
                  "the expressions have more than " + std::to_string(most_terms) + " terms", place);
    return {};
  }
  bool refused = false;
  const expression::Parsed p = parsed(text, place, what, graph_, {}, refused);
  if (!p.problems.empty() || refused) return {};
  const expression::Node& n = graph_[p.term];
  if (n.operation != expression::Operation::constant || !std::isfinite(n.value)) {
    report_.error("V1622", what + " does not give a finite number: " + in_quotes(text), place);
    return {};
  }
  if (!agrees(p.unit, unit, place, what)) return {};
  return Computed{n.value, p.unit};
}

std::optional<expression::Term> Quantities::function(std::string_view text, const Place& place,
                                                     const std::string& what, std::string_view name,
                                                     expression::Graph& graph) {
  bool refused = false;
  const expression::Scope own = [&](std::string_view n) -> std::optional<expression::Meaning> {
    if (n != name) return {};
    return expression::Meaning{graph.symbol(0)};
  };
  const expression::Parsed p = parsed(text, place, what, graph, own, refused);
  if (!p.problems.empty() || refused) return {};
  return p.term;
}

/// `refused`: it uses a constant whose error was reported already.
expression::Parsed Quantities::parsed(std::string_view text, const Place& place,
                                      const std::string& what, expression::Graph& graph,
                                      const expression::Scope& others, bool& refused) {
  const expression::Scope scope = [&](std::string_view name) -> std::optional<expression::Value> {
    if (others) {
      if (auto meaning = others(name)) return meaning;
    }
    const auto found = constants_.find(name);
    if (found == constants_.end()) {
      if (constants_known_) return {};
      refused = true;
      return expression::Meaning{graph.constant(1.0)};
    }
    return expression::Meaning{graph.constant(found->second.value), found->second.unit};
  };
  expression::Parsed p = expression::parse(text, graph, scope, expression::Wanted::number);
  for (const expression::Problem& problem : p.problems) tell(problem, place, what);
  return p;
}

bool Quantities::agrees(const std::optional<Unit>& found, std::string_view unit, const Place& place,
                        const std::string& what) {
  const auto wanted = unit.empty() ? std::nullopt : parsed_unit(unit);
  if (!wanted || !found || same_dimension(*wanted, *found)) return true;
  const std::string is = vernier::text(*found);
  report_
      .error("V1621", what + " is in " + std::string(unit) + ", the expression is in " + is, place)
      .mark = is == "N*m" ? "" : unit_mismatch(is, unit);
  return false;
}

void Quantities::tell(const expression::Problem& p, const Place& place, const std::string& what) {
  using Kind = expression::Problem::Kind;
  std::vector<std::string> names;
  for (const auto& [name, c] : constants_) names.push_back(name);
  switch (p.kind) {
    case Kind::unknown_name: {
      Diagnostic& d =
          report_.error("V1304", "unknown name " + in_quotes(p.name) + " in " + what, place);
      if (const auto near = closest(p.name, names)) d.mark = "did you mean " + *near + "?";
      d.notes.push_back(names.empty() ? "a number may be an expression of constants; there are none"
                                      : "constants: " + listed(names));
      return;
    }
    case Kind::unknown_function: {
      Diagnostic& d =
          report_.error("V1305", "unknown function " + in_quotes(p.name) + " in " + what, place);
      if (const auto near = closest(p.name, expression::function_names()))
        d.mark = "did you mean " + *near + "?";
      return;
    }
    case Kind::arguments:
      report_.error("V1306", p.message + ", in " + what, place);
      return;
    case Kind::sizes:
      report_.error("V1316", p.message + ", in " + what, place);
      return;
    case Kind::units:
      report_.error("V1312", p.message + ", in " + what, place);
      return;
    case Kind::type:
      report_.error("V1307", what + " does not fit its place", place).mark = p.message;
      return;
    case Kind::syntax:
      report_.error("V1301", what + " cannot be read", place).mark = p.message;
      return;
  }
}

std::vector<double> Quantities::replaceable(const std::string& parameter, const Element& e,
                                            std::string_view attribute, std::string_view unit,
                                            std::vector<double> otherwise,
                                            std::string_view description) {
  if (e.attribute(attribute)) {
    if (auto given = numbers(e, attribute, unit, otherwise.size())) otherwise = std::move(*given);
  }
  return replaceable(parameter, unit, std::move(otherwise), description);
}

std::vector<double> Quantities::replaceable(const std::string& parameter, std::string_view unit,
                                            std::vector<double> values,
                                            std::string_view description) {
  if (parameters_) {
    if (parameters_->given(parameter)) return parameters_->reals(parameter);
    return values;
  }
  std::vector<std::string> texts;
  for (const double x : values) texts.push_back(exact(x));
  specs_.push_back({.name = parameter,
                    .unit = std::string(unit),
                    .count = static_cast<std::uint32_t>(values.size()),
                    .initial = joined(texts, " "),
                    .description = std::string(description)});
  return values;
}

std::vector<double> Quantities::replaceable_frequencies(const std::string& parameter,
                                                        std::vector<double> values,
                                                        std::string_view description) {
  values = replaceable(parameter, "rad/s", std::move(values), description);
  if (!parameters_) specs_.back().turns = true;
  return values;
}

bool Quantities::adjustable(const std::string& parameter) {
  if (parameters_) return parameters_->adjustable(parameter);
  for (ParameterSpec& s : specs_)
    if (s.name == parameter) s.adjustable = true;
  return false;
}

std::optional<double> Quantities::frequency(const Element& e, std::string_view attribute) {
  const document::Attribute* a = e.attribute(attribute);
  if (!a) return {};
  const std::string_view text = trimmed(a->value);
  // The unit is the last word, or follows the number directly.
  auto [number, unit] = piece(text);
  if (unit.empty()) {
    const std::size_t blank = text.find_last_of(" \t\r\n");
    if (blank != std::string_view::npos) {
      number = trimmed(text.substr(0, blank));
      unit = text.substr(blank + 1);
    }
  }
  const auto known = parsed_unit(unit);
  const bool turns = unit.find("Hz") != std::string_view::npos;
  const bool angle = unit.find("rad") != std::string_view::npos ||
                     unit.find("rev") != std::string_view::npos || unit == "rpm" ||
                     unit.find("deg") != std::string_view::npos;
  if (!known || !same_dimension(*known, *parsed_unit("1/s")) || !(turns || angle)) {
    report_
        .error("V1621", std::string(attribute) + " must be in Hz or rad/s, not " + in_quotes(text),
               a->value_place)
        .mark = "for example 0.8 Hz, or 5 rad/s";
    return {};
  }
  std::optional<double> x = parsed_real(number);
  if (!x) {
    const auto computed = expression(number, a->value_place, std::string(attribute), "");
    if (!computed) return {};
    x = computed->value;
  }
  const double w = *x * known->factor * (turns ? 2.0 * std::numbers::pi : 1.0);
  if (!std::isfinite(w) || w < 0.0) {
    report_.error("V1622", std::string(attribute) + " must not be negative", a->value_place);
    return {};
  }
  return w;
}

// Directions and attitudes

std::optional<Vector3> Quantities::direction(const Element& e, std::string_view attribute) {
  const auto v = vector(e, attribute, "1");
  if (!v) return {};
  const double length = v->stableNorm();
  if (!(length > 0.0) || !std::isfinite(length)) {
    report_.error("V1622", std::string(attribute) + " has no direction: its length is zero",
                  Report::value_place(e, attribute));
    return {};
  }
  return *v / length;
}

std::optional<Quaternion> Quantities::quaternion(std::span<const double> numbers,
                                                 const Place& place) {
  constexpr double most_off = 1e-3;  // tolerance for rounded input
  const Quaternion q(numbers.data());
  const double length = q.stableNorm();
  if (std::abs(length - 1.0) > most_off || !std::isfinite(length)) {
    report_.error("V1622", "a quaternion has the length 1, this one has " + exact(length), place)
        .notes.push_back("the order is x y z s, the scalar last; no turn is 0 0 0 1");
    return {};
  }
  return q / length;
}

std::optional<Matrix3> Quantities::attitude(const Element& e) {
  const document::Attribute *q = e.attribute("quaternion"), *t = e.attribute("turned");
  if (q && t) {
    report_.error("V1626", "quaternion and turned both give the attitude", t->place).mark =
        "leave one of them out";
    return {};
  }
  if (t) return turned(t->value, t->value_place);
  if (!q) return Matrix3::Identity();
  const auto four = numbers(e, "quaternion", "1", 4);
  if (!four) return {};
  const auto unit = quaternion(*four, q->value_place);
  if (!unit) return {};
  return spatial::attitude_matrix(*unit).transpose();
}

std::optional<Matrix3> Quantities::turned(std::string_view text, const Place& place) {
  Matrix3 R = Matrix3::Identity();
  for (const std::string_view turn : pieces(text)) {
    Vector3 axis = Vector3::Zero();
    std::string_view angle;
    const std::size_t blank = turn.find_first_of(" \t\r\n");
    if (!turn.empty() && turn[0] == '(') {
      const std::size_t close = turn.find(')');
      if (close != std::string_view::npos) {
        const auto v = numbers(turn.substr(1, close - 1), place, "the axis", "1", 3);
        if (!v) return {};
        axis = Vector3(v->data());
        angle = trimmed(turn.substr(close + 1));
      }
    } else if (blank != std::string_view::npos) {
      std::string_view name = turn.substr(0, blank);
      const double sign = name[0] == '-' ? -1.0 : 1.0;
      if (name[0] == '-' || name[0] == '+') name.remove_prefix(1);
      if (name == "x") axis[0] = sign;
      if (name == "y") axis[1] = sign;
      if (name == "z") axis[2] = sign;
      angle = trimmed(turn.substr(blank));
    }
    const double length = axis.stableNorm();
    if (!(length > 0.0) || !std::isfinite(length) || angle.empty()) {
      report_.error("V1308", "turned cannot be " + in_quotes(text), place)
          .notes.push_back(
              "turns one after the other, each about the axes as they are by then: \"z 90 deg\", "
              "\"z 90 deg, x -10 deg\", \"(1 1 0) 30 deg\"");
      return {};
    }
    const auto phi = numbers(angle, place, "turned", "rad", 1);
    if (!phi) return {};
    R = R * spatial::attitude_matrix(spatial::turned(axis / length, phi->front())).transpose();
  }
  return R;
}

}  // namespace vernier::multibody_tree
