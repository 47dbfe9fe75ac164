#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "vernier/base/time.hpp"

namespace vernier::executive::detail {

/// The number of the first tick of a periodic rate that is not before `t` (not negative).
std::int64_t first_tick(Rate, Time t) noexcept;

/// Parts of one cluster that tick together; without a rate, its continuous parts.
struct Group {
  std::uint32_t cluster = 0;
  Rate rate;
  Duration offset{};
  std::int64_t k = 0;  // of `next`
  Time next{};         // of a rate: the tick that comes, or that is now
  bool due = true;     // at the present instant
  Time until{};        // where its parts are advanced to from there

  Time tick_after() const noexcept { return tick(rate, k + 1) + offset; }
};

/// Knows when the ticks are: those of the base step, counted from the start, and those of the
/// rates, counted from time zero.
class Clockwork {
 public:
  explicit Clockwork(Duration step) : step_(step) {}

  /// The group of a rate in a cluster; made when it is new. Before start().
  std::uint32_t group(std::uint32_t cluster, Rate, Duration offset);

  /// Ticks from `start` on; the first ones may be at `start`.
  void start(Time start) noexcept;
  /// True when `now` is a tick of the base step.
  bool enter(Time now) noexcept;
  /// The first tick of the base step after the time that was entered.
  Time next_base() const noexcept { return base_ + step_; }

  bool due(std::uint32_t group) const noexcept { return groups_[group].due; }
  void all_due() noexcept;
  std::span<const Group> groups() const noexcept { return groups_; }
  std::span<Group> groups() noexcept { return groups_; }
  Time started() const noexcept { return start_; }

 private:
  Duration step_;
  Time start_{};
  Time base_{};  // the last base tick not after the time that was entered
  std::vector<Group> groups_;
};

}  // namespace vernier::executive::detail
