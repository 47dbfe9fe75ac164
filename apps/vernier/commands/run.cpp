#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <memory>

#include "apps/vernier/background.hpp"
#include "apps/vernier/command.hpp"
#include "apps/vernier/console.hpp"
#include "apps/vernier/permissions.hpp"
#include "apps/vernier/run_view.hpp"
#include "apps/vernier/servers.hpp"
#include "vernier/base/text.hpp"
#include "vernier/net/secret.hpp"
#include "vernier/run/record/run_folder.hpp"
#include "vernier/run/registry/location.hpp"
#include "vernier/run/server/enrolment.hpp"
#include "vernier/run/server/team.hpp"
#include "vernier/run/session/continuation.hpp"

namespace vernier::app {
namespace {

/// A run on several nodes can be continued when it is killed.
constexpr auto keep_state_after = std::chrono::seconds(1);

struct RunRequest {
  std::string document;
  std::vector<std::string> set, record, overrides;
  std::string until, checkpoint_every, from, out = "runs";
  std::optional<std::uint64_t> seed;
  std::optional<double> rate;
  std::optional<int> threads, late_limit, priority, cpu;
  std::string late, spin, events;
  Permissions permissions;
  std::string on, registry, as;
  std::optional<std::int64_t> keep_every;
  server::CredentialFiles credentials;
  bool no_orders = false, quiet = false, json = false, detach = false, no_record = false,
       real_time = false, require = false, again = false, standby = false;
};

/// Takes the policy for late frames and the real-time settings.
void take_timing(const RunRequest& a, session::Options& o) {
  if (a.late_limit) {
    o.late = {.kind = realtime::Late::elastic, .in_a_row = *a.late_limit, .in_window = 0};
  }
  if (!a.late.empty()) {
    const auto late = realtime::parsed_policy(a.late);
    if (!late || a.late_limit) {
      Diagnostics problems;
      problems
          .error("V4108",
                 a.late_limit && late
                     ? "--late and --stop-when-late both say what late frames do"
                     : fmt::format("\"{}\" is not a policy for late frames", a.late),
                 {})
          .notes.push_back(
              "--late strict, elastic, elastic:10,100 (in a row, in 10 s), catch-up or slip");
      throw ConfigurationError(problems);
    }
    o.late = *late;
  }
  if (!a.real_time && !a.require && !o.real_time) {
    const bool idle = a.priority || a.cpu || !a.spin.empty();
    if (idle) throw ConfigurationError("V4108", "--priority, --cpu and --spin go with --rt");
    if (!o.rate && o.late != realtime::LatePolicy{})
      throw ConfigurationError(
          "V4108", "nothing is late in a run as fast as possible: add --rt or --rate 1");
    return;
  }
  session::RealTime rt = o.real_time.value_or(session::RealTime{});
  if (a.priority) rt.wanted.priority = *a.priority;
  if (a.cpu) rt.wanted.cpu = *a.cpu;
  if (!a.spin.empty()) rt.spin = time_in("--spin", a.spin);
  rt.require |= a.require;
  o.real_time = rt;
  o.changes.frames = true;
}

/// The folder of a run; a link such as runs/latest is resolved now, before another run becomes the
/// latest.
std::filesystem::path run_folder(const std::string& given) {
  std::filesystem::path folder = given;
  if (folder.filename().empty()) folder = folder.parent_path();
  if (std::filesystem::is_symlink(folder))
    folder = folder.parent_path() / std::filesystem::read_symlink(folder);
  return folder;
}

/// Where and how a run on several nodes runs, as its folder keeps it and as it was given now.
void take_nodes(RunRequest& a, session::Options& o) {
  const auto known = [&o](const char* name) {
    for (const auto& [n, value] : o.nodes)
      if (n == name) return value;
    return std::string();
  };
  if (a.again) {
    if (a.on.empty()) a.on = known("on");
    const std::string every = known("keep-every");
    if (!a.keep_every && !every.empty()) a.keep_every = parsed_integer(every);
    for (const auto& [name, file] : files_of(a.credentials))
      if (file->empty()) *file = known(name);
  }
  o.nodes.clear();
  if (a.on.empty()) return;
  const auto lasting = [](const std::string& file) {
    std::error_code none;
    return std::filesystem::is_regular_file(file, none) ? std::filesystem::absolute(file).string()
                                                        : file;
  };
  o.nodes.emplace_back("on", lasting(a.on));
  if (a.keep_every) o.nodes.emplace_back("keep-every", std::to_string(*a.keep_every));
  for (const auto& [name, file] : files_of(a.credentials))
    if (!file->empty()) o.nodes.emplace_back(name, lasting(*file));
}

/// A document, or the document and settings in a run's directory; then the options given now.
session::Again what_to_run(RunRequest& a) {
  session::Again what;
  if (a.again) {
    if (!record::is_run_folder(a.document))
      throw refusal("V7132", a.document + " is not the folder of a run",
                    "--continue continues a run that was killed: vernier runs   lists them");
    what = session::continued(run_folder(a.document), std::string(version()));
  } else if (record::is_run_folder(a.document)) {
    what = session::repeated(run_folder(a.document));
    if (a.no_orders) what.options.orders.clear();
  } else {
    what.document = a.document;
  }
  session::Options& o = what.options;
  o.changes.set.insert(o.changes.set.end(), a.set.begin(), a.set.end());
  if (!a.record.empty()) o.changes.record = a.record;
  if (!a.until.empty()) o.changes.until = time_in("--until", a.until);
  if (a.seed) o.changes.seed = a.seed;
  if (!a.from.empty()) o.from = a.from;
  if (!a.checkpoint_every.empty()) {
    o.checkpoint_every = time_in("--checkpoint-every", a.checkpoint_every);
    if (o.checkpoint_every->count() <= 0) {
      throw ConfigurationError("V2005", "--checkpoint-every must be longer than zero");
    }
  }
  if (a.rate) o.rate = a.rate;
  take_timing(a, o);
  if (a.threads) o.threads = *a.threads;
  o.overrides.insert(o.overrides.end(), a.overrides.begin(), a.overrides.end());
  if (!a.again) o.runs = a.out;
  o.keep = !a.no_record;
  take_nodes(a, o);
  if (!a.on.empty()) o.keep_state_after = keep_state_after;
  return what;
}

/// A name that no other run has: "formation-3f2a9c81d0b4e6a7".
std::string fresh_name(const std::filesystem::path& document) {
  std::array<std::byte, 8> random{};
  net::fill_random(random);
  std::string name;
  for (const char c : document.stem().string()) name += registry::is_run_name({&c, 1}) ? c : '-';
  name.resize(std::min<std::size_t>(name.size(), 80));
  name += '-';
  for (const std::byte b : random) name += fmt::format("{:02x}", b);
  return name;
}

/// Where the run is known, and under which name.
void register_run(const RunRequest& a, session::Again& what) {
  session::Options& o = what.options;
  if (a.on.empty() && (!a.registry.empty() || !a.as.empty()))
    throw refusal("V5655", "--registry and --as are for runs on several nodes",
                  "add --on NODES: local:2, for example");
  if (a.registry.empty() && !a.as.empty() && o.registry.empty())
    throw refusal("V5655", "--as names a run in a registry", "add --registry etcd://HOST:PORT,…");
  if (!a.as.empty() && !registry::is_run_name(a.as))
    throw refusal("V5655", fmt::format("\"{}\" cannot be the name of a run", a.as),
                  "use up to 100 letters, digits, '.', '_' and '-'");
  if (!a.registry.empty()) o.registry = a.registry;
  if (a.on.empty()) o.registry.clear();
  if (!a.again || !a.as.empty()) o.registry_run = a.as;
  if (a.on.empty()) return;
  if (!o.registry.empty()) static_cast<void>(registry::parsed_location(o.registry));
  if (o.registry_run.empty()) o.registry_run = fresh_name(what.document);
  o.companion = server::enrolled(a.on);
  if (session::Continuation* const c = o.continuation.get()) {
    session::Options where;
    where.registry = o.registry;
    c->wait_until_free = [where, folder = c->folder, run = o.registry_run] {
      server::registry_of(where, folder)->wait_until_free(run, net::forever);
    };
  }
}

/// Runs the document on several nodes.
void divide(const RunRequest& a, session::Again& what, const Catalogue& types) {
  server::run_on_nodes(
      {.on = a.on,
       .here = {"/proc/self/exe", executor_words(a.permissions, a.credentials)},
       .files = a.credentials,
       .version = std::string(version()),
       .keep_every = a.keep_every.value_or(1000),
       .plan =
           [document = what.document, changes = what.options.changes, &types] {
             Diagnostics ignored;
             return std::move(session::prepare(document, changes, types, ignored).plan);
           }},
      what.options);
}

int run(RunRequest a, const Invocation& invocation) {
  if (a.detach) {
    using Way = Background::Show;
    const auto parent = Background::begin(a.json ? Way::json : a.quiet ? Way::folder : Way::lines);
    if (parent) return *parent;
  }
  session::Again what = what_to_run(a);
  what.options.version = version();
  what.options.command = {"vernier"};
  what.options.command.insert(what.options.command.end(), invocation.words.begin(),
                              invocation.words.end());
  const Show show = a.json ? Show::json : a.quiet ? Show::folder : Show::everything;
  const Catalogue types = running_catalogue(a.permissions);
  register_run(a, what);
  if (!a.on.empty()) divide(a, what, types);
  return run_and_show(what.document, std::move(what.options), types, show, {a.events}, a.standby)
      .status;
}

}  // namespace

Action declare_run(CLI::App& app) {
  auto asked = std::make_shared<RunRequest>();
  app.add_option("document", asked->document,
                 "a composition, a model, or the folder of a run to repeat")
      ->required()
      ->type_name("");
  const auto many = [&](const char* name, std::vector<std::string>& into, const char* what,
                        const char* type) {
    app.add_option(name, into, what)->type_name(type)->expected(1)->take_all();
  };
  many("--set", asked->set, "a parameter, an input or a setting: plant.mass=4.1kg; may be repeated",
       "PATH=VALUE");
  app.add_option("--until", asked->until, "the end, instead of the document's: 300s, 5min")
      ->type_name("TIME");
  app.add_option("--seed", asked->seed, "seed of all random numbers")->type_name("NUMBER");
  app.add_option("--from", asked->from, "continue from a checkpoint")
      ->type_name("FILE")
      ->check(CLI::Validator(CLI::ExistingFile).description(""));
  app.add_option("--checkpoint-every", asked->checkpoint_every,
                 "write checkpoints: 60s of simulated time")
      ->type_name("TIME");
  app.add_option("--rate", asked->rate, "by the wall clock, this many times real time: 1, 0.5, 10")
      ->type_name("FACTOR");
  app.add_flag("--rt", asked->real_time,
               "in real time: real-time priority, locked memory, every frame measured");
  app.add_flag("--require-rt", asked->require,
               "like --rt, but fail if the system refuses a privilege");
  app.add_option("--late", asked->late,
                 "with the wall clock, what to do after a late frame: strict (stop), "
                 "elastic[:ROW[,MANY]] (catch up, stop at ROW in a row or more than MANY in 10 s), "
                 "catch-up, slip")
      ->type_name("POLICY");
  app.add_option("--stop-when-late", asked->late_limit, "short for --late elastic:N,0")
      ->type_name("N")
      ->check(CLI::Range(1, 1'000'000).description(""));
  app.add_option("--priority", asked->priority, "with --rt: SCHED_FIFO, 1 to 99 (80); 0: none")
      ->type_name("N")
      ->check(CLI::Range(0, 99).description(""));
  app.add_option("--cpu", asked->cpu, "with --rt: the CPU to run on")
      ->type_name("N")
      ->check(CLI::Range(0, 100'000).description(""));
  app.add_option("--spin", asked->spin,
                 "with --rt: busy-wait for the last part of each sleep: 60us")
      ->type_name("TIME");
  app.add_option("--threads", asked->threads, "number of threads; results do not depend on it")
      ->type_name("N")
      ->check(CLI::Range(1, 256).description(""));
  app.add_option("--on", asked->on,
                 "run on several nodes: local:4 (processes), host1,host2:4711 (vernier server), or "
                 "a nodes document; results do not depend on it")
      ->type_name("NODES");
  app.add_option("--keep-every", asked->keep_every,
                 "with --on: copy the state every N ticks, to return to when a node is lost "
                 "(1000); 0: never")
      ->type_name("N")
      ->check(CLI::Range(0, 1'000'000'000).description(""));
  app.add_option("--registry", asked->registry,
                 "with --on: the etcd cluster that says who leads the run; it stops when another "
                 "may continue it")
      ->type_name("etcd://HOST:PORT,…");
  app.add_option("--as", asked->as,
                 "with --registry: the name of the run there, under which only one process at a "
                 "time runs (default: a new one)")
      ->type_name("NAME");
  declare_credentials(app, asked->credentials);
  many("--record", asked->record, "patterns of signals to record, instead of the document's",
       "PATTERN");
  many("--override", asked->overrides, "a port's value, whatever drives it: wheel.command=0",
       "PATH=VALUE");
  app.add_flag("--no-orders", asked->no_orders,
               "repeat a run without what was set, released and sent while it ran");
  app.add_option("--out", asked->out, "where run folders are made (runs)")->type_name("DIR");
  CLI::Option* no_record =
      app.add_flag("--no-record", asked->no_record, "leave nothing on the disk");
  app.add_flag("--detach", asked->detach,
               "return when the run has begun; it continues without this terminal")
      ->excludes(no_record);
  declare_permissions(app, asked->permissions, true);
  app.add_option("--events", asked->events,
                 "which events to print: all, none, or those of components that match a pattern "
                 "(default: the first few of each component in a second)")
      ->type_name("WHICH");
  app.add_flag("-q,--quiet", asked->quiet, "print the run's folder and nothing else");
  app.add_flag("--json", asked->json, "print one JSON object");
  CLI::Option* again =
      app.add_flag("--continue", asked->again,
                   "continue a run that was killed, in its own folder, from its last checkpoint");
  app.add_flag("--standby", asked->standby,
               "with --continue: wait, and continue the run as soon as its process dies")
      ->needs(again)
      ->excludes("--detach");
  for (const char* other :
       {"--set", "--until", "--seed", "--from", "--rate", "--rt", "--require-rt", "--late",
        "--stop-when-late", "--priority", "--cpu", "--spin", "--record", "--override",
        "--no-orders", "--out", "--no-record"})
    again->excludes(other);
  app.footer(
      "Exit status: 0 success, 1 the run failed, 2 bad input, 3 a check failed, 4 late frames, 5 a "
      "peer was lost, 130 interrupted.");
  return [asked](const Invocation& i) {
    return run_or_explain(asked->json, [&] { return run(*asked, i); });
  };
}

}  // namespace vernier::app
