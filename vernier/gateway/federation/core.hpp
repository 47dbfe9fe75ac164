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

/// One connection as the RTI sees it: where its messages go.
class Peer {
 public:
  virtual ~Peer() = default;
  /// Never blocks. Frames arrive in the order they were put.
  virtual void put(const Frame&) = 0;
  /// Bytes put and not yet taken by the other side.
  virtual std::size_t backlog() const noexcept = 0;
  /// The RTI has resigned the federate: the connection is to be closed, after this call, and the
  /// other side told why.
  virtual void give_up(std::string_view /*why*/) {}
  /// The machine the federate runs on, as far as it is known.
  virtual std::string host() const { return {}; }
};

using Connection = std::uint32_t;

/// What transports drive: frames in, frames out to Peers. Passive: it works while it is told
/// something, in the thread that does so; calls must not overlap.
class Exchange {
 public:
  virtual ~Exchange() = default;

  /// The peer must live until close().
  virtual Connection open(Peer&) = 0;
  /// One frame from a connection; hello and alive stay with the transport. False when it is
  /// malformed or not allowed at all: whoever owns the connection shall close it.
  virtual bool take(Connection, Bytes frame) noexcept = 0;
  /// The connection is gone: a federate that was joined through it is resigned by its automatic
  /// resign directive.
  virtual void close(Connection, std::string_view why) noexcept = 0;
  /// For whose sake the next frame of this connection, of kind `next`, should wait; 0: nobody's.
  /// Somebody is behind by more than `limit` bytes, or more messages wait for it inside than may.
  /// `waits`: it does already, and goes on when there is half of that.
  virtual Connection pressing(Connection, Kind next, std::size_t limit,
                              bool waits) const noexcept = 0;
  /// pressing() may be more than what the backlogs of the peers say.
  virtual bool crowded() const noexcept { return false; }
  /// What is due by the wall clock (periodic reports); to be called some times a second while
  /// pulses() says so.
  virtual void pulse() noexcept {}
  virtual bool pulses() const noexcept { return false; }
};

class FomStore;

struct CoreSettings {
  /// Where saves of the RTI's own state go; empty: only in memory.
  std::string save_folder = {};
  /// Told in one sentence what happened: a federation made or ended, a federate joined, resigned
  /// or lost. May be empty.
  std::function<void(std::string_view)> log = {};
  /// Bytes of messages that may wait for one federate until it advances. Beyond, those wait who
  /// send; it is resigned when it asks for nothing for so long (or twice as much waits).
  std::size_t most_waiting = 256u << 20;
  std::chrono::milliseconds patience{600000};
  /// FOMs that were merged before; empty: one of its own. Shared: by cores that follow each other.
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
