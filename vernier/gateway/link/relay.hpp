#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "vernier/gateway/link/frame.hpp"
#include "vernier/gateway/link/network_model.hpp"
#include "vernier/net/socket.hpp"

namespace vernier::link {

/// What happens to bytes in one direction of one connection. TCP preserves order and loses nothing,
/// so loss appears as delay; with different delays the two connections overtake each other.
struct Impairment {
  double delay = 0.0, jitter = 0.0;         // s; normally distributed, one standard deviation
  std::optional<Network> network = {};      // delays are drawn from it instead
  double loss = 0.0, retransmission = 0.2;  // share of pieces that arrive so many seconds later
  // share of pieces that are overtaken: TCP also holds back what follows them, and then delivers
  // all
  // of it at once
  double reorder = 0.0, overtaken = 0.002;
  std::size_t piece = 0;  // bytes delivered at once; 0: as they come
  bool ragged = false;    // pieces of any length, down to a byte
  bool stalled = false;   // nothing passes, and nothing is closed
};
enum class Direction : std::uint8_t { to_server, to_client };

/// Stands between the two sides of a link in the same process, needs no privileges, and impairs the
/// network between them. Runs its own thread; any thread may call all functions.
class Relay {
 public:
  /// Listens on free ports of this machine and forwards to `control` and `data`. Throws
  /// ConfigurationError (V5121) when it cannot.
  Relay(net::Address control, net::Address data, std::uint64_t seed = 1);
  /// The same, listening at given addresses.
  Relay(net::Address control, net::Address data, net::Address listen_control,
        net::Address listen_data, std::uint64_t seed = 1);
  ~Relay();

  net::Address control() const;
  net::Address data() const;

  void impair(Connection, Direction, const Impairment&);
  /// For both connections, in both directions.
  void impair(const Impairment&);
  /// Closes all connections, as when a router fails; new connections pass.
  void cut();
  /// While true, new connections are closed at once.
  void refuse(bool);
  /// Inserts extra bytes after those sent so far.
  void inject(Connection, Direction, std::span<const std::byte>);
  std::uint64_t passed() const;  // bytes

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace vernier::link
