#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <thread>

#include "apps/vernier/command.hpp"
#include "apps/vernier/console.hpp"
#include "apps/vernier/describe.hpp"
#include "apps/vernier/placement_text.hpp"
#include "apps/vernier/run_argument.hpp"
#include "vernier/base/text.hpp"
#include "vernier/run/record/result_reader.hpp"
#include "vernier/run/record/run_folder.hpp"
#include "vernier/run/scene/scene_of.hpp"

namespace vernier::app {
namespace {

struct InfoRequest {
  std::string what;
  std::string graph, on;
  std::vector<std::string> set;
  bool json = false, all = false, scene = false;
};

void print(const nlohmann::ordered_json& j) {
  fmt::print("{}\n", j.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
}

int show_program(bool json) {
  const unsigned processors = std::max(1u, std::thread::hardware_concurrency());
#if defined(__x86_64__)
  const char* back_ends = "machine code (x86-64), bytecode";
#else
  const char* back_ends = "bytecode";
#endif
  if (json) {
    print({{"version", std::string(version())},
           {"processors", processors},
           {"expressions", back_ends},
           {"types", catalogue_json(catalogue())}});
    return status::good;
  }
  fmt::print("vernier {} · {} processor{} · expressions run as {}\n\n", version(), processors,
             processors == 1 ? "" : "s", back_ends);
  fmt::print("types that documents can name\n{}\n", catalogue_text(catalogue()));
  fmt::print("vernier info TYPE       its parameters, ports and states\n");
  fmt::print("vernier info DOCUMENT   what is in a document\n");
  return status::good;
}

int show_run(const std::filesystem::path& folder, bool json) {
  const record::ResultReader results(folder);
  std::optional<record::Manifest> m;
  if (record::is_run_folder(folder)) m = record::read_manifest(folder);
  if (json) {
    nlohmann::ordered_json j;
    if (m) j = nlohmann::ordered_json::parse(record::to_json(*m));
    j["signals"] = nlohmann::ordered_json::array();
    for (const record::Signal& s : results.signals()) {
      j["signals"].push_back({{"path", s.spec.path},
                              {"unit", s.spec.unit},
                              {"count", s.spec.count},
                              {"rate", s.rate},
                              {"rows", s.rows}});
    }
    print(j);
    return status::good;
  }
  fmt::print("{}\n", folder.string());
  if (m) {
    fmt::print(
        "  composition  {}\n  status       {}\n  started      {}\n  seed         {}\n  command     "
        " {}\n",
        m->composition, m->status, m->started, m->seed, joined(m->command, " "));
    for (const record::Reported& r : m->reports) {
      fmt::print("  {}  {} {}   ({})\n", r.name, short_number(r.value), r.unit == "1" ? "" : r.unit,
                 r.signal);
    }
    for (const record::Checked& c : m->checks) {
      fmt::print("  {} {}  {}   ({})\n", c.holds ? "✓" : "✗", c.name, c.words, c.signal);
    }
  }
  fmt::print("\nsignals\n");
  std::size_t wide = 0;
  for (const record::Signal& s : results.signals()) wide = std::max(wide, width(s.spec.path));
  for (const record::Signal& s : results.signals()) {
    fmt::print("  {:<{}}  {:>4}  {:<10}  {} rows, {}\n", s.spec.path, wide, s.spec.count,
               s.spec.unit, s.rows, s.rate);
  }
  return status::good;
}

/// Where a document would run, and how fast.
int show_placement(const InfoRequest& a) {
  constexpr std::chrono::milliseconds measuring(300);
  Diagnostics problems;
  const placement::Nodes nodes = placement::nodes_of(a.on, problems);
  const auto prepared = [&a](Diagnostics& found) {
    return session::prepare(a.what, {.set = a.set}, catalogue(), found, false);
  };
  session::Prepared p = prepared(problems);
  Diagnostics same;
  const placement::Cost cost =
      placement::measured_cost(prepared(same).plan, p.composition, measuring);
  placement::Placement where;
  try {
    where = placement::place(p.plan, p.composition, nodes, cost.by_part, problems);
  } catch (const ConfigurationError& e) {
    throw ConfigurationError(session::with_lines(e.diagnostics(), *p.composition.sources));
  }
  const placement::Forecast forecast =
      placement::forecast(p.plan, where, nodes, cost.by_part, std::thread::hardware_concurrency());
  const PlacedPlan placed{p.plan, nodes, cost, where, forecast};
  if (a.json) {
    print(placement_json(placed));
    return status::good;
  }
  if (!problems.list().empty())
    print_problems(session::with_lines(problems, *p.composition.sources));
  fmt::print("{}", placement_text(placed, a.all));
  return status::good;
}

int show_document(const InfoRequest& a) {
  if (!a.on.empty()) return show_placement(a);
  Diagnostics problems;
  const session::Prepared p =
      session::prepare(a.what, {.set = a.set}, catalogue(), problems, false);
  if (a.scene) {
    fmt::print("{}\n", scene::to_json(scene::scene_of(p.composition, p.plan, catalogue())));
  } else if (a.json) {
    print(composition_json(p, catalogue()));
  } else if (a.graph == "dot") {
    fmt::print("{}", composition_dot(p));
  } else if (a.graph == "text") {
    fmt::print("{}", composition_arrows(p));
  } else {
    if (!problems.list().empty()) print_problems(problems);
    fmt::print("{}", composition_text(p, catalogue(), a.all));
  }
  return status::good;
}

int show_info(const InfoRequest& a) {
  std::error_code none;
  const std::filesystem::path path = a.what;
  if (!a.on.empty() && !std::filesystem::is_regular_file(path, none)) {
    fmt::print(stderr, "vernier: --on needs a document, which \"{}\" is not\n", a.what);
    return status::bad_input;
  }
  if (a.what.empty()) return show_program(a.json);
  if (std::filesystem::is_directory(path, none) || path.extension() == ".h5")
    return show_run(path, a.json);
  if (std::filesystem::is_regular_file(path, none)) return show_document(a);
  if (const Type* type = catalogue().find(a.what)) {
    if (a.json) {
      print(type_json(*type));
    } else {
      fmt::print("{}", type_text(*type));
    }
    return status::good;
  }
  if (std::filesystem::is_directory("runs" / path, none)) return show_run("runs" / path, a.json);
  fmt::print(stderr, "vernier: \"{}\" is neither a document, a type nor a run\n", a.what);
  if (const auto near = closest(a.what, catalogue().names())) {
    fmt::print(stderr, "  did you mean: vernier info {}\n", *near);
  } else {
    fmt::print(stderr, "  vernier info   lists the types, vernier runs the runs\n");
  }
  return status::bad_input;
}

}  // namespace

Action declare_info(CLI::App& app) {
  auto asked = std::make_shared<InfoRequest>();
  app.add_option("what", asked->what, "a document, a type or a run; without it, this program")
      ->type_name("");
  app.add_option("--graph", asked->graph, "connections as a graph: dot for Graphviz, or text")
      ->type_name("FORMAT")
      ->expected(0, 1)
      ->default_str("dot")
      ->check(CLI::IsMember({"dot", "text"}).description(""));
  app.add_option("--set", asked->set, "a parameter: plant.mass=4.1kg; may be repeated")
      ->type_name("PATH=VALUE")
      ->expected(1)
      ->take_all();
  app.add_flag("--all", asked->all, "long lists of parameters, ports, states and modes in full");
  app.add_flag("--json", asked->json, "as one JSON object");
  app.add_flag("--scene", asked->scene, "what it looks like, as formats/scene has it");
  app.add_option(
         "--on", asked->on,
         "where it would run on these nodes, and how fast: local:4, host1,host2 or nodes.xml")
      ->type_name("NODES")
      ->excludes("--graph")
      ->excludes("--scene");
  return [asked](const Invocation&) { return show_info(*asked); };
}

}  // namespace vernier::app
