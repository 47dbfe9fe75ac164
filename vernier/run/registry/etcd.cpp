#include "vernier/run/registry/etcd.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <thread>
#include <utility>

#include "vernier/net/http.hpp"
#include "vernier/net/socket.hpp"
#include "vernier/net/stream.hpp"

namespace vernier::registry {
namespace {

using namespace std::chrono_literals;
using Kind = Trouble::Kind;
using Flow = net::Stream::State;

constexpr Clock::duration shortest_attempt = 100ms, longest_attempt = 2s;
constexpr auto between_rounds = 100ms;
constexpr std::chrono::seconds longest_granted = 24h;

/// Why a member gave no answer. `there`: it may give one soon.
struct Missed {
  Kind kind = Kind::unreachable;
  std::string why;
  bool there = false;
};
Failure<Missed> silent(std::string why) {
  return Failure{Missed{Kind::unreachable, std::move(why), true}};
}
Failure<Trouble> damaged(std::string why) {
  return Failure{Trouble{Kind::damaged, std::move(why)}};
}
Failure<Trouble> lost(std::string why) { return Failure{Trouble{Kind::lost, std::move(why)}}; }

/// Says something and reads all that comes until the peer closes the connection.
Result<std::vector<std::byte>, Missed> exchanged(const net::Address& a, const std::string& text,
                                                 Clock::time_point deadline) {
  auto fd = net::connected(a, deadline);
  if (!fd) return Failure{Missed{Kind::unreachable, fd.error()}};
  net::Stream s(std::move(*fd));
  for (Bytes rest = std::as_bytes(std::span(text)); !rest.empty();) {
    const auto moved = s.write(rest);
    rest = rest.subspan(moved.bytes);
    if (moved.state == Flow::closed) return silent("it closed the connection");
    if (moved.state != Flow::done && !net::wait_for_room(s, deadline))
      return silent("it does not answer in time");
  }
  std::vector<std::byte> all;
  std::array<std::byte, 16384> part;
  while (true) {
    const auto moved = s.read(part);
    all.insert(all.end(), part.begin(), part.begin() + static_cast<std::ptrdiff_t>(moved.bytes));
    if (all.size() > gateway::longest_answer)
      return Failure{Missed{
          Kind::damaged,
          "it answers with more than " + std::to_string(gateway::longest_answer >> 20) + " MiB"}};
    if (moved.state == Flow::closed && s.failed()) return silent(s.why());
    if (moved.state == Flow::closed && all.empty()) return silent("it closed the connection");
    if (moved.state == Flow::closed) return all;
    // also for one that never stops
    if (Clock::now() >= deadline ||
        (moved.state != Flow::done && !net::wait_for(s, moved.state, deadline)))
      return silent("it does not answer in time");
  }
}

Result<gateway::Reply, Missed> asked_of(const net::Address& a, const gateway::Question& q,
                                        Clock::time_point deadline) {
  const auto text =
      exchanged(a, net::http::post(net::text(a), q.target, "application/json", q.body), deadline);
  if (!text) return Failure{text.error()};
  auto reply = gateway::reply_of(*text);
  if (!reply) return Failure{Missed{Kind::damaged, reply.error()}};
  if (reply->elsewhere()) return silent(reply->error);
  return std::move(*reply);
}

/// The name of the run in "vernier/runs/NAME/what".
std::string_view run_in(std::string_view key, std::string_view runs, std::string_view what) {
  if (!key.starts_with(runs) || !key.ends_with(what)) return {};
  key.remove_prefix(runs.size());
  if (key.size() <= what.size()) return {};
  key.remove_suffix(what.size());
  return is_run_name(key) ? key : std::string_view();
}

constexpr const char *leader_key = "/leader", *record_key = "/record";

}  // namespace

EtcdRegistry::EtcdRegistry(Location l) : location_(std::move(l)) {}

std::string EtcdRegistry::key(const std::string& run, const char* what) const {
  return location_.prefix + "/runs/" + run + what;
}

Answer<EtcdRegistry::Asked> EtcdRegistry::ask(const gateway::Question& q,
                                              Clock::time_point deadline, bool insists) {
  const std::size_t n = location_.members.size();
  std::vector<std::string> why(n);
  while (true) {
    bool again = insists;
    Kind kind = Kind::damaged;
    for (std::size_t k = 0; k < n; ++k) {
      const auto at = Clock::now();
      if (at >= deadline) break;
      // one that does not answer must leave time for the others
      const auto share = std::clamp<Clock::duration>((deadline - at) / static_cast<long>(n),
                                                     shortest_attempt, longest_attempt);
      const net::Address& member = location_.members[member_];
      auto reply = asked_of(member, q, std::min(deadline, at + share));
      if (reply) return Asked{std::move(*reply), at};
      why[member_] = net::text(member) + ": " + reply.error().why;
      if (reply.error().kind == Kind::unreachable) kind = Kind::unreachable;
      again |= reply.error().there;
      member_ = (member_ + 1) % n;
    }
    if (!again || Clock::now() + between_rounds >= deadline) {
      std::erase(why, std::string());
      std::string words;
      for (const std::string& one : why) words += (words.empty() ? "" : "; ") + one;
      return Failure{Trouble{kind, words.empty() ? "there was no time left" : words}};
    }
    std::this_thread::sleep_for(between_rounds);
  }
}

Answer<Term> EtcdRegistry::lead(const std::string& run, const Leader& who,
                                Clock::time_point deadline) {
  const auto granted = ask(gateway::grant(location_.lease), deadline, false);
  if (!granted) return Failure{granted.error()};
  const gateway::Reply& lease = granted->reply;
  if (!lease.good()) return damaged(lease.error);
  if (lease.lease == 0 || lease.life <= 0 || lease.life > longest_granted.count())
    return damaged("it grants no lease");
  Term term{.run = run, .lease = lease.lease, .life = std::chrono::seconds(lease.life)};
  term.ends = end_of_term(granted->at, term.life);
  const auto made =
      ask(gateway::create(key(run, leader_key), to_json(who), term.lease), deadline, true);
  if (!made) return Failure{made.error()};
  const gateway::Reply& r = made->reply;
  if (!r.good()) return lost(r.error);
  if (r.succeeded) {
    term.epoch = r.revision;
  } else if (r.found.empty()) {
    return damaged("it neither creates a key nor has it");
  } else if (r.found.front().lease == term.lease) {
    term.epoch = r.found.front().created;  // its first answer was lost
  } else {
    static_cast<void>(ask(gateway::revoke(term.lease), deadline, false));
    Leader other = leader_of(r.found.front().value).value_or({});
    other.epoch = r.found.front().created;
    return Failure{Trouble{Kind::taken, text(other), other}};
  }
  if (term.epoch == 0) return damaged("it counts no revisions");
  return term;
}

Answer<Done> EtcdRegistry::held(const gateway::Question& q, Clock::time_point deadline) {
  const auto answer = ask(q, deadline, true);
  if (!answer) return Failure{answer.error()};
  if (!answer->reply.good()) return lost(answer->reply.error);
  if (!answer->reply.succeeded) return lost("the registry has ended the term");
  return Done{};
}

Answer<Clock::time_point> EtcdRegistry::renew(const Term& t, Clock::time_point deadline) {
  const auto kept = ask(gateway::keep_alive(t.lease), deadline, true);
  if (!kept) return Failure{kept.error()};
  const gateway::Reply& r = kept->reply;
  if (!r.good() || r.life <= 0) return lost("the registry has ended the term");
  // the lease may live although somebody removed the key
  const auto holds = held(gateway::hold(key(t.run, leader_key), t.epoch), deadline);
  if (!holds) return Failure{holds.error()};
  return end_of_term(kept->at,
                     std::chrono::seconds(std::min<std::int64_t>(r.life, longest_granted.count())));
}

Answer<Done> EtcdRegistry::publish(const Term& t, const Record& r, Clock::time_point deadline) {
  const std::string text = to_json(r);
  if (text.size() > longest_record) return damaged("the record of the run is too long");
  return held(gateway::put(key(t.run, leader_key), t.epoch, key(t.run, record_key), text),
              deadline);
}

Answer<Done> EtcdRegistry::resign(const Term& t, bool forget, Clock::time_point deadline) {
  Answer<Done> done = Done{};
  if (forget)
    done = held(gateway::remove(key(t.run, leader_key), t.epoch, key(t.run, record_key)), deadline);
  const auto revoked = ask(gateway::revoke(t.lease), deadline, true);
  if (!revoked) return Failure{revoked.error()};
  return done;
}

Answer<std::vector<Entry>> EtcdRegistry::entries(const std::string& prefix,
                                                 Clock::time_point deadline) {
  const auto answer = ask(gateway::all(prefix), deadline, false);
  if (!answer) return Failure{answer.error()};
  if (!answer->reply.good()) return damaged(answer->reply.error);
  const std::string runs = location_.prefix + "/runs/";
  std::map<std::string, Entry, std::less<>> all;
  for (const gateway::KeyValue& one : answer->reply.found) {
    if (const auto led = run_in(one.key, runs, leader_key); !led.empty()) {
      Entry& e = all[std::string(led)];
      e.leader = leader_of(one.value).value_or({});
      e.leader->epoch = one.created;
    } else if (const auto run = run_in(one.key, runs, record_key); !run.empty()) {
      Entry& e = all[std::string(run)];
      auto record = record_of(one.value);
      if (record && record->run == run)
        e.record = std::move(*record);
      else
        e.damage = record ? "it is the record of another run" : record.error();
    }
  }
  std::vector<Entry> list;
  for (auto& [run, e] : all) {
    e.run = run;
    list.push_back(std::move(e));
  }
  return list;
}

Answer<Entry> EtcdRegistry::look(const std::string& run, Clock::time_point deadline) {
  auto all = entries(key(run, "/"), deadline);
  if (!all) return Failure{all.error()};
  return all->empty() ? Entry{.run = run} : std::move(all->front());
}

Answer<std::vector<Entry>> EtcdRegistry::list(Clock::time_point deadline) {
  return entries(location_.prefix + "/runs/", deadline);
}

Answer<Done> EtcdRegistry::forget(const std::string& run, Clock::time_point deadline) {
  const auto done =
      ask(gateway::remove_unless(key(run, leader_key), key(run, record_key)), deadline, false);
  if (!done) return Failure{done.error()};
  if (!done->reply.good()) return damaged(done->reply.error);
  if (!done->reply.succeeded) return Failure{Trouble{Kind::taken, "somebody leads the run", {}}};
  return Done{};
}

}  // namespace vernier::registry
