#pragma once

#include "vernier/kernel/multibody/detail/lane_readings.hpp"
#include "vernier/kernel/multibody/detail/lanes_plan.hpp"
#include "vernier/kernel/multibody/detail/solve.hpp"
#include "vernier/kernel/multibody/detail/star_eight.hpp"
#include "vernier/kernel/multibody/detail/surroundings.hpp"

/// The sweeps with one state in each of eight lanes. Operations and their order are those of the
/// sweeps with single numbers, so every lane has the same bits.
namespace vernier::multibody::detail {
inline namespace VERNIER_INSTRUCTIONS {

struct LaneSweeps {
  using T = elementary::Lanes<state_lanes>;
  using Around = Surroundings<T>;

  /// The parts of the memory of a general tree.
  struct Memory {
    MassOf<T>* masses;   // for the sweeps
    MassOf<T>* weights;  // in working frames; the same unless it is a star
    Workspace<T> work;
    unsigned long bytes;
  };
  static Memory divide(double* memory, const LaneCraft& craft) noexcept {
    const LayoutView& layout = craft.layout;
    Memory m;
    m.masses = m.weights = reinterpret_cast<MassOf<T>*>(memory);
    if (craft.star != nullptr) m.weights += layout.count;
    const unsigned long masses = sizeof(MassOf<T>) * static_cast<unsigned long>(layout.count) *
                                 (craft.star != nullptr ? 2 : 1);
    m.work = make_workspace<T>(reinterpret_cast<char*>(memory) + masses, layout);
    m.bytes = masses + workspace_bytes<T>(layout);
    return m;
  }
  static unsigned long bytes(const LaneCraft& craft) noexcept {
    return divide(nullptr, craft).bytes + (craft.star != nullptr ? StarEight<T>::bytes(craft) : 0);
  }
  static StarEight<T> star_of(const LaneCraft& craft, double* memory) noexcept {
    const Memory m = divide(memory, craft);
    return StarEight<T>(craft, reinterpret_cast<char*>(memory) + m.bytes);
  }
  static void set_mass(const LaneCraft& craft, double* memory, int link, int lane,
                       const Mass& in_frame, const Mass& for_sweeps) noexcept {
    const Memory m = divide(memory, craft);
    const auto put = [lane](const Mass& mass, MassOf<T>& wide) noexcept {
      auto* to = reinterpret_cast<T*>(&wide);
      const auto* from = reinterpret_cast<const double*>(&mass);
      for (unsigned long i = 0; i < sizeof(Mass) / sizeof(double); ++i) to[i][lane] = from[i];
    };
    put(in_frame, m.weights[link]);
    put(for_sweeps, m.masses[link]);
  }
  static void weigh(const LaneCraft& craft, const SurroundingsPoint& at, double* memory) noexcept {
    const Memory m = divide(memory, craft);
    const Around around(craft.layout, craft.around, at, m.work);
    around.weigh([&](int k, const T& mass, const Vec3<T>& s, const Mat3<T>& J) noexcept {
      const VaryingPlan& of = craft.around.varying[k];
      mass_in_frame(of, mass, s, J, m.weights[of.link]);
      if (craft.star == nullptr) return;
      if (craft.layout.links[of.link].parent < 0) {
        put_mass(mass, s, J, m.masses[of.link]);
      } else {
        mass_at_hinge(of, mass, s, J, m.masses[of.link]);
      }
    });
  }
  static void place(const LaneCraft& craft, const SurroundingsPoint& at, double* memory) noexcept {
    const Memory m = divide(memory, craft);
    const auto *q = reinterpret_cast<const T*>(at.q), *u = reinterpret_cast<const T*>(at.u);
    if (craft.star != nullptr) {
      star_of(craft, memory).place(m.masses, q, u, m.work);
    } else {
      place_links(craft.layout, m.masses, q, u, m.work);
    }
  }
  static void gather(const LaneCraft& craft, const SurroundingsPoint& at, double* memory) noexcept {
    const Memory m = divide(memory, craft);
    const Around around(craft.layout, craft.around, at, m.work);
    around.pose();
    around.gather();
  }
  static unsigned accelerate(const LaneCraft& craft, const SurroundingsPoint& at,
                             const LaneDrive& given, double* memory, double* udot) noexcept {
    const LayoutView& layout = craft.layout;
    const Memory m = divide(memory, craft);
    const Drive<T> drive{reinterpret_cast<const T*>(at.tau),
                         reinterpret_cast<const T*>(given.given), given.regular};
    auto* const to = reinterpret_cast<T*>(udot);
    if (craft.around.burns) {
      auto* load = reinterpret_cast<T*>(at.loads) + 6 * craft.bus_load;
      for (int i = 0; i < 6; ++i) load[i] += reinterpret_cast<const T*>(at.jet)[i];
    }
    const auto each_load = [&](const auto& take) noexcept {
      for (int k = 0; k < craft.around.load_count; ++k) {
        const auto* f = reinterpret_cast<const T*>(at.loads) + 6 * k;
        take(*craft.around.loads[k].frame, Vec6<T>{{f[0], f[1], f[2]}, {f[3], f[4], f[5]}});
      }
    };
    Mask<T> good;
    if (craft.star != nullptr) {
      StarEight<T> star = star_of(craft, memory);
      star.forget_forces();
      each_load([&](const NodeRecord& frame, const Vec6<T>& f) noexcept {
        // Loads act on frames, which modes do not move.
        star.push(frame.link, force_from(rotated(mat3<T>(frame.R0), f), vec3<T>(frame.p0)));
      });
      good = star.accelerate(m.masses, reinterpret_cast<const T*>(at.q),
                             reinterpret_cast<const T*>(at.u), drive, to);
    } else {
      begin(layout, m.masses, drive.tau, m.work);
      each_load([&](const NodeRecord& frame, const Vec6<T>& f) noexcept {
        const T* const unmoved = nullptr;
        apply(layout, frame, node_of(layout, frame, unmoved, unmoved), unmoved, f, m.work);
      });
      Watch<T> watch;
      if (drive.regular != nullptr) {
        detail::gather<T, true>(layout, m.masses, drive, m.work, watch);
      } else {
        detail::gather<T, false>(layout, m.masses, drive, m.work, watch);
      }
      spread(layout, vec3<T>(craft.around.gravity), drive, m.work, to);
      good = watch.good;
    }
    for (int i = 0; i < layout.speeds; ++i) good = good & (to[i] - to[i] == constant<T>(0.0));
    unsigned bits = 0;
    for (unsigned l = 0; l < state_lanes; ++l) bits |= good[l] != 0 ? 1u << l : 0u;
    return bits;
  }
  static void read(const LaneCraft& craft, const SurroundingsPoint& at, const LaneDrive& given,
                   double* memory, const double* udot, const LaneReadings& to) noexcept {
    const Memory m = divide(memory, craft);
    if (craft.star != nullptr)
      star_of(craft, memory)
          .describe_all(m.masses, m.weights, reinterpret_cast<const T*>(at.q),
                        reinterpret_cast<const T*>(at.u), reinterpret_cast<const T*>(at.tau),
                        reinterpret_cast<const T*>(udot), m.work);
    const Around around(craft.layout, craft.around, at, m.work);
    around.pose(true);
    const Readings<T> readings(craft.layout, craft.around, at, m.work, m.weights, udot, around);
    const auto reaction = [&](int k) noexcept {
      return craft.star != nullptr
                 ? m.work.links[k].z
                 : reaction_of(craft.layout, m.masses, m.work, given.regular != nullptr, k);
    };
    readings.speeds(to.speeds);
    readings.efforts(given.regular, reaction, to.efforts);
    readings.sense(to.readings);
    readings.totals(to.totals);
    if (to.reactions != nullptr) readings.reactions(reaction, to.reactions);
  }
  static void coordinate_rates(const LayoutView& layout, const double* q, const double* u,
                               double* qdot) noexcept {
    const auto *from = reinterpret_cast<const T*>(q), *by = reinterpret_cast<const T*>(u);
    auto* to = reinterpret_cast<T*>(qdot);
    for (int k = 0; k < layout.count; ++k) {
      const TreeLink& link = layout.links[k];
      hinge_rates(link.kind, from + link.q, by + link.u, to + link.q);
      for (int i = 0; i < link.modes; ++i) to[link.q_modes + i] = by[link.u_modes + i];
    }
  }
  static constexpr LanesCode code = {bytes,  set_mass,   weigh, place,
                                     gather, accelerate, read,  coordinate_rates};
};

}  // namespace VERNIER_INSTRUCTIONS
}  // namespace vernier::multibody::detail
