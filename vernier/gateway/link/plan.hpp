#pragma once

#include <cstdint>

#include "vernier/gateway/link/steps.hpp"

namespace vernier::link {

/// The steps of a component against a clock: which step this is, and when it was planned to begin.
class StepPlan {
 public:
  /// `period` between two steps.
  explicit StepPlan(const Period& period) noexcept : period_(period) {}

  /// The next begin() is step 0.
  void restart() noexcept;
  /// The next step begins at `now`, ns. The plan restarts after a pause, or if the run does not
  /// keep to the clock. `due`: when a run that follows another clock planned the step; 0: it does
  /// not.
  void begin(std::int64_t now, std::int64_t due = 0) noexcept;

  std::int64_t step() const noexcept { return step_; }
  std::int64_t planned() const noexcept { return planned_; }  // ns
  bool overran() const noexcept { return overran_; }          // more than a period late
  bool began() const noexcept { return began_; }
  /// More than ten periods have passed since the step before.
  bool gap() const noexcept { return gap_; }

 private:
  Period period_;
  bool began_ = false, overran_ = false, gap_ = false;
  std::int64_t step_ = 0, planned_ = 0, origin_ = 0, origin_step_ = 0, last_ = 0;
};

}  // namespace vernier::link
