#pragma once

#include <cstdint>
#include <span>

#include "vernier/gateway/link/steps.hpp"

namespace vernier::rsp {

/// What RSP requires of the layer that transfers its packets; SCP provides it.
class Transport {
 public:
  virtual ~Transport() = default;

  /// The peer is connected.
  virtual bool up() const noexcept = 0;
  /// A different number for each connection.
  virtual std::uint32_t session() const noexcept = 0;
  /// How the peer's steps relate to ours (home); null while that is unknown, or if no reference was
  /// received for a second.
  virtual const link::StepMap* steps() const noexcept = 0;

  struct Vector {
    std::span<const double> numbers{};  // empty: no more received
    double age = 0.0;                   // s from its arrival to the beginning of this step
  };
  /// The received vectors not yet taken, oldest first; valid until the next call.
  virtual Vector next() noexcept = 0;
  /// The size of a vector to send.
  virtual std::size_t room() const noexcept = 0;
  /// Sends a vector of room() numbers. Only the last one of a step is certain to be sent.
  virtual void send(std::span<const double>) noexcept = 0;
};

}  // namespace vernier::rsp
