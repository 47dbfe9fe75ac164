#include "vernier/kernel/elementary/lane_functions.hpp"

namespace vernier::elementary {

namespace detail {
extern const LaneFunctions lanes_sse2;
#if defined(VERNIER_WIDE_INSTRUCTIONS)
extern const LaneFunctions lanes_avx2, lanes_avx512;
#endif
}  // namespace detail

const LaneFunctions& lane_functions(Instructions set) noexcept {
#if defined(VERNIER_WIDE_INSTRUCTIONS)
  if (set == Instructions::avx512) return detail::lanes_avx512;
  if (set == Instructions::avx2) return detail::lanes_avx2;
#endif
  static_cast<void>(set);
  return detail::lanes_sse2;
}

}  // namespace vernier::elementary
