#include "vernier/model/automaton/detail/declarations.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include "vernier/base/text.hpp"
#include "vernier/kernel/expression/expression.hpp"

namespace vernier::automaton::detail {
namespace {

constexpr std::size_t most_elements = 10'000;  // of all variables together
constexpr std::size_t most_definitions =
    200;  // each may use the one before it, so recursion is as deep

bool identifier(std::string_view s) noexcept {
  if (s.empty() || (s[0] >= '0' && s[0] <= '9')) return false;
  return std::all_of(s.begin(), s.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           static_cast<unsigned char>(c) >= 0x80;
  });
}

/// Parses "0 0 1", "600 km", "1, 2, 3 deg" or "1 0; 0 1": numbers, then one unit for all. Nothing
/// if the text is invalid, or has a comma that may be one in a number: "0,5".
std::optional<std::vector<double>> quantities(std::string_view text, std::string_view unit) {
  if (without_decimal_commas(text)) return {};
  std::string flat(text);
  std::replace(flat.begin(), flat.end(), ',', ' ');
  std::replace(flat.begin(), flat.end(), ';', ' ');
  const std::vector<std::string_view> parts = words(flat);
  std::vector<double> values;
  std::size_t i = 0;
  // A bare number is in the declared unit, or in the unit after the last number.
  while (i < parts.size() && parsed_real(parts[i])) ++i;
  std::string behind;
  for (std::size_t k = i; k < parts.size(); ++k) behind += " " + std::string(parts[k]);
  if (i == 0) {  // "600km"
    const auto one = parsed_quantity(text, unit);
    if (!one) return {};
    return std::vector<double>{*one};
  }
  for (std::size_t k = 0; k < i; ++k) {
    const auto one = parsed_quantity(std::string(parts[k]) + behind, unit);
    if (!one || !std::isfinite(*one)) return {};
    values.push_back(*one);
  }
  return values;
}

/// Whether a text contains numbers only, without a unit.
bool numbers_only(std::string_view text) {
  std::string flat(text);
  std::replace(flat.begin(), flat.end(), ',', ' ');
  const std::vector<std::string_view> parts = words(flat);
  return std::all_of(parts.begin(), parts.end(),
                     [](std::string_view w) { return parsed_real(w).has_value(); });
}

/// Splits "0.01 deg/sqrt(h)" into "0.01 deg" and the square root of an hour in seconds. Other texts
/// are returned unchanged.
struct PerRoot {
  std::string_view quantity;
  double root = 1.0;
  bool given = false;  // the text has a root of a unit of time
};
PerRoot per_root(std::string_view text) {
  constexpr std::string_view root = "/sqrt(";
  const std::size_t at = text.rfind(root);
  if (at == std::string_view::npos || text.back() != ')') return {text};
  const std::size_t first = at + root.size();
  const auto time = parsed_unit(text.substr(first, text.size() - 1 - first));
  if (!time || !same_dimension(*time, *parsed_unit("s"))) return {text};
  return {trimmed(text.substr(0, at)), std::sqrt(time->factor), true};
}

/// The shape of a value as written: semicolons separate the rows of a matrix. Nothing if the rows
/// have different lengths.
std::optional<expression::Shape> shape_of(std::string_view text) {
  std::vector<std::uint32_t> rows{0};
  std::string flat(text);
  std::replace(flat.begin(), flat.end(), ',', ' ');
  for (std::size_t at = 0; at <= flat.size();) {
    const std::size_t end = std::min(flat.find(';', at), flat.size());
    for (const std::string_view word : words(std::string_view(flat).substr(at, end - at)))
      rows.back() += parsed_real(word) ? 1 : 0;
    if (end < flat.size()) rows.push_back(0);
    at = end + 1;
  }
  if (std::any_of(rows.begin(), rows.end(), [&](std::uint32_t n) { return n != rows[0]; }))
    return {};
  if (rows.size() > 1) return expression::Shape{static_cast<std::uint32_t>(rows.size()), rows[0]};
  return rows[0] > 1 ? expression::Shape{rows[0], 0} : expression::Shape{};
}

// Reads the declarations of a document. If one is refused, names_known becomes false, so that uses
// of its name are not reported as unknown.
class Declarations {
 public:
  Declarations(Model& m, Report& r) : m_(m), report_(r) {}

