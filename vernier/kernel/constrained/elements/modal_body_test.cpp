#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>

#include "vernier/kernel/constrained/elements/modal_body.hpp"
#include "vernier/kernel/constrained/elements/modal_cases_test.hpp"

namespace vernier::constrained {
namespace {

constexpr int modes = 3, rows = 6 + modes;

/// A body somewhere in motion.
struct Somewhere {
  NodeState node{
      {0.3, 0.2, -0.1}, rotation(Vector3{0.4, -0.8, 0.3}), {0.5, -0.7, 0.2}, {0.3, 0.9, -0.6}};
  Matrix3 turn = spatial::identity3<double>();
  int number = 0;
  std::array<double, modes> q{0.2, -0.1, 0.15}, rates{0.3, 0.5, -0.4};

  Point point() const {
    Point p;
    p.node_states = &node, p.node_turns = &turn, p.nodes = &number;
    p.own = q.data(), p.own_rates = rates.data();
    return p;
  }
  std::array<double, rows> momenta(const Element& e) const {
    std::array<double, rows> r{};
    e.momentum(point(), {r.data(), nullptr, rows});
    return r;
  }
  std::array<double, rows> residual(const Element& e) const {
    std::array<double, rows> r{};
    e.evaluate(point(), {r.data(), nullptr, rows});
    return r;
  }
  double kinetic_energy(const Element& e) const {
    const auto m = momenta(e);
    double t = dot(node.v, Vector3{m[0], m[1], m[2]}) + dot(node.omega, Vector3{m[3], m[4], m[5]});
    for (int i = 0; i < modes; ++i) t += rates[i] * m[6 + i];
    return 0.5 * t;
  }
};

TEST(ModalBody, MomentaAndInertiaForcesAreDerivativesOfTheKineticEnergy) {
  for (int order = 0; order < 3; ++order) {
    multibody::Body body = flexible_body(modes, order);
    body.modes->stiffness.setZero();
    body.modes->damping.setZero();
    const auto e = make(modal_body(body, 0));
    const double h = 1e-4;
    const Somewhere at;
    const auto m = at.momenta(*e), r = at.residual(*e);
    const auto difference = [&](auto change) {
      Somewhere a = at, b = at;
      change(a, h), change(b, -h);
      return (a.kinetic_energy(*e) - b.kinetic_energy(*e)) / (2.0 * h);
    };
    EXPECT_NEAR(m[0], difference([](Somewhere& s, double d) { s.node.v.x += d; }), 1e-9);
    EXPECT_NEAR(m[4], difference([](Somewhere& s, double d) { s.node.omega.y += d; }), 1e-9);
    for (int i = 0; i < modes; ++i) {
      EXPECT_NEAR(m[6 + i], difference([i](Somewhere& s, double d) { s.rates[i] += d; }), 1e-9);
      EXPECT_NEAR(-r[6 + i], difference([i](Somewhere& s, double d) { s.q[i] += d; }), 1e-7);
    }
  }
}

TEST(ModalBody, RefusesIntegralsThatDoNotBelongTogether) {
  const ModalBody good = modal_body(flexible_body(modes), 0);
  const auto refused = [&](auto change) {
    ModalBody b = good;
    change(b);
    EXPECT_THROW(make(b), std::invalid_argument);
  };
  refused([](ModalBody& b) { b.S1.pop_back(); });
  refused([](ModalBody& b) { b.J2.clear(); });
  refused([](ModalBody& b) { b.order = 3; });
  refused([](ModalBody& b) { b.modes = 0; });
  refused([](ModalBody& b) { b.modes = 2'000'000'000, b.modal_damping.clear(); });
  refused([](ModalBody& b) { b.modal_mass[1] += 1.0; });
  refused([](ModalBody& b) { b.J2[0].a[3] = NAN; });
  refused([](ModalBody& b) { b.stations[0].rotation[0].y = INFINITY; });
  // 700 stations on nodes: 12 rows each
  refused([](ModalBody& b) {
    b.stations.assign(700, b.stations[0]),
        std::ranges::for_each(b.stations, [](auto& s) { s.node = 1; });
  });
  refused([](ModalBody& b) { b.modal_stiffness[0] = -1.0; });
  refused([](ModalBody& b) { b.modal_mass[0] *= 0.1; });  // less than its part of the whole
  refused([](ModalBody& b) { b.mass = 0.0; });
  refused([](ModalBody& b) { b.stations[0].translation.clear(); });
  EXPECT_THROW(modal_body(multibody::Body{}, 0), std::invalid_argument);
}

}  // namespace
}  // namespace vernier::constrained
