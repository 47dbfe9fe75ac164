#pragma once

#include <cstdint>

#include "vernier/gateway/link/steps.hpp"
#include "vernier/net/clock_filter.hpp"

namespace vernier::link {

/// The synchronization that the EPOS paper leaves to future work: the client's steps follow the
/// server's clock. Step k is due when the server's clock shows T_0 + k Δt, converted to the
/// client's time. The period is stretched or shortened by at most 200 ppm, so that there is never a
/// jump; while the estimate is stale the last skew is kept.
class StepGrid {
 public:
  static constexpr double most = 200e-6;

  /// Step `k` is due at home time `at`; from now on the grid follows the server when possible.
  void begin(const Period&, std::int64_t k, std::int64_t at) noexcept;
  /// When the next step is due, in home time, given the estimate of the server's clock at home time
  /// `now`.
  std::int64_t next(const net::ClockEstimate&, std::int64_t now) noexcept;

  std::int64_t step() const noexcept { return k_; }
  /// Home time of step().
  std::int64_t due() const noexcept { return due_; }
  /// The grid follows the server's clock: the server time of step 0 is known.
  bool engaged() const noexcept { return engaged_; }
  /// The deviation of the last step from its ideal time on the server's clock, ns.
  double error() const noexcept { return error_; }

 private:
  Period period_;
  std::int64_t k_ = 0, due_ = 0, origin_ = 0;  // origin: server time of the step k0_
  std::int64_t k0_ = 0;
  bool engaged_ = false;
  double rest_ = 0.0;  // ns by which due_ was rounded down
  double skew_ = 0.0, error_ = 0.0;
};

}  // namespace vernier::link
