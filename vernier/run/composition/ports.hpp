#pragma once

#include <vector>

#include "vernier/component/component.hpp"
#include "vernier/kernel/hybrid/system.hpp"

namespace vernier::composition {

/// The ports of an instance as a document names them, independent of its island.
struct Ports {
  std::vector<Port> inputs, outputs;
  std::vector<Port> states;  // that can be observed
  std::vector<Feedthrough> feedthrough;
};

/// Of the one that is not null.
Ports ports_of(const hybrid::System*, const Component*);

}  // namespace vernier::composition
