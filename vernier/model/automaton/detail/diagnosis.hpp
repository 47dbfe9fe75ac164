#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "vernier/base/fault.hpp"
#include "vernier/model/automaton/detail/equations.hpp"

namespace vernier::automaton::detail {

/// What gave no finite number.
enum class Suspect : std::uint8_t {
  values,    // an equation or an output of the location
  resets,    // a reset of the transition
  condition  // a comparison in the condition of the transition
};

/// Which of the suspects gives no finite number, where it is in the document and which part of it
/// is to blame, as lines that each begin with a line break. `point`: states and holders, inputs,
/// adjustable constants. False: all are finite, or the point itself is not.
bool diagnose(const Model&, const Equations&, const Adjustable&, std::size_t location, Suspect,
              std::size_t transition, std::span<const double> point, Fault&);

}  // namespace vernier::automaton::detail
