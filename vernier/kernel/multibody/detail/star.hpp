#pragma once

#include <memory>
#include <vector>

#include "vernier/base/instructions.hpp"
#include "vernier/kernel/multibody/detail/layout.hpp"
#include "vernier/kernel/multibody/detail/star_plan.hpp"
#include "vernier/kernel/multibody/model.hpp"
#include "vernier/kernel/spatial/blocks.hpp"

namespace vernier::multibody::detail {

/// An array of numbers aligned to a cache line.
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

/// Memory of the evaluations of one star.
struct StarMemory {
  AlignedNumbers numbers;
  std::vector<std::uint8_t> forced;  // groups with forces at nodes
  bool hub_forced = false;
};

/// A star: one hub with rigid appendages (the topology of DARTS, Jain and Man), laid out for the
/// lanes of one instruction set. Immutable.
class Star {
 public:
  /// Whether a model is a star: a hub, rigid or flexible, free or fixed to the ground, and rigid
  /// bodies attached to it alone, by any hinge except a free one.
  static bool fits(const Model&);

  /// What is in the lanes: appendages of one state, or states. With states each appendage is a
  /// group, and its constants are stored once. `states_alike` computes with the modes and the
  /// places of the groups of one state, for the same bits (star_eight.hpp).
  enum class In : std::uint8_t { appendages, states, states_alike };
  Star(const Model&, Instructions, Arithmetic, In = In::appendages);

  const StarPlan& plan() const noexcept { return plan_; }
  const StarCode& code() const noexcept { return *code_; }
  const double* constants() const noexcept { return initial_.get(); }  // at the offsets of the plan
  int group(int body) const noexcept { return places_[body].group; }   // -1: the hub
  /// The mass properties of a body for the sums: of an appendage at its inboard node.
  Mass mass(int body, const Inertia&) const noexcept;

  /// Memory with the inertias and gravity of the model, and space for `more` numbers after it.
  StarMemory memory(std::size_t more = 0) const;
  void set_inertia(StarMemory&, int body, const Inertia&) const noexcept;
  void set_gravity(StarMemory&, const Vector3& gravity_ground) const noexcept;

  void place(StarMemory& m, const double* q, const double* u) const noexcept {
    code_->place(plan_, m.numbers.get(), q, u);
  }
  /// Clears the forces at nodes.
  void forget_forces(StarMemory&) const noexcept;
  /// Adds a force on a body at the frame of its inboard node, in its axes. For the hub, returns the
  /// array to which forces on its modes are added.
  double* push(StarMemory&, int body, const spatial::Vec6<double>& force) const noexcept;
  /// Returns a body whose hinge is singular, or -1.
  int accelerate(StarMemory& m, const double* q, const double* u, StarLoads loads,
                 double* udot) const noexcept {
    loads.forced = m.forced.data();
    loads.hub_forced = m.hub_forced;
    return code_->accelerate(plan_, m.numbers.get(), q, u, loads, udot);
  }

  /// For a placed star: the frame of the inboard node of an appendage in that of the hub, and its
  /// motion in its own axes.
  void describe_place(const StarMemory&, int body, const double* u, spatial::Mat3<double>& E,
                      spatial::Vec3<double>& r, spatial::Vec6<double>& V) const noexcept;
  /// For an accelerated star: the spatial acceleration of the same frame less gravity, and the
  /// force of the hinge on the appendage.
  void describe_acceleration(const StarMemory&, int body, const spatial::Vec6<double>& V,
                             const double* udot, spatial::Vec6<double>& A,
                             spatial::Vec6<double>& reaction) const noexcept;
  /// The force of the hub's hinge, if these forces act on its speeds.
  spatial::Vec6<double> hub_reaction(const StarMemory&, const double* force) const noexcept;
  const double* modal_accelerations(const StarMemory& m) const noexcept {
    return m.numbers.get() + plan_.solution;
  }

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
  std::vector<std::vector<int>> moving_;  // modes of each group
  std::vector<int> entries_, forces_;
  std::vector<Place> places_;  // of the bodies
  std::vector<Pose> inboard_;  // of the bodies
  Matrix3 ground_R_;           // of the hub's outboard node
  AlignedNumbers initial_;
};

}  // namespace vernier::multibody::detail
