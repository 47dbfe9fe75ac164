// Which values this node sends to which peer, and receives from it: what follows from the plan.
#include <utility>

#include "vernier/base/require.hpp"
#include "vernier/run/executive/detail/switchboard.hpp"
#include "vernier/run/executive/executive.hpp"

namespace vernier::executive::detail {
namespace {

using composition::Plan;

/// The ticks of delayed values that a node leaves unread, however long the delay is. Without a
/// limit two nodes could fill what lies between them, and wait for each other.
constexpr int most_ahead = 8;
/// Room for those, and for as many at events.
constexpr std::size_t frames_under_way = 16;
/// Of a part that several nodes run: instants whose delayed values are kept until all of them have
/// said the same. Nobody is further ahead of the slowest for long.
constexpr std::size_t remembered = 2 * frames_under_way;

/// The least time between two ticks of a cluster.
Duration shortest_period(const Plan& plan, std::uint32_t cluster) {
  Duration least = plan.step;
  for (const composition::Part& p : plan.parts)
    if (p.cluster == cluster && p.rate.periodic())
      least = std::min(least, tick(p.rate, 1) - tick(p.rate, 0));
  return std::max(least, Duration(1));
}

}  // namespace

Switchboard::Switchboard(const Plan& plan, composition::Cut cut, Memory& memory,
                         exchange::Exchange& exchange, bool early)
    : cut_(std::move(cut)),
      memory_(memory),
      exchange_(exchange),
      self_(exchange.self()),
      attended_(plan.clusters.size()),
      shared_(plan.clusters.size()),
      dropped_(cut_.nodes),
      said_(plan.parts.size()) {
  for (std::uint32_t peer = 0; peer < cut_.nodes; ++peer)
    if (peer != self_) links_.push_back({.peer = peer});
  find_unique(plan);
  find_shared(plan, early);
  find_crossings(plan);
  find_feeds(plan);
  make_room();
}

Switchboard::Link& Switchboard::link(std::uint32_t peer) {
  return links_[peer < self_ ? peer : peer - 1];
}

Switchboard::Shared& Switchboard::shared(std::uint32_t peer, std::uint32_t cluster) {
  auto& all = link(peer).shared;
  return *std::find_if(all.begin(), all.end(),
                       [cluster](const Shared& s) { return s.cluster == cluster; });
}

Switchboard::Piece Switchboard::piece(std::uint32_t part, std::uint32_t output,
                                      bool valid) noexcept {
  const std::size_t view = memory_.output_view(part, output);
  const auto content = memory_.content(view);
  return {content.data(), content.size(), part, view, valid};
}

void Switchboard::find_unique(const Plan& plan) {
  born_.resize(cut_.nodes);
  std::vector<std::uint32_t> depth(plan.parts.size());
  for (std::uint32_t p = 0; p < plan.parts.size(); ++p) {
    const Component& c = *plan.parts[p].component;
    unique_.push_back(Executive::stays(c) && !cut_.everywhere(p));
    if (!unique_[p]) continue;
    require(!cut_.replicated(p));
    any_unique_ = true;
    for (std::uint32_t o = 0; o < c.description().outputs.size(); ++o)
      if (c.description().outputs[o].flow != Flow::stream)
        born_[cut_.runs[p].front()].push_back(piece(p, o));
  }
  // a unique part may need others to be known before, and those again others
  for (const Plan::Call& k : plan.order) {
    for (const composition::Wire& w : plan.wires)
      if (w.to_part == k.part && w.delay == Duration{})
        depth[k.part] = std::max(depth[k.part], depth[w.from_part] + unique_[w.from_part]);
    births_ = std::max(births_, depth[k.part] + 1);
  }
}

void Switchboard::find_shared(const Plan& plan, bool early) {
  for (std::uint32_t c = 0; c < cut_.clusters.size(); ++c) {
    const composition::Cut::Cluster& cluster = cut_.clusters[c];
    attended_[c] = cluster.nodes.empty() || cut_.has(self_, c);
    shared_[c] = cluster.crosses() && attended_[c];
    if (!shared_[c]) continue;
    rounds_ = std::max(rounds_, cluster.rounds);
    for (const std::uint32_t peer : cluster.nodes) {
      if (peer == self_) continue;
      Shared s;
      s.cluster = c;
      s.out.resize(cluster.rounds);
      s.in.resize(cluster.rounds);
      s.agrees = cluster.agrees;
      s.stops = cluster.stops && early;
      for (std::uint32_t p = 0; p < plan.parts.size(); ++p) {
        if (plan.parts[p].cluster != c) continue;
        if (!plan.parts[p].component->description().abilities.reacts) continue;
        if (cut_.runs_on(self_, p)) s.reactors_out.push_back(p);
        if (cut_.runs_on(peer, p)) s.reactors_in.push_back(p);
      }
      link(peer).shared.push_back(std::move(s));
    }
  }
}

void Switchboard::find_crossings(const Plan& plan) {
  for (const composition::Cut::Crossing& x : cut_.crossings) {
    const std::uint32_t cluster = plan.parts[x.part].cluster;
    const std::size_t view = memory_.output_view(x.part, x.output);
    Stream* const stream = memory_.stream(view);
    const auto add = [&](std::uint32_t from, std::uint32_t to, std::vector<Pieces>& by_round,
                         std::vector<Messages>& streams) {
      if (stream && cut_.crosses(x, from, to)) streams.push_back({stream, 0, x.part, view});
      for (const std::uint32_t r : x.rounds)
        if (!stream && cut_.crosses(x, from, to, r))
          by_round[r].push_back(piece(x.part, x.output, r == x.rounds.back()));
    };
    if (!shared_[cluster]) continue;
    for (const std::uint32_t peer : cut_.clusters[cluster].nodes) {
      if (peer == self_) continue;
      Shared& s = shared(peer, cluster);
      add(self_, peer, s.out, s.streams_out);
      add(peer, self_, s.in, s.streams_in);
    }
  }
}

std::uint32_t Switchboard::source(const Plan& plan, const composition::Cut::Feed& f,
                                  std::uint32_t part) {
  const auto known = std::find_if(sources_.begin(), sources_.end(),
                                  [part](const Source& s) { return s.part == part; });
  if (known != sources_.end()) return static_cast<std::uint32_t>(known - sources_.begin());
  Source& s = sources_.emplace_back();
  s.part = part;
  std::size_t bytes = 0;
  for (const auto& [p, output] : f.outputs) {
    if (p != part) continue;
    s.pieces.push_back(piece(p, output));
    bytes += s.pieces.back().bytes;
  }
  for (std::size_t i = 0; i < memory_.delays().size(); ++i) {
    const composition::Wire& w = plan.wires[memory_.delay_wire(i)];
    if (w.from_part == part && cut_.runs_on(self_, w.to_part)) s.lines.push_back(i);
  }
  if (cut_.replicated(part)) {
    s.copies.resize(remembered);
    s.content.resize(remembered * bytes);
  }
  return static_cast<std::uint32_t>(sources_.size() - 1);
}

void Switchboard::find_feeds(const Plan& plan) {
  for (const composition::Cut::Feed& f : cut_.feeds) {
    Pieces pieces;
    for (const auto& [part, output] : f.outputs) pieces.push_back(piece(part, output));
    if (f.from == self_) link(f.to).feeds_out.push_back({f.cluster, pieces});
    if (f.to != self_) continue;
    FeedIn in{.cluster = f.cluster,
              .sources = {},
              .readers = {},
              .lag = std::min(f.delay, most_ahead * shortest_period(plan, f.cluster)),
              .events = {},
              .known = {},
              .taken = {}};
    for (const auto& [part, output] : f.outputs)
      if (in.sources.empty() || sources_[in.sources.back()].part != part)
        in.sources.push_back(source(plan, f, part));
    for (const std::uint32_t i : in.sources)
      for (const std::size_t line : sources_[i].lines) {
        const composition::Wire& w = plan.wires[memory_.delay_wire(line)];
        in.readers.push_back(plan.parts[w.to_part].cluster);
        if (plan.parts[w.from_part].component->description().outputs[w.from].flow == Flow::event)
          in.events = std::min(in.events.value_or(w.delay), w.delay);
      }
    link(f.from).feeds_in.push_back(std::move(in));
  }
}

void Switchboard::make_room() {
  const auto bytes = [](const Pieces& pieces) {
    std::size_t n = 0;
    for (const Piece& p : pieces) n += p.bytes;
    return n;
  };
  std::size_t largest = head_bytes + 1;
  for (const Pieces& b : born_) largest = std::max(largest, head_bytes + 1 + bytes(b));
  for (Link& l : links_) {
    // no frame contains more than all of this together
    std::size_t most = head_bytes;
    for (const Shared& s : l.shared) {
      for (const auto* rounds : {&s.out, &s.in})
        for (const Pieces& p : *rounds) most += bytes(p);
      for (const auto* streams : {&s.streams_out, &s.streams_in})
        for (const Messages& m : *streams) most += 16 + 2 * m.stream->state_bytes();
      most += s.reactors_out.size() + s.reactors_in.size() + sizeof(std::int64_t);
    }
    for (const FeedOut& f : l.feeds_out) most += 12 + bytes(f.pieces);
    for (const FeedIn& f : l.feeds_in) {
      most += 12;
      for (const std::uint32_t i : f.sources) most += bytes(sources_[i].pieces);
    }
    largest = std::max(largest, most);
  }
  for (Link& l : links_) l.frame.resize(largest);
  const bool feeds = std::any_of(links_.begin(), links_.end(), [](const Link& l) {
    return !l.feeds_in.empty() || !l.feeds_out.empty();
  });
  exchange_.reserve(feeds ? frames_under_way * largest : largest);
}

}  // namespace vernier::executive::detail
