#pragma once

#include <vector>

#include "vernier/component/description.hpp"
#include "vernier/kernel/hybrid/system.hpp"

namespace vernier {

/// The ports of a system that runs as a component. An unconnected event never occurs.
Port input_port(const hybrid::Signal&);
Port output_port(const hybrid::Signal&);
Port input_port(const hybrid::Event&);
Port output_port(const hybrid::Event&);

/// The active location of each automaton: "mode", or "location" where an output has that name,
/// after the automaton's own name.
std::vector<Port> mode_ports(const hybrid::SystemSpec&);

/// The states, for observation. A state that shares its name with a port has none: the model
/// already shows it, or uses the name for something else.
struct StatePort {
  Port port;
  std::size_t first;  // of its elements among those of all states
};
std::vector<StatePort> state_ports(const hybrid::SystemSpec&);

}  // namespace vernier
