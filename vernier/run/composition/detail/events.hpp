#pragma once

#include <map>
#include <string>
#include <vector>

#include "vernier/run/composition/detail/external.hpp"
#include "vernier/run/composition/detail/members.hpp"

namespace vernier::composition::detail {

/// An event output of one member reaches an event input of another, or of itself.
struct EventLink {
  std::size_t from_member = 0, from = 0;  // index of the output
  std::size_t to_member = 0, to = 0;      // index of the input
  Duration delay{};
  Place place;

  bool operator==(const EventLink& o) const {
    return from_member == o.from_member && from == o.from && to_member == o.to_member && to == o.to;
  }
};

/// Which events reach which inputs: by equal labels, and as the maps say for those named in one.
/// Stimuli add event outputs to ext, and actions.
std::vector<EventLink> event_links(const Composition&, Members&, std::vector<External::Action>&,
                                   Diagnostics&);

/// Whether an island itself carries the event: both ends in it, without delay.
bool carried_inside(const EventLink&, const Members&, const std::vector<std::size_t>& island_of);

/// The events that systems of an island receive from each other: by member, its event -> the events
/// of others, as paths ("relay.on"), which are their labels in the island.
std::vector<std::map<std::string, std::vector<std::string>>> heard_inside(
    const Members&, const std::vector<EventLink>&, const std::vector<std::size_t>& island_of);

}  // namespace vernier::composition::detail