  void run() {
    const Element& root = m_.document.root();
    const auto declare_all = [&](const char* list, Role role, std::vector<Variable>& into) {
      const Element* all = root.child(list);
      if (!all) return;
      for (const Element& e : all->children) declare(e, role, into);
    };
    declare_all("constants", Role::constant, m_.constants);
    declare_all("inputs", Role::input, m_.inputs);
    declare_all("states", Role::state, m_.states);
    declare_all("outputs", Role::output, m_.outputs);
    declare_events(root);
    if (const Element* all = root.child("definitions")) {
      for (const Element& e : all->children) e.name == "let" ? define_let(e) : define_function(e);
    }
  }

  void change(const Element& root) {
    const auto change_all = [&](const char* list, Role role, std::vector<Variable>& of) {
      const Element* all = root.child(list);
      if (!all) return;
      for (const Element& e : all->children) change(e, role, of);
    };
    change_all("constants", Role::constant, m_.constants);
    change_all("states", Role::state, m_.states);
  }

 private:
  std::size_t& count(Role r) {
    std::size_t* counts[] = {&m_.constant_count, &m_.input_count, &m_.state_count,
                             &m_.output_count};
    return *counts[static_cast<int>(r)];
  }

  std::size_t elements() const {
    return m_.constant_count + m_.input_count + m_.state_count + m_.output_count;
  }

  void declare(const Element& e, Role role, std::vector<Variable>& into) {
    Variable v;
    v.element = &e;
    v.name = trimmed(e.value("name"));
    v.frame = trimmed(e.value("frame"));
    v.description = trimmed(e.value("description"));
    v.quaternion = e.value("normalise") == "quaternion";
    v.normalise = v.quaternion || e.value("normalise") == "yes";
    if (!name_is_good(e, v.name)) {
      m_.names_known = m_.names_known && first_use_.contains(v.name);
      return;
    }
    read_size(e, role, v);
    read_unit(e, role, v);
    if (elements() + v.count > most_elements) {
      m_.names_known = false;
      if (!std::exchange(too_many_, true)) {
        report_.error("V1315",
                      "the system has more than " + std::to_string(most_elements) +
                          " variables, elements counted",
                      e.place);
      }
      return;
    }
    read_value(e, role, v);
    read_noise(e, role, v);
    v.first = count(role);
    count(role) += v.count;
    const auto index = static_cast<std::uint32_t>(into.size());
    for (std::uint32_t k = 0; k < v.count; ++k) {
      m_.names.emplace(element_name(v, k),
                       Reference{role, index, static_cast<std::uint32_t>(v.first + k)});
    }
    m_.variables_by_name.emplace(v.name, NamedVariable{role, index});
    first_use_.emplace(v.name, &e);
    into.push_back(std::move(v));
  }

  /// Replaces the value of a variable that the extended document declares.
  void change(const Element& e, Role role, std::vector<Variable>& of) {
    const std::string name(trimmed(e.value("name")));
    const auto v =
        std::find_if(of.begin(), of.end(), [&](const Variable& x) { return x.name == name; });
    if (v == of.end()) {
      std::vector<std::string> names;
      for (const Variable& x : of) names.push_back(x.name);
      Diagnostic& d =
          report_.error("V1317", "the extended document has no " + e.name + " " + in_quotes(name),
                        Report::value_place(e, "name"));
      if (const auto near = closest(name, names)) did_you_mean(d, *near);
      d.notes.push_back(names.empty() ? "it has no " + e.name + "s"
                                      : e.name + "s: " + listed(names));
      return;
    }
    Variable given;
    given.name = name;
    read_unit(e, role, given);
    if (given.unit && v->unit && !same_dimension(*given.unit, *v->unit)) {
      report_.error("V1313",
                    in_quotes(name) + " is in " + v->unit_text + " in the extended document",
                    Report::value_place(e, "unit"));
      return;
    }
    if (given.unit_text.empty()) given.unit_text = v->unit_text;
    given.shape = v->shape;
    given.count = v->count;
    given.normalise = v->normalise;
    read_value(e, role, given);
    if (given.value.empty()) return;
    v->value = given.value;
    v->value_text = given.unit_text == v->unit_text ? given.value_text : "";
  }

