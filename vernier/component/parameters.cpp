#include "vernier/component/parameters.hpp"

#include <algorithm>
#include <numbers>

#include "vernier/base/require.hpp"
#include "vernier/base/text.hpp"
#include "vernier/base/units.hpp"

namespace vernier {

const char* name_of(ParameterKind k) noexcept {
  switch (k) {
    case ParameterKind::real:
      return "real";
    case ParameterKind::integer:
      return "integer";
    case ParameterKind::boolean:
      return "boolean";
    case ParameterKind::text:
      return "text";
    case ParameterKind::choice:
      return "choice";
    case ParameterKind::file:
      return "file";
  }
  return "";
}
namespace {

// FNV-1a: the same on every machine, so that a run can be repeated anywhere
std::uint64_t hashed(std::string_view text, std::uint64_t seed) noexcept {
  std::uint64_t h = 0xcbf29ce484222325ull ^ seed * 0x9e3779b97f4a7c15ull;
  for (const char c : text) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3ull;
  return h ^ (h >> 31);
}

std::string kind_name(const ParameterSpec& spec) {
  switch (spec.kind) {
    case ParameterKind::real: {
      const std::string unit = spec.unit == "1" ? "" : " in " + spec.unit;
      if (spec.count == 1) return "a number" + unit;
      return std::to_string(spec.count) + " numbers" + unit + ", separated by blanks";
    }
    case ParameterKind::integer:
      return "a whole number";
    case ParameterKind::boolean:
      return "true or false";
    case ParameterKind::choice:
      return "one of " + joined(spec.choices, ", ");
    case ParameterKind::text:
      return "a text";
    case ParameterKind::file:
      return "a file name";
  }
  return {};
}

// numbers separated by blanks or by commas and blanks, with one unit for all at the end: "1 2 3
// deg", "600 km"
std::optional<std::vector<double>> numbers(std::string_view text, std::string_view unit,
                                           const ParameterSpec& spec) {
  if (without_decimal_commas(text)) return {};
  std::string flat(text);
  std::replace(flat.begin(), flat.end(), ',', ' ');
  std::vector<std::string_view> parts = words(flat);
  std::size_t count = 0;
  while (count < parts.size() && parsed_real(parts[count])) ++count;
  std::string behind(unit);
  if (count < parts.size()) {
    if (!unit.empty()) return {};
    if (count + 1 == spec.count || count == 0) {  // "600km": no blank before the unit
      const std::string_view last = parts[count];
      std::size_t end = last.size();
      while (end > 0 && !parsed_real(last.substr(0, end))) --end;
      if (end == 0) return {};
      behind = std::string(last.substr(end));
      for (std::size_t i = count + 1; i < parts.size(); ++i) behind += " " + std::string(parts[i]);
      parts[count] = last.substr(0, end);
      ++count;
    } else {
      for (std::size_t i = count; i < parts.size(); ++i) {
        behind += (i > count ? " " : "") + std::string(parts[i]);
      }
    }
  }
  if (count != spec.count && !(spec.count == 0 && count > 0)) return {};
  double factor = 1.0;
  if (!behind.empty()) {
    const auto given = parsed_unit(behind);
    const bool turns = spec.turns && behind.find("Hz") != std::string::npos;
    if (!given || !interchangeable(behind, turns ? "1/s" : spec.unit)) return {};
    factor = turns ? 2.0 * std::numbers::pi * given->factor : given->factor;
  } else if (const auto wanted = parsed_unit(spec.unit)) {
    factor = wanted->factor;
  }
  std::vector<double> values;
  for (std::size_t i = 0; i < count; ++i) values.push_back(*parsed_real(parts[i]) * factor);
  return values;
}

/// What is wrong with a text that is no value of a parameter; empty: nothing more to say.
std::string why_not(const ParameterSpec& spec, std::string_view text, const std::string& unit) {
  if (spec.kind == ParameterKind::integer) return quantity_problem(text, "1");
  if (spec.kind != ParameterKind::real) return {};
  const std::string whole = std::string(text) + (unit.empty() ? "" : " " + unit);
  return quantity_problem(whole, spec.unit, spec.count);
}

}  // namespace

Parameters::Parameters(std::string instance, std::span<const ParameterSpec> specs,
                       const ParameterValues& given, std::uint64_t seed, const Place& where,
                       Diagnostics& problems, Arithmetic arithmetic)
    : instance_(std::move(instance)),
      seed_(hashed(instance_, seed)),
      arithmetic_(arithmetic),
      problems_(&problems) {
  std::vector<std::string> names;
  for (const auto& spec : specs) names.push_back(spec.name);
  for (const auto& [name, value] : given) {
    if (std::find(names.begin(), names.end(), name) != names.end()) continue;
    auto& d = problems.error("V2140", "\"" + instance_ + "\" has no parameter \"" + name + "\"",
                             value.place.file.empty() ? where : value.place);
    if (const auto meant = closest(name, names)) {
      d.mark = "did you mean " + *meant + "?";
      add_change(d, value.name_place, *meant);
    }
    if (!names.empty()) d.notes.push_back("parameters: " + joined(names, ", "));
  }
  for (const auto& spec : specs) {
    const auto found = given.find(spec.name);
    Value value;
    value.adjustable = found != given.end() && found->second.adjustable;
    value.given = found != given.end() && !(value.adjustable && found->second.text.empty());
    if (!value.given && !spec.initial) {
      auto& d = problems.error(
          "V2141", "\"" + instance_ + "\" needs the parameter \"" + spec.name + "\"", where);
      d.notes.push_back("it is " + kind_name(spec) +
                        (spec.description.empty() ? "" : ": " + spec.description));
    }
    if (value.adjustable && !spec.adjustable) {
      auto& d =
          problems.error("V2145", "\"" + instance_ + "." + spec.name + "\" cannot stay adjustable",
                         found->second.place.file.empty() ? where : found->second.place);
      d.notes.push_back("it is no number of the equations, or one whose derivatives are not known");
      value.adjustable = false;
    }
    const ParameterValue source =
        value.given ? found->second : ParameterValue{spec.initial.value_or(""), "", {}};
    value.text = std::string(trimmed(source.text));
    value.place = source.place.file.empty() ? where : source.place;

    bool good = true;
    switch (spec.kind) {
      case ParameterKind::real:
        if (auto read = numbers(value.text, trimmed(source.unit), spec)) {
          value.numbers = std::move(*read);
        } else {
          good = false;
          value.numbers.assign(std::max(1u, spec.count), 0.0);
        }
        break;
      case ParameterKind::integer: {
        const auto read = parsed_integer(value.text);
        good = read.has_value() && *read >= -(1LL << 53) && *read <= (1LL << 53);
        value.numbers = {good ? static_cast<double>(*read) : 0.0};
        break;
      }
      case ParameterKind::boolean:
        good = value.text == "true" || value.text == "false" || value.text == "yes" ||
               value.text == "no";
        value.numbers = {value.text == "true" || value.text == "yes" ? 1.0 : 0.0};
        break;
      case ParameterKind::choice:
        good =
            std::find(spec.choices.begin(), spec.choices.end(), value.text) != spec.choices.end();
        break;
      case ParameterKind::text:
        break;
      case ParameterKind::file:
        good = !value.text.empty() || !value.given;
        break;
    }
    if (!good && (value.given || spec.initial)) {
      auto& d = problems.error("V2142",
                               "\"" + value.text + (source.unit.empty() ? "" : " " + source.unit) +
                                   "\" is not a value for \"" + instance_ + "." + spec.name + "\"",
                               value.place);
      const std::string why = why_not(spec, value.text, source.unit);
      if (!why.empty()) d.notes.push_back(why);
      d.notes.push_back("it must be " + kind_name(spec));
      if (spec.kind == ParameterKind::choice) {
        if (const auto meant = closest(value.text, spec.choices)) {
          d.mark = "did you mean " + *meant + "?";
          if (source.exact) add_change(d, source.place, *meant);
        }
      }
    }
    if (spec.kind == ParameterKind::real && !source.unit.empty()) value.text += " " + source.unit;
    values_.emplace(spec.name, std::move(value));
  }
}

const Parameters::Value& Parameters::find(std::string_view name) const {
  const auto found = values_.find(name);
  require(found != values_.end());
  return found->second;
}

double Parameters::real(std::string_view name) const { return reals(name).front(); }
const std::vector<double>& Parameters::reals(std::string_view name) const {
  return find(name).numbers;
}
std::int64_t Parameters::integer(std::string_view name) const {
  return static_cast<std::int64_t>(find(name).numbers.front());
}
bool Parameters::boolean(std::string_view name) const { return find(name).numbers.front() != 0.0; }
const std::string& Parameters::text(std::string_view name) const { return find(name).text; }
bool Parameters::given(std::string_view name) const { return find(name).given; }
bool Parameters::adjustable(std::string_view name) const { return find(name).adjustable; }
std::vector<std::string> Parameters::adjustable() const {
  std::vector<std::string> names;
  for (const auto& [name, value] : values_)
    if (value.adjustable) names.push_back(name);
  return names;
}

std::filesystem::path Parameters::file(std::string_view name) const {
  const Value& value = find(name);
  std::filesystem::path path(value.text);
  if (path.is_absolute() || value.place.file.empty()) return path;
  return std::filesystem::path(value.place.file).parent_path() / path;
}

Diagnostic& Parameters::warn(std::string_view name, std::string code,
                             const std::string& why) const {
  return problems_->warning(
      std::move(code), "\"" + instance_ + "." + std::string(name) + "\": " + why, find(name).place);
}

void Parameters::warn(Diagnostic d) const { problems_->add(std::move(d)); }

void Parameters::reject(std::string_view name, const std::string& why) const {
  Diagnostics problems;
  auto& d = problems.error("V2143", "\"" + instance_ + "." + std::string(name) + "\": " + why,
                           find(name).place);
  d.notes.push_back("it is " + find(name).text);
  throw ConfigurationError(std::move(problems));
}

}  // namespace vernier
