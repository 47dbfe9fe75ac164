#pragma once

#include "vernier/kernel/multibody/tree.hpp"

namespace vernier::multibody {

/// Evaluates many states of one tree, a state in each lane of a vector: for Monte Carlo and
/// filters. Results agree with Tree::accelerate() to rounding.
class Ensemble {
 public:
  explicit Ensemble(const Tree&);
  ~Ensemble();
  Ensemble(Ensemble&&) noexcept;
  Ensemble& operator=(Ensemble&&) noexcept;

  std::size_t lanes() const noexcept;  // states that are computed together on this machine
  const char* instructions() const noexcept;

  /// Computes udot of `count` states. Element k of state i of an array is at [k * count + i].
  /// `prescribed` applies to all states. Singular states give NaN in their own lane only; returns
  /// their number. Allocates nothing.
  std::size_t accelerate(std::size_t count, std::span<const double> q, std::span<const double> u,
                         std::span<const double> force, std::span<const double> acceleration,
                         std::span<const std::uint8_t> prescribed, std::span<double> udot) noexcept;

 private:
  struct Data;
  std::unique_ptr<Data> data_;
};

}  // namespace vernier::multibody