  void define_let(const Element& e) {
    Definition d{std::string(trimmed(e.value("name"))), {&e, !e.attribute("unit")}};
    if (!name_is_good(e, d.name)) {
      m_.names_known = m_.names_known && first_use_.contains(d.name);
      return;
    }
    if (too_many_definitions(e)) return;
    first_use_.emplace(d.name, &e);
    m_.lets_by_name.emplace(d.name, m_.lets.size());
    m_.lets.push_back(std::move(d));
  }

  void define_function(const Element& e) {
    expression::UserFunction f;
    f.name = trimmed(e.value("name"));
    f.body = e.text;
    const Place place = Report::value_place(e, "name");
    const std::vector<std::string> known = expression::function_names();
    const bool twice = std::any_of(m_.functions.begin(), m_.functions.end(),
                                   [&](const auto& other) { return other.name == f.name; });
    if (!identifier(f.name) || f.name.size() > longest_name) {
      report_.error("V1309", in_quotes(f.name) + " cannot be a name", place)
          .notes.push_back("names have letters, digits and _, and begin with a letter");
    } else if (std::find(known.begin(), known.end(), f.name) != known.end()) {
      report_.error("V1309", in_quotes(f.name) + " is a function already", place);
    } else if (twice) {
      report_.error("V1310", "there are two functions " + in_quotes(f.name), place);
    } else if (!too_many_definitions(e) && read_arguments(e, f)) {
      m_.functions.push_back(std::move(f));
      m_.function_elements.push_back(&e);
      return;
    }
    m_.names_known = false;
  }

  bool read_arguments(const Element& e, expression::UserFunction& f) {
    std::string flat(e.value("arguments"));
    std::replace(flat.begin(), flat.end(), ',', ' ');
    for (const std::string_view name : words(flat)) {
      const bool twice =
          std::find(f.arguments.begin(), f.arguments.end(), name) != f.arguments.end();
      if (twice || !identifier(name) || name.size() > longest_name) {
        report_.error("V1309",
                      in_quotes(name) + (twice ? " is an argument twice" : " cannot be a name"),
                      Report::value_place(e, "arguments"));
        return false;
      }
      f.arguments.emplace_back(name);
    }
    if (f.arguments.empty()) {
      report_
          .error("V1309", "the function " + in_quotes(f.name) + " has no arguments",
                 Report::value_place(e, "arguments"))
          .notes.push_back("what has none is a <let>");
    }
    return !f.arguments.empty();
  }

  bool too_many_definitions(const Element& e) {
    if (m_.lets.size() + m_.functions.size() < most_definitions) return false;
    m_.names_known = false;
    if (!std::exchange(too_many_, true)) {
      report_.error("V1315",
                    "the system has more than " + std::to_string(most_definitions) + " definitions",
                    e.place);
    }
    return true;
  }

