#include "vernier/run/compose/grammar.hpp"

#include <string>

#include "vernier/base/units.hpp"
#include "vernier/document/forms.hpp"
#include "vernier/kernel/expression/expression.hpp"
#include "vernier/run/compose/describe.hpp"

namespace vernier::compose {
namespace {

using nlohmann::json;

json attribute_json(const document::AttributeForm& a) {
  json j{{"name", a.name}};
  if (a.required) j["required"] = true;
  if (!a.initial.empty()) j["initial"] = a.initial;
  if (!a.choices.empty()) j["choices"] = a.choices;
  if (a.fixed) j["choices"] = {a.initial};
  return j;
}

json element_json(const document::ElementForm& f) {
  json j{{"children", f.children}, {"attributes", json::array()}};
  for (const document::AttributeForm& a : f.attributes)
    j["attributes"].push_back(attribute_json(a));
  if (!f.comment.empty()) j["comment"] = f.comment;
  if (!f.content.empty()) j["content"] = f.content;
  if (f.text) j["text"] = true;
  return j;
}

/// With prefixes that are usual for spacecraft; all others can be written as well.
constexpr std::string_view customary[] = {
    "km",   "cm",      "mm",        "um",    "kg",     "mg",      "ms",      "us",
    "ns",   "kHz",     "MHz",       "GHz",   "mN",     "uN",      "kN",      "kPa",
    "MPa",  "GPa",     "kJ",        "MJ",    "mW",     "kW",      "mV",      "kV",
    "mA",   "uA",      "mT",        "uT",    "nT",     "mrad",    "urad",    "1/s",
    "km/s", "mm/s",    "km/h",      "rad/s", "deg/s",  "rad/s^2", "deg/s^2", "mN*m",
    "uN*m", "N*m/rad", "N*m*s/rad", "N*s/m", "g/cm^3", "km^3/s^2"};

json units_json() {
  json all = json::array();
  const auto add = [&all](std::string_view unit) {
    all.push_back({{"unit", unit},
                   {"dimension", dimension(unit)},
                   {"quantity", std::string(quantity(unit))}});
  };
  for (const std::string_view unit : unit_names()) add(unit);
  for (const std::string_view unit : quantity_units()) add(unit);
  for (const std::string_view unit : customary) add(unit);
  json once = json::array();
  for (json& u : all) {
    bool known = false;
    for (const json& other : once) known = known || other["unit"] == u["unit"];
    if (!known) once.push_back(std::move(u));
  }
  return once;
}

}  // namespace

json grammar(std::span<const document::Grammar> grammars) {
  json roots = json::object();
  for (const document::Grammar& g : grammars) {
    const auto forms = document::forms_of(g);
    json elements = json::object();
    for (const document::ElementForm& f : forms) elements[f.name] = element_json(f);
    for (const std::string& root : document::roots_of(forms))
      roots[root] = {{"dtd", g.name}, {"elements", elements}};
  }
  return {{"roots", std::move(roots)},
          {"units", units_json()},
          {"functions", expression::function_names()}};
}

}  // namespace vernier::compose
