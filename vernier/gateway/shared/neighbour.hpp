#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "vernier/component/component.hpp"
#include "vernier/gateway/channel/channel.hpp"
#include "vernier/gateway/channel/ports.hpp"
#include "vernier/gateway/shared/segment.hpp"

namespace vernier::shared {

struct NeighbourSettings {
  Settings memory;  // sizes and period are filled in from the channels and the rate
  Rate rate = {1000, 1};
  double stale_periods = 3.0;             // peer periods without a vector: stale
  std::chrono::milliseconds patience{0};  // for the peer to come at the start; 0: does not wait
  bool stop_when_lost = false;            // else the last vector is held
  std::function<void(const std::string&)> notice = {};  // called before waiting
};

/// Another process on this machine as a component: in each step its inputs are written as one
/// vector, and its outputs are the vector received. An empty mailbox repeats the last value, the
/// outcome is `held`, and shared.stale is set once it is old. Neither side ever waits for the
/// other.
///
/// In addition to the channels of the document it has the outputs
///
///   shared.fresh           the vector was received in this step; else it is the last again
///   shared.stale           the vector is old, or none was received
///   shared.age         s   since the other side acquired the vector
///   shared.present         the other side is attached
///   shared.received, shared.missed, shared.repeated, shared.torn, shared.lives   counts
///
/// initialize() creates the memory, so that checking a composition has no side effect.
class Neighbour final : public Component {
 public:
  /// Throws ConfigurationError (V5183).
  Neighbour(channel::Channels, NeighbourSettings);
  ~Neighbour() override;

  const Description& description() const noexcept override { return description_; }
  void bind(const Bindings&) override;
  bool initialize(Time start, int phase) override;

  Outcome output(Instant) noexcept override;
  Advance advance(Time from, Time to) noexcept override;

  void save(std::span<std::byte>) const noexcept override {}
  void load(std::span<const std::byte>) noexcept override {}

  Telling tell(const Entry&) const override;
  const Fault& fault() const noexcept override { return fault_; }

 private:
  void take() noexcept;
  void note(std::int32_t kind) noexcept;

  channel::Channels channels_;
  NeighbourSettings settings_;
  Description description_;
  channel::Ports ports_;
  Journal* journal_ = nullptr;
  Fault fault_;
  std::unique_ptr<Segment> segment_;

  std::span<double> age_;
  std::span<std::int64_t> counts_[5];
  std::span<std::uint8_t> fresh_, stale_, present_;

  std::vector<double> out_, in_;
  bool began_ = false, is_stale_ = true, met_ = false;
  Time now_{};
  std::int64_t step_ = 0, acquired_ = 0;
  std::uint64_t received_ = 0, repeated_ = 0;
};

}  // namespace vernier::shared
