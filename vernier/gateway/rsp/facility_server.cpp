#include "vernier/gateway/rsp/facility_server.hpp"

#include <algorithm>
#include <cmath>

#include "vernier/base/diagnostic.hpp"

namespace vernier::rsp {
namespace {

constexpr int repeats = 3;  // of an announcement, in case the next step's packet replaces it
constexpr int vectors_at_once = 64;    // taken in one step
constexpr int most_bad_in_a_row = 3;   // unusable commands
constexpr double due_tolerance = 0.5;  // server steps that the client's due time may differ
constexpr double most_countable = 9007199254740992.0;
constexpr std::int64_t furthest_run = std::int64_t{1} << 32;  // largest increase accepted

ServerSettings checked_server(ServerSettings s) {
  const auto refuse = [](const std::string& what) { throw ConfigurationError("V5150", what); };
  if (!plausible(s.period)) refuse("the server's sample time must be from 1 µs to 1000 s");
  if (s.limits.empty() || s.limits.size() > most_bodies)
    refuse("a facility has from 1 to " + std::to_string(most_bodies) + " bodies");
  const auto positive = [](double x) { return x > 0.0 && std::isfinite(x); };
  for (const Limits& l : s.limits) {
    for (const double x :
         {l.speed, l.acceleration, l.jerk, l.rate, l.angular_acceleration, l.angular_jerk}) {
      if (!positive(x)) refuse("every limit of speed, acceleration and jerk must be positive");
    }
    if (!l.low.allFinite() || !l.high.allFinite() || !(l.low.array() < l.high.array()).all())
      refuse("the lower limit of each coordinate must be less than the upper one");
  }
  if (!positive(s.fade) || !positive(s.most_time) || !positive(s.shortest_halt) ||
      s.most_intervals < 1 || s.most_intervals > 7 || s.gap < 1)
    refuse("times must be positive, and intervals without a command from 1 to 7");
  if (!positive(s.least_ahead) || !(s.most_ahead > s.least_ahead) || s.most_ahead > 3600.0)
    refuse("a run must begin between two positive times from its initialization, up to an hour");
  return s;
}

}  // namespace

std::string_view name(ServerState s) noexcept {
  constexpr std::string_view names[] = {"idle",          "ready",   "approaching", "running",
                                        "extrapolating", "halting", "halted",      "fault"};
  return names[static_cast<std::size_t>(s)];
}

std::string_view words(End e) noexcept {
  constexpr std::string_view all[] = {"nothing ended",
                                      "the client stopped it",
                                      "the client was lost",
                                      "no command came for too long",
                                      "three commands in a row could not be used",
                                      "continuing would leave the limits",
                                      "the server missed steps",
                                      "the facility is not ready any more",
                                      "the facility's program ends or is frozen"};
  return all[static_cast<std::size_t>(e)];
}

FacilityServer::FacilityServer(ServerSettings s)
    : settings_(checked_server(std::move(s))),
      dt_(link::seconds(settings_.period)),
      bodies_(settings_.limits.size()),
      measured_(bodies_),
      path_(bodies_),
      trial_(bodies_),
      halting_(settings_.limits, settings_.shortest_halt),
      out_(bodies_),
      before_(bodies_),
      work_(bodies_),
      work_before_(bodies_),
      goal_(bodies_) {
  for (Command& c : commands_) c.states.resize(bodies_);
  numbers_.resize(numbers(static_cast<std::uint32_t>(bodies_), true));
  path_.rest(measured_);
}

void FacilityServer::note(const Note& x) noexcept {
  if (noted_ < notes_.size()) notes_[noted_++] = x;
}

void FacilityServer::change(ServerState s) noexcept {
  if (s == state_) return;
  note({Note::Kind::state, static_cast<std::int32_t>(state_), static_cast<std::int32_t>(s)});
  state_ = s;
  if (s == ServerState::ready || s == ServerState::fault) next_ready_ = n_;
}

void FacilityServer::announce(Kind k) noexcept {
  announced_ = k;
  announcements_ = repeats;
}

void FacilityServer::observe(const Facility& f) noexcept {
  ready_ = f.ready;
  fault_ = f.fault;
  std::copy(f.measured.begin(), f.measured.end(), measured_.begin());
}

void FacilityServer::begin(std::int64_t n, Transport& t, bool gap) noexcept {
  noted_ = 0;
  gap = gap || (began_ && n - n_ - 1 > settings_.gap);
  n_ = n;
  std::swap(before_, out_);

  const bool up = t.up();
  const std::uint32_t session = t.session();
  const bool lost = up_ && (!up || session != session_);
  up_ = up;
  session_ = session;
  if (lost) {
    checking_ = false;
    announcements_ = 0;
    if (moving()) begin_halt(End::lost);
    if (state_ == ServerState::ready) change(ServerState::idle);
  }
  if (gap) {
    ++counters_.gaps;
    note({Note::Kind::gap});
    checking_ = false;
    if (moving()) begin_halt(End::time_gap);
  }
  if (fault_ || !ready_) {
    checking_ = false;
    if (moving()) begin_halt(End::faulty);
    if (fault_ && state_ != ServerState::fault) {
      change(ServerState::fault);
      announce(Kind::fault);
    }
  }

  if (closing_) {
    checking_ = false;
    if (moving()) begin_halt(End::closed);
    if (state_ == ServerState::ready) change(ServerState::idle);
  }

  for (int i = 0; i < vectors_at_once; ++i) {
    const Transport::Vector v = t.next();
    if (v.numbers.empty()) break;
    if (up_) take(v, t);
  }

  switch (state_) {
    case ServerState::halted:
      change(up_ && ready_ && !closing_ ? ServerState::ready : ServerState::idle);
      break;
    case ServerState::idle:
      // the commanded state follows a facility that is not ready
      if (!ready_ && !fault_) path_.rest(measured_);
      if (up_ && ready_ && !closing_) change(ServerState::ready);
      break;
    case ServerState::fault:
      if (!fault_ && !slowing_) change(ServerState::idle);
      break;
    case ServerState::ready:
      if (!ready_) change(ServerState::idle);
      break;
    default:
      break;
  }
  if (checking_) check_approach();
  if (moving()) follow();
  if (slowing_ && static_cast<double>(n_ - halt_began_) * dt_ >= halt_.slow.duration) rest();

  if (slowing_) {
    halt_.at(path_, static_cast<double>(n_ - halt_began_) * dt_, out_);
  } else {
    path_.at(elapsed(origin_), out_);
  }
  began_ = true;
}

void FacilityServer::take(const Transport::Vector& v, Transport& t) noexcept {
  const Flaw flaw = decode(v.numbers, in_);
  const bool readable = flaw == Flaw::none || flaw == Flaw::bodies || flaw == Flaw::flags ||
                        flaw == Flaw::finite || flaw == Flaw::attitude;
  if (readable && in_.kind == Kind::init) {
    take_init(flaw, t);
  } else if (readable && in_.kind == Kind::state) {
    take_state(flaw, v.age);
  } else if (flaw == Flaw::none && in_.kind == Kind::stop) {
    if (in_.run != run_) {
      ++counters_.other_run;
    } else if (moving()) {
      begin_halt(End::stopped);
    } else if (checking_) {
      checking_ = false;
      announce(Kind::halted);
    } else if (state_ == ServerState::ready) {
      announce(Kind::halted);  // the client has not received it before
    }
  } else {
    ++counters_.malformed;
    if (counters_.malformed == 1)
      note({Note::Kind::malformed, 0, 0, static_cast<std::int32_t>(flaw)});
  }
}

void FacilityServer::refuse(Refusal why, double value, double limit, std::uint32_t body) noexcept {
  checking_ = false;
  refused_run_ = in_.run;
  refusal_ = {static_cast<double>(why), value, limit, static_cast<double>(body)};
  ++counters_.refused;
  note({Note::Kind::refused,
        static_cast<std::int32_t>(body),
        0,
        static_cast<std::int32_t>(why),
        {value, limit}});
  announce(Kind::init_nak);
}

void FacilityServer::take_init(Flaw flaw, Transport& t) noexcept {
  // the client repeats the request until it is answered
  if (in_.run == run_ && (checking_ || moving())) {
    if (moving()) announce(Kind::init_ack);
    return;
  }
  if (in_.run == refused_run_ && refused_run_ != 0) return announce(Kind::init_nak);
  // a jump to the largest numbers would leave none for later clients
  if (in_.run <= run_ || in_.run - run_ > furthest_run)
    return refuse(Refusal::run, static_cast<double>(in_.run), static_cast<double>(run_));
  if (state_ != ServerState::ready || checking_) {
    refuse(Refusal::busy);
    // a client that starts again has abandoned the current run
    if (moving()) begin_halt(End::lost);
    return;
  }
  if (flaw == Flaw::finite || flaw == Flaw::attitude) return refuse(Refusal::not_a_number);
  if (flaw == Flaw::flags) return refuse(Refusal::flags);
  if (flaw == Flaw::bodies || in_.bodies != bodies_)
    return refuse(Refusal::bodies, in_.bodies, static_cast<double>(bodies_));
  if (!t.steps()) return refuse(Refusal::reference);
  const auto& [start, over, under, nu, initial, none] = in_.arguments;
  const auto whole = [](double x) { return std::abs(x) < most_countable && x == std::floor(x); };
  if (!whole(start) || !whole(over) || !whole(under)) return refuse(Refusal::not_a_number);
  const double ahead = (start - static_cast<double>(n_)) * dt_;
  if (ahead < settings_.least_ahead) return refuse(Refusal::too_late, ahead, settings_.least_ahead);
  if (ahead > settings_.most_ahead) return refuse(Refusal::too_far, ahead, settings_.most_ahead);
  if (over < 1.0 || under < 1.0 || under > 4294967295.0) return refuse(Refusal::ratio, over, under);
  client_period_ = {static_cast<std::uint64_t>(over), static_cast<std::uint32_t>(under)};
  const auto r = link::ratio(client_period_, settings_.period);
  if (!r || r->over < r->under) return refuse(Refusal::ratio, over / under * 1e-9, dt_);
  if (!(nu >= 0.0 && nu <= 1.0)) return refuse(Refusal::forerun, nu, nu < 0.0 ? 0.0 : 1.0);

  approach_end_ = static_cast<std::int64_t>(start);
  due_ = DueTimes(*r, in_.step, approach_end_);
  accelerations_ = in_.accelerations;
  std::copy_n(in_.states.begin(), bodies_, goal_.begin());
  if (prepare_approach()) run_ = in_.run;
}

void FacilityServer::take_state(Flaw flaw, double age) noexcept {
  if (in_.run != run_) {
    ++counters_.other_run;
    return;
  }
  if (!moving()) return;
  const double claimed = in_.arguments[0];
  const std::int64_t k = in_.step;
  Refusal why = Refusal::none;
  if (flaw == Flaw::finite || flaw == Flaw::attitude) {
    why = Refusal::not_a_number;
  } else if (flaw == Flaw::bodies || in_.bodies != bodies_) {
    why = Refusal::bodies;
  } else if (flaw != Flaw::none || in_.accelerations != accelerations_) {
    why = Refusal::flags;
  } else if (claimed != 0.0 && !(std::abs(claimed + static_cast<double>(postponed_) -
                                          due_.of(k).value()) <= due_tolerance)) {
    why = Refusal::ratio;
  }
  if (why != Refusal::none) return unusable(why, {why, 0, 0.0, 0.0});

  if (k > std::max(target_, due_.last(n_)) + ring) {
    ++counters_.early;
    return;
  }
  const bool newer = k > newest_;
  const std::int64_t behind = newer ? 0 : newest_ - k;
  if (newer) {
    seen_ = k - newest_ >= 64 ? 0 : seen_ << (k - newest_);
    newest_ = k;
  }
  if (behind < 64) {
    const std::uint64_t bit = std::uint64_t{1} << behind;
    if (seen_ & bit) {
      ++counters_.duplicates;
      return;
    }
    seen_ |= bit;
  }
  const ExactStep needed = due_.of(k - 1);
  forerun_ = between(exactly(n_), needed) * dt_ + age;
  if (needed.ceil() < n_) ++counters_.late;
  // an interval that has passed is never replayed
  if (k <= target_ || reached(due_.of(k), n_)) return;
  Command& c = commands_[static_cast<std::size_t>(((k % ring) + ring) % ring)];
  c.k = k;
  c.there = true;
  std::copy_n(in_.states.begin(), bodies_, c.states.begin());
  fresh_command_ = true;
  ++counters_.commands;
}

void FacilityServer::unusable(Refusal why, const Violation& v) noexcept {
  ++counters_.rejected;
  ++bad_in_a_row_;
  note({Note::Kind::rejected,
        static_cast<std::int32_t>(v.body),
        0,
        static_cast<std::int32_t>(why),
        {v.value, v.limit}});
  if (bad_in_a_row_ >= most_bad_in_a_row && moving()) begin_halt(End::unusable);
}

void FacilityServer::send(Transport& t) noexcept {
  if (!up_) return;
  Packet& p = out_packet_;
  p = {};
  p.run = run_;
  p.step = n_;
  const bool states = numbers(static_cast<std::uint32_t>(bodies_), false) <= t.room();
  if (announcements_ > 0) {
    --announcements_;
    p.kind = announced_;
    if (announced_ == Kind::init_nak) {
      p.run = refused_run_;
      std::copy(refusal_.begin(), refusal_.end(), p.arguments.begin());
    }
    if (announced_ == Kind::halted) p.arguments[0] = static_cast<double>(end_);
  } else if ((state_ == ServerState::ready || state_ == ServerState::fault) && n_ >= next_ready_) {
    p.kind = state_ == ServerState::ready ? Kind::ready : Kind::fault;
    next_ready_ = n_ + std::max<std::int64_t>(1, std::llround(1.0 / dt_));
  } else {
    const bool ends = state_ == ServerState::halting || state_ == ServerState::halted;
    p.kind = Kind::feedback;
    p.arguments = {static_cast<double>(state_),
                   forerun_,
                   static_cast<double>(counters_.extrapolated),
                   static_cast<double>(counters_.late),
                   static_cast<double>(counters_.rejected),
                   ends ? static_cast<double>(end_) : 0.0};
  }
  if (states) {
    p.bodies = static_cast<std::uint32_t>(bodies_);
    std::copy(measured_.begin(), measured_.end(), p.states.begin());
  }
  const std::size_t room = std::min(t.room(), numbers_.size());
  encode(p, std::span(numbers_).first(room));
  t.send(std::span<const double>(numbers_).first(room));
}

}  // namespace vernier::rsp
