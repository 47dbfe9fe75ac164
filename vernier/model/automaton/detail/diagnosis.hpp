#pragma once

#include <cstddef>
#include <span>

#include "vernier/base/fault.hpp"
#include "vernier/model/automaton/detail/equations.hpp"

namespace vernier::automaton::detail {

/// Which equation or output of a location gives no finite number, where it is in the document and
/// which part of it is to blame, as lines that each begin with a line break. With a transition:
/// which of its resets. `point`: states and holders, inputs, adjustable constants. False: all are
/// finite, or the point itself is not.
bool diagnose(const Model&, const Equations&, const Adjustable&, std::size_t location,
              std::size_t transition, std::span<const double> point, Fault&);

}  // namespace vernier::automaton::detail
