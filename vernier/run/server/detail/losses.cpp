#include <fmt/format.h>

#include <algorithm>

#include "vernier/base/text.hpp"
#include "vernier/run/server/detail/work.hpp"

namespace vernier::server {

using namespace std::chrono_literals;

std::string Composer::Work::words_of_lost() const {
  std::string all;
  for (const Peer* e : active_)
    if (e->lost) all += (all.empty() ? "node " : ", node ") + name_of(*e) + " (" + e->why + ")";
  if (!all.empty()) return all;
  for (const Peer* e : active_)
    if (ending(*e) == Ending::cut_off && e->halted.fault)
      return fmt::format("the connection of {} ({})", name_of(*e), e->halted.fault->message);
  return "the connection between two nodes";
}

void Composer::Work::recover() {
  const std::string who = words_of_lost();
  joined_.clear();
  if (!stays_.empty()) {
    interrupt_all();
    Diagnostics d;
    Diagnostic& e =
        d.error("V5607", "lost: " + who + "; the run cannot return to an earlier state", {});
    e.category = Category::peer;
    e.notes.push_back(stays_);
    throw ConfigurationError(d);
  }
  Diagnostics news;
  while (true) {
    if (++failures_ > most_failures)
      throw ConfigurationError("V5607", "the nodes are lost again and again: " + who);
    interrupt_all();
    const std::vector<std::byte> whole = past_.whole(merge());
    static_cast<void>(merger_.show(std::min(progress(), past_.at() + Duration(1)), *this));
    hand_over();
    requeue_order();
    arrange(whole);
    refuse_refused();
    if (lost() || any(Ending::cut_off)) continue;
    send_schedule(past_.again());
    break;
  }
  window_ = Time::min();
  news.warning(
      "V5602",
      fmt::format("lost: {}; the run continues from t = {} s", who, exact(seconds(past_.at()))),
      {});
  if (run_.on_news) run_.on_news(news);
}

void Composer::Work::hand_over() {
  for (std::uint32_t s = 0; s < seats(); ++s) {
    Peer* e = fleet_.at(s);
    if (e && e->lost) {
      if (const auto n = node_of(*e)) members_[*n] = nullptr;
      std::erase(active_, e);
      fleet_.end(s);
      schedule_attempt(s);
    }
  }
  while (!any_ready()) revive();
  std::vector<std::size_t> load(seats());
  for (const Seats& all : current_)
    for (const std::uint32_t s : all) ++load[s];
  std::vector<Seats> all;
  for (std::size_t p = 0; p < current_.size(); ++p) {
    Seats& now = all.emplace_back();
    const auto add = [&](std::uint32_t s) {
      if (now.size() < home_[p].size() && usable(s) &&
          std::find(now.begin(), now.end(), s) == now.end())
        now.push_back(s);
    };
    for (const std::uint32_t s : home_[p]) add(s);
    for (const std::uint32_t s : current_[p]) add(s);
    while (now.size() < home_[p].size()) {
      std::optional<std::uint32_t> best;
      for (std::uint32_t s = 0; s < seats(); ++s)
        if (usable(s) && std::find(now.begin(), now.end(), s) == now.end() &&
            (!best || load[s] < load[*best]))
          best = s;
      if (!best) break;
      ++load[*best];
      now.push_back(*best);
    }
  }
  const std::lock_guard lock(current_mutex_);
  current_ = std::move(all);
}

bool Composer::Work::usable(std::uint32_t seat) {
  const Peer* e = fleet_.at(seat);
  return e && e->ready && !e->lost;
}

bool Composer::Work::any_ready() {
  for (std::uint32_t s = 0; s < seats(); ++s)
    if (usable(s)) return true;
  return false;
}

void Composer::Work::revive() {
  if (++failures_ > most_failures)
    throw ConfigurationError("V5607", "no executor is left, and none can be started");
  for (Attempt& a : attempts_) a.next = std::min(a.next, Clock::now() + first_pause);
  const auto until = Clock::now() + answer_within;
  while (!any_ready() && Clock::now() < until) {
    if (run_.stops())
      throw ConfigurationError("V5607", "no executor is left, and the run was to stop", {},
                               Category::peer);
    see_to_seats();
    fleet_.listen(Clock::now() + 20ms);
  }
}

void Composer::Work::schedule_attempt(std::uint32_t seat) {
  Attempt& a = attempts_[seat];
  a.next = Clock::now() + a.pause;
  a.pause = std::min(2 * a.pause, longest_pause);
}

void Composer::Work::see_to_seats() {
  if (!stays_.empty()) return;
  for (std::uint32_t s = 0; s < seats(); ++s) {
    Peer* e = fleet_.at(s);
    if (e && !e->lost && e->ready && (!node_of(*e) || e->draining)) {
      halting_ = true;
      attempts_[s].pause = first_pause;
    }
    if (e && node_of(*e)) continue;
    if (e && (e->lost || e->refused)) {
      fleet_.end(s);
      schedule_attempt(s);
    } else if (!e && Clock::now() >= attempts_[s].next && wanted(s)) {
      try {
        fleet_.start(s, team_.begin);
      } catch (const ConfigurationError&) {
        fleet_.end(s);
        schedule_attempt(s);
      }
    }
  }
}

bool Composer::Work::wanted(std::uint32_t seat) const noexcept {
  return std::any_of(home_.begin(), home_.end(), [seat](const Seats& s) {
    return std::find(s.begin(), s.end(), seat) != s.end();
  });
}

bool Composer::Work::wants_rearrangement() {
  if (!stays_.empty()) return false;
  for (std::uint32_t s = 0; s < seats(); ++s) {
    Peer* e = fleet_.at(s);
    if (!e || !e->ready || e->lost) continue;
    if (!node_of(*e) || (e->draining && active_.size() > 1)) return true;
  }
  for (std::size_t p = 0; p < home_.size(); ++p)
    for (const std::uint32_t s : home_[p])
      if (usable(s) && std::find(current_[p].begin(), current_[p].end(), s) == current_[p].end())
        return true;
  return false;
}

void Composer::Work::rearrange() {
  const auto whole = whole_state();
  if (!whole) return recover();
  past_.remember(*whole, time_of_nodes());
  for (std::uint32_t s = 0; s < seats(); ++s) {
    Peer* e = fleet_.at(s);
    if (!e || !e->draining || active_.size() < 2) continue;
    if (const auto n = node_of(*e)) members_[*n] = nullptr;
    std::erase(active_, e);
    fleet_.send(*e, Word::quit);
    fleet_.end(s);
    attempts_[s] = {Clock::now() + longest_pause, longest_pause};
  }
  hand_over();
  arrange(*whole);
  refuse_refused();
  if (lost() || any(Ending::cut_off)) return recover();
  send_schedule(past_.again());
  window_ = Time::min();
}

void Composer::Work::requeue_order() {
  if (!asked_) return;
  if (asked_->executed) run_.finish_order(run_.now());
  asked_.reset();
}

}  // namespace vernier::server
