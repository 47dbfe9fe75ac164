#include "vernier/gateway/rsp/components.hpp"

#include <cmath>

#include "vernier/base/text.hpp"
#include "vernier/component/port_name.hpp"

namespace vernier::rsp {
namespace {

constexpr int most_often = 40;  // journal entries about commands per run

struct Count {
  const char *name, *description;
};
constexpr Count server_counts[] = {
    {"rsp.state",
     "0 idle, 1 ready, 2 approaching, 3 running, 4 extrapolating, 5 halting, 6 halted, "
     "7 fault"},
    {"rsp.run", "number of the run"},
    {"rsp.end",
     "why the last run ended: 1 stopped, 2 lost, 3 no commands, 4 unusable commands, 5 "
     "limits, 6 the server missed steps, 7 the facility, 8 its program ends or is frozen"},
    {"rsp.runs", "runs that began"},
    {"rsp.commands", "of this run that could be used"},
    {"rsp.extrapolated", "intervals without a command"},
    {"rsp.rejoined", "late commands that were still used"},
    {"rsp.late", "commands that came after their interval had begun"},
    {"rsp.early", "commands dropped because they came too far ahead"},
    {"rsp.duplicates", "commands that came twice"},
    {"rsp.other_run", "commands of other runs"},
    {"rsp.rejected", "commands that are not numbers or leave the limits"},
    {"rsp.refused", "initializations"},
    {"rsp.malformed", "vectors that are not packets"},
    {"rsp.gaps", "times that the server missed steps"}};

constexpr Count client_counts[] = {
    {"rsp.state", "0 offline, 1 waiting, 2 asking, 3 counting, 4 running, 5 stopping"},
    {"rsp.server", "state of the server"},
    {"rsp.run", "number of the run"},
    {"rsp.runs", "runs that began"},
    {"rsp.commands", "sent"},
    {"rsp.refused", "initializations refused or not answered"},
    {"rsp.extrapolated", "intervals without a command, as the server says"},
    {"rsp.late", "commands that came too late, as the server says"},
    {"rsp.rejected", "commands that the server could not use"},
    {"rsp.malformed", "vectors that are not packets"}};

void describe_flag(Description& d, const char* name, double initial, const char* description) {
  Port p{.name = name};
  p.scalar = Scalar::boolean;
  p.initial = std::vector<double>{initial};
  p.description = description;
  d.inputs.push_back(std::move(p));
}

ServerSettings completed(ServerSettings s, const SideSettings& side) {
  s.period = side.link.period;
  return s;
}

ClientSettings completed(ClientSettings s, const SideSettings& side) {
  s.period = side.link.period;
  s.bodies = static_cast<std::uint32_t>(side.bodies.size());
  s.accelerations = side.accelerations;
  return s;
}

/// "the way exceeds the limit of speed: servicer 0.71 m/s, allowed 0.5 m/s".
std::string refusal(std::int32_t item, std::int32_t body, const double (&values)[2],
                    const std::vector<std::string>& bodies) {
  if (item < 0 || item > static_cast<std::int32_t>(last_refusal))
    return "a reason that this program does not know";
  const auto why = static_cast<Refusal>(item);
  std::string s(words(why));
  if (values[0] == 0.0 && values[1] == 0.0) return s;
  const std::string unit_text = unit(why).empty() ? "" : " " + std::string(unit(why));
  s += ": ";
  if (why >= Refusal::turn && why <= Refusal::angular_jerk && body >= 0 &&
      static_cast<std::size_t>(body) < bodies.size())
    s += bodies[static_cast<std::size_t>(body)] + " ";
  char text[80];
  std::snprintf(text, sizeof text, "%.6g%s, the limit is %.6g%s", values[0], unit_text.c_str(),
                values[1], unit_text.c_str());
  return s + text;
}

}  // namespace

// -- server
// ----------------------------------------------------------------------------------------

ServerSide::ServerSide(ServerSideSettings s)
    : Side(std::move(s.side), true),
      server_settings_(completed(std::move(s.server), settings_)),
      home_(std::move(s.home)) {
  const std::size_t bodies = settings_.bodies.size();
  home_.resize(bodies);
  measured_.resize(bodies);
  in_.resize(bodies);
  out_.resize(bodies);
  server_ = std::make_unique<FacilityServer>(server_settings_);
  describe("measured.", true, false, &home_);
  describe_flag(description_, "ready", 1.0, "the facility follows commands");
  describe_flag(description_, "fault", 0.0, "the facility cannot continue");
  describe("", false, true, nullptr);
  description_.outputs.push_back({.name = "rsp.forerun",
                                  .unit = "s",
                                  .description = "before it was needed, the last command came"});
  description_.outputs.push_back({.name = "rsp.postponed",
                                  .unit = "s",
                                  .description = "by limits, against the client's time"});
  for (const Count& c : server_counts) describe_integer(c.name, c.description);
  link::Signals::describe(description_);
}

void ServerSide::bind(const Bindings& b) {
  Side::bind(b);
  for (std::size_t i = 0; i < settings_.bodies.size(); ++i) {
    in_[i] = inputs(b, PortName{"measured.", settings_.bodies[i]}, false);
    out_[i] = outputs(b, settings_.bodies[i], true);
  }
  ready_ = b.byte_input("ready");
  fault_ = b.byte_input("fault");
  forerun_ = b.real_output("rsp.forerun");
  postponed_ = b.real_output("rsp.postponed");
  counts_.clear();
  for (const Count& c : server_counts) counts_.push_back(b.integer_output(c.name));
}

void ServerSide::restart() {
  server_ = std::make_unique<FacilityServer>(server_settings_);
  server_->observe({false, false, home_});
  measured_ = home_;
}

void ServerSide::step() noexcept {
  server_->begin(plan_.step(), transport_, plan_.gap());
  for (const rsp::Note& n : server_->notes()) {
    const auto flows = [](std::int32_t s) {
      return s == static_cast<std::int32_t>(ServerState::running) ||
             s == static_cast<std::int32_t>(ServerState::extrapolating);
    };
    // a network that is always late would fill the journal; the counts continue
    const bool change = n.kind == rsp::Note::Kind::state;
    if (change && !flows(n.to)) often_ = 0;
    if ((change && flows(n.from) && flows(n.to)) || n.kind == rsp::Note::Kind::rejected) {
      if (++often_ > most_often) continue;
    }
    enter(static_cast<std::int32_t>(n.kind), n.from, n.to, n.item, n.values);
  }
}

void ServerSide::write() noexcept {
  for (std::size_t i = 0; i < out_.size(); ++i) Side::write(out_[i], server_->commanded()[i]);
  forerun_[0] = server_->forerun();
  postponed_[0] = server_->postponed();
  const ServerCounters& c = server_->counters();
  const std::int64_t values[] = {static_cast<std::int64_t>(server_->state()),
                                 server_->run(),
                                 static_cast<std::int64_t>(server_->end()),
                                 c.runs,
                                 c.commands,
                                 c.extrapolated,
                                 c.rejoined,
                                 c.late,
                                 c.early,
                                 c.duplicates,
                                 c.other_run,
                                 c.rejected,
                                 c.refused,
                                 c.malformed,
                                 c.gaps};
  static_assert(std::size(values) == std::size(server_counts));
  for (std::size_t i = 0; i < counts_.size(); ++i) counts_[i][0] = values[i];
}

Advance ServerSide::advance(Time, Time to) noexcept {
  bool sound = true;
  for (std::size_t i = 0; i < in_.size(); ++i) {
    Trajectory t;
    if (read(in_[i], t)) {
      measured_[i] = t;
    } else {
      sound = false;
    }
  }
  // a facility whose measurements are not finite cannot be trusted to follow commands
  server_->observe({ready_[0] != 0, fault_[0] != 0 || !sound, measured_});
  server_->send(transport_);
  return {to, server_->state() == ServerState::extrapolating ? Outcome::held : Outcome::ok};
}

Duration ServerSide::longest_rest() const noexcept {
  // some more steps: until the halt begins, and for what the client is told
  constexpr double steps = 8.0;
  const double s = server_->longest_halt() + steps * link::seconds(settings_.link.period);
  return std::chrono::duration_cast<Duration>(std::chrono::duration<double>(s));
}

std::string ServerSide::motion() const {
  std::string all;
  for (std::size_t i = 0; i < settings_.bodies.size(); ++i) {
    char text[64];
    const Trajectory& t = server_->commanded()[i];
    std::snprintf(text, sizeof text, " at %.3g m/s, %.3g rad/s", t.v.norm(), t.omega.norm());
    all += (i == 0 ? "" : ", ") + settings_.bodies[i] + text;
  }
  return all;
}

Telling ServerSide::told(const Entry& e) const {
  Telling t;
  t.kind = "rsp";
  switch (static_cast<rsp::Note::Kind>(e.kind)) {
    case rsp::Note::Kind::state:
      t.from = name(static_cast<ServerState>(e.from));
      t.to = name(static_cast<ServerState>(e.to));
      t.warning = e.to == static_cast<std::int32_t>(ServerState::fault);
      break;
    case rsp::Note::Kind::end:
      t.reason = "the run ends: " + std::string(words(static_cast<End>(e.item)));
      t.warning =
          static_cast<End>(e.item) != End::stopped && static_cast<End>(e.item) != End::closed;
      break;
    case rsp::Note::Kind::refused:
      t.reason = "no run: " + refusal(e.item, e.from, e.values, settings_.bodies);
      t.warning = true;
      break;
    case rsp::Note::Kind::rejected:
      t.reason = "a command is not used: " + refusal(e.item, e.from, e.values, settings_.bodies);
      t.warning = true;
      break;
    case rsp::Note::Kind::gap:
      t.reason = "the server missed steps for more than ten periods";
      t.warning = true;
      break;
    case rsp::Note::Kind::malformed:
      t.reason =
          "something came that is not a packet: " + std::string(words(static_cast<Flaw>(e.item))) +
          "; later ones are only counted";
      t.warning = true;
      break;
  }
  return t;
}

// -- client
// ----------------------------------------------------------------------------------------

ClientSide::ClientSide(ClientSideSettings s)
    : Side(std::move(s.side), false), client_settings_(completed(s.client, settings_)) {
  const std::size_t bodies = settings_.bodies.size();
  states_.resize(bodies);
  in_.resize(bodies);
  out_.resize(bodies);
  client_ = std::make_unique<Client>(client_settings_);
  describe("", true, settings_.accelerations, nullptr);
  // numbers, so that automata can be connected to them
  Port start{.name = "start"}, stop{.name = "stop"};
  start.initial = std::vector<double>{1.0};
  start.description = "1: a run is wanted as soon as the facility is ready";
  stop.initial = std::vector<double>{0.0};
  stop.description = "1: the run is to end";
  description_.inputs.push_back(std::move(start));
  description_.inputs.push_back(std::move(stop));
  describe("measured.", false, false, nullptr);
  Port running{.name = "running"};
  running.description = "1: the simulation advances from this step; 0: it is paused";
  description_.outputs.push_back(std::move(running));
  description_.outputs.push_back(
      {.name = "rsp.forerun", .unit = "s", .description = "as the server says"});
  description_.outputs.push_back(
      {.name = "rsp.start", .unit = "s", .description = "until the simulation begins"});
  for (const Count& c : client_counts) describe_integer(c.name, c.description);
  link::Signals::describe(description_);
}

void ClientSide::bind(const Bindings& b) {
  Side::bind(b);
  for (std::size_t i = 0; i < settings_.bodies.size(); ++i) {
    in_[i] = inputs(b, settings_.bodies[i], settings_.accelerations);
    out_[i] = outputs(b, PortName{"measured.", settings_.bodies[i]}, false);
  }
  start_ = b.real_input("start");
  stop_ = b.real_input("stop");
  running_ = b.real_output("running");
  forerun_ = b.real_output("rsp.forerun");
  to_start_ = b.real_output("rsp.start");
  counts_.clear();
  for (const Count& c : client_counts) counts_.push_back(b.integer_output(c.name));
}

void ClientSide::restart() { client_ = std::make_unique<Client>(client_settings_); }

void ClientSide::step() noexcept {
  client_->begin(plan_.step(), transport_);
  for (const Client::Note& n : client_->notes())
    enter(static_cast<std::int32_t>(n.kind), n.from, n.to, n.item, n.values);
}

void ClientSide::write() noexcept {
  for (std::size_t i = 0; i < out_.size(); ++i) Side::write(out_[i], client_->measured()[i]);
  running_[0] = client_->simulating() ? 1.0 : 0.0;
  const Remote& r = client_->remote();
  const ClientCounters& c = client_->counters();
  forerun_[0] = r.forerun;
  const bool counts_down = client_->state() == ClientState::counting && !client_->simulating();
  to_start_[0] = counts_down ? static_cast<double>(client_->start().client_step - plan_.step()) *
                                   link::seconds(settings_.link.period)
                             : 0.0;
  const std::int64_t values[] = {static_cast<std::int64_t>(client_->state()),
                                 static_cast<std::int64_t>(r.state),
                                 client_->run(),
                                 c.runs,
                                 c.commands,
                                 c.refused,
                                 r.extrapolated,
                                 r.late,
                                 r.rejected,
                                 c.malformed};
  static_assert(std::size(values) == std::size(client_counts));
  for (std::size_t i = 0; i < counts_.size(); ++i) counts_[i][0] = values[i];
}

Advance ClientSide::advance(Time, Time to) noexcept {
  // values that are not finite are sent as they are: the server refuses them
  for (std::size_t i = 0; i < in_.size(); ++i) static_cast<void>(read(in_[i], states_[i]));
  const ClientState before = client_->state();
  client_->send(transport_, {states_, start_[0] > 0.5, stop_[0] > 0.5});
  if (client_->state() != before) {
    enter(static_cast<std::int32_t>(Client::Note::Kind::state), static_cast<std::int32_t>(before),
          static_cast<std::int32_t>(client_->state()), 0, {0.0, 0.0});
  }
  return {to};
}

Telling ClientSide::told(const Entry& e) const {
  Telling t;
  t.kind = "rsp";
  switch (static_cast<Client::Note::Kind>(e.kind)) {
    case Client::Note::Kind::state:
      t.from = name(static_cast<ClientState>(e.from));
      t.to = name(static_cast<ClientState>(e.to));
      break;
    case Client::Note::Kind::refused:
      t.reason =
          "the facility refuses the run: " + refusal(e.item, e.from, e.values, settings_.bodies);
      t.warning = true;
      break;
    case Client::Note::Kind::unanswered:
      t.reason = "the facility does not answer";
      t.warning = true;
      break;
    case Client::Note::Kind::ended: {
      const auto why = static_cast<End>(std::clamp(e.item, 0, static_cast<int>(End::closed)));
      t.reason = "the facility is at rest";
      if (why != End::none) t.reason += ": " + std::string(words(why));
      t.warning = why != End::none && why != End::stopped;
      break;
    }
    case Client::Note::Kind::fault:
      t.reason = "the facility has a fault";
      t.warning = true;
      break;
  }
  return t;
}

}  // namespace vernier::rsp
