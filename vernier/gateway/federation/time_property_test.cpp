#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <map>
#include <set>
#include <string>

#include "vernier/base/random.hpp"
#include "vernier/gateway/federation/callbacks.hpp"
#include "vernier/gateway/federation/time_manager.hpp"

namespace vernier::federation {
namespace {

using Ticks = std::int64_t;
constexpr Ticks far_away = 1'000'000'000;

/// A reference model of logical time with integers, straight from the standard: everything is
/// recomputed at every step. Records what each federate is told: "R5", "C5", "G5", "m3", "r3" (in
/// receive order), "x3".
class Reference {
 public:
  struct Message {
    Ticks stamp;
    Handle sender;
    std::uint32_t id;
  };
  struct Member {
    bool regulating = false, constrained = false, asynchronous = false;
    bool wants_regulation = false, wants_constrained = false, advancing = false;
    AdvanceKind how{};
    Ticks time = 0, target = 0, lookahead = 0, promised = 0;
    bool past = false;  // no more messages at `time` itself (zero lookahead)
    Ticks floor = 0;    // no more messages below this arrive
    std::vector<Message> queue, waiting;
    std::map<std::uint32_t, std::pair<Ticks, std::set<Handle>>> sent;
    std::uint32_t last = 0;
    std::string told;
  };
  std::map<Handle, Member> all;

  static bool after(AdvanceKind k) { return k == AdvanceKind::to || k == AdvanceKind::next; }
  static bool nexts(const Member& m) {
    return m.advancing && m.constrained && m.how != AdvanceKind::to &&
           m.how != AdvanceKind::to_available;
  }
  static Ticks output(const Member& m, Ticks at) {
    Ticks t = at + m.lookahead;
    const bool strict = m.advancing ? after(m.how) || (m.past && at == m.time) : m.past;
    if (m.lookahead == 0 && strict) ++t;
    return std::max(t, m.promised);
  }
  static Ticks least_sent(const Member& m) { return output(m, m.advancing ? m.target : m.time); }
  static Ticks first(const Member& m) {
    Ticks t = far_away * 9;
    for (const Message& q : m.queue) t = std::min(t, q.stamp);
    return t;
  }
  /// The least stamps that others may still send, by fixed-point iteration from above.
  Ticks galt(Handle of) const {
    std::map<Handle, Ticks> out;
    for (const auto& [h, m] : all) {
      if (!m.regulating && !m.wants_regulation) continue;
      Ticks at = m.wants_regulation || m.advancing ? m.target : m.time;
      if (nexts(m)) at = std::min(at, first(m));
      out[h] = output(m, at);
    }
    for (bool again = true; again;) {
      again = false;
      for (auto& [h, o] : out) {
        const Member& m = all.at(h);
        if (!nexts(m)) continue;
        Ticks at = std::min(m.target, first(m));
        for (const auto& [k, other] : out)
          if (k != h) at = std::min(at, other);
        if (output(m, at) < o) o = output(m, at), again = true;
      }
    }
    Ticks least = far_away * 9;
    for (const auto& [h, o] : out)
      if (h != of) least = std::min(least, o);
    return least;
  }
  void say(Member& m, char what, Ticks n) { m.told += what + std::to_string(n) + " "; }
  void deliver(Member& m, Ticks through) {
    std::sort(m.queue.begin(), m.queue.end(), [](const Message& a, const Message& b) {
      return std::tie(a.stamp, a.sender, a.id) < std::tie(b.stamp, b.sender, b.id);
    });
    while (!m.queue.empty() && m.queue.front().stamp <= through) {
      say(m, 'm', m.queue.front().id);
      m.queue.erase(m.queue.begin());
    }
  }
  void deliver_waiting(Member& m) {
    for (const Message& w : m.waiting) say(m, 'r', w.id);
    m.waiting.clear();
  }
  bool step(Handle h, Member& m) {
    const Ticks galt = this->galt(h);
    if (m.wants_constrained && m.time <= galt) {
      m.wants_constrained = false;
      m.constrained = true;
      m.floor = m.time;
      say(m, 'C', m.time);
      return true;
    }
    if (m.wants_regulation && (!m.constrained || m.target <= galt)) {
      deliver(m, m.target);
      m.time = m.target;
      m.floor = std::max(m.floor, m.time);
      m.wants_regulation = false;
      m.regulating = true;
      say(m, 'R', m.time);
      return true;
    }
    if (!m.advancing) return false;
    Ticks to = nexts(m) ? std::min(m.target, first(m)) : m.target;
    if (m.constrained) {
      if (m.how == AdvanceKind::flush)
        to = std::min(to, galt);
      else if (after(m.how) ? to >= galt : to > galt)
        return false;
      deliver(m, m.how == AdvanceKind::flush ? far_away * 8 : to);
    }
    m.past = after(m.how) || (m.past && to == m.time);
    m.time = to;
    m.floor = std::max(m.floor, to + (after(m.how) ? 1 : 0));
    m.advancing = false;
    say(m, 'G', to);
    return true;
  }
  void settle() {
    for (bool again = true; again;) {
      again = false;
      for (auto& [h, m] : all) again = step(h, m) || again;
    }
  }

