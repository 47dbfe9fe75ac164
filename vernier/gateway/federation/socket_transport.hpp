#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "vernier/gateway/federation/rti_transport.hpp"

namespace vernier::federation {

struct SocketSettings {
  std::chrono::milliseconds connect_within{10000};  // hello included
  std::chrono::milliseconds tolerate{30000};        // an RTI that is silent for longer is lost
};

/// A channel over TCP or a Unix socket. Null and `why` when there is no RTI or it does not agree.
std::unique_ptr<RtiTransport> connect_socket(const Designator&, const SocketSettings&,
                                             std::string& why);

}  // namespace vernier::federation
