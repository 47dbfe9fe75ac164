#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "vernier/gateway/link/clock.hpp"
#include "vernier/gateway/link/delays.hpp"
#include "vernier/gateway/link/handshake.hpp"
#include "vernier/gateway/link/quality.hpp"

namespace vernier::link {

/// Where a conversation puts what it has to say.
class Outlet {
 public:
  virtual ~Outlet() = default;
  /// This side's clock, ns.
  virtual std::int64_t now() noexcept = 0;
  /// False when there is no room; the frame is then dropped.
  virtual bool put(Connection, const Header&, std::span<const std::byte> payload) noexcept = 0;
};

/// One end of a link between its handshake and its end: pings, references, delays, vectors, and
/// the figures drawn from them. Knows no socket, thread or clock: time is given, so that hours can
/// be tried in a second. Nothing allocates.
class Conversation {
 public:
  struct Settings {
    bool check_payload = true;
    bool drop_not_finite = false;  // vectors of doubles with NaN or infinity are not passed on
  };
  /// A step of this side, and when it was planned to begin.
  struct Step {
    std::int64_t number = 0, planned = 0;
    bool overran = false;
  };
  enum class Verdict : std::uint8_t { done, vector, broken };

  explicit Conversation(const Settings& s) noexcept : settings_(s) {}

  /// The link is up. Sequence numbers begin with those after the handshake's frames.
  void begin(const Terms&, const Hello& mine, std::int64_t now) noexcept;

  /// A frame came at `received`. vector: its payload is a new vector. broken: see trouble().
  Verdict take(Connection, const Header&, std::span<const std::byte> payload, std::int64_t received,
               Outlet&) noexcept;
  /// A step of this side has begun: tells the other side.
  void step(const Step&, Outlet&) noexcept;
  /// Sends a vector; false when there was no room.
  bool send(std::span<const std::byte> vector, std::int64_t acquired, std::int64_t echo,
            std::uint8_t flags, Outlet&) noexcept;
  /// A vector that came was output at `at`; `answers` as it was when it came: equations (7), (8).
  void output(std::int64_t acquired_target, std::int64_t answers, std::int64_t at) noexcept;
  /// The home acquisition stamp that the newest vector answers: its own echo, or that of one before
  /// it which it replaced.
  std::int64_t answers() const noexcept { return answers_; }
  /// Tells the other side why this one goes, on both connections.
  void farewell(Reason, std::string_view text, Outlet&) noexcept;
  /// Pings, delays and reports that are due; broken: the other side is silent.
  Verdict tick(std::int64_t now, Outlet&) noexcept;
  /// When tick() has something to do next.
  std::int64_t next_tick() const noexcept;

  /// Offset in use at home time t.
  std::int64_t offset_at(std::int64_t t) noexcept { return slewed_.follow(clock_.estimate(), t); }
  void report(std::int64_t now, Quality&) noexcept;
  Counters& counters() noexcept { return counters_; }
  const Terms& terms() const noexcept { return terms_; }

  const Trouble& trouble() const noexcept { return trouble_; }

 private:
  static constexpr std::size_t outstanding = 16;

  Header header(Type) const noexcept;
  /// When it was sent; 0: there was no room.
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

  ClockFilter clock_;
  MeanOffset mean_;
  SlewedOffset slewed_;
  HullCheck hull_;
  StepMap steps_;
  bool steps_known_ = false, refuted_ = false;
  std::int64_t last_reference_ = 0, reference_start_ = 0;
  double round_trip_ = 0.0;
  std::int64_t answers_ = 0, counted_ = 0;  // stamps of ours that came back
  DelayFigure send_to_receive_, acquisition_to_output_, dead_time_;
  bool peer_reported_ = false;
  ClockReport peer_clock_;
  StatsReport peer_stats_;
  Counters counters_;
  Trouble trouble_;
};

}  // namespace vernier::link
