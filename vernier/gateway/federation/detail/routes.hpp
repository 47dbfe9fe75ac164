#pragma once

#include "vernier/gateway/federation/federation.hpp"

namespace vernier::federation {

/// Where interactions of one class with one set of parameters go.
struct Federation::InteractionRoute {
  struct Target {
    Federate* federate = nullptr;
    const InteractionDeclaration* by_regions = nullptr;  // null: subscribed without
  };
  /// Receivers that get the same bytes.
  struct Part {
    Handle received_as = 0;
    Numbers picked;     // places in the message; empty: all
    bool none = false;  // there are some, but the receivers get none of them
    bool convey_producer = false, convey_regions = false;
    std::vector<Target> targets;
  };
  Numbers parameters;
  std::uint64_t declarations = 0;
  std::vector<Part> parts;
};

}  // namespace vernier::federation
