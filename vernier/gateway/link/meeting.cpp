// How the communication thread of a client or server establishes a link.
#include "vernier/gateway/link/detail/communication.hpp"
#include "vernier/net/secret.hpp"

namespace vernier::link {
namespace {

constexpr std::int64_t handshake_time = 2 * second;
constexpr std::int64_t leaving_time = 500 * millisecond;
constexpr std::int64_t longest_backoff = 2 * second;
constexpr std::size_t most_guests = 8;  // only an attacker opens more

}  // namespace

Handshake::Random Link::Communication::random() const {
  Handshake::Random r;
  while (r.session == 0) net::fill_random(std::as_writable_bytes(std::span(&r.session, 1)));
  net::fill_random(std::as_writable_bytes(std::span(&r.token, 1)));
  net::fill_random(r.nonce);
  return r;
}

// -- the client --

bool Link::Communication::unreachable(const net::Address& a, const std::string& why) {
  note(Reason::unreachable, false, text(a) + ": " + why);
  return false;
}

void Link::Communication::attempt() {
  publish(LinkState::connecting);
  Handshake handshake(mine(), settings_.key, random());
  if (greet(handshake)) {
    come_up(handshake.terms());
    return;
  }
  control_.close(false);
  data_.close(false);
  publish(LinkState::closed);
  next_attempt_ = now() + backoff_;
  backoff_ = std::min(2 * backoff_, longest_backoff);
}

bool Link::Communication::greet(Handshake& handshake) {
  using Act = Handshake::Act;
  const auto soon = [] { return net::Clock::now() + std::chrono::seconds(1); };
  const auto say = [&](FramedStream& w) {
    const auto s = handshake.hello();
    Header h;
    h.type = s.type;
    h.flags = payload_checked;
    h.session = s.session;
    h.t_trm = now();
    w.put(h, std::span(s.payload).first(s.bytes));
  };
  auto control = net::connected(settings_.control, soon(), stop_.descriptor());
  if (!control) return unreachable(settings_.control, control.error());
  const std::int64_t deadline = now() + handshake_time;
  control_.open(net::Stream(std::move(*control)));
  control_.reader().allow(0, 0);
  say(control_);
  Act act{};
  if (!answered(handshake, Connection::control, act, deadline)) return false;
  auto data = net::connected(settings_.data, soon(), stop_.descriptor());
  if (!data) return unreachable(settings_.data, data.error());
  data_.open(net::Stream(std::move(*data)));
  data_.reader().allow(shared_.receive_bytes, 0);
  say(data_);
  return answered(handshake, Connection::data, act, deadline) && act == Act::up;
}

bool Link::Communication::answered(Handshake& handshake, Connection on, Handshake::Act& act,
                                   std::int64_t deadline) {
  using Progress = FrameReader::Progress;
  Counters& counters = conversation_.counters();
  // the server may already send on the other connection; that is read later
  FramedStream& w = wire(on);
  while (true) {
    const auto next = w.reader().next();
    if (next.progress == Progress::broken) {
      ++counters.bad_frames;
      ++counters.refused;
      note(next.flaw == Flaw::version ? Reason::version : Reason::framing, false,
           std::string(words(next.flaw)));
      return false;
    }
    if (next.progress == Progress::skipped) continue;
    if (next.progress == Progress::frame) {
      act = handshake.take(on, next.header, next.payload);
      if (act == Handshake::Act::open_data || act == Handshake::Act::up) return true;
      const Trouble& r = handshake.refusal();
      ++counters.refused;
      note(r.reason, r.theirs, r.text.data());
      if (!r.theirs) send_bye(w, handshake.session(), 1, r.reason, r.text.data());
      return false;
    }
    const std::int64_t left = deadline - now();
    if (left <= 0) {
      ++counters.refused;
      note(Reason::timeout, false, "the handshake did not end within 2 s");
      return false;
    }
    const net::Waited waited =
        net::wait_for(w.stream().descriptor(), net::readable,
                      net::Clock::now() + std::chrono::nanoseconds(left), stop_.descriptor());
    if (waited.woken) {
      stopping_ = true;
      return false;
    }
    if (waited.ready != 0 && w.read() == FramedStream::Reading::closed) {
      ++counters.refused;
      note(Reason::lost, false, "the other side closed the connection during the handshake");
      return false;
    }
  }
}

// -- the server --

Link::Communication::Guest::Guest(Connection c, net::Stream s, std::int64_t until)
    : connection(c), wire(signed_hello_bytes, 1024), deadline(until) {
  wire.open(std::move(s));
  wire.reader().allow(0, 0);
}

void Link::Communication::accept(Connection c) {
  const auto& listener = c == Connection::control ? control_listener_ : data_listener_;
  for (std::size_t k = 0; k < most_guests; ++k) {
    net::Stream stream(net::accepted(listener));
    if (!stream) return;
    if (guests_.size() >= most_guests) {
      // the connection that has been silent longest makes room
      if (!guests_.front()->leaving) note_refusal(*guests_.front(), Reason::timeout);
      guests_.erase(guests_.begin());
      ++conversation_.counters().turned_away;
    }
    guests_.push_back(std::make_unique<Guest>(c, std::move(stream), now() + handshake_time));
    Guest& g = *guests_.back();
    g.number = ++last_guest_;
    g.wire.watch(loop_, g.number, false);
    if (live_) {
      ++conversation_.counters().refused;
      turn_away(g, Reason::busy, "another client is connected");
    } else if (c == Connection::control) {
      g.handshake = std::make_unique<Handshake>(mine(), settings_.key, random());
    }
  }
}

void Link::Communication::turn_away(Guest& g, Reason r, const char* text) {
  if (g.leaving) return;
  // both connections of a client are one attempt
  if (g.connection == Connection::control || r == Reason::token || r == Reason::framing)
    note_refusal(g, r);
  send_bye(g.wire, g.handshake ? g.handshake->session() : 0, g.handshake && g.handshake->session(),
           r, text);
  // read and discard its data, so that it can read the reason before the connection ends
  g.wire.stream().finish();
  g.leaving = true;
  g.handshake.reset();
  g.deadline = now() + leaving_time;
}

void Link::Communication::listen_to(Guest& g) {
  using Progress = FrameReader::Progress;
  const FramedStream::Reading reading = g.wire.read();
  while (g.wire.is_open()) {
    if (g.leaving) {
      g.wire.reader().clear();
      break;
    }
    const auto next = g.wire.reader().next();
    if (next.progress == Progress::more) break;
    if (next.progress == Progress::broken) {
      Counters& counters = conversation_.counters();
      ++counters.bad_frames;
      ++counters.refused;
      const Reason r = next.flaw == Flaw::version ? Reason::version : Reason::framing;
      tell(r, false, std::string(words(next.flaw)));
      turn_away(g, r, std::string(words(next.flaw)).c_str());
    } else if (next.progress == Progress::frame) {
      if (g.connection == Connection::control) {
        meet(g, next);
      } else {
        pair(g, next);
      }
    }
  }
  if (reading == FramedStream::Reading::closed) g.wire.close(false);
}

void Link::Communication::meet(Guest& g, const FrameReader::Next& frame) {
  if (!g.handshake) return;
  const auto act = g.handshake->take(Connection::control, frame.header, frame.payload);
  if (act == Handshake::Act::send) {
    const auto s = g.handshake->hello();
    Header h;
    h.type = s.type;
    h.flags = payload_checked;
    h.session = s.session;
    h.t_trm = now();
    g.wire.put(h, std::span(s.payload).first(s.bytes));
    return;
  }
  const Trouble r = g.handshake->refusal();
  ++conversation_.counters().refused;
  tell(r.reason, r.theirs, r.text.data());
  turn_away(g, r.reason, r.text.data());
}

void Link::Communication::pair(Guest& data, const FrameReader::Next& frame) {
  Guest* control = nullptr;
  for (const auto& g : guests_) {
    if (g->handshake && g->handshake->session() != 0 &&
        g->handshake->session() == frame.header.session) {
      control = g.get();
    }
  }
  if (!control) {
    ++conversation_.counters().refused;
    tell(Reason::token, false, "");
    turn_away(data, Reason::token, "no such session");
    return;
  }
  Handshake& handshake = *control->handshake;
  if (handshake.take(Connection::data, frame.header, frame.payload) != Handshake::Act::up) {
    const Trouble r = handshake.refusal();
    ++conversation_.counters().refused;
    tell(r.reason, r.theirs, r.text.data());
    turn_away(data, r.reason, r.text.data());
    turn_away(*control, r.reason, r.text.data());
    return;
  }
  const auto s = handshake.hello();
  Header h;
  h.type = s.type;
  h.flags = payload_checked;
  h.session = s.session;
  h.t_trm = now();
  const Terms terms = handshake.terms();
  control_.adopt(control->wire);
  data_.adopt(data.wire);
  data_.put(h, std::span(s.payload).first(s.bytes));
  control->handshake.reset();
  come_up(terms);
  for (const auto& g : guests_) {
    if (g->wire.is_open()) turn_away(*g, Reason::busy, "another client is connected");
  }
}

}  // namespace vernier::link
