#pragma once

#include "vernier/base/time.hpp"
#include "vernier/component/component.hpp"

namespace vernier {

/// Whoever holds time back: a wall clock, a federation, another node, a recorder that must not
/// lose a sample.
class Pacer {
 public:
  virtual ~Pacer() = default;

  /// The run begins (again) at `start`.
  virtual void start(Time) noexcept {}
  /// Returns when the simulation may enter `t`. held: later than it should have been.
  virtual Outcome wait_for(Time t) noexcept = 0;
};

}  // namespace vernier
