#pragma once

#include <memory>
#include <vector>

#include "vernier/gateway/connector/connector.hpp"

namespace vernier::connector {

/// The parameters, checks and factory of one adapter. adapter_of() selects it by the adapter's
/// name; for csv also by the direction, for rsp also by the bodies.
struct Adapter {
  std::vector<ParameterSpec> parameters;
  /// The reason why the channels do not suit the adapter ("a csv connector has no events"), or
  /// empty.
  std::string (*misfit)(const Connector&);
  /// Checks the values of the parameters; throws ConfigurationError. Opens no file or connection.
  void (*check)(const Connector&, const Parameters&);
  std::unique_ptr<Component> (*make)(const Connector&, const Parameters&, const Surroundings&);
};

Adapter adapter_of(const Connector&);

}  // namespace vernier::connector
