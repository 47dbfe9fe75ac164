#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <utility>
#include <vector>

#include "vernier/run/composition/plan.hpp"

namespace vernier::composition {

/// By part: the nodes that run it. The first is its home; the others compute the same.
class Division {
 public:
  using Nodes = std::vector<std::uint32_t>;

  Division() = default;
  explicit Division(std::vector<Nodes> all) : all_(std::move(all)) {}
  /// Every part on one node. Implicit, as this is what most runs are.
  Division(const Nodes& one_each) {  // NOLINT(google-explicit-constructor)
    for (const std::uint32_t n : one_each) all_.push_back({n});
  }
  Division(std::initializer_list<std::uint32_t> one_each) : Division(Nodes(one_each)) {}

  std::size_t size() const noexcept { return all_.size(); }
  const Nodes& operator[](std::size_t part) const noexcept { return all_[part]; }
  const std::vector<Nodes>& all() const noexcept { return all_; }

 private:
  std::vector<Nodes> all_;
};

/// A plan divided among nodes: which values cross from node to node, and when.
///
/// The outputs of an instant are computed in rounds. A call belongs to round r if the longest chain
/// of direct inputs that leads to it changes the node r times; at the end of each round the nodes
/// of a cluster exchange what was computed in it.
struct Cut {
  /// An output that another node needs at the instants of its cluster: to read it; or to compare
  /// it with its own, because it runs the part as well.
  struct Crossing {
    std::uint32_t part = 0, output = 0;
    std::vector<std::uint32_t> to;      // nodes, ascending
    std::vector<std::uint32_t> rounds;  // in which it is computed, ascending
  };
  /// What delayed connections take to a node that has no part of the source's cluster. Every node
  /// that runs a source sends it.
  struct Feed {
    std::uint32_t cluster = 0;                                     // of the sources
    std::uint32_t from = 0, to = 0;                                // nodes
    std::vector<std::pair<std::uint32_t, std::uint32_t>> outputs;  // part and output, ascending
    Duration delay{};  // the shortest of its connections
  };
  struct Cluster {
    std::vector<std::uint32_t> nodes;  // with a part of it, ascending; one: nothing is exchanged
    std::uint32_t rounds = 0;          // in which something crosses, per instant
    bool streams = false;              // messages cross: one more round, before the outputs
    bool agrees = false;               // parts react or know their next event: one more, after them
    bool stops = false;                // parts stop at events: one more for each attempt at a step
    bool stops_last = false;           // one of these cannot rewind

    bool crosses() const noexcept { return nodes.size() > 1; }
    /// Exchanges for an instant at which nothing happens.
    std::uint32_t exchanges() const noexcept {
      return crosses() ? rounds + streams + agrees + stops : 0;
    }
  };

  std::uint32_t nodes = 1;
  std::vector<Division::Nodes> runs;  // by part: as in the division; empty: see everywhere()
  std::vector<Cluster> clusters;      // by cluster
  std::vector<std::uint32_t> round;   // by call in Plan::order
  std::vector<Crossing> crossings;    // by part and output, ascending
  std::vector<Feed> feeds;

  bool has(std::uint32_t node, std::uint32_t cluster) const noexcept;
  /// Every node runs the part, as its outputs never change and it reads nothing.
  bool everywhere(std::uint32_t part) const noexcept { return runs[part].empty(); }
  /// Whether a node runs a part that does not run everywhere.
  bool runs_on(std::uint32_t node, std::uint32_t part) const noexcept {
    return std::find(runs[part].begin(), runs[part].end(), node) != runs[part].end();
  }
  bool replicated(std::uint32_t part) const noexcept { return runs[part].size() > 1; }
  /// Whether an output crosses between two nodes, and whether after a round: nodes that run its
  /// part compare it once it is valid, after the last.
  bool crosses(const Crossing&, std::uint32_t from, std::uint32_t to) const noexcept;
  bool crosses(const Crossing&, std::uint32_t from, std::uint32_t to,
               std::uint32_t round) const noexcept;
};

/// Divides a plan that arrange() has completed. The nodes of a part differ, and are less than
/// `nodes`.
Cut cut(const Plan&, const Division&, std::uint32_t nodes);

/// Whether a wire takes values to a node that does not compute them. What is constant is the same
/// everywhere.
bool leaves(const Plan&, const Cut&, const Wire&);
/// Whether a wire without delay leads to an input that an output follows at once.
bool direct(const Plan&, const Wire&);

}  // namespace vernier::composition
