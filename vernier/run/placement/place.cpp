#include "vernier/run/placement/place.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "vernier/base/require.hpp"
#include "vernier/base/text.hpp"
#include "vernier/document/report.hpp"
#include "vernier/run/composition/cut.hpp"
#include "vernier/run/executive/executive.hpp"
#include "vernier/run/placement/detail/replicas.hpp"
#include "vernier/run/placement/detail/search.hpp"

namespace vernier::placement {
namespace {

using composition::Composition;
using composition::Instance;
using composition::Part;
using composition::Plan;

/// Of one system or component, when it is unknown: enough that waiting for other nodes does not
/// keep it from being moved to them.
constexpr double usual_cost = 100e-6;

/// What the user has decided.
class Wishes {
 public:
  Wishes(const Plan& plan, const Composition& c, const Nodes& nodes, Placement& result,
         Diagnostics& problems)
      : plan_(plan), composition_(c), nodes_(nodes), result_(result), problems_(problems) {
    for (const Instance& i : c.instances) instances_.emplace(i.name, &i);
    for (const Host& h : nodes.hosts) names_.push_back(h.name);
    used_.resize(nodes.assignment.size());
    for (std::uint32_t p = 0; p < plan.parts.size(); ++p) assigned_.push_back(assigned(p));
    warn_unused();
    find_names(c);
    for (std::uint32_t p = 0; p < plan.parts.size(); ++p) apply(p);
    for (std::uint32_t p = 0; p < plan.parts.size(); ++p) refuse_replicas(p);
  }

 private:
  /// The assignment of a part by the nodes document.
  std::optional<std::size_t> assigned(std::uint32_t p) {
    const Part& part = plan_.parts[p];
    std::optional<std::size_t> first;
    std::string by;
    const auto take = [&](const std::string& name) {
      for (std::size_t a = 0; a < nodes_.assignment.size(); ++a) {
        if (!matches(nodes_.assignment[a].part, name)) continue;
        used_[a] = true;
        if (!first) {
          first = a;
          by = name;
        } else if (nodes_.assignment[*first].node != nodes_.assignment[a].node) {
          refuse_division(by, *first, name, a);
        }
        return true;
      }
      return false;
    };
    // what is said of an island counts for all of it
    if (part.instances.size() > 1 && take(part.name)) return first;
    for (const std::string& i : part.instances) take(i);
    return first;
  }

  void refuse_division(const std::string& a, std::size_t on_a, const std::string& b,
                       std::size_t on_b) {
    problems_
        .error("V2154",
               fmt::format("{} and {} are integrated together, but are placed on different nodes: "
                           "{} and {}",
                           a, b, name(on_a), name(on_b)),
               nodes_.assignment[on_b].place)
        .notes = {
        "an island runs on one node: place both on the same one",
        "or integrate them separately, in the document: island=\"own\" for one of them, or "
        "a delay on what connects them"};
  }

  void warn_unused() {
    std::vector<std::string> known;
    for (const Part& p : plan_.parts) {
      known.push_back(p.name);
      known.insert(known.end(), p.instances.begin(), p.instances.end());
    }
    for (std::size_t a = 0; a < used_.size(); ++a) {
      if (used_[a]) continue;
      const std::string& pattern = nodes_.assignment[a].part;
      Diagnostic& d = problems_.warning(
          "V2155",
          fmt::format("{} places nothing: no part matches it, or an earlier <place> does",
                      document::in_quotes(pattern)),
          nodes_.assignment[a].place);
      if (const auto near = closest(pattern, known)) did_you_mean(d, *near);
    }
  }

  const std::string& name(std::size_t assignment) const {
    return names_[nodes_.assignment[assignment].node];
  }

  /// The instance that places a part in the document; null: none.
  const Instance* placed(std::uint32_t p) const {
    for (const std::string& i : plan_.parts[p].instances) {
      const auto found = instances_.find(i);
      if (found != instances_.end() && !found->second->node.empty()) return found->second;
    }
    return nullptr;
  }

