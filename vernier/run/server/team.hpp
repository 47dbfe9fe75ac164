#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "vernier/run/composition/plan.hpp"
#include "vernier/run/placement/nodes.hpp"
#include "vernier/run/server/credentials.hpp"
#include "vernier/run/server/spawned.hpp"
#include "vernier/run/session/session.hpp"

namespace vernier::server {

/// How a document is run on several nodes.
struct TeamSettings {
  std::string on;           // placement::nodes_of()
  Launch here;              // what becomes an executor on this machine
  CredentialFiles files;    // for servers to which the nodes document gives none
  std::string version;      // of the program
  std::int64_t keep_every;  // ticks between two copies of the state; 0: none
  /// Makes the plan once more, to measure what its parts cost.
  std::function<composition::Plan()> plan;
};

/// With what a client asks the server of a host: what the nodes document gives, else `given`.
Credentials credentials_for(const placement::Host&, const CredentialFiles& given);

/// Makes a session run on several nodes, and lets clients of their servers ask it: sets `executive`
/// and `access` of its options. The first throws ConfigurationError, before anything has run: V5605
/// for what cannot run on several nodes yet.
void run_on_nodes(TeamSettings, session::Options&);

}  // namespace vernier::server