  Failure enable_regulation(Handle h, Ticks lookahead) {
    Member& m = all[h];
    if (m.regulating) return Failure::TimeRegulationAlreadyEnabled;
    if (m.wants_regulation) return Failure::RequestForTimeRegulationPending;
    if (m.advancing) return Failure::InTimeAdvancingState;
    m.wants_regulation = true;
    m.lookahead = lookahead;
    m.promised = 0;
    m.past = false;
    m.target = m.time;
    // the first time from which no message is in the past of others; with zero lookahead also right
    // after a time that another has reached
    const auto others = [&](auto fits) {
      return std::all_of(all.begin(), all.end(), [&](const auto& k) {
        return k.first == h || !k.second.constrained || fits(k.second);
      });
    };
    for (;; ++m.target) {
      if (others([&](const Member& k) { return m.target + lookahead >= k.floor; })) break;
      m.past = lookahead == 0 && others([&](const Member& k) {
                 return m.target >= k.time && m.target + 1 >= k.floor;
               });
      if (m.past) break;
    }
    return Failure::none;
  }
  Failure enable_constrained(Handle h) {
    Member& m = all[h];
    if (m.constrained) return Failure::TimeConstrainedAlreadyEnabled;
    if (m.wants_constrained) return Failure::RequestForTimeConstrainedPending;
    if (m.advancing) return Failure::InTimeAdvancingState;
    m.wants_constrained = true;
    return Failure::none;
  }
  Failure disable_regulation(Handle h) {
    Member& m = all[h];
    if (!m.regulating) return Failure::TimeRegulationIsNotEnabled;
    m.regulating = false;
    m.lookahead = m.promised = 0;
    m.sent.clear();
    return Failure::none;
  }
  Failure disable_constrained(Handle h) {
    Member& m = all[h];
    if (!m.constrained) return Failure::TimeConstrainedIsNotEnabled;
    m.constrained = false;
    deliver_waiting(m);
    std::string kept;
    kept.swap(m.told);
    deliver(m, far_away * 8);
    std::replace(m.told.begin(), m.told.end(), 'm', 'r');
    m.told = kept + m.told;
    return Failure::none;
  }
  Failure advance(Handle h, AdvanceKind how, Ticks to) {
    Member& m = all[h];
    if (m.advancing) return Failure::InTimeAdvancingState;
    if (m.wants_regulation) return Failure::RequestForTimeRegulationPending;
    if (m.wants_constrained) return Failure::RequestForTimeConstrainedPending;
    if (to < m.time) return Failure::LogicalTimeAlreadyPassed;
    m.advancing = true;
    m.how = how;
    m.target = to;
    deliver_waiting(m);
    return Failure::none;
  }
  Failure modify_lookahead(Handle h, Ticks lookahead) {
    Member& m = all[h];
    if (!m.regulating) return Failure::TimeRegulationIsNotEnabled;
    if (m.advancing) return Failure::InTimeAdvancingState;
    if (lookahead < m.lookahead) m.promised = least_sent(m);
    m.lookahead = lookahead;
    return Failure::none;
  }
  Failure send(Handle h, Ticks stamp, std::uint32_t id) {
    Member& m = all[h];
    const bool stamped = m.regulating;
    if (stamped && stamp < least_sent(m)) return Failure::InvalidLogicalTime;
    if (stamped) m.sent[id] = {stamp, {}}, m.last = id;
    for (auto& [k, other] : all) {
      if (k == h) continue;
      if (stamped) m.sent[id].second.insert(k);
      if (stamped && other.constrained)
        other.queue.push_back({stamp, h, id});
      else if (other.constrained && !other.asynchronous && !other.advancing)
        other.waiting.push_back({stamp, stamped ? h : 0, id});
      else
        say(other, 'r', id);
    }
    return Failure::none;
  }
  Failure retract(Handle h, std::uint32_t id) {
    Member& m = all[h];
    if (!m.regulating) return Failure::TimeRegulationIsNotEnabled;
    if (id > m.last) return Failure::InvalidMessageRetractionHandle;
    if (!m.sent.count(id) || m.sent[id].first < least_sent(m))
      return Failure::MessageCanNoLongerBeRetracted;
    const auto is_it = [&](const Message& q) { return q.sender == h && q.id == id; };
    for (const Handle k : m.sent[id].second) {
      if (!all.count(k)) continue;
      Member& other = all[k];
      if (std::erase_if(other.queue, is_it) + std::erase_if(other.waiting, is_it) == 0)
        say(other, 'x', id);
    }
    m.sent.erase(id);
    return Failure::none;
  }
};

/// One federation with random requests; what federates see is checked for consistency and, with
/// integers, against the reference.
class Schedule {
 public:
  Schedule(TimeKind kind, std::uint64_t seed)
      : random_(seed),
        integers_(kind == TimeKind::integer64),
        time_(kind, [this](Handle h, const Frame& f) { hear(h, *f); }) {}

