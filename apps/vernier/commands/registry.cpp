#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "apps/vernier/command.hpp"
#include "apps/vernier/console.hpp"
#include "apps/vernier/servers.hpp"
#include "apps/vernier/table.hpp"
#include "vernier/base/text.hpp"
#include "vernier/run/registry/location.hpp"
#include "vernier/run/server/enrolment.hpp"

namespace vernier::app {
namespace {

using nlohmann::ordered_json;
using registry::Entry;

struct RegistryRequest {
  std::string address, forget;
  double wait = 5.0;
  bool json = false;
};

std::string nodes_of_record(const registry::Record& r) {
  std::string all;
  for (const registry::RunNode& n : r.nodes)
    all += (all.empty() ? "" : ", ") + n.name +
           (n.address.empty() || n.address == n.name ? "" : " at " + n.address);
  return all;
}

std::string state_of(const Entry& e) {
  if (!e.damage.empty()) return "damaged record: " + e.damage;
  return e.leader ? "led" : "free";
}

void show_runs_known(const std::vector<Entry>& all) {
  if (all.empty()) return fmt::print("  no runs\n");
  Table table;
  table.row({"run", "state", "epoch", "leader", "nodes", "checkpoint", "folder"});
  for (const Entry& e : all) {
    const registry::Record r = e.record.value_or(registry::Record{});
    const registry::Leader who = e.leader.value_or(r.leader);
    table.row({e.run, harmless(state_of(e)), std::to_string(who.epoch),
               e.leader ? harmless(fmt::format("{}, process {}", who.host, who.process)) : "",
               harmless(nodes_of_record(r)),
               r.checkpoint
                   ? fmt::format("t = {} s", exact(static_cast<double>(r.checkpoint->time) * 1e-9))
                   : "",
               harmless(r.folder)});
  }
  fmt::print("{}", table.text("  "));
}

ordered_json entry_as_json(const Entry& e) {
  ordered_json j{{"run", e.run}, {"led", e.leader.has_value()}};
  if (e.leader)
    j["leader"] = {
        {"host", e.leader->host}, {"process", e.leader->process}, {"epoch", e.leader->epoch}};
  if (!e.damage.empty()) j["damage"] = e.damage;
  if (e.record) j["record"] = ordered_json::parse(registry::to_json(*e.record));
  return j;
}

int show_registry(const RegistryRequest& a) {
  const auto r = registry::registry_at(a.address);
  const auto deadline = net::Clock::now() + std::chrono::duration_cast<net::Clock::duration>(
                                                std::chrono::duration<double>(a.wait));
  const auto failed = [&a](const registry::Trouble& t) {
    Diagnostics problems;
    Diagnostic d = server::words_of(t, a.address, a.forget);
    if (t.kind == registry::Trouble::Kind::taken) d.notes = {"end it first"};
    problems.add(std::move(d));
    print_problems(problems);
    return status::peer_lost;
  };
  if (!a.forget.empty()) {
    if (!registry::is_run_name(a.forget))
      throw refusal("V5655", fmt::format("\"{}\" cannot be the name of a run", a.forget),
                    "vernier registry ADDRESS   lists the runs");
    const auto done = r->forget(a.forget, deadline);
    return done ? status::good : failed(done.error());
  }
  const auto all = r->list(deadline);
  if (!all) return failed(all.error());
  ordered_json list = ordered_json::array();
  for (const Entry& e : *all) list.push_back(entry_as_json(e));
  if (a.json)
    fmt::print("{}\n", list.dump(2, ' ', false, ordered_json::error_handler_t::replace));
  else
    show_runs_known(*all);
  return status::good;
}

}  // namespace

Action declare_registry(CLI::App& app) {
  auto asked = std::make_shared<RegistryRequest>();
  app.add_option("address", asked->address, "the cluster: etcd://HOST:PORT,HOST:PORT,…")
      ->required()
      ->type_name("");
  app.add_option("--forget", asked->forget, "remove the record of a run that nobody leads")
      ->type_name("NAME");
  app.add_option("--wait", asked->wait, "how long it may take to answer (5)")
      ->type_name("SECONDS")
      ->check(CLI::Range(0.1, 3600.0).description(""));
  app.add_flag("--json", asked->json, "print a JSON array, with the whole records");
  app.footer("Exit status: 0 success, 2 bad input, 5 the registry does not answer or refuses.");
  return [asked](const Invocation&) {
    return run_or_explain(asked->json, [&] { return show_registry(*asked); });
  };
}

}  // namespace vernier::app
