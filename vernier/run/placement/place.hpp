#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "vernier/base/diagnostic.hpp"
#include "vernier/run/composition/composition.hpp"
#include "vernier/run/composition/cut.hpp"
#include "vernier/run/composition/plan.hpp"
#include "vernier/run/placement/nodes.hpp"

namespace vernier::placement {

/// Why a part is where it is.
enum class Why : std::uint8_t {
  document,    // node= of the document
  nodes_file,  // <place> of the nodes document
  stays,       // see stays(): on the first node
  everywhere,  // its outputs never change
  automatic
};
const char* text(Why) noexcept;

struct Placement {
  std::vector<std::string> names;    // of the nodes
  std::vector<std::uint32_t> nodes;  // by part
  std::vector<Why> why;              // by part, of this node
  /// By part: the further nodes that run it, because it has replicas; empty: there are none.
  std::vector<composition::Division::Nodes> more;
  std::vector<std::string> notes;  // for the user: which node of the document is which

  composition::Division division() const;
};

/// Whether a part is not placed automatically: it is connected to a device or another program,
/// writes files, or cannot go back to an earlier state.
bool stays(const composition::Part&, const composition::Composition&);

/// Decides where each part of a plan runs: as the nodes document says, else the document; parts
/// that stays() on the first node; all others so that a tick takes least (TickModel), and every
/// node gets a part. Replicas run where the nodes document says, else where there is least to do,
/// if possible on other computers. The same input gives the same placement.
///
/// `cost`: seconds per tick of the step, by part; empty: unknown, then each system and component
/// counts the same. Problems go into `problems`; if there are errors, throws ConfigurationError
/// with all of them. No placement changes a result.
Placement place(const composition::Plan&, const composition::Composition&, const Nodes&,
                std::span<const double> cost, Diagnostics& problems);

/// The cost that stands for an unknown one.
std::vector<double> assumed_cost(const composition::Plan&);

}  // namespace vernier::placement
