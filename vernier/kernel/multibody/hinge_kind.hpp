#pragma once

#include <cstdint>

namespace vernier::multibody {

/// All kinds of hinges: enumerator and class. Each is defined in one file, detail/hinges/NAME.hpp,
/// which detail/hinges.hpp includes; everything else follows from it
/// (docs/how-to/add-a-hinge-kind).
#define VERNIER_HINGE_KINDS(X) \
  X(fixed, Fixed)              \
  X(pin, Pin)                  \
  X(prismatic, Prismatic)      \
  X(cylindrical, Cylindrical)  \
  X(universal, Universal)      \
  X(gimbal, Gimbal)            \
  X(ball, Ball)                \
  X(planar, Planar)            \
  X(free, Free)                \
  X(screw, Screw)

enum class HingeKind : std::uint8_t {
#define VERNIER_HINGE_KIND(name, type) name,
  VERNIER_HINGE_KINDS(VERNIER_HINGE_KIND)
#undef VERNIER_HINGE_KIND
};

}  // namespace vernier::multibody
