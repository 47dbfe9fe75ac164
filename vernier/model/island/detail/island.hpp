#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "vernier/component/catalogue.hpp"
#include "vernier/component/component.hpp"
#include "vernier/component/output_explainer.hpp"
#include "vernier/kernel/integration/integrator.hpp"
#include "vernier/model/island/detail/linear_inputs.hpp"
#include "vernier/model/island/island.hpp"

namespace vernier::island::detail {

class Island final : public Component, public OutputExplainer, private integration::Listener {
 public:
  Island(std::unique_ptr<hybrid::System>, const IslandSettings&);

  const Description& description() const noexcept override { return description_; }
  void bind(const Bindings&) override;
  bool initialize(Time start, int phase) override;

  Outcome output(Instant) noexcept override;
  Outcome react(Instant) noexcept override;
  Advance advance(Time from, Time to) noexcept override;

  void reserve_samples(std::size_t most) override;
  void expect(std::span<const Time> times) noexcept override;
  Outcome sample(Time at) noexcept override;

  void save(std::span<std::byte>) const noexcept override;
  void load(std::span<const std::byte>) noexcept override;

  Telling tell(const Entry&) const override;
  const Fault& fault() const noexcept override { return fault_; }
  bool explain_output(Time now, Fault&) noexcept override;

  /// The equations and their current point. Inputs are those of the last exchange.
  Inside inside(Time now) const noexcept;

 private:
  // Kinds of journal entries
  enum Kind : std::int32_t { transition = 0, accumulation = 1 };

  void describe();
  /// Takes the inputs at `t`, and their linear extrapolation from there on.
  void take_inputs(Time t) noexcept;
  /// Writes computed outputs, states and active locations to the ports.
  void write(std::span<const double> x, std::span<const int> mode) noexcept;
  /// Requests samples at the expected times after `from` from the integrator.
  void expect_from(Time from) noexcept;
  void passed(std::size_t k, std::span<const double> x,
              std::span<const int> mode) noexcept override;
  void crossing(std::span<const double> x, std::span<const int> mode) noexcept override;
  void fired(const integration::Firing&) noexcept override;
  void accumulating(double t) noexcept override;
  /// Nanoseconds from the start of the step to `t`, rounded up.
  std::int64_t ticks(double t) const noexcept;
  void fail(const integration::Arrival&, Time from) noexcept;

  std::size_t port_inputs_;  // input signals that are ports
  bool linear_;              // inputs are extrapolated linearly between exchanges, not held
  std::unique_ptr<hybrid::System> system_;
  integration::Integrator integrator_;
  Lines lines_;
  bool stops_early_;
  bool stops_at_accumulation_;
  Description description_;

  // Ports
  std::vector<std::span<const double>> inputs_;
  std::vector<std::span<double>> outputs_;
  std::vector<std::span<std::int64_t>> mode_ports_;
  std::vector<std::string> mode_names_;
  struct StateView {
    std::string name;
    std::size_t first;  // in x
    std::span<double> to;
  };
  std::vector<StateView> state_views_;
  struct EventPort {
    std::size_t label;
    std::span<const std::int64_t> in;
    std::span<std::int64_t> out;
  };
  std::vector<EventPort> event_inputs_, event_outputs_;
  Journal* journal_ = nullptr;

  // State in addition to that of the integrator
  std::vector<std::int64_t> seen_;     // by event input: the count that was taken
  std::vector<std::int64_t> emitted_;  // by label
  std::vector<std::uint8_t> pending_;  // by label: emitted in the last round, present in the next

  std::vector<double> u_, y_, u_of_y_;
  std::unique_ptr<hybrid::Workspace> workspace_;
  std::vector<double> parameters_;
  bool y_known_ = false;
  std::vector<std::uint8_t> present_, now_emitted_;
  Time from_{};        // start of the current step or instant
  Instant instant_{};  // of react()
  bool reacting_ = false;
  int rounds_ = 0;  // of reactions at rounds_at_
  Time rounds_at_ = Time::min();

  // Samples of the last advance(), for sample()
  struct Samples {
    std::span<const Time> expected;
    std::vector<double> local;  // the same times, s after the start of the step
    std::size_t first = 0;      // earlier ones belong to an earlier part of the step
    std::size_t passed = 0;
    std::vector<double> x;  // at each time
    std::vector<int> mode;
    Time reached{};
    bool crossed = false;  // an event ended the step; before it the state was
    std::vector<double> x_before;
    std::vector<int> mode_before;
  };
  Samples samples_;
  Fault fault_;
};

/// Describes the reason of a failure in the user's terms; does not allocate.
void describe_failure(Fault&, const integration::Arrival&, double time,
                      const integration::Integrator&, const hybrid::SystemSpec&) noexcept;

}  // namespace vernier::island::detail
