#pragma once

#include <cstdint>
#include <span>

#include "vernier/component/pacer.hpp"

namespace vernier::executive {

/// Who measures what the components of a run cost. Called in the loop: must not allocate, wait or
/// throw.
class Meter {
 public:
  virtual ~Meter() = default;

  /// A clock, in ns. From every thread of the run.
  virtual std::int64_t now() noexcept = 0;
  /// What each part cost since the last call, as Executive::parts(): output, react and advance of
  /// one instant.
  virtual void spent(std::span<const std::int64_t> by_part) noexcept = 0;
  /// A pacer's wait_for() took so long, ns. Its own is told too.
  virtual void waited(const Pacer&, std::int64_t) noexcept {}
};

}  // namespace vernier::executive
