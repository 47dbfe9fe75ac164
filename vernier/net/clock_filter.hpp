#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

/// Relates two clocks by exchanges over a network. Times are nanoseconds; home time = target time +
/// offset, and the offset grows by `skew` per second of home time. Nothing allocates.
namespace vernier::net {

/// A request and its answer: sent (home), received (target), answered (target), received (home).
struct ClockExchange {
  std::int64_t t1 = 0, T2 = 0, T3 = 0, t4 = 0;

  /// Equation (5) of the EPOS paper, twice the value, so that nothing is rounded.
  std::int64_t twice_offset() const noexcept { return (t1 - T2) + (t4 - T3); }
  std::int64_t round_trip() const noexcept { return (t4 - t1) - (T3 - T2); }
  /// Neither clock went backwards, and the travel time is not negative.
  bool plausible() const noexcept { return t4 >= t1 && T3 >= T2 && round_trip() >= 0; }
};

/// The method of the EPOS paper, equations (2) to (5): the mean of all offsets since the start.
/// With a skew r its error after time t is r t/2.
class MeanOffset {
 public:
  void add(const ClockExchange&) noexcept;
  void clear() noexcept { *this = {}; }
  std::uint64_t count() const noexcept { return count_; }
  /// ns, rounded; 0 before the first exchange.
  std::int64_t offset() const noexcept;

 private:
  std::int64_t base_ = 0;  // of twice the offset; summing small differences loses no digits
  __extension__ __int128 sum_ = 0;
  std::uint64_t count_ = 0;
};

struct ClockEstimate {
  bool ready = false;          // there was an exchange
  bool converged = false;      // the filter has started; before, the best exchange so far is used
  std::int64_t reference = 0;  // home time of the last exchange used
  std::int64_t base = 0;       // ns; the offset at `reference` is base + offset
  double offset = 0.0;         // s
  double skew = 0.0;           // s/s
  double offset_deviation = 0.0, skew_deviation = 0.0;
  double least_round_trip = 0.0;  // s; half of it bounds the error of an asymmetric path
  std::uint64_t rejected = 0, restarts = 0;

  std::int64_t offset_at(std::int64_t home) const noexcept;
  /// The home time at which the target's clock reads `target`.
  std::int64_t home_of(std::int64_t target) const noexcept;
  /// The estimate has not been renewed for ten seconds.
  bool stale(std::int64_t home) const noexcept { return home - reference > 10'000'000'000; }
};

/// Estimates offset and skew with a Kalman filter. It uses the exchange with the shortest round
/// trip of each second, weighted by its excess over the shortest of the last 600:
///
///   R = (m/4)² + ((rtt − rtt_min)/2)²,  m = median − minimum of the 600, at least 2 µs.
///
/// The frequency is modelled as a random walk of 5e-9/√s. Innovations beyond 4σ are rejected; after
/// eight rejections in a row the path or a clock has stepped, and the covariance is increased;
/// after eight more the filter restarts. A constant asymmetry of the path is not observable: the
/// offset is then wrong by half of it.
class ClockFilter {
 public:
  struct Settings {
    double frequency_walk = 2.5e-17;      // 1/s
    double offset_walk = 1e-16;           // s
    std::int64_t select = 1'000'000'000;  // ns; the best exchange in this time is used. 0: all
    int start = 16;                       // exchanges before the filter starts
    double start_skew = 50e-6;            // standard deviation
    double gate = 4.0;
    int patience = 8;  // rejections in a row
  };

  ClockFilter() noexcept : ClockFilter(Settings()) {}
  explicit ClockFilter(const Settings&) noexcept;

  /// True when the estimate was updated. An implausible exchange is ignored.
  bool add(const ClockExchange&) noexcept;
  const ClockEstimate& estimate() const noexcept { return estimate_; }
  /// The exchange used in the last update.
  const ClockExchange& used() const noexcept { return used_; }
  void clear() noexcept;

 private:
  static constexpr std::size_t window = 600;

  void renew(const ClockExchange&) noexcept;
  void begin(double offset, double deviation, double skew) noexcept;
  void filter(double offset, double round_trip, double dt) noexcept;
  void note_round_trip(double) noexcept;
  double beyond_base(const ClockExchange&) const noexcept;  // s

  Settings settings_;
  ClockEstimate estimate_;
  ClockExchange best_, used_;
  bool have_best_ = false;
  std::int64_t window_began_ = 0, previous_ = 0;

  std::array<double, window> trips_{};
  std::size_t trip_count_ = 0;
  double trip_minimum_ = 0.0, trip_spread_ = 2e-6;
  double start_best_ = 0.0;        // the shortest round trip during the start, s
  std::int64_t started_from_ = 0;  // and when it was measured
  int samples_ = 0, rejections_ = 0, openings_ = 0;
  double p00_ = 0.0, p01_ = 0.0, p11_ = 0.0;
};

/// The offset used in delays and schedules: it follows the estimate without steps, at most 100 ppm
/// faster or slower than the skew.
class SlewedOffset {
 public:
  static constexpr double fastest = 100e-6;

  /// ns, at home time `now`, which must not decrease. Jumps to the first estimate.
  std::int64_t follow(const ClockEstimate&, std::int64_t now) noexcept;
  void clear() noexcept { *this = {}; }

 private:
  bool set_ = false;
  std::int64_t at_ = 0, base_ = 0;
  double value_ = 0.0;  // ns beyond base
};

/// An independent check of the filter, which assumes only a steady skew: no packet arrives before
/// it was sent. T2 − t1 lies above the difference of the clocks and T3 − t4 below it. The convex
/// hulls of the last 300 of each leave a gap, and the true difference must lie in it.
class HullCheck {
 public:
  void add(const ClockExchange&) noexcept;
  void clear() noexcept { *this = {}; }

  /// Bounds of the offset (home − target, ns beyond `base`) at home time `at`, the middle of the
  /// interval observed; and the centre line of the gap.
  struct Gap {
    std::int64_t at = 0, base = 0;
    double low = 0.0, high = 0.0;      // ns
    double middle = 0.0, slope = 0.0;  // ns, ns/ns: the middle line
  };
  /// Nothing before 16 exchanges.
  std::optional<Gap> gap() const noexcept;
  /// Whether the estimate lies outside the gap by more than `margin` ns, and so must be wrong.
  bool refutes(const ClockEstimate&, double margin = 10'000.0) const noexcept;

 private:
  static constexpr std::size_t window = 300;
  struct Point {
    double t, y;  // ns
  };

  std::array<ClockExchange, window> ring_{};
  std::size_t count_ = 0;
};

}  // namespace vernier::net
