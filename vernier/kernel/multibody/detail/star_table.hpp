#pragma once

#include "vernier/kernel/multibody/detail/star_code.hpp"
#include "vernier/kernel/multibody/detail/star_states.hpp"

namespace vernier::multibody::detail {
inline namespace VERNIER_INSTRUCTIONS {

/// The functions for this instruction set, with W lanes.
template <int W>
struct StarTable {
  static void place(const StarPlan& plan, double* memory, const double* q,
                    const double* u) noexcept {
    if (plan.modes == 0) return StarLanes<W, false>::place(plan, memory, q, u);
    StarLanes<W, true>::place(plan, memory, q, u);
  }
  static int accelerate(const StarPlan& plan, double* memory, const double* q, const double* u,
                        const StarLoads& loads, double* udot) noexcept {
    if (plan.modes == 0) return StarLanes<W, false>::accelerate(plan, memory, q, u, loads, udot);
    return StarLanes<W, true>::accelerate(plan, memory, q, u, loads, udot);
  }
  static std::size_t states(const StarPlan& plan, double* memory,
                            const StarStates& states) noexcept {
    if (plan.modes == 0) return StarInStates<W, false>::run(plan, memory, states);
    return StarInStates<W, true>::run(plan, memory, states);
  }
  static std::size_t scratch(const StarPlan& plan, std::size_t coordinates,
                             std::size_t speeds) noexcept {
    return StarInStates<W, true>::scratch(plan, coordinates, speeds);
  }
  static constexpr StarCode code = {W, place, accelerate, states, scratch};
};

}  // namespace VERNIER_INSTRUCTIONS
}  // namespace vernier::multibody::detail
