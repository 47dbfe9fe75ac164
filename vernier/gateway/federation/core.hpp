#pragma once

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
  /// Frames of this connection should wait: somebody who would get what it sends is behind by more
  /// than `limit` bytes.
  virtual bool pressed(Connection, std::size_t limit) const noexcept = 0;
  /// What is due by the wall clock (periodic reports); to be called some times a second while
  /// pulses() says so.
  virtual void pulse() noexcept {}
  virtual bool pulses() const noexcept { return false; }
};

struct CoreSettings {
  /// Where saves of the RTI's own state go; empty: only in memory.
  std::string save_folder;
  /// Told in one sentence what happened: a federation made or ended, a federate joined, resigned
  /// or lost. May be empty.
  std::function<void(std::string_view)> log = {};
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
  bool pressed(Connection, std::size_t limit) const noexcept override;
  void pulse() noexcept override;
  bool pulses() const noexcept override;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace vernier::federation
