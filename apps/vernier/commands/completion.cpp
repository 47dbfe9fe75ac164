#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "apps/vernier/command.hpp"
#include "vernier/base/text.hpp"

namespace vernier::app {
namespace {

std::vector<std::string> command_names() {
  std::vector<std::string> names;
  for (const Command& c : commands()) names.emplace_back(c.name);
  return names;
}

std::string bash_script() {
  const std::string names = joined(command_names(), " ");
  std::string cases;
  for (const Command& c : commands()) {
    std::vector<std::string> options;
    for (const Taken& o : usage(c).options) options.push_back(o.names[0]);
    cases += fmt::format("    {}) options=\"{}\" ;;\n", c.name, joined(options, " "));
  }
  return fmt::format(R"(# completes vernier's commands, options and files; put into ~/.bashrc:
#   source <(vernier completion bash)
_vernier() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} options=""
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "{0} --help --version" -- "$word"))
    return
  fi
  case ${{COMP_WORDS[1]}} in
{1}  esac
  case $word in
    -*) COMPREPLY=($(compgen -W "$options" -- "$word")) ;;
    *)
      if [ "${{COMP_WORDS[1]}}" = help ]; then
        COMPREPLY=($(compgen -W "{0} all" -- "$word"))
      else
        COMPREPLY=($(compgen -f -- "$word"))
      fi ;;
  esac
}}
complete -o filenames -F _vernier vernier
)",
                     names, cases);
}

std::string in_quotes(std::string_view text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

// for _arguments, which gives these characters a meaning
std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (std::string_view("[]:\\").find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

std::string zsh_script() {
  std::string list, cases;
  for (const Command& c : commands()) {
    list += fmt::format("    {}\n", in_quotes(fmt::format("{}:{}", c.name, c.summary)));
    cases += fmt::format("    {}) _arguments", c.name);
    for (const Taken& o : usage(c).options) {
      std::string spec = fmt::format("*{}[{}]", o.names[0], escaped(o.description));
      if (!o.value.empty()) spec += ":" + escaped(o.value) + ":_files";
      cases += " \\\n      " + in_quotes(spec);
    }
    cases += c.name == "help"
                 ? " \\\n      '1:command:(all " + joined(command_names(), " ") + ")' ;;\n"
                 : std::string(" \\\n      '*:file:_files' ;;\n");
  }
  return fmt::format(R"(#compdef vernier
# completes vernier's commands, options and files; put into ~/.zshrc, after compinit:
#   source <(vernier completion zsh)
_vernier() {{
  local -a names
  names=(
{}  )
  if (( CURRENT == 2 )); then
    _describe command names
    return
  fi
  shift words
  (( CURRENT-- ))
  case $words[1] in
{}  esac
}}
compdef _vernier vernier
)",
                     list, cases);
}

std::string fish_script() {
  std::string out =
      "# completes vernier's commands, options and files; put into ~/.config/fish/config.fish:\n"
      "#   vernier completion fish | source\n";
  for (const Command& c : commands()) {
    out += fmt::format("complete -c vernier -n __fish_use_subcommand -f -a {} -d {}\n", c.name,
                       in_quotes(c.summary));
    for (const Taken& o : usage(c).options) {
      out += fmt::format("complete -c vernier -n '__fish_seen_subcommand_from {}'", c.name);
      for (const std::string& name : o.names) {
        out += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
      }
      out += fmt::format("{} -d {}\n", o.value.empty() ? "" : " -r", in_quotes(o.description));
    }
  }
  return out +
         fmt::format("complete -c vernier -n '__fish_seen_subcommand_from help' -f -a 'all {}'\n",
                     joined(command_names(), " "));
}

}  // namespace

Action declare_completion(CLI::App& app) {
  auto shell = std::make_shared<std::string>("bash");
  app.add_option("shell", *shell, "bash, zsh or fish")
      ->check(CLI::IsMember({"bash", "zsh", "fish"}).description(""))
      ->type_name("");
  return [shell](const Invocation&) {
    fmt::print("{}", *shell == "zsh"    ? zsh_script()
                     : *shell == "fish" ? fish_script()
                                        : bash_script());
    return status::good;
  };
}

}  // namespace vernier::app
