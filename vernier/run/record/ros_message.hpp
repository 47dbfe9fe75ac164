#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "vernier/run/record/result_layout.hpp"

/// Signals as messages of ROS 2, which viewers of robots read: for MCAP files and the Foxglove
/// protocol. A message has one field, `value`; its bytes (CDR) are cdr_head, then the elements as a
/// row has them.
namespace vernier::record {

constexpr std::array<char, 4> cdr_head{0, 1, 0, 0};  // little-endian

/// "/plant/omega" of "plant.omega", "/plant/omega/2" of one element.
std::string ros_topic(const SignalSpec&, std::optional<std::uint32_t> element = {});

/// The definition of the message (ros2msg): path, description, unit and frame in comments.
std::string ros_schema(const SignalSpec&, std::optional<std::uint32_t> element = {});

/// The name of a definition; each has its own number.
std::string ros_type(std::size_t number);

}  // namespace vernier::record
