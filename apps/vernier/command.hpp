#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "vernier/base/time.hpp"

namespace CLI {
class App;
}

namespace vernier::app {

/// The exit statuses of the program.
namespace status {
inline constexpr int good = 0;
inline constexpr int failed = 1;        // the run failed
inline constexpr int bad_input = 2;     // nothing was run
inline constexpr int broken_check = 3;  // finished, a check or limit failed
inline constexpr int late = 4;          // the real-time contract was broken
inline constexpr int peer_lost = 5;
inline constexpr int interrupted = 130;
}  // namespace status

/// The words after the command, as typed, for the manifest.
struct Invocation {
  std::vector<std::string> words;
};

using Action = std::function<int(const Invocation&)>;

/// What an example needs before it, in an empty folder.
enum class Before {
  nothing,
  copy,      // aausat2/aausat2.xml
  run,       // and runs/latest, which is over
  live_run,  // and runs/latest, which goes on
};

/// One command of the program.
struct Command {
  std::string_view name;
  std::string_view summary;  // one line, for lists
  Before before;
  std::string_view example;  // works after `before`; one line or several
  bool newcomer;             // among the six that `vernier` alone prints
  /// Declares the options and returns what to do after parsing.
  Action (*declare)(CLI::App&);
};

/// The time in an option: "300s", "5min". Throws ConfigurationError (V2005).
Duration time_in(const char* option, const std::string& text);

/// All commands, in the order in which users need them.
std::span<const Command> commands();
const Command* find_command(std::string_view name);

Action declare_check(CLI::App&);
Action declare_checkpoint(CLI::App&);
Action declare_compare(CLI::App&);
Action declare_completion(CLI::App&);
Action declare_demo(CLI::App&);
Action declare_desktop(CLI::App&);
Action declare_doctor(CLI::App&);
Action declare_dtd(CLI::App&);
Action declare_examples(CLI::App&);
Action declare_explain(CLI::App&);
Action declare_export(CLI::App&);
Action declare_federate(CLI::App&);
Action declare_frames(CLI::App&);
Action declare_freeze(CLI::App&);
Action declare_help(CLI::App&);
Action declare_import(CLI::App&);
Action declare_info(CLI::App&);
Action declare_rate(CLI::App&);
Action declare_rewind(CLI::App&);
Action declare_send(CLI::App&);
Action declare_set(CLI::App&);
Action declare_step(CLI::App&);
Action declare_watch(CLI::App&);
Action declare_linearize(CLI::App&);
Action declare_link(CLI::App&);
Action declare_mark(CLI::App&);
Action declare_modes(CLI::App&);
Action declare_move(CLI::App&);
Action declare_new(CLI::App&);
Action declare_nodes(CLI::App&);
Action declare_plot(CLI::App&);
Action declare_registry(CLI::App&);
Action declare_report(CLI::App&);
Action declare_resume(CLI::App&);
Action declare_rti(CLI::App&);
Action declare_run(CLI::App&);
Action declare_runs(CLI::App&);
Action declare_serve(CLI::App&);
Action declare_server(CLI::App&);
Action declare_status(CLI::App&);
Action declare_stop(CLI::App&);
Action declare_time(CLI::App&);
Action declare_trust(CLI::App&);
Action declare_version(CLI::App&);

/// An option or positional argument of a command.
struct Taken {
  std::vector<std::string> names;  // "--quiet", "-q"; positional: its name
  std::string value;               // the option's argument: "FILE"; empty for a flag
  std::string description;
};
/// The arguments of a command, in the order of its help.
struct Usage {
  std::vector<Taken> options, words;
  /// The possible first words, with what follows each as `value`.
  std::vector<Taken> actions;
};
Usage usage(const Command&);

/// Lines of the shell that work as they stand in an empty folder; the help begins with them. One
/// that ends with & runs on while the next ones do.
std::vector<std::string> example_lines(const Command&);

/// What a command does, as a sentence: "Run a document, or repeat a run."
std::string as_sentence(const Command&);

/// The manual page, for man(1).
std::string manual_page();

/// The six commands a newcomer needs; with `all`, every one.
std::string overview(bool all);
/// The text of `vernier COMMAND --help`.
std::string help_text(const Command&);

/// Runs the program on its arguments, without the program's own name. Never throws.
int run_program(const std::vector<std::string>& arguments);

}  // namespace vernier::app
