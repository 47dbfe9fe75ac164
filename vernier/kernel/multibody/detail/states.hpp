#pragma once

#include <cstddef>

#include "vernier/kernel/elementary/lanes.hpp"

namespace vernier::multibody::detail {
inline namespace VERNIER_INSTRUCTIONS {

/// Many states in arrays by element (element k of state i at [k * count + i]), processed in tiles
/// of a few vectors. Rows of such arrays are far apart, and a tile uses whole cache lines of each.
template <class T>
struct StateTiles {
  static constexpr std::size_t vectors = 2, width = elementary::lane_count<T>;
  std::size_t count = 0;  // of states

  /// The number of states in the tile that begins with state `first`.
  std::size_t states(std::size_t first) const noexcept {
    return count - first < vectors * width ? count - first : vectors * width;
  }
  /// Loads a tile: element k of vector v goes to to[v * elements + k]. Lanes beyond the last state
  /// repeat the first of their vector.
  void take(const double* from, std::size_t first, std::size_t elements, T* to) const noexcept {
    if (from == nullptr) return;
    const std::size_t here = states(first);
    for (std::size_t k = 0; k < elements; ++k) {
      const double* row = from + k * count + first;
      for (std::size_t v = 0; v * width < here; ++v) {
        T& x = to[v * elements + k];
        if ((v + 1) * width <= here) {
          __builtin_memcpy(&x, row + v * width, sizeof x);
        } else {
          for (std::size_t i = 0; i < width; ++i)
            x[i] = row[v * width + (v * width + i < here ? i : 0)];
        }
      }
    }
  }
  /// Prefetches for take() or give(): there are too many rows for the hardware prefetcher.
  void foresee(const double* row, std::size_t first, std::size_t elements) const noexcept {
    if (row == nullptr || first >= count) return;
    constexpr std::size_t line = 64 / sizeof(double);
    for (std::size_t k = 0; k < elements; ++k) {
      for (std::size_t i = 0; i < vectors * width; i += line)
        __builtin_prefetch(row + k * count + first + i, 0, 2);
    }
  }
  void give(const T* from, std::size_t first, std::size_t elements, double* to) const noexcept {
    const std::size_t here = states(first);
    for (std::size_t k = 0; k < elements; ++k) {
      double* row = to + k * count + first;
      for (std::size_t v = 0; v * width < here; ++v) {
        const std::size_t left = here - v * width;
        const T& x = from[v * elements + k];
        if (left >= width) {
          __builtin_memcpy(row + v * width, &x, sizeof x);
        } else {
          for (std::size_t i = 0; i < left; ++i) row[v * width + i] = x[i];
        }
      }
    }
  }
  /// Sets singular lanes of one vector to NaN, including lanes whose results are not finite.
  /// Returns their number among the first `lanes`.
  template <class M>
  static std::size_t spoil(M good, std::size_t lanes, std::size_t elements, T* udot) noexcept {
    for (std::size_t k = 0; k < elements; ++k) good = good & (udot[k] - udot[k] == T{});
    if (elementary::all(good)) return 0;
    const T none = elementary::constant<T>(__builtin_nan(""));
    for (std::size_t k = 0; k < elements; ++k) udot[k] = elementary::select(good, udot[k], none);
    std::size_t bad = 0;
    for (std::size_t i = 0; i < width && i < lanes; ++i) bad += good[i] == 0 ? 1 : 0;
    return bad;
  }
};

}  // namespace VERNIER_INSTRUCTIONS
}  // namespace vernier::multibody::detail
