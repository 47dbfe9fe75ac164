#pragma once

#include <cstdint>
#include <span>

#include "vernier/component/pacer.hpp"

namespace vernier::executive {

/// Measures the cost of the components of a run. Called in the loop: must not allocate, wait or
/// throw.
class Meter {
 public:
  virtual ~Meter() = default;

  /// A clock, in ns. Called from every thread of the run.
  virtual std::int64_t now() noexcept = 0;
  /// The cost of each part since the last call, indexed as Executive::parts(): output, react and
  /// advance of one instant.
  virtual void spent(std::span<const std::int64_t> by_part) noexcept = 0;
  /// A pacer's wait_for() took this long, ns. Also called for the meter's own pacer.
  virtual void waited(const Pacer&, std::int64_t) noexcept {}
  /// This node of the run had to wait for a frame of another one, ns. Called by the thread that
  /// runs the executive.
  virtual void waited_for(std::uint32_t node, std::int64_t ns) noexcept {
    static_cast<void>(node), static_cast<void>(ns);
  }
};

}  // namespace vernier::executive
