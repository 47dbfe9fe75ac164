#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "vernier/gateway/federation/rti_transport.hpp"

namespace vernier::federation {

struct SocketSettings {
  std::chrono::milliseconds connect_within{10000};  // including the handshake
  std::chrono::milliseconds tolerate{30000};        // an RTI silent for longer is lost
};

/// A connection over TCP or a Unix socket. Null and `why` when there is no RTI or the handshake
/// fails.
std::unique_ptr<RtiTransport> connect_socket(const Designator&, const SocketSettings&,
                                             std::string& why);

}  // namespace vernier::federation
