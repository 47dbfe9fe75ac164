#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "vernier/base/result.hpp"
#include "vernier/gateway/link/relay.hpp"

namespace vernier::link {

/// Two network stacks of this process, joined by an impaired network: two namespaces, each with a
/// TUN device, and a thread that forwards the packets. Here packets are really lost and TCP has to
/// recover them; Relay serves machines without the privileges.
class PacketNetwork {
 public:
  static constexpr const char* addresses[2] = {"10.211.7.1", "10.211.7.2"};

  /// Requires the privilege to create namespaces and TUN devices; the error says what was refused.
  static Result<std::unique_ptr<PacketNetwork>, std::string> made(std::uint64_t seed = 1);
  ~PacketNetwork();
  PacketNetwork(const PacketNetwork&) = delete;
  PacketNetwork& operator=(const PacketNetwork&) = delete;

  /// Calls `what` in the stack of a side, 0 or 1: sockets and threads created there stay there.
  void in(int side, const std::function<void()>& what) const;

  /// Applies to packets in both directions: delay, jitter and network as given; loss drops them;
  /// reorder lets others overtake them; stalled drops all.
  void impair(const Impairment&);
  /// Packets have no connection to close: nothing passes for two seconds.
  void cut();
  struct Counts {
    std::uint64_t carried = 0, lost = 0, overtaken = 0;
  };
  Counts counts() const;

 private:
  PacketNetwork() = default;
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace vernier::link
