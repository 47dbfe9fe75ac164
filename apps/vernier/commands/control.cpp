#include "vernier/run/session/control.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "apps/vernier/command.hpp"
#include "apps/vernier/run_argument.hpp"

namespace vernier::app {
namespace {

Action declare(CLI::App& app, session::Request request) {
  auto run = std::make_shared<std::string>("runs/latest");
  app.add_option("run", *run, "the folder of a run that goes on (runs/latest)")->type_name("");
  return [run, request](const Invocation&) {
    fmt::print("{}\n", session::ask(run_argument(*run), request));
    return status::good;
  };
}

}  // namespace

Action declare_freeze(CLI::App& app) { return declare(app, session::Request::freeze); }
Action declare_resume(CLI::App& app) { return declare(app, session::Request::resume); }
Action declare_status(CLI::App& app) { return declare(app, session::Request::status); }
Action declare_stop(CLI::App& app) { return declare(app, session::Request::stop); }

}  // namespace vernier::app
