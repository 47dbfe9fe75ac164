#include <fmt/format.h>
#include <sys/resource.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <memory>

#include "apps/vernier/command.hpp"
#include "apps/vernier/console.hpp"
#include "apps/vernier/permissions.hpp"
#include "apps/vernier/servers.hpp"
#include "vernier/base/instructions.hpp"
#include "vernier/base/text.hpp"
#include "vernier/run/realtime/doctor.hpp"
#include "vernier/run/record/manifest.hpp"
#include "vernier/run/server/credentials.hpp"
#include "vernier/run/server/discovery.hpp"
#include "vernier/run/server/host.hpp"

namespace vernier::app {
namespace {

namespace fs = std::filesystem;

struct ServerRequest {
  std::string listen = "127.0.0.1", folder, drain_within = "60s";
  server::CredentialFiles files;
  std::uint64_t memory = 0, disk = 0, cached = 4096;  // MiB
  std::uint32_t processors = 0;
  int nice = 0;
  std::optional<std::uint32_t> runs;
  std::size_t connections = 256;
  Permissions permissions;
  bool announce = false;
};

std::atomic<server::Host*> served{nullptr};
std::atomic<int> asked_to_end{0};

/// The first signal drains, the second ends.
void on_end_signal(int) {
  server::Host* const host = served.load();
  if (!host) return;
  if (asked_to_end.fetch_add(1) == 0)
    host->drain();
  else
    host->stop();
}

/// Handles the signals while a server serves.
class EndSignals {
 public:
  explicit EndSignals(server::Host& h) {
    served = &h;
    for (const int s : {SIGINT, SIGTERM, SIGHUP}) std::signal(s, on_end_signal);
    std::signal(SIGPIPE, SIG_IGN);
  }
  ~EndSignals() {
    for (const int s : {SIGINT, SIGTERM, SIGHUP}) std::signal(s, SIG_DFL);
    served = nullptr;
  }
  EndSignals(const EndSignals&) = delete;
  EndSignals& operator=(const EndSignals&) = delete;
};

void say_at_once(std::string_view line) {
  fmt::print("{}\n", harmless(std::string(line)));
  std::fflush(stdout);
}

fs::path cache_folder() {
  // as the XDG Base Directory Specification has it: a relative path is ignored
  if (const char* cache = std::getenv("XDG_CACHE_HOME"); cache && cache[0] == '/')
    return fs::path(cache) / "vernier/server";
  if (const char* home = std::getenv("HOME"); home && home[0] == '/')
    return fs::path(home) / ".cache/vernier/server";
  throw ConfigurationError("V5641", "the server has no folder for files; say --folder DIR");
}

server::About this_server(const ServerRequest& a) {
  const realtime::Machine m = realtime::this_machine();
  constexpr double usual_period = 4e6;  // ns
  const realtime::Privilege priority{.name = "real-time priority",
                                     .granted = m.may_prioritize || m.rtprio_limit > 0};
  const realtime::Verdict fitness =
      realtime::concluded(realtime::examined(m, {priority}), usual_period);
  return {.version = std::string(version()),
          .host = m.host,
          .kernel = m.kernel,
          .instructions = name(best_instructions()),
          .arithmetic = name(Arithmetic::reproducible),
          .processors = static_cast<std::uint32_t>(m.usable.size()),
          .memory = m.memory,
          .fit = fitness.fit,
          .fitness = fitness.words,
          .most_runs = a.runs.value_or(
              std::max<std::uint32_t>(1, static_cast<std::uint32_t>(m.usable.size()))),
          .types = catalogue().names()};
}

server::HostSettings host_settings(const ServerRequest& a) {
  server::HostSettings s;
  s.listen = server_address(a.listen);
  const bool proved = !a.files.key.empty() || !a.files.certificate.empty();
  if (net::beyond_this_machine(s.listen) && !proved)
    throw refusal("V5638",
                  fmt::format("other machines can reach {}, and whoever does could run programs "
                              "here",
                              net::text(s.listen)),
                  "say --key FILE, or --certificate, --private-key and --authorities");
  server::Credentials c = server::credentials(a.files, server::Side::server);
  s.key = std::move(c.key);
  s.tls = std::move(c.tls);
  s.folder = a.folder.empty() ? cache_folder() : fs::absolute(a.folder);
  s.most_cached = a.cached << 20;
  s.launch = {"/proc/self/exe", executor_words(a.permissions, a.files)};
  s.limits = {a.memory << 20, a.disk << 20, a.processors, a.nice};
  s.about = this_server(a);
  s.most_connections = a.connections;
  s.drain_within = std::chrono::duration_cast<std::chrono::milliseconds>(
      time_in("--drain-within", a.drain_within));
  s.log = say_at_once;
  return s;
}

/// Each connection and executor takes a few descriptors.
void allow_descriptors(std::size_t count) {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= count) return;
  limit.rlim_cur = std::min<rlim_t>(limit.rlim_max, count);
  setrlimit(RLIMIT_NOFILE, &limit);
}

/// Says on the local network that the server is there.
std::unique_ptr<server::Announcement> announced(const std::string& where) {
  constexpr auto within = std::chrono::seconds(20);
  const auto at = net::parsed_address(where);
  if (!at || !net::beyond_this_machine(*at))
    throw refusal("V5657", fmt::format("other computers cannot reach {}", where),
                  "--announce goes with --listen 0.0.0.0, for example");
  auto a = server::Announcement::of(record::host_name(),
                                    static_cast<std::uint16_t>(*parsed_integer(at->port)),
                                    std::string(version()), net::Clock::now() + within);
  if (!a) throw no_avahi("the server cannot be announced", a.error());
  return std::move(*a);
}

int host_executors(const ServerRequest& a) {
  allow_descriptors(5 * a.connections + 64);
  server::Host host(host_settings(a));
  const auto announcement = a.announce ? announced(host.address()) : nullptr;
  const EndSignals guard(host);
  say_at_once(fmt::format("the server waits at {}; Ctrl-C ends", host.address()));
  host.serve();
  say_at_once("the server has ended");
  return status::good;
}

}  // namespace

