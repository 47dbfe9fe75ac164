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

struct NewRequest {
  std::string name, folder;
  bool json = false;
};

int list_templates(bool json) {
  const std::vector<Example> all = templates();
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
  fmt::print("\nvernier new {} DIR   starts a project in the folder DIR\n", all[0].name);
  return status::good;
}

int start(const std::string& name, std::string folder) {
  const std::vector<Example> all = templates();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const Example& e) { return e.name == name; });
  if (found == all.end()) {
    std::vector<std::string> names;
    for (const Example& e : all) names.push_back(e.name);
    const auto near = closest(name, names);
    fmt::print(stderr, "vernier: there is no template \"{}\"\n  {}\n", name,
               near ? "did you mean: vernier new " + *near : "templates: " + joined(names, ", "));
    return status::bad_input;
  }
  if (folder.empty()) folder = name;
  copy_example(*found, folder);
  fmt::print("wrote {0}/\n\n  next      vernier run {0}/{1}\n            {0}/test.sh\n", folder,
             found->main);
  return status::good;
}

}  // namespace

Action declare_new(CLI::App& app) {
  auto asked = std::make_shared<NewRequest>();
  app.add_option("template", asked->name, "what to start from; without it, a list of all")
      ->type_name("");
  app.add_option("folder", asked->folder, "where; without it, a folder named as the template")
      ->type_name("");
  app.add_flag("--json", asked->json, "the list as JSON");
  return [asked](const Invocation&) -> int {
    return asked->name.empty() ? list_templates(asked->json) : start(asked->name, asked->folder);
  };
}

}  // namespace vernier::app
