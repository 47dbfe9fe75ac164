#include "vernier/kernel/linear/linear.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "vernier/testing/formula_system.hpp"

namespace vernier::linear {
namespace {

using testing::Dual;
using testing::FormulaSystem;
using testing::Terms;

// x'' = -w² x - 2 d w x' + u: closed form
TEST(Linear, AnOscillatorHasItsFrequencyAndDamping) {
  const double w = 3.0, d = 0.2;
  const FormulaSystem system(
      {.states = {{.name = "x"}, {.name = "v"}},
       .inputs = {{.name = "u"}},
       .outputs = {{.name = "y"}},
       .locations = {{"only",
                      [=](const Terms& e, Dual* r) {
                        r[0] = e.x[1];
                        r[1] = -w * w * e.x[0] - 2.0 * d * w * e.x[1] + e.u[0];
                      },
                      [](const Terms& e, Dual* r) { r[0] = 2.0 * e.x[0] + 0.5 * e.u[0]; }}},
       .feedthrough = {{0, 0}}});
  const std::vector<double> x{0.0, 0.0}, u{0.0};
  const LinearSystem l = linearize(system, {0.0, x, {}, u});
  EXPECT_EQ(l.A(1, 0), -w * w);
  EXPECT_EQ(l.A(1, 1), -2.0 * d * w);
  EXPECT_EQ(l.B(1, 0), 1.0);
  EXPECT_EQ(l.C(0, 0), 2.0);
  EXPECT_EQ(l.D(0, 0), 0.5);
  const auto all = modes(l);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_NEAR(all[0].frequency, w / (2.0 * M_PI), 1e-14);
  EXPECT_NEAR(all[0].damping, d, 1e-14);
  EXPECT_NEAR(all[0].eigenvalue.imag(), w * std::sqrt(1.0 - d * d), 1e-13);
}

// a free symmetric top about its spin: nutation at (Iz - It)/It ω in body axes, and attitude errors
// that turn with the body
TEST(Linear, ASpinningTopNutatesAsEulerSays) {
  const double Iz = 2.0, It = 1.25, spin = 0.7;
  const FormulaSystem top({.states = {{.name = "q", .count = 4}, {.name = "w", .count = 3}},
                           .locations = {{"only",
                                          [=](const Terms& e, Dual* r) {
                                            const Dual *q = e.x, *w = e.x + 4;
                                            r[0] = 0.5 * (w[2] * q[1] - w[1] * q[2] + w[0] * q[3]);
                                            r[1] = 0.5 * (-w[2] * q[0] + w[0] * q[2] + w[1] * q[3]);
                                            r[2] = 0.5 * (w[1] * q[0] - w[0] * q[1] + w[2] * q[3]);
                                            r[3] = -0.5 * (w[0] * q[0] + w[1] * q[1] + w[2] * q[2]);
                                            r[4] = (It - Iz) / It * w[1] * w[2];
                                            r[5] = (Iz - It) / It * w[2] * w[0];
                                            r[6] = Dual(0.0);
                                          }}},
                           .unit_vectors = {{0, 4, hybrid::UnitVector::Kind::quaternion}}});
  for (const double angle : {0.0, 1.3}) {
    // an attitude that says nothing special
    const double c = std::cos(0.4), s = std::sin(0.4);
    const std::vector<double> x{s * std::cos(angle), s * std::sin(angle), 0.0, c, 0.0, 0.0, spin};
    const LinearSystem l = linearize(top, {0.0, x, {}, {}});
    ASSERT_EQ(l.A.rows(), 6);
    EXPECT_EQ(l.states[0].name, "q about x");
    // δθ' = -ω × δθ + δω
    EXPECT_NEAR(l.A(0, 1), spin, 1e-14);
    EXPECT_NEAR(l.A(1, 0), -spin, 1e-14);
    EXPECT_NEAR(l.A(0, 3), 1.0, 1e-14);
    EXPECT_NEAR(l.A(2, 5), 1.0, 1e-14);
    std::vector<double> found;
    for (const Mode& m : modes(l)) found.push_back(2.0 * M_PI * m.frequency);
    ASSERT_EQ(found.size(), 4u);  // two at rest about z, nutation, the turning frame
    EXPECT_NEAR(found[2], (Iz - It) / It * spin, 1e-7);
    EXPECT_NEAR(found[3], spin, 1e-7);
  }
}

}  // namespace
}  // namespace vernier::linear
