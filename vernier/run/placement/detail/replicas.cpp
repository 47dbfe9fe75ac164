#include "vernier/run/placement/detail/replicas.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "vernier/base/text.hpp"
#include "vernier/document/report.hpp"

namespace vernier::placement::detail {
namespace {

using composition::Part;
using composition::Plan;

class Replicas {
 public:
  Replicas(const Plan& plan, const Nodes& nodes, std::span<const double> cost, Placement& result)
      : nodes_(nodes), cost_(cost), result_(result), load_(nodes.hosts.size()) {
    for (std::size_t p = 0; p < plan.parts.size(); ++p)
      if (result.why[p] != Why::everywhere) load_[result.nodes[p]] += cost[p];
    for (std::size_t p = 0; p < plan.parts.size(); ++p) {
      if (plan.parts[p].replicas < 2 || result.why[p] == Why::everywhere) continue;
      choose(plan.parts[p], p);
    }
  }

  void warn(const Plan& plan, Diagnostics& problems) const {
    std::vector<std::string> few;
    std::uint32_t most = 0;
    for (std::size_t p = 0; p < plan.parts.size(); ++p) {
      if (result_.why[p] == Why::everywhere || plan.parts[p].replicas <= nodes_.hosts.size())
        continue;
      few.push_back(plan.parts[p].name);
      most = std::max(most, plan.parts[p].replicas);
    }
    if (few.empty()) return;
    const std::size_t count = nodes_.hosts.size();
    problems
        .warning("V2159",
                 fmt::format("{} {} to run on {} nodes, but there {} {}: fewer losses are survived "
                             "without a return to an earlier state",
                             document::listed(few), few.size() == 1 ? "is" : "are", most,
                             count == 1 ? "is" : "are only", count),
                 {})
        .notes.push_back("give more nodes to --on");
  }

 private:
  void choose(const Part& part, std::size_t p) {
    const std::size_t count = std::min<std::size_t>(part.replicas, nodes_.hosts.size()) - 1;
    composition::Division::Nodes& more = result_.more[p];
    for (const std::uint32_t n : wished(part))
      if (more.size() < count && n != result_.nodes[p]) add(more, n, p);
    while (more.size() < count) {
      std::uint32_t best = 0;
      double least = 0.0;
      bool found = false, other = false;
      for (std::uint32_t n = 0; n < nodes_.hosts.size(); ++n) {
        if (n == result_.nodes[p] || std::find(more.begin(), more.end(), n) != more.end()) continue;
        const bool elsewhere = on_another_computer(n, p);
        if (found && (other != elsewhere ? other : load_[n] >= least)) continue;
        found = true;
        other = elsewhere;
        best = n;
        least = load_[n];
      }
      add(more, best, p);
    }
  }

  /// What the nodes document says, for the first of its instances that it names.
  composition::Division::Nodes wished(const Part& part) const {
    std::vector<std::string> names{part.name};
    names.insert(names.end(), part.instances.begin(), part.instances.end());
    for (const std::string& name : names)
      for (const Assignment& a : nodes_.assignment)
        if (matches(a.part, name)) return {a.more.begin(), a.more.end()};
    return {};
  }

  bool on_another_computer(std::uint32_t n, std::size_t p) const {
    const auto same = [&](std::uint32_t m) {
      return nodes_.hosts[m].address == nodes_.hosts[n].address;
    };
    return !same(result_.nodes[p]) &&
           std::none_of(result_.more[p].begin(), result_.more[p].end(), same);
  }

  void add(composition::Division::Nodes& more, std::uint32_t n, std::size_t p) {
    more.push_back(n);
    load_[n] += cost_[p];
  }

  const Nodes& nodes_;
  std::span<const double> cost_;
  Placement& result_;
  std::vector<double> load_;
};

}  // namespace

void place_replicas(const Plan& plan, const Nodes& nodes, std::span<const double> cost,
                    Placement& result, Diagnostics& problems) {
  Replicas(plan, nodes, cost, result).warn(plan, problems);
}

}  // namespace vernier::placement::detail
