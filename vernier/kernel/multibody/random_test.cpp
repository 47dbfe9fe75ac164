#include "vernier/kernel/multibody/random_test.hpp"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <Eigen/Geometry>

#include "vernier/kernel/multibody/analysis.hpp"

namespace vernier::multibody {

Matrix3 RandomTree::rotation() {
  Eigen::Quaterniond q(real(-1, 1), real(-1, 1), real(-1, 1), real(-1, 1));
  return q.normalized().toRotationMatrix();
}

Node RandomTree::node(int modes, double shape, bool shortens) {
  const auto count = static_cast<std::size_t>(modes);
  Node n;
  n.pose = {rotation(), vector(0.8)};
  n.phi_t = shapes(count, shape);
  n.phi_r = shapes(count, 2 * shape);
  if (shortens) n.phi_2 = shapes(pairs_of(count), 2 * shape);
  return n;
}

Model RandomTree::model(int bodies, const RandomOptions& options) {
  Model model;
  lumps_.clear();
  for (int b = 0; b < bodies; ++b) {
    Body body;
    body.name = "b" + std::to_string(b);
    const int modes = real(0, 1) < options.flexible ? integer(1, 3) : 0;
    std::vector<Lump> lumps;
    for (int i = 0; i < 6; ++i) {
      Lump l;
      l.mass = real(0.5, 2.0);
      l.p = vector(1.0);
      l.shape = shapes(static_cast<std::size_t>(modes), 0.3);
      if (options.shortens) l.second = shapes(pairs_of(static_cast<std::size_t>(modes)), 0.3);
      Node at;
      at.pose.p = l.p;
      at.phi_t = l.shape;
      at.phi_r = Matrix3X::Zero(3, modes);
      at.phi_2 = l.second;
      body.nodes.push_back(at);
      lumps.push_back(l);
    }
    body.inertia = rigid_inertia(lumps);
    if (modes > 0) {
      body.modes = modal_integrals(lumps);
      body.modes->order = options.order;
      body.modes->stiffness.diagonal().setConstant(real(20, 80));
      if (options.damped) body.modes->damping.diagonal().setConstant(real(0.1, 0.5));
    }
    // one that turns with the modes, for forces
    body.nodes.push_back(node(modes, 0.15, options.shortens));
    Hinge& h = body.hinge;
    const bool base = b == 0;
    h.kind = base ? options.base
                  : options.kinds[static_cast<std::size_t>(
                        integer(0, static_cast<int>(options.kinds.size()) - 1))];
    h.parent = base ? ground : integer(0, b - 1);
    h.outboard = node(base ? 0 : static_cast<int>(model.bodies[h.parent].mode_count()), 0.15,
                      options.shortens);
    h.inboard = node(modes, 0.15, options.shortens);
    if (integer(0, 1) == 0) {
      for (Matrix3X* phi : {&h.inboard.phi_t, &h.inboard.phi_r, &h.inboard.phi_2})
        phi->resize(3, 0);
    }
    if (h.kind == HingeKind::screw) h.parameter = real(-0.4, 0.4);
    if (options.rotors) {
      for (double& r : h.rotor) r = real(0.0, 0.5);
    }
    model.bodies.push_back(body);
    lumps_.push_back(lumps);
  }
  return model;
}

std::vector<double> RandomTree::coordinates(const Tree& tree, double modal) {
  std::vector<double> q(tree.coordinates());
  for (int b = 0; b < static_cast<int>(tree.model().bodies.size()); ++b) {
    const Block block = tree.block(b);
    for (std::size_t i = 0; i < block.coordinates; ++i) q[block.q + i] = real(-1.0, 1.0);
    for (std::size_t i = 0; i < block.modes; ++i) {
      q[block.q + block.coordinates + i] = real(-modal, modal);
    }
  }
  tree.normalise(q);
  return q;
}

std::vector<double> RandomTree::speeds(const Tree& tree, double size) {
  std::vector<double> u(tree.speeds());
  for (double& x : u) x = real(-size, size);
  return u;
}

std::vector<double> displaced(const Tree& tree, const std::vector<double>& q,
                              const std::vector<double>& u, double step) {
  std::vector<double> rate(q.size()), out = q;
  tree.coordinate_rates(q, u, rate);
  for (std::size_t i = 0; i < q.size(); ++i) out[i] += step * rate[i];
  return out;
}

void integrate(const Tree& tree, Evaluation& e, std::vector<double>& q, std::vector<double>& u,
               const Loads& loads, double step, int steps) {
  std::vector<double> kq[4], ku[4], qs, us;
  for (int s = 0; s < 4; ++s) kq[s].resize(q.size()), ku[s].resize(u.size());
  for (int i = 0; i < steps; ++i) {
    for (int s = 0; s < 4; ++s) {
      qs = q;
      us = u;
      const double h = s == 0 ? 0.0 : s == 3 ? step : 0.5 * step;
      for (std::size_t k = 0; s > 0 && k < q.size(); ++k) qs[k] += h * kq[s - 1][k];
      for (std::size_t k = 0; s > 0 && k < u.size(); ++k) us[k] += h * ku[s - 1][k];
      tree.place(qs, us, e);
      ASSERT_TRUE(tree.accelerate(loads, ku[s], e));
      tree.coordinate_rates(qs, us, kq[s]);
    }
    const auto step_by = [step](std::vector<double>& x, const std::vector<double>* k) {
      for (std::size_t j = 0; j < x.size(); ++j) {
        x[j] += step / 6 * (k[0][j] + 2 * k[1][j] + 2 * k[2][j] + k[3][j]);
      }
    };
    step_by(q, kq);
    step_by(u, ku);
    tree.normalise(q);
  }
  tree.place(q, u, e);
}

namespace {

Eigen::Map<const Eigen::VectorXd> dense(const std::vector<double>& x) {
  return {x.data(), static_cast<Eigen::Index>(x.size())};
}

/// A tree at a random state, with forces of every sort, solved.
struct Solved {
  explicit Solved(unsigned seed, RandomOptions options = {})
      : random(seed),
        tree(
            [&] {
              options.base = options.kinds[seed % options.kinds.size()];
              if (options.base == HingeKind::fixed) options.base = HingeKind::free;
              Model m = random.model(random.integer(1, 8), options);
              m.gravity = random.vector(5.0);
              return m;
            }(),
            Path::tree),
        e(tree),
        q(random.coordinates(tree)),
        u(random.speeds(tree)),
        force(random.speeds(tree)),
        given(random.speeds(tree)),
        prescribed(tree.speeds(), 0),
        udot(tree.speeds()) {
    for (int b = 0; b < static_cast<int>(tree.model().bodies.size()); ++b) {
      const Block block = tree.block(b);
      for (std::size_t i = 0; i < block.speeds; ++i) {
        if (seed % 2 == 1 && random.integer(0, 2) == 0) prescribed[block.u + i] = 1;
      }
      if (random.integer(0, 1) == 0) {
        nodes.push_back({{b, 6}, {random.vector(2.0), random.vector(2.0)}});
        nodes.push_back({{b, random.integer(-3, 5)}, {random.vector(2.0), random.vector(2.0)}});
      }
    }
    tree.place(q, u, e);
    const Solution solution = tree.accelerate({force, given, prescribed, nodes}, udot, e);
    EXPECT_TRUE(solution) << seed << " " << solution.singular;
  }

