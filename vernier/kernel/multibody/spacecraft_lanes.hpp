#pragma once

#include "vernier/kernel/multibody/spacecraft.hpp"

namespace vernier::multibody {

/// Eight states of one spacecraft side by side, with everything that stands around its tree: for
/// filters, Monte Carlo and derivatives by differences. Element i of state l of an array is at
/// [8 i + l]; which speeds are prescribed is the same for all.
///
/// In the reproducible arithmetic every lane has the bits of Spacecraft. The sweeps of a tree run
/// in lanes. A star, whose own lanes are bodies, and all of the arithmetic `fastest` are evaluated
/// one state after the other.
class SpacecraftLanes {
 public:
  static constexpr std::size_t count = 8;

  explicit SpacecraftLanes(const Spacecraft&);
  ~SpacecraftLanes();
  SpacecraftLanes(SpacecraftLanes&&) noexcept;
  SpacecraftLanes& operator=(SpacecraftLanes&&) noexcept;

  // Nothing below allocates. Spans have eight times the elements that Spacecraft says, those of
  // Commands::prescribed excepted; arrays at the boundary of a cache line are not needed.
  void place(const Spacecraft::State&) noexcept;
  /// Rates of placed states; the good ones as bits. Those of the others mean nothing.
  unsigned accelerate(const Spacecraft::Commands&, const Spacecraft::Rates&) noexcept;
  void coordinate_rates(std::span<double> qdot) noexcept;  // of placed states

  /// One of the states, for everything that Spacecraft and Tree can say about an evaluation that
  /// was placed and accelerated.
  SpacecraftEvaluation& lane(std::size_t) noexcept;

 private:
  struct Data;
  std::unique_ptr<Data> data_;
};

}  // namespace vernier::multibody
