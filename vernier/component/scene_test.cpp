#include "vernier/component/scene.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>

namespace vernier::scene {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

/// R_BS of a shape, from its quaternion: columns are the axes of the shape in the body.
Matrix3d axes(const Shape& s) {
  return Eigen::Quaterniond(s.rotation[3], s.rotation[0], s.rotation[1], s.rotation[2])
      .toRotationMatrix();
}

/// The inertia of a homogeneous shape about its centre, in the axes of the body: closed forms.
Matrix3d inertia(const Shape& s, double mass) {
  Matrix3d J = Matrix3d::Zero();
  if (s.shape == "box") {
    const Vector3d q = Vector3d(s.size[0], s.size[1], s.size[2]).cwiseAbs2();
    J.diagonal() = mass / 12.0 * Vector3d(q[1] + q[2], q[0] + q[2], q[0] + q[1]);
  } else {
    const double across = mass / 12.0 * (3.0 * s.radius * s.radius + s.length * s.length);
    J.diagonal() = Vector3d(across, across, 0.5 * mass * s.radius * s.radius);
  }
  const Matrix3d R = axes(s);
  return R * J * R.transpose();
}

Tensor tensor(const Matrix3d& J) { return {J(0, 0), J(1, 1), J(2, 2), J(0, 1), J(0, 2), J(1, 2)}; }

TEST(Scene, ABoxByInertiaHasThatInertia) {
  Matrix3d J;
  J << 260, 4.5, -2, 4.5, 240, 1.2, -2, 1.2, 190;
  const Shape s = solid(520.0, {0.1, 0.2, 0.3}, tensor(J), "bus");
  EXPECT_EQ(s.shape, "box");
  EXPECT_EQ(s.at, (Vector{0.1, 0.2, 0.3}));
  EXPECT_LT((inertia(s, 520.0) - J).norm(), 1e-12 * J.norm());
  EXPECT_NEAR(axes(s).determinant(), 1.0, 1e-12);
  EXPECT_GT(axes(s).diagonal().minCoeff(), 0.9) << "its axes are named after those of the body";
}

TEST(Scene, ABoxWithoutMassHasTheInertiaAndTheDensity) {
  const Vector moments{1377e-6, 1623e-6, 1569e-6};
  const Vector e = box_size(0.0, moments, 800.0);
  const double mass = 800.0 * e[0] * e[1] * e[2];
  EXPECT_NEAR(mass / 12.0 * (e[1] * e[1] + e[2] * e[2]), moments[0], 1e-15);
  EXPECT_NEAR(mass / 12.0 * (e[0] * e[0] + e[2] * e[2]), moments[1], 1e-15);
  EXPECT_NEAR(mass / 12.0 * (e[0] * e[0] + e[1] * e[1]), moments[2], 1e-15);
  EXPECT_NEAR(e[0], 0.1, 0.02) << "AAUSAT-II is a cube of 10 cm";
}

TEST(Scene, AWheelIsACylinderAboutItsAxis) {
  // Moment 0.16 about (1, 1, 1), 0.09 across it.
  const Vector3d axis = Vector3d(1, 1, 1).normalized();
  const Matrix3d J = 0.09 * Matrix3d::Identity() + 0.07 * axis * axis.transpose();
  const Shape s = solid(14.0, {}, tensor(J), "part", Vector{1, 1, 1});
  EXPECT_EQ(s.shape, "cylinder");
  EXPECT_EQ(s.role, "wheel");
  EXPECT_LT((inertia(s, 14.0) - J).norm(), 1e-12 * J.norm());
}

TEST(Scene, ABodyThatIsNotRoundIsNoWheel) {
  const Shape s = solid(36.0, {}, {7, 108, 115}, "part", Vector{1, 0, 0});
  EXPECT_EQ(s.shape, "box");
  EXPECT_EQ(s.role, "panel");
  EXPECT_LT((inertia(s, 36.0) - Vector3d(7, 108, 115).asDiagonal().toDenseMatrix()).norm(), 1e-10);
}

TEST(Scene, MassWithoutInertiaIsASphere) {
  const Shape s = solid(4.0 / 3.0 * 3.14159265358979323846 * 1000.0, {}, {}, "tank");
  EXPECT_EQ(s.shape, "sphere");
  EXPECT_NEAR(s.radius, 1.0, 1e-12);
}

TEST(Scene, TurnsZToADirection) {
  for (const Vector d : {Vector{1, 2, -3}, Vector{0, 0, -1}, Vector{0, 0, 2}}) {
    Shape s;
    s.rotation = z_to(d);
    EXPECT_LT((axes(s) * Vector3d::UnitZ() - Vector3d(d[0], d[1], d[2]).normalized()).norm(),
              1e-12);
  }
}

}  // namespace
}  // namespace vernier::scene
