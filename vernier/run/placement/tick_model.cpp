#include "vernier/run/placement/tick_model.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "vernier/base/require.hpp"

namespace vernier::placement {
namespace {

using composition::Cut;
using composition::Plan;

// as measured between processes of one computer, and what is usual for gigabit Ethernet with one
// switch
constexpr Line shared_memory{.latency = 1.4e-6, .bandwidth = 2e9, .frame = 0.3e-6};
constexpr Line loopback{.latency = 3.5e-6, .bandwidth = 1e9, .frame = 2.5e-6};
constexpr Line local_network{.latency = 50e-6, .bandwidth = 125e6, .frame = 4e-6};

constexpr double head_bytes = 16 + 32;  // of the executive and of the exchange
constexpr double feed_bytes = 12;
constexpr double agreement_bytes = 16;
/// How far a node runs ahead of delayed values that others leave unread, in ticks of their cluster.
constexpr int most_ahead = 8;
/// Enough for delays to have their effect, few enough to play them for every attempt at a
/// placement.
constexpr std::size_t most_moments = 256;

}  // namespace

std::size_t bytes_of(const Port& p) noexcept {
  if (p.flow == Flow::stream) return 0;
  const bool small = p.scalar == Scalar::boolean || p.scalar == Scalar::byte;
  return p.count * (small ? 1u : 8u);
}

Line line_between(const Nodes& nodes, std::size_t a, std::size_t b) {
  const Host &x = nodes.hosts[a], &y = nodes.hosts[b];
  const bool one_computer = x.address == y.address, ours = nodes.network.empty();
  Line line = !one_computer ? local_network : x.local() && ours ? shared_memory : loopback;
  // what is given is about the network; about processes only where there is no other
  if (one_computer && !nodes.local() && ours) return line;
  if (nodes.round_trip) line.latency = seconds(*nodes.round_trip) / 2;
  if (nodes.bandwidth) line.bandwidth = *nodes.bandwidth;
  return line;
}

TickModel::TickModel(const Plan& plan, const Nodes& nodes, std::span<const double> cost,
                     unsigned processors)
    : plan_(plan), nodes_(nodes), cost_(cost.begin(), cost.end()), processors_(processors) {
  require(cost_.size() == plan.parts.size());
  for (std::size_t a = 0; a < nodes.hosts.size(); ++a)
    for (std::size_t b = 0; b < nodes.hosts.size(); ++b)
      lines_.push_back(line_between(nodes, a, b));
  find_groups();
  find_moments();
}

void TickModel::find_groups() {
  for (std::uint32_t p = 0; p < plan_.parts.size(); ++p) {
    const composition::Part& part = plan_.parts[p];
    const auto same = std::find_if(groups_.begin(), groups_.end(), [&part](const Group& g) {
      return g.cluster == part.cluster && g.rate == part.rate && g.offset == part.offset;
    });
    if (same != groups_.end()) {
      same->parts.push_back(p);
    } else {
      groups_.push_back({part.cluster, part.rate, part.offset, {p}});
    }
  }
}

void TickModel::find_moments() {
  // the ticks of the step, and those of the rates
  struct Ticking {
    Rate rate;
    Duration offset{};
    std::int64_t k = 0;
    Time next{};
    std::vector<std::uint32_t> groups;
  };
  std::vector<Ticking> all;
  const auto at = [this](const Ticking& x, std::int64_t k) {
    return x.rate.periodic() ? tick(x.rate, k) + x.offset : Time(k * plan_.step);
  };
  for (std::uint32_t g = 0; g < groups_.size(); ++g) {
    const Rate rate = groups_[g].rate.periodic() ? groups_[g].rate : plan_.step_rate;
    const auto same = std::find_if(all.begin(), all.end(), [&](const Ticking& x) {
      return x.rate == rate && x.offset == groups_[g].offset;
    });
    if (same != all.end()) {
      same->groups.push_back(g);
    } else {
      all.push_back({.rate = rate, .offset = groups_[g].offset, .groups = {g}});
      all.back().next = at(all.back(), 0);
    }
  }
  std::map<std::vector<std::uint32_t>, std::uint32_t> known;
  std::vector<std::size_t> instants(plan_.clusters.size());
  while (!all.empty() && moments_.size() < most_moments) {
    Moment m;
    m.time = std::min_element(all.begin(), all.end(), [](const Ticking& a, const Ticking& b) {
               return a.next < b.next;
             })->next;
    std::vector<std::uint32_t> due;
    for (Ticking& x : all) {
      if (x.next != m.time) continue;
      x.next = at(x, ++x.k);
      for (const std::uint32_t g : x.groups) {
        due.push_back(groups_[g].cluster);
        m.groups.push_back(g);
      }
    }
    std::sort(due.begin(), due.end());
    due.erase(std::unique(due.begin(), due.end()), due.end());
    for (const std::uint32_t c : due) ++instants[c];
    // continuous parts are advanced at every instant of their cluster
    std::vector<bool> taken(groups_.size());
    for (const std::uint32_t g : m.groups) taken[g] = true;
    for (std::uint32_t g = 0; g < groups_.size(); ++g)
      if (!taken[g] && !groups_[g].rate.periodic() &&
          std::binary_search(due.begin(), due.end(), groups_[g].cluster))
        m.groups.push_back(g);
    const auto [pattern, fresh] =
        known.try_emplace(due, static_cast<std::uint32_t>(patterns_.size()));
    if (fresh) {
      patterns_.push_back(due);
      auto& flags = due_.emplace_back(plan_.clusters.size());
      for (const std::uint32_t c : due) flags[c] = 1;
    }
    m.pattern = pattern->second;
    moments_.push_back(std::move(m));
  }
  const double step = seconds(plan_.step);
  const double ticks =
      moments_.size() < 2 ? 1.0 : seconds(moments_.back().time - moments_.front().time) / step;
  for (const std::size_t n : instants)
    instants_per_tick_.push_back(n < 2 ? static_cast<double>(n)
                                       : static_cast<double>(n - 1) / ticks);
  for (const Group& g : groups_)
    calls_per_tick_.push_back(g.rate.periodic() ? step * static_cast<double>(g.rate.times) /
                                                      static_cast<double>(g.rate.seconds)
                                                : instants_per_tick_[g.cluster]);
}

/// One placement on the virtual clock.
class TickModel::Play {
 public:
  Play(const TickModel& model, const Cut& cut) : model_(model), cut_(cut), clock_(cut.nodes) {
    sending_ = clock_;
    require(cut.nodes == model.nodes_.hosts.size());
    carried_.resize(model.lines_.size());
    find_work();
    find_steps();
    find_feeds();
  }

