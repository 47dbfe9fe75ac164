#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "vernier/gateway/link/delays.hpp"
#include "vernier/gateway/link/handshake.hpp"
#include "vernier/gateway/link/quality.hpp"
#include "vernier/net/clock_filter.hpp"

namespace vernier::link {

/// Receives what a conversation sends.
class Outlet {
 public:
  virtual ~Outlet() = default;
  /// This side's clock, ns.
  virtual std::int64_t now() noexcept = 0;
  /// False when there is no room; the frame is dropped.
  virtual bool put(Connection, const Header&, std::span<const std::byte> payload) noexcept = 0;
};

/// One end of a link from its handshake to its end: pings, references, delays, vectors, and the
/// statistics from them. Independent of sockets, threads and clocks: time is a parameter, so that
/// tests simulate hours in a second. Nothing allocates.
class Conversation {
 public:
  struct Settings {
    bool check_payload = true;
    bool drop_not_finite = false;  // vectors of doubles with NaN or infinity are dropped
  };
  /// A step of this side, and when it was planned to begin.
  struct Step {
    std::int64_t number = 0, planned = 0;
    bool overran = false;
  };
  enum class Verdict : std::uint8_t { done, vector, broken };

  explicit Conversation(const Settings& s) noexcept : settings_(s) {}

  /// The link is up. Sequence numbers continue after the frames of the handshake.
  void begin(const Terms&, const Hello& mine, std::int64_t now) noexcept;

  /// A frame arrived at `received`. Returns vector: its payload is a new vector; broken: see
  /// trouble().
  Verdict take(Connection, const Header&, std::span<const std::byte> payload, std::int64_t received,
               Outlet&) noexcept;
  /// A step of this side has begun: tells the peer.
  void step(const Step&, Outlet&) noexcept;
  /// Sends a vector; false when there was no room.
  bool send(std::span<const std::byte> vector, std::int64_t acquired, std::int64_t echo,
            std::uint8_t flags, Outlet&) noexcept;
  /// A received vector was output at `at`; `answers` as when it was received: equations (7), (8) of
  /// the EPOS paper.
  void output(std::int64_t acquired_target, std::int64_t answers, std::int64_t at) noexcept;
  /// The home acquisition stamp that the newest vector answers: its own echo, or that of an earlier
  /// vector which it replaced.
  std::int64_t answers() const noexcept { return answers_; }
  /// Tells the peer why this side closes, on both connections.
  void farewell(Reason, std::string_view text, Outlet&) noexcept;
  /// Sends pings, delays and reports that are due; broken: the peer is silent.
  Verdict tick(std::int64_t now, Outlet&) noexcept;
  /// When tick() must be called next.
  std::int64_t next_tick() const noexcept;

  /// The offset in use at home time t.
  std::int64_t offset_at(std::int64_t t) noexcept { return slewed_.follow(clock_.estimate(), t); }
  void report(std::int64_t now, Quality&) noexcept;
  Counters& counters() noexcept { return counters_; }
  const Terms& terms() const noexcept { return terms_; }

  const Trouble& trouble() const noexcept { return trouble_; }

 private:
  static constexpr std::size_t outstanding = 16;

  Header header(Type) const noexcept;
  /// The time of sending; 0: there was no room.
  std::int64_t put(Connection, Header, std::span<const std::byte> payload, Outlet&) noexcept;
  Verdict broken(Reason, Flaw, const char* text) noexcept;
  Verdict take_data(const Header&, std::span<const std::byte>, std::int64_t received) noexcept;
  void take_delay_return(const Header&, std::int64_t received) noexcept;

  Settings settings_;
  Terms terms_;
  Hello mine_;
  Step step_;
  bool stepping_ = false;                             // the first step has begun
  std::array<std::uint64_t, 3> sent_{}, expected_{};  // sequence numbers, by connection

  std::int64_t began_ = 0, next_ping_ = 0, next_delay_ = 0, next_report_ = 0;
  std::int64_t last_answer_ = 0;
  std::array<std::int64_t, outstanding> pings_{}, delays_{};
  std::size_t ping_count_ = 0, delay_count_ = 0;

  net::ClockFilter clock_;
  net::MeanOffset mean_;
  net::SlewedOffset slewed_;
  net::HullCheck hull_;
  StepMap steps_;
  bool steps_known_ = false, refuted_ = false;
  std::int64_t last_reference_ = 0, reference_start_ = 0;
  double round_trip_ = 0.0;
  std::int64_t answers_ = 0, counted_ = 0;  // stamps of ours that were returned
  DelayFigure send_to_receive_, acquisition_to_output_, dead_time_;
  bool peer_reported_ = false;
  ClockReport peer_clock_;
  StatsReport peer_stats_;
  Counters counters_;
  Trouble trouble_;
};

}  // namespace vernier::link
