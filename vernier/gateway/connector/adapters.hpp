#pragma once

#include <memory>
#include <vector>

#include "vernier/gateway/connector/connector.hpp"

namespace vernier::connector {

/// What an adapter takes and makes. Which one depends on the adapter's name, for csv on the
/// direction, for rsp on the bodies.
struct Adapter {
  std::vector<ParameterSpec> parameters;
  /// Refuses channels that it has no use for, in words ("a csv connector has no events"), or empty.
  std::string (*misfit)(const Connector&);
  /// Checks the values of the parameters; throws ConfigurationError. Touches nothing outside.
  void (*check)(const Connector&, const Parameters&);
  std::unique_ptr<Component> (*make)(const Connector&, const Parameters&, const Notice&);
};

Adapter adapter_of(const Connector&);

}  // namespace vernier::connector