  void run(int actions) {
    join();
    join();
    for (int a = 0; a < actions && !::testing::Test::HasFailure(); ++a) {
      act();
      compare();
    }
    finish();
  }

 private:
  struct Seen {
    std::string told;
    AdvanceKind how{};
    std::int64_t floor = 0, last = 0;        // raw; last: of the messages before the next grant
    std::map<std::uint32_t, bool> expected;  // messages held for it
  };

  Stamp stamp(Ticks t) const {
    return {integers_ ? t : std::bit_cast<std::int64_t>(0.5 * static_cast<double>(t))};
  }
  Ticks ticks(Stamp s) const {
    return integers_ ? s.raw : static_cast<Ticks>(2.0 * std::bit_cast<double>(s.raw));
  }
  Ticks below(Ticks n) {
    return static_cast<Ticks>(random_.bits() % static_cast<std::uint64_t>(n));
  }

  void hear(Handle h, Bytes f) {
    Seen& s = seen_[h];
    const auto reach = [&](char what, Stamp t, bool over) {
      EXPECT_GE(t.raw, s.floor - 1);
      s.floor = std::max(s.floor, t.raw + (over ? 1 : 0));
      s.last = 0;
      s.told += what + std::to_string(t.raw) + " ";
    };
    RegulationEnabled r;
    ConstrainedEnabled c;
    Granted g;
    Receive m;
    RetractionRequested x;
    const Kind kind = header(f)->kind;
    if (kind == Kind::regulation_enabled && read(f, r)) reach('R', r.time, false);
    if (kind == Kind::constrained_enabled && read(f, c)) s.floor = 0, reach('C', c.time, false);
    if (kind == Kind::granted && read(f, g)) reach('G', g.time, Reference::after(s.how));
    if (kind == Kind::retraction_requested && read(f, x))
      s.told += "x" + std::to_string(x.retraction.number) + " ";
    if (kind != Kind::receive || !read(f, m)) return;
    const std::uint32_t id = m.interaction_class;
    const bool held = m.received == Order::time_stamp;
    s.told += (held ? "m" : "r") + std::to_string(id) + " ";
    s.expected.erase(id);
    if (!held) return;
    EXPECT_GE(stamps_[id].raw, s.floor) << "message in the past of " << h;
    EXPECT_GE(stamps_[id].raw, s.last) << "messages out of order for " << h;
    s.last = stamps_[id].raw;
  }
  template <class F>
  Failure tried(F&& call) {
    try {
      call();
    } catch (const Refusal& r) {
      return r.failure;
    }
    return Failure::none;
  }
  void agree(Failure ours, Failure theirs) {
    if (!integers_) return;
    EXPECT_EQ(name_of(ours), name_of(theirs)) << what_;
  }

