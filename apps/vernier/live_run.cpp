#include "apps/vernier/live_run.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

#include "apps/vernier/console.hpp"
#include "apps/vernier/run_argument.hpp"
#include "apps/vernier/servers.hpp"
#include "vernier/base/text.hpp"
#include "vernier/run/session/control.hpp"

namespace vernier::app {
namespace {

using namespace std::chrono_literals;

constexpr auto connect_within = 5s;
constexpr auto answer_within = 70s;  // the server gives up after 60 s
constexpr auto fresh = 30s;          // the server disconnects who asks nothing for 60 s

template <class T>
T value_of(Result<T, Diagnostic> r) {
  if (r) return std::move(*r);
  Diagnostics problems;
  problems.add(r.error());
  throw ConfigurationError(problems);
}

/// The run that is meant, of those of a server.
std::string chosen(const std::vector<server::HostedRun>& all, const std::string& wanted,
                   const std::string& server) {
  std::vector<std::string> names;
  for (const server::HostedRun& r : all) names.push_back(harmless(r.name));
  if (all.empty())
    throw refusal(
        "V5661", server + ": the server knows no active run",
        "a run can be asked through the servers that host nodes of it, while it keeps its "
        "results");
  if (wanted.empty()) {
    if (all.size() == 1) return all.front().name;
    throw refusal("V5660", fmt::format("{}: the server knows {} active runs", server, all.size()),
                  "name one of them: " + joined(names, ", "));
  }
  for (const server::HostedRun& r : all)
    if (r.name == wanted) return r.name;
  const auto near = closest(wanted, names);
  throw refusal(
      "V5661", fmt::format("{}: there is no active run \"{}\"", server, harmless(wanted)),
      near ? fmt::format("did you mean {}?", *near) : "the server knows " + joined(names, ", "));
}

}  // namespace

CLI::Option* declare_server_of_run(CLI::App& app, RunName& name) {
  return app
      .add_option("--server", name.server,
                  "ask the run through this server, which hosts nodes of it")
      ->type_name("HOST[:PORT]");
}

CLI::Option* declare_run_at_server(CLI::App& app, RunName& name) {
  CLI::Option* server = declare_server_of_run(app, name);
  declare_credentials(app, name.files, server);
  return server;
}

LiveRun::LiveRun(const RunName& name) : named_(name) {
  if (name.server.empty()) {
    folder_ = run_argument(name.run.empty() ? "runs/latest" : name.run);
    return;
  }
  with_ = server::credentials(name.files, server::Side::client);
  connect();
}

void LiveRun::connect() {
  const net::Address where = server_address(named_.server);
  connection_ = value_of(server::Connection::to(where, *with_, std::string(version()),
                                                net::Clock::now() + connect_within));
  used_ = net::Clock::now();
}

std::string LiveRun::ask(const std::string& line) {
  return with_ ? asked_at_server(line) : session::ask(folder_, line);
}

std::string LiveRun::asked_at_server(const std::string& line) {
  if (net::Clock::now() - used_ > fresh) connect();
  connection_->set_deadline(net::Clock::now() + answer_within);
  if (!std::exchange(chosen_, true))
    named_.run = chosen(value_of(connection_->runs()), named_.run, connection_->name());
  const std::string answer = value_of(connection_->control(named_.run, line));
  used_ = net::Clock::now();
  return harmless(session::granted(answer));
}

}  // namespace vernier::app
