#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>

#include "vernier/base/text.hpp"
#include "vernier/model/multibody_loops/detail/builder.hpp"

namespace vernier::multibody_loops::detail {
namespace {

constexpr std::uintmax_t largest_table = 64u << 20;

std::vector<std::string> fields(std::string_view line) {
  const char separator = line.find(';') != std::string_view::npos ? ';' : ',';
  std::vector<std::string> all;
  for (std::string_view f : split(line, separator)) {
    f = trimmed(f);
    if (f.size() >= 2 && f.front() == '"' && f.back() == '"') f = f.substr(1, f.size() - 2);
    all.emplace_back(f);
  }
  return all;
}

/// A column by its number, from 1, or by its name in the header without the unit after it.
std::optional<std::size_t> column(std::string_view wanted, const std::vector<std::string>& header) {
  if (const auto n = parsed_integer(wanted)) {
    if (*n < 1 || *n > static_cast<long long>(header.size())) return {};
    return static_cast<std::size_t>(*n - 1);
  }
  for (std::size_t i = 0; i < header.size(); ++i) {
    const std::string_view name = header[i];
    if (name == wanted || trimmed(name.substr(0, name.find_first_of("[("))) == wanted) return i;
  }
  return {};
}

}  // namespace

void Builder::read_drive(const Element& e) {
  const std::string unit(trimmed(e.value("unit")));
  const auto known = parsed_unit(unit.empty() ? "1" : unit);
  if (!known) {
    report_.error("V1313", in_quotes(unit) + " is not a unit", Report::value_place(e, "unit"))
        .notes.push_back("units are written as m, N, N*m, rad, rad/s, 1");
    return;
  }
  constrained::DriveSlot slot;
  slot.name = name_of(e);
  const std::size_t before = found_.errors();
  if (e.name == "port") {
    Port p;
    p.name = slot.name;
    p.unit = unit;
    p.description = trimmed(e.value("description"));
    if (e.attribute("initial")) {
      slot.initial = number(e, "initial", unit);
      p.initial = {slot.initial};
    }
    // Ports carry SI values, so a unit with a factor is refused.
    if (known->factor != 1.0) {
      report_
          .error("V1710", "ports carry SI units, and " + in_quotes(unit) + " is not one",
                 Report::value_place(e, "unit"))
          .mark = "write " + text(Unit{known->power, 1.0});
    }
    slot.unit = unit;
    if (found_.errors() > before) return;
    made_.inputs.push_back(std::move(p));
  } else {
    slot.function = function(e, known->factor);
    if (!slot.function || found_.errors() > before) return;
    const constrained::DriveState first = slot.function->at(0.0);
    if (!std::isfinite(first.value) || !std::isfinite(first.rate) ||
        !std::isfinite(first.acceleration)) {
      report_
          .error("V1712",
                 "the drive " + in_quotes(slot.name) + " or its rate is no number at t = 0",
                 e.place)
          .notes.push_back("value " + exact(first.value) + ", rate " + exact(first.rate) +
                           ", second rate " + exact(first.acceleration));
      return;
    }
  }
  made_.places.emplace(slot.name, e.place);
  drive_units_.resize(made_.model.drives.size());
  drive_units_.push_back(unit);
  const auto entry = names_.find(slot.name);
  const int index = made_.model.add(std::move(slot));
  if (entry != names_.end()) entry->second.index = index;
}

Function Builder::function(const Element& e, double factor) {
  const std::string unit(trimmed(e.value("unit")));
  if (e.name == "function") {
    expression::Graph graph;
    const document::Attribute* a = e.attribute("value");
    const auto term = quantities_.function(a->value, a->value_place, "value", "t", graph);
    if (!term) return {};
    Function made = formula(graph, *term);
    if (!made) report_.error("V1711", "the expression is too long", a->value_place);
    return made;
  }
  if (e.name == "ramp") {
    const double begin = number(e, "begin", "s"), end = number(e, "end", "s");
    if (!(begin < end)) {
      report_.error("V1711", "the ramp ends before it begins", Report::value_place(e, "end"));
      return {};
    }
    return ramp(number(e, "from", unit), number(e, "to", unit), begin, end);
  }
  if (e.name == "step")
    return step(number(e, "from", unit), number(e, "to", unit), number(e, "at", "s"));
  if (e.name == "sine") {
    constexpr double ever = std::numeric_limits<double>::infinity();
    Sine s;
    s.offset = number(e, "offset", unit);
    s.amplitude = number(e, "amplitude", unit);
    s.omega = quantities_.frequency(e, "frequency").value_or(1.0);
    s.phase = number(e, "phase", "rad");
    s.begin = e.attribute("begin") ? number(e, "begin", "s") : -ever;
    s.end = e.attribute("end") ? number(e, "end", "s") : ever;
    if (!(s.begin < s.end)) {
      report_.error("V1711", "the sine ends before it begins", Report::value_place(e, "end"));
      return {};
    }
    return sine(s);
  }
  // table
  const bool from_file = e.attribute("file") != nullptr;
  if (from_file && !trimmed(e.text).empty()) {
    report_.error("V1705", "the table is in the file and in the document",
                  e.attribute("file")->place);
    return {};
  }
  const auto all = from_file ? csv(e) : text_numbers(e, "the table " + in_quotes(name_of(e)));
  if (!all) return {};
  const Place place = from_file ? Report::value_place(e, "file") : report_.text_place(e);
  if (all->size() % 2 != 0 || all->size() < 4) {
    report_.error("V1711",
                  "the table has " + std::to_string(all->size()) +
                      " numbers: it needs at least two pairs of a time and a value",
                  place);
    return {};
  }
  std::vector<double> times, values;
  for (std::size_t i = 0; i < all->size(); i += 2) {
    if (i > 0 && !((*all)[i] > times.back())) {
      report_.error("V1711",
                    "the times of the table do not rise: " + exact((*all)[i]) + " comes after " +
                        exact(times.back()),
                    place);
      return {};
    }
    times.push_back((*all)[i]);
    values.push_back((*all)[i + 1] * factor);
  }
  return e.value("between") == "spline" ? spline(std::move(times), std::move(values))
                                        : table(std::move(times), std::move(values));
}

/// Times and values, alternating.
std::optional<std::vector<double>> Builder::csv(const Element& e) {
  const std::string name(trimmed(e.value("file")));
  const std::filesystem::path path = document_.beside(name);
  const Place place = Report::value_place(e, "file");
  std::error_code failed;
  const bool there = std::filesystem::is_regular_file(path, failed) &&
                     std::filesystem::file_size(path, failed) <= largest_table && !failed;
  std::ifstream in(path);
  std::string line;
  if (!there || !in || !std::getline(in, line)) {
    report_.error("V1711", "the table " + in_quotes(name) + " cannot be read", place)
        .notes.push_back("it is looked for beside the document; at most 64 MiB");
    return {};
  }
  files_.insert(path);
  const std::vector<std::string> header = fields(line);
  std::size_t at[2];
  for (const auto& [k, attribute] : {std::pair(0, "time"), std::pair(1, "value")}) {
    const std::string_view wanted = trimmed(e.value(attribute));
    const auto found = column(wanted, header);
    if (!found) {
      report_
          .error("V1711", "the table " + in_quotes(name) + " has no column " + in_quotes(wanted),
                 Report::value_place(e, attribute))
          .notes.push_back("columns: " + listed(header));
      return {};
    }
    at[k] = *found;
  }
  std::vector<double> all;
  // A first line of numbers is data, not a header.
  bool numbers = parsed_real(header[at[0]]).has_value();
  for (int n = 1; numbers || std::getline(in, line);) {
    if (!std::exchange(numbers, false)) ++n;
    if (trimmed(line).empty()) continue;
    const std::vector<std::string> row = fields(line);
    for (const std::size_t c : at) {
      const auto x = c < row.size() ? parsed_real(row[c]) : std::nullopt;
      if (!x || !std::isfinite(*x)) {
        report_.error("V1711",
                      "line " + std::to_string(n) + " of the table " + in_quotes(name) +
                          " has no number in column " + std::to_string(c + 1),
                      place);
        return {};
      }
      all.push_back(*x);
    }
  }
  return all;
}

// References to drives

int Builder::drive(const Element& e, std::string_view attribute, std::string_view unit) {
  const document::Attribute* a = e.attribute(attribute);
  if (!a) return constrained::no_drive;
  return drive(trimmed(a->value), a->value_place, std::string(attribute), unit);
}

// An attribute that takes a drive accepts the name of one, or a constant quantity.
int Builder::drive(std::string_view text, const Place& place, const std::string& what,
                   std::string_view unit) {
  if (multibody_tree::identifier(text) && !quantities_.has_constant(text)) {
    const Entry* found = find(text, {Named::drive}, "drive or constant", place);
    if (!found || found->index < 0 || !fits(*found, unit, place, what))
      return constrained::no_drive;
    return found->index;
  }
  const auto x = quantities_.numbers(text, place, what, unit, 1);
  if (!x) return constrained::no_drive;
  return made_.model.constant(x->front());
}

bool Builder::fits(const Entry& d, std::string_view unit, const Place& place,
                   const std::string& what) {
  const std::string_view own = trimmed(d.element->value("unit"));
  if (own.empty()) return true;
  const auto a = parsed_unit(own), b = parsed_unit(unit);
  if (!a || !b || same_dimension(*a, *b)) return true;
  report_.error("V1710",
                what + " is in " + std::string(unit) + ", the drive " +
                    in_quotes(name_of(*d.element)) + " is in " + std::string(own),
                place);
  return false;
}

}  // namespace vernier::multibody_loops::detail
