#pragma once

#include "vernier/kernel/multibody/detail/solve.hpp"
#include "vernier/kernel/multibody/detail/states.hpp"
#include "vernier/kernel/multibody/detail/tree_plan.hpp"

/// The sweeps of a general tree for one instruction set: VERNIER_INSTRUCTIONS names it, W is the
/// width of its vectors.
namespace vernier::multibody::detail {
inline namespace VERNIER_INSTRUCTIONS {

template <int W>
struct TreeTable {
  using T = spatial::Lanes<W>;

  static void place(const LayoutView& layout, const Mass* masses, const double* q, const double* u,
                    void* workspace) noexcept {
    place_links(layout, masses, q, u, make_workspace<double>(workspace, layout));
  }
  static void start(const LayoutView& layout, const Mass* masses, const double* tau,
                    void* workspace) noexcept {
    begin(layout, masses, tau, make_workspace<double>(workspace, layout));
  }
  template <class U>
  static void solve(const LayoutView& layout, const Mass* masses, const Vec3<U>& gravity,
                    const Drive<U>& drive, const Workspace<U>& work, U* udot,
                    Watch<U>& watch) noexcept {
    if (drive.regular != nullptr) {
      gather<U, true>(layout, masses, drive, work, watch);
    } else {
      gather<U, false>(layout, masses, drive, work, watch);
    }
    spread(layout, gravity, drive, work, udot);
  }
  static int accelerate(const LayoutView& layout, const Mass* masses, const double* gravity,
                        const double* tau, const double* given, const double* regular,
                        void* workspace, double* udot) noexcept {
    Watch<double> watch;
    solve<double>(layout, masses, vec3<double>(gravity), {tau, given, regular},
                  make_workspace<double>(workspace, layout), udot, watch);
    return watch.first;
  }

  static constexpr std::size_t vectors = StateTiles<T>::vectors;
  static std::size_t scratch_bytes(const LayoutView& layout) noexcept {
    return workspace_bytes<T>(layout) + sizeof(T) * vectors *
                                            (static_cast<std::size_t>(layout.coordinates) +
                                             4 * static_cast<std::size_t>(layout.speeds));
  }
  static std::size_t states(const LayoutView& layout, const Mass* masses, void* scratch,
                            const TreeStates& states) noexcept {
    const auto coordinates = static_cast<std::size_t>(layout.coordinates),
               speeds = static_cast<std::size_t>(layout.speeds);
    T* q = static_cast<T*>(scratch);
    T* u = q + vectors * coordinates;
    T* tau = u + vectors * speeds;
    T* given = tau + vectors * speeds;
    T* udot = given + vectors * speeds;
    const Workspace<T> work = make_workspace<T>(udot + vectors * speeds, layout);
    const Vec3<T> gravity = vec3<T>(states.gravity);
    const StateTiles<T> tiles{states.count};
    for (std::size_t k = 0; k < vectors * speeds; ++k) tau[k] = given[k] = T{};
    std::size_t bad = 0;
    for (std::size_t first = 0; first < states.count; first += vectors * W) {
      tiles.take(states.q, first, coordinates, q);
      tiles.take(states.u, first, speeds, u);
      tiles.take(states.force, first, speeds, tau);
      if (states.regular != nullptr) {
        tiles.take(states.acceleration, first, speeds, given);
        for (std::size_t k = 0; k < vectors * speeds; ++k) {
          if (states.regular[k % speeds] != 0.0) given[k] = T{};
        }
      }
      const std::size_t here = tiles.states(first), next = first + here;
      tiles.foresee(states.udot, first, speeds);
      tiles.foresee(states.q, next, coordinates);
      tiles.foresee(states.u, next, speeds);
      tiles.foresee(states.force, next, speeds);
      for (std::size_t v = 0; v * W < here; ++v) {
        const std::size_t at = v * speeds;
        place_links(layout, masses, q + v * coordinates, u + at, work);
        begin(layout, masses, tau + at, work);
        Watch<T> watch;
        solve<T>(layout, masses, gravity, {tau + at, given + at, states.regular}, work, udot + at,
                 watch);
        bad += StateTiles<T>::spoil(watch.good, here - v * W, speeds, udot + at);
      }
      tiles.give(udot, first, speeds, states.udot);
    }
    return bad;
  }
  static constexpr TreeCode code = {W, place, start, accelerate, states, scratch_bytes};
};

}  // namespace VERNIER_INSTRUCTIONS
}  // namespace vernier::multibody::detail
