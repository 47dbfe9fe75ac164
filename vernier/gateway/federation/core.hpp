#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "vernier/gateway/federation/messages.hpp"

namespace vernier::federation {

/// One connection as the RTI sees it: the destination of messages.
class Peer {
 public:
  virtual ~Peer() = default;
  /// Never blocks. Frames arrive in the order of the calls.
  virtual void put(const Frame&) = 0;
  /// Bytes put and not yet accepted by the peer.
  virtual std::size_t backlog() const noexcept = 0;
  /// The RTI has resigned the federate: after this call, tell the peer why and close the
  /// connection.
  virtual void give_up(std::string_view /*why*/) {}
  /// The machine the federate runs on, as far as it is known.
  virtual std::string host() const { return {}; }
};

using Connection = std::uint32_t;

/// The interface for transports: frames in, frames out to Peers. It has no thread of its own and
/// works only inside these calls; calls must not overlap.
class Exchange {
 public:
  virtual ~Exchange() = default;

  /// The peer must remain valid until close().
  virtual Connection open(Peer&) = 0;
  /// Processes one frame from a connection; the transport handles hello and alive itself. False
  /// when the frame is malformed or not allowed: the owner of the connection must then close it.
  virtual bool take(Connection, Bytes frame) noexcept = 0;
  /// The connection is lost: a federate that joined through it is resigned by its automatic resign
  /// directive.
  virtual void close(Connection, std::string_view why) noexcept = 0;
  /// The connection that must catch up before the next frame of this connection, of kind `next`, is
  /// taken; 0: none. It lags by more than `limit` bytes, or too many messages wait for it in the
  /// RTI. `waits`: this connection waits already; it continues at half the limit.
  virtual Connection pressing(Connection, Kind next, std::size_t limit,
                              bool waits) const noexcept = 0;
  /// Whether pressing() depends on more than the backlogs of the peers.
  virtual bool crowded() const noexcept { return false; }
  /// Does what is due by the wall clock (periodic reports); call it a few times per second while
  /// pulses() is true.
  virtual void pulse() noexcept {}
  virtual bool pulses() const noexcept { return false; }
};

class FomStore;

struct CoreSettings {
  /// The directory for saves of the RTI's own state; empty: in memory only.
  std::string save_folder = {};
  /// Receives one sentence for each event: a federation created or destroyed, a federate joined,
  /// resigned or lost. May be empty.
  std::function<void(std::string_view)> log = {};
  /// The bytes of messages that may wait for one federate until it advances. Beyond this its
  /// senders block. A federate that does not request an advance for too long (or has twice as much
  /// waiting) is resigned.
  std::size_t most_waiting = 256u << 20;
  std::chrono::milliseconds patience{600000};
  /// Cache of merged FOMs; empty: a private one. Shared by cores that are created one after the
  /// other.
  std::shared_ptr<FomStore> foms = {};
};

/// The run-time infrastructure: all federations of one RTI.
class Core final : public Exchange {
 public:
  explicit Core(CoreSettings = {});
  ~Core() override;
  Core(const Core&) = delete;

  Connection open(Peer&) override;
  bool take(Connection, Bytes frame) noexcept override;
  void close(Connection, std::string_view why) noexcept override;
  Connection pressing(Connection, Kind next, std::size_t limit, bool waits) const noexcept override;
  bool crowded() const noexcept override;
  void pulse() noexcept override;
  bool pulses() const noexcept override;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace vernier::federation
