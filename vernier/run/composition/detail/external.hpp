#pragma once

#include <cstdint>
#include <vector>

#include "vernier/component/component.hpp"

namespace vernier::composition::detail {

/// The external part of a composition: its inputs, and what its stimuli do to them at given times.
///
/// out  each input of the composition, and each input of an instance that a stimulus sets; events
///      that stimuli send
class External final : public Component {
 public:
  /// At a given time: replaces elements of a signal output, or sends an event (no values).
  struct Action {
    Time at;
    std::size_t output = 0;
    std::uint32_t first = 0;
    std::vector<double> values;
  };

  /// `outputs` are real signals with their initial values, and events.
  External(std::vector<Port> outputs, std::vector<Action> actions);

  const Description& description() const noexcept override { return description_; }
  void bind(const Bindings&) override;
  bool initialize(Time, int) override;
  Outcome output(Instant) noexcept override;
  Outcome react(Instant) noexcept override;
  Advance advance(Time, Time to) noexcept override { return {to}; }
  Time horizon(Time) const noexcept override;
  void save(std::span<std::byte>) const noexcept override;
  void load(std::span<const std::byte>) noexcept override;

 private:
  Description description_;
  std::vector<Action> actions_;           // by time, then as in the document
  std::vector<std::size_t> places_;       // first element of each output in values_ or counts_
  std::vector<std::span<double>> reals_;  // by output; empty for events
  std::vector<std::span<std::int64_t>> events_;  // by output; empty for signals
  // the state
  std::vector<double> values_;
  std::vector<std::int64_t> counts_;
  std::uint64_t done_ = 0;  // actions
};

}  // namespace vernier::composition::detail
