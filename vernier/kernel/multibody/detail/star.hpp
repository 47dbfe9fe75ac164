#pragma once

#include <memory>
#include <vector>

#include "vernier/kernel/multibody/detail/instructions.hpp"
#include "vernier/kernel/multibody/detail/star_plan.hpp"
#include "vernier/kernel/multibody/tree.hpp"

namespace vernier::multibody::detail {

/// Numbers at the boundary of a cache line.
class AlignedNumbers {
 public:
  explicit AlignedNumbers(std::size_t count = 0)
      : numbers_(new (std::align_val_t{64}) double[count > 0 ? count : 1]()) {}
  double* get() const noexcept { return numbers_.get(); }

 private:
  struct Release {
    void operator()(double* p) const noexcept { ::operator delete[](p, std::align_val_t{64}); }
  };
  std::unique_ptr<double[], Release> numbers_;
};

/// Memory of the evaluations of one star, and how far they have come.
struct StarMemory {
  AlignedNumbers numbers;
  std::vector<std::uint8_t> forced;  // groups with forces at nodes
};

/// A model that is a star, laid out for the lanes of one set of instructions. Immutable.
class Star {
 public:
  /// A hub with modes or without that is free or fixed to the ground, with rigid bodies that hang
  /// at it and at nothing else, by any hinge but a free one.
  static bool fits(const Model&);

  /// `width` 1: constants of each appendage once, for many states (StarCode::states).
  Star(const Model&, Instructions, int width = 0);

  const StarPlan& plan() const noexcept { return plan_; }
  const StarCode& code() const noexcept { return *code_; }

  /// With the inertias and the gravity of the model, and room for `more` numbers after it.
  StarMemory memory(std::size_t more = 0) const;
  void set_inertia(StarMemory&, int body, const Inertia&) const noexcept;
  void set_gravity(StarMemory&, const Vector3& gravity_ground) const noexcept;

 private:
  struct Place {
    int group = -1, lane = 0;
  };
  void lay_out();
  void put_appendage(double* memory, int body, const Inertia&) const noexcept;
  void put_hub(double* memory, const Inertia&) const noexcept;

  StarPlan plan_;
  const StarCode* code_;
  std::vector<StarGroup> groups_;
  std::vector<Place> places_;  // of the bodies
  std::vector<Pose> inboard_;  // of the bodies
  Matrix3 ground_R_;           // of the hub's outboard node
  AlignedNumbers initial_;
};

}  // namespace vernier::multibody::detail
