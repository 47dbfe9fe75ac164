#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "vernier/net/tls.hpp"

namespace vernier::server {

/// With what a server and its clients show each other who they are. The same files serve both
/// sides.
struct CredentialFiles {
  std::string key;                                    // shared
  std::string certificate, private_key, authorities;  // PEM, for mutual TLS; all or none
};

struct Credentials {
  std::vector<std::byte> key;
  std::shared_ptr<net::Tls> tls;  // of one side; null: in the clear
};

enum class Side { client, server };

/// Reads the files. Without any, both sides use the key of this user: $XDG_CONFIG_HOME or
/// ~/.config, vernier/server-key; a server makes it. Throws ConfigurationError: V5632 for a key,
/// V5639 for certificates.
Credentials credentials(const CredentialFiles&, Side);

/// Empty: the user has no such folder.
std::filesystem::path key_of_user();

}  // namespace vernier::server
