#pragma once

#include <cstddef>
#include <cstdint>

#include "vernier/kernel/multibody/hinge_kind.hpp"

/// The description of a star for the code of all instruction sets: a hub, rigid or flexible, free
/// or fixed to the ground, with rigid bodies attached to it alone. Plain data.
namespace vernier::multibody::detail {

constexpr int widest = 8;  // lanes of the widest set

/// Sums over appendages have the same bits for all instruction sets. Each appendage belongs to one
/// of these places; those of a place are added one after another, then the places in a fixed order.
/// Full groups of appendages fill the first `widest` places; the remainder of a kind of hinge fills
/// the last four, if it fits. A set with narrower vectors has several groups for one of the widest.
constexpr int star_remainder = 4;
constexpr int star_places = widest + star_remainder;

/// Appendages of one kind of hinge in the lanes of one vector. Lanes beyond `count` are idle:
/// appendages without inertia, which add exactly zero to sums.
struct StarGroup {
  HingeKind kind = HingeKind::fixed;
  int width = 0, count = 0;
  int place = 0;  // of its first lane in the sums
  int whole = 0;  // the group of the widest set to which it belongs
  int body[widest] = {}, q[widest] = {}, u[widest] = {};  // of idle lanes: those of lane 0
  // Modes of the hub that move a node of the group; shapes and rows contain only these.
  int moving = 0;
  const int* modes = nullptr;
  // Offsets of its blocks in the memory of an evaluation, in doubles.
  std::size_t constants = 0, shapes = 0, placed = 0, psi = 0, rows = 0, external = 0;
};

struct StarPlan {
  int modes = 0, order = 0;
  bool free = true;          // the hub moves freely; otherwise it is fixed to the ground
  bool diagonal = true;      // stiffness and damping
  int hub = 0;               // the body
  int hub_q = 0, hub_u = 0;  // of the hub's hinge
  int eta = 0, rate = 0;     // of its modes, in q and u
  int group_count = 0;
  const StarGroup* groups = nullptr;
  // Indices of the hub's equations in the sums: the matrix (lower triangle by rows), the forces.
  const int* entries = nullptr;
  const int* forces = nullptr;
  // Offsets of the blocks of the hub
  std::size_t constants = 0, sums = 0, spread = 0, own = 0, totals = 0, factors = 0, solution = 0,
              external = 0;
  std::size_t size = 0;  // of all memory

  int unknowns() const noexcept { return modes + 6; }
};

/// Numbers of the hub in its block of constants.
struct HubFields {
  int mass = 0, moment = 1, inertia = 4, S1 = 10, H0, Mff, K, D, J1, J2, H1, gravity, size;
  constexpr explicit HubFields(int n)
      : H0(S1 + 3 * n),
        Mff(H0 + 3 * n),           // lower triangle by rows
        K(Mff + n * (n + 1) / 2),  // n x n, or the diagonal
        D(K + n * n),
        J1(D + n * n),             // N0 + N0ᵀ: xx yy zz xy xz yz of each mode
        J2(J1 + 6 * n),            // J2_il + J2_li made symmetric, lower triangle by rows
        H1(J2 + 3 * n * (n + 1)),  // [i n + l]: column l of H1_i
        gravity(H1 + 3 * n * n),   // in the axes of the outboard node
        size(gravity + 3) {}
};

/// The loads, as in Loads; null: none of this kind.
struct StarLoads {
  const double* force = nullptr;
  const double* acceleration = nullptr;
  const std::uint8_t* prescribed = nullptr;
  bool hub_forced = false;               // hub external block is not zero
  const std::uint8_t* forced = nullptr;  // for each group: its external block is not zero
};

/// Many states: element k of state i is at [k * count + i].
struct StarStates {
  std::size_t count = 0;
  const double* q = nullptr;
  const double* u = nullptr;
  const double* force = nullptr;
  const double* acceleration = nullptr;
  const std::uint8_t* prescribed = nullptr;
  double* udot = nullptr;
  std::size_t coordinates = 0, speeds = 0;
};

/// The code for one instruction set.
struct StarCode {
  int width = 0;  // lanes of its vectors
  /// Computes poses and motions.
  void (*place)(const StarPlan&, double* memory, const double* q, const double* u) noexcept;
  /// Computes the accelerations of a placed star; returns a body whose hinge is singular, or -1.
  int (*accelerate)(const StarPlan&, double* memory, const double* q, const double* u,
                    const StarLoads&, double* udot) noexcept;
  /// Computes the accelerations of many states; `memory` holds constants of width 1, then `scratch`
  /// doubles after StarPlan::size. Returns the number of singular states.
  std::size_t (*states)(const StarPlan&, double* memory, const StarStates&) noexcept;
  std::size_t (*scratch)(const StarPlan&, std::size_t coordinates, std::size_t speeds) noexcept;
};

extern const StarCode star_sse2, star_avx2, star_avx512, star_avx2_fused, star_avx512_fused;

}  // namespace vernier::multibody::detail
