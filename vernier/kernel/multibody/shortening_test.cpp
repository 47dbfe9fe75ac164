// Second-order displacements: bent parts shorten, which gives spinning bodies their geometric
// stiffness.
#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <cmath>
#include <numbers>

#include "vernier/kernel/multibody/analysis.hpp"
#include "vernier/kernel/multibody/random_craft_test.hpp"
#include "vernier/kernel/multibody/random_test.hpp"
#include "vernier/kernel/multibody/tangent.hpp"

namespace vernier::multibody {
namespace {

/// The n-th root of cos b cosh b = -1, from 1: Newton's method.
double root(int n) {
  double b = n == 1 ? 1.8751 : (n - 0.5) * std::numbers::pi;
  for (int k = 0; k < 4; ++k)
    b -= (std::cos(b) + 1 / std::cosh(b)) / (-std::sin(b) - std::tanh(b) / std::cosh(b));
  return b;
}

/// A uniform cantilever along x from the origin of its frame, mass and length 1, EI = `stiffness`.
/// Modes bend along `across`.
struct Beam {
  Beam(int modes, const Vector3& across, int order = 2, double stiffness = 1.0, double length = 1.0,
       double mass = 1.0) {
    constexpr int segments = 256;
    std::vector<Lump> lumps;
    for (int k = 0; k <= segments; ++k) {
      const double x = double(k) / segments;
      Lump l;
      l.mass = mass * (k == 0 || k == segments ? 0.5 : 1.0) / segments;  // trapezoidal rule
      l.p = {length * x, 0, 0};
      l.shape = l.rotation = Matrix3X::Zero(3, modes);
      for (int i = 0; i < modes; ++i) {
        // φ = cosh bx - cos bx - s (sinh bx - sin bx), with 1 - s free of cancellation
        const double b = root(i + 1),
                     small =
                         (std::sin(b) - std::cos(b) - std::exp(-b)) / (std::sinh(b) + std::sin(b)),
                     s = 1 - small;
        const double fall = 0.5 * ((1 + s) * std::exp(-b * x) + small * std::exp(b * x));
        const double rise = 0.5 * (-(1 + s) * std::exp(-b * x) + small * std::exp(b * x));
        const double phi = fall - std::cos(b * x) + s * std::sin(b * x),
                     slope = b / length * (rise + std::sin(b * x) + s * std::cos(b * x));
        l.shape.col(i) = phi * across;
        l.rotation.col(i) = slope * Vector3::UnitX().cross(across);
      }
      l.second = lumps.empty() ? Matrix3X::Zero(3, static_cast<Eigen::Index>(pairs_of(modes)))
                               : shortened(lumps.back(), l);
      lumps.push_back(l);
    }
    tip.phi_t = lumps.back().shape;
    tip.phi_r = lumps.back().rotation;
    tip.phi_2 = lumps.back().second;
    tip.pose.p = lumps.back().p;
    // A thin rod has no inertia about its axis; a little keeps its hinge solvable.
    body.inertia = rigid_inertia(lumps);
    body.inertia.inertia(0, 0) = 1e-3;
    body.modes = modal_integrals(lumps);
    body.modes->order = order;
    for (int i = 0; i < modes; ++i) {
      const double w =
          root(i + 1) * root(i + 1) * std::sqrt(stiffness / (mass * length * length * length));
      body.modes->stiffness(i, i) = body.modes->mass(i, i) * w * w;
    }
    body.nodes = {tip};
    body.name = "beam";
    body.hinge.kind = HingeKind::pin;
  }
  Body body;
  Node tip;
};

/// Frequencies, in ascending order, of a beam that turns about z at `spin` at the distance `radius`
/// from the axis. From the exact derivatives, with the hinge prescribed.
std::vector<double> frequencies(Beam beam, double spin, double radius) {
  SpacecraftModel m;
  beam.body.hinge.inboard.pose.p = {-radius, 0, 0};
  m.tree.bodies = {beam.body};
  const Spacecraft craft(std::move(m));
  const auto n = static_cast<Eigen::Index>(beam.body.mode_count());
  std::vector<double> q(static_cast<std::size_t>(n) + 1), u(q.size());
  u[0] = spin;
  std::vector<std::uint8_t> prescribed(u.size());
  prescribed[0] = 1;
  SpacecraftTangent tangent(craft);
  EXPECT_TRUE(tangent.evaluate({q, u, {}, {}}, {{}, {}, prescribed, {}, {}}));
  const Eigen::Map<const Eigen::MatrixXd> A(tangent.by_state().data(), 2 * n + 2, 2 * n + 2);
  const Eigen::MatrixXd stiffness = -A.block(n + 2, 1, n, n);
  EXPECT_LT(A.block(n + 2, n + 2, n, n).norm(), 1e-9 * A.norm());  // no Coriolis forces
  const Eigen::VectorXcd squares = Eigen::EigenSolver<Eigen::MatrixXd>(stiffness).eigenvalues();
  std::vector<double> out;
  for (Eigen::Index i = 0; i < n; ++i) {
    EXPECT_NEAR(squares[i].imag(), 0.0, 1e-9);
    out.push_back(squares[i].real() > 0 ? std::sqrt(squares[i].real()) : -1.0);
  }
  std::sort(out.begin(), out.end());
  return out;
}

// oracle: coefficients of Southwell's formula w² = w0² + spin² (A + B r / L) for single modes, by
// Ritz's method with 16 polynomials
TEST(Shortening, GivesASpinningBeamSouthwellsCoefficients) {
  constexpr double A[] = {1.19333637, 6.47822486, 17.85951988},
                   B[] = {1.57087819, 8.64714269, 24.95211331};
  for (const int order : {1, 2}) {
    const Modes flap = *Beam(3, Vector3::UnitZ(), order).body.modes;
    for (std::size_t i = 0; i < 3; ++i) {
      const double m = flap.mass(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(i));
      EXPECT_NEAR(-flap.N2[pair_of(i, i)](2, 2) / m / A[i], 1.0, 1e-3);
      EXPECT_NEAR(-flap.S2[pair_of(i, i)].x() / m / B[i], 1.0, 1e-3);
    }
    // the same through the dynamics, for the first mode alone
    const double w0 = 3.51601527, spin = 5.0, radius = 2.0;
    const double stiff = w0 * w0 + spin * spin * (A[0] + B[0] * radius);
    EXPECT_NEAR(frequencies(Beam(1, Vector3::UnitZ(), order), spin, radius)[0] / std::sqrt(stiff),
                1.0, 1e-4);
    EXPECT_NEAR(frequencies(Beam(1, Vector3::UnitY(), order), spin, radius)[0] /
                    std::sqrt(stiff - spin * spin),
                1.0, 1e-4);
  }
}

// oracle: Ritz's method with 16 polynomials; ten modes come out less than a thousandth above
TEST(Shortening, GivesASpinningBeamItsFrequencies) {
  struct Row {
    double radius, spin, flap1, flap2, lag1;
  };
  for (const Row& r :
       {Row{0, 5, 6.449545, 25.446080, 4.073896}, Row{0, 10, 11.202328, 33.640366, 5.048975},
        Row{1, 5, 8.940358, 29.352835, 7.411478}, Row{1, 10, 16.606363, 44.368224, 13.257876},
        Row{5, 10, 29.474452, 72.080939, 27.726220}}) {
    for (const int order : {1, 2}) {
      const auto flap = frequencies(Beam(10, Vector3::UnitZ(), order), r.spin, r.radius),
                 lag = frequencies(Beam(10, Vector3::UnitY(), order), r.spin, r.radius);
      EXPECT_NEAR(flap[0] / r.flap1, 1.0, 1e-3) << r.radius << ' ' << r.spin;
      EXPECT_NEAR(flap[1] / r.flap2, 1.0, 1e-3) << r.radius << ' ' << r.spin;
      EXPECT_NEAR(lag[0] / r.lag1, 1.0, 1e-3) << r.radius << ' ' << r.spin;
    }
  }
}

// closed form: a column of length 1, EI = 1, clamped below buckles under its own weight a per
// length at a = 7.8373 (Greenhill); a mass at its tip adds through the node it hangs at
TEST(Shortening, MakesAColumnBuckleUnderItsWeight) {
  for (const double weight : {7.8, 7.9}) {
    Beam beam(6, Vector3::UnitY());
    Eigen::MatrixXd stiffness = beam.body.modes->stiffness;
    for (std::size_t i = 0; i < 6; ++i) {
      for (std::size_t l = 0; l < 6; ++l) {
        // gravity along -x: a of the frame less gravity is +x
        stiffness(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(l)) +=
            weight * beam.body.modes->S2[pair_of(std::max(i, l), std::min(i, l))].x();
      }
    }
    const double lowest =
        Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(stiffness).eigenvalues()[0];
    EXPECT_EQ(lowest > 0.0, weight < 7.8373) << lowest;
  }
}

// closed form: a string that spins and carries a mass at its end flaps at the spin; a beam whose
// tension T = 50 spin² leaves only sqrt(EI / T) = 0.0035 of its length to bend comes close. The
// tension reaches the modes through the node that carries the mass.
TEST(Shortening, CarriesTheTensionOfABodyAtTheTip) {
  const double spin = 40.0;
  Beam beam(10, Vector3::UnitZ());
  SpacecraftModel m;
  Body tip;
  tip.name = "tip";
  tip.inertia = {50.0, Vector3::Zero(), 1e-6 * Matrix3::Identity()};
  tip.hinge.kind = HingeKind::fixed;
  tip.hinge.parent = 0;
  tip.hinge.outboard = beam.tip;
  m.tree.bodies = {beam.body, tip};
  const Spacecraft craft(std::move(m));
  std::vector<double> q(11), u(11);
  u[0] = spin;
  std::vector<std::uint8_t> prescribed(11);
  prescribed[0] = 1;
  SpacecraftTangent tangent(craft);
  ASSERT_TRUE(tangent.evaluate({q, u, {}, {}}, {{}, {}, prescribed, {}, {}}));
  const Eigen::Map<const Eigen::MatrixXd> A(tangent.by_state().data(), 22, 22);
  const Eigen::VectorXcd squares =
      Eigen::EigenSolver<Eigen::MatrixXd>(-A.block(12, 1, 10, 10)).eigenvalues();
  double lowest = 1e300;
  for (const auto& s : squares) lowest = std::min(lowest, s.real());
  EXPECT_NEAR(std::sqrt(lowest) / spin, 1.0, 0.01);
}

// oracle: absolute nodal coordinates with 16 elements (Wu and Haug's beam, Kane's manoeuvre), and
// linear modes with geometric stiffness
TEST(Shortening, FollowsTheSpinUpOfABeam) {
  constexpr double L = 8.0, area = 7.2968e-5, I = 8.2189e-9, rho = 2766.67, E = 6.8952e10;
  Beam beam(3, Vector3::UnitY(), 2, E * I, L, rho * area * L);
  const Tree tree(Model{"spin-up", Vector3::Zero(), {beam.body}});
  Evaluation e(tree);
  const std::vector<std::uint8_t> prescribed = {1, 0, 0, 0};
  std::vector<double> q(4), u(4);
  struct Row {
    double t, along, across, modal;
  };
  constexpr double step = 2e-3;
  double t = 0.0, lowest = 0.0;
  for (const Row& r :
       {Row{5, -0.01289797, -0.42262736, -0.423058}, Row{10, -0.00847599, -0.34759731, -0.347754},
        Row{15, 0.00010579, 0.00740091, 0.007404}, Row{20, 0.00010614, -0.00706471, -0.007017}}) {
    for (; t < r.t - 0.5 * step; t += step) {
      const auto rate = [&](double at, const std::vector<double>& x, const std::vector<double>& v) {
        const double given =
            at < 15 ? 4.0 / 15 * (1 - std::cos(2 * std::numbers::pi * at / 15)) : 0.0;
        tree.place(x, v, e);
        std::vector<double> acceleration = {given, 0, 0, 0}, udot(4);
        EXPECT_TRUE(tree.accelerate({{}, acceleration, prescribed, {}}, udot, e));
        return udot;
      };
      const auto plus = [](std::vector<double> x, const std::vector<double>& k, double by) {
        for (std::size_t i = 0; i < x.size(); ++i) x[i] += by * k[i];
        return x;
      };
      const auto k1 = rate(t, q, u);
      const auto u2 = plus(u, k1, step / 2), k2 = rate(t + step / 2, plus(q, u, step / 2), u2);
      const auto u3 = plus(u, k2, step / 2), k3 = rate(t + step / 2, plus(q, u2, step / 2), u3);
      const auto u4 = plus(u, k3, step), k4 = rate(t + step, plus(q, u3, step), u4);
      for (std::size_t i = 0; i < 4; ++i) {
        q[i] += step / 6 * (u[i] + 2 * u2[i] + 2 * u3[i] + u4[i]);
        u[i] += step / 6 * (k1[i] + 2 * k2[i] + 2 * k3[i] + k4[i]);
      }
      tree.place(q, u, e);
      const Pose root = tree.pose(e, 0), tip = tree.pose(e, {0, 0});
      lowest = std::min(lowest, (root.R.transpose() * (tip.p - root.p)).y());
    }
    const Pose root = tree.pose(e, 0), tip = tree.pose(e, {0, 0});
    const Vector3 at = root.R.transpose() * (tip.p - root.p);
    EXPECT_NEAR(at.y(), r.modal, 5e-5) << r.t;
    EXPECT_NEAR(at.y(), r.across, 0.002 * 0.5336) << r.t;
    // without the axial elasticity, 1.1e-4 m
    EXPECT_NEAR(at.x() - L, r.along, 1.6e-4) << r.t;
  }
  EXPECT_NEAR(lowest, -0.53445, 2e-5);
}

// oracle: Kane's equations over point masses, which contain no modal integral. What the mass matrix
// leaves out is of third order in η and η', so forces differ in second order.
TEST(Shortening, IsNewtonsLawForPointMassesToSecondOrder) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    const int order = 1 + static_cast<int>(seed % 2);
    RandomTree random(seed);
    const std::size_t n = 1 + seed % 3;
    Body body;
    body.name = "body";
    std::vector<Lump> lumps;
    for (int i = 0; i < 8; ++i) {
      Lump l;
      l.mass = random.real(0.5, 2.0);
      l.p = random.vector(1.0);
      // shortening at right angles to the shapes, as in beams: no third-order modal mass
      l.shape = random.shapes(n, 0.3);
      l.second = random.shapes(pairs_of(n), 0.5);
      l.shape.row(0).setZero();
      l.second.bottomRows<2>().setZero();
      Node at;
      at.pose.p = l.p;
      at.phi_t = l.shape;
      at.phi_2 = l.second;
      body.nodes.push_back(at);
      lumps.push_back(l);
    }
    body.inertia = rigid_inertia(lumps);
    body.modes = modal_integrals(lumps);
    body.modes->order = order;
    body.modes->stiffness.diagonal().setConstant(30.0);
    const Tree tree(Model{"free", random.vector(2.0), {body}}, Path::tree);
    Evaluation e(tree);
    const auto q0 = random.coordinates(tree, 0.2), u0 = random.speeds(tree, 1.0);
    const auto error = [&](double size) {
      auto q = q0, u = u0;
      for (std::size_t i = 0; i < n; ++i) q[7 + i] *= size, u[6 + i] *= size;
      std::vector<double> udot(u.size());
      tree.place(q, u, e);
      EXPECT_TRUE(tree.accelerate({}, udot, e));
      Eigen::VectorXd sum = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(u.size()));
      for (int i = 0; i < 8; ++i) {
        const MatrixX J = jacobian(tree, e, {0, i});
        sum += lumps[static_cast<std::size_t>(i)].mass * J.bottomRows<3>().transpose() *
               tree.specific_force(e, {0, i}).linear;
      }
      for (std::size_t i = 0; i < n; ++i) sum[static_cast<Eigen::Index>(6 + i)] += 30.0 * q[7 + i];
      return sum.norm();
    };
    const double large = error(2e-3), small = error(1e-3);
    EXPECT_GT(large, 1e-10);
    EXPECT_NEAR(std::log2(large / small), 2.0, 0.2) << seed;
  }
}

