#include "vernier/run/server/past.hpp"

#include <algorithm>
#include <utility>

namespace vernier::server {

void Past::begin_epoch(std::size_t nodes) {
  lost_.assign(nodes, 0);
  incomplete_.clear();
}

void Past::take(std::uint32_t node, const Share& s) {
  auto c = std::find_if(incomplete_.begin(), incomplete_.end(),
                        [&s](const Copy& x) { return x.at == s.at; });
  if (c == incomplete_.end()) {
    incomplete_.push_back({s.at, {}, {}});
    c = incomplete_.end() - 1;
    c->shares.resize(lost_.size());
    c->orders.resize(lost_.size());
    for (std::size_t n = 0; n < lost_.size(); ++n)
      if (lost_[n]) c->shares[n].emplace();
  }
  c->shares[node].emplace(s.content.begin(), s.content.end());
  c->orders[node] = live_.size();
  settle();
}

void Past::lose(std::uint32_t node) {
  lost_[node] = 1;
  for (Copy& c : incomplete_)
    if (!c.shares[node]) c.shares[node].emplace();
  settle();
}

void Past::settle() {
  const auto complete = [](const Copy& c) {
    return std::all_of(c.shares.begin(), c.shares.end(),
                       [](const auto& x) { return x.has_value(); });
  };
  for (auto c = std::find_if(incomplete_.begin(), incomplete_.end(), complete);
       c != incomplete_.end(); c = std::find_if(incomplete_.begin(), incomplete_.end(), complete)) {
    good_ = std::move(*c);
    whole_.clear();
    std::erase_if(incomplete_, [this](const Copy& x) { return x.at <= good_.at; });
  }
}

void Past::remember(std::vector<std::byte> whole, Time t) {
  whole_ = std::move(whole);
  good_ = {t, {}, {}};
  incomplete_.clear();
  // what was given since then was executed before
  for (std::size_t i = live_.size(); i-- > 0;)
    if (!live_[i].again || included(i)) live_.erase(live_.begin() + static_cast<std::ptrdiff_t>(i));
}

const std::vector<std::byte>& Past::whole(const Merge& merge) {
  if (!whole_.empty()) return whole_;
  std::vector<std::vector<std::byte>> shares;
  for (auto& share : good_.shares) shares.push_back(std::move(*share));
  good_.shares.clear();
  return whole_ = put_together(shares, merge);
}

bool Past::included(std::size_t i) const noexcept {
  const Live& l = live_[i];
  const std::int64_t at = good_.at.time_since_epoch().count();
  // copies are made before orders of the same time are repeated
  if (l.again) return l.order.at < at || (l.order.at == at && !l.order.settled);
  if (l.node == anyone)
    return std::any_of(good_.orders.begin(), good_.orders.end(),
                       [i](std::size_t known) { return i < known; });
  return l.node < good_.orders.size() && i < good_.orders[l.node];
}

std::vector<TimedOrder> Past::again() {
  std::vector<TimedOrder> all;
  const std::int64_t at = good_.at.time_since_epoch().count();
  for (const TimedOrder& s : scheduled_)
    if (s.at > at || (s.at == at && s.settled)) all.push_back(s);
  std::vector<Live> kept;
  for (std::size_t i = 0; i < live_.size(); ++i) {
    if (included(i)) continue;
    all.push_back(live_[i].order);
    kept.push_back(std::move(live_[i]));
    kept.back().again = true;
  }
  live_ = std::move(kept);
  good_.orders.clear();  // none of those to come is part of it
  std::stable_sort(all.begin(), all.end(), [](const TimedOrder& a, const TimedOrder& b) {
    return std::pair(a.at, a.settled) < std::pair(b.at, b.settled);
  });
  return all;
}

std::vector<std::byte> put_together(const std::vector<std::vector<std::byte>>& shares,
                                    const Past::Merge& merge) {
  std::vector<executive::Snapshot> by_node;
  for (const std::vector<std::byte>& share : shares) {
    if (share.empty()) {
      by_node.emplace_back();
      continue;
    }
    auto s = decoded_snapshot(share);
    if (!s) throw ConfigurationError("V5604", "a copy of the state is damaged");
    by_node.push_back(std::move(*s));
  }
  return encoded(merge(by_node));
}

}  // namespace vernier::server