  bool name_is_good(const Element& e, const std::string& name) {
    const Place place = Report::value_place(e, "name");
    if (!identifier(name) || name.size() > longest_name) {
      report_.error("V1309", in_quotes(name) + " cannot be a name", place)
          .notes.push_back("names have letters, digits and _, and begin with a letter");
      return false;
    }
    static const std::vector<std::string> functions = expression::reserved_names();
    const bool function = std::find(functions.begin(), functions.end(), name) != functions.end();
    if (function || name == "and" || name == "or" || name == "not" || name == "pi") {
      report_.error("V1309", in_quotes(name) + " cannot be a name: expressions use it", place);
      return false;
    }
    if (const auto taken = first_use_.find(name); taken != first_use_.end()) {
      const Element& first = *taken->second;
      Diagnostic& d =
          report_.error("V1310", "the name " + in_quotes(name) + " is used twice", place);
      d.mark = "call this " + e.name + " differently";
      d.notes.push_back("first for the " + first.name + " on line " +
                        std::to_string(first.place.line) +
                        "; constants, inputs, states and outputs share their names");
      return false;
    }
    return true;
  }

  /// "3", "3x3".
  void read_shape(const Element& e, std::string_view text, Variable& v) {
    const std::size_t x = text.find('x');
    const auto good = [](const std::optional<long long>& n) {
      return n && *n >= 1 && *n <= static_cast<long long>(most_elements);
    };
    const auto rows = parsed_integer(trimmed(text.substr(0, x)));
    const auto columns = x == std::string_view::npos ? std::optional<long long>(1)
                                                     : parsed_integer(trimmed(text.substr(x + 1)));
    if (!good(rows) || !good(columns) || !good(*rows * *columns)) {
      report_.error("V1314",
                    "the size of " + in_quotes(v.name) +
                        " must be a whole number, at least 1, or two for a matrix, as in 3x3",
                    Report::value_place(e, "size"));
      return;
    }
    if (x != std::string_view::npos) {
      v.shape = {static_cast<std::uint32_t>(*rows), static_cast<std::uint32_t>(*columns)};
    } else if (*rows > 1) {
      v.shape = {static_cast<std::uint32_t>(*rows), 0};
    }
  }

  void read_size(const Element& e, Role role, Variable& v) {
    const document::Attribute* given = e.attribute("size");
    const char* key = value_key(role);
    if (!given) {
      // Without `size`, the value determines the shape.
      const std::string_view inner = role == Role::constant ? trimmed(e.text) : std::string_view();
      const std::string_view text = e.attribute(key) ? trimmed(e.value(key)) : inner;
      const auto shape = shape_of(text);
      if (without_decimal_commas(text)) {
        // "0,2" may be one number or two: its value is refused
      } else if (shape && shape->size() <= most_elements) {
        v.shape = *shape;
      } else {
        report_.error("V1314", "the rows of " + in_quotes(v.name) + " are not of equal length",
                      Report::value_place(e, key));
      }
    } else {
      read_shape(e, trimmed(given->value), v);
    }
    v.count = static_cast<std::uint32_t>(v.shape.size());
    if (v.quaternion && v.count != 4) {
      report_.error("V1314", in_quotes(v.name) + " cannot be a quaternion: it must have 4 elements",
                    Report::value_place(e, "normalise"));
      v.quaternion = v.normalise = false;
    }
    if (v.normalise && v.count == 1) {
      report_.error("V1314", in_quotes(v.name) + " cannot be normalised: it has one element",
                    Report::value_place(e, "normalise"));
      v.normalise = false;
    }
  }

  void read_unit(const Element& e, Role role, Variable& v) {
    v.unit_text = trimmed(e.value("unit"));
    if (v.unit_text.empty()) return take_unit_of_value(e, role, v);
    const auto unit = parsed_unit(v.unit_text);
    if (!unit) {
      report_
          .error("V1313", in_quotes(v.unit_text) + " is not a unit", Report::value_place(e, "unit"))
          .notes.push_back("units are written as m, kg*m^2, N*m, rad/s, 1/s, km, mT, deg");
      v.unit_text.clear();
      return;
    }
    if (role != Role::constant && unit->factor != 1.0) {
      const std::string si = without_prefix(v.unit_text, *unit);
      Diagnostic& d = report_.error("V1313",
                                    "the " + e.name + " " + in_quotes(v.name) + " is in " +
                                        v.unit_text + "; equations are in SI",
                                    Report::value_place(e, "unit"));
      d.mark = "write " + si;
      d.notes.push_back("values may be in other units: " +
                        std::string(role == Role::input ? "default" : "initial") + "=\"1 " +
                        v.unit_text + "\"");
      v.unit_text = si;
    }
    v.unit = unit;
    v.unit->factor = 1.0;
  }

