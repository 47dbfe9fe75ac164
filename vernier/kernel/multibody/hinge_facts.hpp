#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "vernier/kernel/multibody/hinge_kind.hpp"

namespace vernier::multibody {

/// A degree of freedom of a hinge, with its name in documents.
struct HingeDof {
  std::string_view name;
  bool angle;  // rad and N·m; otherwise m and N
};

/// The properties of a kind of hinge.
struct HingeFacts {
  HingeKind kind;
  std::string_view name;           // in documents
  std::size_t coordinates;         // 7 for free
  std::span<const HingeDof> dofs;  // by speed
  int axes;                        // that documents can orient: 0 none, 1 z, 2 x and y
  bool quaternion;  // the first four coordinates are one, the first three speeds its rates; else
                    // each speed is the rate of a coordinate, which can be sprung and stopped
  bool position;    // then three of position, and speeds of their own axes
  std::string_view parameter, parameter_unit;  // a number that hinges of this kind have; or empty
  // A coordinate at the zeros of whose cosine the hinge is singular, or -1; where, and what to do.
  int singular;
  std::string_view singular_at, singular_advice;
};
const HingeFacts& facts(HingeKind) noexcept;
std::span<const HingeFacts> hinge_kinds() noexcept;  // all, in the order of their values

inline std::size_t coordinates(HingeKind k) noexcept { return facts(k).coordinates; }
inline std::size_t speeds(HingeKind k) noexcept { return facts(k).dofs.size(); }

}  // namespace vernier::multibody
