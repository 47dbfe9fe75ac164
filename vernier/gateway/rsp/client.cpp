#include "vernier/gateway/rsp/client.hpp"

#include <algorithm>
#include <cmath>

#include "vernier/base/diagnostic.hpp"

namespace vernier::rsp {
namespace {

constexpr int most_vectors = 8192;  // taken in one step: the capacity of the queue
constexpr double most_whole = 9007199254740992.0;

ClientSettings checked(ClientSettings s) {
  const auto refuse = [](const std::string& what) { throw ConfigurationError("V5151", what); };
  if (!plausible(s.period)) refuse("the client's sample time must be from 1 µs to 1000 s");
  if (s.bodies < 1 || s.bodies > most_bodies)
    refuse("a run has from 1 to " + std::to_string(most_bodies) + " bodies");
  if (s.nu.under < 1 || s.nu.over < 0 || s.nu.over > s.nu.under)
    refuse("the forerun must be from 0 to 1 of the client's sample time");
  if (s.initial < std::chrono::seconds(1) || s.initial > std::chrono::seconds(600))
    refuse("the way to the initial state takes from 1 s to 600 s");
  if (s.duration < Duration::zero() || !(s.answer > 0.0) || !(s.rest > 0.0) || !(s.again >= 0.0))
    refuse("times must not be negative");
  return s;
}

std::int64_t count(double x) noexcept {
  return std::abs(x) <= most_whole ? static_cast<std::int64_t>(x) : 0;
}

}  // namespace

std::string_view name(ClientState s) noexcept {
  constexpr std::string_view names[] = {"offline",  "waiting", "asking",
                                        "counting", "running", "stopping"};
  return names[static_cast<std::size_t>(s)];
}

Client::Client(ClientSettings s)
    : settings_(checked(s)),
      dt_(link::seconds(settings_.period)),
      measured_(settings_.bodies),
      numbers_(numbers(settings_.bodies, true)) {}

void Client::note(const Note& x) noexcept {
  if (noted_ < notes_.size()) notes_[noted_++] = x;
}

void Client::change(ClientState s) noexcept {
  if (s == state_) return;
  note({Note::Kind::state, static_cast<std::int32_t>(state_), static_cast<std::int32_t>(s)});
  state_ = s;
}

void Client::leave(ClientState s) noexcept {
  simulating_ = false;
  ready_ = false;
  change(s);
}

void Client::begin(std::int64_t n, Transport& t) noexcept {
  noted_ = 0;
  n_ = n;
  const bool up = t.up();
  const std::uint32_t session = t.session();
  // a new session is another server, or one that has lost our run
  if (state_ != ClientState::offline && (!up || session != session_)) leave(ClientState::offline);
  up_ = up;
  session_ = session;
  if (up && state_ == ClientState::offline) change(ClientState::waiting);

  for (int i = 0; i < most_vectors; ++i) {
    const Transport::Vector v = t.next();
    if (v.numbers.empty()) break;
    if (!up) continue;
    if (decode(v.numbers, in_) == Flaw::none) {
      take(in_);
    } else {
      ++counters_.malformed;
    }
  }

  if (state_ == ClientState::asking && since(asked_, settings_.answer)) {
    ++counters_.refused;
    asked_ = n_;
    was_refused_ = true;
    note({Note::Kind::unanswered});
    leave(ClientState::waiting);
  }
  if (state_ == ClientState::counting && n >= start_.client_step) {
    // in this step the model is still in its initial state; it advances afterwards
    simulating_ = true;
    if (n > start_.client_step) {
      ++counters_.runs;
      change(ClientState::running);
    }
  }
  if (state_ == ClientState::stopping && since(stopped_, settings_.rest)) {
    leave(ClientState::waiting);
  }
}

void Client::take(const Packet& p) noexcept {
  if (p.bodies == settings_.bodies) {
    std::copy_n(p.states.begin(), settings_.bodies, measured_.begin());
  }
  switch (p.kind) {
    case Kind::ready:
      known_run_ = p.run;
      remote_.state = ServerState::ready;
      remote_.step = p.step;
      // feedback sent before the server knew of our run does not describe it
      if (active() && p.run >= run_) {
        note({Note::Kind::ended});
        leave(ClientState::waiting);
      }
      if (state_ == ClientState::waiting) ready_ = true;
      break;
    case Kind::feedback: {
      if (!(p.arguments[0] >= 0.0 && p.arguments[0] <= 7.0)) break;
      const auto state = static_cast<ServerState>(p.arguments[0]);
      remote_ = {state,
                 p.arguments[1],
                 count(p.arguments[2]),
                 count(p.arguments[3]),
                 count(p.arguments[4]),
                 p.step};
      known_run_ = p.run;
      if (state_ == ClientState::waiting) {
        ready_ = state == ServerState::ready;
        break;
      }
      if (p.run != run_) break;
      const bool moves = state == ServerState::approaching || state == ServerState::running ||
                         state == ServerState::extrapolating;
      // the announcement may have been replaced in transit: this feedback implies it
      if (state_ == ClientState::asking && moves) change(ClientState::counting);
      if ((state_ == ClientState::counting || state_ == ClientState::running) &&
          (state == ServerState::halting || state == ServerState::fault)) {
        simulating_ = false;
        stopped_ = n_;
        change(ClientState::stopping);
      }
      if (active() && (state == ServerState::idle || state == ServerState::ready ||
                       state == ServerState::halted)) {
        note({Note::Kind::ended});
        leave(ClientState::waiting);
      }
      break;
    }
    case Kind::init_ack:
      if (state_ == ClientState::asking && p.run == run_) change(ClientState::counting);
      break;
    case Kind::init_nak:
      if (p.run != run_) break;
      if (state_ == ClientState::stopping) leave(ClientState::waiting);
      if (state_ != ClientState::asking) break;
      ++counters_.refused;
      asked_ = n_;
      was_refused_ = true;
      note({Note::Kind::refused,
            static_cast<std::int32_t>(std::clamp(p.arguments[3], 0.0, 1e6)),
            0,
            static_cast<std::int32_t>(std::clamp(p.arguments[0], 0.0, 1e6)),
            {p.arguments[1], p.arguments[2]}});
      leave(ClientState::waiting);
      break;
    case Kind::halted:
      remote_.state = ServerState::halted;
      if (!active() || p.run != run_) break;
      note({Note::Kind::ended, 0, 0,
            static_cast<std::int32_t>(std::clamp(p.arguments[0], 0.0, 1e6))});
      leave(ClientState::waiting);
      break;
    case Kind::fault:
      remote_.state = ServerState::fault;
      ready_ = false;
      if (active() || state_ == ClientState::asking) {
        note({Note::Kind::fault});
        leave(ClientState::waiting);
      }
      break;
    default:  // a client receives no packets of clients
      ++counters_.malformed;
  }
}

bool Client::prepare(Transport& t, const Simulation& s) noexcept {
  const link::StepMap* steps = t.steps();
  if (!steps) return false;
  const auto start = start_of_run(settings_.initial, settings_.period, settings_.nu, *steps, n_);
  if (!start) return false;
  start_ = *start;
  due_ = DueTimes(steps->home_to_target, start_.client_step, start_.server_step);
  run_ = std::max(run_, known_run_) + 1;
  asked_ = n_;
  // a repeated request does not change
  out_ = {};
  out_.kind = Kind::init;
  out_.step = start_.client_step;
  out_.arguments = {
      static_cast<double>(start_.server_step),
      static_cast<double>(settings_.period.nanoseconds),
      static_cast<double>(settings_.period.parts),
      static_cast<double>(settings_.nu.over) / static_cast<double>(settings_.nu.under),
      vernier::seconds(settings_.initial),
      0.0};
  std::copy_n(s.states.begin(), settings_.bodies, out_.states.begin());
  return true;
}

void Client::send(Transport& t, const Simulation& s) noexcept {
  if (!s.start) spent_ = false;
  if (state_ == ClientState::offline) return;
  const bool over =
      settings_.duration > Duration::zero() && simulating_ &&
      static_cast<double>(n_ - start_.client_step) * dt_ >= vernier::seconds(settings_.duration);
  if ((s.stop || over) && (state_ == ClientState::asking || state_ == ClientState::counting ||
                           state_ == ClientState::running)) {
    simulating_ = false;
    spent_ = spent_ || over;
    stopped_ = n_;
    change(ClientState::stopping);
  }
  const bool may_ask = ready_ && !spent_ && (!was_refused_ || since(asked_, settings_.again));
  if (state_ == ClientState::waiting && may_ask && s.start && !s.stop && prepare(t, s)) {
    was_refused_ = false;
    change(ClientState::asking);
  }

  switch (state_) {
    case ClientState::asking:
      break;  // prepared above
    case ClientState::running:
      out_ = {};
      out_.kind = Kind::state;
      out_.step = n_;
      out_.arguments[0] = due_.of(n_).value();
      std::copy_n(s.states.begin(), settings_.bodies, out_.states.begin());
      ++counters_.commands;
      break;
    case ClientState::stopping:
      out_ = {};
      out_.kind = Kind::stop;
      out_.step = n_;
      break;
    default:
      return;
  }
  out_.run = run_;
  if (state_ != ClientState::stopping) {
    out_.bodies = settings_.bodies;
    out_.accelerations = settings_.accelerations;
  }
  const std::size_t room = std::min(t.room(), numbers_.size());
  encode(out_, std::span(numbers_).first(room));
  t.send(std::span<const double>(numbers_).first(room));
}

}  // namespace vernier::rsp
