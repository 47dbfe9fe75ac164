#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>

#include "apps/vernier/command.hpp"
#include "apps/vernier/console.hpp"
#include "apps/vernier/federation.hpp"
#include "apps/vernier/fom_text.hpp"
#include "vernier/base/text.hpp"
#include "vernier/gateway/fom/merge.hpp"
#include "vernier/gateway/fom/reader.hpp"
#include "vernier/gateway/fom/writer.hpp"

namespace vernier::app {
namespace {

/// One of several words; suggests the nearest for any other.
CLI::Validator known_word(const std::vector<std::string>& words) {
  return CLI::Validator(
      [words](const std::string& word) -> std::string {
        if (std::find(words.begin(), words.end(), word) != words.end()) return {};
        const auto near = closest(word, words);
        return fmt::format("there is no \"{}\"{}", word,
                           near ? "; did you mean " + *near + "?" : "; --help lists the actions");
      },
      "");
}

struct FomRequest {
  std::string action, mim, output, name = "Merged FOM";
  std::vector<std::string> modules;
  bool with_mim = false, all = false, json = false, strict = false;
};

/// The same problems, all of them errors.
Diagnostics as_errors(const Diagnostics& problems) {
  Diagnostics all;
  for (Diagnostic d : problems.list()) {
    d.severity = Severity::error;
    all.add(std::move(d));
  }
  return all;
}

/// A file, or the name of an embedded module; "spacefom" stands for all of those.
void add_module(const std::string& word, std::vector<fom::Module>& into, Diagnostics& problems) {
  std::error_code none;
  if (!std::filesystem::exists(word, none)) {
    std::vector<std::string> wanted{word};
    if (word == "spacefom") wanted = fom::spacefom_modules();
    for (const std::string& name : wanted) {
      if (const fom::Module* m = fom::built_in(name)) {
        into.push_back(*m);
      } else {
        std::vector<std::string> known = fom::spacefom_modules();
        known.emplace_back("spacefom");
        Diagnostic& d = problems.error("V1830", "there is no FOM module " + name, {});
        if (const auto near = closest(name, known))
          d.notes.push_back("did you mean " + *near + "?");
        d.notes.push_back("a file, or one that the program carries: " + joined(known, ", "));
      }
    }
    return;
  }
  if (auto m = fom::read_module(word, problems)) into.push_back(std::move(*m));
}

std::optional<fom::Fom> merged(const FomRequest& a, Diagnostics& problems) {
  std::vector<fom::Module> modules;
  for (const std::string& word : a.modules) add_module(word, modules, problems);
  std::optional<fom::Module> mim;
  if (!a.mim.empty()) mim = fom::read_module(a.mim, problems);
  if (problems.errors() > 0) return {};
  return fom::merge(modules, mim ? *mim : fom::standard_mim(), problems);
}

std::string praise(const fom::Fom& f) {
  const auto own = [](const auto& all, const char* one, const char* many) {
    const auto n =
        std::count_if(all.begin(), all.end(), [](const auto& e) { return e.module > 0; });
    return fmt::format("{} {}", n, n == 1 ? one : many);
  };
  std::vector<std::string> files;
  for (std::size_t i = 1; i < f.modules.size(); ++i) files.push_back(f.modules[i].file);
  return fmt::format("{}: good; {}, {}, {}\n", joined(files, ", "),
                     own(f.object_classes, "object class", "object classes"),
                     own(f.interaction_classes, "interaction class", "interaction classes"),
                     own(f.data_types, "data type", "data types"));
}

int work(const FomRequest& a) {
  Diagnostics problems;
  std::optional<fom::Fom> f = merged(a, problems);
  if (a.strict && !problems.list().empty()) {
    problems = as_errors(problems);
    f.reset();
  }
  if (a.action == "check" && a.json) {
    fmt::print("{}", problems_json(problems));
    return f ? status::good : status::bad_input;
  }
  if (!problems.list().empty()) print_problems(problems);
  if (!f) return status::bad_input;
  if (a.action == "check") {
    fmt::print("{}", praise(*f));
  } else if (a.action == "show") {
    fmt::print("{}", a.json ? fom_json(*f) : fom_text(*f, a.all));
  } else {
    const std::string text = fom::written(*f, a.name, a.with_mim);
    if (a.output.empty() || a.output == "-") {
      fmt::print("{}", text);
      return status::good;
    }
    std::ofstream out(a.output, std::ios::binary);
    out << text;
    out.close();
    if (!out) cannot_write(a.output);
    fmt::print("{}\n", a.output);
  }
  return status::good;
}

}  // namespace

Action declare_federate(CLI::App& app) {
  struct Request {
    std::string action;
    std::vector<std::string> words;
    FomRequest fom;
    FederationRequest federation;
  };
  auto asked = std::make_shared<Request>();
  std::vector<std::string> names;
  std::string actions = "Actions:\n";
  for (const FederateAction& a : federate_actions()) {
    names.emplace_back(a.name.substr(0, a.name.find(' ')));
    actions += fmt::format("  {:<44}{}\n", fmt::format("{} {}", a.name, a.words), a.about);
  }
  app.footer(actions);
  app.add_option("action", asked->action, "what to do, as listed below")
      ->required()
      ->check(known_word(names))
      ->type_name("");
  app.add_option("words", asked->words, "what the action is about")->type_name("");
  FederationRequest& f = asked->federation;
  app.add_option("--as", f.document, "create, join: a federate document, or a composition with one")
      ->type_name("DOCUMENT");
  app.add_flag("--dry-run", f.dry_run,
               "join: list modules, classes, frames, epoch, steps, lookahead and the pacing");
  app.add_option("--rti", f.rti, "where the RTI is, unless at tcp://127.0.0.1:14321")
      ->type_name("ADDRESS");
  app.add_option("--wait", f.wait,
                 "how long to wait for the RTI, and watch and record for the federation; join, "
                 "create, replay, watch, record: 5, others: 0")
      ->type_name("SECONDS")
      ->check(CLI::Range(0.0, 1e6).description(""));
  app.add_option("--until", f.until, "join, watch, record: how long to run, from the start")
      ->type_name("TIME");
  app.add_option("--set", f.set, "join: a parameter, an input or a setting; may be repeated")
      ->type_name("PATH=VALUE")
      ->expected(1)
      ->take_all();
  declare_permissions(app, f.permissions, true);
  app.add_option("--out", f.out, "join: where run folders are made (runs)")->type_name("DIR");
  app.add_option("--rate", f.rate, "replay: times real time (default: as fast as possible)")
      ->type_name("FACTOR")
      ->check(CLI::Range(1e-6, 1e6).description(""));
  app.add_option("--mim", asked->fom.mim, "fom: a MIM instead of the standard one")
      ->type_name("FILE");
  app.add_option("-o,--output", f.output, "fom merge: the document; record: the recording")
      ->type_name("FILE");
  app.add_option("--name", asked->fom.name, "fom merge: the name of the model")->type_name("NAME");
  app.add_flag("--with-mim", asked->fom.with_mim, "fom merge: with the parts of the MIM");
  app.add_flag("--strict", asked->fom.strict,
               "fom check: refuse what the standard forbids and the RTI only warns of");
  app.add_flag("--all", asked->fom.all, "fom show: with the parts of the MIM");
  app.add_flag("--json", asked->fom.json, "fom check, fom show, join: one JSON object");
  return [asked](const Invocation& i) {
    std::vector<std::string>& words = asked->words;
    if (asked->action == "fom") {
      FomRequest& m = asked->fom;
      const std::vector<std::string> known{"check", "merge", "show"};
      if (words.size() < 2 || std::find(known.begin(), known.end(), words[0]) == known.end())
        throw ConfigurationError(
            "V1838", "write vernier federate fom check, merge or show, and the modules");
      m.action = words[0];
      m.modules.assign(words.begin() + 1, words.end());
      m.output = asked->federation.output;
      return work(m);
    }
    FederationRequest& r = asked->federation;
    r.action = asked->action;
    r.json = asked->fom.json;
    if (words.size() > 2) throw ConfigurationError("V1838", "too many words: " + words[2]);
    if (!words.empty()) r.what = words[0];
    if (words.size() > 1) r.whom = words[1];
    return federation_work(r, i);
  };
}

}  // namespace vernier::app
