#include "vernier/kernel/frames/earth_rotation.hpp"

#include <erfa.h>
#include <gtest/gtest.h>

#include <numbers>

#include "vernier/kernel/frames/dates.hpp"

namespace vernier::frames {
namespace {

// The worked example of "SOFA Tools for Earth Attitude" (IAU SOFA board), section 5: 2007 April 5,
// 12:00 UTC, UT1 - UTC = -0.072073685 s. The matrices there include corrections of the pole
// (dX = 0.1725, dY = -0.2650 milliarcseconds) and polar motion, which this model leaves out.
const Epoch cookbook = *parsed_epoch("2007-04-05T12:00:00");
constexpr double cookbook_dut1 = -0.072073685;

TEST(EarthRotation, AngleIsThatOfTheSofaExample) {
  // 13.318492966097 degrees
  EXPECT_NEAR(iau2006_rotation(cookbook, cookbook_dut1).angle * 180.0 / std::numbers::pi,
              13.318492966097, 1e-10);
}

TEST(EarthRotation, MatrixIsThatOfTheSofaExampleToTheSizeOfWhatIsLeftOut) {
  // celestial to terrestrial without polar motion, "IAU 2006/2000A, CIO based, using X, Y series"
  spatial::Matrix3 published;
  published << +0.973104317573127, +0.230363826247709, -0.000703332818845,  //
      -0.230363798804182, +0.973104570735574, +0.000120888549586,           //
      +0.000712264729599, +0.000044385250426, +0.999999745354420;
  const spatial::Matrix3 computed = earth_matrix(iau2006_rotation(cookbook, cookbook_dut1), 0.0);
  EXPECT_LT((computed - published).cwiseAbs().maxCoeff(), 2.5e-9);  // 0.3 mas is 1.5e-9
}

TEST(EarthRotation, ADayLaterDiffersFromTheFullModelByTheMovedPoleOnly) {
  const Epoch later = shifted(cookbook, 86400.0);
  const spatial::Matrix3 held = earth_matrix(iau2006_rotation(cookbook, cookbook_dut1), 86400.0);
  const spatial::Matrix3 full = earth_matrix(iau2006_rotation(later, cookbook_dut1), 0.0);
  const double arc_seconds = (held - full).norm() / std::sqrt(2.0) * 206264.8;
  EXPECT_LT(arc_seconds, 0.15);
  EXPECT_GT(arc_seconds, 0.001);  // the pole does move
}

TEST(EarthRotation, TurnsOnceInASiderealDay) {
  const EarthRotation r = iau2006_rotation(cookbook, cookbook_dut1);
  const double period = 2.0 * std::numbers::pi / earth_rotation_rate;
  EXPECT_NEAR(period, 86164.0989, 1e-3);  // stellar day, IERS
  EXPECT_LT((earth_matrix(r, period) - earth_matrix(r, 0.0)).norm(), 1e-14);
}

TEST(EarthRotation, SiderealTimeIsThatOfTheSofaTestProgram) {
  // t_sofa_c: iauGmst06(2400000.5, 53736.0, 2400000.5, 53736.0) = 1.754174971870091203. Here TT
  // runs 65.184 s ahead of UT1, which moves it by the precession of that time
  const Epoch e = *parsed_epoch("2006-01-01T00:00:00");
  EXPECT_NEAR(greenwich_sidereal_time(e, 0.0), 1.754174971870091203, 1e-9);
}

}  // namespace
}  // namespace vernier::frames
