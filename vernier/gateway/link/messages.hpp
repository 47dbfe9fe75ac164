#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "vernier/base/digest.hpp"
#include "vernier/gateway/link/frame.hpp"

/// The payloads of all frames except vectors.
namespace vernier::link {

enum Capability : std::uint16_t { authenticates = 1 };

using Nonce = std::array<std::byte, 32>;

/// How a side describes itself at the start, and the server's answer.
struct Hello {
  Role role = Role::client;
  Connection connection = Connection::control;
  std::uint16_t capabilities = 0;
  std::uint32_t max_payload = most_payload;
  Period period;
  std::uint32_t tx_count = 0, rx_count = 0;  // elements that this side sends, and expects
  Element tx_element = Element::real, rx_element = Element::real;
  std::uint32_t ping_interval_ms = 100, ping_timeout_ms = 1000, delay_interval_ms = 100;
  std::uint64_t token = 0;
  std::uint64_t interface_hash = 0;  // of the names and units of the vectors; 0: none given
  std::array<char, 32> name{}, build{};

  // with authentication
  Nonce nonce{};
  Digest proof{};

  bool operator==(const Hello&) const = default;
};

/// 128 bytes, or 192 with authentication.
std::size_t write_hello(Hello, std::span<std::byte, signed_hello_bytes>) noexcept;
/// Nothing when a field is invalid; sizes and rates are plausible afterwards.
std::optional<Hello> read_hello(std::span<const std::byte>) noexcept;
/// A text truncated to fit, padded with zeros.
std::array<char, 32> cut(std::string_view) noexcept;
/// As printable ASCII, whatever the peer sent.
std::string shown(const std::array<char, 32>&);

/// Why a side closes the link or refuses the peer.
enum class Reason : std::uint32_t {
  closing = 1,     // regular end
  busy = 2,        // another client is connected
  version = 3,     // of the protocol
  dimensions = 4,  // number or type of elements, sample times
  interface = 5,   // the hash of the interface
  key = 6,         // the shared key
  framing = 7,     // not a frame, or at the wrong time
  timeout = 8,     // no ping return, or an unfinished handshake
  token = 9,       // a data connection without its control connection
  // never sent
  lost = 1001,        // the peer closed the connection without BYE
  unreachable = 1002  // no answer
};
std::string_view words(Reason) noexcept;

struct Bye {
  Reason reason = Reason::closing;
  std::array<char, 121> text{};  // zero-terminated
};
std::size_t write_bye(const Bye&, std::span<std::byte, longest_bye>) noexcept;
/// The text is made printable; an unknown reason becomes `framing`. Nothing when there is none.
std::optional<Bye> read_bye(std::span<const std::byte>) noexcept;
Bye bye(Reason, std::string_view text) noexcept;

/// A side's estimate of the peer's clock: home time = target time + offset.
struct ClockReport {
  std::int64_t reference = 0;  // ns, sender's clock; the time for which offset holds
  double offset = 0.0;         // s
  double skew = 0.0;           // s/s
  double offset_deviation = 0.0, skew_deviation = 0.0;
};
void write_clock(ClockReport, std::span<std::byte, clock_bytes>) noexcept;
/// Nothing unless all numbers are finite and no deviation is negative.
std::optional<ClockReport> read_clock(std::span<const std::byte>) noexcept;

/// A side's counters and delays, for displays of the peer.
struct StatsReport {
  std::uint64_t sent = 0, received = 0, replaced = 0, misplaced = 0, refused = 0;
  struct Delay {
    double mean = 0.0, p99 = 0.0, most = 0.0;  // s
  } send_to_receive, acquisition_to_output, dead_time;
};
void write_stats(StatsReport, std::span<std::byte, stats_bytes>) noexcept;
std::optional<StatsReport> read_stats(std::span<const std::byte>) noexcept;

}  // namespace vernier::link
