#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "vernier/run/composition/plan.hpp"
#include "vernier/run/placement/nodes.hpp"
#include "vernier/run/placement/place.hpp"
#include "vernier/run/placement/tick_model.hpp"

namespace vernier::placement {

/// What a run on several nodes will wait for, and how fast it can be.
struct Forecast {
  /// A connection between two nodes.
  struct Wire {
    std::string from, to;  // paths of ports
    std::uint32_t from_node = 0, to_node = 0;
    Duration delay{};
    bool waits = false;  // the receiver needs the value at the instant that it is computed
  };
  /// Parts that share their instants, on several nodes.
  struct Cluster {
    std::vector<std::string> parts;
    std::vector<std::uint32_t> nodes;
    double instants = 0.0;               // per tick of the step
    std::vector<std::string> exchanges;  // at each instant: why
  };
  /// A delay that would save exchanges.
  struct Hint {
    std::vector<std::pair<std::string, std::string>> wires;  // paths of ports
    double exchanges = 0.0;                                  // saved per tick
    double tick = 0.0;                                       // s, then
  };

  std::vector<Wire> wires;
  std::vector<Cluster> clusters;
  std::vector<Hint> hints;  // the most useful first
  TickModel::Result load;
  double step = 0.0;        // s, simulated
  bool cost_known = false;  // otherwise the tick has the exchanges only

  /// Ticks per second; infinite when nothing is known to take time.
  double rate() const noexcept { return 1.0 / load.tick; }
  /// Simulated time over real time.
  double speed() const noexcept { return step / load.tick; }
};

/// `cost` as for place(); `processors` as for TickModel. The plan is as before afterwards.
Forecast forecast(composition::Plan&, const Placement&, const Nodes&, std::span<const double> cost,
                  unsigned processors = 0);

}  // namespace vernier::placement
