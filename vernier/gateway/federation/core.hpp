#pragma once

#include <cstddef>
#include <cstdint>
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
};

using Connection = std::uint32_t;

struct CoreSettings {
  /// Where saves of the RTI's own state go; empty: only in memory.
  std::string save_folder;
};

/// The run-time infrastructure: all federations of one RTI. Passive: it works while it is told
/// something, in the thread that does so; calls must not overlap.
class Core {
 public:
  explicit Core(CoreSettings = {});
  ~Core();
  Core(const Core&) = delete;

  /// The peer must live until close().
  Connection open(Peer&);
  /// One frame from a connection. False when it is malformed or not allowed at all: whoever owns
  /// the connection shall close it. Never throws.
  bool take(Connection, Bytes frame) noexcept;
  /// The connection is gone: a federate that was joined through it is resigned by its automatic
  /// resign directive.
  void close(Connection, std::string_view why) noexcept;
  /// Frames of this connection should wait: somebody who would get what it sends is behind by more
  /// than `limit` bytes.
  bool pressed(Connection, std::size_t limit) const noexcept;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace vernier::federation