  /// Which node each name of the document means.
  void find_names(const Composition& c) {
    std::set<std::string> needed;
    for (std::uint32_t p = 0; p < plan_.parts.size(); ++p)
      if (const Instance* i = assigned_[p] ? nullptr : placed(p)) needed.insert(i->node);
    std::vector<const Instance*> first;  // with each name, in the order of the document
    for (const Instance& i : c.instances)
      if (needed.erase(i.node) > 0) first.push_back(&i);
    std::size_t known = 0;
    for (const Instance* i : first) {
      const auto host = std::find(names_.begin(), names_.end(), i->node);
      if (host == names_.end()) continue;
      host_of_[i->node] = static_cast<std::uint32_t>(host - names_.begin());
      ++known;
    }
    if (known == first.size()) return;
    if (nodes_.file.empty() && known == 0) {
      count_off(first);
      return;
    }
    for (const Instance* i : first) {
      if (host_of_.contains(i->node)) continue;
      Diagnostic& d = problems_.error(
          "V2153",
          fmt::format("no node is called {}, where {} runs", document::in_quotes(i->node), i->name),
          i->place);
      if (const auto near = closest(i->node, names_))
        d.notes.push_back("did you mean " + *near + "?");
      d.notes.push_back("the nodes are " + document::listed(names_));
      d.notes.push_back(
          nodes_.file.empty()
              ? "name all nodes as the document does, or none: then they are taken in order"
              : fmt::format("add to {}: <place part=\"{}\" node=\"{}\"/>",
                            nodes_.file.filename().string(), i->name, names_.front()));
    }
  }

  /// Names that say nothing about hosts stand for them, in order.
  void count_off(const std::vector<const Instance*>& first) {
    std::vector<std::string> pairs, given;
    for (const Instance* i : first) given.push_back(i->node);
    if (first.size() > names_.size()) {
      problems_
          .error("V2153",
                 fmt::format("the document names {} nodes, {}, but there {} {}", first.size(),
                             document::listed(given), names_.size() == 1 ? "is" : "are only",
                             names_.size()),
                 first[names_.size()]->place)
          .notes = {fmt::format("give as many, for example --on local:{}", first.size()),
                    "or say in a nodes document what runs where"};
      return;
    }
    for (std::size_t n = 0; n < first.size(); ++n) {
      host_of_[first[n]->node] = static_cast<std::uint32_t>(n);
      pairs.push_back(fmt::format("{} is {}", first[n]->node, names_[n]));
    }
    result_.notes.push_back(
        fmt::format("the document's nodes are taken in order: {}", joined(pairs, ", ")));
  }

  void apply(std::uint32_t p) {
    const Instance* i = placed(p);
    const auto set = [&](std::size_t node, Why why) {
      result_.nodes[p] = static_cast<std::uint32_t>(node);
      result_.why[p] = why;
    };
    if (assigned_[p]) {
      set(nodes_.assignment[*assigned_[p]].node, Why::nodes_file);
      const std::string& here = name(*assigned_[p]);
      if (i && i->node != here)
        problems_
            .warning("V2156",
                     fmt::format("{} runs on {}, not on {} as {} says", i->name, here, i->node,
                                 i->place.file.empty() ? "the document" : i->place.file),
                     nodes_.assignment[*assigned_[p]].place)
            .notes.push_back("the nodes document takes precedence");
    } else if (i) {
      const auto host = host_of_.find(i->node);
      if (host != host_of_.end()) set(host->second, Why::document);
    } else if (stays(plan_.parts[p], composition_)) {
      set(0, Why::stays);
    }
  }

  void refuse_replicas(std::uint32_t p) {
    const Part& part = plan_.parts[p];
    if (part.replicas < 2 || !executive::Executive::stays(*part.component)) return;
    const Abilities& can = part.component->description().abilities;
    const char* const why = can.faces_world ? "is connected to something outside of the run"
                            : !can.rewinds  ? "cannot go back to an earlier state"
                                            : "writes files";
    problems_
        .error("V2158", fmt::format("{} cannot have replicas: it {}", part.name, why), part.place)
        .notes.push_back("leave out replicas: it runs on one node");
  }