  Result result() {
    const auto& moments = model_.moments_;
    Result r;
    const std::size_t half = moments.size() / 2;
    double began = 0.0;
    std::vector<double> worked(cut_.nodes);
    for (std::size_t i = 0; i < moments.size(); ++i) {
      if (i == half) {
        began = latest();
        std::fill(carried_.begin(), carried_.end(), std::pair<double, double>{});
        exchanges_ = 0.0;
      }
      pass(moments[i]);
    }
    const Time first = moments.empty() ? Time{} : moments[half].time;
    const Time last = moments.empty() ? Time{} : moments.back().time;
    const double step = seconds(model_.plan_.step);
    // the last moment is played to its end, as the first one of the measured half is
    const auto played = static_cast<double>(moments.size() - half);
    const double span = played < 2 ? step : seconds(last - first) * played / (played - 1);
    const double ticks = span / step;
    r.tick = (latest() - began) / ticks;
    r.exchanges = exchanges_ / ticks;
    r.work = work_;
    // of all processes of this computer
    double busy = 0.0;
    unsigned processes = 0;
    const auto local = [this](std::uint32_t n) { return model_.nodes_.hosts[n].local(); };
    for (std::uint32_t n = 0; n < cut_.nodes; ++n) {
      if (!local(n)) continue;
      busy += work_[n];
      ++processes;
    }
    for (std::uint32_t a = 0; a < cut_.nodes; ++a)
      for (std::uint32_t b = 0; b < cut_.nodes; ++b) {
        const auto& [frames, bytes] = carried_[pair(a, b)];
        if (frames == 0.0) continue;
        r.traffic.push_back({a, b, frames / ticks, bytes / ticks});
        r.frames += frames / ticks;
        busy += (local(a) + local(b)) * model_.lines_[pair(a, b)].frame * frames / ticks;
      }
    if (model_.processors_ > 0 && processes > model_.processors_)
      r.tick = std::max(r.tick, busy / model_.processors_);
    return r;
  }

