#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "vernier/base/time.hpp"

namespace vernier::executive::detail {

/// The number of the first tick of a periodic rate that is not before `t` (not negative).
std::int64_t first_tick(Rate, Time t) noexcept;

/// Parts that tick together.
struct Group {
  Rate rate;
  Duration offset{};
  std::int64_t k = 0;  // of `next`
  Time next{};         // the tick that comes, or that is now
  bool due = true;

  Time tick_after() const noexcept { return tick(rate, k + 1) + offset; }
};

/// Knows when the ticks are: those of the base step, counted from the start, and those of the
/// rates, counted from time zero. Group 0 is the continuous one: it is always due.
class Clockwork {
 public:
  /// `continuous`: some part needs the base step.
  Clockwork(Duration step, bool continuous);

  /// The group of a rate; made when it is new. Before start().
  std::uint32_t group(Rate, Duration offset);

  /// Ticks from `start` on; the first ones may be at `start`.
  void start(Time start) noexcept;
  /// Finds out who is due at `now`. True when it is a tick of somebody.
  bool enter(Time now) noexcept;
  /// The first tick, of the base step or a group, after the time that was entered.
  Time next() const noexcept;
  /// The groups that were due have gone on to their next tick.
  void moved() noexcept;

  bool due(std::uint32_t group) const noexcept { return groups_[group].due; }
  void all_due() noexcept;
  std::span<const Group> groups() const noexcept { return groups_; }
  std::span<Group> groups() noexcept { return groups_; }
  Time started() const noexcept { return start_; }

 private:
  Duration step_;
  bool continuous_;
  Time start_{};
  Time base_{};  // the last base tick not after the time that was entered
  std::vector<Group> groups_;
};

}  // namespace vernier::executive::detail
