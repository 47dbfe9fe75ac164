#pragma once

#include <cstdint>
#include <span>

#include "vernier/gateway/link/steps.hpp"

namespace vernier::rsp {

/// What RSP needs of whatever moves its packets; SCP offers it, and anything else may.
class Transport {
 public:
  virtual ~Transport() = default;

  /// The other side is there.
  virtual bool up() const noexcept = 0;
  /// Another number for every time that it came.
  virtual std::uint32_t session() const noexcept = 0;
  /// How the other side's steps go with ours (home); null while that is not known, or has not been
  /// heard for a second.
  virtual const link::StepMap* steps() const noexcept = 0;

  struct Vector {
    std::span<const double> numbers{};  // empty: no more have come
    double age = 0.0;                   // s from its arrival to the beginning of this step
  };
  /// The vectors that came and were not taken, oldest first; until the next call.
  virtual Vector next() noexcept = 0;
  /// Room of a vector to be sent.
  virtual std::size_t room() const noexcept = 0;
  /// Sends a vector of room() numbers. Only the last one of a step is sure to leave.
  virtual void send(std::span<const double>) noexcept = 0;
};

}  // namespace vernier::rsp