  const Plan& plan_;
  const Composition& composition_;
  const Nodes& nodes_;
  Placement& result_;
  Diagnostics& problems_;
  std::map<std::string, const Instance*> instances_;
  std::vector<std::string> names_;
  std::vector<bool> used_;                            // by assignment
  std::vector<std::optional<std::size_t>> assigned_;  // by part
  std::map<std::string, std::uint32_t> host_of_;      // by the document's name
};

void warn_idle(const Placement& placement, Diagnostics& problems) {
  std::vector<bool> busy(placement.names.size());
  for (std::size_t p = 0; p < placement.nodes.size(); ++p) {
    if (placement.why[p] == Why::everywhere) continue;
    busy[placement.nodes[p]] = true;
    for (const std::uint32_t n : placement.more[p]) busy[n] = true;
  }
  std::vector<std::string> idle;
  for (std::size_t n = 0; n < busy.size(); ++n)
    if (!busy[n]) idle.push_back(placement.names[n]);
  if (idle.empty()) return;
  problems.warning("V2157", fmt::format("nothing runs on {}", document::listed(idle)), {}).notes = {
      "every part that could run there has its place already, or there are too few",
      "systems joined by connections without delay are one part; island=\"own\" "
      "separates one"};
}

}  // namespace

composition::Division Placement::division() const {
  std::vector<composition::Division::Nodes> all;
  for (std::size_t p = 0; p < nodes.size(); ++p) {
    all.push_back({nodes[p]});
    if (p >= more.size()) continue;
    all.back().insert(all.back().end(), more[p].begin(), more[p].end());
  }
  return composition::Division(std::move(all));
}

const char* text(Why why) noexcept {
  switch (why) {
    case Why::document:
      return "document";
    case Why::nodes_file:
      return "nodes document";
    case Why::stays:
      return "stays here";
    case Why::everywhere:
      return "constant";
    case Why::automatic:
      break;
  }
  return "automatic";
}

bool stays(const Part& p, const Composition& c) {
  return executive::Executive::stays(*p.component) ||
         std::any_of(c.instances.begin(), c.instances.end(), [&p](const Instance& i) {
           return i.kind == Instance::Kind::connector && !p.instances.empty() &&
                  i.name == p.instances.front();
         });
}

std::vector<double> assumed_cost(const Plan& plan) {
  std::vector<double> cost;
  for (const Part& p : plan.parts)
    cost.push_back(usual_cost * static_cast<double>(std::max<std::size_t>(1, p.instances.size())));
  return cost;
}

Placement place(const Plan& plan, const Composition& c, const Nodes& nodes,
                std::span<const double> cost, Diagnostics& problems) {
  require(!nodes.hosts.empty() && (cost.empty() || cost.size() == plan.parts.size()));
  Placement result;
  for (const Host& h : nodes.hosts) result.names.push_back(h.name);
  result.nodes.resize(plan.parts.size());
  result.why.resize(plan.parts.size(), Why::automatic);
  result.more.resize(plan.parts.size());
  const Wishes wishes(plan, c, nodes, result, problems);
  problems.throw_if_errors();
  const auto count = static_cast<std::uint32_t>(nodes.hosts.size());
  const composition::Cut whole = composition::cut(plan, result.nodes, count);
  for (std::size_t p = 0; p < plan.parts.size(); ++p)
    if (whole.everywhere(static_cast<std::uint32_t>(p))) result.why[p] = Why::everywhere;
  const std::vector<double> assumed = cost.empty() ? assumed_cost(plan) : std::vector<double>();
  if (cost.empty()) cost = assumed;
  detail::search(plan, nodes, cost, result);
  detail::place_replicas(plan, nodes, cost, result, problems);
  warn_idle(result, problems);
  return result;
}

}  // namespace vernier::placement
