#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "vernier/base/time.hpp"
#include "vernier/run/composition/cut.hpp"
#include "vernier/run/composition/plan.hpp"
#include "vernier/run/placement/nodes.hpp"

namespace vernier::placement {

/// What a frame costs between two nodes.
struct Line {
  double latency = 0.0;    // s, one way
  double bandwidth = 1.0;  // bytes/s
  double frame = 0.0;      // s of processor time to send it, and again to receive it
};

/// As the nodes document says; else what is usual: shared memory between processes of one computer,
/// TCP between computers of one local network.
Line line_between(const Nodes&, std::size_t a, std::size_t b);

/// How long a tick of the step takes on several nodes.
///
/// The executives of all nodes are played through on a virtual clock for some ticks: who waits for
/// whose frames, at which instants, in which rounds, and how far delayed connections let a node run
/// ahead. Parts cost what they are said to cost, all of it after the outputs. Left out: instants of
/// events, recording, and jitter.
class TickModel {
 public:
  /// `cost`: seconds per tick of the step, by part. `processors`: of this computer, which its
  /// processes share; 0: one for each.
  TickModel(const composition::Plan&, const Nodes&, std::span<const double> cost,
            unsigned processors = 0);

  struct Traffic {
    std::uint32_t from = 0, to = 0;    // nodes
    double frames = 0.0, bytes = 0.0;  // per tick
  };
  struct Result {
    double tick = 0.0;             // s
    double exchanges = 0.0;        // per tick: how often nodes wait for frames of the same instant
    double frames = 0.0;           // per tick
    std::vector<double> work;      // by node: s per tick, of its parts
    std::vector<Traffic> traffic;  // pairs between which something goes, ascending
  };
  Result of(const composition::Cut&) const;

  /// The instants of a cluster, per tick of the step.
  double instants(std::uint32_t cluster) const noexcept { return instants_per_tick_[cluster]; }

 private:
  class Play;
  /// Parts of a cluster that are due together.
  struct Group {
    std::uint32_t cluster = 0;
    Rate rate;
    Duration offset{};
    std::vector<std::uint32_t> parts;
  };
  struct Moment {
    Time time;
    std::uint32_t pattern = 0;          // index into patterns_
    std::vector<std::uint32_t> groups;  // that are due
  };

  void find_groups();
  void find_moments();

  const composition::Plan& plan_;
  const Nodes& nodes_;
  std::vector<double> cost_;
  unsigned processors_;
  std::vector<Line> lines_;  // by pair of nodes
  std::vector<Group> groups_;
  std::vector<Moment> moments_;
  std::vector<std::vector<std::uint32_t>> patterns_;  // the clusters that are due at one instant
  std::vector<std::vector<std::uint8_t>> due_;        // the same, by cluster
  std::vector<double> instants_per_tick_;             // by cluster
  std::vector<double> calls_per_tick_;                // by group
};

/// The bytes of an output's value in a frame; a stream's depend on what it carries: 0.
std::size_t bytes_of(const Port&) noexcept;

}  // namespace vernier::placement
