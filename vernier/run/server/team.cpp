#include "vernier/run/server/team.hpp"

#include <fmt/format.h>
#include <sys/socket.h>

#include <chrono>
#include <filesystem>
#include <memory>
#include <set>
#include <utility>

#include "vernier/base/text.hpp"
#include "vernier/component/file_writer.hpp"
#include "vernier/component/rest.hpp"
#include "vernier/net/socket.hpp"
#include "vernier/run/placement/cost.hpp"
#include "vernier/run/placement/nodes.hpp"
#include "vernier/run/placement/place.hpp"
#include "vernier/run/server/attached.hpp"
#include "vernier/run/server/common_clock.hpp"
#include "vernier/run/server/composer.hpp"
#include "vernier/run/server/hosts.hpp"

namespace vernier::server {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

constexpr auto measured_for = 50ms;
constexpr auto connect_within = 5s, deliver_within = 60s;

[[noreturn]] void not_yet(std::string what, std::string note) {
  Diagnostics d;
  d.error("V5605", std::move(what), {}).notes.push_back(std::move(note));
  throw ConfigurationError(d);
}

/// What several nodes cannot do yet.
void check(const composition::Plan& plan, const session::Options& o,
           const placement::Placement& placed, const placement::Nodes& nodes) {
  if ((o.rate || o.real_time) && o.late.kind == realtime::Late::slip)
    not_yet("late frames cannot slip in a run on several nodes",
            "--late catch-up, elastic or strict keep to the clock");
  for (std::size_t i = 0; i < plan.parts.size(); ++i) {
    const Component* c = plan.parts[i].component.get();
    const std::string& name = plan.parts[i].name;
    if (dynamic_cast<const ComesToRest*>(c))
      not_yet(
          name + " must come to rest before a run ends, which a run on several nodes cannot yet",
          "run it in one process, without --on");
    const auto* source = dynamic_cast<const PacerSource*>(c);
    if (source && source->withholds_time())
      not_yet(name + " shares time with others, which a run on several nodes cannot yet",
              "run it in one process, without --on");
    auto* clock = dynamic_cast<TimeBaseSource*>(plan.parts[i].component.get());
    if ((o.rate || o.real_time) && clock && clock->time_base())
      not_yet(name + " has a clock that the run is to follow, which a run on several nodes cannot",
              "run it in one process, without --on");
    if (dynamic_cast<const FileWriter*>(c) && !nodes.hosts[placed.nodes[i]].local())
      not_yet(fmt::format("{} writes files, which would be on {}", name,
                          nodes.hosts[placed.nodes[i]].name),
              fmt::format("give {} a node of this computer: add the node \"local\" to --on", name));
  }
}

/// OpenSSL allocates memory where nodes exchange values in their frames.
void warn_of_tls(const placement::Nodes& nodes, const TeamSettings& s, Diagnostics& problems) {
  std::vector<std::string> secured;
  for (const placement::Host& h : nodes.hosts)
    if (!h.local() && !(h.certificate.empty() && s.files.certificate.empty()))
      secured.push_back(h.name);
  if (secured.empty() || nodes.hosts.size() < 2) return;
  problems
      .warning("V4111",
               fmt::format("the nodes exchange values by TLS ({}), which allocates memory in each "
                           "frame: it may make frames late",
                           joined(secured, ", ")),
               {})
      .notes.push_back(
          "in a network that is closed to others, servers can use a key without TLS: --key FILE");
}

/// The files that a document and what it refers to are made of.
std::vector<fs::path> files_of(const composition::Composition& c) {
  std::set<fs::path> all;
  for (const auto* files : {&c.documents, &c.data})
    for (const fs::path& f : *files) all.insert(fs::absolute(f).lexically_normal());
  return {all.begin(), all.end()};
}

template <class T>
T value_of(Result<T, Diagnostic> r) {
  if (r) return std::move(*r);
  Diagnostics d;
  d.add(r.error());
  throw ConfigurationError(d);
}

net::Address address_of(const placement::Host& h) { return {h.address, std::to_string(h.port)}; }

/// An executor at a server.
struct Elsewhere {
  placement::Host host;
  Credentials with;
  std::string version, run;
  std::vector<fs::path> files;
  std::shared_ptr<Attached> attached;  // shared by the nodes and the session

