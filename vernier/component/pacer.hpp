#pragma once

#include <vector>

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
  /// Why it failed, after it did.
  virtual Fault fault() const noexcept { return {}; }
};

/// Also implemented by a component that must not lose data in a run that goes as fast as it can: a
/// file that is written or read by a thread of its own. Whoever starts the run finds it by
/// dynamic_cast and adds its pacers. In a real-time run they are left out: then the component never
/// holds time back, and counts what it loses.
class PacerSource {
 public:
  virtual ~PacerSource() = default;

  /// They live as long as the component.
  virtual std::vector<Pacer*> pacers() = 0;
};

}  // namespace vernier