 private:
  struct Frame {
    std::uint32_t from = 0, to = 0;
    double bytes = 0.0;
  };
  /// What goes to and fro before anything else can.
  using Step = std::vector<Frame>;
  struct Feed {
    const Cut::Feed* feed = nullptr;
    double bytes = 0.0;
    bool promises = false;
    Duration lag{};
    std::vector<std::uint32_t> readers;            // clusters
    std::vector<std::pair<Time, double>> arrived;  // of frames: their instant, and when
    std::size_t next = 0;                          // not yet waited for
  };

  std::size_t pair(std::uint32_t a, std::uint32_t b) const noexcept {
    return std::size_t{a} * cut_.nodes + b;
  }
  double latest() const {
    return clock_.empty() ? 0.0 : *std::max_element(clock_.begin(), clock_.end());
  }
  const Plan& plan() const noexcept { return model_.plan_; }

  void find_work() {
    work_.resize(cut_.nodes);
    calls_.resize(model_.groups_.size());
    for (std::size_t g = 0; g < calls_.size(); ++g) {
      const double calls = model_.calls_per_tick_[g];
      std::map<std::uint32_t, double> by_node;
      for (const std::uint32_t p : model_.groups_[g].parts) {
        for (const std::uint32_t node : cut_.runs[p]) {
          work_[node] += model_.cost_[p];
          if (calls > 0.0) by_node[node] += model_.cost_[p] / calls;
        }
      }
      calls_[g].assign(by_node.begin(), by_node.end());
    }
  }

  using Frames = std::map<std::pair<std::uint32_t, std::uint32_t>, double>;
  static void add(Frames& frames, std::uint32_t from, std::uint32_t to, double bytes) {
    frames.try_emplace({from, to}, head_bytes).first->second += bytes;
  }

  void find_steps() {
    for (const auto& due : model_.patterns_) {
      Frames streams, reactions, limits;
      std::vector<Frames> rounds;
      const auto is_due = [&due](std::uint32_t c) {
        return std::binary_search(due.begin(), due.end(), c);
      };
      for (const Cut::Crossing& x : cut_.crossings) {
        if (!is_due(plan().parts[x.part].cluster)) continue;
        const Port& port = plan().parts[x.part].component->description().outputs[x.output];
        const auto bytes = static_cast<double>(bytes_of(port));
        // messages go before the outputs and after the last round of them
        const bool stream = port.flow == Flow::stream;
        const std::uint32_t last = cut_.clusters[plan().parts[x.part].cluster].rounds;
        if (rounds.size() < last) rounds.resize(last);
        for (const std::uint32_t from : cut_.runs[x.part])
          for (const std::uint32_t to : x.to) {
            if (stream && cut_.crosses(x, from, to)) {
              add(streams, from, to, 0.0);
              if (last > 0) add(rounds[last - 1], from, to, 0.0);
            }
            for (const std::uint32_t r : x.rounds)
              if (!stream && cut_.crosses(x, from, to, r)) add(rounds[r], from, to, bytes);
          }
      }
      for (const std::uint32_t c : due) {
        const Cut::Cluster& cluster = cut_.clusters[c];
        for (const std::uint32_t a : cluster.nodes)
          for (const std::uint32_t b : cluster.nodes) {
            if (a == b) continue;
            if (cluster.agrees) add(reactions, a, b, agreement_bytes);
            if (cluster.stops) add(limits, a, b, agreement_bytes);
          }
      }
      rounds.insert(rounds.begin(), std::move(streams));
      rounds.push_back(std::move(reactions));
      rounds.push_back(std::move(limits));
      auto& steps = steps_.emplace_back();
      for (const Frames& frames : rounds) {
        if (frames.empty()) continue;
        Step& step = steps.emplace_back();
        for (const auto& [ends, bytes] : frames) step.push_back({ends.first, ends.second, bytes});
      }
    }
  }

