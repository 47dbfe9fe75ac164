// Losses that cost nothing, because other nodes run all parts of the lost one as well. These notice
// it by themselves, and drop it (executive/detail/replicas.cpp).
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "vernier/base/text.hpp"
#include "vernier/run/server/detail/work.hpp"

namespace vernier::server {

template <class Fit>
bool Composer::Work::covered(const Fit& fit) const {
  if (std::none_of(active_.begin(), active_.end(), [&](const Peer* e) { return fit(*e); }))
    return false;
  for (std::uint32_t p = 0; p < run_.parts().size(); ++p) {
    const std::vector<std::uint32_t> nodes = nodes_of(p);
    if (std::none_of(nodes.begin(), nodes.end(),
                     [&](std::uint32_t n) { return fit(*members_[n]); }))
      return false;
  }
  return true;
}

void Composer::Work::survive() {
  if (!drop_lost()) recover();
}

bool Composer::Work::drop_lost() {
  const auto is_left = [](const Peer& e) {
    return !e.lost && (e.busy || ending(e) != Ending::cut_off);
  };
  if (interrupted_ || !covered(is_left)) return false;
  for (Peer* e : active_)
    if (!is_left(*e)) fleet_.lose(*e, "it was cut off");
  const std::string who = words_of_lost();
  std::set<std::string> others;
  std::vector<Peer*> lost;
  for (Peer* e : active_) {
    if (!e->lost) continue;
    lost.push_back(e);
    const std::uint32_t node = *node_of(*e);
    for (std::uint32_t p = 0; p < run_.parts().size(); ++p) {
      if (!run_.cut().runs_on(node, p)) continue;
      for (const std::uint32_t n : nodes_of(p))
        if (!members_[n]->lost) others.insert(name_of(*members_[n]));
    }
  }
  for (Peer* e : lost) drop(*e);
  Diagnostics news;
  news.warning("V5602",
               others.empty()
                   ? fmt::format("lost: {}; it ran no part of the run", who)
                   : fmt::format("lost: {}; its parts also run on {}, and nothing was lost", who,
                                 joined({others.begin(), others.end()}, ", ")),
               {});
  if (run_.on_news) run_.on_news(news);
  return true;
}

void Composer::Work::drop(Peer& e) {
  const std::uint32_t node = *node_of(e), seat = e.seat;
  merger_.lose(node);
  past_.lose(node);
  if (frames_) frames_->lose(node);
  members_[node] = nullptr;
  std::erase(active_, &e);
  {
    const std::lock_guard lock(current_mutex_);
    for (Seats& s : current_) std::erase(s, seat);
  }
  fleet_.end(seat);
  schedule_attempt(seat);
  if (!asked_ || std::erase(asked_->awaited, node) == 0 || !asked_->awaited.empty()) return;
  if (asked_->answer)
    finish_order(*asked_->answer);
  else
    requeue_order();
}

void Composer::Work::lose_cut_off() {
  const auto is_cut_off = [](const Peer& e) {
    return !e.lost && !e.busy && ending(e) == Ending::cut_off;
  };
  if (interrupted_ || any(Ending::failed) || over() ||
      std::none_of(active_.begin(), active_.end(), [&](const Peer* e) { return is_cut_off(*e); }) ||
      !covered([&](const Peer& e) { return !e.lost && !is_cut_off(e); }))
    return;
  for (Peer* e : active_)
    if (is_cut_off(*e))
      fleet_.lose(*e, e->halted.fault ? decoded(*e->halted.fault).message : "it was cut off");
}

}  // namespace vernier::server
