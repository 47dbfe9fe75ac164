#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "vernier/base/time.hpp"

namespace vernier::executive {

/// A piece of a run's state. `path` begins with its kind: "state bus.wheel2", "port plant.omega".
struct Section {
  std::string path;
  std::vector<std::byte> bytes;
};

/// The complete state of a run between two ticks, for the same composition (parameters may differ)
/// and the same kind of machine; run/record stores it.
struct Snapshot {
  Time time{};
  std::vector<Section> sections;
};

}  // namespace vernier::executive
