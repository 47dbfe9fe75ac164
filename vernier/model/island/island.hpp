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
///      automaton as the integer "mode", or "NAME.mode" (if an output has that name: "location"
///      instead); each state whose name no port has, for observation
///
/// react() takes one round of transitions: those whose events arrived and those that inputs
/// enabled. advance() integrates with the inputs held. Where a condition becomes true it takes all
/// rounds of transitions at that exact time and records them in the journal. With `stops_early` it
/// then continues to the next whole nanosecond and returns there, so that others see the event. The
/// system itself sees an emitted label at once, others see it through the port; do not connect the
/// port back to the same island.
///
/// Fails with V3105 to V3107 (integration) or the explanation of the system, V3110 (instantaneous
/// loop), V3111 (events accumulate).
///
/// Throws ConfigurationError: V3130 for an unknown integrator, V3131 for invalid settings.
std::unique_ptr<Component> make_island(std::unique_ptr<hybrid::System>, const IslandSettings&);

/// The equations of an island and their current point, for analysis. The spans refer to the island
/// and follow it.
struct Inside {
  const hybrid::System* system = nullptr;
  hybrid::Point point;
};
/// Null system: the component is not an island.
Inside inside(const Component&, Time now) noexcept;

}  // namespace vernier::island
