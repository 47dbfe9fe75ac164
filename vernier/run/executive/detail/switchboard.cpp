#include "vernier/run/executive/detail/switchboard.hpp"

#include <cstring>
#include <utility>

namespace vernier::executive::detail {
namespace {

constexpr std::size_t message_head_bytes = 12;
/// Any delay can be added to it.
constexpr Time latest(Duration::max() / 2);
constexpr const char* disorder = "it is at another instant, or runs another document";

void put_messages(SpanWriter& w, const Stream& s, std::uint64_t& known) {
  w(known, s.pushed());
  for (; known < s.pushed(); ++known) {
    // one that was overwritten before anybody could take it is lost for every reader
    const Message m = known < s.oldest() ? Message{} : s.at(known);
    w(m.stamp.time_since_epoch().count(), m.content);
  }
}

}  // namespace

void Switchboard::restart(Time now, bool returned) noexcept {
  trouble_.reset();
  const Instant taken{returned ? now : Time::min(), 0};
  for (Source& s : sources_) {
    s.taken = taken;
    for (Source::Copy& c : s.copies) c.at = {Time::min(), 0};
  }
  for (Link& l : links_) {
    for (FeedIn& f : l.feeds_in) {
      f.known = now;
      f.taken = taken;
    }
    for (Shared& s : l.shared)
      for (auto* streams : {&s.streams_out, &s.streams_in})
        for (Messages& m : *streams)
          m.known = unique_[m.part] && !returned ? 0 : m.stream->pushed();
  }
}

// -- frames ---------------------------------------------------------------------------------------

bool Switchboard::fail(const Link& l, const char* why) noexcept {
  if (!trouble_) trouble_ = Trouble{.kind = Trouble::Kind::lost, .peer = l.peer, .why = why};
  return false;
}

bool Switchboard::receive(Link& l, Bytes& frame) noexcept {
  const std::int64_t began = meter_ ? meter_->now() : 0;
  const exchange::Received received = exchange_.receive(l.peer, frame);
  if (meter_) meter_->waited_for(l.peer, meter_->now() - began);
  switch (received) {
    case exchange::Received::frame:
      if (frame.size() < head_bytes) return fail(l, disorder);
      return true;
    case exchange::Received::lost:
      return lose(l, exchange_.why(l.peer));
    case exchange::Received::left:
      if (spare(l)) return lose(l, "");
      break;
    case exchange::Received::interrupted:
    case exchange::Received::late:
      break;
  }
  if (!trouble_) trouble_ = Trouble{.kind = Trouble::Kind::interrupted, .peer = l.peer};
  return false;
}

bool Switchboard::expect(Link& l, const Head& head, Bytes& content) noexcept {
  while (receive(l, content)) {
    ByteReader r(content);
    Head got;
    got.kind = r.number<Kind>();
    got.round = r.number<std::uint32_t>();
    got.time = Time(Duration(r.number<std::int64_t>()));
    content = r.rest();
    if (got == head) return true;
    if (!take_delayed(l, got, content)) return false;
  }
  return false;
}

bool Switchboard::take_delayed(Link& l, const Head& head, Bytes content) noexcept {
  if (head.kind != Kind::delayed && head.kind != Kind::promises) return fail(l, disorder);
  ByteReader r(content);
  while (r.ok() && !r.rest().empty()) {
    const auto number = r.number<std::uint32_t>();
    const Time until(Duration(r.number<std::int64_t>()));
    if (number >= l.feeds_in.size()) return fail(l, disorder);
    FeedIn& f = l.feeds_in[number];
    const bool news = head.kind == Kind::delayed;
    if (until < f.known || (news && (head.time < f.known || head.time > latest)))
      return fail(l, disorder);
    f.known = until;
    if (!news) continue;
    f.taken = {head.time, f.taken.time == head.time ? f.taken.microstep + 1 : 0};
    for (const std::uint32_t i : f.sources)
      if (!take_source(l, sources_[i], f.taken, r)) return fail(l, disorder);
  }
  return r.ok() || fail(l, disorder);
}

bool Switchboard::take_delayed(Link& l) noexcept {
  Bytes frame;
  if (!receive(l, frame)) return false;
  ByteReader r(frame);
  Head head;
  head.kind = r.number<Kind>();
  head.round = r.number<std::uint32_t>();
  head.time = Time(Duration(r.number<std::int64_t>()));
  return take_delayed(l, head, r.rest());
}

bool Switchboard::give(Link& l, Bytes frame) noexcept {
  if (exchange_.send(l.peer, frame)) return true;
  if (*exchange_.why(l.peer) != 0) return lose(l, exchange_.why(l.peer));
  if (!trouble_) trouble_ = Trouble{.kind = Trouble::Kind::interrupted, .peer = l.peer};
  return false;
}

template <class Wanted, class Put>
bool Switchboard::send(const Head& head, const Wanted& wanted, const Put& put) noexcept {
  for (Link& l : links_) {
    if (l.dropped) continue;
    SpanWriter w(std::span<std::byte>(l.frame));
    bool any = false;
    for (Shared& s : l.shared) {
      if (!wanted(s)) continue;
      if (!any) w(head.kind, head.round, head.time.time_since_epoch().count());
      any = true;
      put(s, w);
    }
    if (!any) continue;
    if (!w.ok()) return fail(l, "a frame for it is too long");
    if (!give(l, Bytes(l.frame).first(w.used())) && !l.dropped) return false;
  }
  return true;
}

template <class Wanted, class Take>
bool Switchboard::take(const Head& head, const Wanted& wanted, const Take& take) noexcept {
  for (Link& l : links_) {
    if (l.dropped || std::none_of(l.shared.begin(), l.shared.end(), wanted)) continue;
    Bytes content;
    if (!expect(l, head, content)) {
      if (l.dropped) continue;
      return false;
    }
    ByteReader r(content);
    for (Shared& s : l.shared)
      if (wanted(s) && !take(l, s, r)) return fail(l, disorder);
    if (!r.complete()) return fail(l, disorder);
  }
  return true;
}

// -- exchanges ------------------------------------------------------------------------------------

bool Switchboard::streams(Time now, Due due) noexcept {
  const Head head{Kind::streams, 0, now};
  ++exchange_number_;
  const bool sent = send(
      head, [&](const Shared& s) { return due[s.cluster] && !s.streams_out.empty(); },
      [](Shared& s, SpanWriter& w) {
        for (Messages& m : s.streams_out) put_messages(w, *m.stream, m.known);
      });
  return sent && take(
                     head, [&](const Shared& s) { return due[s.cluster] && !s.streams_in.empty(); },
                     [this](const Link& l, Shared& s, ByteReader& r) {
                       return std::all_of(s.streams_in.begin(), s.streams_in.end(),
                                          [&](auto& m) { return take_messages(l, m, r); });
                     });
}

bool Switchboard::values(Time now, std::uint32_t round, Due due) noexcept {
  const Head head{Kind::values, round, now};
  ++exchange_number_;
  const auto has = [&](const Shared& s, const std::vector<Pieces>& by_round, const auto& streams) {
    if (!due[s.cluster] || round >= by_round.size()) return false;
    return !by_round[round].empty() || (round + 1 == by_round.size() && !streams.empty());
  };
  const bool sent = send(
      head, [&](const Shared& s) { return has(s, s.out, s.streams_out); },
      [&](Shared& s, SpanWriter& w) {
        for (const Piece& p : s.out[round]) w.raw({p.at, p.bytes});
        if (round + 1 == s.out.size())
          for (Messages& m : s.streams_out) put_messages(w, *m.stream, m.known);
      });
  return sent && take(
                     head, [&](const Shared& s) { return has(s, s.in, s.streams_in); },
                     [&](const Link& l, Shared& s, ByteReader& r) {
                       for (const Piece& p : s.in[round])
                         if (!take_value(l, p, r)) return false;
                       if (round + 1 == s.in.size())
                         for (Messages& m : s.streams_in)
                           if (!take_messages(l, m, r)) return false;
                       return true;
                     });
}

bool Switchboard::reactions(Time now, std::uint32_t round, Due due, std::span<std::uint8_t> changed,
                            std::span<Time> horizons) noexcept {
  const Head head{Kind::reactions, round, now};
  ++exchange_number_;
  const auto wanted = [&](const Shared& s) { return s.agrees && due[s.cluster]; };
  const bool sent = send(head, wanted, [&](Shared& s, SpanWriter& w) {
    for (const std::uint32_t p : s.reactors_out) w(changed[p]);
    w(horizons[s.cluster].time_since_epoch().count());
  });
  // sent to all before the first is taken, so that the others' do not mix with ours
  return sent && take(head, wanted, [&](const Link& l, Shared& s, ByteReader& r) {
           for (const std::uint32_t p : s.reactors_in)
             if (!take_reaction(l, p, r.number<std::uint8_t>() != 0, changed[p])) return false;
           const Time theirs(Duration(r.number<std::int64_t>()));
           horizons[s.cluster] = std::min(horizons[s.cluster], theirs);
           return r.ok() && theirs > now;
         });
}

bool Switchboard::limits(Time now, Due due, std::span<Time> limits) noexcept {
  const Head head{Kind::limits, 0, now};
  const auto wanted = [&](const Shared& s) { return s.stops && due[s.cluster]; };
  const bool sent = send(head, wanted, [&](Shared& s, SpanWriter& w) {
    w(limits[s.cluster].time_since_epoch().count());
  });
  return sent && take(head, wanted, [&](const Link&, Shared& s, ByteReader& r) {
           const Time theirs(Duration(r.number<std::int64_t>()));
           limits[s.cluster] = std::min(limits[s.cluster], theirs);
           return r.ok() && theirs >= now;
         });
}

bool Switchboard::send_feeds(Kind kind, Time now, Due due, std::span<const Time> until) noexcept {
  for (Link& l : links_) {
    if (l.dropped) continue;
    SpanWriter w(std::span<std::byte>(l.frame));
    bool any = false;
    for (std::uint32_t i = 0; i < l.feeds_out.size(); ++i) {
      const FeedOut& f = l.feeds_out[i];
      if (!due[f.cluster]) continue;
      if (!any) w(kind, std::uint32_t{0}, now.time_since_epoch().count());
      any = true;
      w(i, until[f.cluster].time_since_epoch().count());
      if (kind == Kind::delayed)
        for (const Piece& p : f.pieces) w.raw({p.at, p.bytes});
    }
    if (any && !give(l, Bytes(l.frame).first(w.used())) && !l.dropped) return false;
  }
  return true;
}

bool Switchboard::send_delayed(Time now, Due due, std::span<const Time> until) noexcept {
  return send_feeds(Kind::delayed, now, due, until);
}

bool Switchboard::send_promises(Time now, Due due, std::span<const Time> until) noexcept {
  return send_feeds(Kind::promises, now, due, until);
}

bool Switchboard::await_delayed(Time now, Due due, Time next_base) noexcept {
  for (Link& l : links_) {
    for (FeedIn& f : l.feeds_in) {
      if (std::none_of(f.readers.begin(), f.readers.end(),
                       [due](std::uint32_t c) { return due[c] != 0; }))
        continue;
      while (!l.dropped && f.known < f.needed(now, next_base))
        if (!take_delayed(l) && !l.dropped) return false;
    }
  }
  return true;
}

bool Switchboard::complete(Time now) noexcept {
  for (Link& l : links_)
    for (FeedIn& f : l.feeds_in)
      while (!l.dropped && f.known <= now && f.taken.time < now)
        if (!take_delayed(l) && !l.dropped) return false;
  return true;
}

bool Switchboard::start(Time now, std::uint32_t round, bool& settled) noexcept {
  const Head head{Kind::start, round, now};
  for (Link& l : links_) {
    if (l.dropped) continue;
    SpanWriter w(std::span<std::byte>(l.frame));
    w(head.kind, head.round, now.time_since_epoch().count(), settled);
    for (const Piece& p : born_[self_]) w.raw({p.at, p.bytes});
    if (!give(l, Bytes(l.frame).first(w.used())) && !l.dropped) return false;
  }
  for (Link& l : links_) {
    if (l.dropped) continue;
    Bytes content;
    if (!expect(l, head, content)) {
      if (l.dropped) continue;
      return false;
    }
    ByteReader r(content);
    settled &= r.number<std::uint8_t>() != 0;
    for (const Piece& p : born_[l.peer]) {
      const Bytes b = r.raw(p.bytes);
      if (b.size() == p.bytes) std::memcpy(p.at, b.data(), p.bytes);
    }
    if (!r.complete()) return fail(l, disorder);
  }
  return true;
}

}  // namespace vernier::executive::detail
