#include <pthread.h>
#include <sys/prctl.h>

#include <algorithm>
#include <cstring>

#include "vernier/base/diagnostic.hpp"
#include "vernier/gateway/link/detail/communication.hpp"

namespace vernier::link {
namespace {

constexpr std::int64_t publish_every = 2 * millisecond;
constexpr std::int64_t longest_partial = second;
constexpr std::size_t control_backlog = 1u << 16;
constexpr int reads_in_a_row = 8;  // then the other connection is served

Descriptor listener(const Settings& s, const net::Address& a) {
  auto made = net::listening(a);
  if (made) return std::move(*made);
  Diagnostics problems;
  problems
      .error("V5121",
             "the link \"" + s.name + "\" cannot listen at " + text(a) + ": " + made.error(), {})
      .notes.push_back("is another run using it? choose other ports");
  throw ConfigurationError(std::move(problems));
}

}  // namespace

Link::Communication::Communication(const Settings& s, Shared& shared)
    : settings_(s),
      shared_(shared),
      clock_(s.clock),
      control_(signed_hello_bytes, control_backlog),
      data_(shared.receive_bytes,
            frame_bytes(std::max(shared.send_bytes, signed_hello_bytes), true)),
      conversation_({s.check_payload, s.drop_not_finite}) {
  loop_.watch(stop_.descriptor(), net::readable, stopped);
  loop_.watch(shared_.wake.descriptor(), net::readable, stepped);
}

void Link::Communication::open() {
  if (settings_.role != Role::server || data_listener_) return;
  control_listener_ = listener(settings_, settings_.control);
  data_listener_ = listener(settings_, settings_.data);
  loop_.watch(control_listener_.get(), net::readable, control_listens);
  loop_.watch(data_listener_.get(), net::readable, data_listens);
}

net::Address Link::Communication::address(Connection c) const {
  const bool control = c == Connection::control;
  net::Address a = control ? settings_.control : settings_.data;
  const Descriptor& d = control ? control_listener_ : data_listener_;
  if (d) a.port = std::to_string(net::port_of(d));
  return a;
}

void Link::Communication::start() {
  if (thread_.joinable()) return;
  open();
  stopping_ = false;
  next_attempt_ = 0;
  backoff_ = 100 * millisecond;
  thread_ = std::thread([this] { run(); });
}

void Link::Communication::stop() {
  if (!thread_.joinable()) return;
  stop_.ring();
  thread_.join();
  stop_.clear();
}

Hello Link::Communication::mine() const {
  Hello h;
  h.role = settings_.role;
  h.period = settings_.period;
  h.tx_count = settings_.send;
  h.rx_count = settings_.receive;
  h.tx_element = settings_.send_element;
  h.rx_element = settings_.receive_element;
  h.ping_interval_ms = static_cast<std::uint32_t>(settings_.ping_interval.count());
  h.ping_timeout_ms = static_cast<std::uint32_t>(settings_.ping_timeout.count());
  h.delay_interval_ms = static_cast<std::uint32_t>(settings_.delay_interval.count());
  h.interface_hash = settings_.interface_hash;
  h.name = cut(settings_.name);
  h.build = cut(build_text(settings_.computing));
  return h;
}

void Link::Communication::run() {
  prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0);
  if (settings_.priority > 0) {
    // without the privilege the link still works, with more latency
    sched_param p{};
    p.sched_priority = settings_.priority;
    pthread_setschedparam(pthread_self(), SCHED_FIFO, &p);
  }
  publish(LinkState::closed);
  while (!stopping_) {
    if (settings_.role == Role::client && !live_ && now() >= next_attempt_) attempt();
    if (stopping_) break;
    std::int64_t until = now() + second;
    if (live_) until = std::min(until, conversation_.next_tick());
    if (!live_ && settings_.role == Role::client) until = std::min(until, next_attempt_);
    for (const FramedStream* w : {&control_, &data_}) {
      if (live_ && w->partial_since != 0)
        until = std::min(until, w->partial_since + longest_partial);
    }
    for (const auto& g : guests_) until = std::min(until, g->deadline);
    wait(until);
    housekeeping();
  }
  if (live_) {
    conversation_.farewell(Reason::closing, "", *this);
    control_.close(false);
    data_.close(false);
    live_ = false;
  }
  guests_.clear();
  publish(LinkState::closed);
}

