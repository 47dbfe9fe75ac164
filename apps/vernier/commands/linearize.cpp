#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>

#include "apps/vernier/catalogue.hpp"
#include "apps/vernier/command.hpp"
#include "apps/vernier/console.hpp"
#include "apps/vernier/table.hpp"
#include "vernier/base/text.hpp"
#include "vernier/kernel/constrained/analysis.hpp"
#include "vernier/model/mechanism/assembly.hpp"
#include "vernier/model/mechanism/mechanism.hpp"
#include "vernier/run/session/prepare.hpp"

namespace vernier::app {
namespace {

using nlohmann::ordered_json;

struct AnalysisRequest {
  std::string document, at, output;
  std::vector<std::string> set, signals;
  int most = 20;
  bool json = false, csv = false;
};

/// The mechanism of a document, at the time asked for; the composition that owns it comes with it.
struct Analysed {
  session::Prepared prepared;
  mechanism::Mechanism* mechanism = nullptr;
};

Analysed analysed(const AnalysisRequest& a) {
  Diagnostics problems;
  Analysed it{session::prepare(a.document, {.set = a.set}, catalogue(), problems, false)};
  if (!problems.list().empty()) print_problems(problems);
  for (composition::Part& p : it.prepared.plan.parts) {
    auto* m = dynamic_cast<mechanism::Mechanism*>(p.component.get());
    if (m && it.mechanism)
      throw ConfigurationError("V7130", "the document has several mechanisms: name one of theirs",
                               {.file = a.document});
    if (m) it.mechanism = m;
  }
  if (!it.mechanism)
    throw ConfigurationError("V7130", "the document has no mechanism", {.file = a.document});
  if (a.at.empty()) return it;
  const auto at = composition::parsed_time(a.at);
  if (!at || *at < Duration{})
    throw ConfigurationError("V2005",
                             fmt::format("--at must be a time such as 2s, not \"{}\"", a.at));
  const Advance reached = it.mechanism->advance(Time{}, Time{*at});
  if (reached.outcome == Outcome::failed) {
    const Fault& f = it.mechanism->fault();
    const std::string text = f.text;
    throw ConfigurationError(f.code,
                             fmt::format("{}{}", *f.subject ? f.subject : "the mechanism",
                                         text.substr(0, text.find('\n'))),
                             {.file = a.document});
  }
  return it;
}

void write(const std::string& text, const std::string& file) {
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

/// The node that a mode moves most, and how: "tip: z".
std::string mover(const constrained::Mode& m, const constrained::Model& model) {
  std::size_t best = 0;
  for (std::size_t i = 0; i < m.shape.size(); ++i)
    if (std::abs(m.shape[i]) > std::abs(m.shape[best])) best = i;
  if (m.shape.empty() || best / 6 >= model.nodes.size()) return {};
  constexpr const char* ways[] = {"x", "y", "z", "about x", "about y", "about z"};
  return model.nodes[best / 6].name + " " + ways[best % 6];
}

int show_modes(const AnalysisRequest& a) {
  const Analysed it = analysed(a);
  const constrained::Model& model = it.mechanism->definition().model;
  std::vector<constrained::Mode> all;
  try {
    all = constrained::modes(it.mechanism->solver());
  } catch (const constrained::AssemblyProblem& p) {
    throw mechanism::in_words(p, it.mechanism->definition());
  }
  if (static_cast<int>(all.size()) > a.most) all.resize(static_cast<std::size_t>(a.most));
  if (a.json) {
    ordered_json j = ordered_json::array();
    for (const constrained::Mode& m : all) {
      ordered_json shape = ordered_json::object();
      for (std::size_t n = 0; n < model.nodes.size() && 6 * n + 5 < m.shape.size(); ++n) {
        ordered_json re = ordered_json::array(), im = ordered_json::array();
        for (std::size_t k = 6 * n; k < 6 * n + 6; ++k) {
          re.push_back(m.shape[k].real());
          im.push_back(m.shape[k].imag());
        }
        shape[model.nodes[n].name] = {{"real", re}, {"imaginary", im}};
      }
      j.push_back({{"frequency_Hz", m.frequency},
                   {"damping", m.damping},
                   {"eigenvalue", {m.eigenvalue.real(), m.eigenvalue.imag()}},
                   {"shape", shape}});
    }
    write(json_text(j), a.output);
    return status::good;
  }
  if (a.csv) {
    std::string text = "frequency [Hz],damping,real [1/s],imaginary [1/s]\n";
    for (const constrained::Mode& m : all)
      text += fmt::format("{},{},{},{}\n", exact(m.frequency), exact(m.damping),
                          exact(m.eigenvalue.real()), exact(m.eigenvalue.imag()));
    write(text, a.output);
    return status::good;
  }
  Table t;
  t.row({"", "Hz", "of critical", "eigenvalue, 1/s", "moves most"});
  for (std::size_t i = 0; i < all.size(); ++i) {
    const constrained::Mode& m = all[i];
    t.row({std::to_string(i + 1), fmt::format("{:.6g}", m.frequency),
           fmt::format("{:.4g}", m.damping),
           fmt::format("{:.6g} ± {:.6g} i", m.eigenvalue.real(), std::abs(m.eigenvalue.imag())),
           mover(m, model)});
  }
  write(t.text("  "), a.output);
  return status::good;
}

/// What of an output port can be looked at: one entry for each element of it.
void add_outputs(const mechanism::Shown& s, std::vector<constrained::Output>& outputs,
                 std::vector<std::string>& names) {
  using Kind = mechanism::Shown::Kind;
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

int show_linear(const AnalysisRequest& a) {
  const Analysed it = analysed(a);
  std::vector<constrained::Output> outputs;
  std::vector<std::string> names, inputs;
  for (const mechanism::Shown& s : it.mechanism->definition().outputs) {
    const auto wanted = [&](const std::string& pattern) { return matches(pattern, s.port.name); };
    if (a.signals.empty() || std::any_of(a.signals.begin(), a.signals.end(), wanted))
      add_outputs(s, outputs, names);
  }
  for (const Port& p : it.mechanism->description().inputs) inputs.push_back(p.name);
  constrained::LinearModel m;
  try {
    m = constrained::linearize(it.mechanism->solver(), outputs);
  } catch (const constrained::AssemblyProblem& p) {
    throw mechanism::in_words(p, it.mechanism->definition());
  }
  const auto n = static_cast<std::size_t>(m.states);
  if (a.json) {
    const auto rows = [](const std::vector<double>& M, std::size_t columns) {
      ordered_json all = ordered_json::array();
      for (std::size_t i = 0; columns > 0 && i < M.size(); i += columns)
        all.push_back(std::vector<double>(M.begin() + static_cast<std::ptrdiff_t>(i),
                                          M.begin() + static_cast<std::ptrdiff_t>(i + columns)));
      return all;
    };
    write(json_text({{"states", n},
                     {"inputs", inputs},
                     {"outputs", names},
                     {"A", rows(m.A, n)},
                     {"B", rows(m.B, inputs.size())},
                     {"C", rows(m.C, n)},
                     {"D", rows(m.D, inputs.size())}}),
          a.output);
    return status::good;
  }
  // one table: [A B; C D]
  std::string text = "row";
  for (std::size_t i = 0; i < n; ++i) text += fmt::format(",x{}", i + 1);
  for (const std::string& u : inputs) text += "," + u;
  text += "\n";
  for (std::size_t r = 0; r < n + names.size(); ++r) {
    const bool state = r < n;
    const std::size_t k = state ? r : r - n;
    text += state ? fmt::format("x{}'", r + 1) : names[k];
    for (std::size_t c = 0; c < n; ++c) text += "," + exact((state ? m.A : m.C)[k * n + c]);
    for (std::size_t c = 0; c < inputs.size(); ++c)
      text += "," + exact((state ? m.B : m.D)[k * inputs.size() + c]);
    text += "\n";
  }
  write(text, a.output);
  return status::good;
}

std::shared_ptr<AnalysisRequest> declare_common(CLI::App& app) {
  auto asked = std::make_shared<AnalysisRequest>();
  app.add_option("document", asked->document, "a mechanism, or a composition with one")
      ->required()
      ->type_name("");
  app.add_option("--at", asked->at, "run it so long first, inputs as at the start: 2s")
      ->type_name("TIME");
  app.add_option("--set", asked->set, "a parameter: plant.mass=4.1kg; may be repeated")
      ->type_name("PATH=VALUE")
      ->expected(1)
      ->take_all();
  app.add_option("-o,--output", asked->output, "the file; the screen without")->type_name("FILE");
  app.add_flag("--json", asked->json, "as JSON");
  return asked;
}

}  // namespace

Action declare_modes(CLI::App& app) {
  const auto asked = declare_common(app);
  app.add_option("--most", asked->most, "at most so many; 20")->type_name("N");
  app.add_flag("--csv", asked->csv, "as CSV");
  return [asked](const Invocation&) { return show_modes(*asked); };
}

Action declare_linearize(CLI::App& app) {
  const auto asked = declare_common(app);
  app.add_option("--outputs", asked->signals, "patterns of output ports: 'tip.*'; all without")
      ->type_name("PATTERN");
  return [asked](const Invocation&) { return show_linear(*asked); };
}

}  // namespace vernier::app
