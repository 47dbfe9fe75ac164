#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace vernier::net {

/// "127.0.0.1:4711", "localhost:4711", "[::1]:4711"; ":4711" and "4711" mean this machine only.
struct Address {
  std::string host;
  std::string port;
};
std::optional<Address> parsed_address(std::string_view);
std::string text(const Address&);
/// Whether other machines can reach a listener there: it is not a loopback address.
bool beyond_this_machine(const Address&) noexcept;

}  // namespace vernier::net
