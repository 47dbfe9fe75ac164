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

}  // namespace vernier::net
