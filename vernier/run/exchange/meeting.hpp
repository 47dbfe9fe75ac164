#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "vernier/base/codec.hpp"
#include "vernier/base/result.hpp"
#include "vernier/net/address.hpp"
#include "vernier/net/tls.hpp"
#include "vernier/net/wait.hpp"
#include "vernier/run/exchange/socket_exchange.hpp"

namespace vernier::exchange {

/// Where one node waits for the others of its run. It connects to all nodes before it and accepts
/// all after it; each proves to the other that it knows the key of the run (see handshake.hpp). The
/// same meeting serves each later epoch, in which nodes may be others.
///
/// Strangers who connect are bounded in number and time, and do not disturb.
class Meeting {
 public:
  /// Listens on a free port of a host: "127.0.0.1", "::1", "0.0.0.0". The error is a sentence.
  static Result<std::unique_ptr<Meeting>, std::string> at(const std::string& host);

  /// "127.0.0.1:40213". With an unspecified host, such as 0.0.0.0, the others need another one.
  std::string address() const;

  struct With {
    std::uint32_t epoch = 0, self = 0;
    std::vector<std::string> addresses;  // of all nodes, in numbers; that of this one is not used
    std::vector<std::byte> key;
    std::shared_ptr<net::Tls> client, server;  // null: in the clear
  };
  /// Why nodes did not meet. `node`: which did not come; `nobody` when interrupted.
  struct Trouble {
    static constexpr std::uint32_t nobody = ~0u;
    std::uint32_t node = nobody;
    std::string why;  // without its name: "it did not connect in time"
  };
  /// Waits until all nodes are connected. Ends early when `wake` (-1: none) becomes readable; or
  /// with a node that can never be met: it has another key, or is in a later epoch. The exchange
  /// has begun the epoch.
  Result<std::unique_ptr<SocketExchange>, Trouble> meet(const With&,
                                                        net::Clock::time_point deadline,
                                                        int wake = -1);

 private:
  Meeting(Descriptor listener, net::Address);
  Descriptor listener_;
  net::Address address_;
};

}  // namespace vernier::exchange
