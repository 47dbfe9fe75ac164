#pragma once

#include <cstdint>

#include "vernier/gateway/link/clock.hpp"
#include "vernier/gateway/link/steps.hpp"

namespace vernier::link {

/// The synchronisation that the EPOS paper leaves to the future: the client's steps stand on the
/// server's time. Step k is due when the server's clock shows T_0 + k Δt, told in the client's own
/// time. The period is stretched or shortened by at most 200 ppm, so that there is never a jump;
/// while the estimate is stale the last skew is held.
class StepGrid {
 public:
  static constexpr double most = 200e-6;

  /// Step `k` is due at home time `at`; from now on the grid follows the server when it can.
  void begin(const Period&, std::int64_t k, std::int64_t at) noexcept;
  /// When the step after the last one is due, in home time, given what is known of the server's
  /// clock at home time `now`.
  std::int64_t next(const ClockEstimate&, std::int64_t now) noexcept;

  std::int64_t step() const noexcept { return k_; }
  /// Home time of step().
  std::int64_t due() const noexcept { return due_; }
  /// The server's time of step 0 is known: the grid stands on the server's clock.
  bool engaged() const noexcept { return engaged_; }
  /// How far the last step was from where the server's clock wants it, ns.
  double error() const noexcept { return error_; }

 private:
  Period period_;
  std::int64_t k_ = 0, due_ = 0, origin_ = 0;  // origin: server time of the step k0_
  std::int64_t k0_ = 0;
  bool engaged_ = false;
  double rest_ = 0.0;  // ns that due_ was rounded down by
  double skew_ = 0.0, error_ = 0.0;
};

}  // namespace vernier::link
