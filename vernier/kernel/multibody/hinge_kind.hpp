#pragma once

#include <cstddef>
#include <cstdint>

namespace vernier::multibody {

enum class HingeKind : std::uint8_t {
  fixed,
  pin,          // turns about z
  prismatic,    // slides along z
  cylindrical,  // turns about z, slides along z
  universal,    // turns about x, then y
  gimbal,       // turns about x, then y, then z
  ball,         // quaternion; speeds: angular velocity in the child's axes
  planar,       // slides along x and y, turns about z
  free  // quaternion and position; speeds: angular, then linear velocity in the child's axes
};
std::size_t coordinates(HingeKind) noexcept;  // 7 for free
std::size_t speeds(HingeKind) noexcept;       // 6 for free

}  // namespace vernier::multibody
