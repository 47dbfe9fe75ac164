#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "apps/vernier/command.hpp"
#include "vernier/base/text.hpp"

namespace vernier::app {
namespace {

std::string bash_script() {
  std::vector<std::string> names;
  std::string cases;
  for (const Command& c : commands()) {
    names.emplace_back(c.name);
    CLI::App parser;
    c.declare(parser);
    std::vector<std::string> options{"--help", "--color"};
    for (const CLI::Option* o : parser.get_options()) {
      for (const std::string& name : o->get_lnames()) {
        if (name != "help") options.push_back("--" + name);
      }
    }
    cases += fmt::format("    {}) options=\"{}\" ;;\n", c.name, joined(options, " "));
  }
  return fmt::format(R"(# completes vernier's commands, options and files; put into ~/.bashrc:
#   source <(vernier completion bash)
_vernier() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} options=""
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "{} --help --version" -- "$word"))
    return
  fi
  case ${{COMP_WORDS[1]}} in
{}  esac
  case $word in
    -*) COMPREPLY=($(compgen -W "$options" -- "$word")) ;;
    *)
      if [ "${{COMP_WORDS[1]}}" = help ]; then
        COMPREPLY=($(compgen -W "{} all" -- "$word"))
      else
        COMPREPLY=($(compgen -f -- "$word"))
      fi ;;
  esac
}}
complete -o filenames -F _vernier vernier
)",
                     joined(names, " "), cases, joined(names, " "));
}

}  // namespace

Action declare_completion(CLI::App& app) {
  auto shell = std::make_shared<std::string>("bash");
  app.add_option("shell", *shell, "bash")
      ->check(CLI::IsMember({"bash"}).description(""))
      ->type_name("");
  return [shell](const Invocation&) {
    fmt::print("{}", bash_script());
    return status::good;
  };
}

}  // namespace vernier::app
