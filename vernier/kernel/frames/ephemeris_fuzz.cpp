// Ephemerides from anywhere.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>

#include "vernier/base/require.hpp"
#include "vernier/kernel/frames/ephemeris.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace vernier;
  using frames::Ephemeris;
  const auto e = Ephemeris::read(std::as_bytes(std::span(data, size)));
  if (!e) {
    require(!e.error().empty());
    return 0;
  }
  require(e->end() > e->begin());
  Ephemeris::PositionVelocity s;
  spatial::Vector3 angles;
  require(e->librations({e->begin(), 1e-3}, angles) == e->has_librations());
  for (int body = 0; body < 11; ++body) {
    for (const double share : {-0.1, 0.0, 0.3, 0.999, 1.0, 1.1}) {
      const double day = share * (e->end() - e->begin());
      const bool there = e->state(static_cast<Ephemeris::Body>(body), {e->begin(), day}, s);
      require(!there || (share >= 0.0 && share <= 1.0));
    }
  }
  return 0;
}
