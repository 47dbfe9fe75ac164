#pragma once

#include "vernier/kernel/multibody/detail/lanes_plan.hpp"
#include "vernier/kernel/multibody/detail/node_force.hpp"
#include "vernier/kernel/multibody/detail/solve.hpp"

/// The sweeps with one state in each of eight lanes. Operations and their order are those of the
/// sweeps with single numbers, so every lane has the same bits.
namespace vernier::multibody::detail {
inline namespace VERNIER_INSTRUCTIONS {

struct LaneSweeps {
  using T = elementary::Lanes<state_lanes>;

  struct Memory {
    MassOf<T>* masses;
    Workspace<T> work;
    unsigned long bytes;
  };
  static Memory divide(double* memory, const LayoutView& layout) noexcept {
    Memory m;
    m.masses = reinterpret_cast<MassOf<T>*>(memory);
    const unsigned long masses = sizeof(MassOf<T>) * static_cast<unsigned long>(layout.count);
    m.work = make_workspace<T>(reinterpret_cast<char*>(memory) + masses, layout);
    m.bytes = masses + workspace_bytes<T>(layout);
    return m;
  }
  static unsigned long bytes(const LayoutView& layout) noexcept {
    return divide(nullptr, layout).bytes;
  }
  static void set_mass(const LayoutView& layout, double* memory, int link, int lane,
                       const Mass& mass) noexcept {
    auto* to = reinterpret_cast<T*>(divide(memory, layout).masses + link);
    const auto* from = reinterpret_cast<const double*>(&mass);
    for (unsigned long i = 0; i < sizeof(Mass) / sizeof(double); ++i) to[i][lane] = from[i];
  }
  static void place(const LayoutView& layout, double* memory, const double* q,
                    const double* u) noexcept {
    const Memory m = divide(memory, layout);
    place_links(layout, m.masses, reinterpret_cast<const T*>(q), reinterpret_cast<const T*>(u),
                m.work);
  }
  template <class S, class D>
  static void take(const S& from, int lane, D& to) noexcept {
    static_assert(sizeof(S) == state_lanes * sizeof(D));
    const auto* x = reinterpret_cast<const double*>(&from) + lane;
    auto* y = reinterpret_cast<double*>(&to);
    for (unsigned long i = 0; i < sizeof(D) / sizeof(double); ++i) y[i] = x[state_lanes * i];
  }
  static void take_place(const LayoutView& layout, const double* memory, int lane,
                         void* workspace) noexcept {
    const Memory m = divide(const_cast<double*>(memory), layout);
    const Workspace<double> to = make_workspace<double>(workspace, layout);
    for (int k = 0; k < layout.count; ++k) {
      take(m.work.links[k].E, lane, to.links[k].E);
      take(m.work.links[k].r, lane, to.links[k].r);
      take(m.work.links[k].V, lane, to.links[k].V);
      if (!layout.links[k].inboard_moves) continue;
      const int mode = layout.links[k].mode;
      take(m.work.modal[mode].Ri, lane, to.modal[mode].Ri);
      take(m.work.modal[mode].pi, lane, to.modal[mode].pi);
    }
  }
  static void take_all(const LayoutView& layout, const double* memory, int lane,
                       void* workspace) noexcept {
    const auto* from =
        reinterpret_cast<const double*>(divide(const_cast<double*>(memory), layout).work.links) +
        lane;
    auto* to = static_cast<double*>(workspace);
    const unsigned long count = workspace_bytes<double>(layout) / sizeof(double);
    for (unsigned long i = 0; i < count; ++i) to[i] = from[state_lanes * i];
  }
  static void begin(const LayoutView& layout, double* memory, const double* tau) noexcept {
    const Memory m = divide(memory, layout);
    detail::begin(layout, m.masses, reinterpret_cast<const T*>(tau), m.work);
  }
  static void push(const LayoutView& layout, double* memory, const NodeRecord& record,
                   const double* force) noexcept {
    const Memory m = divide(memory, layout);
    const auto* f = reinterpret_cast<const T*>(force);
    const T* const unmoved = nullptr;  // loads act on frames, which modes do not move
    apply(layout, record, node_of(layout, record, unmoved, unmoved), unmoved,
          Vec6<T>{{f[0], f[1], f[2]}, {f[3], f[4], f[5]}}, m.work);
  }
  static unsigned accelerate(const LayoutView& layout, double* memory, const double* gravity,
                             const double* tau, const double* given, const double* regular,
                             double* udot) noexcept {
    const Memory m = divide(memory, layout);
    const Drive<T> drive{reinterpret_cast<const T*>(tau), reinterpret_cast<const T*>(given),
                         regular};
    Watch<T> watch;
    if (regular != nullptr) {
      gather<T, true>(layout, m.masses, drive, m.work, watch);
    } else {
      gather<T, false>(layout, m.masses, drive, m.work, watch);
    }
    spread(layout, vec3<T>(gravity), drive, m.work, reinterpret_cast<T*>(udot));
    unsigned good = 0;
    for (unsigned l = 0; l < state_lanes; ++l) good |= watch.good[l] != 0 ? 1u << l : 0u;
    return good;
  }
  static constexpr LanesCode code = {bytes,    set_mass, place, take_place,
                                     take_all, begin,    push,  accelerate};
};

}  // namespace VERNIER_INSTRUCTIONS
}  // namespace vernier::multibody::detail
