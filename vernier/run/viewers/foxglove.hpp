#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "vernier/run/record/live_rows.hpp"

namespace vernier::viewers {

/// The server's side of the Foxglove WebSocket protocol, version 1, without sockets: the signals of
/// one live run for any number of clients. A channel for each signal, encoding cdr with schema
/// ros2msg. Clients can subscribe and unsubscribe, no more.
class Foxglove {
 public:
  using Client = std::uint64_t;
  /// The names of the protocol that it speaks.
  static constexpr const char* subprotocols = "foxglove.sdk.v1 foxglove.websocket.v1";
  static constexpr std::size_t most_subscriptions = 65536;  // of a client

  /// `name`: what viewers show.
  Foxglove(const record::LiveRowReader&, const std::string& name);

  /// The first messages for a client, which is known from now on.
  const std::vector<std::string>& opened(Client);
  void closed(Client);
  /// A message from a client, which may be anything. The answer; empty: none.
  std::string received(Client, std::string_view text);

  /// Calls `send` with a binary message for each subscription to a signal of this row.
  using Send = std::function<void(Client, Bytes)>;
  void take(const record::LiveRowReader::Row&, const Send&);
  /// A message with the simulated time, for all clients.
  void tell_time(double seconds, const Send&);

  /// A message that viewers show: level 0 information, 1 warning, 2 error.
  static std::string status(int level, std::string_view text);

 private:
  struct Channel {
    std::size_t offset, bytes;  // in the row
  };
  struct Subscription {
    Client client;
    std::uint32_t id;
  };
  /// Of a client: number of the subscription → channel.
  using Subscriptions = std::map<std::uint32_t, std::size_t>;

  std::string subscribe(Client, std::uint64_t id, std::uint64_t channel);
  void unsubscribe(Client, std::uint64_t id);

  std::vector<std::string> greeting_;
  std::vector<Channel> channels_;   // numbered from 0
  std::vector<std::size_t> first_;  // channel of each group; and the number of all
  std::vector<std::vector<Subscription>> subscribers_;  // of each channel
  std::map<Client, Subscriptions> clients_;
  std::vector<std::byte> message_;
};

}  // namespace vernier::viewers
