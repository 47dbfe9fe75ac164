#include <cmath>

#include "vernier/base/instructions.hpp"
#include "vernier/gateway/connector/detail/parameters.hpp"
#include "vernier/gateway/heartbeat/heartbeat.hpp"
#include "vernier/gateway/link/partner.hpp"
#include "vernier/gateway/rsp/components.hpp"
#include "vernier/gateway/shared/neighbour.hpp"
#include "vernier/net/secret.hpp"

namespace vernier::connector {
namespace {

std::string link_misfit(const Connector& connector) {
  const channel::Channels& c = connector.channels;
  if (!c.events_in.empty() || !c.events_out.empty()) return "a link connector has no events";
  if (!c.feedthrough.empty()) return "a link connector has no feedthrough";
  return {};
}

// SCP uses two connections, control and data; data defaults to the port after the control port
net::Address data_address(const Parameters& p, const Meeting& m) {
  const net::Address& control = m.address;
  const std::string& given = p.text("data");
  if (!given.empty()) {
    const auto address = net::parsed_address(given);
    if (!address) p.reject("data", "it must be an address like 127.0.0.1:42751");
    return *address;
  }
  const int port = std::stoi(control.port);
  if (port == 65535)
    p.reject(m.listen ? "listen" : "connect", "there is no port after it: give data too");
  return {control.host, port == 0 ? "0" : std::to_string(port + 1)};
}

// Time is an integer number of nanoseconds, so the rate must be an exact ratio of integers: 250 Hz
// is 250 in 1 s; 33.333333333333336 Hz is 100 in 3 s.
Rate rate_of(const Parameters& p) {
  const double hertz = p.real("rate");
  if (!(hertz >= 1e-3 && hertz <= 1e6)) p.reject("rate", "it must be from 0.001 Hz to 1 MHz");
  for (std::int64_t seconds = 1; seconds <= 1000; ++seconds) {
    const double times = std::round(hertz * static_cast<double>(seconds));
    const double exact = times / static_cast<double>(seconds);
    if (times >= 1.0 && std::abs(exact - hertz) <= 1e-12 * hertz)
      return {static_cast<std::int64_t>(times), seconds};
  }
  p.reject("rate", "the rate must be a whole number of steps in at most 1000 whole seconds");
}

link::Element element(const std::string& s) {
  return s == "int8"    ? link::Element::int8
         : s == "uint8" ? link::Element::uint8
                        : link::Element::real;
}

std::chrono::milliseconds patience(const Parameters& p) {
  return p.real("patience") == 0.0 ? std::chrono::milliseconds(0) : milliseconds(p, "patience");
}

// the parameters that SCP and RSP links have in common
void check_connection(const Parameters& p) {
  data_address(p, meeting(p));
  rate_of(p);
  patience(p);
  if (milliseconds(p, "timeout") < 2 * milliseconds(p, "ping"))
    p.reject("timeout", "it must be at least twice the interval of the pings");
  milliseconds(p, "delay");
  if (p.integer("priority") < 0 || p.integer("priority") > 99)
    p.reject("priority", "it must be from 0, which is none, to 99");
}

void check_link(const Connector&, const Parameters& p) {
  check_connection(p);
  if (!(p.real("stale") > 0.0)) p.reject("stale", "it must be positive");
}

link::Settings connection(const Parameters& p) {
  const Meeting m = meeting(p);
  link::Settings s;
  s.name = p.instance();
  s.role = m.listen ? link::Role::server : link::Role::client;
  s.control = m.address;
  s.data = data_address(p, m);
  if (!p.text("key").empty())
    s.key = net::key_in(p.file("key"), "V5143", "the link \"" + p.instance() + "\"");
  else if (m.listen && net::beyond_this_machine(m.address))
    p.warn("listen", "V5144",
           "any process that can reach " + net::text(m.address) + " can be the peer of this link")
        .notes.push_back("name a file with a key here and there: <parameter name=\"key\">");
  s.computing = {p.arithmetic(), chosen_instructions()};
  s.ping_interval = milliseconds(p, "ping");
  s.ping_timeout = milliseconds(p, "timeout");
  s.delay_interval = milliseconds(p, "delay");
  s.check_payload = p.boolean("checksum");
  s.priority = static_cast<int>(p.integer("priority"));
  return s;
}

std::unique_ptr<Component> make_link(const Connector& c, const Parameters& p,
                                     const Surroundings& around) {
  link::PartnerSettings s;
  s.link = connection(p);
  s.link.send_element = element(p.text("send"));
  s.link.receive_element = element(p.text("receive"));
  s.link.interface_hash = link::interface_hash(p.text("interface"));
  s.link.drop_not_finite = p.text("not_finite") == "drop";
  s.link.stale_periods = p.real("stale");
  s.rate = rate_of(p);
  s.patience = patience(p);
  s.stop_when_lost = p.text("loss") == "stop";
  s.follow = p.boolean("follow");
  s.notice = around.notice;
  return std::make_unique<link::Partner>(c.channels, s);
}

/// The parameters that all links share, with the adapter's own between them.
std::vector<ParameterSpec> connection_specs(std::vector<ParameterSpec> own) {
  std::vector<ParameterSpec> all{
      text("listen", "", "the address to wait at, as a server"),
      text("connect", "", "the address to go to, as a client"),
      text("data", "", "the address of the data connection; else the next port"),
      {.name = "rate", .unit = "1/s", .description = "steps of this side"},
      {.name = "key",
       .kind = ParameterKind::file,
       .initial = "",
       .description = "a file with the key that both sides know",
       .secret = true},
      span_of_time("ping", "0.1", "between pings"),
      span_of_time("timeout", "1", "without an answer to a ping: the link is lost"),
      span_of_time("delay", "0.1", "between exchanges that compare the clocks"),
      span_of_time("patience", "0", "for the other side to come at the start; 0: not waited for"),
      yes_or_no("checksum", "yes", "over every vector"),
      yes_or_no("follow", "no", "a run against the clock keeps to that of the side that listens"),
      {.name = "priority",
       .kind = ParameterKind::integer,
       .initial = "0",
       .description = "of the communication thread, as SCHED_FIFO; 0: none"}};
  for (ParameterSpec& s : own) all.push_back(std::move(s));
  return all;
}

// -- heartbeat -----------------------------------------------------------------------------------

std::string heartbeat_misfit(const Connector& connector) {
  const channel::Channels& c = connector.channels;
  if (!c.events_in.empty() || !c.events_out.empty()) return "a heartbeat connector has no events";
  if (!c.outputs.empty()) return "a heartbeat connector has inputs only: nothing answers";
  if (channel::size(c.inputs) > heartbeat::most_numbers) {
    return "a heartbeat has at most " + std::to_string(heartbeat::most_numbers) + " numbers, not " +
           std::to_string(channel::size(c.inputs));
  }
  return {};
}

net::Address heartbeat_address(const Parameters& p) {
  const auto to = net::parsed_address(p.text("to"));
  if (!to || to->port == "0") p.reject("to", "it must be an address like 127.0.0.1:42760");
  return *to;
}

void check_heartbeat(const Connector&, const Parameters& p) {
  heartbeat_address(p);
  rate_of(p);
}

std::unique_ptr<Component> make_heartbeat(const Connector& c, const Parameters& p,
                                          const Surroundings&) {
  return std::make_unique<heartbeat::Heartbeat>(
      c.channels,
      heartbeat::Settings{.name = p.instance(), .to = heartbeat_address(p), .rate = rate_of(p)});
}

// -- shared --------------------------------------------------------------------------------------

std::string shared_misfit(const Connector& connector) {
  const channel::Channels& c = connector.channels;
  if (!c.events_in.empty() || !c.events_out.empty()) return "a shared connector has no events";
  if (!c.feedthrough.empty()) return "a shared connector has no feedthrough";
  return {};
}

void check_shared(const Connector&, const Parameters& p) {
  if (p.text("name").empty()) p.reject("name", "the memory must be named");
  rate_of(p);
  patience(p);
  if (!(p.real("stale") > 0.0)) p.reject("stale", "it must be positive");
  if (p.integer("capacity") < 1 || p.integer("capacity") > 65536)
    p.reject("capacity", "it must be from 1 to 65536");
}

std::unique_ptr<Component> make_neighbour(const Connector& c, const Parameters& p,
                                          const Surroundings& around) {
  shared::NeighbourSettings s;
  s.memory.component = p.instance();
  s.memory.name = p.text("name");
  s.memory.side = p.text("side") == "left" ? shared::Side::left : shared::Side::right;
  s.memory.keep = p.text("keep") == "queue" ? shared::Keep::queue : shared::Keep::latest;
  s.memory.capacity = static_cast<std::uint32_t>(p.integer("capacity"));
  s.memory.interface_hash = link::interface_hash(p.text("interface"));
  s.rate = rate_of(p);
  s.stale_periods = p.real("stale");
  s.patience = patience(p);
  s.stop_when_lost = p.text("loss") == "stop";
  s.notice = around.notice;
  return std::make_unique<shared::Neighbour>(c.channels, s);
}

// -- rsp -----------------------------------------------------------------------------------------

std::string rsp_misfit(const Connector& c) {
  const channel::Channels& ch = c.channels;
  if (!ch.inputs.empty() || !ch.outputs.empty() || !ch.events_in.empty() ||
      !ch.events_out.empty() || !ch.feedthrough.empty())
    return "the signals of an rsp connector are those of its bodies";
  if (c.bodies.empty()) return "an rsp connector needs a body";
  return {};
}

struct LimitSpec {
  const char *name, *unit, *description;
  std::uint32_t count;
};
constexpr LimitSpec limit_specs[] = {{"low", "m", "the least of each coordinate", 3},
                                     {"high", "m", "the largest of each coordinate", 3},
                                     {"speed", "m/s", "the largest", 1},
                                     {"acceleration", "m/s^2", "the largest", 1},
                                     {"jerk", "m/s^3", "the largest", 1},
                                     {"angular_rate", "rad/s", "the largest", 1},
                                     {"angular_acceleration", "rad/s^2", "the largest", 1},
                                     {"angular_jerk", "rad/s^3", "the largest", 1}};

/// The limits apply to all bodies except those with limits of their own, as in `servicer.speed`.
std::vector<ParameterSpec> server_specs(const Connector& c) {
  std::vector<ParameterSpec> own;
  for (const LimitSpec& l : limit_specs) {
    bool all_have = true;
    for (const std::string& body : c.bodies) {
      const std::string name = body + "." + l.name;
      if (!c.parameters.contains(name)) {
        all_have = false;
        continue;
      }
      own.push_back({.name = name, .unit = l.unit, .count = l.count, .description = l.description});
    }
    if (!all_have || c.parameters.contains(l.name)) {
      own.push_back({.name = l.name,
                     .unit = l.unit,
                     .count = l.count,
                     .description = std::string(l.description) + " that a body may have"});
    }
  }
  for (const std::string& body : c.bodies) {
    own.push_back({.name = body + ".home",
                   .unit = "m",
                   .count = 3,
                   .initial = "0 0 0",
                   .description = "where the body is while nobody measures it"});
    own.push_back({.name = body + ".home_attitude",
                   .count = 4,
                   .initial = "0 0 0 1",
                   .description = "the same, as a quaternion, scalar last"});
  }
  own.push_back(yes_or_no("accelerations", "no", "commands have accelerations"));
  own.push_back(choice("curve", {"quintic", "cubic", "kim", "kim_quintic"}, "quintic",
                       "between commands; the quintics need accelerations"));
  own.push_back(choice("on_limit", {"reject", "scale"}, "reject",
                       "a command that leaves the limits is not used, or given more time"));
  own.push_back({.name = "fade",
                 .initial = "2",
                 .description = "intervals over which acceleration fades without a command"});
  own.push_back({.name = "intervals",
                 .kind = ParameterKind::integer,
                 .initial = "3",
                 .description = "without a command, then the run ends"});
  own.push_back(span_of_time("longest", "1", "without a command, then the run ends"));
  own.push_back(span_of_time("halt", "0.1", "no halt is shorter"));
  return connection_specs(std::move(own));
}

rsp::SideSettings side(const Connector& c, const Parameters& p, const Surroundings& around) {
  rsp::SideSettings s;
  s.link = connection(p);
  s.rate = rate_of(p);
  s.bodies = c.bodies;
  s.accelerations = p.boolean("accelerations");
  s.patience = patience(p);
  s.follow = p.boolean("follow");
  s.notice = around.notice;
  return s;
}

void check_rsp_server(const Connector& c, const Parameters& p) {
  check_connection(p);
  for (const LimitSpec& l : limit_specs) {
    for (const std::string& body : c.bodies) {
      const std::string own = body + "." + l.name;
      const std::string name = c.parameters.contains(own) ? own : l.name;
      if (l.count == 1 && !(p.real(name) > 0.0)) p.reject(name, "it must be positive");
    }
  }
  for (const std::string& body : c.bodies) {
    double norm = 0.0;
    for (const double x : p.reals(body + ".home_attitude")) norm += x * x;
    if (!(std::abs(norm - 1.0) <= 1e-3))
      p.reject(body + ".home_attitude", "it must be a unit quaternion");
  }
  if (!(p.real("fade") > 0.0)) p.reject("fade", "it must be positive");
  if (p.integer("intervals") < 1 || p.integer("intervals") > 7)
    p.reject("intervals", "it must be from 1 to 7");
  milliseconds(p, "longest");
  milliseconds(p, "halt");
}

std::unique_ptr<Component> make_rsp_server(const Connector& c, const Parameters& p,
                                           const Surroundings& around) {
  rsp::ServerSideSettings s;
  s.side = side(c, p, around);
  for (const std::string& body : c.bodies) {
    const auto value = [&](const char* what) -> const std::vector<double>& {
      const std::string own = body + "." + what;
      return p.reals(c.parameters.contains(own) ? own : what);
    };
    rsp::Limits l;
    for (int i = 0; i < 3; ++i) {
      l.low[i] = value("low")[static_cast<std::size_t>(i)];
      l.high[i] = value("high")[static_cast<std::size_t>(i)];
    }
    l.speed = value("speed")[0];
    l.acceleration = value("acceleration")[0];
    l.jerk = value("jerk")[0];
    l.rate = value("angular_rate")[0];
    l.angular_acceleration = value("angular_acceleration")[0];
    l.angular_jerk = value("angular_jerk")[0];
    s.server.limits.push_back(l);
    rsp::Trajectory home;
    const std::vector<double>&at = p.reals(body + ".home"), &q = p.reals(body + ".home_attitude");
    home.p = rsp::Vector3(at[0], at[1], at[2]);
    home.q = spatial::Quaternion(q[0], q[1], q[2], q[3]).normalized();
    s.home.push_back(home);
  }
  const std::string& curve = p.text("curve");
  s.server.curve = curve == "kim"           ? rsp::Curve::kim
                   : curve == "cubic"       ? rsp::Curve::cubic
                   : curve == "kim_quintic" ? rsp::Curve::kim_quintic
                                            : rsp::Curve::quintic;
  s.server.on_limit = p.text("on_limit") == "scale" ? rsp::ServerSettings::OnLimit::scale
                                                    : rsp::ServerSettings::OnLimit::reject;
  s.server.fade = p.real("fade");
  s.server.most_intervals = static_cast<int>(p.integer("intervals"));
  s.server.most_time = p.real("longest");
  s.server.shortest_halt = p.real("halt");
  return std::make_unique<rsp::ServerSide>(std::move(s));
}

void check_rsp_client(const Connector&, const Parameters& p) {
  check_connection(p);
  if (!rsp::forerun(p.real("forerun")))
    p.reject("forerun", "it must be from 0 to 1, with at most six decimals");
  if (!(p.real("initial") >= 0.0 && p.real("initial") <= 1e6))
    p.reject("initial", "it must be from 1 s to 600 s");
  if (!(p.real("duration") >= 0.0 && p.real("duration") <= 1e9))
    p.reject("duration", "it must not be negative");
}

std::unique_ptr<Component> make_rsp_client(const Connector& c, const Parameters& p,
                                           const Surroundings& around) {
  const auto duration = [&](const char* name) {
    return Duration(std::llround(p.real(name) * 1e9));
  };
  rsp::ClientSideSettings s;
  s.side = side(c, p, around);
  s.client.nu = *rsp::forerun(p.real("forerun"));
  s.client.initial = duration("initial");
  s.client.duration = duration("duration");
  return std::make_unique<rsp::ClientSide>(std::move(s));
}

}  // namespace

Adapter link_adapter() {
  const std::vector<std::string> elements{"double", "int8", "uint8"};
  return {connection_specs(
              {choice("send", elements, "double", "type of the elements that leave"),
               choice("receive", elements, "double", "type of the elements that come"),
               text("interface", "", "what the vectors mean; compared when both sides give it"),
               choice("not_finite", {"pass", "drop"}, "pass", "vectors with NaN or infinity"),
               choice("loss", {"hold", "stop"}, "hold", "what a lost link does to the run"),
               {.name = "stale",
                .initial = "3",
                .description = "periods of the other side without a vector that make it stale"}}),
          link_misfit, check_link, make_link};
}

Adapter heartbeat_adapter() {
  return {{text("to", {}, "the address of the supervisor, which receives datagrams (UDP)"),
           {.name = "rate", .unit = "1/s", .initial = "100", .description = "of the heartbeat"}},
          heartbeat_misfit,
          check_heartbeat,
          make_heartbeat};
}

Adapter shared_adapter() {
  return {
      {text("name", {}, "of the memory; the same on both sides"),
       choice("side", {"left", "right"}, "left", "which of the two sides this is"),
       {.name = "rate", .unit = "1/s", .description = "steps of this side"},
       choice("keep", {"latest", "queue"}, "latest", "the newest vector, or all in order"),
       {.name = "capacity",
        .kind = ParameterKind::integer,
        .initial = "64",
        .description = "vectors in a queue"},
       text("interface", "", "what the vectors mean; compared when both sides give it"),
       span_of_time("patience", "0", "for the other side to come at the start; 0: not waited for"),
       choice("loss", {"hold", "stop"}, "hold", "what silence of the other side does"),
       {.name = "stale",
        .initial = "3",
        .description = "periods of the other side without a vector that make it stale"}},
      shared_misfit,
      check_shared,
      make_neighbour};
}

Adapter rsp_server_adapter(const Connector& c) {
  return {server_specs(c), rsp_misfit, check_rsp_server, make_rsp_server};
}

Adapter rsp_client_adapter(const Connector&) {
  return {connection_specs(
              {yes_or_no("accelerations", "no", "commands have accelerations"),
               {.name = "forerun",
                .initial = "0.5",
                .description = "of a period, that commands come before they are needed; 0 to 1"},
               span_of_time("initial", "30", "for the facility to come to the initial state"),
               span_of_time("duration", "0", "of a run; 0: until it is stopped")}),
          rsp_misfit, check_rsp_client, make_rsp_client};
}

}  // namespace vernier::connector
