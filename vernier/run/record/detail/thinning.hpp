#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "vernier/run/record/result_reader.hpp"

namespace vernier::record {

/// A value of one element in one row.
struct Point {
  std::uint64_t row;
  double time, value;
};

/// The smallest and largest of some neighbouring values, and the first that is NaN.
struct Extremes {
  std::optional<Point> low, high, nan;

  void take(const Point&) noexcept;
  void take(const Extremes&) noexcept;
};

/// Divides a range of time into intervals, and keeps the extremes of each in a trace, in the order
/// of rows. What it takes comes in that order. Times that go backwards stay in the interval.
class Thinning {
 public:
  /// Into about `points` points.
  Thinning(Trace& to, double from, double until, std::size_t points);

  double width() const noexcept { return width_; }  // of an interval, s
  void take(const Point& p) {
    begin(p.time);
    now_.take(p);
  }
  /// Of rows that begin at `time`.
  void take(double time, const Extremes& e) {
    begin(time);
    now_.take(e);
  }
  /// Keeps a point whatever the others are.
  void keep(const Point&);
  /// Ends the last interval.
  void finish();

 private:
  void begin(double time) {
    if (time >= end_ && number_ + 1 < count_) next(time);
  }
  void next(double time);

  Trace& to_;
  double from_, width_, end_;
  std::uint64_t count_, number_ = 0;
  Extremes now_;
};

}  // namespace vernier::record
