#include "vernier/kernel/multibody/detail/nodes.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <random>

namespace vernier::multibody::detail {
namespace {

using VectorX = Eigen::VectorXd;
using Matrix6X = Eigen::Matrix<double, 6, Eigen::Dynamic>;
using spatial::Motion;

Matrix3 skew(const Vector3& v) {
  Matrix3 m;
  m << 0, -v[2], v[1], v[2], 0, -v[0], -v[1], v[0], 0;
  return m;
}
Matrix3 exponential(const Vector3& th) {
  const double a = th.norm();
  if (a == 0.0) return Matrix3::Identity();
  return Eigen::AngleAxisd(a, th / a).toRotationMatrix();
}
// Right Jacobian of SO(3), as a power series: Σ (-K)^k/(k+1)!
Matrix3 right_jacobian(const Vector3& th) {
  Matrix3 sum = Matrix3::Identity(), term = sum;
  for (int k = 1; k < 40; ++k) {
    term = -term * skew(th) / (k + 1);
    sum += term;
  }
  return sum;
}

struct Random {
  std::mt19937 engine{20};
  double operator()(double size = 1.0) {
    return std::uniform_real_distribution<>(-size, size)(engine);
  }
  Vector3 vector(double size = 1.0) { return {(*this)(size), (*this)(size), (*this)(size)}; }
  Matrix3X columns(std::size_t n, double size) {
    Matrix3X m(3, static_cast<Eigen::Index>(n));
    for (Eigen::Index i = 0; i < m.size(); ++i) m.data()[i] = (*this)(size);
    return m;
  }
  Node node(std::size_t modes, double size) {
    Node n;
    n.pose.R = exponential(vector(3.0));
    n.pose.p = vector(2.0);
    n.phi_t = columns(modes, size);
    n.phi_r = columns(modes, size);
    return n;
  }
};

// Reference values, section 3: Phi and X of a deformed node.
struct Deformed {
  Matrix3 R;
  Vector3 p;
  Matrix6X both;  // [Phi, X]
};
Deformed deformed_node(const Node& n, const VectorX& eta) {
  const Vector3 th = n.phi_r * eta;
  Deformed d;
  d.p = n.pose.p + n.phi_t * eta;
  d.R = exponential(th) * n.pose.R;
  const Eigen::Index m = eta.size();
  d.both = Matrix6X::Zero(6, m + 6);
  d.both.topLeftCorner(3, m) = n.pose.R.transpose() * right_jacobian(th) * n.phi_r;
  d.both.bottomLeftCorner(3, m) = d.R.transpose() * n.phi_t;
  d.both.block<3, 3>(0, m) = d.R.transpose();
  d.both.block<3, 3>(3, m) = -d.R.transpose() * skew(d.p);
  d.both.block<3, 3>(3, m + 3) = d.R.transpose();
  return d;
}

struct Case {
  std::size_t nodes, modes;
  double size;  // of the modal shapes: how far they turn
};
class NodeLanes : public ::testing::TestWithParam<std::tuple<Instructions, int>> {
 protected:
  // rigid; small turns; up to a radian; beyond the series
  static constexpr Case cases[] = {{11, 0, 0.0}, {5, 5, 0.02}, {9, 3, 0.4}, {3, 2, 2.5}};
};

TEST_P(NodeLanes, AgreeWithTheEquationsOfANode) {
  const NodeKernels& k = node_kernels(std::get<0>(GetParam()));
  const Case c = cases[std::get<1>(GetParam())];
  Random random;
  NodeBank bank(c.modes);
  for (std::size_t i = 0; i < c.nodes; ++i) bank.add(random.node(c.modes, c.size));
  bank.finish();
  const std::size_t L = bank.lanes();
  const auto m = static_cast<Eigen::Index>(c.modes);
  VectorX eta(m), rate(m), acceleration(m);
  for (Eigen::Index i = 0; i < m; ++i) {
    eta[i] = random();
    rate[i] = random();
    acceleration[i] = random();
  }

  // forces and moments: [Phi, X]ᵀ F
  std::vector<double> forces(3 * L), moments(3 * L);
  VectorX expected = VectorX::Zero(m + 6);
  for (std::size_t i = 0; i < c.nodes; ++i) {
    const Vector3 f = random.vector(), n = random.vector();
    const Vector3 x = bank.node(i).pose.R * f, y = bank.node(i).pose.R * n;
    for (std::size_t j = 0; j < 3; ++j) {
      forces[j * L + i] = x[static_cast<Eigen::Index>(j)];
      moments[j * L + i] = y[static_cast<Eigen::Index>(j)];
    }
    Eigen::Matrix<double, 6, 1> F;
    F << n, f;
    expected += deformed_node(bank.node(i), eta).both.transpose() * F;
  }
  double body[6] = {};
  std::vector<double> modal(c.modes);
  k.push(bank.view(), eta.data(), forces.data(), body, modal.data());
  k.twist(bank.view(), eta.data(), moments.data(), body, modal.data());
  for (Eigen::Index i = 0; i < m; ++i)
    EXPECT_NEAR(modal[static_cast<std::size_t>(i)], expected[i], 2e-13);
  for (Eigen::Index i = 0; i < 6; ++i) EXPECT_NEAR(body[i], expected[m + i], 1e-13);

  // motion: [Phi, X] [η'; V]; accelerations by differences of the velocities along a true motion
  Carrier carrier{};
  const Vector3 w = random.vector(), v = random.vector(), dw = random.vector(), a = random.vector();
  std::copy_n(w.data(), 3, carrier.w);
  std::copy_n(v.data(), 3, carrier.v);
  std::copy_n(dw.data(), 3, carrier.dw);
  std::copy_n(a.data(), 3, carrier.a);
  carrier.eta = eta.data();
  carrier.eta_rate = rate.data();
  carrier.eta_acceleration = acceleration.data();
  std::vector<double> found(sensed::count * L);
  k.sense(bank.view(), carrier, true, found.data());
  const auto vector = [&](std::size_t what, std::size_t i) {
    const double* at = found.data() + what * L + i;
    return Vector3(at[0], at[L], at[2 * L]);
  };
  // velocity of node i, in node axes, h later; dv = a - w × v is the change of the components of v
  const auto moved = [&](std::size_t i, double h) {
    const VectorX e = eta + h * rate + 0.5 * h * h * acceleration, r = rate + h * acceleration;
    const Deformed d = deformed_node(bank.node(i), e);
    VectorX x(m + 6);
    x << r, w + h * dw, v + h * (a - w.cross(v));
    return Eigen::Matrix<double, 6, 1>(d.both * x);
  };
  for (std::size_t i = 0; i < c.nodes; ++i) {
    const Deformed d = deformed_node(bank.node(i), eta);
    const auto now = moved(i, 0.0);
    EXPECT_LT((vector(sensed::position, i) - d.p).norm(), 1e-14 * (1 + d.p.norm()));
    const double* q = found.data() + sensed::attitude * L + i;
    const spatial::Quaternion attitude(q[0], q[L], q[2 * L], q[3 * L]);
    EXPECT_LT((spatial::attitude_matrix(attitude) - d.R.transpose()).norm(), 2e-14);
    EXPECT_LT((vector(sensed::rate, i) - now.head<3>()).norm(), 1e-13);
    EXPECT_LT((vector(sensed::velocity, i) - now.tail<3>()).norm(), 1e-13);
    const double h = 1e-4;  // fourth order: h⁴ and 1e-16/h are both about 1e-11
    const Eigen::Matrix<double, 6, 1> change =
        (8.0 * (moved(i, h) - moved(i, -h)) - (moved(i, 2 * h) - moved(i, -2 * h))) / (12.0 * h);
    EXPECT_LT((vector(sensed::rate_change, i) - change.head<3>()).norm(), 1e-9);
    const Vector3 true_acceleration = change.tail<3>() + now.head<3>().cross(now.tail<3>());
    EXPECT_LT((vector(sensed::acceleration, i) - true_acceleration).norm(), 1e-9);
  }
}

TEST_P(NodeLanes, SeesVelocitiesAlone) {
  const NodeKernels& k = node_kernels(std::get<0>(GetParam()));
  const Case c = cases[std::get<1>(GetParam())];
  Random random;
  NodeBank bank(c.modes);
  for (std::size_t i = 0; i < c.nodes; ++i) bank.add(random.node(c.modes, c.size));
  bank.finish();
  const std::vector<double> eta(c.modes, 0.3);
  Carrier carrier{{0.1, 0.2, 0.3}, {1, 2, 3}, {}, {}, eta.data(), eta.data(), eta.data()};
  std::vector<double> all(sensed::count * bank.lanes(), -7.0), some = all;
  k.sense(bank.view(), carrier, true, all.data());
  k.sense(bank.view(), carrier, false, some.data());
  const std::size_t seen = sensed::rate_change * bank.lanes();
  EXPECT_TRUE(
      std::equal(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(seen), some.begin()));
  EXPECT_TRUE(std::all_of(some.begin() + static_cast<std::ptrdiff_t>(seen), some.end(),
                          [](double x) { return x == -7.0; }));
}

// those that this machine has
std::vector<Instructions> sets() {
  std::vector<Instructions> all;
  for (const auto s : {Instructions::sse2, Instructions::avx2, Instructions::avx512})
    if (s <= best_instructions()) all.push_back(s);
  return all;
}

INSTANTIATE_TEST_SUITE_P(Sets, NodeLanes,
                         ::testing::Combine(::testing::ValuesIn(sets()), ::testing::Range(0, 4)),
                         [](const auto& one) {
                           return std::string(name(std::get<0>(one.param))) + "_" +
                                  std::to_string(std::get<1>(one.param));
                         });

}  // namespace
}  // namespace vernier::multibody::detail
