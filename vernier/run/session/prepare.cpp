#include "vernier/run/session/prepare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <memory>
#include <set>
#include <sstream>
#include <unordered_map>
#include <utility>

#include "vernier/base/text.hpp"
#include "vernier/base/units.hpp"
#include "vernier/run/composition/sources.hpp"
#include "vernier/run/executive/executive.hpp"
#include "vernier/run/realtime/ports.hpp"

namespace vernier::session {
namespace {

using composition::Composition;
using composition::Endpoint;

void apply(Composition& c, const Changes& changes, bool inputs_known, Diagnostics& problems) {
  for (const std::string& assignment : changes.set) {
    if (!inputs_known && assignment.starts_with("ext.")) continue;
    try {
      composition::set_value(c, assignment);
    } catch (const ConfigurationError& e) {
      problems.append(e.diagnostics());
    }
  }
  c.moved = changes.moved;
  if (changes.until) c.run.stop = *changes.until;
  if (changes.seed) c.run.seed = *changes.seed;
  if (!changes.record.empty()) {
    c.records.clear();
    for (const std::string& pattern : changes.record) {
      c.records.push_back({.signals = pattern, .rate = {}, .place = {}});
    }
  }
}

void keep_adjustable(Composition& c, const Changes& changes, const Catalogue& catalogue,
                     Diagnostics& problems) {
  if (changes.adjustable.empty()) return;
  std::map<std::string, std::pair<composition::Instance*, std::string>> known;
  std::vector<std::string> paths;
  for (composition::Instance& i : c.instances) {
    // make_plan() reports problems
    const Type* type = i.file.empty() ? catalogue.find(i.type)
                                      : c.sources->type(i.file, i.place, catalogue, nullptr);
    if (!type) continue;
    for (const ParameterSpec& s : type->parameters) {
      if (!s.adjustable) continue;
      paths.push_back(i.name + "." + s.name);
      known.emplace(paths.back(), std::pair(&i, s.name));
    }
  }
  for (const std::string& path : changes.adjustable) {
    if (const auto found = known.find(path); found != known.end()) {
      const auto& [instance, name] = found->second;
      instance->parameters[name].adjustable = true;
      continue;
    }
    Diagnostic& d = problems.error("V2145", fmt::format("there are no derivatives by \"{}\"", path),
                                   {.file = c.file.string()});
    if (const auto near = closest(path, paths)) d.notes.push_back("did you mean " + *near + "?");
    constexpr std::size_t most = 12;
    if (paths.empty()) {
      d.notes.push_back("no part of the document has parameters with known derivatives");
    } else if (paths.size() <= most) {
      d.notes.push_back("there are: " + joined(paths, ", "));
    } else {
      d.notes.push_back("vernier info lists those that there are");
    }
  }
}

/// The ports of a plan by path.
class Signals {
 public:
  Signals(const Composition& c, const composition::Plan& plan) : composition_(c) {
    for (const composition::Part& part : plan.parts) {
      const Description& d = part.component->description();
      for (const Port& p : d.outputs) ports_.insert_or_assign(composition::path(part, p), &p);
      for (const Port& p : d.inputs) ports_.try_emplace(composition::path(part, p), &p);
      if (d.more_outputs) open_.insert(part.name);
    }
  }

  /// Reports a signal that has no displayable values, or not in this unit.
  void check(const Endpoint& end, const std::string& unit, const std::string& what,
             Diagnostics& problems) const {
    const auto found = ports_.find(end.instance + "." + end.port);
    if (found == ports_.end() && open_.contains(end.instance)) return;
    if (found == ports_.end()) {
      // the plan knows it, but an island does not expose its internal inputs
      Diagnostic& d = problems.error(
          "V2025",
          fmt::format("{}: \"{}\" is inside an island and cannot be shown", what, end.text),
          end.place);
      for (const composition::Connection& k : composition_.connections) {
        if (k.to.instance != end.instance || k.to.port != end.port) continue;
        d.notes.push_back(fmt::format("it is driven by {}", k.from.text));
      }
      return;
    }
    const Port& port = *found->second;
    if (port.flow == Flow::stream) {
      problems.error(
          "V2025", fmt::format("{}: \"{}\" is a stream of messages, not a signal", what, end.text),
          end.place);
      return;
    }
    if (unit.empty()) return;
    if (interchangeable(unit, port.unit)) return;
    problems
        .error("V2026",
               fmt::format("{}: \"{}\" is in {} and cannot be shown or compared in {}", what,
                           end.text, port.unit, unit),
               end.place)
        .notes.push_back(unit_mismatch(unit, port.unit));
  }

