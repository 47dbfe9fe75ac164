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
  std::string listen = {};          // "127.0.0.1:14321"; port 0: any free one; empty: no TCP
  std::string path = {};            // of a Unix socket; empty: none
  std::vector<std::byte> key = {};  // required of federates; empty: none
  std::string certificate = {}, certificate_key = {};  // PEM files; empty: no TLS
  std::chrono::milliseconds tolerate{30000};           // silent for longer: lost
  std::chrono::milliseconds greet_within{5000};
  // bytes waiting for one federate beyond which its senders block; it blocks itself at eight times
  // that
  std::size_t backlog = 4u << 20;
  std::chrono::milliseconds patience{600000};  // more waiting and nothing read for longer: lost
  std::size_t most_connections = 1000;
  /// Receives one sentence about each connection refused or lost, when verbose also opened and
  /// closed. May be empty.
  std::function<void(std::string_view)> log = {};
  bool verbose = false;
};

/// An RTI for other processes: one thread that transfers frames between sockets and an exchange.
class RtiServer {
 public:
  /// Starts to listen. Throws ConfigurationError: V5300 for an address, V5301 for certificates.
  RtiServer(ServerSettings, std::unique_ptr<Exchange>);
  ~RtiServer();
  RtiServer(const RtiServer&) = delete;

  /// The addresses it listens on, as designators: "tcp://127.0.0.1:14321".
  std::vector<std::string> addresses() const;

  /// Runs until stop(), then tells the federates.
  void serve();
  /// May be called from any thread or a signal handler.
  void stop() noexcept;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace vernier::federation