  RandomTree random;
  Tree tree;
  Evaluation e;
  std::vector<double> q, u, force, given;
  std::vector<std::uint8_t> prescribed;
  std::vector<NodeForce> nodes;
  std::vector<double> udot;
};

constexpr unsigned trees = 60;

/// The last trees have second-order displacements. They obey Newton's law for point masses only to
/// the order of the truncation (shortening_test.cpp).
RandomOptions shortening(unsigned seed) {
  RandomOptions options;
  options.shortens = seed >= trees;
  return options;
}
constexpr unsigned all_trees = trees + 30;

// oracle: the mass matrix of composite bodies, solved as a dense matrix for the regular speeds
TEST(RandomTrees, TheRecursionEqualsTheDenseSolution) {
  for (unsigned seed = 0; seed < all_trees; ++seed) {
    RandomOptions options = shortening(seed);
    options.rotors = seed % 3 == 0;
    options.order = static_cast<int>(2 - seed / 7 % 3);
    Solved s(seed, options);
    std::vector<double> tau(s.u.size()), bias(s.u.size());
    s.tree.forces(s.e, tau);
    const MatrixX M = mass_matrix(s.tree, s.e);
    EXPECT_LT((M - M.transpose()).norm(), 1e-12 * M.norm());
    bias_forces(s.tree, s.e, s.nodes, bias);
    std::vector<Eigen::Index> regular, prescribed;
    for (std::size_t i = 0; i < s.u.size(); ++i) {
      (s.prescribed[i] ? prescribed : regular).push_back(static_cast<Eigen::Index>(i));
    }
    Eigen::VectorXd x = dense(s.given);
    for (const auto i : regular) x[i] = 0.0;
    const Eigen::VectorXd rest = dense(s.force) - dense(bias) - M * x;
    const Eigen::VectorXd solved = M(regular, regular).llt().solve(Eigen::VectorXd(rest(regular)));
    for (std::size_t i = 0; i < regular.size(); ++i) x[regular[i]] = solved[i];
    const double size = 1.0 + x.lpNorm<Eigen::Infinity>();
    EXPECT_LT((x - dense(s.udot)).lpNorm<Eigen::Infinity>(), 1e-11 * size) << seed;
    const Eigen::VectorXd forces = M * x + dense(bias);
    EXPECT_LT((forces - dense(tau)).lpNorm<Eigen::Infinity>(),
              1e-11 * (1.0 + forces.lpNorm<Eigen::Infinity>()))
        << seed;
  }
}

TEST(RandomTrees, InverseDynamicsUndoesForwardDynamics) {
  for (unsigned seed = 0; seed < all_trees; ++seed) {
    Solved s(seed, shortening(seed));
    std::vector<double> tau(s.u.size()), back(s.u.size());
    s.tree.forces(s.e, tau);
    inverse_dynamics(s.tree, s.e, s.udot, s.nodes, back);
    EXPECT_LT((dense(back) - dense(tau)).lpNorm<Eigen::Infinity>(),
              1e-11 * (1.0 + dense(tau).lpNorm<Eigen::Infinity>()))
        << seed;
  }
}

// oracle: Kane's equations over point masses; only nodes, no inertia and no modal integral enters
TEST(RandomTrees, PointMassesObeyNewton) {
  for (unsigned seed = 0; seed < trees; ++seed) {
    Solved s(seed);
    std::vector<double> tau(s.u.size());
    s.tree.forces(s.e, tau);
    Eigen::VectorXd sum = -dense(tau);
    for (int b = 0; b < static_cast<int>(s.tree.model().bodies.size()); ++b) {
      const Body& body = s.tree.model().bodies[b];
      for (int i = 0; i < 6; ++i) {
        const MatrixX J = jacobian(s.tree, s.e, {b, i});
        sum += s.random.lumps()[b][i].mass * J.bottomRows<3>().transpose() *
               s.tree.specific_force(s.e, {b, i}).linear;
      }
      if (!body.modes) continue;
      const Block block = s.tree.block(b);
      const auto n = static_cast<Eigen::Index>(block.modes);
      const auto at = static_cast<Eigen::Index>(block.u + block.speeds);
      const auto eta = static_cast<Eigen::Index>(block.q + block.coordinates);
      sum.segment(at, n) += body.modes->stiffness * dense(s.q).segment(eta, n) +
                            body.modes->damping * dense(s.u).segment(at, n);
    }
    for (const NodeForce& f : s.nodes) {
      const MatrixX J = jacobian(s.tree, s.e, f.at);
      sum -= J.topRows<3>().transpose() * f.force.moment +
             J.bottomRows<3>().transpose() * f.force.resultant;
    }
    EXPECT_LT(sum.lpNorm<Eigen::Infinity>(),
              1e-11 * (1.0 + dense(tau).lpNorm<Eigen::Infinity>()) * 10)
        << seed;
  }
}

// oracle: differences of poses; fourth order, h = 1e-3
TEST(RandomTrees, NodesMoveAsTheirPosesDo) {
  for (unsigned seed = 0; seed < all_trees; ++seed) {
    Solved s(seed, shortening(seed));
    Evaluation moved(s.tree);
    const double h = 1e-3;
    for (const int node : {0, 6, NodeId::inboard, NodeId::outboard, NodeId::frame}) {
      const NodeId id{static_cast<int>(s.tree.model().bodies.size()) - 1, node};
      const Pose at = s.tree.pose(s.e, id);
      const Motion v = s.tree.motion(s.e, id), a = s.tree.acceleration(s.e, id);
      // along the motion: q by a step of Runge-Kutta with constant acceleration
      const auto later = [&](double t) {
        std::vector<double> q = s.q, u = s.u;
        const int steps = 4;
        for (int i = 0; i < steps; ++i) {
          const double d = t / steps;
          const auto speed = [&](double by) {
            auto x = u;
            for (std::size_t k = 0; k < x.size(); ++k) x[k] += by * s.udot[k];
            return x;
          };
          std::vector<double> k1(q.size()), k2 = k1, k3 = k1, k4 = k1;
          const auto plus = [&](const std::vector<double>& k, double by) {
            auto x = q;
            for (std::size_t j = 0; j < x.size(); ++j) x[j] += by * k[j];
            return x;
          };
          s.tree.coordinate_rates(q, u, k1);
          s.tree.coordinate_rates(plus(k1, d / 2), speed(d / 2), k2);
          s.tree.coordinate_rates(plus(k2, d / 2), speed(d / 2), k3);
          s.tree.coordinate_rates(plus(k3, d), speed(d), k4);
          for (std::size_t j = 0; j < q.size(); ++j) {
            q[j] += d / 6 * (k1[j] + 2 * k2[j] + 2 * k3[j] + k4[j]);
          }
          u = speed(d);
        }
        s.tree.place(q, u, moved);
        return s.tree.pose(moved, id);
      };
      const Pose p1 = later(h), m1 = later(-h), p2 = later(2 * h), m2 = later(-2 * h);
      const Vector3 velocity = (8 * (p1.p - m1.p) - (p2.p - m2.p)) / (12 * h);
      const Vector3 acceleration = (16 * (p1.p + m1.p) - (p2.p + m2.p) - 30 * at.p) / (12 * h * h);
      const double size = 1.0 + a.linear.norm() + a.angular.norm();
      EXPECT_LT((at.R * v.linear - velocity).norm(), 1e-9 * size) << seed << " " << node;
      EXPECT_LT((at.R * a.linear - acceleration).norm(), 1e-7 * size) << seed << " " << node;
      const Matrix3 turn = at.R.transpose() * (8 * (p1.R - m1.R) - (p2.R - m2.R)) / (12 * h);
      EXPECT_LT((Vector3(turn(2, 1), turn(0, 2), turn(1, 0)) - v.angular).norm(), 1e-9 * size);
      // the acceleration's size grows with speeds: the derivative of the angular velocity too
      const auto spin = [&](double t) {
        later(t);
        return s.tree.motion(moved, id).angular;
      };
      const Vector3 rate = (8 * (spin(h) - spin(-h)) - (spin(2 * h) - spin(-2 * h))) / (12 * h);
      EXPECT_LT((rate - a.angular).norm(), 1e-9 * size) << seed << " " << node;
    }
  }
}

TEST(RandomTrees, JacobiansGiveTheMotionOfNodes) {
  for (unsigned seed = 0; seed < all_trees; ++seed) {
    Solved s(seed, shortening(seed));
    for (int b = 0; b < static_cast<int>(s.tree.model().bodies.size()); ++b) {
      for (const int node : {0, 6, NodeId::inboard, NodeId::outboard, NodeId::frame}) {
        const Eigen::VectorXd by = jacobian(s.tree, s.e, {b, node}) * dense(s.u);
        const Motion v = s.tree.motion(s.e, {b, node});
        EXPECT_LT((by.head<3>() - v.angular).norm() + (by.tail<3>() - v.linear).norm(), 1e-12)
            << seed;
      }
    }
  }
}

TEST(RandomTrees, FactorsMultiplyToTheMassMatrixAndItsInverseInvertsIt) {
  for (unsigned seed = 0; seed < trees; ++seed) {
    RandomOptions options;
    options.rotors = seed % 2 == 0;
    Solved s(seed, options);
    const MatrixX M = mass_matrix(s.tree, s.e), I = MatrixX::Identity(M.rows(), M.cols());
    const Factors f = factors(s.tree, s.e);
    MatrixX ordered(M.rows(), M.cols());
    for (std::size_t i = 0; i < f.order.size(); ++i) {
      for (std::size_t k = 0; k < f.order.size(); ++k) ordered(i, k) = M(f.order[i], f.order[k]);
    }
    EXPECT_LT(((I + f.L) * f.D * (I + f.L).transpose() - ordered).norm(), 1e-12 * M.norm()) << seed;
    EXPECT_LT((inverse_mass_matrix(s.tree, s.e) * M - I).norm(), 1e-9) << seed;
  }
}

TEST(RandomTrees, ReactionsBalanceTheBodiesTheyHold) {
  for (unsigned seed = 0; seed < trees; ++seed) {
    Solved s(seed);
    // all that is outboard of a hinge: Newton for its lumps, with the forces at its nodes
    const auto& bodies = s.tree.model().bodies;
    for (int b = 0; b < static_cast<int>(bodies.size()); ++b) {
      const auto outboard = [&](int body) {
        for (; body != ground; body = bodies[body].hinge.parent) {
          if (body == b) return true;
        }
        return false;
      };
      const Pose at = s.tree.pose(s.e, {b, NodeId::inboard});
      Vector3 force = Vector3::Zero(), moment = Vector3::Zero();
      const auto add = [&](const Vector3& where, const Vector3& f) {
        force += f;
        moment += (where - at.p).cross(f);
      };
      for (int o = 0; o < static_cast<int>(bodies.size()); ++o) {
        for (int i = 0; outboard(o) && i < 6; ++i) {
          const Pose lump = s.tree.pose(s.e, {o, i});
          add(lump.p,
              s.random.lumps()[o][i].mass * (lump.R * s.tree.specific_force(s.e, {o, i}).linear));
        }
      }
      for (const NodeForce& f : s.nodes) {
        const int on = f.at.node == NodeId::outboard ? bodies[f.at.body].hinge.parent : f.at.body;
        if (on == ground || !outboard(on)) continue;
        const Pose node = s.tree.pose(s.e, f.at);
        add(node.p, -(node.R * f.force.resultant));
        moment -= node.R * f.force.moment;
      }
      const Force reaction = s.tree.reaction(s.e, b);
      EXPECT_LT((at.R * reaction.resultant - force).norm(), 1e-10 * (1 + force.norm())) << seed;
      EXPECT_LT((at.R * reaction.moment - moment).norm(), 1e-10 * (1 + moment.norm())) << seed;
    }
  }
}

}  // namespace
}  // namespace vernier::multibody
