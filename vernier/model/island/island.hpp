#pragma once

#include <memory>

#include "vernier/component/catalogue.hpp"
#include "vernier/component/component.hpp"
#include "vernier/kernel/hybrid/system.hpp"

namespace vernier::island {

/// A system, or several composed into one, integrated together and running as one component.
///
/// in   each input of the system; each event label that a transition waits for
/// out  each output of the system; each event label that is emitted; the active location of each
///      automaton as the integer "mode", or "NAME.mode" (an output of that name: "location"
///      instead); each state that shares its name with no port, to be watched
///
/// react() takes one round of transitions: those whose events came and those that inputs made
/// possible. advance() flows with the inputs held; where a condition becomes true it takes all
/// rounds of transitions at that very time, tells the journal, and, with `stops_early`, goes on to
/// the next whole nanosecond and returns there, so that others see it. A label emitted is seen by
/// the system itself at once and by others through the port; do not connect the port back to the
/// same island.
///
/// Fails with V3105 to V3107 (integration) or what the system explains them with, V3110
/// (instantaneous loop), V3111 (events accumulate).
///
/// Throws ConfigurationError: V3130 for an integrator that does not exist, V3131 for settings that
/// are not possible.
std::unique_ptr<Component> make_island(std::unique_ptr<hybrid::System>, const IslandSettings&);

/// The equations of an island and where they stand, for those who analyse a run. The spans are the
/// island's: they follow it.
struct Inside {
  const hybrid::System* system = nullptr;
  hybrid::Point point;
};
/// Null system: the component is not an island.
Inside inside(const Component&, Time now) noexcept;

}  // namespace vernier::island
