#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "vernier/kernel/constrained/mechanism.hpp"

namespace vernier::constrained {

/// A mechanism in motion: a mechanism, a state and a workspace. step() and all reading functions
/// are for the loop: they do not allocate or throw. Not thread-safe.
class Solver {
 public:
  /// Analyses the structure. The model must have no findings.
  Solver(Model model, const Settings& settings)
      : mechanism_(std::move(model), settings), state_(mechanism_.blank()), work_(mechanism_) {}

  /// Assembles the mechanism in its initial state, or in equilibrium, with its current inputs:
  /// Mechanism::assembled(), at_rest(). Both throw AssemblyProblem.
  void initialize(double time = 0.0);
  void equilibrate(double time = 0.0, int load_steps = 10);

  const Mechanism& mechanism() const noexcept { return mechanism_; }
  const State& state() const noexcept { return state_; }
  const Model& model() const noexcept { return mechanism_.model(); }
  const Settings& settings() const noexcept { return mechanism_.settings(); }

  /// See Mechanism and State for the following functions.
  StepReport step(double h) noexcept { return mechanism_.step(state_, work_, h); }
  void restart() noexcept { state_.restart(); }
  bool project() noexcept { return mechanism_.project(state_, work_); }

  double time() const noexcept { return state_.time(); }
  std::span<double> inputs() noexcept { return state_.inputs; }
  const NodeState& node(int i) const noexcept { return state_.node(i); }
  double scalar(int i) const noexcept { return state_.scalar(i); }
  std::span<const Acceleration> accelerations() noexcept {
    return mechanism_.accelerations(state_, work_);
  }
  Point point(int element) const noexcept { return mechanism_.point(state_, element); }
  void measure(int element, std::span<double> to) const noexcept {
    mechanism_.measure(state_, element, to);
  }
  std::span<const double> multipliers(int element) const noexcept {
    return mechanism_.multipliers(state_, element);
  }
  double kinetic_energy() const noexcept { return mechanism_.kinetic_energy(state_); }
  double potential_energy() const noexcept { return mechanism_.potential_energy(state_); }
  Vector3 momentum() const noexcept { return mechanism_.momentum(state_); }
  Vector3 angular_momentum() const noexcept { return mechanism_.angular_momentum(state_); }
  double constraint_violation() noexcept { return mechanism_.constraint_violation(state_, work_); }
  double constraint_rate_violation() noexcept {
    return mechanism_.constraint_rate_violation(state_, work_);
  }
  std::vector<std::string> redundant() const { return mechanism_.redundant(state_); }

  std::string row_name(int row) const { return mechanism_.row_name(row); }
  int rows() const noexcept { return mechanism_.rows(); }
  int equations() const noexcept { return mechanism_.equations(); }
  Mechanism::Structure structure() const noexcept { return mechanism_.structure(); }

  std::size_t state_bytes() const noexcept { return state_.bytes(); }
  void save(std::span<std::byte> to) const noexcept { state_.save(to); }
  void load(std::span<const std::byte> from) noexcept { state_.load(from); }

 private:
  void begin();

  Mechanism mechanism_;
  State state_;
  Workspace work_;
};

}  // namespace vernier::constrained
