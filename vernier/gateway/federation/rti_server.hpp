#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "vernier/gateway/federation/core.hpp"

namespace vernier::federation {

struct ServerSettings {
  std::string listen = {};  // "127.0.0.1:14321"; port 0: any that is free; empty: not on TCP
  std::string path = {};    // of a Unix socket; empty: none
  std::vector<std::byte> key = {};                     // that federates must know; empty: none
  std::string certificate = {}, certificate_key = {};  // PEM files; empty: no TLS
  std::chrono::milliseconds tolerate{30000};           // who is silent for longer is lost
  std::chrono::milliseconds greet_within{5000};
  // bytes for one federate, beyond which those wait who send to it; it itself beyond eight times
  // that
  std::size_t backlog = 4u << 20;
  std::chrono::milliseconds patience{600000};  // who has more and takes none for longer is lost
  std::size_t most_connections = 1000;
  /// Told in one sentence who was refused or lost, when verbose also who came and went. May be
  /// empty.
  std::function<void(std::string_view)> log = {};
  bool verbose = false;
};

/// An RTI for other processes: one thread that moves frames between sockets and an exchange.
class RtiServer {
 public:
  /// Listens from now on. Throws ConfigurationError: V5300 an address, V5301 certificates.
  RtiServer(ServerSettings, std::unique_ptr<Exchange>);
  ~RtiServer();
  RtiServer(const RtiServer&) = delete;

  /// Where it listens, as designators: "tcp://127.0.0.1:14321".
  std::vector<std::string> addresses() const;

  /// Until stop(); tells the federates then.
  void serve();
  /// From any thread or a signal handler.
  void stop() noexcept;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace vernier::federation
