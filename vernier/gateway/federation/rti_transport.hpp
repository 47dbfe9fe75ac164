#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "vernier/gateway/federation/messages.hpp"

namespace vernier::federation {

/// A federate's way to an RTI. send() and flush() by one thread at a time (the ambassador's lock),
/// receive() by one thread at a time; the two may overlap, wake() at any time.
class RtiTransport {
 public:
  using Clock = std::chrono::steady_clock;

  virtual ~RtiTransport() = default;

  /// Takes a whole frame. It may wait in a buffer until flush(); one that is not flushed leaves
  /// within a millisecond or two all the same. Blocks while the RTI does not take more, and reads
  /// meanwhile, so that two who flood each other do not stand still. False when the connection is
  /// lost.
  virtual bool send(Bytes frame) = 0;
  virtual bool flush() = 0;

  /// Hands over every frame that has arrived, in order; waits for the first until `until`. False
  /// when the connection is lost (see why_lost()) and nothing more will come; true also when there
  /// was nothing. The bytes are valid during the call.
  virtual bool receive(Clock::time_point until, const std::function<void(Bytes frame)>& take) = 0;
  /// receive() returns soon, now or the next time.
  virtual void wake() = 0;
  virtual std::string why_lost() const = 0;
};

/// What a local settings designator says: key=value pairs or lines, or an address alone.
/// "" and "vernier://here": the RTI inside this process. "tcp://host:port" or "rti://host:port/",
/// "tls://host:port", "unix:///path". Options after '?' or as pairs, parted by '&', ';' or lines:
/// "address=…", "key-file=…", "tls-ca=…" (certificates that the RTI's must come from; without it
/// those of the system).
struct Designator {
  std::string error;  // what is wrong with it; empty: nothing
  enum class Where { here, unix_socket, tcp } where = Where::here;
  std::string address, key_file, tls_ca;
  bool tls = false;
};
Designator parsed_designator(std::string_view text);

/// Connects and says hello. Null and `why` when that fails.
std::unique_ptr<RtiTransport> connect(const Designator&, std::string& why);

/// The default when a designator names no port.
constexpr int default_port = 14321;

}  // namespace vernier::federation
