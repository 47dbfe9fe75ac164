#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "apps/vernier/command.hpp"
#include "apps/vernier/permissions.hpp"

namespace vernier::app {

/// The arguments of `vernier federate`, except FOM modules.
struct FederationRequest {
  std::string action;  // create, join, list, watch, ask, resign, record, replay, values
  std::string what;    // the federation, or the recording
  std::string whom;    // a federate, or a mode
  std::string document, rti, until, output, out = "runs";
  std::vector<std::string> set;
  Permissions permissions;          // join
  double rate = 0.0;                // of a replay; 0: as fast as possible
  std::optional<double> wait = {};  // s, for the RTI and the federation to be there
  bool dry_run = false, json = false;
};

/// The actions: syntax and meaning.
struct FederateAction {
  std::string_view name, words, about;
};
std::span<const FederateAction> federate_actions();

int federation_work(const FederationRequest&, const Invocation&);

}  // namespace vernier::app
