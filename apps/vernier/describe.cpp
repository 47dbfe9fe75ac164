#include "apps/vernier/describe.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "apps/vernier/console.hpp"
#include "apps/vernier/mechanism_text.hpp"
#include "apps/vernier/multibody_text.hpp"
#include "apps/vernier/table.hpp"
#include "vernier/base/text.hpp"
#include "vernier/model/multibody_tree/system.hpp"
#include "vernier/run/composition/sources.hpp"
#include "vernier/run/composition/time_text.hpp"

namespace vernier::app {
namespace {

using composition::Composition;
using nlohmann::ordered_json;

/// How much of a list is shown.
class Extent {
 public:
  explicit Extent(bool all) : all_(all) {}

  std::size_t of(std::size_t count) const noexcept {
    return all_ || count <= longest ? count : beginning;
  }
  /// "… 30 more inputs (--all shows them)"; empty: nothing is left out.
  std::string rest(std::size_t count, const char* what) const {
    const std::size_t left = count - of(count);
    return left == 0 ? "" : fmt::format("… {} more {} (--all shows them)", left, what);
  }

 private:
  static constexpr std::size_t longest = 24, beginning = 16;
  bool all_;
};

std::string sized(const std::string& name, std::uint32_t count) {
  return count == 1 ? name : fmt::format("{}[{}]", name, count);
}

std::string numbers(const std::optional<std::vector<double>>& values) {
  if (!values) return {};
  std::string out;
  for (const double v : *values) out += (out.empty() ? "" : " ") + exact(v);
  return out;
}

/// The noise of one signal's elements; empty when none has noise.
std::vector<double> noise_of(const std::vector<double>& all, std::size_t first, std::size_t count) {
  if (all.empty()) return {};
  const auto begin = all.begin() + static_cast<std::ptrdiff_t>(first);
  std::vector<double> own(begin, begin + static_cast<std::ptrdiff_t>(count));
  const bool any = std::any_of(own.begin(), own.end(), [](double x) { return x != 0.0; });
  return any ? own : std::vector<double>();
}
/// The noise of a state as in documents: per square root of a second.
std::vector<double> root_density(const hybrid::Noise& noise, std::size_t first, std::size_t count) {
  std::vector<double> own = noise_of(noise.process, first, count);
  for (double& q : own) q = std::sqrt(q);
  return own;
}

/// "noise 0.1 deg/sqrt(s)"; one number if it is the same for all elements.
std::string noise_text(const std::vector<double>& own, const std::string& unit) {
  if (own.empty()) return {};
  const bool same = std::equal(own.begin() + 1, own.end(), own.begin());
  std::string values;
  for (std::size_t i = 0; i < (same ? 1 : own.size()); ++i) values += short_number(own[i]) + " ";
  return "noise " + values + unit;
}

std::string kind_of(const Port& p) {
  if (p.flow != Flow::signal) return name_of(p.flow);
  if (p.scalar == Scalar::real) return p.unit;
  return p.scalar == Scalar::boolean ? "true/false" : name_of(p.scalar);
}

const char* text_of(ParameterKind k) {
  switch (k) {
    case ParameterKind::real:
      return "number";
    case ParameterKind::integer:
      return "whole number";
    case ParameterKind::boolean:
      return "true/false";
    case ParameterKind::text:
      return "text";
    case ParameterKind::choice:
      return "choice";
    case ParameterKind::file:
      return "file";
  }
  return "";
}

std::string parameter_table(const std::vector<ParameterSpec>& specs, const ParameterValues& given,
                            std::string_view indent, const Extent& extent) {
  Table t;
  for (std::size_t k = 0; k < extent.of(specs.size()); ++k) {
    const ParameterSpec& s = specs[k];
    const auto own = given.find(s.name);
    std::string value =
        own != given.end()
            ? own->second.text + (own->second.unit.empty() ? "" : " " + own->second.unit)
        : s.initial ? *s.initial
                    : "(must be given)";
    std::string note = s.description;
    if (!s.choices.empty()) note += (note.empty() ? "" : "; ") + joined(s.choices, ", ");
    t.row({sized(s.name, s.count), value, s.kind == ParameterKind::real ? s.unit : text_of(s.kind),
           note});
  }
  if (const std::string rest = extent.rest(specs.size(), "parameters"); !rest.empty())
    t.row({rest});
  return t.text(indent);
}

ordered_json parameters_json(const std::vector<ParameterSpec>& specs) {
  ordered_json all = ordered_json::array();
  for (const ParameterSpec& s : specs) {
    ordered_json p{
        {"name", s.name}, {"kind", text_of(s.kind)}, {"unit", s.unit}, {"count", s.count}};
    p["default"] = s.initial ? ordered_json(*s.initial) : ordered_json(nullptr);
    p["description"] = s.description;
    if (!s.choices.empty()) p["choices"] = s.choices;
    if (s.adjustable) p["derivatives"] = true;
    all.push_back(std::move(p));
  }
  return all;
}

/// The parameters that `linearize --by` accepts.
std::string derivatives_text(const std::vector<ParameterSpec>& specs, const std::string& owner,
                             std::string_view indent, const Extent& extent) {
  std::vector<std::string> names;
  for (const ParameterSpec& s : specs)
    if (s.adjustable) names.push_back(owner + s.name);
  if (names.empty()) return {};
  const std::string rest = extent.rest(names.size(), "parameters");
  names.resize(extent.of(names.size()));
  if (!rest.empty()) names.push_back(rest);
  return fmt::format("{}derivatives by  {}\n", indent, joined(names, ", "));
}

/// A system or component created from a type, as far as possible with these values.
struct Made {
  std::unique_ptr<hybrid::System> system;
  std::unique_ptr<Component> component;
};

Made make(const Type& type, const std::string& name, const ParameterValues& values) {
  Made made;
  Diagnostics ignored;
  try {
    const Parameters parameters(name, type.parameters, values, 1, {}, ignored);
    if (ignored.errors() > 0) return made;
    if (type.system) made.system = type.system(parameters);
    // a connector would open files and sockets: its ports are known from its document
    if (type.component) made.component = type.component(parameters);
  } catch (const ConfigurationError&) {
  }
  return made;
}

std::string states_text(const hybrid::SystemSpec& spec, std::string_view indent,
                        const Extent& extent) {
  if (spec.states.empty()) return {};
  Table t;
  std::size_t first = 0;
  for (std::size_t k = 0; k < extent.of(spec.states.size()); ++k) {
    const hybrid::Signal& s = spec.states[k];
    const std::string noise =
        noise_text(root_density(spec.noise, first, s.count), s.unit + "/sqrt(s)");
    t.row({sized(s.name, s.count), s.unit,
           "starts at " + (s.initial ? numbers(s.initial) : "0") +
               (noise.empty() ? "" : ", " + noise),
           s.description});
    first += s.count;
  }
  if (const std::string rest = extent.rest(spec.states.size(), "states"); !rest.empty())
    t.row({rest});
  return fmt::format("{}states\n{}", indent, t.text(std::string(indent) + "  "));
}

std::string modes_text(const hybrid::Automaton& a, std::string_view indent) {
  std::vector<std::string> modes = a.locations;
  if (a.initial >= 0 && static_cast<std::size_t>(a.initial) < modes.size())
    modes[static_cast<std::size_t>(a.initial)] += " (first)";
  Table t;
  for (const hybrid::Transition& tr : a.transitions) {
    t.row({tr.name,
           fmt::format("{} → {}", a.locations[static_cast<std::size_t>(tr.from)],
                       a.locations[static_cast<std::size_t>(tr.to)]),
           tr.condition});
  }
  return fmt::format("{}modes{}  {}\n{}", indent, a.name.empty() ? "" : " of " + a.name,
                     joined(modes, ", "), t.text(std::string(indent) + "  "));
}

std::string system_text(const hybrid::SystemSpec& spec, std::string_view indent,
                        const Extent& extent) {
  std::string out = states_text(spec, indent, extent);
  // an automaton is as long as its transitions; whole ones are shown
  std::size_t transitions = 0, shown = 0, hidden = 0;
  for (const hybrid::Automaton& a : spec.automata) transitions += a.transitions.size();
  for (const hybrid::Automaton& a : spec.automata) {
    if (a.locations.size() < 2 && a.transitions.empty()) continue;
    if (shown > 0 && shown + a.transitions.size() > extent.of(transitions)) {
      ++hidden;
      continue;
    }
    shown += a.transitions.size();
    out += modes_text(a, indent);
  }
  if (hidden > 0)
    out += fmt::format("{}… modes of {} more parts (--all shows them)\n", indent, hidden);
  return out;
}

/// Where each port of an instance comes from or leads to, by path.
std::multimap<std::string, std::string> links(const Composition& c, bool incoming) {
  std::multimap<std::string, std::string> all;
  for (const composition::Connection& k : c.connections) {
    const composition::Endpoint& here = incoming ? k.to : k.from;
    const composition::Endpoint& there = incoming ? k.from : k.to;
    std::string text = there.text;
    if (k.gain != 1.0) text += " × " + exact(k.gain);
    if (k.delay_ticks > 0)
      text += fmt::format(" ({} tick{} later)", k.delay_ticks, k.delay_ticks == 1 ? "" : "s");
    if (k.delay.count() > 0) text += fmt::format(" ({} s later)", exact(seconds(k.delay)));
    all.emplace(here.instance + "." + here.port, text);
  }
  return all;
}

std::string joined_values(const std::multimap<std::string, std::string>& map,
                          const std::string& key) {
  std::string out;
  for (auto [i, end] = map.equal_range(key); i != end; ++i)
    out += (out.empty() ? "" : " + ") + i->second;
  return out;
}

ordered_json port_json(const std::string& path, const Port& p) {
  ordered_json j{{"path", path}, {"kind", name_of(p.flow)}, {"unit", p.unit}, {"count", p.count}};
  if (!p.frame.empty()) j["frame"] = p.frame;
  if (p.initial) j["default"] = *p.initial;
  if (!p.noise.empty()) j["noise"] = p.noise;
  if (!p.description.empty()) j["description"] = p.description;
  return j;
}

ordered_json system_json(const hybrid::SystemSpec& spec) {
  ordered_json j;
  j["states"] = ordered_json::array();
  std::size_t first = 0;
  for (const hybrid::Signal& s : spec.states) {
    ordered_json state{{"name", s.name},
                       {"unit", s.unit},
                       {"count", s.count},
                       {"initial", s.initial.value_or(std::vector<double>(s.count, 0.0))}};
    const std::vector<double> noise = root_density(spec.noise, first, s.count);
    if (!noise.empty()) state["noise_per_root_s"] = noise;
    j["states"].push_back(std::move(state));
    first += s.count;
  }
  j["modes"] = ordered_json::array();
  for (const hybrid::Automaton& a : spec.automata) {
    ordered_json transitions = ordered_json::array();
    for (const hybrid::Transition& t : a.transitions) {
      transitions.push_back({{"name", t.name},
                             {"from", a.locations[static_cast<std::size_t>(t.from)]},
                             {"to", a.locations[static_cast<std::size_t>(t.to)]},
                             {"condition", t.condition}});
    }
    j["modes"].push_back({{"name", a.name},
                          {"locations", a.locations},
                          {"initial", a.initial},
                          {"transitions", transitions}});
  }
  return j;
}

/// The type of an instance, from the catalogue or its document; null: neither.
const Type* type_of(const composition::Instance& i, const composition::Composition& c,
                    const Catalogue& catalogue) {
  return i.file.empty() ? catalogue.find(i.type)
                        : c.sources->type(i.file, i.place, catalogue, nullptr);
}

/// The ports of an instance with their paths, including those connected inside an island.
struct Ports {
  std::vector<std::pair<std::string, Port>> inputs, outputs;
};

void add_inner_ports(Ports& ports, const hybrid::SystemSpec& spec, const std::string& instance) {
  const auto add = [&](const std::vector<hybrid::Signal>& from, const std::vector<double>& noise,
                       auto& to) {
    std::size_t first = 0;
    for (const hybrid::Signal& s : from) {
      const std::string path = instance + "." + s.name;
      const bool known =
          std::any_of(to.begin(), to.end(), [&](const auto& p) { return p.first == path; });
      if (!known)
        to.emplace_back(path, Port{.name = s.name,
                                   .unit = s.unit,
                                   .frame = s.frame,
                                   .count = s.count,
                                   .initial = s.initial,
                                   .description = s.description,
                                   .noise = noise_of(noise, first, s.count)});
      first += s.count;
    }
  };
  add(spec.inputs, {}, ports.inputs);
  add(spec.outputs, spec.noise.measurement, ports.outputs);
}

Ports ports_of(const composition::Plan& plan, const std::string& instance,
               const hybrid::System* system) {
  Ports ports;
  if (system) add_inner_ports(ports, system->spec(), instance);
  for (const composition::Part& part : plan.parts) {
    if (std::find(part.instances.begin(), part.instances.end(), instance) == part.instances.end())
      continue;
    const auto take = [&](const std::vector<Port>& from, auto& to) {
      for (const Port& p : from) {
        const std::string path = composition::path(part, p);
        const auto is = [&path](const auto& k) { return k.first == path; };
        // an island exposes its internal inputs as outputs if they are observed
        const bool known = std::any_of(to.begin(), to.end(), is) ||
                           (system && p.flow == Flow::signal &&
                            std::any_of(ports.inputs.begin(), ports.inputs.end(), is));
        if (!known && path.starts_with(instance + ".")) to.emplace_back(path, p);
      }
    };
    take(part.component->description().inputs, ports.inputs);
    take(part.component->description().outputs, ports.outputs);
  }
  return ports;
}

}  // namespace

std::string catalogue_text(const Catalogue& catalogue) {
  Table t;
  for (const auto& [name, type] : catalogue.types())
    t.row({name, type.system ? "system" : "component", type.summary});
  return t.text("  ");
}

ordered_json catalogue_json(const Catalogue& catalogue) {
  ordered_json all = ordered_json::array();
  for (const auto& [name, type] : catalogue.types()) {
    all.push_back({{"type", name},
                   {"kind", type.system ? "system" : "component"},
                   {"summary", type.summary}});
  }
  return all;
}

namespace {

/// A value for every required parameter, so that the ports of a type can be shown.
ParameterValues placeholders(const Type& type) {
  ParameterValues values;
  for (const ParameterSpec& s : type.parameters) {
    if (s.initial || (s.kind != ParameterKind::real && s.kind != ParameterKind::integer)) continue;
    std::string text = "1";
    for (std::uint32_t i = 1; i < s.count; ++i) text += " 1";
    values[s.name] = {.text = text};
  }
  return values;
}

}  // namespace

std::string type_text(const Type& type) {
  const Extent everything(true);
  std::string out = fmt::format("{}: {}\n", type.name, type.summary);
  if (!type.parameters.empty())
    out += "\nparameters\n" + parameter_table(type.parameters, {}, "  ", everything);
  out += derivatives_text(type.parameters, "", "  ", everything);
  const Made made = make(type, type.name, placeholders(type));
  const auto section = [&](const char* title, const auto& list) {
    if (list.empty()) return;
    Table t;
    for (const auto& s : list)
      t.row({sized(s.name, s.count), s.unit, s.initial ? "default " + numbers(s.initial) : "",
             s.description});
    out += fmt::format("\n{}\n{}", title, t.text("  "));
  };
  if (made.system) {
    section("inputs", made.system->spec().inputs);
    section("outputs", made.system->spec().outputs);
    out += "\n" + system_text(made.system->spec(), "", everything);
  } else if (made.component) {
    section("inputs", made.component->description().inputs);
    section("outputs", made.component->description().outputs);
  } else {
    out += "\nits ports follow from its parameters: see them with `vernier info DOCUMENT`\n";
  }
  out += fmt::format("\nuse  <{} id=\"my_{}\" type=\"{}\"/>\n",
                     type.system ? "system" : "component", type.name, type.name);
  return out;
}

ordered_json type_json(const Type& type) {
  ordered_json j{{"type", type.name},
                 {"kind", type.system ? "system" : "component"},
                 {"summary", type.summary}};
  j["parameters"] = parameters_json(type.parameters);
  const Made made = make(type, type.name, placeholders(type));
  if (made.system) j.update(system_json(made.system->spec()));
  return j;
}

namespace {

/// The ports of an instance, with where they come from or lead to.
std::string ports_text(const Ports& ports, const std::multimap<std::string, std::string>& incoming,
                       const std::multimap<std::string, std::string>& outgoing,
                       const Extent& extent) {
  Table t;
  const auto rest = [&](std::size_t count, const char* what) {
    if (const std::string text = extent.rest(count, what); !text.empty()) t.row({"  " + text});
  };
  for (std::size_t k = 0; k < extent.of(ports.inputs.size()); ++k) {
    const auto& [path, port] = ports.inputs[k];
    std::string from = joined_values(incoming, path);
    if (from.empty() && port.flow == Flow::signal) from = numbers(port.initial);
    t.row({"  in", sized(path, port.count), kind_of(port), from.empty() ? "" : "← " + from});
  }
  rest(ports.inputs.size(), "inputs");
  for (std::size_t k = 0; k < extent.of(ports.outputs.size()); ++k) {
    const auto& [path, port] = ports.outputs[k];
    const std::string to = joined_values(outgoing, path);
    t.row({"  out", sized(path, port.count), kind_of(port), to.empty() ? "" : "→ " + to,
           noise_text(port.noise, port.unit)});
  }
  rest(ports.outputs.size(), "outputs");
  return t.text("");
}

}  // namespace

std::string composition_text(const session::Prepared& p, const Catalogue& catalogue, bool all) {
  const Composition& c = p.composition;
  const Extent extent(all);
  const auto incoming = links(c, true), outgoing = links(c, false);
  std::string out = fmt::format("{}\n", c.name);
  if (!c.description.empty()) out += fmt::format("{}\n", c.description);
  out += fmt::format("\nrun   {} s in ticks of {}, seed {}, {} with rtol {} and atol {}\n",
                     exact(seconds(c.run.stop)),
                     composition::step_text(c.run.step, c.run.step_rate), c.run.seed,
                     c.run.island.integrator, exact(c.run.island.rtol), exact(c.run.island.atol));
  for (const composition::Instance& i : c.instances) {
    const Type* type = type_of(i, c, catalogue);
    out += fmt::format("\n{}   {}{}\n", i.name, i.file.empty() ? i.type : i.file.string(),
                       i.island.empty() ? "" : ", in island " + i.island);
    const Made made = type ? make(*type, i.name, i.parameters) : Made{};
    if (type && !type->parameters.empty())
      out += "  parameters\n" + parameter_table(type->parameters, i.parameters, "    ", extent);
    if (type) out += derivatives_text(type->parameters, i.name + ".", "  ", extent);
    if (const auto* m = dynamic_cast<const multibody_tree::MultibodySystem*>(made.system.get()))
      out += multibody_text(m->spacecraft(), "  ");
    if (auto* m = dynamic_cast<multibody_loops::Mechanism*>(made.component.get()))
      out += mechanism_text(*m, "  ");
    out += ports_text(ports_of(p.plan, i.name, made.system.get()), incoming, outgoing, extent);
    if (made.system) out += system_text(made.system->spec(), "  ", extent);
  }
  for (const std::string& note : p.plan.notes) out += fmt::format("\n{}\n", note);
  return out;
}

ordered_json composition_json(const session::Prepared& p, const Catalogue& catalogue) {
  const Composition& c = p.composition;
  ordered_json j{{"name", c.name},
                 {"description", c.description},
                 {"stop_s", seconds(c.run.stop)},
                 {"step_s", seconds(c.run.step)},
                 {"seed", c.run.seed}};
  j["instances"] = ordered_json::array();
  for (const composition::Instance& i : c.instances) {
    ordered_json one{{"name", i.name}};
    if (i.file.empty()) {
      one["type"] = i.type;
    } else {
      one["file"] = i.file.string();
    }
    if (!i.island.empty()) one["island"] = i.island;
    const Type* type = type_of(i, c, catalogue);
    const Made made = type ? make(*type, i.name, i.parameters) : Made{};
    const Ports ports = ports_of(p.plan, i.name, made.system.get());
    one["inputs"] = ordered_json::array();
    one["outputs"] = ordered_json::array();
    for (const auto& [path, port] : ports.inputs) one["inputs"].push_back(port_json(path, port));
    for (const auto& [path, port] : ports.outputs) one["outputs"].push_back(port_json(path, port));
    if (type) one["parameters"] = parameters_json(type->parameters);
    if (made.system) one.update(system_json(made.system->spec()));
    if (const auto* m = dynamic_cast<const multibody_tree::MultibodySystem*>(made.system.get()))
      one["multibody"] = multibody_json(m->spacecraft());
    if (auto* m = dynamic_cast<multibody_loops::Mechanism*>(made.component.get()))
      one["mechanism"] = mechanism_json(*m);
    j["instances"].push_back(std::move(one));
  }
  j["connections"] = ordered_json::array();
  for (const composition::Connection& k : c.connections) {
    j["connections"].push_back({{"from", k.from.text},
                                {"to", k.to.text},
                                {"gain", k.gain},
                                {"delay_s", seconds(k.delay)},
                                {"delay_ticks", k.delay_ticks}});
  }
  return j;
}

}  // namespace vernier::app