void Link::Communication::wait(std::int64_t until) {
  if (live_) {
    control_.watch(loop_, on_control, control_.waits_to_send());
    data_.watch(loop_, on_data, data_.waits_to_send() || vector_waits_);
  }
  const std::int64_t left = std::max<std::int64_t>(until - now(), 0);
  const auto events = loop_.wait(net::Clock::now() + std::chrono::nanoseconds(left));
  std::array<std::uint32_t, first_guest> ready{};
  for (const net::Loop::Event& e : events)
    if (e.key < first_guest) ready[e.key] = e.what;
  if (ready[stopped] != 0) {
    stopping_ = true;
    return;
  }
  if (ready[stepped] != 0) take_wake();
  for (const Connection c : {Connection::control, Connection::data}) {
    const std::uint32_t what = ready[c == Connection::control ? on_control : on_data];
    if (live_ && (what & net::writable) != 0) wire(c).flush();
    if (live_ && (what & net::readable) != 0) serve(c);
  }
  if (live_) pump();
  for (const net::Loop::Event& e : events) {
    const auto guest = std::find_if(guests_.begin(), guests_.end(),
                                    [&](const auto& g) { return g->number == e.key; });
    if (guest != guests_.end()) listen_to(**guest);
  }
  if (ready[control_listens] != 0) accept(Connection::control);
  if (ready[data_listens] != 0) accept(Connection::data);
}

void Link::Communication::housekeeping() {
  const std::int64_t t = now();
  std::erase_if(guests_, [&](const auto& g) {
    if (!g->wire.is_open()) return true;
    if (t < g->deadline) return false;
    if (!g->leaving) {
      ++conversation_.counters().turned_away;
      note_refusal(*g, Reason::timeout);
    }
    return true;
  });
  if (!live_) {
    if (t - last_published_ >= 100 * millisecond) publish(LinkState::closed);
    return;
  }
  for (const Connection c : {Connection::control, Connection::data}) {
    const std::int64_t since = wire(c).partial_since;
    if (since != 0 && t - since >= longest_partial) {
      ++conversation_.counters().bad_frames;
      lose(Reason::framing, false, "a frame was not complete after 1 s");
      return;
    }
  }
  if (conversation_.tick(t, *this) == Conversation::Verdict::broken) {
    lose(Reason::timeout, false, conversation_.trouble().text.data());
    return;
  }
  if (t - last_published_ >= publish_every) publish(LinkState::up);
}

bool Link::Communication::put(Connection c, const Header& h,
                              std::span<const std::byte> payload) noexcept {
  return wire(c).put(h, payload);
}

void Link::Communication::come_up(const Terms& terms) {
  live_ = true;
  vector_waits_ = false;
  backoff_ = 100 * millisecond;
  for (FramedStream* w : {&control_, &data_}) {
    w->stream().tolerate(std::chrono::milliseconds(terms.ping_timeout_ms));
    w->reader().allow(w == &data_ ? shared_.receive_bytes : 0, terms.max_payload);
  }
  conversation_.begin(terms, mine(), now());
  // vectors from before the session are obsolete
  if (shared_.outgoing.read()) {
    std::memcpy(&last_outgoing_, shared_.outgoing.front(), sizeof last_outgoing_);
  }
  while (shared_.outputs.front()) shared_.outputs.pop();
  last_output_ = incoming_;
  {
    const std::lock_guard hold(shared_.status_guard);
    quality_.peer = net::peer_of(control_.stream().descriptor());
    const std::string build = shown(terms.peer.build);
    const auto computing = computing_of(build);
    quality_.computing_known = computing.has_value();
    quality_.peer_computing = computing.value_or(Computing{});
    shared_.status.peer = shown(terms.peer.name) + " (" + build + ")";
  }
  publish(LinkState::up);
  // frames received together with the handshake are already in the buffer
  serve(Connection::control);
  if (live_) serve(Connection::data);
}

void Link::Communication::take_wake() {
  shared_.wake.clear();
  if (!live_) return;
  if (shared_.steps.read()) {
    StepNote s;
    std::memcpy(&s, shared_.steps.front(), sizeof s);
    conversation_.step({s.number, s.planned, s.overran != 0}, *this);
  }
  while (const std::byte* from = shared_.outputs.front()) {
    OutputNote o;
    std::memcpy(&o, from, sizeof o);
    shared_.outputs.pop();
    if (o.number <= last_output_) continue;  // of the previous session
    conversation_.counters().missed +=
        o.number - last_output_ - 1 - std::min(o.passed, o.number - last_output_ - 1);
    last_output_ = o.number;
    conversation_.output(o.acquired, o.answers, o.at);
  }
}

void Link::Communication::pump() {
  // send only when nothing older is queued: until then a newer vector can replace this one
  vector_waits_ = !data_.empty();
  if (vector_waits_ || !shared_.outgoing.read()) return;
  OutgoingHead head;
  const std::byte* from = shared_.outgoing.front();
  std::memcpy(&head, from, sizeof head);
  conversation_.counters().replaced += head.number - last_outgoing_ - 1;
  last_outgoing_ = head.number;
  conversation_.send({from + sizeof head, shared_.send_bytes}, head.acquired, head.echo, 0, *this);
}

