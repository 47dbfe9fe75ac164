#include "vernier/run/placement/detail/search.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <thread>
#include <utility>

#include "vernier/run/composition/cut.hpp"
#include "vernier/run/placement/tick_model.hpp"

namespace vernier::placement::detail {
namespace {

using ByPart = std::vector<std::uint32_t>;

/// Among placements that take equally long, those with fewer frames are better: s per frame.
constexpr double price_of_frame = 1e-9;
constexpr std::size_t most_combinations = 1024;

class Search {
 public:
  Search(const composition::Plan& plan, const Nodes& nodes, std::span<const double> cost,
         Placement& result)
      : plan_(plan),
        cost_(cost),
        result_(result),
        model_(plan, nodes, cost, std::thread::hardware_concurrency()),
        count_(static_cast<std::uint32_t>(nodes.hosts.size())),
        parts_on_(count_) {
    for (std::uint32_t p = 0; p < plan.parts.size(); ++p) {
      if (result.why[p] == Why::automatic) free_.push_back(p);
      if (result.why[p] != Why::automatic && result.why[p] != Why::everywhere)
        ++parts_on_[result.nodes[p]];
    }
    empty_ = static_cast<std::size_t>(std::count(parts_on_.begin(), parts_on_.end(), 0u));
    const std::size_t work = plan.parts.size() + plan.wires.size() + std::size_t{count_} * count_;
    attempts_ = std::clamp<std::size_t>(1'000'000 / (work + 256), 100, 3000);
    // the costliest first; equal ones in the plan's order
    by_cost_ = free_;
    std::stable_sort(by_cost_.begin(), by_cost_.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return cost[a] > cost[b]; });
  }

  void run() {
    if (free_.empty() || count_ == 1) return;
    if (combinations() <= most_combinations) {
      try_all();
    } else {
      const std::vector<ByPart> starts = {balanced(), together(), in_order()};
      const std::size_t share = attempts_ / starts.size();
      for (ByPart start : starts) {
        attempts_ = share;
        fill(start);
        improve(std::move(start));
      }
    }
    result_.nodes = best_;
  }

 private:
  double time_of(const ByPart& nodes) {
    if (attempts_ > 0) --attempts_;
    const TickModel::Result r = model_.of(composition::cut(plan_, nodes, count_));
    return r.tick + price_of_frame * r.frames;
  }

  void keep(const ByPart& nodes, double time) {
    if (time >= least_) return;
    least_ = time;
    best_ = nodes;
  }

  std::size_t combinations() const {
    std::size_t n = 1;
    for (std::size_t i = 0; i < free_.size() && n <= most_combinations; ++i) n *= count_;
    return n;
  }

  std::vector<std::size_t> parts_on(const ByPart& nodes) const {
    std::vector<std::size_t> on = parts_on_;
    for (const std::uint32_t p : free_) ++on[nodes[p]];
    return on;
  }

  /// The nodes without a part that could have one.
  std::size_t avoidably_empty(const ByPart& nodes) const {
    const auto on = parts_on(nodes);
    const auto empty = static_cast<std::size_t>(std::count(on.begin(), on.end(), 0u));
    return empty - std::min(empty, empty_ - std::min(empty_, free_.size()));
  }

  void try_all() {
    ByPart nodes = result_.nodes;
    while (true) {
      if (avoidably_empty(nodes) == 0) keep(nodes, time_of(nodes));
      std::size_t i = 0;
      while (i < free_.size() && ++nodes[free_[i]] == count_) nodes[free_[i++]] = 0;
      if (i == free_.size()) return;
    }
  }

  std::vector<double> fixed_load() const {
    std::vector<double> load(count_);
    for (std::uint32_t p = 0; p < plan_.parts.size(); ++p)
      if (result_.why[p] != Why::automatic && result_.why[p] != Why::everywhere)
        load[result_.nodes[p]] += cost_[p];
    return load;
  }
  static std::uint32_t least_of(const std::vector<double>& load) {
    return static_cast<std::uint32_t>(std::min_element(load.begin(), load.end()) - load.begin());
  }

  /// Each part where there is least to do.
  ByPart balanced() const {
    ByPart nodes = result_.nodes;
    std::vector<double> load = fixed_load();
    for (const std::uint32_t p : by_cost_) {
      nodes[p] = least_of(load);
      load[nodes[p]] += cost_[p];
    }
    return nodes;
  }

