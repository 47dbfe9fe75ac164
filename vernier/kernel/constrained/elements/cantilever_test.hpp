#pragma once

#include <string>
#include <vector>

#include "vernier/kernel/constrained/elements.hpp"
#include "vernier/kernel/constrained/elements/beam_cases_test.hpp"
#include "vernier/kernel/constrained/solver.hpp"

/// Straight beams along x, as several tests use them.
namespace vernier::constrained {

enum class Pieces { three_nodes, two_nodes };

/// Nodes from `start` along x to start + length, joined by beams; with bodies of their pieces if
/// the section has mass, else static. Answers the numbers of the nodes. `three_nodes`: two nodes
/// more for each beam.
inline std::vector<int> add_straight_beam(Model& m, const std::string& name, const Vector3& start,
                                          double length, int beams, const Section& section,
                                          Pieces pieces = Pieces::three_nodes) {
  const bool massive = section.line_density > 0.0;
  const int n = pieces == Pieces::three_nodes ? 2 * beams : beams;
  std::vector<int> nodes;
  std::vector<NodeState> places;
  for (int i = 0; i <= n; ++i) {
    places.push_back(placed_at(start + Vector3{length * i / n, 0.0, 0.0}));
    nodes.push_back(m.add(Node{.name = name + " node " + std::to_string(i),
                               .position = places.back().x,
                               .dynamic = massive}));
  }
  const auto finish = [&](auto beam, int i) {
    for (std::size_t k = 0; k < beam.nodes.size(); ++k) {
      beam.nodes[k] = nodes[static_cast<std::size_t>(i) + k];
      beam.reference[k] = places[static_cast<std::size_t>(i) + k];
    }
    m.add(name + " " + std::to_string(i), "beam", make(beam));
    if (massive) {
      for (const Body& b : lumped(beam)) m.add(b);
    }
  };
  if (pieces == Pieces::three_nodes) {
    Beam3 b;
    b.sections = {section, section};
    for (int i = 0; i < n; i += 2) finish(b, i);
  } else {
    Beam2 b;
    b.section = section;
    for (int i = 0; i < n; ++i) finish(b, i);
  }
  return nodes;
}

inline void add_clamp(Model& m, int node, const Vector3& at = {}) {
  m.add("root", "clamp",
        make(Joint{.kind = JointKind::clamp, .a = {.offset = at}, .b = {.node = node}}));
}

inline void add_dead_load(Model& m, int node, const Vector3& direction, double size,
                          bool couple = false) {
  m.add("load", "load",
        make(Load{.couple = couple,
                  .b = {.node = node},
                  .direction = direction,
                  .drive = m.constant(size)}));
}

}  // namespace vernier::constrained
