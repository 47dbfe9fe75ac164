#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "vernier/gateway/connector/adapters.hpp"
#include "vernier/net/socket.hpp"

/// Parameters that several adapters share.
namespace vernier::connector {

ParameterSpec choice(std::string name, std::vector<std::string> choices, std::string initial,
                     std::string description);
ParameterSpec text(std::string name, std::optional<std::string> initial, std::string description,
                   ParameterKind = ParameterKind::text);
ParameterSpec yes_or_no(std::string name, const char* initial, std::string description);
ParameterSpec span_of_time(std::string name, const char* initial, std::string description);

/// The address at which the two peers connect, and whether this side listens there.
struct Meeting {
  bool listen = true;
  net::Address address;
};
/// From `listen` and `connect`; a value from the composition overrides that of the document.
Meeting meeting(const Parameters&);
/// A duration from 1 ms to 1000000 s.
std::chrono::milliseconds milliseconds(const Parameters&, const char* name);

Adapter link_adapter();
Adapter shared_adapter();
Adapter heartbeat_adapter();
Adapter rsp_server_adapter(const Connector&);
Adapter rsp_client_adapter(const Connector&);

}  // namespace vernier::connector
