#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "vernier/net/address.hpp"
#include "vernier/run/registry/registry.hpp"

namespace vernier::registry {

/// Where a cluster of etcd is, and how it is used.
struct Location {
  std::vector<net::Address> members;
  std::string prefix = "vernier";  // of all keys
  std::chrono::seconds lease{10};  // of a leader
};

/// "etcd://HOST[:PORT][,HOST[:PORT]…][/PREFIX][?lease=SECONDS]". Throws ConfigurationError (V5650).
Location parsed_location(const std::string&);

/// The registry at such an address; nothing is sent yet. Throws ConfigurationError (V5650).
std::unique_ptr<Registry> registry_at(const std::string& address);

}  // namespace vernier::registry
