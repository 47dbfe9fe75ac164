#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <fstream>
#include <memory>

#include "apps/vernier/command.hpp"
#include "apps/vernier/console.hpp"
#include "vernier/base/diagnostic.hpp"
#include "vernier/model/multibody_loops/deck.hpp"
#include "vernier/model/multibody_loops/reader.hpp"
#include "vernier/model/multibody_tree/reader.hpp"
#include "vernier/model/multibody_tree/urdf.hpp"

namespace vernier::app {
namespace {

struct ImportRequest {
  std::string file, base = "fixed", steps = "value", output;
};

/// MBDyn decks have their own extensions, or do not begin like XML.
bool is_deck(const std::filesystem::path& file) {
  const std::string extension = file.extension().string();
  if (extension == ".mbd" || extension == ".mbdyn") return true;
  if (extension == ".urdf" || extension == ".xml") return false;
  std::ifstream in(file);
  char first = '<';
  return static_cast<bool>(in >> first) && first != '<';
}

int import(const ImportRequest& a) {
  Diagnostics problems;
  const std::string name = a.output.empty() || a.output == "-" ? "(document)" : a.output;
  const bool deck = is_deck(a.file);
  const auto document =
      deck ? multibody_loops::import_deck(a.file, problems,
                                          a.steps == "increment"
                                              ? multibody_loops::DeckSteps::increment
                                              : multibody_loops::DeckSteps::value)
           : multibody_tree::import_urdf(a.file,
                                         {.free_base = a.base == "free",
                                          .beside = std::filesystem::absolute(name).parent_path()},
                                         problems);
  problems.throw_if_errors();
  // report problems of the model itself now, at the lines of the document
  if (deck) {
    multibody_loops::parse_source(*document, name, problems);
  } else {
    multibody_tree::parse_source(*document, name, problems);
  }
  if (!problems.list().empty()) print_problems(problems);
  if (a.output.empty() || a.output == "-") {
    fmt::print("{}", *document);
    return status::good;
  }
  std::ofstream out(a.output, std::ios::binary);
  out << *document;
  out.close();
  if (!out) cannot_write(a.output);
  fmt::print("{}\n", a.output);
  return status::good;
}

}  // namespace

Action declare_import(CLI::App& app) {
  auto asked = std::make_shared<ImportRequest>();
  app.add_option("model", asked->file, "a robot description (URDF) or an MBDyn input deck")
      ->required()
      ->type_name("");
  app.add_option("--base", asked->base, "URDF: the root link is fixed to the ground, or flies free")
      ->type_name("HOW")
      ->check(CLI::IsMember({"fixed", "free"}).description(""));
  app.add_option("--steps", asked->steps,
                 "MBDyn: the second number of a step is the value after it (up to release 1.7.3), "
                 "or an increment (newer)")
      ->type_name("HOW")
      ->check(CLI::IsMember({"value", "increment"}).description(""));
  app.add_option("-o,--output", asked->output, "the document (default: standard output)")
      ->type_name("FILE");
  return [asked](const Invocation&) { return import(*asked); };
}

}  // namespace vernier::app
