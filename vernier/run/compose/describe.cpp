#include "vernier/run/compose/describe.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "vernier/base/units.hpp"
#include "vernier/run/composition/composition.hpp"
#include "vernier/run/composition/ports.hpp"
#include "vernier/run/composition/sources.hpp"

namespace vernier::compose {
namespace {

using composition::Composition;
using composition::Instance;
using composition::Sources;
using nlohmann::json;

json port_json(const std::string& name, const Port& p) {
  json j{{"name", name},
         {"flow", name_of(p.flow)},
         {"scalar", name_of(p.scalar)},
         {"unit", p.unit},
         {"dimension", dimension(p.unit)},
         {"count", p.count},
         {"description", p.description}};
  if (!p.frame.empty()) j["frame"] = p.frame;
  if (p.flow == Flow::signal && p.initial) j["initial"] = *p.initial;
  return j;
}

json ports_json(const std::vector<Port>& ports) {
  json all = json::array();
  for (const Port& p : ports) all.push_back(port_json(p.name, p));
  return all;
}

/// A value for a required parameter that is not given, so that the ports can be shown.
void add_placeholders(const Type& type, ParameterValues& values) {
  for (const ParameterSpec& s : type.parameters) {
    const bool number = s.kind == ParameterKind::real || s.kind == ParameterKind::integer;
    if (s.initial || values.contains(s.name)) continue;
    std::string text = number                             ? "1"
                       : s.kind == ParameterKind::boolean ? "false"
                       : !s.choices.empty()               ? s.choices.front()
                                                          : "";
    for (std::uint32_t i = 1; number && i < s.count; ++i) text += " 1";
    if (!text.empty()) values[s.name] = {.text = text};
  }
}

/// Of what was given, that which the type knows and can read.
ParameterValues usable(const Type& type, const ParameterValues& given) {
  ParameterValues values;
  for (const ParameterSpec& s : type.parameters) {
    const auto found = given.find(s.name);
    if (found == given.end()) continue;
    Diagnostics problems;
    const Parameters one("x", std::span(&s, 1), {{s.name, found->second}}, 1, {}, problems);
    if (problems.errors() == 0) values.insert(*found);
  }
  return values;
}

std::optional<composition::Ports> ports_of(const Type& type, const Instance& i, Sources& sources) {
  ParameterValues values = usable(type, i.parameters);
  add_placeholders(type, values);
  try {
    Diagnostics problems;
    const Parameters parameters(i.name, type.parameters, values, 1, i.place, problems);
    if (problems.errors() > 0) return {};
    const Sources::Made made = sources.make(type, i, {}, parameters);
    return composition::ports_of(made.system.get(), made.component.get());
  } catch (const ConfigurationError&) {
    return {};
  }
}

const Type* type_of(const Instance& i, Sources& sources, const Catalogue& catalogue) {
  return i.file.empty() ? catalogue.find(i.type)
                        : sources.type(i.file, i.place, catalogue, nullptr);
}

/// The port that an end of an inner connection names, with its size narrowed to the elements.
std::optional<Port> port_at(const composition::Endpoint& end, const std::vector<Instance>& all,
                            bool output, Sources& sources, const Catalogue& catalogue) {
  const auto i = std::find_if(all.begin(), all.end(),
                              [&end](const Instance& k) { return k.name == end.instance; });
  const Type* type = i == all.end() ? nullptr : type_of(*i, sources, catalogue);
  const auto ports = type ? ports_of(*type, *i, sources) : std::nullopt;
  if (!ports) return {};
  for (const auto* list : {output ? &ports->outputs : &ports->inputs, &ports->inputs}) {
    for (Port p : *list) {
      if (p.name != end.port) continue;
      const std::uint32_t last = std::min(end.last, p.count);
      p.count = last > end.first ? last - end.first : 1;
      return p;
    }
  }
  return {};
}

void describe_nested(json& one, const std::filesystem::path& file,
                     const std::shared_ptr<Sources>& sources, const Catalogue& catalogue) {
  Diagnostics ignored;
  try {
    const Composition c = composition::read_composition(file, catalogue, ignored, sources);
    one["summary"] = c.description;
    for (const composition::ExternalInput& in : c.inputs) {
      Port p;
      p.name = in.name;
      p.unit = in.unit;
      p.count = static_cast<std::uint32_t>(in.value.size());
      p.initial = in.value;
      one["inputs"].push_back(port_json(p.name, p));
    }
    for (const composition::Export& e : c.exports) {
      const auto p = port_at(e.from, c.instances, true, *sources, catalogue);
      one["outputs"].push_back(port_json(e.name, p.value_or(Port{})));
    }
    one["made"] = true;
  } catch (const ConfigurationError&) {
    // `check` reports why
  }
}

}  // namespace

std::string dimension(std::string_view unit) {
  const auto read = parsed_unit(unit);
  return read ? text(*read) : std::string();
}

json parameter_json(const ParameterSpec& s) {
  json p{{"name", s.name},   {"kind", name_of(s.kind)},
         {"unit", s.unit},   {"dimension", dimension(s.unit)},
         {"count", s.count}, {"description", s.description}};
  if (s.initial) p["initial"] = *s.initial;
  if (!s.choices.empty()) p["choices"] = s.choices;
  return p;
}

json describe(const std::filesystem::path& document, const std::vector<Sketch>& sketches,
              const Unsaved& unsaved, const Catalogue& catalogue) {
  const auto sources = std::make_shared<Sources>();
  for (const auto& [file, content] : unsaved) sources->put(file, content);
  json all = json::array();
  for (const Sketch& s : sketches) {
    json one{{"name", s.name},          {"kind", s.kind},
             {"summary", ""},           {"made", false},
             {"inputs", json::array()}, {"outputs", json::array()},
             {"states", json::array()}, {"parameters", json::array()}};
    Instance i;
    i.name = s.name;
    i.type = s.type;
    if (!s.file.empty()) i.file = (document.parent_path() / s.file).lexically_normal();
    for (const auto& [name, value] : s.parameters)
      i.parameters[name] = {.text = value, .place = {.file = document.string()}};
    if (s.kind == "composition") {
      if (!i.file.empty()) describe_nested(one, i.file, sources, catalogue);
    } else if (const Type* type = type_of(i, *sources, catalogue)) {
      one["summary"] = type->summary;
      one["equations"] = static_cast<bool>(type->system);
      for (const ParameterSpec& p : type->parameters)
        one["parameters"].push_back(parameter_json(p));
      if (const auto ports = ports_of(*type, i, *sources)) {
        one["inputs"] = ports_json(ports->inputs);
        one["outputs"] = ports_json(ports->outputs);
        one["states"] = ports_json(ports->states);
        one["made"] = true;
      }
    }
    all.push_back(std::move(one));
  }
  return {{"instances", std::move(all)}};
}

}  // namespace vernier::compose
