#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "vernier/base/result.hpp"
#include "vernier/gateway/link/relay.hpp"

namespace vernier::link {

/// Two network stacks of this process with a network between them that is as bad as told: two
/// namespaces, each with a TUN device, and a thread that carries the packets. Here loss is loss and
/// TCP has to cope with it; Relay is for machines where privileges are missing.
class PacketNetwork {
 public:
  static constexpr const char* addresses[2] = {"10.211.7.1", "10.211.7.2"};

  /// Needs the right to make namespaces and TUN devices; the error says in words what was refused.
  static Result<std::unique_ptr<PacketNetwork>, std::string> made(std::uint64_t seed = 1);
  ~PacketNetwork();
  PacketNetwork(const PacketNetwork&) = delete;
  PacketNetwork& operator=(const PacketNetwork&) = delete;

  /// Calls `what` in the stack of a side, 0 or 1: sockets and threads that it makes stay there.
  void in(int side, const std::function<void()>& what) const;

  /// For packets both ways: delay, jitter and network as they say; loss loses them; reorder lets
  /// others overtake them; stalled loses all.
  void impair(const Impairment&);
  /// A network has nothing to close: nothing passes for two seconds.
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
