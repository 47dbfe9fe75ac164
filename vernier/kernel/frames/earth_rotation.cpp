#include "vernier/kernel/frames/earth_rotation.hpp"

#include <erfa.h>

#include <cmath>

#include "vernier/kernel/elementary/elementary.hpp"

namespace vernier::frames {

EarthRotation iau2006_rotation(const Epoch& epoch, double dut1) {
  const JulianDate tt = terrestrial_time(epoch);
  const JulianDate ut1 = universal_time(epoch, dut1);
  double x = 0.0, y = 0.0, s = 0.0, c[3][3];
  eraXys06a(tt.whole, tt.part, &x, &y, &s);
  eraC2ixys(x, y, s, c);
  EarthRotation r;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) r.pole(i, j) = c[i][j];
  }
  r.angle = eraEra00(ut1.whole, ut1.part);
  return r;
}

spatial::Matrix3 earth_matrix(const EarthRotation& r, double t) noexcept {
  const double angle = r.angle + r.rate * t;
  const double c = elementary::cos(angle), s = elementary::sin(angle);
  spatial::Matrix3 m;
  m.row(0) = c * r.pole.row(0) + s * r.pole.row(1);
  m.row(1) = -s * r.pole.row(0) + c * r.pole.row(1);
  m.row(2) = r.pole.row(2);
  return m;
}

double greenwich_sidereal_time(const Epoch& epoch, double dut1) noexcept {
  const JulianDate tt = terrestrial_time(epoch);
  const JulianDate ut1 = universal_time(epoch, dut1);
  return eraGmst06(ut1.whole, ut1.part, tt.whole, tt.part);
}

}  // namespace vernier::frames
