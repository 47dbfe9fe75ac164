#include "vernier/run/composition/detail/page.hpp"

#include <fmt/format.h>

#include <cmath>

#include "vernier/base/text.hpp"
#include "vernier/base/units.hpp"
#include "vernier/run/composition/detail/values.hpp"

namespace vernier::composition::detail {

using document::Element;

Diagnostic& Page::error(std::string code, std::string message, const Place& place) {
  Diagnostic& d = problems.error(std::move(code), std::move(message), place);
  if (d.place.file.empty()) d.place.file = document.file().string();
  document.show_source(d);
  return d;
}

Place Page::value_place(const Element& e, std::string_view attribute) const {
  const document::Attribute* a = e.attribute(attribute);
  if (!a) {
    Place p = e.place;
    p.length = static_cast<int>(e.name.size());
    return p;
  }
  Place p = a->value_place;
  p.length = std::max(1, static_cast<int>(width(a->value)));
  return p;
}

void Page::add_instance(Instance instance) {
  const auto [at, fresh] = instances.try_emplace(instance.name, composition.instances.size());
  if (!fresh || nested_by_id.contains(instance.name)) {
    ambiguous = true;
    Diagnostic& d =
        error("V2002", fmt::format("there are two instances named \"{}\"", instance.name),
              instance.place);
    if (!fresh) {
      const Place& other = composition.instances[at->second].place;
      if (other.line > 0) d.notes.push_back(fmt::format("the other one is on line {}", other.line));
    }
    d.notes.emplace_back("give one of them another name, and use it in its connections");
    return;
  }
  composition.instances.push_back(std::move(instance));
}

const std::size_t* longest_prefix(const std::unordered_map<std::string, std::size_t>& names,
                                  std::string_view path, std::string_view& rest) {
  for (std::size_t dot = path.rfind('.'); dot != std::string_view::npos && dot > 0;
       dot = path.rfind('.', dot - 1)) {
    const auto found = names.find(std::string(path.substr(0, dot)));
    if (found != names.end()) {
      rest = path.substr(dot + 1);
      return &found->second;
    }
  }
  return nullptr;
}

double positive(Page& page, const Element& e, std::string_view attribute, double otherwise) {
  const document::Attribute* a = e.attribute(attribute);
  if (!a) return otherwise;
  const auto value = parsed_real(trimmed(a->value));
  if (value && std::isfinite(*value) && *value > 0.0) return *value;
  add_reason(
      page.error("V2013",
                 fmt::format("{} must be a positive number, not \"{}\"", attribute, a->value),
                 page.value_place(e, attribute)),
      quantity_problem(a->value, "1"));
  return otherwise;
}

Duration duration(Page& page, const Element& e, std::string_view attribute, Duration otherwise) {
  const document::Attribute* a = e.attribute(attribute);
  if (!a) return otherwise;
  if (const auto value = parsed_duration(a->value)) return *value;
  Diagnostic& d =
      page.error("V2005", fmt::format("{} must be a time, not \"{}\"", attribute, a->value),
                 page.value_place(e, attribute));
  add_reason(d, quantity_problem(a->value, "s"));
  d.notes.emplace_back("for example 600 s, 10 ms, 5 min or 2 h; a bare number is in seconds");
  return otherwise;
}

Period period(Page& page, const Element& e, std::string_view attribute, const Period& otherwise) {
  const document::Attribute* a = e.attribute(attribute);
  if (!a) return otherwise;
  if (const auto value = parsed_period(a->value)) return *value;
  page.error("V2005", period_problem(attribute, a->value), page.value_place(e, attribute)).notes =
      period_advice(a->value);
  return otherwise;
}

std::string period_problem(std::string_view name, std::string_view text) {
  return fmt::format("{} must be a time or a rate, not \"{}\"", name, text);
}

std::vector<std::string> period_advice(std::string_view text) {
  std::vector<std::string> advice;
  if (std::string why = quantity_problem(text, "s"); !why.empty()) advice.push_back(std::move(why));
  advice.emplace_back("for example 10 ms, 1/250 s or 250 Hz; a bare number is in seconds");
  return advice;
}

void add_reason(Diagnostic& d, std::string why) {
  if (!why.empty()) d.notes.push_back(std::move(why));
}

Rate rate(Page& page, const Element& e, std::string_view attribute) {
  const document::Attribute* a = e.attribute(attribute);
  if (!a) return {};
  if (const auto value = parsed_rate(a->value)) return *value;
  // "every 0.1" can only be a period
  if (attribute == "every" && parsed_real(trimmed(a->value))) {
    if (const auto value = parsed_rate(a->value + " s")) return *value;
  }
  Diagnostic& d = page.error(
      "V2009", fmt::format("{} must be a rate or a period, not \"{}\"", attribute, a->value),
      page.value_place(e, attribute));
  if (without_decimal_commas(a->value)) add_reason(d, quantity_problem(a->value, "Hz"));
  d.notes.emplace_back("for example 10 Hz, 60 per 1 s, 100 ms or 1/330 s");
  return {};
}

double quantity(Page& page, const Element& e, std::string_view attribute, double otherwise) {
  const document::Attribute* a = e.attribute(attribute);
  if (!a) return otherwise;
  const auto values = parsed_numbers(a->value, {}, {});
  if (values && values->size() == 1 && std::isfinite(values->front())) return values->front();
  Diagnostic& d = page.error(
      "V2005",
      fmt::format("{} must be a number, with or without a unit, not \"{}\"", attribute, a->value),
      page.value_place(e, attribute));
  if (without_decimal_commas(a->value)) add_reason(d, quantity_problem(a->value, "1"));
  d.notes.emplace_back("for example 0.017 rad/s; a bare number is in SI units");
  return otherwise;
}

}  // namespace vernier::composition::detail
