#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>
#include <thread>

#include "apps/vernier/command.hpp"
#include "apps/vernier/interrupt.hpp"
#include "apps/vernier/live_run.hpp"
#include "apps/vernier/watch_in_viewer.hpp"
#include "vernier/base/text.hpp"

namespace vernier::app {
namespace {

/// A one-word request to a run.
Action declare(CLI::App& app, const char* request) {
  auto run = std::make_shared<RunName>();
  CLI::Option* word = app.add_option("run", run->run, of_a_run)->type_name("");
  app.add_option("--run", run->run, "as the argument")->type_name("RUN")->excludes(word);
  declare_run_at_server(app, *run);
  return [run, request](const Invocation&) {
    fmt::print("{}\n", LiveRun(*run).ask(request));
    return status::good;
  };
}

struct Request {
  RunName run;
  CLI::Option* server = nullptr;
  std::vector<std::string> words;
  bool release = false, json = false;
  std::string every = "1s", viewer;
  int count = 0;
};

std::shared_ptr<Request> request_of(CLI::App& app) {
  auto asked = std::make_shared<Request>();
  app.add_option("--run", asked->run.run, of_a_run)->type_name("RUN");
  asked->server = declare_run_at_server(app, asked->run);
  return asked;
}

int set(const Request& a) {
  LiveRun run(a.run);
  for (const std::string& word : a.words) {
    const std::size_t equals = word.find('=');
    std::string line;
    if (a.release) {
      line = "release " + word;
    } else if (equals == std::string::npos) {
      Diagnostics problems;
      problems.error("V2021", fmt::format("\"{}\" sets nothing", word), {})
          .notes.push_back("write path=value, for example wheel.command=0.02");
      throw ConfigurationError(problems);
    } else {
      line = "set " + word.substr(0, equals) + " " + word.substr(equals + 1);
    }
    fmt::print("{}\n", run.ask(line));
  }
  return status::good;
}

/// Shows values repeatedly until the run ends.
int watch_run(const Request& a) {
  LiveRun run(a.run);
  const auto every = time_in("--every", a.every);
  const std::string line = "get " + joined(a.words, " ");
  const Interruptible guard([](void*) noexcept {}, nullptr);
  for (int k = 0; !Interruptible::interrupted() && (a.count == 0 || k < a.count); ++k) {
    std::string answer;
    try {
      answer = run.ask(line);
    } catch (const ConfigurationError& e) {
      const std::string& code = e.diagnostics().list().front().code;
      const bool of_the_server = code.starts_with("V56") && code != "V5661";
      if (k == 0 || of_the_server) throw;
      fmt::print("the run is over\n");
      return status::good;
    }
    if (a.json) {
      fmt::print("{}\n", answer);
    } else {
      const auto j = nlohmann::ordered_json::parse(answer);
      fmt::print("t = {:.3f} s", j["time"].get<double>());
      for (const auto& [path, values] : j["signals"].items()) {
        std::vector<std::string> elements;
        for (const auto& v : values)
          elements.push_back(v.is_number() ? fmt::format("{:.6g}", v.get<double>()) : "-");
        fmt::print("   {} {}", path, joined(elements, " "));
      }
      fmt::print("\n");
    }
    std::fflush(stdout);
    for (auto left = k + 1 == a.count ? Duration{} : every;
         left > Duration{} && !Interruptible::interrupted(); left -= std::chrono::milliseconds(50))
      std::this_thread::sleep_for(std::min<Duration>(left, std::chrono::milliseconds(50)));
  }
  return status::good;
}

}  // namespace

Action declare_checkpoint(CLI::App& app) { return declare(app, "checkpoint"); }
Action declare_freeze(CLI::App& app) { return declare(app, "freeze"); }
Action declare_resume(CLI::App& app) { return declare(app, "resume"); }
Action declare_status(CLI::App& app) { return declare(app, "status"); }
Action declare_stop(CLI::App& app) { return declare(app, "stop"); }

Action declare_set(CLI::App& app) {
  auto asked = request_of(app);
  app.add_option("assignment", asked->words,
                 "override a port from the next tick: wheel.command=0.02; may be repeated")
      ->required()
      ->type_name("PATH=VALUE");
  app.add_flag("--release", asked->release,
               "end the override: the simulation sets these ports again");
  return [asked](const Invocation&) { return set(*asked); };
}

Action declare_send(CLI::App& app) {
  auto asked = request_of(app);
  app.add_option("event", asked->words, "an event that something waits for: supervisor.telecommand")
      ->required()
      ->type_name("PATH");
  return [asked](const Invocation&) {
    LiveRun run(asked->run);
    for (const std::string& path : asked->words) fmt::print("{}\n", run.ask("send " + path));
    return status::good;
  };
}

Action declare_mark(CLI::App& app) {
  auto asked = request_of(app);
  app.add_option("text", asked->words, "what happened")->required()->type_name("TEXT");
  return [asked](const Invocation&) {
    fmt::print("{}\n", LiveRun(asked->run).ask("mark " + joined(asked->words, " ")));
    return status::good;
  };
}

Action declare_watch(CLI::App& app) {
  auto asked = request_of(app);
  CLI::Option* signals =
      app.add_option("signals", asked->words, "paths or patterns")->type_name("PATTERN");
  CLI::Option* every =
      app.add_option("--every", asked->every,
                     "how often, by the wall clock; for --plotjuggler by simulated time, and "
                     "without it each row")
          ->type_name("TIME")
          ->capture_default_str();
  CLI::Option* plotjuggler =
      app.add_option("--plotjuggler", asked->viewer,
                     "send the rows to PlotJuggler's UDP server (127.0.0.1:9870)")
          ->expected(0, 1)
          ->type_name("HOST:PORT")
          ->excludes(asked->server);
  CLI::Option* foxglove =
      app.add_option("--foxglove", asked->viewer,
                     "serve the run to Foxglove and Lichtblick (127.0.0.1:8765)")
          ->expected(0, 1)
          ->type_name("HOST:PORT")
          ->excludes(plotjuggler)
          ->excludes(signals)
          ->excludes(asked->server);
  app.add_option("--count", asked->count, "how many times (default: until the run ends)")
      ->type_name("N")
      ->check(CLI::Validator(CLI::NonNegativeNumber).description(""));
  app.add_flag("--json", asked->json, "one JSON object a line");
  app.final_callback([signals, plotjuggler, foxglove] {
    if (!*signals && !*plotjuggler && !*foxglove) throw CLI::RequiredError("signals");
  });
  return [asked, every, plotjuggler, foxglove](const Invocation&) {
    const std::string here = asked->run.run.empty() ? "runs/latest" : asked->run.run;
    if (*foxglove) return watch_in_foxglove(here, asked->viewer);
    if (*plotjuggler)
      return watch_in_plotjuggler(here, asked->viewer, asked->words,
                                  *every ? seconds(time_in("--every", asked->every)) : 0.0);
    return watch_run(*asked);
  };
}

Action declare_move(CLI::App& app) {
  auto asked = request_of(app);
  app.add_option("move", asked->words, "a part of the run, and the node where it continues")
      ->required()
      ->expected(2)
      ->type_name("PART NODE");
  return [asked](const Invocation&) {
    fmt::print("{}\n", LiveRun(asked->run).ask("move " + joined(asked->words, " ")));
    return status::good;
  };
}

Action declare_step(CLI::App& app) {
  auto asked = request_of(app);
  auto ticks = std::make_shared<int>(1);
  app.add_option("ticks", *ticks, "how many ticks (1)")->type_name("N");
  return [asked, ticks](const Invocation&) {
    fmt::print("{}\n", LiveRun(asked->run).ask(fmt::format("step {}", *ticks)));
    return status::good;
  };
}

Action declare_rate(CLI::App& app) {
  auto asked = request_of(app);
  auto rate = std::make_shared<double>(1.0);
  app.add_option("rate", *rate, "simulated seconds per second")->required()->type_name("NUMBER");
  return [asked, rate](const Invocation&) {
    fmt::print("{}\n", LiveRun(asked->run).ask("rate " + exact(*rate)));
    return status::good;
  };
}

Action declare_rewind(CLI::App& app) {
  auto asked = request_of(app);
  auto time = std::make_shared<std::string>();
  app.add_option("time", *time,
                 "restart from the last checkpoint not after this time, or from the start")
      ->required()
      ->type_name("TIME");
  return [asked, time](const Invocation&) {
    fmt::print("{}\n", LiveRun(asked->run).ask("rewind " + *time));
    return status::good;
  };
}

}  // namespace vernier::app