  static const char* value_key(Role role) noexcept {
    return role == Role::constant ? "value" : role == Role::input ? "default" : "initial";
  }

  /// Without `unit`, value="2 min" declares a time. Angles and percentages remain plain numbers,
  /// whose units are not checked.
  static void take_unit_of_value(const Element& e, Role role, Variable& v) {
    std::string value(e.attribute(value_key(role)) ? e.value(value_key(role))
                      : role == Role::constant     ? std::string_view(e.text)
                                                   : std::string_view());
    std::replace_if(
        value.begin(), value.end(), [](char c) { return c == ',' || c == ';'; }, ' ');
    std::string behind;  // the numbers
    for (const std::string_view word : words(value)) {
      if (behind.empty() && parsed_real(word)) continue;
      double number = 0.0;
      const char* end = word.data() + word.size();
      const char* rest =
          behind.empty() ? std::from_chars(word.data(), end, number).ptr : word.data();
      behind += ' ' + std::string(rest, end);
    }
    const auto unit = parsed_unit(trimmed(behind));
    if (!unit || dimensionless(*unit)) return;
    v.unit = unit;
    v.unit->factor = 1.0;
    v.unit_text = without_prefix(trimmed(behind), *unit);
  }

  /// A unit of SI as the author writes it: J for kJ, not N*m.
  static std::string without_prefix(std::string_view written, const Unit& unit) {
    for (std::size_t prefix = 0; prefix <= 2 && prefix < written.size(); ++prefix) {
      const auto rest = parsed_unit(written.substr(prefix));
      if (rest && same_dimension(*rest, unit) && rest->factor == 1.0)
        return std::string(written.substr(prefix));
    }
    return text(unit);
  }

  void read_value(const Element& e, Role role, Variable& v) {
    const char* key = value_key(role);
    const document::Attribute* a = e.attribute(key);
    std::string_view text = a ? trimmed(a->value) : std::string_view();
    Place place = a ? a->value_place : e.place;
    if (role == Role::constant) {
      const std::string_view inner = trimmed(e.text);
      if (a && !inner.empty()) {
        report_.error("V1308", "the constant " + in_quotes(v.name) + " has two values",
                      report_.text_place(e));
      } else if (!a && inner.empty()) {
        report_.error("V1308", "the constant " + in_quotes(v.name) + " has no value", e.place)
            .mark = "add value=\"…\"";
        v.value.assign(v.count, 0.0);
        return;
      } else if (!a) {
        text = inner;
        place = report_.text_place(e);
      }
    } else if (!a) {
      return;  // an input without default
    }
    v.value_text = text;
    std::replace(v.value_text.begin(), v.value_text.end(), ';', ' ');
    const std::string unit = v.unit_text.empty() ? "1" : v.unit_text;
    auto values = quantities(text, unit);
    if (!values) {
      report_
          .error("V1308", in_quotes(text) + " is not a number" + (unit == "1" ? "" : " in " + unit),
                 place)
          .mark = quantity_problem(text, unit, e.attribute("size") ? v.count : 0);
      v.value.assign(v.count, 0.0);
      return;
    }
    if (values->size() == 1 && v.count > 1) {
      values->assign(v.count, values->front());
      const std::string one = v.value_text;
      // Repeated, so that the text has one number per element.
      if (parsed_real(one)) {
        for (std::uint32_t k = 1; k < v.count; ++k) v.value_text += " " + one;
      } else {
        v.value_text.clear();
      }
    }
    if (values->size() != v.count) {
      wrong_count(v, values->size(), place);
      values->resize(v.count, 0.0);
    }
    v.value = std::move(*values);
    if (v.normalise &&
        std::all_of(v.value.begin(), v.value.end(), [](double x) { return x == 0; })) {
      report_.error("V1314", in_quotes(v.name) + " is a unit vector and cannot begin at zero",
                    place);
    }
  }