  void join() {
    const Handle h = next_++;
    time_.add(h);
    model_.all[h];
    members_.push_back(h);
    seen_[h];
  }
  void send(Handle h, Ticks t) {
    const std::uint32_t id = ++ids_;
    const Stamp s = stamp(t);
    stamps_[id] = s;
    const auto failed = tried([&] {
      const bool stamped = time_.order_for_sending(h, s) == Order::time_stamp;
      if (stamped) time_.sent(h, s, id);
      const Retraction r = stamped ? Retraction{h, id} : Retraction{};
      for (const Handle k : members_) {
        if (k == h) continue;
        const bool holds = stamped && time_.constrained(k);
        if (holds) seen_[k].expected[id] = true;
        const Frame f = frame(Receive{.interaction_class = id,
                                      .received = holds ? Order::time_stamp : Order::receive});
        holds ? time_.hold(k, s, f, r) : time_.pass(k, f, r);
      }
    });
    agree(failed, model_.send(h, t, id));
    if (failed == Failure::none) sent_.push_back({h, id});
  }
  void act() {
    const Handle h = members_[static_cast<std::size_t>(below(static_cast<Ticks>(members_.size())))];
    const Ticks now = ticks(time_.time(h));
    const Ticks lookahead = std::array<Ticks, 5>{0, 0, 1, 3, 6}[static_cast<std::size_t>(below(5))];
    const Ticks dice = below(100);
    what_ = "federate " + std::to_string(h) + " dice " + std::to_string(dice);
    if (dice < 40) {
      const auto how = static_cast<AdvanceKind>(below(5));
      const Ticks to = now + below(10) - (below(20) == 0 ? 1 : 0);
      if (to < 0) return;
      const AdvanceKind before = std::exchange(seen_[h].how, how);
      const Failure f = tried([&] { time_.advance(h, how, stamp(to)); });
      if (f != Failure::none) seen_[h].how = before;
      agree(f, model_.advance(h, how, to));
    } else if (dice < 70) {
      send(h, now + below(14));
    } else if (dice < 77) {
      agree(tried([&] { time_.enable_regulation(h, stamp(lookahead)); }),
            model_.enable_regulation(h, lookahead));
    } else if (dice < 84) {
      agree(tried([&] { time_.enable_constrained(h); }), model_.enable_constrained(h));
    } else if (dice < 86) {
      agree(tried([&] { time_.disable_regulation(h); }), model_.disable_regulation(h));
    } else if (dice < 88) {
      agree(tried([&] { time_.disable_constrained(h); }), model_.disable_constrained(h));
    } else if (dice < 91) {
      agree(tried([&] { time_.modify_lookahead(h, stamp(lookahead)); }),
            model_.modify_lookahead(h, lookahead));
    } else if (dice < 95) {
      if (sent_.empty()) return;
      const auto recent = std::min<Ticks>(8, static_cast<Ticks>(sent_.size()));
      const auto& chosen = sent_[sent_.size() - 1 - static_cast<std::size_t>(below(recent))];
      const Handle from = chosen.first;
      const std::uint32_t id = chosen.second;
      if (!model_.all.count(from)) return;
      const Failure f = tried([&] { time_.retract(from, id); });
      if (f == Failure::none) {
        for (auto& [k, s] : seen_) s.expected.erase(id);
      }
      agree(f, model_.retract(from, id));
    } else if (dice < 97) {
      if (time_.report(h).asynchronous) {
        time_.disable_asynchronous(h);
        model_.all[h].asynchronous = false;
      } else {
        time_.enable_asynchronous(h);
        model_.all[h].asynchronous = true;
        model_.deliver_waiting(model_.all[h]);
      }
    } else if (dice == 97 && members_.size() > 2) {
      time_.remove(h);
      model_.all.erase(h);
      seen_.erase(h);
      std::erase(members_, h);
    } else if (dice == 98 && members_.size() < 6) {
      join();
    }
    model_.settle();
  }
  void compare() {
    bool all_advance = true, some = false;
    for (const Handle h : members_) {
      const TimeManager::Report r = time_.report(h);
      if (r.regulating) some = true, all_advance = all_advance && r.advancing;
      if (!integers_) continue;
      const Reference::Member& m = model_.all[h];
      ASSERT_EQ(seen_[h].told, m.told) << what_ << ", told " << h;
      ASSERT_EQ(r.time.raw, m.time);
      const Ticks galt = model_.galt(h);
      ASSERT_EQ(r.galt ? r.galt->raw : far_away * 9, galt) << what_ << ", GALT of " << h;
      if (!r.regulating) continue;
      ASSERT_EQ(r.lookahead.raw, std::max(m.lookahead, m.promised - m.time)) << what_;
    }
    ASSERT_FALSE(some && all_advance) << "all wait for each other; " << what_;
  }
  /// All federates advance to the end: no message may be left over.
  void finish() {
    for (int round = 0; round < 40; ++round) {
      for (const Handle h : members_) {
        const TimeManager::Report r = time_.report(h);
        if (r.advancing || r.regulation_pending || r.constrained_pending) continue;
        seen_[h].how = AdvanceKind::to;
        time_.advance(h, AdvanceKind::to, stamp(far_away));
      }
    }
    for (const Handle h : members_) {
      EXPECT_EQ(ticks(time_.time(h)), far_away) << h;
      EXPECT_TRUE(seen_[h].expected.empty()) << h;
    }
  }

  vernier::Random random_;
  bool integers_;
  Reference model_;
  std::map<Handle, Seen> seen_;
  std::map<std::uint32_t, Stamp> stamps_;
  std::vector<std::pair<Handle, std::uint32_t>> sent_;
  std::vector<Handle> members_;
  Handle next_ = 1;
  std::uint32_t ids_ = 0;
  std::string what_;
  TimeManager time_;
};

TEST(TimeManager, RandomSchedulesGoAsTheReferenceDoes) {
  for (std::uint64_t seed = 1; seed <= 150 && !HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    Schedule(TimeKind::integer64, seed).run(250);
  }
}

TEST(TimeManager, RandomSchedulesOfRealTimesHaveNothingInThePastAndNothingLost) {
  for (std::uint64_t seed = 1; seed <= 150 && !HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    Schedule(TimeKind::float64, seed).run(250);
  }
}

}  // namespace
}  // namespace vernier::federation
