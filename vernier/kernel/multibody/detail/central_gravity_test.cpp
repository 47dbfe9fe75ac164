#include "vernier/kernel/multibody/detail/central_gravity.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>

namespace vernier::multibody::detail {
namespace {

constexpr double mu = 4.0;

// A few lumps with two modes, none of them symmetric, a tenth of the distance in size.
std::vector<Lump> lumps() {
  std::vector<Lump> all(4);
  const double p[4][3] = {{0.3, 0.1, 0.0}, {-0.2, 0.2, 0.1}, {0.0, -0.3, 0.2}, {0.1, 0.0, -0.3}};
  for (int i = 0; i < 4; ++i) {
    Lump& l = all[static_cast<std::size_t>(i)];
    l.mass = 1.0 + i;
    l.p = {p[i][0], p[i][1], p[i][2]};
    l.shape.resize(3, 2);
    l.shape << 0.1 * i, 0.2, 0.3 - 0.1 * i, 0.1, 0.05, -0.2 + 0.1 * i;
  }
  return all;
}

struct Loads {
  spatial::Force force;
  double modal[2] = {};
};

class CentralGravity : public ::testing::Test {
 protected:
  CentralGravity() : inertia(rigid_inertia(lumps())), modes(modal_integrals(lumps())) {
    pose.R = Eigen::AngleAxisd(0.7, Vector3(1, 2, 3).normalized()).toRotationMatrix();
    pose.p = {3.0, -2.0, 1.0};
  }
  Loads loads(const Pose& at, std::vector<double> bent) const {
    Loads l;
    l.force = central_force(mu, at, inertia, &modes, bent, l.modal);
    return l;
  }
  double potential(const Pose& at, std::vector<double> bent) const {
    return central_potential(mu, at, inertia, &modes, bent);
  }
  Inertia inertia;
  Modes modes;
  Pose pose;
  std::vector<double> eta = {0.2, -0.3};
};

TEST_F(CentralGravity, IsTheDerivativeOfItsPotential) {
  for (const int order : {0, 1, 2, 3}) {
    modes.order = order == 3 ? 1 : order;
    if (order == 3) {  // second-order displacements
      auto bent = lumps();
      for (std::size_t i = 0; i < bent.size(); ++i) {
        const double x = static_cast<double>(i);
        bent[i].second =
            (Matrix3X(3, 3) << -0.2, 0.1, 0.3, 0.1 * x, -0.1, 0.2, 0.3, -0.1 * x, 0.05).finished();
      }
      modes = modal_integrals(bent);
      modes.order = 1;
      ASSERT_TRUE(modes.shortens());
    }
    const Loads l = loads(pose, eta);
    const double h = 1e-4;  // errors: h² and 1e-16/h, times potentials of order 10
    for (int i = 0; i < 3; ++i) {
      const Vector3 e = Vector3::Unit(i);
      const auto slid = [&](double s) { return potential({pose.R, pose.p + s * pose.R * e}, eta); };
      EXPECT_NEAR(l.force.resultant[i], -(slid(h) - slid(-h)) / (2 * h), 1e-7);
      const auto turned = [&](double s) {
        return potential({pose.R * Eigen::AngleAxisd(s, e).toRotationMatrix(), pose.p}, eta);
      };
      EXPECT_NEAR(l.force.moment[i], -(turned(h) - turned(-h)) / (2 * h), 1e-7);
    }
    for (std::size_t i = 0; i < 2; ++i) {
      const auto bent = [&](double s) {
        auto e = eta;
        e[i] += s;
        return potential(pose, e);
      };
      EXPECT_NEAR(l.modal[i], -(bent(h) - bent(-h)) / (2 * h), 1e-7) << order;
    }
  }
}

TEST_F(CentralGravity, IsThatOfTheLumpsToSecondOrder) {
  // exact sum over lumps; what is left out falls with the cube of size over distance
  const auto errors = [&](double distance) {
    Pose at = pose;
    at.p = pose.p.normalized() * distance;
    const Loads l = loads(at, eta);
    Vector3 force = Vector3::Zero(), moment = Vector3::Zero();
    double modal[2] = {};
    for (const Lump& lump : lumps()) {
      const Eigen::Vector2d e(eta[0], eta[1]);
      const Vector3 rho = lump.p + lump.shape * e;
      const Vector3 f = lump.mass * at.R.transpose() * central_acceleration(mu, at.p + at.R * rho);
      force += f;
      moment += rho.cross(f);
      for (int i = 0; i < 2; ++i) modal[i] += lump.shape.col(i).dot(f);
    }
    const double scale = mu * inertia.mass / (distance * distance);
    return std::array{(l.force.resultant - force).norm() / scale,
                      (l.force.moment - moment).norm() / scale,
                      std::hypot(l.modal[0] - modal[0], l.modal[1] - modal[1]) / scale};
  };
  const auto near = errors(20.0), far = errors(200.0);
  for (std::size_t i = 0; i < near.size(); ++i) {
    EXPECT_LT(near[i], 1e-4);
    EXPECT_NEAR(std::log10(near[i] / far[i]), i == 0 ? 3.0 : 2.0, 0.2) << i;
  }
}

TEST_F(CentralGravity, OfARigidBodyIsTheGravityGradientOfTheBooks) {
  const Inertia rigid{5.0, Vector3::Zero(), Vector3(2, 3, 4).asDiagonal()};
  const spatial::Force f = central_force(mu, pose, rigid, nullptr, {}, {});
  const Vector3 e = (pose.R.transpose() * pose.p).normalized();
  const double r = pose.p.norm();
  const Vector3 torque = 3.0 * mu / (r * r * r) * e.cross(rigid.inertia * e);
  EXPECT_LT((f.moment - torque).norm(), 1e-15);
}

}  // namespace
}  // namespace vernier::multibody::detail