// oracle: forces and motions at nodes of the tree, without banks of nodes
TEST(Shortening, MovesActuatorsAndSensorsWithTheirNodes) {
  RandomOptions options;
  options.flexible = 1.0;
  options.shortens = true;
  for (unsigned seed = 0; seed < 12; ++seed) {
    RandomTree random(seed);
    SpacecraftModel m;
    m.tree = random.model(3, options);
    std::vector<NodeForce> forces;
    for (int b = 0; b < 3; ++b) {
      for (const int node : {0, 6}) {
        m.sensors.push_back({"s" + std::to_string(m.sensors.size()), {b, node}});
        Actuator a;
        a.name = "a" + std::to_string(m.actuators.size());
        a.kind = Actuator::Kind::wrench;
        a.at = {b, node};
        m.actuators.push_back(a);
        forces.push_back({{b, node}, {random.vector(2.0), random.vector(2.0)}});
      }
    }
    const Spacecraft craft(std::move(m));
    const Tree& tree = craft.tree();
    ASSERT_EQ(tree.path(), Path::tree);
    const auto q = random.coordinates(tree, 0.2), u = random.speeds(tree);
    std::vector<double> commands, udot(u.size()), expected(u.size());
    for (const NodeForce& f : forces) {
      commands.insert(commands.end(), f.force.moment.begin(), f.force.moment.end());
      commands.insert(commands.end(), f.force.resultant.begin(), f.force.resultant.end());
    }
    SpacecraftEvaluation e(craft);
    craft.place({q, u, {}, {}}, e);
    ASSERT_TRUE(craft.accelerate({{}, {}, {}, commands, {}}, {udot, {}, {}}, e));
    Evaluation reference(tree);
    tree.place(q, u, reference);
    ASSERT_TRUE(tree.accelerate({{}, {}, {}, forces}, expected, reference));
    double scale = 1.0;
    for (const double x : expected) scale = std::max(scale, std::abs(x));
    for (std::size_t i = 0; i < u.size(); ++i) EXPECT_NEAR(udot[i], expected[i], 1e-12 * scale);
    const auto readings = craft.sense(e);
    const Pose bus = tree.pose(reference, 0);
    for (std::size_t k = 0; k < forces.size(); ++k) {
      const Motion v = tree.motion(reference, forces[k].at),
                   a = tree.acceleration(reference, forces[k].at);
      const Vector3 p = bus.R.transpose() * (tree.pose(reference, forces[k].at).p - bus.p);
      EXPECT_LT((readings[k].position - p).norm(), 1e-13);
      EXPECT_LT((readings[k].velocity.linear - v.linear).norm(), 1e-13);
      EXPECT_LT((readings[k].acceleration.linear - a.linear).norm(), 1e-12 * scale);
    }
  }
}

// closed form: a cantilever's first mode of tip deflection d has the root mean square d / 2, and
// the beam the radius of gyration L / sqrt(3) about its root
TEST(Shortening, BoundsModesByTheSizeOfTheirBody) {
  Beam beam(2, Vector3::UnitY());
  beam.body.inertia.inertia(0, 0) = 0.0;
  beam.body.modes->limit = 0.3;
  const double eta = modal_bound(beam.body.inertia, *beam.body.modes, 0);
  EXPECT_NEAR(std::abs(beam.tip.phi_t(1, 0)) * eta / 2, 0.3 / std::sqrt(3.0), 1e-4);
}

}  // namespace
}  // namespace vernier::multibody
