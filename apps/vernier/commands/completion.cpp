#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "apps/vernier/command.hpp"
#include "apps/vernier/federation.hpp"
#include "vernier/base/text.hpp"
#include "vernier/kernel/frames/standard.hpp"

namespace vernier::app {
namespace {

std::vector<std::string> command_names() {
  std::vector<std::string> names;
  for (const Command& c : commands()) names.emplace_back(c.name);
  return names;
}

/// The words that may follow a command and its earlier words: "federate ask *" are those of the
/// second word after `ask`. `live`: words that the program lists at that moment.
struct Following {
  std::string_view before;
  std::string words;
  bool live = false;
};
std::vector<Following> followings() {
  std::vector<std::string> first, of_fom;
  for (const FederateAction& a : federate_actions()) {
    const std::size_t blank = a.name.find(' ');
    if (std::string word(a.name.substr(0, blank)); first.empty() || first.back() != word)
      first.push_back(std::move(word));
    if (blank != std::string_view::npos) of_fom.emplace_back(a.name.substr(blank + 1));
  }
  std::vector<std::string> frames;
  for (const auto& f : frames::standard_frames()) frames.emplace_back(f.name);
  std::vector<Following> all{
      {"federate", joined(first, " ")},          {"federate fom", joined(of_fom, " ")},
      {"federate ask *", "run freeze shutdown"}, {"frames", joined(frames, " ")},
      {"frames *", joined(frames, " ")},         {"time", "now"}};
  for (const char* action :
       {"federate watch", "federate ask", "federate resign", "federate record"})
    all.push_back({action, "$(vernier federate list 2>/dev/null)", true});
  return all;
}

std::string bash_script() {
  const std::string names = joined(command_names(), " ");
  std::string cases;
  for (const Command& c : commands()) {
    std::vector<std::string> options;
    for (const Taken& o : usage(c).options) options.push_back(o.names[0]);
    cases += fmt::format("    {}) options=\"{}\" ;;\n", c.name, joined(options, " "));
  }
  std::string following;
  for (const Following& f : followings()) {
    std::string pattern;  // blanks in a case need quotes, a star none
    for (const char ch : f.before) pattern += ch == ' ' ? std::string("\\ ") : std::string(1, ch);
    following += fmt::format("    {}) words=\"{}\" ;;\n", pattern, f.words);
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
  local before="${{COMP_WORDS[*]:1:COMP_CWORD-1}}" words=""
  case $before in
{2}  esac
  case $word in
    -*) COMPREPLY=($(compgen -W "$options" -- "$word")) ;;
    *)
      if [ -n "$words" ]; then
        COMPREPLY=($(compgen -W "$words" -- "$word"))
        return
      fi
      if [ "${{COMP_WORDS[1]}}" = help ]; then
        COMPREPLY=($(compgen -W "{0} all" -- "$word"))
      else
        COMPREPLY=($(compgen -f -- "$word"))
      fi ;;
  esac
}}
complete -o filenames -F _vernier vernier
)",
                     names, cases, following);
}

std::string shell_string(std::string_view text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

// escapes characters that are special for _arguments
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
    list += fmt::format("    {}\n", shell_string(fmt::format("{}:{}", c.name, c.summary)));
    cases += fmt::format("    {}) _arguments", c.name);
    for (const Taken& o : usage(c).options) {
      std::string spec = fmt::format("*{}[{}]", o.names[0], escaped(o.description));
      if (!o.value.empty()) spec += ":" + escaped(o.value) + ":_files";
      cases += " \\\n      " + shell_string(spec);
    }
    if (c.name == "help")
      cases += " \\\n      '1:command:(all " + joined(command_names(), " ") + ")' ;;\n";
    else if (c.name == "federate" || c.name == "frames" || c.name == "time")
      cases += " \\\n      '*::word:_vernier_words " + std::string(c.name) + "' ;;\n";
    else
      cases += " \\\n      '*:file:_files' ;;\n";
  }
  std::string following;
  for (const Following& f : followings())
    following += fmt::format("    {}) all=({}) ;;\n",
                             f.before.find('*') == std::string_view::npos
                                 ? shell_string(f.before)
                                 : shell_string(f.before.substr(0, f.before.size() - 1)) + "*",
                             f.words);
  return fmt::format(R"(#compdef vernier
# completes vernier's commands, options and files; put into ~/.zshrc, after compinit:
#   source <(vernier completion zsh)
_vernier_words() {{
  local -a all
  local before="$1${{words[1,CURRENT-1]:+ ${{words[1,CURRENT-1]}}}}"
  case $before in
{2}  esac
  if (( $#all )); then compadd -a all; else _files; fi
}}
_vernier() {{
  local -a names
  names=(
{0}  )
  if (( CURRENT == 2 )); then
    _describe command names
    return
  fi
  shift words
  (( CURRENT-- ))
  case $words[1] in
{1}  esac
}}
compdef _vernier vernier
)",
                     list, cases, following);
}

std::string fish_script() {
  std::string out =
      "# completes vernier's commands, options and files; put into ~/.config/fish/config.fish:\n"
      "#   vernier completion fish | source\n";
  for (const Command& c : commands()) {
    out += fmt::format("complete -c vernier -n __fish_use_subcommand -f -a {} -d {}\n", c.name,
                       shell_string(c.summary));
    for (const Taken& o : usage(c).options) {
      out += fmt::format("complete -c vernier -n '__fish_seen_subcommand_from {}'", c.name);
      for (const std::string& name : o.names) {
        out += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
      }
      out += fmt::format("{} -d {}\n", o.value.empty() ? "" : " -r", shell_string(o.description));
    }
  }
  for (const Following& f : followings()) {
    std::string test;
    std::size_t n = 1;
    for (const std::string_view w : split(f.before, ' ')) {
      ++n;
      if (w != "*") test += fmt::format("; and test \"$t[{}]\" = {}", n, w);
    }
    out += fmt::format(
        "complete -c vernier -n 'set -l t (commandline -opc); and test (count $t) -eq {}{}' -f -a "
        "{}\n",
        n, test, shell_string(f.live ? "(vernier federate list 2>/dev/null)" : f.words));
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
