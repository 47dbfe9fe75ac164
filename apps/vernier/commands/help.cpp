#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "apps/vernier/command.hpp"
#include "vernier/base/text.hpp"

namespace vernier::app {

Action declare_help(CLI::App& app) {
  auto word = std::make_shared<std::string>();
  auto manual = std::make_shared<bool>(false);
  app.add_option("command", *word, "a command, or all")->type_name("");
  app.add_flag("--man", *manual, "everything, as the manual page is written");
  return [word, manual](const Invocation&) -> int {
    if (*manual) {
      fmt::print("{}", manual_page());
      return status::good;
    }
    if (word->empty() || *word == "all") {
      fmt::print("{}", overview(*word == "all"));
      return status::good;
    }
    if (const Command* c = find_command(*word)) {
      fmt::print("{}", help_text(*c));
      return status::good;
    }
    std::vector<std::string> names;
    for (const Command& c : commands()) names.emplace_back(c.name);
    const auto near = closest(*word, names);
    fmt::print(stderr, "vernier: there is no command \"{}\"\n  {}\n", *word,
               near ? fmt::format("did you mean: vernier help {}", *near)
                    : "vernier help all   lists the commands");
    return status::bad_input;
  };
}

}  // namespace vernier::app
