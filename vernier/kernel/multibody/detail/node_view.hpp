#pragma once

#include <cstddef>

/// Nodes of one body as a structure of arrays, for kernels in lanes. Plain memory without the
/// standard library: see kernel/elementary/lanes.hpp.
namespace vernier::multibody::detail {

/// Number k of node i is at [k * lanes + i]. `lanes` is a multiple of the widest vector; entries
/// beyond `nodes` are zero.
struct NodeView {
  std::size_t nodes = 0, lanes = 0, modes = 0;
  std::size_t slides = 0;     // columns of phi_t: modes, then pairs of modes if the body shortens
  const double* p = nullptr;  // 3: undeformed positions
  const double* R = nullptr;  // 9, column by column: undeformed axes
  const double* q = nullptr;  // 4: the same as quaternions, from body axes to node axes
  const double* phi_t = nullptr;  // 3 for each of `slides`
  const double* phi_r = nullptr;  // 3 for each mode
};

/// The motion of the body that carries the nodes: of its origin, in its axes.
struct Carrier {
  double w[3], v[3];   // angular velocity; velocity
  double dw[3], a[3];  // derivative of w; true acceleration
  /// Modal coordinates, rates, accelerations; unused without modes. For bodies that shorten, those
  /// of the products η_i η_l (half of it if i = l) of all pairs follow: `slides` in all.
  const double* eta;
  const double* eta_rate;
  const double* eta_acceleration;
};

/// The results of sense(): number k of node i is at [k * lanes + i].
namespace sensed {
constexpr std::size_t position = 0;  // 3, in body axes
constexpr std::size_t attitude = 3;  // 4, from body axes to node axes
constexpr std::size_t rate = 7;      // 3 each from here on, in node axes
constexpr std::size_t velocity = 10;
constexpr std::size_t rate_change = 13;
constexpr std::size_t acceleration = 16;
constexpr std::size_t count = 19;
}  // namespace sensed

/// Kernels for one instruction set.
struct NodeKernels {
  /// Forces on nodes, laid out like p: R0 f of a force f in node axes. Adds their sum to `body`
  /// (moment, then force; body axes, at the origin) and to the modal forces. eta and modal have
  /// `slides` numbers, as in Carrier.
  void (*push)(const NodeView&, const double* eta, const double* forces, double* body,
               double* modal) noexcept;
  /// The same for moments.
  void (*twist)(const NodeView&, const double* eta, const double* moments, double* body,
                double* modal) noexcept;
  /// Position and motion of nodes; without `accelerations`, only up to the velocities.
  void (*sense)(const NodeView&, const Carrier&, bool accelerations, double* found) noexcept;
};

}  // namespace vernier::multibody::detail