Action declare_server(CLI::App& app) {
  auto asked = std::make_shared<ServerRequest>();
  app.add_option("--listen", asked->listen,
                 "where to wait (127.0.0.1:4870); port 0: any that is free")
      ->type_name("HOST[:PORT]");
  app.add_flag("--announce", asked->announce,
               "say on the local network that it is there (mDNS): vernier nodes --discover");
  declare_credentials(app, asked->files);
  app.add_option("--runs", asked->runs,
                 "how many executors it hosts at once (one for each processor)")
      ->type_name("N")
      ->check(CLI::Range(1, 100'000).description(""));
  app.add_option("--memory", asked->memory, "MiB of address space that an executor may take")
      ->type_name("MIB")
      ->check(CLI::Range(1, 1 << 30).description(""));
  app.add_option("--disk", asked->disk, "MiB that an executor may write into its folder")
      ->type_name("MIB")
      ->check(CLI::Range(1, 1 << 30).description(""));
  app.add_option("--processors", asked->processors, "how many processors an executor may use")
      ->type_name("N")
      ->check(CLI::Range(1, 100'000).description(""));
  app.add_option("--nice", asked->nice, "how much executors give way to other programs")
      ->type_name("N")
      ->check(CLI::Range(0, 19).description(""));
  app.add_option("--folder", asked->folder, "for files of runs (~/.cache/vernier/server)")
      ->type_name("DIR");
  app.add_option("--files", asked->cached, "MiB of files of runs that it keeps (4096)")
      ->type_name("MIB")
      ->check(CLI::Range(1, 1 << 30).description(""));
  app.add_option("--connections", asked->connections, "how many connections it has at most (256)")
      ->type_name("N")
      ->check(CLI::Range(1, 100'000).description(""));
  app.add_option("--drain-within", asked->drain_within,
                 "how long what it hosts may take to move or end after a signal (60s)")
      ->type_name("TIME");
  declare_permissions(app, asked->permissions, true);
  app.footer("The first signal (Ctrl-C, SIGTERM) drains the server; the second ends it at once.");
  return [asked](const Invocation&) { return host_executors(*asked); };
}

}  // namespace vernier::app
