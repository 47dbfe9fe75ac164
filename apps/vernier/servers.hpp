#pragma once

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "apps/vernier/permissions.hpp"
#include "vernier/base/diagnostic.hpp"
#include "vernier/net/address.hpp"
#include "vernier/run/server/credentials.hpp"

namespace CLI {
class App;
class Option;
}  // namespace CLI

/// How commands name servers, and show them who they are.
namespace vernier::app {

/// "laptop", "10.0.0.2:4871", "[::1]"; without a port, the usual one. Throws ConfigurationError
/// (V5642).
net::Address server_address(const std::string&);
/// Several, separated by commas; each once.
std::vector<net::Address> server_addresses(const std::string&);

/// --key, --certificate, --private-key, --authorities. `server`: the option without which they mean
/// nothing; null: none.
void declare_credentials(CLI::App&, server::CredentialFiles&, CLI::Option* server = nullptr);

/// The same files by the names of their options.
std::array<std::pair<const char*, std::string*>, 4> files_of(server::CredentialFiles&);

/// The words with which the program becomes an executor.
std::vector<std::string> executor_words(const Permissions&, const server::CredentialFiles&);
/// Becomes one.
int become_executor(const std::vector<std::string>& words);

/// Servers on the local network cannot be announced or found (V5656).
ConfigurationError no_avahi(const std::string& what, const std::string& why);

/// A problem with what to do.
ConfigurationError refusal(std::string code, std::string message, std::string note);

}  // namespace vernier::app
