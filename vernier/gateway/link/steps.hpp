#pragma once

#include <cstdint>
#include <optional>

#include "vernier/base/time.hpp"

/// Steps of two sides with different sample times, in exact arithmetic: nothing is rounded until a
/// whole step is requested.
namespace vernier::link {

/// A sample time of nanoseconds/parts, so that a thirtieth of a second is exact.
struct Period {
  std::uint64_t nanoseconds = 0;
  std::uint32_t parts = 1;

  bool operator==(const Period&) const = default;
};

/// From a microsecond to a thousand seconds; other values are not accepted as sample times.
bool plausible(const Period&) noexcept;
Period period_of(Rate) noexcept;
double seconds(const Period&) noexcept;
/// k periods after `origin`, rounded down to a nanosecond; the rounding does not accumulate.
std::int64_t instant(std::int64_t origin, const Period&, std::int64_t k) noexcept;

/// A ratio of integers in lowest terms, both positive.
struct Ratio {
  std::int64_t over = 1, under = 1;

  bool operator==(const Ratio&) const = default;
};
/// a/b exactly; nothing when it has no such form in 62 bits, or a period is not plausible.
std::optional<Ratio> ratio(const Period& a, const Period& b) noexcept;

/// A step number between whole steps: whole + rest/under, 0 <= rest < under.
struct ExactStep {
  std::int64_t whole = 0, rest = 0, under = 1;

  std::int64_t floor() const noexcept { return whole; }
  std::int64_t ceil() const noexcept { return rest == 0 ? whole : whole + 1; }
  /// To the nearest; a half rounds up.
  std::int64_t rounded() const noexcept { return rest >= under - rest ? whole + 1 : whole; }
  double value() const noexcept {
    return static_cast<double>(whole) + static_cast<double>(rest) / static_cast<double>(under);
  }
  bool operator==(const ExactStep&) const = default;
};

/// The largest step number, in either direction, that is accepted from a peer.
inline constexpr std::int64_t largest_step = std::int64_t{1} << 60;

/// The step of the target that corresponds to a step of home: equation (1) of the EPOS paper,
///
///   n_T = (n_H − n_ref_H) Δt_H/Δt_T + n_ref_T.
///
/// A reference packet that arrives during home step n belongs to the boundary after it, hence
/// n_ref_H = n + 1. The travel time of the packet is neglected: the instant is always late, by the
/// packet's delay and up to one step of the faster side.
struct StepMap {
  Ratio home_to_target;  // Δt_H/Δt_T
  std::int64_t home_reference = 0, target_reference = 0;

  /// Takes a reference packet with `target_step` that arrived during `home_step`.
  void refer(std::int64_t home_step, std::int64_t target_step) noexcept {
    home_reference = home_step + 1;
    target_reference = target_step;
  }
  ExactStep target(std::int64_t home_step) const noexcept;
  /// The inverse; the mapping is one to one.
  ExactStep home(std::int64_t target_step) const noexcept;
};

}  // namespace vernier::link
