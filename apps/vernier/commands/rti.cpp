#include <fmt/format.h>
#include <sys/resource.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include "apps/vernier/command.hpp"
#include "apps/vernier/console.hpp"
#include "apps/vernier/interrupt.hpp"
#include "vernier/base/text.hpp"
#include "vernier/gateway/federation/rti_server.hpp"
#include "vernier/net/secret.hpp"
#include "vernier/net/socket.hpp"
#include "vernier/run/composition/composition.hpp"

namespace vernier::app {
namespace {

struct RtiRequest {
  std::vector<std::string> listen;
  std::string key, certificate, certificate_key, tolerate = "30s", patience = "10min", saves;
  std::size_t most = 1000;
  std::size_t waiting = 256;  // MiB
  bool verbose = false;
};

void say(std::string_view line) {
  fmt::print("{}\n", harmless(std::string(line)));
  std::fflush(stdout);
}

/// Raises the limit of open files: each federate needs one.
void allow_files(std::size_t count) {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= count) return;
  limit.rlim_cur = std::min<rlim_t>(limit.rlim_max, count);
  setrlimit(RLIMIT_NOFILE, &limit);
}

std::chrono::milliseconds wait_of(const char* option, const std::string& text) {
  const auto t = composition::parsed_time(text);
  if (!t || *t < std::chrono::seconds(2))
    throw ConfigurationError(
        "V2005",
        fmt::format("{} must be a time of 2s at least, such as 30s, not \"{}\"", option, text));
  return std::chrono::duration_cast<std::chrono::milliseconds>(*t);
}

federation::ServerSettings server_settings(const RtiRequest& a) {
  federation::ServerSettings s;
  for (const std::string& where : a.listen) {
    if (where.starts_with("unix:")) {
      s.path = where.substr(where.starts_with("unix://") ? 7 : 5);
    } else {
      s.listen = where;
    }
  }
  if (a.listen.empty()) s.listen = "127.0.0.1:14321";
  if (!a.key.empty()) s.key = net::key_in(a.key, "V5302", "the RTI");
  if (a.certificate.empty() != a.certificate_key.empty())
    throw ConfigurationError("V5301", "--tls-certificate and --tls-key go together");
  s.certificate = a.certificate;
  s.certificate_key = a.certificate_key;
  s.tolerate = wait_of("--tolerate", a.tolerate);
  s.patience = wait_of("--patience", a.patience);
  s.most_connections = a.most;
  s.verbose = a.verbose;
  s.log = say;
  return s;
}

/// Warns when the RTI listens to other machines without authentication.
void warn_if_open(const federation::ServerSettings& s) {
  const auto address = net::parsed_address(s.listen);
  if (!address || !s.key.empty()) return;
  if (!net::beyond_this_machine(*address)) return;
  Diagnostics problems;
  problems
      .warning("V5303", fmt::format("any process that can reach {} can join", net::text(*address)),
               {})
      .notes.emplace_back("say --key-file FILE, and give the federates the same file");
  print_problems(problems);
}

int serve_federations(const RtiRequest& a) {
  federation::ServerSettings settings = server_settings(a);
  allow_files(a.most + 64);
  warn_if_open(settings);
  auto core =
      std::make_unique<federation::Core>(federation::CoreSettings{.save_folder = a.saves,
                                                                  .log = say,
                                                                  .most_waiting = a.waiting << 20,
                                                                  .patience = settings.patience});
  federation::RtiServer server(std::move(settings), std::move(core));
  say(fmt::format("the RTI waits at {}; Ctrl-C ends", joined(server.addresses(), " and ")));
  const Interruptible guard(
      [](void* whom) noexcept { static_cast<federation::RtiServer*>(whom)->stop(); }, &server);
  server.serve();
  say("the RTI has ended");
  return status::good;
}

}  // namespace

Action declare_rti(CLI::App& app) {
  auto asked = std::make_shared<RtiRequest>();
  app.add_option(
         "--listen", asked->listen,
         "where to wait (127.0.0.1:14321); port 0: any that is free; once each for TCP and Unix")
      ->type_name("HOST:PORT|unix:PATH")
      ->expected(1)
      ->take_all();
  app.add_option("--key-file", asked->key,
                 "admit only federates with this key; any file of at most 4 KiB")
      ->type_name("FILE");
  app.add_option("--tls-certificate", asked->certificate, "speak TLS with this certificate (PEM)")
      ->type_name("FILE");
  app.add_option("--tls-key", asked->certificate_key, "its private key (PEM)")->type_name("FILE");
  app.add_option("--tolerate", asked->tolerate,
                 "how long a federate may be stopped or disconnected before it is resigned (30s)")
      ->type_name("TIME");
  app.add_option("--save-folder", asked->saves, "keep what federations save here, not in memory")
      ->type_name("FOLDER");
  app.add_option("--max-federates", asked->most, "how many may be connected (1000)")
      ->type_name("N")
      ->check(CLI::Range(1, 100000));
  app.add_option(
         "--max-waiting", asked->waiting,
         "MiB of messages that may wait for a federate; beyond that, its senders are blocked (256)")
      ->type_name("MIB")
      ->check(CLI::Range(64, 1 << 20));
  app.add_option("--patience", asked->patience,
                 "how long a federate may keep others waiting without taking callbacks or asking "
                 "to advance before it is resigned (10min)")
      ->type_name("TIME");
  app.add_flag("-v,--verbose", asked->verbose, "also say who connects and disconnects");
  return [asked](const Invocation&) { return serve_federations(*asked); };
}

}  // namespace vernier::app
