#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "vernier/component/description.hpp"

namespace vernier::channel {

/// A signal that crosses the boundary of the run. Outside it is in `unit`, inside in SI: inside =
/// outside * factor.
struct Channel {
  std::string name;
  std::string unit = "1";
  double factor = 1.0;
  std::uint32_t count = 1;
  Scalar scalar = Scalar::real;
  std::optional<std::vector<double>> initial = {};  // SI; inputs: while not connected; outputs:
                                                    // before the outside has said anything
  std::string column = {};                          // in files, when not `name`
  std::string description = {};
};

/// Everything that crosses the boundary at one connector, from its point of view, as in its
/// document: inputs leave the run, outputs enter it.
struct Channels {
  std::vector<Channel> inputs, outputs;
  std::vector<std::string> events_in, events_out;
  std::vector<Feedthrough> feedthrough;
};

/// Sets unit and factor from a unit text; false when it is not a unit.
bool set_unit(Channel&, const std::string& unit);

/// Elements of all channels together.
std::size_t size(const std::vector<Channel>&) noexcept;

/// Ports, events and feedthrough of a component with these channels. Ports are in SI.
Description described(const Channels&);

/// The initial values of all elements in sequence, in external units; zero where there is none.
std::vector<double> initial_values(const std::vector<Channel>&);

/// The name of one element in messages and files: "omega[2]", or "speed" for a scalar.
std::string element_name(const std::vector<Channel>&, std::size_t element);

}  // namespace vernier::channel
