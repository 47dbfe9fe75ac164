#include "vernier/run/desktop/documents.hpp"

#include <algorithm>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <utility>

#include "vernier/base/text.hpp"
#include "vernier/component/mesh_file.hpp"
#include "vernier/run/compose/files.hpp"
#include "vernier/run/composition/sources.hpp"
#include "vernier/run/desktop/messages.hpp"
#include "vernier/run/desktop/problems.hpp"
#include "vernier/run/record/result_reader.hpp"
#include "vernier/run/scene/scene_of.hpp"
#include "vernier/run/session/session.hpp"

namespace vernier::desktop {

namespace fs = std::filesystem;
using composition::Composition;
using composition::Instance;
using nlohmann::ordered_json;
using session::Prepared;

namespace {

constexpr std::size_t most_known = 4;
constexpr std::uintmax_t longest_source = 1u << 20;  // of all files of an answer

std::vector<std::pair<fs::path, fs::file_time_type>> times_of(const Composition& c) {
  std::vector<std::pair<fs::path, fs::file_time_type>> times;
  for (const fs::path& f : c.documents) {
    std::error_code failed;
    times.emplace_back(f, fs::last_write_time(f, failed));
  }
  return times;
}

const Type* type_of(const Composition& c, const Instance& i, const Catalogue& catalogue) {
  if (i.file.empty()) return catalogue.find(i.type);
  return c.sources ? c.sources->type(i.file, i.place, catalogue, nullptr) : nullptr;
}

/// The outputs of a plan by path.
std::set<std::string> outputs_of(const composition::Plan& plan) {
  std::set<std::string> paths;
  for (const composition::Part& part : plan.parts) {
    for (const Port& p : part.component->description().outputs)
      paths.insert(composition::path(part, p));
  }
  return paths;
}

/// The output that shows the active location; a document may have given its usual name away.
std::string mode_signal(const std::string& path, const std::set<std::string>& outputs) {
  for (const char* name : {".mode", ".location"}) {
    if (outputs.contains(path + name)) return path + name;
  }
  return path + ".mode";
}

ordered_json machine_json(const std::string& path, const StateMachine& m,
                          const std::string& signal) {
  ordered_json locations = ordered_json::array(), transitions = ordered_json::array();
  for (const StateMachine::Location& l : m.locations)
    locations.push_back({{"name", l.name}, {"file", l.place.file}, {"line", l.place.line}});
  for (const StateMachine::Transition& t : m.transitions) {
    ordered_json one{{"name", t.name}, {"from", t.from}, {"to", t.to}};
    for (const auto& [name, text] : {std::pair{"label", &t.label},
                                     {"emits", &t.emits},
                                     {"condition", &t.condition},
                                     {"reset", &t.reset}}) {
      if (!text->empty()) one[name] = *text;
    }
    one["file"] = t.place.file;
    one["line"] = t.place.line;
    transitions.push_back(std::move(one));
  }
  return {{"path", path},
          {"mode_signal", signal},
          {"initial", m.initial},
          {"locations", std::move(locations)},
          {"transitions", std::move(transitions)}};
}

/// Of equations that are part of the program: what they say of themselves.
StateMachine machine_of(const hybrid::Automaton& a, const Place& place) {
  StateMachine m;
  const auto name = [&](int i) { return a.locations[static_cast<std::size_t>(i)]; };
  for (const std::string& l : a.locations) m.locations.push_back({l, place});
  for (const hybrid::Transition& t : a.transitions)
    m.transitions.push_back({.name = t.name,
                             .from = name(t.from),
                             .to = name(t.to),
                             .label = {},
                             .emits = {},
                             .condition = t.condition,
                             .reset = {},
                             .place = place});
  if (!a.locations.empty()) m.initial = name(a.initial);
  return m;
}

/// The text of a value as it would be given again.
std::string value_text(const ParameterSpec& s, const ParameterValues& given, std::string& unit) {
  unit = s.kind == ParameterKind::real ? s.unit : "";
  const auto own = given.find(s.name);
  if (own == given.end() || own->second.text.empty()) return s.initial.value_or("");
  std::string text = own->second.text;
  if (!own->second.unit.empty()) {
    unit = own->second.unit;
    return text;
  }
  // "600 km"
  const std::size_t blank = text.rfind(' ');
  if (s.kind != ParameterKind::real || blank == std::string::npos ||
      parsed_real(std::string_view(text).substr(blank + 1)))
    return text;
  unit = text.substr(blank + 1);
  return std::string(trimmed(std::string_view(text).substr(0, blank)));
}

std::string numbers_text(const std::vector<double>& values) {
  std::vector<std::string> all;
  for (const double v : values) all.push_back(exact(v));
  return joined(all, " ");
}

/// Inputs that nothing drives keep the value that somebody sets while the run goes on.
void add_free_inputs(const composition::Plan& plan, ordered_json& to) {
  std::set<std::pair<std::uint32_t, std::uint32_t>> driven;
  for (const composition::Wire& w : plan.wires) driven.emplace(w.to_part, w.to);
  for (std::uint32_t p = 0; p < plan.parts.size(); ++p) {
    const std::vector<Port>& inputs = plan.parts[p].component->description().inputs;
    for (std::uint32_t i = 0; i < inputs.size(); ++i) {
      const Port& port = inputs[i];
      if (port.flow != Flow::signal || !port.initial || driven.contains({p, i})) continue;
      to.push_back({{"path", composition::path(plan.parts[p], port)},
                    {"value", numbers_text(*port.initial)},
                    {"unit", port.unit},
                    {"description", port.description},
                    {"kind", "real"},
                    {"given", false},
                    {"live", true},
                    {"set", false}});
    }
  }
}

}  // namespace

const Prepared& Documents::prepared(const Subject& s) {
  const auto found =
      std::find_if(known_.begin(), known_.end(), [&](const Known& k) { return k.subject == s; });
  if (found != known_.end()) {
    if (found->files == times_of(found->prepared.composition)) {
      std::rotate(found, found + 1, known_.end());
      return known_.back().prepared;
    }
    known_.erase(found);
  }
  Diagnostics ignored;
  session::Again what;
  if (s.run)
    what = session::repeated(s.path);
  else
    what.document = s.path;
  Known k{
      .subject = s,
      .prepared = session::prepare(what.document, what.options.changes, catalogue_, ignored, false),
      .files = {}};
  k.files = times_of(k.prepared.composition);
  if (known_.size() == most_known) known_.erase(known_.begin());
  known_.push_back(std::move(k));
  return known_.back().prepared;
}

ordered_json Documents::automata(const Subject& s) {
  const Prepared& p = prepared(s);
  const std::set<std::string> outputs = outputs_of(p.plan);
  ordered_json all = ordered_json::array();
  for (const Instance& i : p.composition.instances) {
    const Type* type = type_of(p.composition, i, catalogue_);
    if (!type) continue;
    if (type->machine) {
      if (type->machine->locations.size() < 2) continue;
      all.push_back(machine_json(i.name, *type->machine, mode_signal(i.name, outputs)));
      continue;
    }
    if (!type->system || !i.file.empty()) continue;
    Diagnostics ignored;
    const Parameters parameters(i.name, type->parameters, i.parameters, p.plan.seed, i.place,
                                ignored);
    if (ignored.errors() > 0) continue;
    const auto system = type->system(parameters);
    for (const hybrid::Automaton& a : system->spec().automata) {
      if (a.locations.size() < 2) continue;
      const std::string path = a.name.empty() ? i.name : i.name + "." + a.name;
      all.push_back(machine_json(path, machine_of(a, i.place), mode_signal(path, outputs)));
    }
  }
  return all;
}

ordered_json Documents::parameters(const Subject& s) {
  const Prepared& p = prepared(s);
  ordered_json all = ordered_json::array();
  for (const composition::ExternalInput& i : p.composition.inputs)
    all.push_back({{"path", "ext." + i.name},
                   {"value", numbers_text(i.value)},
                   {"unit", i.unit},
                   {"description", ""},
                   {"kind", "real"},
                   {"given", false},
                   {"live", true}});
  for (const Instance& i : p.composition.instances) {
    const Type* type = type_of(p.composition, i, catalogue_);
    if (!type) continue;
    for (const ParameterSpec& spec : type->parameters) {
      if (spec.secret) continue;
      std::string unit;
      std::string value = value_text(spec, i.parameters, unit);
      ordered_json one{{"path", i.name + "." + spec.name},
                       {"value", std::move(value)},
                       {"unit", unit},
                       {"description", spec.description},
                       {"kind", name_of(spec.kind)},
                       {"given", i.parameters.contains(spec.name)},
                       {"live", false}};
      if (!spec.choices.empty()) one["choices"] = spec.choices;
      all.push_back(std::move(one));
    }
  }
  add_free_inputs(p.plan, all);
  return all;
}

ordered_json Documents::scene(const Subject& s) {
  const Prepared& p = prepared(s);
  scene::Recorded recorded;
  std::set<std::string> paths;
  if (s.run) {
    const record::ResultReader reader(s.path);
    for (const record::Signal& signal : reader.signals()) paths.insert(signal.spec.path);
    recorded = [&paths](std::string_view path) { return paths.contains(std::string(path)); };
  }
  return ordered_json::parse(
      scene::to_json(scene::scene_of(p.composition, p.plan, catalogue_, recorded)));
}

ordered_json Documents::source(const Subject& s) {
  // the texts are also wanted of a document with errors
  Diagnostics ignored;
  fs::path document = s.path;
  if (s.run) document = session::repeated(s.path).document;
  std::vector<fs::path> files = {document};
  try {
    files = prepared(s).composition.documents;
  } catch (const ConfigurationError&) {
  }
  ordered_json all = ordered_json::array();
  std::uintmax_t bytes = 0;
  for (const fs::path& f : files) {
    if (!scene::mesh_format(f).empty()) continue;  // a picture, no text
    std::error_code failed;
    const std::uintmax_t size = fs::file_size(f, failed);
    if (failed || bytes + size > longest_source) continue;
    bytes += size;
    std::ifstream in(f, std::ios::binary);
    std::ostringstream text;
    text << in.rdbuf();
    all.push_back({{"file", f.lexically_normal().string()},
                   {"text", text.str()},
                   {"digest", compose::digest_of(text.str())}});
  }
  if (all.empty()) refuse("V8102", "there is no document \"" + document.string() + "\"");
  return {{"files", std::move(all)}};
}

}  // namespace vernier::desktop
