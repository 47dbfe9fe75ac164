#include "apps/vernier/command.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>

#include "apps/vernier/console.hpp"
#include "apps/vernier/federation.hpp"
#include "apps/vernier/servers.hpp"
#include "vernier/base/diagnostic.hpp"
#include "vernier/base/text.hpp"
#include "vernier/run/composition/composition.hpp"

namespace vernier::app {
namespace {

constexpr std::array all_commands{
    Command{"demo", "run the main scenario and show its result", Before::nothing, "vernier demo",
            true, declare_demo},
    Command{"new", "start a project from a template", Before::nothing,
            "vernier new cubesat sat\n"
            "vernier run sat/mission.xml",
            true, declare_new},
    Command{"run", "run a document, or repeat a run", Before::copy,
            "vernier run aausat2/aausat2.xml --until 60s", true, declare_run},
    Command{"check", "find all problems of a document; nothing is run", Before::copy,
            "vernier check aausat2/aausat2.xml", true, declare_check},
    Command{"plot", "draw signals of runs", Before::run,
            "vernier plot runs/latest 'body.omega*' -o rates.svg", true, declare_plot},
    Command{"help", "more about a command", Before::nothing, "vernier help run", true,
            declare_help},
    Command{"desktop", "see, run and compare documents and runs in a browser", Before::run,
            "vernier desktop runs/latest --no-browser > address.txt &\n"
            "grep http address.txt",
            false, declare_desktop},
    Command{"examples", "list examples, or copy one to change it", Before::nothing,
            "vernier examples\n"
            "vernier examples copy aausat2",
            false, declare_examples},
    Command{"info", "ports, states, modes, units and parameters of a document, type or run",
            Before::copy, "vernier info aausat2/aausat2.xml", false, declare_info},
    Command{"runs", "list runs; tidy them", Before::run, "vernier runs", false, declare_runs},
    Command{"status", "show the progress of a run in another terminal", Before::live_run,
            "vernier status", false, declare_status},
    Command{"freeze", "freeze a run in another terminal", Before::live_run, "vernier freeze", false,
            declare_freeze},
    Command{"resume", "continue a frozen run", Before::live_run,
            "vernier freeze\n"
            "vernier resume",
            false, declare_resume},
    Command{"stop", "end a run in another terminal after its current step", Before::live_run,
            "vernier stop", false, declare_stop},
    Command{"watch", "show values of a run in another terminal as they change", Before::live_run,
            "vernier watch body.omega_norm --count 3", false, declare_watch},
    Command{"set", "override the value of a port in a run in another terminal", Before::nothing,
            "vernier examples copy cassini\n"
            "vernier run cassini/cassini.xml --rate 1 --quiet &\n"
            "vernier set 'ext.disturbance=0 0 2'\n"
            "vernier set --release ext.disturbance\n"
            "vernier stop",
            false, declare_set},
    Command{"send", "send an event to a run in another terminal", Before::live_run,
            "vernier send supervisor.telecommand", false, declare_send},
    Command{"step", "advance a frozen run in another terminal by some ticks", Before::live_run,
            "vernier freeze\n"
            "vernier step 10",
            false, declare_step},
    Command{"rate", "change how fast a run in another terminal follows the clock", Before::live_run,
            "vernier rate 10", false, declare_rate},
    Command{"checkpoint", "save the state of a run in another terminal", Before::live_run,
            "vernier checkpoint", false, declare_checkpoint},
    Command{"mark", "write a remark into the events of a run in another terminal", Before::live_run,
            "vernier mark 'the cable is pulled'", false, declare_mark},
    Command{"rewind", "restart a run in another terminal from an earlier time", Before::live_run,
            "vernier rewind 0s", false, declare_rewind},
    Command{"doctor", "check whether this machine is fit for real time, and what to change",
            Before::nothing, "vernier doctor --seconds 2", false, declare_doctor},
    Command{"export", "write signals of a run as csv, json or mcap", Before::run,
            "vernier export runs/latest -o signals.csv", false, declare_export},
    Command{"report", "runs as one HTML file that shows them without a server", Before::run,
            "vernier report runs/latest -o report.html", false, declare_report},
    Command{"compare", "how far two runs differ", Before::run,
            "vernier run runs/latest\n"
            "vernier compare runs/aausat2-0001 runs/aausat2-0002",
            false, declare_compare},
    Command{"import", "a robot description (URDF) or an MBDyn deck as a document", Before::nothing,
            "vernier examples copy multibody\n"
            "vernier import multibody/arm.urdf -o arm.xml",
            false, declare_import},
    Command{"modes", "frequencies and damping of small motions about an instant", Before::nothing,
            "vernier examples copy oscillator\n"
            "vernier modes oscillator/oscillator.xml",
            false, declare_modes},
    Command{"linearize", "matrices of small motions about an instant: A, B, C, D", Before::nothing,
            "vernier examples copy oscillator\n"
            "vernier linearize oscillator/oscillator.xml",
            false, declare_linearize},
    Command{"explain", "the long text of a message", Before::nothing, "vernier explain V2007",
            false, declare_explain},
    Command{"serve", "host a model for another simulator, line by line over TCP", Before::nothing,
            "vernier examples copy oscillator\n"
            "vernier serve oscillator/mass.xml --listen 127.0.0.1:4711 --connector mass.xml &\n"
            "vernier run mass.xml --until 1s",
            false, declare_serve},
    Command{"link", "test a link to an external simulator or a facility: delays, clocks, losses",
            Before::nothing, "vernier link test --seconds 2", false, declare_link},
    Command{"federate",
            "federations of simulators (HLA, SpaceFOM): join, watch, record; their object models",
            Before::nothing, "vernier federate fom show spacefom", false, declare_federate},
    Command{"rti", "run the run-time infrastructure (RTI) for HLA federations", Before::nothing,
            "vernier rti --listen 127.0.0.1:14321 &\n"
            "vernier federate list --rti 127.0.0.1:14321",
            false, declare_rti},
    Command{"server", "host parts of runs of other computers", Before::nothing,
            "vernier server --listen 127.0.0.1:14870 --folder here &\n"
            "vernier nodes --on 127.0.0.1:14870",
            false, declare_server},
    Command{"move", "move a part of a run in another terminal to another node", Before::nothing,
            "vernier examples copy formation\n"
            "vernier run formation/formation.xml --rate 1 --on local:4 --quiet &\n"
            "vernier move b.craft node1",
            false, declare_move},
    Command{"nodes", "servers on other computers: who answers, load, round trip, clock",
            Before::nothing,
            "vernier server --listen 127.0.0.1:14870 --folder here &\n"
            "vernier nodes --on 127.0.0.1:14870",
            false, declare_nodes},
    Command{"registry", "runs that a registry (etcd) knows: who leads them, nodes, checkpoint",
            Before::nothing,
            "etcd --data-dir kept --listen-client-urls http://127.0.0.1:12379 "
            "--advertise-client-urls http://127.0.0.1:12379 --listen-peer-urls "
            "http://127.0.0.2:0 &\n"
            "vernier registry etcd://127.0.0.1:12379",
            false, declare_registry},
    Command{"trust", "let documents load a plug-in or other native code", Before::nothing,
            "vernier trust --list", false, declare_trust},
    Command{"time", "an instant in every time scale, and counted from every epoch", Before::nothing,
            "vernier time 2026-06-01T12:00Z", false, declare_time},
    Command{"frames", "standard reference frames: their tree, and one as seen from another",
            Before::nothing, "vernier frames MoonCentricFixed EarthFixed --at 2026-06-01", false,
            declare_frames},
    Command{"dtd", "write the grammars (DTDs) of all documents, for other XML tools",
            Before::nothing, "vernier dtd dtds", false, declare_dtd},
    Command{"completion", "a script that completes commands and options in the shell",
            Before::nothing, "vernier completion bash", false, declare_completion},
    Command{"version", "the program's version and what it was built with", Before::nothing,
            "vernier version", false, declare_version},
};

/// The help of a command before its options.
std::string introduction(const Command& c) {
  return fmt::format("  {}\n\n{}", joined(example_lines(c), "\n  "), as_sentence(c));
}

std::unique_ptr<CLI::App> make_parser(const Command& c, Action& action) {
  auto parser = std::make_unique<CLI::App>(introduction(c), fmt::format("vernier {}", c.name));
  parser->allow_extras();
  parser->set_help_flag("-h,--help", "this text");
  parser->get_formatter()->column_width(28);
  parser->option_defaults()->always_capture_default(false);
  action = c.declare(*parser);
  parser->add_option_function<std::string>("--color", set_color, "colours: auto, always or never")
      ->check(CLI::IsMember({"auto", "always", "never"}).description(""))
      ->type_name("WHEN");
  return parser;
}

std::vector<std::string> option_names(const CLI::App& parser) {
  std::vector<std::string> names;
  for (const CLI::Option* o : parser.get_options()) {
    for (const std::string& name : o->get_lnames()) names.push_back("--" + name);
    for (const std::string& name : o->get_snames()) names.push_back("-" + name);
  }
  return names;
}

int complain(const std::string& sentence, const std::string& advice) {
  fmt::print(stderr, "vernier: {}\n", sentence);
  if (!advice.empty()) fmt::print(stderr, "  {}\n", advice);
  return status::bad_input;
}

int unknown_command(const std::string& word) {
  std::vector<std::string> names;
  for (const Command& c : all_commands) names.emplace_back(c.name);
  const auto near = closest(word, names);
  return complain(fmt::format("there is no command \"{}\"", word),
                  near ? fmt::format("did you mean: vernier {}", *near)
                       : "vernier help all   lists the commands");
}

int unexpected(const Command& c, const CLI::App& parser, const std::string& word) {
  if (word.empty() || word[0] != '-') {
    return complain(fmt::format("{} does not take the argument \"{}\"", c.name, word),
                    fmt::format("vernier help {}   shows what it takes", c.name));
  }
  const auto near = closest(word.substr(0, word.find('=')), option_names(parser));
  return complain(fmt::format("{} has no option {}", c.name, word),
                  near ? fmt::format("did you mean {}?", *near)
                       : fmt::format("vernier help {}   lists its options", c.name));
}

int run_command(const Command& c, const std::vector<std::string>& arguments) {
  Action action;
  const auto parser = make_parser(c, action);
  std::vector<std::string> reversed(arguments.rbegin(), arguments.rend() - 1);
  try {
    parser->parse(reversed);
  } catch (const CLI::CallForHelp&) {
    fmt::print("{}", parser->help());
    return status::good;
  } catch (const CLI::ParseError& e) {
    return complain(fmt::format("{}: {}", c.name, e.what()),
                    fmt::format("vernier help {}   shows how it is used", c.name));
  }
  if (!parser->remaining().empty()) return unexpected(c, *parser, parser->remaining().front());
  return action(Invocation{arguments});
}

}  // namespace

Duration time_in(const char* option, const std::string& text) {
  if (const auto t = composition::parsed_time(text)) return *t;
  throw ConfigurationError(
      "V2005", fmt::format("{} must be a time such as 300s or 5min, not \"{}\"", option, text));
}

std::span<const Command> commands() { return all_commands; }

const Command* find_command(std::string_view name) {
  const auto found = std::find_if(all_commands.begin(), all_commands.end(),
                                  [&](const Command& c) { return c.name == name; });
  return found == all_commands.end() ? nullptr : &*found;
}

std::string overview(bool all) {
  std::string out = "vernier runs simulations of spacecraft from human-readable documents\n\n";
  for (const Command& c : all_commands) {
    if (all || c.newcomer) out += fmt::format("  vernier {:<12}{}\n", c.name, c.summary);
  }
  out += all ? "\nvernier help COMMAND   shows a command's options, after an example that works\n"
             : "\nvernier help all   lists the other commands\n";
  return out;
}

std::string help_text(const Command& c) {
  Action unused;
  return make_parser(c, unused)->help();
}

std::vector<std::string> example_lines(const Command& c) {
  std::vector<std::string> lines;
  if (c.before != Before::nothing) lines.emplace_back("vernier examples copy aausat2");
  if (c.before == Before::run) lines.emplace_back("vernier run aausat2/aausat2.xml --until 60s");
  if (c.before == Before::live_run)
    lines.emplace_back("vernier run aausat2/aausat2.xml --rate 1 --quiet &");
  for (const std::string_view line : split(c.example, '\n')) lines.emplace_back(line);
  const bool ends = c.name == "stop" || c.name == "rewind";
  if (c.before == Before::live_run && !ends) lines.emplace_back("vernier stop");
  return lines;
}

std::string as_sentence(const Command& c) {
  return fmt::format("{}{}.", char(std::toupper(static_cast<unsigned char>(c.summary[0]))),
                     c.summary.substr(1));
}

Usage usage(const Command& c) {
  Action unused;
  const auto parser = make_parser(c, unused);
  Usage all;
  for (const CLI::Option* o : parser->get_options()) {
    Taken t;
    for (const std::string& name : o->get_lnames()) t.names.push_back("--" + name);
    for (const std::string& name : o->get_snames()) t.names.push_back("-" + name);
    if (o->get_items_expected_max() > 0) t.value = o->get_type_name();
    t.description = o->get_description();
    const bool word = t.names.empty();
    if (word) t.names.push_back(o->get_single_name());
    (word ? all.words : all.options).push_back(std::move(t));
  }
  if (c.name == "federate")
    for (const FederateAction& a : federate_actions())
      all.actions.push_back({{std::string(a.name)}, std::string(a.words), std::string(a.about)});
  return all;
}

int run_program(const std::vector<std::string>& arguments) {
  try {
    if (arguments.empty() || arguments[0] == "--help" || arguments[0] == "-h") {
      fmt::print("{}", overview(false));
      return status::good;
    }
    // for the program's own use: see server::Launch
    if (arguments[0] == "executor") return become_executor(arguments);
    std::vector<std::string> rest = arguments;
    if (rest[0] == "--version" || rest[0] == "-V") rest[0] = "version";
    const Command* command = find_command(rest[0]);
    if (!command) return unknown_command(rest[0]);
    return run_command(*command, rest);
  } catch (const ConfigurationError& e) {
    print_problems(e.diagnostics());
    return status::bad_input;
  } catch (const std::exception& e) {
    // a system error: a full disk, no memory
    fmt::print(stderr, "error: {}\n", e.what());
    return status::failed;
  }
}

}  // namespace vernier::app
