#pragma once

#include "vernier/kernel/elementary/lanes.hpp"
#include "vernier/kernel/hybrid/detail/gather.hpp"

namespace vernier::hybrid::detail {
inline namespace VERNIER_INSTRUCTIONS {

using elementary::constant;

template <int W>
struct LaneMovesOf {
  using T = elementary::Lanes<W>;
  static constexpr std::size_t eight = 8;

  static VERNIER_INLINE T at(const double* from) noexcept {
    T v;
    __builtin_memcpy(&v, from, sizeof v);
    return v;
  }
  static VERNIER_INLINE void put(const T& v, double* to) noexcept {
    __builtin_memcpy(to, &v, sizeof v);
  }

  static VERNIER_INLINE void copy_all(const double* from, std::size_t elements,
                                      double* to) noexcept {
    for (std::size_t i = 0; i < elements * eight; i += W) put(at(from + i), to + i);
  }
  static void copy(const double* from, std::size_t elements, double* to) {
    copy_all(from, elements, to);
  }

  static void gather(const Gather* gathers, std::size_t count, const double* parts,
                     const double* outside, double* to) {
    using enum Gather::Kind;
    for (const Gather* g = gathers; g != gathers + count; ++g) {
      double* b = to + g->to * eight;
      const std::size_t numbers = g->count * eight;
      const bool adds =
          g->kind == add_1 || g->kind == add_3 || g->kind == add || g->kind == add_scaled;
      const double* a = g->outside ? outside : parts;
      if (a == nullptr) {  // a direction in which the inputs do not move
        for (std::size_t i = 0; !adds && i < numbers; i += W) put(constant<T>(0.0), b + i);
        continue;
      }
      a += g->from * eight;
      const T gain = constant<T>(g->gain);
      if (g->kind == scale) {
        for (std::size_t i = 0; i < numbers; i += W) put(gain * at(a + i), b + i);
      } else if (g->kind == add_scaled) {
        for (std::size_t i = 0; i < numbers; i += W) put(at(b + i) + gain * at(a + i), b + i);
      } else if (adds) {
        for (std::size_t i = 0; i < numbers; i += W) put(at(b + i) + at(a + i), b + i);
      } else {
        copy_all(a, g->count, b);
      }
    }
  }

  static constexpr LaneMoves table{&copy, &gather};
};

}  // namespace VERNIER_INSTRUCTIONS
}  // namespace vernier::hybrid::detail
