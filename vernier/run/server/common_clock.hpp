#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>

#include "vernier/base/mailbox.hpp"
#include "vernier/component/pacer.hpp"
#include "vernier/net/clock_filter.hpp"

namespace vernier::server {

/// Identifies what CLOCK_MONOTONIC counts from: processes with the same one have one clock. Empty:
/// not known.
std::string machine_id();
/// ns of CLOCK_MONOTONIC.
std::int64_t monotonic() noexcept;
/// ns of the time of day.
std::int64_t time_of_day() noexcept;

/// When a run on several nodes is due: by the clock of its composer. On another machine that clock
/// is estimated from exchanges over the connection, or both machines are kept in time by others
/// (PTP).
class CommonClock final : public TimeBase {
 public:
  enum class Kind : std::uint8_t {
    same,         // the composer is on this machine
    estimated,    // by exchanges
    synchronised  // the time of day is that of the composer
  };
  explicit CommonClock(Kind k) : kind_(k) {}
  Kind kind() const noexcept { return kind_; }

  /// `origin` is due when the composer's clock (of synchronised clocks the time of day) reads
  /// `due`; then `rate` simulated seconds each second. Not in the loop.
  void begin(Time origin, std::int64_t due, double rate) noexcept;

  void start(Time, std::int64_t) noexcept override {}
  std::int64_t due(Time, std::int64_t now) noexcept override;

  /// What exchanges compare: ns of this machine's clock.
  std::int64_t now() const noexcept;
  /// Nothing, or how far clocks that are said to be synchronised differ at least, ns. Not while
  /// learning().
  std::optional<std::int64_t> difference() const;
  /// Throws ConfigurationError (V5620) if there is a difference().
  void check() const;

  // by the thread that receives
  void add(const net::ClockExchange&) noexcept;
  /// Exchanges are wanted often: the other clock is not known well enough yet. From any thread.
  bool learning() const noexcept { return kind_ != Kind::same && exchanges_ < enough; }
  /// Between two exchanges.
  static constexpr std::int64_t often = 10'000'000, usual = 200'000'000;  // ns

  /// "the composer's, within 12 µs". From any thread.
  std::string text() const;

 private:
  static constexpr int enough = 10;

  Kind kind_;
  Time origin_{};
  std::int64_t due_ = 0;
  double rate_ = 1.0;

  // of the best exchange every 50 ms
  net::ClockFilter filter_{{.select = 50'000'000}};
  std::atomic<int> exchanges_{0};                   // since there is an estimate
  OwnedLatest latest_{sizeof(net::ClockEstimate)};  // to the loop
  net::SlewedOffset slewed_;                        // of the loop
  std::atomic<double> least_round_trip_{-1.0};      // s
  std::atomic<std::int64_t> offset_{0};             // ns, of the last exchange
};

}  // namespace vernier::server
