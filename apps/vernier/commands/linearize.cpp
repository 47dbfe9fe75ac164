#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>

#include "apps/vernier/command.hpp"
#include "apps/vernier/console.hpp"
#include "apps/vernier/permissions.hpp"
#include "apps/vernier/table.hpp"
#include "vernier/base/temporary_folder.hpp"
#include "vernier/base/text.hpp"
#include "vernier/kernel/constrained/analysis.hpp"
#include "vernier/kernel/linear/linear.hpp"
#include "vernier/model/island/island.hpp"
#include "vernier/model/multibody_loops/assembly.hpp"
#include "vernier/model/multibody_loops/mechanism.hpp"
#include "vernier/run/executive/executive.hpp"
#include "vernier/run/session/prepare.hpp"

namespace vernier::app {
namespace {

using nlohmann::ordered_json;

struct AnalysisRequest {
  std::string document, at, output, part;
  std::vector<std::string> set, signals, by;
  int most = 20;
  bool json = false, csv = false;
  Permissions permissions;
};

/// The subject of the analysis: a mechanism or an island, at the requested time, together with its
/// run.
struct Analysed {
  // of files that the document writes: an analysis leaves none
  std::unique_ptr<TemporaryFolder> folder = std::make_unique<TemporaryFolder>();
  std::unique_ptr<executive::Executive> run;
  multibody_loops::Mechanism* mechanism = nullptr;
  island::Inside island;
};

[[noreturn]] void refuse_point(const AnalysisRequest& a, const std::string& why,
                               const std::vector<std::string>& choices) {
  Diagnostics problems;
  Diagnostic& d = problems.error("V7130", why, {.file = a.document});
  if (!a.part.empty())
    if (const auto meant = closest(a.part, choices)) d.mark = "did you mean " + *meant + "?";
  if (!choices.empty()) d.notes.push_back("choose with --part: " + joined(choices, ", "));
  throw ConfigurationError(std::move(problems));
}

Analysed analysed(const AnalysisRequest& a) {
  std::optional<Duration> at;
  if (!a.at.empty()) {
    at = composition::parsed_time(a.at);
    if (!at || *at < Duration{})
      throw ConfigurationError("V2005",
                               fmt::format("--at must be a time such as 2s, not \"{}\"", a.at));
  }
  Diagnostics problems;
  session::Prepared prepared = session::prepare(a.document, {.set = a.set, .adjustable = a.by},
                                                running_catalogue(a.permissions), problems, false);
  if (!problems.list().empty()) print_problems(problems);
  Analysed it;
  for (FileWriter* w : session::writers_in(prepared.plan)) w->write_below(it.folder->path());
  it.run = std::make_unique<executive::Executive>(std::move(prepared.plan));
  std::vector<std::string> choices;
  const composition::Part* chosen = nullptr;
  for (const composition::Part& p : it.run->parts()) {
    const bool known = dynamic_cast<multibody_loops::Mechanism*>(p.component.get()) != nullptr ||
                       island::inside(*p.component, Time{}).system != nullptr;
    if (!known) continue;
    choices.push_back(p.name);
    if (a.part.empty() || a.part == p.name) chosen = &p;
  }
  if (choices.empty())
    refuse_point(a, "the document has no equations: no mechanism, spacecraft or hybrid system", {});
  if (chosen == nullptr) refuse_point(a, fmt::format("there is no part \"{}\"", a.part), choices);
  if (a.part.empty() && choices.size() > 1)
    refuse_point(a, "the document has several parts with equations", choices);
  it.run->initialize();
  if (at) {
    const executive::Ending ending = it.run->run_until(Time{*at});
    if (ending == executive::Ending::failed) {
      Diagnostics why;
      why.add(it.run->fault());
      throw ConfigurationError(std::move(why));
    }
  }
  it.mechanism = dynamic_cast<multibody_loops::Mechanism*>(chosen->component.get());
  it.island = island::inside(*chosen->component, it.run->now());
  return it;
}

void write_linear(const std::string& text, const std::string& file) {
  if (file.empty() || file == "-") {
    fmt::print("{}", text);
    return;
  }
  std::ofstream out(file, std::ios::binary);
  out << text;
  out.close();
  if (!out) cannot_write(file);
  fmt::print("{}\n", file);
}

std::string json_text(const ordered_json& j) { return j.dump(2) + "\n"; }

/// The node that moves most in a mode, and how: "tip: z".
std::string mover(const constrained::Mode& m, const constrained::Model& model) {
  std::size_t best = 0;
  for (std::size_t i = 0; i < m.shape.size(); ++i)
    if (std::abs(m.shape[i]) > std::abs(m.shape[best])) best = i;
  if (m.shape.empty() || best / 6 >= model.nodes.size()) return {};
  constexpr const char* ways[] = {"x", "y", "z", "about x", "about y", "about z"};
  return model.nodes[best / 6].name + " " + ways[best % 6];
}

/// The modes of a mechanism or of equations, for display.
struct ShownMode {
  double frequency = 0.0, damping = 0.0;
  std::complex<double> eigenvalue;
  std::string mover;
  ordered_json shape;
};

std::vector<ShownMode> modes_of(const island::Inside& island) {
  const linear::LinearSystem l = linear::linearize(*island.system, island.point);
  std::vector<ShownMode> all;
  for (const linear::Mode& m : linear::modes(l)) {
    ShownMode s{m.frequency, m.damping, m.eigenvalue, {}, ordered_json::object()};
    double largest = 0.0;
    for (std::size_t i = 0; i < m.shape.size(); ++i) {
      if (std::abs(m.shape[i]) > largest) s.mover = l.states[i].name;
      largest = std::max(largest, std::abs(m.shape[i]));
      s.shape[l.states[i].name] = {m.shape[i].real(), m.shape[i].imag()};
    }
    all.push_back(std::move(s));
  }
  return all;
}

std::vector<ShownMode> modes_of(const multibody_loops::Mechanism& mechanism) {
  const constrained::Model& model = mechanism.definition().model;
  std::vector<constrained::Mode> found;
  try {
    found = constrained::modes(mechanism.solver());
  } catch (const constrained::AssemblyProblem& p) {
    throw multibody_loops::in_words(p, mechanism.definition());
  }
  std::vector<ShownMode> all;
  for (const constrained::Mode& m : found) {
    ordered_json shape = ordered_json::object();
    for (std::size_t n = 0; n < model.nodes.size() && 6 * n + 5 < m.shape.size(); ++n) {
      ordered_json re = ordered_json::array(), im = ordered_json::array();
      for (std::size_t k = 6 * n; k < 6 * n + 6; ++k) {
        re.push_back(m.shape[k].real());
        im.push_back(m.shape[k].imag());
      }
      shape[model.nodes[n].name] = {{"real", re}, {"imaginary", im}};
    }
    all.push_back({m.frequency, m.damping, m.eigenvalue, mover(m, model), std::move(shape)});
  }
  return all;
}

int show_modes(const AnalysisRequest& a) {
  const Analysed it = analysed(a);
  std::vector<ShownMode> all = it.mechanism ? modes_of(*it.mechanism) : modes_of(it.island);
  if (static_cast<int>(all.size()) > a.most) all.resize(static_cast<std::size_t>(a.most));
  if (a.json) {
    ordered_json j = ordered_json::array();
    for (ShownMode& m : all)
      j.push_back({{"frequency_Hz", m.frequency},
                   {"damping", m.damping},
                   {"eigenvalue", {m.eigenvalue.real(), m.eigenvalue.imag()}},
                   {"shape", std::move(m.shape)}});
    write_linear(json_text(j), a.output);
    return status::good;
  }
  if (a.csv) {
    std::string text = "frequency [Hz],damping,real [1/s],imaginary [1/s]\n";
    for (const ShownMode& m : all)
      text += fmt::format("{},{},{},{}\n", exact(m.frequency), exact(m.damping),
                          exact(m.eigenvalue.real()), exact(m.eigenvalue.imag()));
    write_linear(text, a.output);
    return status::good;
  }
  Table t;
  t.row({"", "Hz", "of critical", "eigenvalue, 1/s", "moves most"});
  for (std::size_t i = 0; i < all.size(); ++i) {
    const ShownMode& m = all[i];
    t.row({std::to_string(i + 1), fmt::format("{:.6g}", m.frequency),
           fmt::format("{:.4g}", m.damping),
           m.eigenvalue.imag() == 0.0 ? fmt::format("{:.6g}", m.eigenvalue.real())
                                      : fmt::format("{:.6g} ± {:.6g} i", m.eigenvalue.real(),
                                                    std::abs(m.eigenvalue.imag())),
           m.mover});
  }
  write_linear(t.text("  "), a.output);
  return status::good;
}

/// The elements of an output port that can be linearized: one entry for each.
void add_outputs(const multibody_loops::Shown& s, std::vector<constrained::Output>& outputs,
                 std::vector<std::string>& names) {
  using Kind = multibody_loops::Shown::Kind;
  int first = -1;
  std::string name = s.port.name;
  switch (s.kind) {
    case Kind::position:
      first = 0;
      break;
    case Kind::attitude:
      first = 3;
      name.replace(name.rfind('.') + 1, std::string::npos, "rotation");
      break;
    case Kind::velocity:
      first = 6;
      break;
    case Kind::rate:
      first = 9;
      break;
    case Kind::measure:
      break;
    default:
      return;
  }
  const std::uint32_t count = s.kind == Kind::measure ? s.port.count : 3;
  for (std::uint32_t i = 0; i < count; ++i) {
    constrained::Output o;
    if (s.kind == Kind::measure) {
      o.element = s.index;
      o.measure = s.first + static_cast<int>(i);
    } else {
      o.node = s.index;
      o.component = first + static_cast<int>(i);
    }
    outputs.push_back(o);
    names.push_back(count == 1 ? name : fmt::format("{}[{}]", name, i));
  }
}

/// Rows of numbers with their names, for display.
struct ShownLinear {
  std::vector<std::string> states, inputs, parameters, outputs;
  std::vector<double> A, B, P, C, D, Q;  // row by row
};

bool wanted(const AnalysisRequest& a, const std::string& name) {
  return a.signals.empty() ||
         std::any_of(a.signals.begin(), a.signals.end(),
                     [&](const std::string& pattern) { return matches(pattern, name); });
}

ShownLinear linear_of(const multibody_loops::Mechanism& mechanism, const AnalysisRequest& a) {
  ShownLinear s;
  std::vector<constrained::Output> outputs;
  for (const multibody_loops::Shown& shown : mechanism.definition().outputs)
    if (wanted(a, shown.port.name)) add_outputs(shown, outputs, s.outputs);
  for (const Port& p : mechanism.description().inputs) s.inputs.push_back(p.name);
  constrained::LinearModel m;
  try {
    m = constrained::linearize(mechanism.solver(), outputs);
  } catch (const constrained::AssemblyProblem& p) {
    throw multibody_loops::in_words(p, mechanism.definition());
  }
  for (int i = 0; i < m.states; ++i) s.states.push_back(fmt::format("x{}", i + 1));
  s.A = m.A;
  s.B = m.B;
  s.C = m.C;
  s.D = m.D;
  return s;
}

/// The columns of the parameters of --by, in their order, and their names. A system that is
/// integrated alone names its parameters without its own name.
std::vector<Eigen::Index> parameter_columns(const linear::LinearSystem& l, const AnalysisRequest& a,
                                            std::vector<std::string>& names) {
  std::vector<Eigen::Index> columns;
  for (const std::string& path : a.by) {
    const std::size_t before = columns.size();
    for (std::size_t i = 0; i < l.parameters.size(); ++i) {
      const std::string& name = l.parameters[i].name;
      const std::size_t index = name.find('[');
      const std::string signal = name.substr(0, index);
      if (path != signal && !path.ends_with("." + signal)) continue;
      names.push_back(index == std::string::npos ? path : path + name.substr(index));
      columns.push_back(static_cast<Eigen::Index>(i));
    }
    if (columns.size() > before) continue;
    Diagnostics problems;
    problems
        .error("V2145", fmt::format("\"{}\" is a parameter of another part", path),
               {.file = a.document})
        .notes.push_back("choose the part that it belongs to with --part");
    throw ConfigurationError(std::move(problems));
  }
  return columns;
}

ShownLinear linear_of(const island::Inside& island, const AnalysisRequest& a) {
  const linear::LinearSystem l = linear::linearize(*island.system, island.point);
  ShownLinear s;
  for (const auto& q : l.states) s.states.push_back(q.name);
  for (const auto& q : l.inputs) s.inputs.push_back(q.name);
  const std::vector<Eigen::Index> columns = parameter_columns(l, a, s.parameters);
  std::vector<Eigen::Index> rows;
  for (std::size_t i = 0; i < l.outputs.size(); ++i) {
    const std::string& name = l.outputs[i].name;
    if (!wanted(a, name) && !wanted(a, name.substr(0, name.find('[')))) continue;
    s.outputs.push_back(name);
    rows.push_back(static_cast<Eigen::Index>(i));
  }
  const auto put = [](const Eigen::MatrixXd& m, Eigen::Index row, std::vector<double>& to) {
    for (Eigen::Index c = 0; c < m.cols(); ++c) to.push_back(m(row, c));
  };
  for (Eigen::Index r = 0; r < l.A.rows(); ++r) {
    put(l.A, r, s.A);
    put(l.B, r, s.B);
    for (const Eigen::Index c : columns) s.P.push_back(l.P(r, c));
  }
  for (const Eigen::Index r : rows) {
    put(l.C, r, s.C);
    put(l.D, r, s.D);
    for (const Eigen::Index c : columns) s.Q.push_back(l.Q(r, c));
  }
  return s;
}

int show_linear(const AnalysisRequest& a) {
  const Analysed it = analysed(a);
  const ShownLinear m = it.mechanism ? linear_of(*it.mechanism, a) : linear_of(it.island, a);
  const std::size_t n = m.states.size();
  if (a.json) {
    const auto rows = [](const std::vector<double>& M, std::size_t columns) {
      ordered_json all = ordered_json::array();
      for (std::size_t i = 0; columns > 0 && i < M.size(); i += columns)
        all.push_back(std::vector<double>(M.begin() + static_cast<std::ptrdiff_t>(i),
                                          M.begin() + static_cast<std::ptrdiff_t>(i + columns)));
      return all;
    };
    ordered_json j{{"time", seconds(it.run->now())},
                   {"states", n},
                   {"state_names", m.states},
                   {"inputs", m.inputs},
                   {"outputs", m.outputs},
                   {"A", rows(m.A, n)},
                   {"B", rows(m.B, m.inputs.size())},
                   {"C", rows(m.C, n)},
                   {"D", rows(m.D, m.inputs.size())}};
    if (!a.by.empty()) {
      j["parameters"] = m.parameters;
      j["P"] = rows(m.P, m.parameters.size());
      j["Q"] = rows(m.Q, m.parameters.size());
    }
    write_linear(json_text(j), a.output);
    return status::good;
  }
  // one table: [A B P; C D Q]
  std::string text = "row";
  for (const std::string& x : m.states) text += "," + x;
  for (const std::string& u : m.inputs) text += "," + u;
  for (const std::string& p : m.parameters) text += "," + p;
  text += "\n";
  for (std::size_t r = 0; r < n + m.outputs.size(); ++r) {
    const bool state = r < n;
    const std::size_t k = state ? r : r - n;
    text += state ? m.states[r] + "'" : m.outputs[k];
    const auto put = [&](const std::vector<double>& M, std::size_t columns) {
      for (std::size_t c = 0; c < columns; ++c) text += "," + exact(M[k * columns + c]);
    };
    put(state ? m.A : m.C, n);
    put(state ? m.B : m.D, m.inputs.size());
    put(state ? m.P : m.Q, m.parameters.size());
    text += "\n";
  }
  write_linear(text, a.output);
  return status::good;
}

std::shared_ptr<AnalysisRequest> declare_common(CLI::App& app) {
  auto asked = std::make_shared<AnalysisRequest>();
  app.add_option("document", asked->document, "a model or a composition")
      ->required()
      ->type_name("");
  app.add_option("--at", asked->at, "run to this time first: 2s")->type_name("TIME");
  app.add_option("--part", asked->part, "which part of a composition, when several have equations")
      ->type_name("NAME");
  app.add_option("--set", asked->set, "a parameter: plant.mass=4.1kg; may be repeated")
      ->type_name("PATH=VALUE")
      ->expected(1)
      ->take_all();
  declare_permissions(app, asked->permissions, true);
  app.add_option("-o,--output", asked->output, "the file (default: standard output)")
      ->type_name("FILE");
  app.add_flag("--json", asked->json, "as JSON");
  return asked;
}

}  // namespace

Action declare_modes(CLI::App& app) {
  const auto asked = declare_common(app);
  app.add_option("--most", asked->most, "largest number of modes to list (20)")->type_name("N");
  app.add_flag("--csv", asked->csv, "as CSV");
  return [asked](const Invocation&) { return show_modes(*asked); };
}

Action declare_linearize(CLI::App& app) {
  const auto asked = declare_common(app);
  app.add_option("--outputs", asked->signals, "patterns of output ports: 'tip.*' (default: all)")
      ->type_name("PATTERN");
  app.add_option("--by", asked->by, "parameters to differentiate by: plant.mass,plant.spring")
      ->type_name("PATH")
      ->delimiter(',')
      ->expected(1)
      ->take_all();
  return [asked](const Invocation&) { return show_linear(*asked); };
}

}  // namespace vernier::app
