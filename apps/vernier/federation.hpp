#pragma once

#include <string>

#include "apps/vernier/command.hpp"

namespace vernier::app {

/// What `vernier federate` was asked, apart from FOM modules.
struct FederationRequest {
  std::string action;  // create, join, list, watch, ask, resign, record, replay
  std::string what;    // the federation, or the recording
  std::string whom;    // a federate, or a mode
  std::string document, rti, until, output, out = "runs";
  std::vector<std::string> set;
  double rate = 0.0;  // of a replay; 0: as fast as possible
  bool dry_run = false, json = false;
};

int federation_work(const FederationRequest&, const Invocation&);

}  // namespace vernier::app
