#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <ctime>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>

#include "apps/vernier/command.hpp"
#include "apps/vernier/console.hpp"
#include "apps/vernier/folder_watch.hpp"
#include "apps/vernier/interrupt.hpp"
#include "apps/vernier/permissions.hpp"
#include "vernier/base/text.hpp"
#include "vernier/run/session/coupling.hpp"
#include "vernier/run/session/prepare.hpp"

namespace vernier::app {
namespace {

using Folders = std::set<std::filesystem::path>;

struct CheckRequest {
  std::vector<std::string> documents;
  session::Changes changes;
  bool json = false;
  bool watch = false;
  bool coupling = false;
  double tolerance = 1e-3;
  std::string until;
  Permissions permissions;  // with --coupling
};

void add_folder(Folders& folders, const std::filesystem::path& file) {
  folders.insert(file.has_parent_path() ? file.parent_path() : ".");
}

/// The problems of a document: all that a run would find before it begins. Adds the directories of
/// the documents read.
Diagnostics problems_of(const std::string& document, const session::Changes& changes,
                        std::string& praise, Folders& folders) {
  Diagnostics problems;
  try {
    const session::Prepared p = session::prepare(document, changes, catalogue(), problems, false);
    const auto counted = [](std::size_t n, const char* what) {
      return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s");
    };
    praise = fmt::format("{}: good; {}, {}", document,
                         counted(p.composition.instances.size(), "component"),
                         counted(p.composition.connections.size(), "connection"));
    for (const auto& file : p.composition.documents) add_folder(folders, file);
  } catch (const ConfigurationError& e) {
    return e.diagnostics();
  }
  return problems;
}

int check(const CheckRequest& asked, Folders& folders) {
  Diagnostics all;
  for (const std::string& document : asked.documents) {
    std::string praise;
    const Diagnostics problems = problems_of(document, asked.changes, praise, folders);
    all.append(problems);
    if (asked.json) continue;
    if (!problems.list().empty()) print_problems(problems);
    if (!praise.empty()) fmt::print("{}\n", praise);
  }
  if (asked.json) fmt::print("{}", problems_json(all));
  for (const Diagnostic& d : all.list()) {
    if (!d.place.file.empty()) add_folder(folders, d.place.file);
  }
  return all.errors() > 0 ? status::bad_input : status::good;
}

void show(const session::Coupling& c, const std::string& document) {
  fmt::print("{}: run to {} s at a step of {} s and at half of it\n\n", document,
             exact(seconds(c.stop)), exact(seconds(c.step)));
  std::size_t wide = 6;
  for (const session::CoupledSignal& s : c.signals) wide = std::max(wide, width(s.signal));
  fmt::print("    {:<{}}  {:>12}  {:>12}  {:>12}  {:>12}  step for {}\n", "signal", wide, "largest",
             "difference", "at", "error", exact(c.tolerance));
  for (const session::CoupledSignal& s : c.signals) {
    const bool good = !s.real || s.error <= c.tolerance;
    fmt::print("  {} {:<{}}  {:>12.4g}  {:>12.4g}  {:>10.3f} s", good ? "✓" : "✗", s.signal, wide,
               s.largest, s.difference, s.at);
    if (s.real) fmt::print("  {:>12.2g}", s.error);
    if (!good) fmt::print("  {:.2g} s", s.step);
    fmt::print("\n");
  }
  if (c.within())
    fmt::print("\na step of {} s is short enough: errors of the coupling are below {}\n",
               exact(seconds(c.step)), exact(c.tolerance));
  else if (const auto far = [](const session::CoupledSignal& s) { return s.real && s.error > 0.1; };
           std::any_of(c.signals.begin(), c.signals.end(), far))
    fmt::print(
        "\na step of about {} s may bring the errors of the coupling below {}; measure again "
        "with\nthat step: the estimate is rough when errors are large\n",
        exact(seconds(c.advised())), exact(c.tolerance));
  else
    fmt::print("\na step of {} s would bring the errors of the coupling below {} (estimated)\n",
               exact(seconds(c.advised())), exact(c.tolerance));
}

nlohmann::ordered_json as_json(const session::Coupling& c) {
  nlohmann::ordered_json j{{"within", c.within()},
                           {"step_s", seconds(c.step)},
                           {"tolerance", c.tolerance},
                           {"advised_step_s", seconds(c.advised())},
                           {"signals", nlohmann::ordered_json::array()}};
  for (const session::CoupledSignal& s : c.signals)
    j["signals"].push_back({{"signal", s.signal},
                            {"unit", s.unit},
                            {"largest", s.largest},
                            {"difference", s.difference},
                            {"at_s", s.at},
                            {"error", s.real ? nlohmann::ordered_json(s.error) : nullptr}});
  return j;
}

/// Runs each document at its step and at half of it, and shows the differences.
int check_coupling(const CheckRequest& asked) {
  session::Changes changes = asked.changes;
  if (!asked.until.empty()) changes.until = time_in("--until", asked.until);
  int worst = status::good;
  const Catalogue types = running_catalogue(asked.permissions);
  for (const std::string& document : asked.documents) {
    Diagnostics problems;
    const session::Coupling c =
        session::coupling(document, changes, types, asked.tolerance, problems);
    if (asked.json) {
      fmt::print("{}\n", as_json(c).dump(2));
    } else {
      if (!problems.list().empty()) print_problems(problems);
      show(c, document);
    }
    if (!c.within()) worst = status::broken_check;
  }
  return worst;
}

/// Checks again whenever a file near those that were read changes. Returns the status of the last
/// check.
int watch(const CheckRequest& asked) {
  using namespace std::chrono_literals;
  Folders folders;
  for (const std::string& document : asked.documents) add_folder(folders, document);
  FolderWatch files;
  const Interruptible guard([](void*) noexcept {}, nullptr);
  int last = status::good;
  files.changed(folders);
  for (bool due = true; !Interruptible::interrupted(); due = files.changed(folders)) {
    if (!due) {
      std::this_thread::sleep_for(200ms);
      continue;
    }
    // an editor may write a file in several steps; but a log file there may change all the time
    for (int k = 0; k < 10 && files.changed(folders); ++k) std::this_thread::sleep_for(50ms);
    const std::size_t known = folders.size();
    last = check(asked, folders);
    if (folders.size() > known) files.changed(folders);
    if (!asked.json) {
      const std::time_t now = std::time(nullptr);
      std::tm clock{};
      localtime_r(&now, &clock);
      fmt::print("checked at {:02}:{:02}:{:02}; waits for changes, Ctrl-C ends\n\n", clock.tm_hour,
                 clock.tm_min, clock.tm_sec);
    }
    std::fflush(stdout);
  }
  return last;
}

}  // namespace

Action declare_check(CLI::App& app) {
  auto asked = std::make_shared<CheckRequest>();
  app.add_option("document", asked->documents, "composition or model documents")
      ->required()
      ->type_name("");
  app.add_option("--set", asked->changes.set, "a parameter: plant.mass=4.1kg; may be repeated")
      ->type_name("PATH=VALUE")
      ->expected(1)
      ->take_all();
  app.add_flag("--json", asked->json, "problems as one JSON object");
  app.add_flag("--watch", asked->watch, "check again whenever one of the files is saved");
  app.add_flag("--coupling", asked->coupling,
               "run at the step and at half of it, and show what that changes");
  app.add_option("--tolerance", asked->tolerance,
                 "with --coupling: the error that is allowed, as a share of the largest value")
      ->type_name("NUMBER")
      ->check(CLI::Validator(CLI::PositiveNumber).description(""))
      ->capture_default_str();
  app.add_option("--until", asked->until, "with --coupling: run to this time")->type_name("TIME");
  declare_permissions(app, asked->permissions, true);
  return [asked](const Invocation&) {
    Folders folders;
    if (asked->coupling) return check_coupling(*asked);
    return asked->watch ? watch(*asked) : check(*asked, folders);
  };
}

}  // namespace vernier::app
