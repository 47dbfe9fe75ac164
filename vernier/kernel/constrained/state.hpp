#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "vernier/kernel/constrained/element.hpp"

namespace vernier::constrained {

/// All quantities at one time: the start, end or a stage of a step.
struct Level {
  double time = 0.0;
  double step = 0.0;                   // the step that led here
  std::vector<NodeState> nodes;        // the ground is the last
  std::vector<double> momenta;         // β, γ of each node, then p of each own coordinate
  std::vector<double> momentum_rates;  // without held inputs if these are applied as impulses
  std::vector<double> values, rates;   // scalar nodes, then what elements own
  std::vector<double> algebraic;       // multipliers among them

  void swap(Level& other) noexcept {
    std::swap(time, other.time);
    std::swap(step, other.step);
    nodes.swap(other.nodes);
    momenta.swap(other.momenta);
    momentum_rates.swap(other.momentum_rates);
    values.swap(other.values);
    rates.swap(other.rates);
    algebraic.swap(other.algebraic);
  }
};

/// The last four levels; 0 is the newest.
class History {
 public:
  static constexpr int length = 4;

  explicit History(const Level& of_shape) { levels_.fill(of_shape); }

  Level& operator[](int age) noexcept { return levels_[(newest_ + age) % length]; }
  const Level& operator[](int age) const noexcept { return levels_[(newest_ + age) % length]; }
  /// `next` becomes the newest level and receives the memory of the oldest, which is dropped.
  void push(Level& next) noexcept {
    newest_ = (newest_ + length - 1) % length;
    levels_[newest_].swap(next);
  }

 private:
  std::array<Level, length> levels_;
  unsigned newest_ = 0;
};

/// Running magnitudes that residuals are compared with.
struct References {
  double force = 0.0, moment = 0.0, other = 0.0;
};

/// The state of a mechanism, with everything that its future depends on. A value type: a copy
/// resumes to the bit, and assigning one state of a mechanism to another does not allocate.
/// Mechanism creates and advances it.
struct State {
  /// Levels of the shape of `zero`; all other sizes by their values.
  State(const Level& zero, std::vector<double> inputs, std::size_t drive_count,
        std::size_t memory_count);

  double time() const noexcept { return history[0].time; }
  const NodeState& node(int i) const noexcept { return history[0].nodes[i]; }
  double scalar(int i) const noexcept { return history[0].values[i]; }
  /// Call when forces or velocities jump: the next step starts without history.
  void restart() noexcept;

  /// The size of the state in bytes: the same for every state of a mechanism.
  std::size_t bytes() const noexcept;
  void save(std::span<std::byte>) const noexcept;
  void load(std::span<const std::byte>) noexcept;

  History history;
  Level auxiliary;             // a of generalized-α, and its like for momenta
  std::vector<double> memory;  // of elements
  std::vector<double> inputs;  // drives that are inputs, in their order among all drives
  std::vector<double>
      held_reactions;              // contribution of held inputs to multipliers in the last step
  std::vector<DriveState> drives;  // at the newest level
  int past = 0;                    // number of earlier levels that formulas may use
  bool rates_valid = false;        // momentum rates of the newest level are valid
  References references;
  long steps = 0;
  double substep = 0.0;  // of adaptive steps
  double c = 1.0;        // y = c y' + history, in the last step
};

}  // namespace vernier::constrained