void Link::Communication::serve(Connection c) {
  using Progress = FrameReader::Progress;
  FramedStream& w = wire(c);
  for (int k = 0; k < reads_in_a_row && live_; ++k) {
    const FramedStream::Reading reading = w.read();
    const std::int64_t received = now();
    while (live_) {
      const auto next = w.reader().next();
      if (next.progress == Progress::more) break;
      w.partial_since = 0;
      if (next.progress == Progress::skipped) {
        ++conversation_.counters().unknown;
      } else if (next.progress == Progress::broken) {
        ++conversation_.counters().bad_frames;
        lose(next.flaw == Flaw::version ? Reason::version : Reason::framing, false,
             std::string(words(next.flaw)).c_str());
      } else {
        switch (conversation_.take(c, next.header, next.payload, received, *this)) {
          case Conversation::Verdict::done:
            break;
          case Conversation::Verdict::vector:
            deliver(next.header, next.payload, received);
            break;
          case Conversation::Verdict::broken: {
            const auto& trouble = conversation_.trouble();
            if (!trouble.theirs) ++conversation_.counters().bad_frames;
            lose(trouble.reason, trouble.theirs, trouble.text.data());
          }
        }
      }
    }
    if (!live_) return;
    if (!w.reader().partial()) {
      w.partial_since = 0;
    } else if (w.partial_since == 0) {
      w.partial_since = received;
    }
    if (reading == FramedStream::Reading::closed) {
      lose(Reason::lost, false, "the peer closed the connection without BYE");
      return;
    }
    if (reading == FramedStream::Reading::nothing) return;
  }
}

void Link::Communication::deliver(const Header& h, std::span<const std::byte> payload,
                                  std::int64_t received) noexcept {
  const IncomingHead head{
      ++incoming_,
      h.step,
      h.t_acq,
      h.t_trm,
      received,
      conversation_.answers(),
      static_cast<std::int64_t>(seconds(conversation_.terms().peer.period) * 1e9),
      h.session,
      h.flags};
  const bool queued = settings_.queue > 0;
  std::byte* to = queued ? shared_.queue.next() : shared_.incoming.next();
  if (!to) return;  // the queue is full: its number is missed
  std::memcpy(to, &head, sizeof head);
  if (!payload.empty()) std::memcpy(to + sizeof head, payload.data(), payload.size());
  if (queued) {
    shared_.queue.push();
  } else {
    shared_.incoming.write();
  }
}

void Link::Communication::lose(Reason r, bool theirs, const char* why) {
  const bool regular = r == Reason::closing && theirs;
  if (!regular) ++conversation_.counters().losses;
  if (!theirs && r != Reason::lost) conversation_.farewell(r, why, *this);
  // a silent peer would never acknowledge the data
  control_.close(r == Reason::timeout);
  data_.close(r == Reason::timeout);
  live_ = false;
  note(r, theirs, why);
  publish(LinkState::broken);
  backoff_ = 100 * millisecond;
  next_attempt_ = now() + backoff_;
}

void Link::Communication::note(Reason r, bool theirs, const std::string& text) {
  quality_.last_trouble = r;
  quality_.last_trouble_theirs = theirs;
  ++quality_.troubles;
  tell(r, theirs, text);
}

void Link::Communication::note_refusal(Guest& g, Reason r) noexcept {
  ++quality_.refusals;
  quality_.last_refusal = r;
  quality_.last_refused = net::peer_of(g.wire.stream().descriptor());
}

void Link::Communication::tell(Reason r, bool theirs, const std::string& text) {
  std::string said =
      "error[" + std::string(message_code(r, theirs)) + "]: the link \"" + settings_.name + "\": ";
  if (theirs) said += "the peer reports: ";
  said += words(r);
  if (!text.empty() && text != words(r)) said += " (" + text + ")";
  const std::lock_guard hold(shared_.status_guard);
  shared_.status.last_error = std::move(said);
}

void Link::Communication::publish(LinkState s) {
  const std::int64_t t = now();
  last_published_ = t;
  if (live_) {
    conversation_.report(t, quality_);
    s = quality_.state;
  } else {
    quality_.state = s;
    quality_.at = t;
    quality_.counters = conversation_.counters();
    quality_.steps_stale = quality_.clock_stale = true;
  }
  std::memcpy(shared_.quality.next(), &quality_, sizeof quality_);
  shared_.quality.write();
  shared_.state.store(static_cast<std::uint8_t>(s), std::memory_order_release);
  const std::lock_guard hold(shared_.status_guard);
  shared_.status.quality = quality_;
}

void Link::Communication::send_bye(FramedStream& w, std::uint32_t session, std::uint64_t sequence,
                                   Reason r, const char* text) {
  std::array<std::byte, longest_bye> payload;
  const std::size_t n = write_bye(bye(r, text), payload);
  Header h;
  h.type = Type::bye;
  h.flags = payload_checked;
  h.session = session;
  h.sequence = sequence;
  h.t_trm = now();
  w.put(h, std::span(payload).first(n));
}

}  // namespace vernier::link
