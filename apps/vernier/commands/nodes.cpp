#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <thread>

#include "apps/vernier/command.hpp"
#include "apps/vernier/console.hpp"
#include "apps/vernier/live_run.hpp"
#include "apps/vernier/servers.hpp"
#include "apps/vernier/table.hpp"
#include "vernier/run/placement/nodes.hpp"
#include "vernier/run/record/manifest.hpp"
#include "vernier/run/server/discovery.hpp"
#include "vernier/run/server/hosts.hpp"
#include "vernier/run/server/team.hpp"

namespace vernier::app {
namespace {

using nlohmann::ordered_json;

struct NodesRequest {
  std::string on = "127.0.0.1";
  double wait = 5.0;
  RunName run;  // its credentials are those for all servers
  bool json = false, discover = false;
};

struct Seen {
  net::Address address;
  server::Credentials with;
  std::optional<server::About> about = {};
  std::vector<server::HostedRun> runs = {};
  server::ClockOffset clock = {};
  std::optional<Diagnostic> trouble = {};

  std::string state() const {
    if (!about) return trouble->code == "V5631" ? "does not answer" : "refuses";
    if (about->draining) return "draining";
    return about->runs >= about->most_runs ? "full" : "ready";
  }
};

void look_at(Seen& s, net::Clock::time_point deadline) {
  constexpr int pings = 16;
  auto c = server::Connection::to(s.address, s.with, std::string(version()), deadline);
  if (!c) {
    s.trouble = c.error();
    return;
  }
  const auto clock = c->ping(pings);
  if (clock) s.clock = *clock;
  auto about = clock ? c->info() : Result<server::About, Diagnostic>(Failure{clock.error()});
  auto runs = about ? c->runs()
                    : Result<std::vector<server::HostedRun>, Diagnostic>(Failure{about.error()});
  if (runs) {
    s.about = std::move(*about);
    s.runs = std::move(*runs);
  } else {
    s.trouble = runs.error();
  }
}

/// A time in a unit that suits it.
std::string short_time(std::int64_t ns) {
  const double t = static_cast<double>(ns);
  const double size = std::abs(t);
  if (size < 1e6) return short_number(t / 1e3) + " µs";
  return size < 1e9 ? short_number(t / 1e6) + " ms" : short_number(t / 1e9) + " s";
}

void show_table(const std::vector<Seen>& all) {
  Table table;
  table.row(
      {"server", "host", "version", "processors", "load", "round trip", "clock", "runs", "state"});
  for (const Seen& s : all) {
    const std::string where = net::text(s.address);
    if (!s.about) {
      table.row({where, "", "", "", "", "", "", "", s.state()});
      continue;
    }
    const server::About& a = *s.about;
    table.row({where, harmless(a.host), harmless(a.version), std::to_string(a.processors),
               fmt::format("{:.1f}", a.load), short_time(s.clock.round_trip),
               (s.clock.wall_offset < 0 ? "" : "+") + short_time(s.clock.wall_offset),
               fmt::format("{}/{}", a.runs, a.most_runs), s.state()});
  }
  fmt::print("{}", table.text("  "));
}

std::string wall_time(std::int64_t since) {
  return record::iso8601(std::chrono::system_clock::time_point(std::chrono::seconds(since)));
}

/// The runs that can be asked through the servers.
void show_runs(const std::vector<Seen>& all) {
  Table table;
  table.row({"run", "started on", "at", "executors", "server"});
  bool any = false;
  for (const Seen& s : all)
    for (const server::HostedRun& r : s.runs) {
      any = true;
      table.row({harmless(r.name), harmless(r.host), wall_time(r.since),
                 std::to_string(r.executors), net::text(s.address)});
    }
  if (any) fmt::print("\n{}", table.text("  "));
}

ordered_json node_as_json(const Seen& s) {
  ordered_json j{{"server", net::text(s.address)}, {"state", s.state()}};
  if (!s.about) {
    j["code"] = s.trouble->code;
    j["message"] = s.trouble->message;
    return j;
  }
  const server::About& a = *s.about;
  j.update({{"host", a.host},
            {"version", a.version},
            {"kernel", a.kernel},
            {"instructions", a.instructions},
            {"arithmetic", a.arithmetic},
            {"processors", a.processors},
            {"load", a.load},
            {"memory", a.memory},
            {"real_time", {{"fit", a.fit}, {"verdict", a.fitness}}},
            {"round_trip_s", static_cast<double>(s.clock.round_trip) * 1e-9},
            {"clock_offset_s", static_cast<double>(s.clock.wall_offset) * 1e-9},
            {"runs", a.runs},
            {"most_runs", a.most_runs},
            {"types", a.types}});
  ordered_json active = ordered_json::array();
  for (const server::HostedRun& r : s.runs)
    active.push_back({{"run", r.name},
                      {"host", r.host},
                      {"since", wall_time(r.since)},
                      {"executors", r.executors}});
  j["active"] = std::move(active);
  return j;
}

net::Clock::time_point deadline_of(const NodesRequest& r) {
  return net::Clock::now() +
         std::chrono::duration_cast<net::Clock::duration>(std::chrono::duration<double>(r.wait));
}

/// The servers of a list, of a nodes document or on the local network, each once.
std::vector<Seen> servers_of(const NodesRequest& r) {
  std::vector<Seen> all;
  if (r.discover) {
    const server::Credentials with = server::credentials(r.run.files, server::Side::client);
    const auto found = server::discovered(deadline_of(r));
    if (!found) throw no_avahi("no servers can be found on the local network", found.error());
    for (const server::Announced& a : *found) all.push_back({.address = a.address, .with = with});
    return all;
  }
  if (!r.on.ends_with(".xml")) {
    const server::Credentials with = server::credentials(r.run.files, server::Side::client);
    for (const net::Address& a : server_addresses(r.on))
      all.push_back({.address = a, .with = with});
    return all;
  }
  Diagnostics problems;
  for (const placement::Host& h : placement::read_nodes(r.on, problems).hosts) {
    const net::Address a{h.address, std::to_string(h.port)};
    const bool known = std::any_of(all.begin(), all.end(), [&a](const Seen& s) {
      return s.address.host == a.host && s.address.port == a.port;
    });
    if (!h.local() && !known)
      all.push_back({.address = a, .with = server::credentials_for(h, r.run.files)});
  }
  if (!problems.list().empty()) print_problems(problems);
  return all;
}

/// The nodes of an active run, and what each of them runs.
int show_live_placement(const RunName& run) {
  std::string left = LiveRun(run).ask("nodes");
  Table table;
  for (std::size_t end = 0; end != left.npos; left.erase(0, end == left.npos ? end : end + 2)) {
    end = left.find("; ");
    const std::string one = left.substr(0, end);
    const std::size_t colon = one.find(": ");
    table.row({one.substr(0, colon), colon == one.npos ? "" : one.substr(colon + 2)});
  }
  fmt::print("{}", table.text("  "));
  return status::good;
}

int show_nodes(const NodesRequest& r) {
  if (!r.run.run.empty() || !r.run.server.empty()) return show_live_placement(r.run);
  std::vector<Seen> all = servers_of(r);
  const auto deadline = deadline_of(r);
  std::vector<std::thread> threads;
  for (Seen& s : all) threads.emplace_back([&] { look_at(s, deadline); });
  for (std::thread& t : threads) t.join();
  Diagnostics problems;
  ordered_json list = ordered_json::array();
  for (const Seen& s : all) {
    list.push_back(node_as_json(s));
    if (s.trouble) problems.add(*s.trouble);
  }
  if (r.json) {
    fmt::print("{}\n", list.dump(2, ' ', false, ordered_json::error_handler_t::replace));
  } else {
    if (all.empty())
      fmt::print("  no servers\n");
    else
      show_table(all);
    show_runs(all);
    if (!problems.list().empty()) print_problems(problems);
  }
  return problems.list().empty() ? status::good : status::peer_lost;
}

}  // namespace

Action declare_nodes(CLI::App& app) {
  auto asked = std::make_shared<NodesRequest>();
  auto* on =
      app.add_option("--on", asked->on,
                     "the servers, separated by commas, or a nodes document (127.0.0.1:4870)")
          ->type_name("HOST[:PORT],…");
  auto* discover = app.add_flag("--discover", asked->discover,
                                "the servers on the local network that announce themselves")
                       ->excludes(on);
  app.add_option("--run", asked->run.run,
                 "the nodes of this active run, and the parts that each runs; with --server: its "
                 "name there")
      ->type_name("RUN")
      ->excludes(on)
      ->excludes(discover);
  declare_server_of_run(app, asked->run)->excludes(on)->excludes(discover);
  declare_credentials(app, asked->run.files);
  app.add_option("--wait", asked->wait, "how long they may take to answer (5)")
      ->type_name("SECONDS")
      ->check(CLI::Range(0.1, 3600.0).description(""));
  app.add_flag("--json", asked->json, "print a JSON array, with more about each server");
  app.footer("Exit status: 0 all answer, 2 bad input, 5 some do not.");
  return [asked](const Invocation&) { return show_nodes(*asked); };
}

}  // namespace vernier::app
