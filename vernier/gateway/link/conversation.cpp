#include "vernier/gateway/link/conversation.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "vernier/base/codec.hpp"

namespace vernier::link {
namespace {

constexpr std::int64_t one_millisecond = 1'000'000, one_second = 1'000'000'000;
constexpr std::int64_t burst = 2 * one_second;  // delay packets are sent more often at the start

std::size_t at(Connection c) noexcept { return static_cast<std::size_t>(c); }

/// Whether `stamp` is outstanding; removes it.
template <std::size_t n>
bool asked(std::array<std::int64_t, n>& list, std::int64_t stamp) noexcept {
  if (stamp == 0) return false;
  const auto found = std::find(list.begin(), list.end(), stamp);
  if (found == list.end()) return false;
  *found = 0;
  return true;
}

bool all_finite(std::span<const std::byte> vector) noexcept {
  for (std::size_t i = 0; i + 8 <= vector.size(); i += 8) {
    if (!std::isfinite(load<double>(vector.data() + i))) return false;
  }
  return true;
}

DelaySummary summary(const DelayFigure& f) noexcept {
  return {f.count(), f.last(),          f.recent_mean(),    f.mean(),
          f.least(), f.percentile(0.5), f.percentile(0.99), f.most()};
}

}  // namespace

const char* name(LinkState s) noexcept {
  switch (s) {
    case LinkState::closed:
      return "closed";
    case LinkState::connecting:
      return "connecting";
    case LinkState::up:
      return "up";
    case LinkState::degraded:
      return "degraded";
    case LinkState::broken:
      break;
  }
  return "broken";
}

double Quality::target_step_at(std::int64_t t) const noexcept {
  const auto since = static_cast<double>(t - offset - reference_start) * 1e-9;
  return static_cast<double>(steps.target_reference) + since / seconds(peer_period);
}

void Conversation::begin(const Terms& terms, const Hello& mine, std::int64_t now) noexcept {
  const Counters counters = counters_;
  const Step step = step_;
  const bool stepping = stepping_;
  *this = Conversation(settings_);
  counters_ = counters;
  step_ = step;
  stepping_ = stepping;
  ++counters_.ups;
  terms_ = terms;
  mine_ = mine;
  steps_.home_to_target = terms.home_to_target;
  // the frames of the handshake have number 0
  sent_.fill(1);
  expected_.fill(1);
  began_ = last_answer_ = next_ping_ = next_delay_ = now;
  next_report_ = now + one_second;
}

Header Conversation::header(Type t) const noexcept {
  Header h;
  h.type = t;
  h.session = terms_.session;
  h.step = step_.number;
  return h;
}

std::int64_t Conversation::put(Connection c, Header h, std::span<const std::byte> payload,
                               Outlet& out) noexcept {
  h.t_trm = out.now();
  h.sequence = sent_[at(c)];
  if (!payload.empty() && settings_.check_payload) h.flags |= payload_checked;
  if (step_.overran) h.flags |= overran;
  if (!out.put(c, h, payload)) return 0;
  ++sent_[at(c)];
  return h.t_trm;
}

Conversation::Verdict Conversation::broken(Reason r, Flaw f, const char* text) noexcept {
  trouble_ = {.reason = r, .flaw = f};
  std::snprintf(trouble_.text.data(), trouble_.text.size(), "%s", text);
  return Verdict::broken;
}

Conversation::Verdict Conversation::take(Connection c, const Header& h,
                                         std::span<const std::byte> payload, std::int64_t received,
                                         Outlet& out) noexcept {
  if (h.session != terms_.session)
    return broken(Reason::framing, Flaw::content, "a frame of another session");
  if (h.sequence != expected_[at(c)]) ++counters_.gaps;
  expected_[at(c)] = h.sequence + 1;
  if (h.type == Type::bye) {
    const auto b = read_bye(payload);
    broken(b ? b->reason : Reason::framing, Flaw::none, b ? b->text.data() : "");
    trouble_.theirs = true;
    return Verdict::broken;
  }
  if (!belongs(h.type, c) || h.type == Type::hello || h.type == Type::hello_ack) {
    ++counters_.misplaced;
    return Verdict::done;
  }
  switch (h.type) {
    case Type::data:
      return take_data(h, payload, received);
    case Type::ping: {
      Header answer = header(Type::ping_return);
      answer.echo = h.t_trm;
      put(c, answer, {}, out);
      break;
    }
    case Type::ping_return:
      if (asked(pings_, h.echo)) {
        last_answer_ = received;
      } else {
        ++counters_.unasked;
      }
      break;
    case Type::reference:
      // a reference received before the first step belongs to its beginning
      steps_.refer(stepping_ ? step_.number : step_.number - 1, h.step);
      reference_start_ = h.t_acq;
      last_reference_ = received;
      steps_known_ = true;
      break;
    case Type::delay: {
      Header answer = header(Type::delay_return);
      answer.echo = h.t_trm;
      answer.t_acq = received;
      put(c, answer, {}, out);
      break;
    }
    case Type::delay_return:
      take_delay_return(h, received);
      break;
    case Type::clock:
      if (const auto r = read_clock(payload)) {
        peer_clock_ = *r;
        peer_reported_ = true;
      } else {
        return broken(Reason::framing, Flaw::content, "invalid CLOCK payload");
      }
      break;
    case Type::stats:
      if (const auto r = read_stats(payload)) {
        peer_stats_ = *r;
      } else {
        return broken(Reason::framing, Flaw::content, "invalid STATS payload");
      }
      break;
    case Type::hello:
    case Type::hello_ack:
    case Type::bye:
      break;
  }
  return Verdict::done;
}

Conversation::Verdict Conversation::take_data(const Header& h, std::span<const std::byte> payload,
                                              std::int64_t received) noexcept {
  if (h.channel != 0) {
    ++counters_.unknown;
    return Verdict::done;
  }
  if (h.element != mine_.rx_element)
    return broken(Reason::dimensions, Flaw::element, "a vector of another element type");
  if (payload.size() != mine_.rx_count * size_of(mine_.rx_element))
    return broken(Reason::dimensions, Flaw::length, "a vector of another length");
  ++counters_.received;
  if (h.echo != 0) answers_ = h.echo;
  if (clock_.estimate().ready) {
    send_to_receive_.add(send_to_receive(received, h.t_trm, offset_at(received)));
  }
  if (h.element == Element::real && !all_finite(payload)) {
    ++counters_.not_finite;
    if (settings_.drop_not_finite) return Verdict::done;
  }
  return Verdict::vector;
}

void Conversation::take_delay_return(const Header& h, std::int64_t received) noexcept {
  const net::ClockExchange e{h.echo, h.t_acq, h.t_trm, received};
  if (!asked(delays_, h.echo) || !e.plausible()) {
    ++counters_.unasked;
    return;
  }
  round_trip_ = static_cast<double>(e.round_trip()) * 1e-9;
  mean_.add(e);
  if (clock_.add(e)) {
    hull_.add(clock_.used());
    refuted_ = clock_.estimate().converged && hull_.refutes(clock_.estimate());
  }
}

void Conversation::step(const Step& s, Outlet& out) noexcept {
  step_ = s;
  stepping_ = true;
  Header h = header(Type::reference);
  h.t_acq = s.planned;
  put(Connection::control, h, {}, out);
}

bool Conversation::send(std::span<const std::byte> vector, std::int64_t acquired, std::int64_t echo,
                        std::uint8_t flags, Outlet& out) noexcept {
  Header h = header(Type::data);
  h.t_acq = acquired;
  h.echo = echo;
  h.flags = flags;
  h.element = mine_.tx_element;
  if (!put(Connection::data, h, vector, out)) return false;
  ++counters_.sent;
  return true;
}

void Conversation::output(std::int64_t acquired_target, std::int64_t answered,
                          std::int64_t when) noexcept {
  if (clock_.estimate().ready) {
    acquisition_to_output_.add(acquisition_to_output(when, acquired_target, offset_at(when)));
  }
  // the peer echoes this stamp: ignore one from before this session
  if (answered < began_ || answered > when || answered == counted_) return;
  counted_ = answered;
  dead_time_.add(dead_time(when, answered));
}

void Conversation::farewell(Reason r, std::string_view text, Outlet& out) noexcept {
  std::array<std::byte, longest_bye> payload;
  const std::size_t n = write_bye(bye(r, text), payload);
  for (const Connection c : {Connection::control, Connection::data}) {
    put(c, header(Type::bye), std::span(payload).first(n), out);
  }
}

Conversation::Verdict Conversation::tick(std::int64_t now, Outlet& out) noexcept {
  const std::int64_t timeout = terms_.ping_timeout_ms * one_millisecond;
  if (now - last_answer_ > timeout) {
    ++counters_.timeouts;
    char text[121];
    std::snprintf(text, sizeof text, "no ping was answered for %.3g s",
                  static_cast<double>(timeout) * 1e-9);
    return broken(Reason::timeout, Flaw::none, text);
  }
  if (now >= next_ping_) {
    if (const std::int64_t sent = put(Connection::control, header(Type::ping), {}, out))
      pings_[ping_count_++ % outstanding] = sent;
    next_ping_ = now + terms_.ping_interval_ms * one_millisecond;
  }
  if (now >= next_delay_) {
    if (const std::int64_t sent = put(Connection::control, header(Type::delay), {}, out))
      delays_[delay_count_++ % outstanding] = sent;
    const std::int64_t interval = terms_.delay_interval_ms * one_millisecond;
    const std::int64_t faster = std::min(interval, std::max(interval / 10, 10 * one_millisecond));
    next_delay_ = now + (now - began_ < burst ? faster : interval);
  }
  if (now >= next_report_) {
    next_report_ = now + one_second;
    const net::ClockEstimate& e = clock_.estimate();
    if (e.ready) {
      std::array<std::byte, clock_bytes> payload;
      write_clock({e.reference, static_cast<double>(e.base) * 1e-9 + e.offset, e.skew,
                   e.offset_deviation, e.skew_deviation},
                  payload);
      put(Connection::control, header(Type::clock), payload, out);
    }
    StatsReport r{counters_.sent,
                  counters_.received,
                  counters_.replaced,
                  counters_.misplaced,
                  counters_.refused,
                  {},
                  {},
                  {}};
    const auto figures = [](const DelayFigure& f) {
      return StatsReport::Delay{f.recent_mean(), f.percentile(0.99), f.most()};
    };
    r.send_to_receive = figures(send_to_receive_);
    r.acquisition_to_output = figures(acquisition_to_output_);
    r.dead_time = figures(dead_time_);
    std::array<std::byte, stats_bytes> payload;
    write_stats(r, payload);
    put(Connection::control, header(Type::stats), payload, out);
  }
  return Verdict::done;
}

std::int64_t Conversation::next_tick() const noexcept {
  return std::min({next_ping_, next_delay_, next_report_,
                   last_answer_ + terms_.ping_timeout_ms * one_millisecond + 1});
}

void Conversation::report(std::int64_t now, Quality& q) noexcept {
  const std::int64_t timeout = terms_.ping_timeout_ms * one_millisecond;
  q.state = now - last_answer_ > timeout / 2 ? LinkState::degraded : LinkState::up;
  q.session = terms_.session;
  q.at = now;
  q.peer_period = terms_.peer.period;
  q.steps = steps_;
  q.steps_known = steps_known_;
  q.steps_stale = !steps_known_ || now - last_reference_ > one_second;
  q.reference_start = reference_start_;
  q.clock = clock_.estimate();
  q.offset = offset_at(now);
  q.mean_offset = mean_.offset();
  q.clock_stale = !q.clock.ready || q.clock.stale(now);
  q.clock_refuted = refuted_;
  q.round_trip = round_trip_;
  q.ping_age = static_cast<double>(now - last_answer_) * 1e-9;
  q.send_to_receive = summary(send_to_receive_);
  q.acquisition_to_output = summary(acquisition_to_output_);
  q.dead_time = summary(dead_time_);
  q.counters = counters_;
  q.peer_reported = peer_reported_;
  q.peer_clock = peer_clock_;
  q.peer_stats = peer_stats_;
}

}  // namespace vernier::link
