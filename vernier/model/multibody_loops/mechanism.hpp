#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "vernier/component/component.hpp"
#include "vernier/model/multibody_loops/definition.hpp"

namespace vernier::multibody_loops {

/// A mechanism in redundant coordinates as a component (kernel/constrained).
///
/// in   each port of its document, held over a tick; a force enters as an exact impulse
/// out  as the document requests: nodes, elements, scalars and totals (Shown). All are functions of
///      the state. Those that respond to inputs at once (accelerations, reactions) are those at the
///      end of the last step, so there is no feedthrough.
///
/// A tick is divided evenly into steps of at most Definition::step. A step that does not converge
/// fails (V3210) and the state before it is kept. With a budget of iterations the step is accepted
/// and counted, and the outcome is `held`.
class Mechanism final : public Component {
 public:
  /// Assembles the mechanism. Throws ConfigurationError, at the places of the joints concerned, if
  /// this fails.
  explicit Mechanism(Definition);

  const Description& description() const noexcept override { return description_; }
  void bind(const Bindings&) override;
  /// Needs two phases if there are inputs: the mechanism is assembled again with the values that
  /// other components provide.
  bool initialize(Time, int phase) override;
  Outcome output(Instant) noexcept override;
  Advance advance(Time from, Time to) noexcept override;
  void save(std::span<std::byte>) const noexcept override;
  void load(std::span<const std::byte>) noexcept override;
  const Fault& fault() const noexcept override { return fault_; }

  const Definition& definition() const noexcept { return definition_; }
  const constrained::Solver& solver() const noexcept { return solver_; }
  constrained::Solver& solver() noexcept { return solver_; }

 private:
  struct Counts {
    double residual = 0.0, last_step = 0.0;
    std::int64_t iterations = 0, unconverged = 0;
  };

  void describe();
  void assemble(double time);
  bool take_inputs() noexcept;
  void follow_attitudes() noexcept;
  void show(const Shown&, std::span<const constrained::Acceleration>, std::span<double>) noexcept;
  void tell_unconverged(const constrained::StepReport&, double time) noexcept;

  Definition definition_;
  constrained::Solver solver_;
  Description description_;
  std::vector<std::string> rows_;  // names of the solver's rows, for faults
  std::vector<int> turning_;       // nodes whose attitudes are shown
  std::vector<double> attitudes_;  // their last outputs, for continuous signs
  std::vector<double> measures_;   // buffer for one element
  bool accelerations_shown_ = false;
  struct Moved {
    double way = 0.0;  // m
    int node = -1;
  };
  Counts counts_;
  Moved moved_;  // the node that assembly moved most, if far
  Fault fault_;
  std::vector<std::span<const double>> inputs_;
  std::vector<std::span<double>> outputs_;
};

}  // namespace vernier::multibody_loops
