#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "vernier/gateway/federation/messages.hpp"

namespace vernier::federation {

/// A federate's connection to an RTI. One thread at a time may call send() and flush() (the
/// ambassador's lock), one thread receive(); the two may overlap. wake() may be called at any time.
class RtiTransport {
 public:
  using Clock = std::chrono::steady_clock;

  virtual ~RtiTransport() = default;

  /// Sends a complete frame. It may be buffered until flush(), but at most a millisecond or two.
  /// Blocks while the RTI accepts no more, and reads meanwhile, so that two peers that flood each
  /// other do not deadlock. False when the connection is lost.
  virtual bool send(Bytes frame) = 0;
  virtual bool flush() = 0;

  /// Passes on every frame that has arrived, in order; waits for the first until `until`. False
  /// when the connection is lost (see why_lost()) and nothing more will arrive; true also when
  /// there was nothing. The bytes are valid during the call.
  virtual bool receive(Clock::time_point until, const std::function<void(Bytes frame)>& take) = 0;
  /// Makes receive() return soon, now or at its next call.
  virtual void wake() = 0;
  virtual std::string why_lost() const = 0;
};

/// A parsed local settings designator: key=value pairs or lines, or an address alone. "" and
/// "vernier://here": the RTI inside this process. "tcp://host:port" or "rti://host:port/",
/// "tls://host:port", "unix:///path". Options follow '?' or are pairs, separated by '&', ';' or
/// line breaks: "address=…", "key-file=…", "tls-ca=…" (certificates that must have issued the
/// RTI's; by default those of the system).
struct Designator {
  std::string error;  // what is wrong with it; empty: nothing
  enum class Where { here, unix_socket, tcp } where = Where::here;
  std::string address, key_file, tls_ca;
  bool tls = false;
};
Designator parsed_designator(std::string_view text);

/// Connects and performs the handshake. Null and `why` when that fails.
std::unique_ptr<RtiTransport> connect(const Designator&, std::string& why);

/// The default when a designator names no port.
constexpr int default_port = 14321;

}  // namespace vernier::federation
