#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "vernier/base/time.hpp"

namespace vernier::executive::detail {

/// Parts of one cluster that tick together; without a rate, its continuous parts.
struct Group {
  std::uint32_t cluster = 0;
  Rate rate;
  Duration offset{};
  std::int64_t k = 0;  // of `next`
  Time next{};         // with a rate: the next tick, or the current one
  bool due = true;     // at the current instant
  Time until{};        // the time that its parts are advanced to

  Time tick_after() const noexcept { return tick(rate, k + 1) + offset; }
};

/// Computes the ticks: those of the base step, counted from the start, and those of the rates,
/// counted from time zero. A base step that is no whole number of nanoseconds is a rate too.
class Clockwork {
 public:
  explicit Clockwork(Duration step, Rate step_rate = {}) : step_(step), step_rate_(step_rate) {}

  /// The group of a rate in a cluster; created if new. Before start().
  std::uint32_t group(std::uint32_t cluster, Rate, Duration offset);

  /// Ticks from `start`; the first ones may be at `start` itself.
  void start(Time start) noexcept;
  /// True when `now` is a tick of the base step.
  bool enter(Time now) noexcept;
  /// Whether a time that is current, or entered next, is a tick of the base step.
  bool at_base(Time t) const noexcept { return base_ == t || next_base_ == t; }
  /// The number of the current tick of the base step, from the start (of a rate: from time zero);
  /// -1: the current time is none.
  std::int64_t base_number(Time now) const noexcept;
  /// The first tick of the base step after the current time.
  Time next_base() const noexcept { return next_base_; }

  bool due(std::uint32_t group) const noexcept { return groups_[group].due; }
  void all_due() noexcept;
  std::span<const Group> groups() const noexcept { return groups_; }
  std::span<Group> groups() noexcept { return groups_; }
  Time started() const noexcept { return start_; }

 private:
  Time base_after(Time base) const noexcept;

  Duration step_;
  Rate step_rate_;
  Time start_{};
  Time base_{};  // the last base tick at or before the current time
  Time next_base_{};
  std::vector<Group> groups_;
};

}  // namespace vernier::executive::detail
