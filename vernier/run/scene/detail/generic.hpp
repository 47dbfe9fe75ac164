#pragma once

#include <string>
#include <vector>

#include "vernier/run/scene/detail/signals.hpp"

namespace vernier::scene::detail {

/// A place that ports say without a type that knows a scene.
struct Seen {
  std::string instance, name;  // name: that of the body, a path
  Binding position{.signal = {}, .count = 0},
      attitude{.signal = {}, .count = 0};  // resolved; count 0: none
};

/// Every port called `position` (3 × m), `attitude` or `quaternion` (4 × 1) of these instances, or
/// NAME.position and so on; also inputs, which say where somebody is thought to be. One for each
/// attitude and each place: those that take both from others stand for them.
std::vector<Seen> seen_at_ports(const composition::Plan&, const std::vector<std::string>& instances,
                                const Signals&);

}  // namespace vernier::scene::detail
