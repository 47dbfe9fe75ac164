#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "apps/vernier/command.hpp"
#include "apps/vernier/library.hpp"
#include "vernier/base/text.hpp"

namespace vernier::app {
namespace {

struct ExamplesRequest {
  std::vector<std::string> words;  // none, or: copy NAME [FOLDER]
  bool json = false;
};

int list_examples(bool json) {
  const std::vector<Example> all = examples();
  if (json) {
    nlohmann::ordered_json out = nlohmann::ordered_json::array();
    for (const Example& e : all)
      out.push_back({{"name", e.name}, {"summary", e.summary}, {"document", e.main}});
    fmt::print("{}\n", out.dump(2));
    return status::good;
  }
  std::size_t wide = 8;
  for (const Example& e : all) wide = std::max(wide, e.name.size());
  for (const Example& e : all) fmt::print("  {:<{}}  {}\n", e.name, wide, e.summary);
  if (!all.empty())
    fmt::print("\nvernier examples copy {}   puts it into this folder, to run and to change\n",
               all[0].name);
  return status::good;
}

int copy(const std::string& name, std::string folder) {
  const std::vector<Example> all = examples();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const Example& e) { return e.name == name; });
  if (found == all.end()) {
    std::vector<std::string> names;
    for (const Example& e : all) names.push_back(e.name);
    const auto near = closest(name, names);
    fmt::print(
        stderr, "vernier: there is no example \"{}\"\n  {}\n", name,
        near ? "did you mean: vernier examples copy " + *near : "examples: " + joined(names, ", "));
    return status::bad_input;
  }
  if (folder.empty()) folder = name;
  copy_example(*found, folder);
  fmt::print("copied to {0}/\n\n  next      {1}{0}/{2}\n", folder,
             found->runs() ? "vernier run " : "read ", found->main);
  return status::good;
}

}  // namespace

Action declare_examples(CLI::App& app) {
  auto asked = std::make_shared<ExamplesRequest>();
  app.add_option("copy", asked->words, "copy NAME [FOLDER]: writes an example into a folder")
      ->type_name("");
  app.add_flag("--json", asked->json, "the list as JSON");
  return [asked](const Invocation&) -> int {
    const std::vector<std::string>& w = asked->words;
    if (w.empty()) return list_examples(asked->json);
    if (w[0] == "list" && w.size() == 1) return list_examples(asked->json);
    if (w[0] == "copy" && (w.size() == 2 || w.size() == 3))
      return copy(w[1], w.size() == 3 ? w[2] : "");
    fmt::print(stderr, "vernier: examples takes nothing, or: copy NAME [FOLDER]\n");
    return status::bad_input;
  };
}

}  // namespace vernier::app
