#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "vernier/component/component.hpp"
#include "vernier/gateway/channel/channel.hpp"
#include "vernier/net/socket.hpp"

namespace vernier::lines {

/// The channels of a component's ports, for CHANNELS and for a connector document. Throws
/// ConfigurationError for streams, which the line protocol does not support.
channel::Channels channels_of(const Description&);

/// A connector document with which a composition connects to a component behind a LineServer at
/// `address`.
std::string connector_document(const Description&, const std::string& name,
                               const std::string& address);

struct ServerSettings {
  std::string name = "component";
  net::Address address = {"127.0.0.1", "4711"};
  bool listen = true;                          // else connect
  std::chrono::milliseconds patience{30'000};  // for connecting
  int microsteps = 1000;  // reactions at one time before it is an instantaneous loop
  std::chrono::milliseconds greeting{5'000};  // for HELLO after connecting
  std::chrono::milliseconds idle{60'000};     // silence after which another client may take over
};

/// Hosts a component behind the line protocol (formats/lines): the counterpart of Simulator, and a
/// peer for any program that uses the protocol. The component computes bit for bit the same as in a
/// local run.
class LineServer {
 public:
  /// Binds the component and listens. Throws ConfigurationError.
  LineServer(Component&, ServerSettings);
  ~LineServer();
  LineServer(const LineServer&) = delete;
  LineServer& operator=(const LineServer&) = delete;

  /// With the port actually used.
  std::string address() const;

  enum class Ending : std::uint8_t {
    bye,      // the peer sent BYE
    closed,   // the peer disconnected
    refused,  // the peer does not use the protocol, and was told so
    idle,     // the peer was silent while another client waited
    stopped   // stop()
  };
  /// One session: waits for the peer and answers until it leaves, or is silent while another client
  /// waits. Throws ConfigurationError when it
  /// cannot connect.
  Ending serve();

  /// Ends serve() soon, from any thread or signal handler.
  void stop() noexcept;

  /// The peer of the last session: "127.0.0.1:4711".
  const std::string& peer() const noexcept { return peer_; }
  /// A summary of the last session: "12 034 steps to t = 900 s".
  std::string summary() const;

 private:
  class Memory;
  class Session;

  Component& component_;
  ServerSettings settings_;
  channel::Channels channels_;
  std::unique_ptr<Memory> memory_;
  Descriptor listener_;
  net::Wake wake_;
  std::string peer_;
  std::uint64_t steps_ = 0;
  Time reached_{};
};

}  // namespace vernier::lines
