#include "vernier/run/server/merger.hpp"

#include <algorithm>
#include <cstring>
#include <tuple>

namespace vernier::server {

void Merger::Flow::pop() noexcept {
  heads.pop_front();
  used += bytes;
  if (used < rows.size()) return;
  rows.clear();
  used = 0;
}

void Merger::Flow::clear() noexcept {
  heads.clear();
  rows.clear();
  used = 0;
}

Time Merger::Tap::next() const noexcept {
  Time t = Time::max();
  for (const Flow* f : fed)
    if (!f->heads.empty()) t = std::min(t, f->heads.front().at.time);
  return t;
}

void Merger::watch(std::uint32_t tap, executive::Observer& o, Ports ports) {
  Tap& t = taps_[tap];
  t = {.observer = &o, .flows = std::vector<Flow>(ports.size()), .fed = {}};
  for (std::size_t node = 0; node < ports.size(); ++node) {
    Flow& f = t.flows[node];
    f.ports = std::move(ports[node]);
    f.node = static_cast<std::uint32_t>(node);
    for (const executive::PortView* p : f.ports) f.bytes += bytes_of(*p->port);
  }
  t.find_fed();
}

void Merger::Tap::find_fed() {
  fed.clear();
  std::map<const executive::PortView*, const Flow*> known;
  for (Flow& f : flows) {
    if (f.ports.empty()) continue;
    fed.push_back(&f);
    f.after.clear();
    for (const executive::PortView* p : f.ports) {
      const auto [first, fresh] = known.try_emplace(p, &f);
      f.after.push_back(fresh ? nullptr : first->second);
    }
  }
}

void Merger::forget(std::uint32_t tap) { taps_.erase(tap); }

void Merger::lose(std::uint32_t node) {
  for (auto& [number, tap] : taps_) {
    if (node >= tap.flows.size()) continue;
    tap.flows[node].clear();
    tap.flows[node].ports.clear();
    tap.find_fed();
  }
}

bool Merger::take(std::uint32_t node, const Row& row) {
  const auto found = taps_.find(row.tap);
  if (found == taps_.end()) return true;  // forgotten meanwhile
  if (node >= found->second.flows.size()) return false;
  Flow& f = found->second.flows[node];
  if (f.ports.empty() || row.content.size() != f.bytes) return false;
  if (row.at.time < shown_) return true;
  f.heads.push_back({row.at, row.last});
  f.rows.insert(f.rows.end(), row.content.begin(), row.content.end());
  return true;
}

bool Merger::earlier(const Executed& a, const Executed& b) noexcept {
  return std::tie(a.at, a.settled) < std::tie(b.at, b.settled);
}

Time Merger::next() const noexcept {
  Time t = Time::max();
  for (const auto& [number, tap] : taps_) t = std::min(t, tap.next());
  if (shown_notes_ < sorted_) t = std::min(t, notes_[shown_notes_].time);
  if (!orders_.empty()) t = std::min(t, orders_.front().at);
  return t;
}

/// What others say than the nodes that are believed; the same.
void Merger::drop_others(Time end, const Reader& reader) {
  std::erase_if(notes_, [&](const Noted& n) {
    return n.time < shown_ || (n.time < end && !reader.speaks(n.node, n.part));
  });
  std::erase_if(orders_, [&](const Executed& e) {
    return std::pair(e.at, e.settled) <= repeated_ ||
           (e.at < end && !reader.speaks(e.node, e.part));
  });
}

bool Merger::show(Time end, Reader& reader) {
  drop_others(end, reader);
  const auto later = std::stable_partition(notes_.begin(), notes_.end(),
                                           [end](const Noted& n) { return n.time < end; });
  std::stable_sort(notes_.begin(), later, [](const Noted& a, const Noted& b) {
    return std::tie(a.time, a.round, a.part) < std::tie(b.time, b.round, b.part);
  });
  sorted_ = static_cast<std::size_t>(later - notes_.begin());
  shown_notes_ = 0;
  std::stable_sort(orders_.begin(), orders_.end(), earlier);
  bool wanted = true;
  for (Time t = next(); t < end && wanted && !disagree_; t = next()) {
    wanted = reader.reach(t);
    if (!wanted) break;
    show_orders(t, false, reader);
    show_notes(t, reader);
    for (auto& [number, tap] : taps_)
      while (tap.next() == t && !disagree_) show_row(tap);
    show_orders(t, true, reader);
    shown_ = std::max(shown_, t + Duration(1));
  }
  notes_.erase(notes_.begin(), notes_.begin() + static_cast<std::ptrdiff_t>(shown_notes_));
  if (!wanted || disagree_) return false;
  shown_ = std::max(shown_, end);
  return true;
}

bool Merger::leave_out(Tap& tap) {
  const auto before = [](const Flow::Head& a, const Flow::Head& b) {
    return std::tie(a.at.time, a.at.microstep, a.last) <
           std::tie(b.at.time, b.at.microstep, b.last);
  };
  const Flow::Head* first = nullptr;
  for (const Flow* f : tap.fed)
    if (!f->heads.empty() && (!first || before(f->heads.front(), *first)))
      first = &f->heads.front();
  const Flow::Head row = *first;
  const auto has = [&](const Flow* f) {
    return !f->heads.empty() && !before(row, f->heads.front());
  };
  if (std::all_of(tap.fed.begin(), tap.fed.end(), has)) return false;
  for (Flow* f : tap.fed)
    if (has(f)) f->pop();
  ++left_out_;
  return true;
}

void Merger::show_row(Tap& tap) {
  if (gaps_ && leave_out(tap)) return;
  const Flow::Head head = tap.fed.front()->heads.empty() ? Flow::Head{{Time::min()}, false}
                                                         : tap.fed.front()->heads.front();
  for (Flow* f : tap.fed) {
    disagree_ |=
        f->heads.empty() || f->heads.front().at != head.at || f->heads.front().last != head.last;
    if (disagree_) return;
    Bytes row = f->front();
    for (std::size_t i = 0; i < f->ports.size(); ++i) {
      const executive::PortView* p = f->ports[i];
      const std::size_t bytes = bytes_of(*p->port);
      if (!f->after[i])
        std::memcpy(const_cast<void*>(p->data), row.data(), bytes);
      else if (std::memcmp(p->data, row.data(), bytes) != 0 && !difference_)
        difference_ = {head.at.time, p, {f->after[i]->node, f->node}};
      row = row.subspan(bytes);
    }
    f->pop();
  }
  disagree_ = difference_.has_value();
  if (disagree_) return;
  tap.observer->sample(head.at, head.last);
}

void Merger::show_notes(Time t, Reader& reader) {
  std::vector<Entry> entries;
  while (shown_notes_ < sorted_ && notes_[shown_notes_].time == t) {
    const Noted& first = notes_[shown_notes_];
    entries.clear();
    for (; shown_notes_ < sorted_ && notes_[shown_notes_].time == t &&
           notes_[shown_notes_].round == first.round && notes_[shown_notes_].part == first.part;
         ++shown_notes_)
      entries.push_back(notes_[shown_notes_].entry);
    reader.note(first.part, entries);
  }
}

void Merger::show_orders(Time t, bool settled, Reader& reader) {
  while (!orders_.empty() && orders_.front().at <= t && orders_.front().settled <= settled) {
    reader.executed(orders_.front());
    last_order_ = {orders_.front().at, orders_.front().settled};
    orders_.pop_front();
  }
}

void Merger::drop() noexcept {
  for (auto& [number, tap] : taps_)
    for (Flow& f : tap.flows) f.clear();
  notes_.clear();
  orders_.clear();
  repeated_ = last_order_;
}

void Merger::rewind(Time now) noexcept {
  drop();
  shown_ = now + Duration(1);
  last_order_ = repeated_ = {Time::min(), false};
}

}  // namespace vernier::server