  /// The same with whole clusters, between which nobody waits for a value of the same instant; with
  /// those of their parts that are placed already.
  ByPart together() const {
    constexpr std::uint32_t none = 0xffffffff;
    ByPart nodes = result_.nodes;
    std::vector<double> load = fixed_load(), cost(plan_.clusters.size());
    std::vector<std::uint32_t> home(plan_.clusters.size(), none), order(plan_.clusters.size());
    for (const std::uint32_t p : free_) cost[plan_.parts[p].cluster] += cost_[p];
    for (std::uint32_t p = 0; p < plan_.parts.size(); ++p)
      if (result_.why[p] != Why::automatic && result_.why[p] != Why::everywhere)
        home[plan_.parts[p].cluster] = std::min(home[plan_.parts[p].cluster], result_.nodes[p]);
    std::iota(order.begin(), order.end(), 0u);
    std::stable_sort(order.begin(), order.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return cost[a] > cost[b]; });
    for (const std::uint32_t c : order) {
      if (home[c] == none) home[c] = least_of(load);
      load[home[c]] += cost[c];
    }
    for (const std::uint32_t p : free_) nodes[p] = home[plan_.parts[p].cluster];
    return nodes;
  }

  /// Neighbours in the order of evaluation stay together.
  ByPart in_order() const {
    ByPart nodes = result_.nodes;
    std::vector<std::uint32_t> order;
    std::vector<bool> taken(plan_.parts.size());
    const auto add = [&](std::uint32_t p) {
      if (result_.why[p] == Why::automatic && !taken[p]) order.push_back(p);
      taken[p] = true;
    };
    for (const composition::Plan::Call& call : plan_.order) add(call.part);
    for (const std::uint32_t p : free_) add(p);
    double total = 0.0, before = 0.0;
    for (const std::uint32_t p : order) total += cost_[p];
    for (const std::uint32_t p : order) {
      const double middle = total > 0.0 ? (before + cost_[p] / 2) / total : 0.0;
      nodes[p] = std::min(count_ - 1, static_cast<std::uint32_t>(middle * count_));
      before += cost_[p];
    }
    return nodes;
  }

  /// Gives every node a part, the cheapest of those that have several.
  void fill(ByPart& nodes) const {
    auto on = parts_on(nodes);
    std::size_t wanted = avoidably_empty(nodes);
    for (std::uint32_t n = 0; n < count_ && wanted > 0; ++n) {
      if (on[n] > 0) continue;
      const auto p = std::find_if(by_cost_.rbegin(), by_cost_.rend(),
                                  [&](std::uint32_t q) { return on[nodes[q]] > 1; });
      if (p == by_cost_.rend()) return;
      --on[nodes[*p]];
      ++on[nodes[*p] = n];
      --wanted;
    }
  }

  /// Moves and swaps as long as one of them helps.
  void improve(ByPart nodes) {
    double time = time_of(nodes);
    const auto helps = [&](const ByPart& other) {
      if (attempts_ == 0 || avoidably_empty(other) > 0) return false;
      const double t = time_of(other);
      if (t >= time) return false;
      time = t;
      nodes = other;
      return true;
    };
    for (bool better = true; better && attempts_ > 0;) {
      better = false;
      ByPart other;
      for (const std::uint32_t p : by_cost_)
        for (std::uint32_t n = 0; n < count_; ++n) {
          if (n == nodes[p]) continue;
          (other = nodes)[p] = n;
          better |= helps(other);
        }
      for (std::size_t i = 0; i < by_cost_.size() && attempts_ > 0; ++i)
        for (std::size_t j = i + 1; j < by_cost_.size() && attempts_ > 0; ++j) {
          other = nodes;
          std::swap(other[by_cost_[i]], other[by_cost_[j]]);
          if (other != nodes) better |= helps(other);
        }
    }
    keep(nodes, time);
  }

  const composition::Plan& plan_;
  std::span<const double> cost_;
  Placement& result_;
  TickModel model_;
  std::uint32_t count_;
  std::vector<std::uint32_t> free_, by_cost_;  // parts
  std::vector<std::size_t> parts_on_;          // by node: those that are placed already
  std::size_t empty_ = 0;                      // nodes without one
  std::size_t attempts_ = 0;                   // left
  ByPart best_;
  double least_ = std::numeric_limits<double>::infinity();
};

}  // namespace

void search(const composition::Plan& plan, const Nodes& nodes, std::span<const double> cost,
            Placement& result) {
  Search(plan, nodes, cost, result).run();
}

}  // namespace vernier::placement::detail