 private:
  const Composition& composition_;
  std::unordered_map<std::string, const Port*> ports_;
  std::set<std::string> open_;  // parts with outputs that are not known
};

void check_observations(const Composition& c, const Signals& signals, Diagnostics& problems) {
  for (const composition::Report& r : c.reports) {
    const bool time = r.kind == composition::Report::Kind::time_of_maximum;
    signals.check(r.signal, time ? "" : r.unit, fmt::format("report \"{}\"", r.name), problems);
  }
  for (const composition::Check& k : c.checks) {
    signals.check(k.signal, k.unit, fmt::format("check \"{}\"", k.name), problems);
  }
  for (const composition::Figure& f : c.figures) {
    for (const composition::Curve& curve : f.curves) {
      signals.check(curve.signal, curve.unit, fmt::format("figure \"{}\"", f.name), problems);
    }
  }
}

/// Records the signals of figures too, at the rate of the first record.
void record_figures(Composition& c) {
  const Rate rate = c.records.empty() ? Rate{} : c.records.front().rate;
  for (const composition::Figure& f : c.figures) {
    for (const composition::Curve& curve : f.curves) {
      const std::string path = curve.signal.instance + "." + curve.signal.port;
      const bool known =
          std::any_of(c.records.begin(), c.records.end(),
                      [&](const composition::Record& r) { return matches(r.signals, path); });
      if (!known) c.records.push_back({.signals = path, .rate = rate, .place = curve.signal.place});
    }
  }
}

/// Adds the frames of a real-time run as a component, if the document has none, with the costs of
/// all others.
void add_frames(Composition& c, bool wanted, const Catalogue& catalogue) {
  const auto of_frames = [](const composition::Instance& i) {
    return i.type == realtime::frame_type;
  };
  const auto named = [](const composition::Instance& i) {
    return i.name == realtime::frame_instance;
  };
  std::string names;
  for (const composition::Instance& i : c.instances)
    if (!of_frames(i)) names += (names.empty() ? "" : " ") + i.name;
  auto found = std::find_if(c.instances.begin(), c.instances.end(), of_frames);
  if (found == c.instances.end()) {
    if (!wanted || !catalogue.find(realtime::frame_type) ||
        std::any_of(c.instances.begin(), c.instances.end(), named))
      return;
    composition::Instance frames;
    frames.kind = composition::Instance::Kind::component;
    frames.name = realtime::frame_instance;
    frames.type = realtime::frame_type;
    found = c.instances.insert(c.instances.end(), std::move(frames));
  }
  found->parameters.try_emplace("components", ParameterValue{.text = names});
}

/// The inputs of a single model become inputs of the composition, so that they can be set: ext.u.
/// False if they are not known, because the model cannot be made, as the plan reports.
bool open_inputs(Composition& c, const Catalogue& catalogue) {
  if (c.instances.size() != 1 || c.instances.front().file != c.file) return true;
  const composition::Instance& only = c.instances.front();
  const Type* type = c.sources->type(only.file, only.place, catalogue, nullptr);
  if (!type) return false;
  Diagnostics ignored;
  const Parameters parameters(only.name, type->parameters, only.parameters, c.run.seed, only.place,
                              ignored, c.run.arithmetic);
  if (ignored.errors() > 0) return false;
  composition::Sources::Made made;
  try {
    made = c.sources->make(*type, only, c.run, parameters);
  } catch (const ConfigurationError&) {
    return false;
  }
  const auto open = [&](const std::string& name, const std::string& unit, std::uint32_t count,
                        const std::optional<std::vector<double>>& initial) {
    c.inputs.push_back({.name = name,
                        .unit = unit,
                        .value = initial.value_or(std::vector<double>(count, 0.0)),
                        .place = {}});
    composition::Connection k;
    k.from = {.text = "ext." + name, .instance = "ext", .port = name, .place = {}};
    k.to = {.text = only.name + "." + name, .instance = only.name, .port = name, .place = {}};
    c.connections.push_back(std::move(k));
  };
  if (made.system) {
    for (const hybrid::Signal& s : made.system->spec().inputs)
      open(s.name, s.unit, s.count, s.initial);
  } else {
    for (const Port& p : made.component->description().inputs) {
      const bool single = p.name.find('.') == std::string::npos;  // as for inputs of documents
      if (p.flow == Flow::signal && p.scalar == Scalar::real && single)
        open(p.name, p.unit, p.count, p.initial);
    }
  }
  c.sources->put_back(std::move(made), only, c.run);
  return true;
}

std::vector<std::string> lines_of(std::istream& in) {
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

/// Which of the files of a composition ran code. The catalogue may have loaded others before.
void note_executed(Composition& c, const Catalogue& catalogue) {
  if (!catalogue.code()) return;
  std::set<std::filesystem::path> own;
  for (const auto* files : {&c.documents, &c.data})
    for (const std::filesystem::path& f : *files)
      own.insert(std::filesystem::absolute(f).lexically_normal());
  for (NativeCode::Loaded& l : catalogue.code()->loaded())
    if (own.contains(l.path)) c.executed.push_back(std::move(l));
}

Prepared prepared_of(const std::filesystem::path& document, const Changes& changes,
                     const Catalogue& catalogue, Diagnostics& problems, bool must_end,
                     const std::shared_ptr<composition::Sources>& sources) {
  Prepared prepared{
      .composition = composition::read_composition(document, catalogue, problems, sources),
      .plan = {}};
  Composition& c = prepared.composition;
  const bool inputs_known = open_inputs(c, catalogue);
  apply(c, changes, inputs_known, problems);
  keep_adjustable(c, changes, catalogue, problems);
  add_frames(c, changes.frames, catalogue);
  if (must_end && c.run.stop <= Duration{}) {
    problems
        .error("V2024", "the composition does not say when to stop",
               c.run.place.line > 0 ? c.run.place : Place{.file = c.file.string()})
        .notes.push_back("add stop=\"600 s\" to <run>, or say --until 600s");
  }
  // its problems are added to the earlier ones
  prepared.plan = composition::make_plan(c, catalogue, problems);
  for (const std::filesystem::path& f : prepared.plan.files) c.documents.push_back(f);
  c.data = prepared.plan.data;
  note_executed(c, catalogue);
  check_observations(c, Signals(c, prepared.plan), problems);
  problems.throw_if_errors();
  record_figures(c);
  return prepared;
}

}  // namespace

Diagnostics with_lines(const Diagnostics& problems, const composition::Sources& sources) {
  constexpr std::uintmax_t largest = 16u << 20;
  std::map<std::string, std::vector<std::string>> files;
  Diagnostics shown;
  for (const Diagnostic& d : problems.list()) {
    Diagnostic& copy = shown.add(d);
    if (d.shown || !d.source.empty() || d.place.line <= 0) continue;
    const auto [file, fresh] = files.try_emplace(d.place.file);
    std::error_code failed;
    if (const std::string* known = fresh ? sources.find(d.place.file) : nullptr) {
      std::istringstream in(*known);
      file->second = lines_of(in);
    } else if (fresh && std::filesystem::file_size(d.place.file, failed) <= largest && !failed) {
      std::ifstream in(d.place.file);
      file->second = lines_of(in);
    }
    const auto number = static_cast<std::size_t>(d.place.line);
    if (number <= file->second.size())
      copy.source.push_back({d.place.line, file->second[number - 1]});
  }
  return shown;
}

std::vector<FileWriter*> writers_in(const composition::Plan& plan) {
  std::vector<FileWriter*> all;
  for (const composition::Part& part : plan.parts)
    if (auto* w = dynamic_cast<FileWriter*>(part.component.get())) all.push_back(w);
  return all;
}

Prepared prepare(const std::filesystem::path& document, const Changes& changes,
                 const Catalogue& catalogue, Diagnostics& problems, bool must_end) {
  const auto sources = std::make_shared<composition::Sources>(changes.moved);
  for (const auto& [file, text] : changes.texts) sources->put(file, text);
  try {
    Prepared prepared = prepared_of(document, changes, catalogue, problems, must_end, sources);
    problems = with_lines(problems, *sources);
    return prepared;
  } catch (const ConfigurationError& e) {
    throw ConfigurationError(with_lines(e.diagnostics(), *sources));
  }
}

void apply_override(executive::Executive& executive, const std::string& assignment) {
  const std::size_t equals = assignment.find('=');
  if (equals == std::string::npos) {
    Diagnostics problems;
    problems.error("V2021", fmt::format("\"{}\" does not override anything", assignment), {})
        .notes.push_back("write path=value, for example --override wheel.command=0");
    throw ConfigurationError(problems);
  }
  const std::string path(trimmed(std::string_view(assignment).substr(0, equals)));
  const std::string_view text = trimmed(std::string_view(assignment).substr(equals + 1));
  const executive::PortView* port = executive.find(path);
  std::vector<double> values;
  if (port) {
    const auto read = composition::parsed_values(text, port->port->unit);
    if (!read) {
      throw ConfigurationError(
          "V2005", fmt::format("\"{}\" cannot be read as numbers in {}", text, port->port->unit));
    }
    values = *read;
  }
  // the executive refuses an unknown path
  executive.override_port(path, values);
}

}  // namespace vernier::session
