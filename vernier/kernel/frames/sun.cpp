#include "vernier/kernel/frames/sun.hpp"

#include <erfa.h>

namespace vernier::frames {
namespace {

constexpr double spacing = 86400.0;  // s

}  // namespace

SunPath::SunPath(const Epoch& epoch, int days) : epoch_(epoch) {
  nodes_.reserve(static_cast<std::size_t>(days) + 1);
  for (int k = 0; k <= days; ++k) nodes_.push_back(at(shifted(epoch, k * spacing)));
}

SunPath::Node SunPath::at(const Epoch& e) noexcept {
  // TDB differs from TT by less than 2 ms.
  const JulianDate tt = terrestrial_time(e);
  double heliocentric[2][3], barycentric[2][3];
  eraEpv00(tt.whole, tt.part, heliocentric, barycentric);
  Node n;
  for (int i = 0; i < 3; ++i) {
    n.position[i] = -heliocentric[0][i] * astronomical_unit;
    n.velocity[i] = -heliocentric[1][i] * (astronomical_unit / spacing);
  }
  return n;
}

spatial::Vector3 SunPath::position(double t) const noexcept {
  const double place = t / spacing;
  if (!(place >= 0.0 && place < static_cast<double>(nodes_.size()) - 1.0)) {
    return at(shifted(epoch_, t)).position;
  }
  const auto k = static_cast<std::size_t>(place);
  const double s = place - static_cast<double>(k), r = 1.0 - s;
  const Node &a = nodes_[k], &b = nodes_[k + 1];
  // Cubic Hermite interpolation.
  return (1.0 + 2.0 * s) * r * r * a.position + s * s * (3.0 - 2.0 * s) * b.position +
         (s * r * spacing) * (r * a.velocity - s * b.velocity);
}

}  // namespace vernier::frames