  Started operator()() const {
    const net::Address where = address_of(host);
    Connection c =
        value_of(Connection::to(where, with, version, net::Clock::now() + connect_within));
    c.set_deadline(net::Clock::now() + deliver_within);
    Started s;
    for (auto& [file, there] : value_of(c.files(files)))
      s.files.insert(s.files.end(), {file, there});
    s.stream =
        value_of(c.execute({.run = run, .node = host.name, .composer = attached->composer()}));
    attached->executor_started(where);
    return s;
  }
};

/// The address of this machine that a server sees; the server need not be reached for that.
std::string own_address(const placement::Host& server) {
  const auto probe = net::datagrams_to({server.address, std::to_string(server.port)});
  if (!probe) return "127.0.0.1";
  const std::string text = net::text(net::own_end_of(probe->get()));
  const auto address = net::parsed_address(text);
  return address ? address->host : "127.0.0.1";
}

placement::Placement placed(const composition::Plan& plan, const composition::Composition& c,
                            const placement::Nodes& nodes, const TeamSettings& s,
                            Diagnostics& problems) {
  const auto by = [&](std::span<const double> cost, Diagnostics& found) {
    try {
      return placement::place(plan, c, nodes, cost, found);
    } catch (const ConfigurationError& e) {
      throw ConfigurationError(session::with_lines(e.diagnostics(), *c.sources));
    }
  };
  placement::Placement p = by({}, problems);
  const bool automatic =
      std::find(p.why.begin(), p.why.end(), placement::Why::automatic) != p.why.end();
  if (!automatic || nodes.hosts.size() < 2 || !s.plan) return p;
  Diagnostics again;
  return by(placement::measured_cost(s.plan(), c, measured_for).by_part, again);
}

Pace pace_of(const session::Options& o, bool synchronised) {
  Pace p{.rate = o.rate.value_or(1.0), .late = realtime::text(o.late), .machine = machine_id()};
  p.synchronised = synchronised;
  if (!o.real_time) return p;
  p.real_time = true;
  p.priority = o.real_time->wanted.priority;
  p.cpu = o.real_time->wanted.cpu;
  p.lock = o.real_time->wanted.lock;
  p.require = o.real_time->require;
  p.spin = o.real_time->spin.count();
  return p;
}

Begin begin_of(const composition::Composition& c, const session::Options& o,
               const executive::Options& how, const TeamSettings& s,
               const placement::Nodes& nodes) {
  Begin b;
  b.version = s.version;
  b.document = fs::absolute(c.file).lexically_normal().string();
  b.folder = fs::current_path().string();
  b.set = o.changes.set;
  b.adjustable = o.changes.adjustable;
  if (o.changes.until) b.until = o.changes.until->count();
  b.seed = o.changes.seed;
  for (const auto& [file, now] : o.changes.moved)
    b.moved.insert(b.moved.end(), {file.string(), now.string()});
  for (const auto& [file, text] : o.changes.texts)
    b.texts.insert(b.texts.end(), {file.string(), text});
  b.threads = static_cast<std::uint32_t>(how.threads);
  if (o.rate || o.real_time) b.pace = pace_of(o, nodes.synchronised);
  b.keep_every = s.keep_every;
  if (!nodes.network.empty()) b.network = fs::absolute(nodes.network).lexically_normal().string();
  b.network_config = nodes.network_config;
  return b;
}

/// Nodes of this computer meet those of servers with the certificate that these are asked with.
Launch launch_here(const TeamSettings& s, const placement::Nodes& nodes) {
  Launch here = s.here;
  const auto server = std::find_if(nodes.hosts.begin(), nodes.hosts.end(),
                                   [](const placement::Host& h) { return !h.certificate.empty(); });
  if (server == nodes.hosts.end() || !s.files.certificate.empty()) return here;
  for (const auto& [option, file] : {std::pair("--certificate", &server->certificate),
                                     std::pair("--private-key", &server->certificate_key),
                                     std::pair("--authorities", &server->authorities)})
    here.words.push_back(fmt::format("{}={}", option, fs::absolute(*file).string()));
  return here;
}

/// Each server once.
std::shared_ptr<Attached> attached_to(const placement::Nodes& nodes, const TeamSettings& s,
                                      const session::Options& o) {
  std::vector<Attached::Server> servers;
  std::set<std::string> known;
  for (const placement::Host& h : nodes.hosts)
    if (!h.local() && known.insert(net::text(address_of(h))).second)
      servers.push_back({address_of(h), credentials_for(h, s.files)});
  return std::make_shared<Attached>(servers, s.version, o.on_warnings);
}

std::unique_ptr<executive::Executive> composed(
    const TeamSettings& s, std::shared_ptr<Attached>& attached, const composition::Composition& c,
    const session::Options& o, composition::Plan plan, std::vector<Pacer*> pacers,
    const executive::Options& how, session::Timing* timing) {
  Diagnostics problems;
  const placement::Nodes nodes = placement::nodes_of(s.on, problems);
  const placement::Placement where = placed(plan, c, nodes, s, problems);
  check(plan, o, where, nodes);
  if (o.real_time) warn_of_tls(nodes, s, problems);
  if (o.on_warnings && !problems.list().empty())
    o.on_warnings(session::with_lines(problems, *c.sources));
  Team team;
  team.begin = begin_of(c, o, how, s, nodes);
  team.division = where.division();
  team.timing = timing;
  const auto server = std::find_if(nodes.hosts.begin(), nodes.hosts.end(),
                                   [](const placement::Host& h) { return !h.local(); });
  const bool here = server == nodes.hosts.end();
  // over a network plug-in nodes of one computer meet as well
  const std::string own = !here ? own_address(*server) : nodes.network.empty() ? "" : "127.0.0.1";
  std::vector<fs::path> files = here ? std::vector<fs::path>{} : files_of(c);
  if (!here && !nodes.network.empty()) files.emplace_back(team.begin.network);
  const Launch local = launch_here(s, nodes);
  attached = attached_to(nodes, s, o);
  for (const placement::Host& h : nodes.hosts) {
    Seat seat{.name = h.name, .start = {}, .listen = h.local() ? own : h.address};
    if (h.local())
      seat.start = [launch = local] { return started_here(launch); };
    else
      seat.start = Elsewhere{h, credentials_for(h, s.files), s.version, c.name, files, attached};
    team.seats.push_back(std::move(seat));
  }
  return std::make_unique<Composer>(std::move(plan), std::move(pacers), how, std::move(team));
}

}  // namespace

Credentials credentials_for(const placement::Host& h, const CredentialFiles& given) {
  CredentialFiles f = given;
  if (!h.key_file.empty()) f.key = h.key_file;
  if (!h.certificate.empty()) {
    f.certificate = h.certificate;
    f.private_key = h.certificate_key;
    f.authorities = h.authorities;
  }
  return credentials(f, Side::client);
}

void run_on_nodes(TeamSettings settings, session::Options& options) {
  // that of the session which is being made; a run that is rewound makes another one
  const auto attached = std::make_shared<std::shared_ptr<Attached>>();
  options.executive = [s = std::move(settings), attached](
                          const composition::Composition& c, const session::Options& o,
                          composition::Plan plan, std::vector<Pacer*> pacers,
                          const executive::Options& how, session::Timing* timing) {
    return composed(s, *attached, c, o, std::move(plan), std::move(pacers), how, timing);
  };
  options.access = [attached](const std::string& run, const session::Control::Answer& answer) {
    (*attached)->open(run, answer);
    return std::shared_ptr<void>(nullptr, [a = *attached](void*) { a->close(); });
  };
}

}  // namespace vernier::server
