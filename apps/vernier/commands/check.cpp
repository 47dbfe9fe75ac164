#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "apps/vernier/catalogue.hpp"
#include "apps/vernier/command.hpp"
#include "apps/vernier/console.hpp"
#include "vernier/run/session/prepare.hpp"

namespace vernier::app {
namespace {

struct Asked {
  std::vector<std::string> documents;
  session::Changes changes;
  bool json = false;
};

/// The problems of a document; all that a run would find before it begins.
Diagnostics problems_of(const std::string& document, const session::Changes& changes,
                        std::string& praise) {
  Diagnostics problems;
  try {
    const session::Prepared p = session::prepare(document, changes, catalogue(), problems, false);
    const auto count = [](std::size_t n, const char* what) {
      return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s");
    };
    praise = fmt::format("{}: good; {}, {}", document,
                         count(p.composition.instances.size(), "component"),
                         count(p.composition.connections.size(), "connection"));
  } catch (const ConfigurationError& e) {
    return e.diagnostics();
  }
  return problems;
}

int check(const Asked& asked) {
  Diagnostics all;
  for (const std::string& document : asked.documents) {
    std::string praise;
    const Diagnostics problems = problems_of(document, asked.changes, praise);
    all.append(problems);
    if (asked.json) continue;
    if (!problems.list().empty()) print_problems(problems);
    if (!praise.empty()) fmt::print("{}\n", praise);
  }
  if (asked.json) fmt::print("{}", problems_json(all));
  return all.errors() > 0 ? status::bad_input : status::good;
}

}  // namespace

Action declare_check(CLI::App& app) {
  auto asked = std::make_shared<Asked>();
  app.add_option("document", asked->documents, "composition or model documents")
      ->required()
      ->type_name("");
  app.add_option("--set", asked->changes.set, "a parameter: plant.mass=4.1kg; may be repeated")
      ->type_name("PATH=VALUE")
      ->expected(1)
      ->take_all();
  app.add_flag("--json", asked->json, "problems as one JSON object");
  return [asked](const Invocation&) { return check(*asked); };
}

}  // namespace vernier::app
