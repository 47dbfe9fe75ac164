#pragma once

#include "vernier/gateway/federation/federation.hpp"

namespace vernier::federation {

/// The receivers of interactions of one class with one set of parameters.
struct Federation::InteractionRoute {
  struct Target {
    Federate* federate = nullptr;
    const InteractionDeclaration* by_regions = nullptr;  // null: subscribed without regions
  };
  /// Receivers of the same bytes.
  struct Part {
    Handle received_as = 0;
    Numbers picked;     // positions in the message; empty: all
    bool none = false;  // there are parameters, but none for these receivers
    bool convey_producer = false, convey_regions = false;
    std::vector<Target> targets;
  };
  Numbers parameters;
  std::uint64_t declarations = 0;
  std::vector<Part> parts;
};

}  // namespace vernier::federation
