#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "vernier/kernel/constrained/element.hpp"

namespace vernier::constrained {

/// Everything at one time: what a step starts from, ends with, or passes through.
struct Level {
  double time = 0.0;
  double step = 0.0;                   // that led here
  std::vector<NodeState> nodes;        // the ground is the last
  std::vector<double> momenta;         // β, γ of each node, then p of each own coordinate
  std::vector<double> momentum_rates;  // without held inputs, if these are applied as impulses
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
  /// `next` becomes the newest level, and gets the room of the oldest, which is forgotten.
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

/// Where one mechanism stands, with everything that its future depends on. A value: a copy resumes
/// to the bit, and assigning one state of a mechanism to another does not allocate. Mechanism
/// makes and advances it.
struct State {
  /// Levels of the shape of `zero`; all other sizes by their values.
  State(const Level& zero, std::vector<double> inputs, std::size_t drive_count,
        std::size_t memory_count);

  double time() const noexcept { return history[0].time; }
  const NodeState& node(int i) const noexcept { return history[0].nodes[i]; }
  double scalar(int i) const noexcept { return history[0].values[i]; }
  /// Forces or velocities jump now: the next step begins without the past.
  void restart() noexcept;

  /// The bytes of the state: the same for every state of a mechanism.
  std::size_t bytes() const noexcept;
  void save(std::span<std::byte>) const noexcept;
  void load(std::span<const std::byte>) noexcept;

  History history;
  Level auxiliary;                     // a of generalized-α, and its like for momenta
  std::vector<double> memory;          // of elements
  std::vector<double> inputs;          // drives that are inputs, in their order among all drives
  std::vector<double> held_reactions;  // what held inputs of the last step add to multipliers
  std::vector<DriveState> drives;      // at the newest level
  int past = 0;                        // levels before the newest that formulas may use
  bool rates_valid = false;            // momentum rates of the newest level hold now
  References references;
  long steps = 0;
  double substep = 0.0;  // of steps that follow the motion
  double c = 1.0;        // y = c y' + history, in the last step
};

}  // namespace vernier::constrained
