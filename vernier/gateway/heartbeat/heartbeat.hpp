#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "vernier/base/descriptor.hpp"
#include "vernier/component/component.hpp"
#include "vernier/component/rest.hpp"
#include "vernier/gateway/channel/channel.hpp"
#include "vernier/gateway/channel/ports.hpp"
#include "vernier/net/address.hpp"

/// A sign of life for whoever must act when this process cannot: a supervisor, or hardware.
namespace vernier::heartbeat {

struct Settings {
  std::string name;  // for messages
  net::Address to;
  Rate rate{100, 1};
};

/// The most numbers in a heartbeat: a datagram must fit into one Ethernet frame.
inline constexpr std::size_t most_numbers = 160;
inline constexpr std::size_t header_bytes = 32;

/// A heartbeat as bytes; formats/connector/README.md specifies them. `to` has header_bytes and 8
/// for each value. Returns the number of bytes.
std::size_t encoded(RestPhase, std::uint64_t number, Time, std::span<const double> values,
                    std::span<std::byte> to) noexcept;

/// Sends a datagram in each step: its number, the simulated time, whether the run moves, comes to
/// rest or is at rest, and the values of its inputs. The step itself sends, so that a loop that
/// hangs is silent. It never waits: a datagram for which there is no room is not sent. When the run
/// stands still, because it is frozen or ends, the last datagrams say so.
///
/// out  heartbeat.sent     datagrams; those that the system did not take are counted by
///      heartbeat.unsent
class Heartbeat final : public Component, public RestListener {
 public:
  Heartbeat(channel::Channels, Settings);

  const Description& description() const noexcept override { return description_; }
  void bind(const Bindings&) override;
  /// Throws ConfigurationError (V5160) when nothing can be sent to the address.
  bool initialize(Time start, int phase) override;
  Outcome output(Instant) noexcept override;
  Advance advance(Time from, Time to) noexcept override;
  void save(std::span<std::byte>) const noexcept override;
  void load(std::span<const std::byte>) noexcept override;

  void rest(RestPhase) noexcept override;

 private:
  void send() noexcept;

  channel::Channels channels_;
  Settings settings_;
  Description description_;
  channel::Ports ports_;
  std::span<std::int64_t> sent_out_, unsent_out_;
  Descriptor socket_;
  RestPhase phase_ = RestPhase::running;
  Time now_{};
  std::uint64_t number_ = 0;  // never goes back, whatever the run does
  struct State {
    std::int64_t sent = 0, unsent = 0;
  } state_;
  std::vector<double> values_;
  std::vector<std::byte> datagram_;
};

}  // namespace vernier::heartbeat