  void find_feeds() {
    for (const Cut::Feed& f : cut_.feeds) {
      Duration shortest = plan().step;
      for (const composition::Part& p : plan().parts)
        if (p.cluster == f.cluster && p.rate.periodic())
          shortest = std::min(shortest, tick(p.rate, 1) - tick(p.rate, 0));
      Feed& feed = feeds_.emplace_back();
      feed.feed = &f;
      feed.lag = std::min(f.delay, most_ahead * shortest);
      feed.bytes = feed_bytes;
      feed.promises = plan().clusters[f.cluster].early_return;
      for (const auto& [part, output] : f.outputs)
        feed.bytes += static_cast<double>(
            bytes_of(plan().parts[part].component->description().outputs[output]));
      for (const composition::Wire& w : plan().wires)
        if (plan().parts[w.from_part].cluster == f.cluster && cut_.runs_on(f.from, w.from_part) &&
            cut_.runs_on(f.to, w.to_part) && !cut_.runs_on(f.to, w.from_part))
          feed.readers.push_back(plan().parts[w.to_part].cluster);
      std::sort(feed.readers.begin(), feed.readers.end());
      feed.readers.erase(std::unique(feed.readers.begin(), feed.readers.end()), feed.readers.end());
    }
    std::stable_sort(feeds_.begin(), feeds_.end(), [](const Feed& x, const Feed& y) {
      return std::pair(x.feed->from, x.feed->to) < std::pair(y.feed->from, y.feed->to);
    });
  }

  /// When a frame that leaves now arrives.
  double sent(std::uint32_t from, std::uint32_t to, double bytes) {
    const Line& line = model_.lines_[pair(from, to)];
    auto& [frames, total] = carried_[pair(from, to)];
    frames += 1.0;
    total += bytes;
    clock_[from] += line.frame;
    sending_[from] = std::max(sending_[from], clock_[from]) + bytes / line.bandwidth;
    return sending_[from] + line.latency;
  }
  void receive(std::uint32_t from, std::uint32_t to, double arrival) {
    clock_[to] = std::max(clock_[to], arrival) + model_.lines_[pair(from, to)].frame;
  }

  /// One frame for each pair of nodes: the values; then how long they hold, where a part may stop
  /// earlier than others know.
  template <class IsDue>
  void send_feeds(const IsDue& is_due, bool promises) {
    const auto sends = [&](const Feed& f) {
      return is_due(f.feed->cluster) && (f.promises || !promises);
    };
    for (auto f = feeds_.begin(); f != feeds_.end();) {
      const auto end = std::find_if(f, feeds_.end(), [&f](const Feed& other) {
        return other.feed->from != f->feed->from || other.feed->to != f->feed->to;
      });
      double bytes = head_bytes;
      bool any = false;
      for (auto i = f; i != end; ++i) {
        if (!sends(*i)) continue;
        any = true;
        bytes += promises ? feed_bytes : i->bytes;
      }
      const double arrival = any ? sent(f->feed->from, f->feed->to, bytes) : 0.0;
      for (; f != end; ++f)
        if (sends(*f)) f->arrived.back().second = arrival;
    }
  }

  void pass(const Moment& m) {
    const auto& due = model_.due_[m.pattern];
    const auto is_due = [&due](std::uint32_t c) { return due[c] != 0; };
    for (Feed& f : feeds_) {
      if (std::none_of(f.readers.begin(), f.readers.end(), is_due)) continue;
      for (; f.next < f.arrived.size() && f.arrived[f.next].first <= m.time - f.lag; ++f.next)
        receive(f.feed->from, f.feed->to, f.arrived[f.next].second);
    }
    std::vector<double> arrivals;
    for (const Step& step : steps_[m.pattern]) {
      arrivals.clear();
      for (const Frame& f : step) arrivals.push_back(sent(f.from, f.to, f.bytes));
      for (std::size_t i = 0; i < step.size(); ++i) receive(step[i].from, step[i].to, arrivals[i]);
      exchanges_ += 1.0;
    }
    for (Feed& f : feeds_)
      if (is_due(f.feed->cluster)) f.arrived.emplace_back(m.time, 0.0);
    send_feeds(is_due, false);
    send_feeds(is_due, true);
    for (const std::uint32_t g : m.groups)
      for (const auto& [node, cost] : calls_[g]) clock_[node] += cost;
  }

  const TickModel& model_;
  const Cut& cut_;
  std::vector<double> clock_;                       // by node
  std::vector<double> sending_;                     // by node: until when its last frame leaves
  std::vector<double> work_;                        // by node, per tick
  std::vector<std::pair<double, double>> carried_;  // frames and bytes
  std::vector<std::vector<std::pair<std::uint32_t, double>>> calls_;  // by group: node, cost
  std::vector<std::vector<Step>> steps_;                              // by pattern
  std::vector<Feed> feeds_;
  double exchanges_ = 0.0;
};

TickModel::Result TickModel::of(const Cut& cut) const { return Play(*this, cut).result(); }

}  // namespace vernier::placement