  /// White noise for filters: for a state, the square root of its spectral density (unit per square
  /// root of time); for an output, the standard deviation in its unit.
  void read_noise(const Element& e, Role role, Variable& v) {
    const document::Attribute* a = e.attribute("noise");
    if (!a) return;
    const std::string_view text = trimmed(a->value);
    const std::string unit = v.unit_text.empty() ? "1" : v.unit_text;
    const PerRoot per = role == Role::state ? per_root(text) : PerRoot{text};
    auto values = quantities(per.quantity, unit);
    // For a state, a unit without the root would mean something else.
    if (!values || (role == Role::state && !per.given && !numbers_only(text))) {
      const std::string in = role == Role::state ? unit + "/sqrt(s)" : unit;
      report_
          .error("V1308", in_quotes(text) + " is not a number" + (in == "1" ? "" : " in " + in),
                 a->value_place)
          .mark = role == Role::state ? "" : quantity_problem(text, unit, v.count);
      return;
    }
    if (values->size() == 1) values->assign(v.count, values->front());
    if (values->size() != v.count) {
      wrong_count(v, values->size(), a->value_place);
      return;
    }
    if (v.normalise) {
      report_
          .error("V1329", in_quotes(v.name) + " is a unit vector and has no noise of its own",
                 a->value_place)
          .notes.push_back("give the noise to the states that its equation follows");
      return;
    }
    if (std::any_of(values->begin(), values->end(), [](double x) { return x < 0.0; })) {
      report_.error("V1329", "the noise of " + in_quotes(v.name) + " is negative", a->value_place)
          .mark = role == Role::state ? "write the square root of the density"
                                      : "write the standard deviation";
      return;
    }
    for (double& x : *values) x /= per.root;
    v.noise = std::move(*values);
  }

  Diagnostic& wrong_count(const Variable& v, std::size_t given, const Place& place) {
    return report_.error("V1314",
                         in_quotes(v.name) + " has " + std::to_string(v.count) +
                             (v.count == 1 ? " element, not " : " elements, not ") +
                             std::to_string(given),
                         place);
  }

  void declare_events(const Element& root) {
    const Element* all = root.child("events");
    if (!all) return;
    for (const Element& e : all->children) {
      Label l;
      l.name = trimmed(e.value("name"));
      l.element = &e;
      const std::string_view direction = e.value("direction");
      l.in = direction != "out";
      l.out = direction != "in";
      const Place place = Report::value_place(e, "name");
      if (!identifier(l.name) || l.name.size() > longest_name) {
        report_.error("V1309", in_quotes(l.name) + " cannot be a name", place)
            .notes.push_back("names have letters, digits and _, and begin with a letter");
      } else if (!events_.emplace(l.name, m_.events.size()).second) {
        report_.error("V1311", "there are two events " + in_quotes(l.name), place)
            .notes.push_back("one that is both waited for and emitted has direction=\"inout\"");
      } else {
        m_.events.push_back(std::move(l));
      }
    }
  }

  Model& m_;
  Report& report_;
  bool too_many_ = false;
  std::map<std::string, const Element*, std::less<>> first_use_;
  std::map<std::string, std::size_t, std::less<>> events_;
};

}  // namespace

void read_declarations(Model& m, Report& r) { Declarations(m, r).run(); }
void change_declarations(Model& m, const Element& root, Report& r) {
  Declarations(m, r).change(root);
}

}  // namespace vernier::automaton::detail
