#pragma once

#include "vernier/kernel/multibody/detail/hinges/hinge.hpp"

namespace vernier::multibody::detail {
inline namespace VERNIER_INSTRUCTIONS {

/// Does not move.
struct Fixed : HingeBase<Fixed> {
  static constexpr const char* name = "fixed";
  static constexpr int coordinates = 0, speeds = 0;
  static constexpr const DofFacts* dofs = nullptr;
  static constexpr int axes = 0;
  static constexpr bool turns(int) { return true; }
  static constexpr bool slides(int) { return false; }

  template <class T>
  static VERNIER_INLINE Vec3<T> place(const T*, const T&, Mat3<T>&, Vec3<T>&, T*) noexcept {
    return zero3<T>();
  }
  template <class T>
  static VERNIER_INLINE void move(const T*, const T&, const T*, Vec6<T>&, Vec6<T>& c) noexcept {
    c = zero6<T>();
  }
  template <class T>
  static VERNIER_INLINE Vec6<T> axis(int, const T&, const T*) noexcept {
    return zero6<T>();
  }
  template <class T, class H>
  static VERNIER_INLINE void hang(const T*, const T*, const T&, H&) noexcept {}
};

}  // namespace VERNIER_INSTRUCTIONS
}  // namespace vernier::multibody::detail
