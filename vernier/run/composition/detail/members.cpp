#include "vernier/run/composition/detail/members.hpp"

#include <algorithm>

#include "vernier/base/text.hpp"
#include "vernier/base/units.hpp"
#include "vernier/run/composition/detail/page.hpp"
#include "vernier/run/composition/ports.hpp"

namespace vernier::composition::detail {

namespace {

void take_ports(Member& m) {
  Ports ports = ports_of(m.system.get(), m.component.get());
  m.inputs = std::move(ports.inputs);
  m.outputs = std::move(ports.outputs);
  m.states = std::move(ports.states);
  m.feedthrough = std::move(ports.feedthrough);
}

std::filesystem::path whole(const std::filesystem::path& file) {
  return std::filesystem::absolute(file).lexically_normal();
}

/// The values of an instance, with files that are elsewhere now named where they are.
ParameterValues with_moved_files(const Type& type, const Instance& i, const Composition& c) {
  ParameterValues values = i.parameters;
  if (c.moved.empty()) return values;
  Diagnostics reported_later;
  const Parameters as_given(i.name, type.parameters, i.parameters, c.run.seed, i.place,
                            reported_later, c.run.arithmetic);
  for (const ParameterSpec& s : type.parameters) {
    if (s.kind != ParameterKind::file || as_given.text(s.name).empty()) continue;
    const std::filesystem::path file = as_given.file(s.name), now = found_at(file, c.moved);
    if (now != file) values[s.name].text = whole(now).string();
  }
  return values;
}

void check_member_rate(const Instance& i, Rate r, Diagnostics& problems) {
  // limits that keep tick(rate, k) from overflowing
  const bool fits = r.times >= 0 && r.times <= 1'000'000'000 && r.seconds >= 1 &&
                    r.seconds <= 1'000'000'000 && r.times * r.seconds <= 1'000'000'000;
  if (!fits)
    problems.error("V2116", "the rate of " + i.name + " is out of range", i.place)
        .notes.push_back("of \"N per S s\", N times S may be at most 1e9");
  if (i.offset < Duration{})
    problems.error("V2116", "the offset of " + i.name + " must not be negative", i.place);
}

}  // namespace

Members::Members(const Composition& c, const Catalogue& catalogue, Diagnostics& problems)
    : sources_(c.sources ? c.sources : std::make_shared<Sources>()) {
  list_.reserve(c.instances.size() + 1);
  for (const Instance& i : c.instances) {
    if (!by_name_.emplace(i.name, list_.size()).second)
      problems.error("V2002", "there are two instances named \"" + i.name + "\"", i.place);
    list_.emplace_back();
    list_.back().instance = &i;
    list_.back().name = i.name;
    make(i, c, catalogue, problems);
  }
  by_name_.emplace("ext", list_.size());
  Member& ext = list_.emplace_back();
  ext.name = "ext";
  ext.made = true;
  for (const ExternalInput& i : c.inputs) {
    Port p;
    p.name = i.name;
    p.unit = i.unit;
    p.count = static_cast<std::uint32_t>(i.value.size());
    p.initial = i.value;
    ext.outputs.push_back(std::move(p));
  }
}

const Type* Members::type_of(const Instance& i, const Catalogue& catalogue, Diagnostics& problems) {
  if (i.file.empty()) {
    if (const Type* t = catalogue.find(i.type)) return t;
    Diagnostic& d = problems.error("V2101", "there is no type \"" + i.type + "\"",
                                   i.type_place.file.empty() ? i.place : i.type_place);
    if (const auto near = closest(i.type, catalogue.names()))
      did_you_mean(d, *near);
    else
      d.notes.push_back("types: " + joined(catalogue.names(), ", "));
    return nullptr;
  }
  const bool first = told_.insert(i.file).second;
  return sources_->type(i.file, i.place, catalogue, first ? &problems : nullptr);
}

void Members::make(const Instance& i, const Composition& c, const Catalogue& catalogue,
                   Diagnostics& problems) {
  check_member_rate(i, i.rate, problems);
  const Type* type = type_of(i, catalogue, problems);
  if (!type) return;
  const bool wants_system = i.kind == Instance::Kind::system;
  if (wants_system != static_cast<bool>(type->system)) {
    const std::string what = i.file.empty() ? i.type : i.file.string();
    problems
        .error("V2106",
               what + (wants_system ? " is not equations but a component"
                                    : " is equations, which an island integrates"),
               i.place)
        .notes.push_back(wants_system ? "write <component id=\"" + i.name + "\" …>"
                                      : "write <system id=\"" + i.name + "\" …>");
    return;
  }
  const std::size_t before = problems.errors();
  const ParameterValues values = with_moved_files(*type, i, c);
  const Parameters parameters(i.name, type->parameters, values, c.run.seed, i.place, problems,
                              c.run.arithmetic);
  if (problems.errors() > before) return;
  Member& m = list_.back();
  try {
    Sources::Made made = sources_->make(*type, i, c.run, parameters);
    m.system = std::move(made.system);
    m.component = std::move(made.component);
  } catch (const ConfigurationError& e) {
    append_at(i.place, e.diagnostics(), problems);
    return;
  }
  take_ports(m);
  m.made = true;
  note_data(*type, parameters);
  if (m.component) check_member_rate(i, m.component->description().rate, problems);
}

void Members::note_data(const Type& type, const Parameters& parameters) {
  for (const ParameterSpec& s : type.parameters) {
    if (s.kind != ParameterKind::file || s.secret || parameters.text(s.name).empty()) continue;
    const std::filesystem::path file = whole(parameters.file(s.name));
    if (std::find(data_.begin(), data_.end(), file) == data_.end()) data_.push_back(file);
  }
}

std::optional<Reach> Members::find(const Endpoint& e, Wanted wanted, Diagnostics& problems) const {
  const auto found = by_name_.find(e.instance);
  if (found == by_name_.end()) {
    Diagnostic& d = problems.error("V2007", "there is no instance \"" + e.instance + "\"", e.place);
    std::vector<std::string> names;
    for (const Member& m : list_) names.push_back(m.name);
    if (const auto near = closest(e.instance, names)) {
      d.mark = "did you mean " + *near + "?";
      if (e.text.starts_with(e.instance + "." + e.port))
        add_change(d, e.place, *near + "." + e.port + elements_in(e.text));
    }
    return {};
  }
  const Member& m = list_[found->second];
  if (!m.made) return {};
  Reach r{.member = found->second};
  const auto look = [&](const std::vector<Port>& ports, bool output) {
    for (std::size_t i = 0; i < ports.size(); ++i) {
      if (ports[i].name != e.port) continue;
      r.port = i;
      r.output = output;
      return true;
    }
    return false;
  };
  if (wanted != Wanted::input && look(m.outputs, true)) return elements(e, r, problems);
  if (wanted != Wanted::output && look(m.inputs, false)) return elements(e, r, problems);

  const std::string path = e.instance + "." + e.port;
  r.state = look(m.states, false);
  if (r.state && wanted == Wanted::watched) return elements(e, r, problems);
  if (r.state && wanted != Wanted::input) {
    problems.error("V2113", path + " is a state: it can be watched, but not connected", e.place)
        .notes.push_back("give the model an output that shows it");
    return {};
  }
  if (wanted == Wanted::output && look(m.inputs, false)) {
    problems.error("V2113", path + " is an input: nothing can be taken from it", e.place);
    return {};
  }
  if (wanted == Wanted::input && look(m.outputs, true)) {
    problems.error("V2113", path + " is an output: nothing can be connected to it", e.place);
    return {};
  }
  // native code that was not loaded may have it
  if (wanted != Wanted::input && m.component && m.component->description().more_outputs) return {};
  std::vector<std::string> names;
  if (wanted != Wanted::input)
    for (const Port& p : m.outputs) names.push_back(p.name);
  if (wanted != Wanted::output)
    for (const Port& p : m.inputs) names.push_back(p.name);
  if (wanted == Wanted::watched)
    for (const Port& p : m.states) names.push_back(p.name);
  const std::string kind = wanted == Wanted::output  ? "output"
                           : wanted == Wanted::input ? "input"
                                                     : "port";
  Diagnostic& d =
      problems.error("V2112", e.instance + " has no " + kind + " \"" + e.port + "\"", e.place);
  if (const auto near = closest(e.port, names)) {
    d.mark = "did you mean " + e.instance + "." + *near + "?";
    // an endpoint that an export stands for is written otherwise
    if (e.text.starts_with(e.instance + "." + e.port))
      add_change(d, e.place, e.instance + "." + *near + elements_in(e.text));
  } else if (names.empty())
    d.notes.push_back("it has no " + kind + "s");
  else if (names.size() <= 20)
    d.notes.push_back(kind + "s of " + e.instance + ": " + joined(names, ", "));
  return {};
}

std::optional<Reach> Members::elements(const Endpoint& e, Reach r, Diagnostics& problems) const {
  const Port& p = port(r);
  const std::uint32_t last = e.last == std::numeric_limits<std::uint32_t>::max() ? p.count : e.last;
  if (e.first >= last || last > p.count) {
    problems.error("V2114", "\"" + e.text + "\" asks for elements that are not there", e.place)
        .notes.push_back(path(r) + " is " + shape(p, p.count) + ": its elements are 0 to " +
                         std::to_string(p.count - 1));
    return {};
  }
  r.first = e.first;
  r.count = last - e.first;
  return r;
}

void report_kind(const std::filesystem::path& file, const std::string& root, const Place& place,
                 const Catalogue& catalogue, Diagnostics& problems) {
  Diagnostic& d = problems.error(
      "V2102", "\"" + file.string() + "\" is a <" + root + ">, which is not a model", place);
  if (root == composition_root) {
    d.notes.push_back("a composition is nested with <composition id=\"…\" file=\"" +
                      file.filename().string() + "\"/>");
    return;
  }
  std::vector<std::string> roots;
  for (const auto& [name, kind] : catalogue.documents()) roots.push_back(name);
  if (const auto near = closest(root, roots)) {
    d.notes.push_back("did you mean <" + *near + ">?");
    return;
  }
  d.notes.push_back("documents that can be instanced begin with");
  for (const auto& [name, kind] : catalogue.documents())
    d.notes.push_back("<" + name + ">: " + kind.summary);
}

void append_at(const Place& place, const Diagnostics& found, Diagnostics& problems) {
  for (Diagnostic d : found.list()) {
    if (d.place.file.empty()) d.place = place;
    const bool known =
        std::any_of(problems.list().begin(), problems.list().end(), [&d](const Diagnostic& o) {
          return o.message == d.message && o.place.file == d.place.file &&
                 o.place.line == d.place.line;
        });
    if (!known) problems.add(std::move(d));
  }
}

std::string shape(const Port& p, std::uint32_t count) {
  if (p.flow != Flow::signal) return name_of(p.flow);
  const std::string s = std::to_string(count) + " × " +
                        (p.scalar == Scalar::real ? p.unit : std::string(name_of(p.scalar)));
  return p.frame.empty() ? s : s + " in " + p.frame;
}

bool same_kind(const Port& from, const Port& to) {
  if (from.flow != to.flow) return false;
  if (from.flow != Flow::signal) return true;
  if (from.scalar != to.scalar) return false;
  // a port without a frame matches any
  if (!from.frame.empty() && !to.frame.empty() && from.frame != to.frame) return false;
  return from.unit == to.unit || interchangeable(from.unit, to.unit);
}

}  // namespace vernier::composition::detail
