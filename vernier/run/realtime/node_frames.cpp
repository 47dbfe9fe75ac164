#include "vernier/run/realtime/node_frames.hpp"

#include <algorithm>
#include <limits>

namespace vernier::realtime {
namespace {

/// Frames of which shares are missing, such as those of a node that was lost.
constexpr std::size_t most_incomplete = 4096;

std::int64_t usual(const Histogram& h) noexcept { return h.quantile(0.99); }

}  // namespace

NodeFrames::NodeFrames(std::vector<std::uint8_t> outside, FrameSink& sink)
    : outside_(std::move(outside)),
      sink_(sink),
      parts_(outside_.size()),
      passed_(std::numeric_limits<std::int64_t>::min()),
      costs_(outside_.size()) {}

std::uint32_t NodeFrames::number_of(const std::string& name) {
  const auto found = std::find_if(nodes_.begin(), nodes_.end(),
                                  [&name](const NodeHealth& n) { return n.name == name; });
  if (found == nodes_.end()) {
    nodes_.emplace_back().name = name;
    rest_.emplace_back();
    return static_cast<std::uint32_t>(nodes_.size() - 1);
  }
  return static_cast<std::uint32_t>(found - nodes_.begin());
}

NodeHealth& NodeFrames::node(const std::string& name) { return nodes_[number_of(name)]; }

std::vector<std::string> NodeFrames::names() const {
  std::vector<std::string> all;
  for (const NodeHealth& n : nodes_) all.push_back(n.name);
  return all;
}

std::vector<Health::Path> NodeFrames::paths() const {
  std::vector<Health::Path> all;
  for (const auto& [ends, path] : paths_) all.push_back(path);
  return all;
}

void NodeFrames::divide(const std::vector<std::string>& names) {
  flush();
  divided_ = !numbers_.empty();
  numbers_.clear();
  for (const std::string& n : names) numbers_.push_back(number_of(n));
  lost_.assign(numbers_.size(), 0);
}

void NodeFrames::lose(std::uint32_t node) {
  if (node >= lost_.size()) return;
  lost_[node] = 1;
  while (!slots_.empty() && complete(slots_.begin()->second))
    pass_on(std::move(slots_.extract(slots_.begin()).mapped()));
}

bool NodeFrames::complete(const Slot& slot) const noexcept {
  for (std::size_t n = 0; n < lost_.size(); ++n)
    if (!slot.shares[n] && !lost_[n]) return false;
  return true;
}

void NodeFrames::take(std::uint32_t node, Share s) {
  const std::int64_t number = s.frame.number;
  if (node >= numbers_.size() || number <= passed_) return;
  s.waits.resize(numbers_.size());
  Slot& slot = slots_[number];
  slot.shares.resize(numbers_.size());
  if (slot.shares[node]) return;
  slot.shares[node] = std::move(s);
  const bool all = complete(slot);
  if (!all && slots_.size() <= most_incomplete) return;
  // those before it stay incomplete: each node says everything in order
  const auto last = all ? number : slots_.begin()->first;
  while (!slots_.empty() && slots_.begin()->first <= last)
    pass_on(std::move(slots_.extract(slots_.begin()).mapped()));
}

void NodeFrames::flush() {
  while (!slots_.empty()) pass_on(std::move(slots_.extract(slots_.begin()).mapped()));
}

void NodeFrames::pass_on(Slot slot) {
  std::fill(costs_.begin(), costs_.end(), 0);
  const Frame* worst = nullptr;
  Frame f;
  for (const std::optional<Share>& s : slot.shares) {
    if (!s) continue;
    if (!worst || s->frame.margin < worst->margin) worst = &s->frame;
    f.wake_up = std::max(f.wake_up, s->frame.wake_up);
    f.cost = std::max(f.cost, s->frame.cost);
    for (const auto& [part, ns] : s->costs)
      if (part < costs_.size()) costs_[part] = ns;
  }
  f.number = worst->number;
  f.time = worst->time;
  f.margin = worst->margin;
  f.held = worst->held;
  f.late = worst->late;
  f.slept = worst->slept;
  f.behind = worst->behind;
  if (f.late)
    attribute(f, *worst, slot.shares);
  else
    behind_.reset();
  divided_ = false;
  for (std::uint32_t n = 0; n < slot.shares.size(); ++n)
    if (slot.shares[n]) note(*slot.shares[n], numbers_[n]);
  passed_ = f.number;
  sink_.take(f, costs_);
}

NodeFrames::Excess NodeFrames::own_excess(std::uint32_t node, const Share& s) const {
  Excess most{.node = node};
  const auto consider = [&most](std::int64_t ns, Cause cause, std::uint32_t culprit) {
    if (ns <= most.ns) return;
    most.ns = ns;
    most.cause = cause;
    most.culprit = culprit;
  };
  std::int64_t of_parts = 0;
  for (const auto& [part, ns] : s.costs) {
    of_parts += ns;
    if (part >= parts_.size()) continue;
    consider(ns - usual(parts_[part]), outside_[part] ? Cause::wait : Cause::work, part);
  }
  consider(s.frame.cost - s.frame.held - of_parts - usual(rest_[node]), Cause::work, nobody);
  if (s.frame.slept)
    consider(s.frame.wake_up - usual(nodes_[node].wake_up), Cause::wake_up, nobody);
  return most;
}

void NodeFrames::attribute(Frame& f, const Frame& worst, const Shares& shares) {
  const std::int64_t period = worst.margin + worst.cost + worst.wake_up;
  Excess most, network;
  for (std::uint32_t n = 0; n < shares.size(); ++n) {
    if (!shares[n]) continue;
    if (const Excess own = own_excess(numbers_[n], *shares[n]); own.ns > most.ns) most = own;
    const auto longest = std::max_element(shares[n]->waits.begin(), shares[n]->waits.end());
    const std::int64_t excess = *longest - usual(nodes_[numbers_[n]].waiting);
    if (excess <= network.ns) continue;
    const auto peer = static_cast<std::size_t>(longest - shares[n]->waits.begin());
    network = {excess, Cause::network, numbers_[peer], numbers_[n]};
  }
  // a wait is no longer than what made it necessary, unless something else did
  if (network.ns - most.ns > most.ns) most = network;
  if (divided_) most = {.cause = Cause::division};
  // it would have been in time without the earlier late frame
  if (worst.behind && behind_ && f.cost <= period) most = *behind_;
  f.cause = most.cause;
  f.culprit = most.culprit;
  f.node = most.node;
  behind_ = most;
  if (most.cause == Cause::network) {
    Health::Path& path = paths_[{most.culprit, most.node}];
    path.from = nodes_[most.culprit].name;
    path.to = nodes_[most.node].name;
    ++path.late;
    path.longest = std::max(path.longest, most.ns);
  } else if (most.node < nodes_.size()) {
    NodeHealth& h = nodes_[most.node];
    ++(most.cause == Cause::wake_up ? h.late_by_wake_up : h.late_by_work);
  }
}

void NodeFrames::note(const Share& s, std::uint32_t node) {
  const Frame& f = s.frame;
  NodeHealth& h = nodes_[node];
  ++h.frames;
  if (f.slept) h.wake_up.add(f.wake_up, f.number, f.time);
  h.work.add(f.cost - f.held, f.number, f.time);
  std::int64_t longest = 0, of_parts = 0;
  for (const std::int64_t w : s.waits) longest = std::max(longest, w);
  h.waiting.add(longest, f.number, f.time);
  for (const auto& [part, ns] : s.costs) {
    of_parts += ns;
    if (ns > 0 && part < parts_.size()) parts_[part].add(ns, f.number, f.time);
  }
  rest_[node].add(f.cost - f.held - of_parts, f.number, f.time);
}

}  // namespace vernier::realtime
