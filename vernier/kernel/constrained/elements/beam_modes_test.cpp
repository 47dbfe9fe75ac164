#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <utility>
#include <vector>

#include "vernier/kernel/constrained/elements/cantilever_test.hpp"

namespace vernier::constrained {
namespace {

using Square = std::vector<std::vector<double>>;

/// Sign of det(K - s M), by elimination.
int sign_of_determinant(const Square& K, const Square& M, double s) {
  Square a = K;
  const std::size_t n = a.size();
  int sign = 1;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) a[i][j] -= s * M[i][j];
  }
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t pivot = k;
    for (std::size_t i = k; i < n; ++i) {
      if (std::fabs(a[i][k]) > std::fabs(a[pivot][k])) pivot = i;
    }
    if (pivot != k) std::swap(a[pivot], a[k]), sign = -sign;
    if (a[k][k] < 0.0) sign = -sign;
    for (std::size_t i = k + 1; i < n; ++i) {
      const double f = a[i][k] / a[k][k];
      for (std::size_t j = k; j < n; ++j) a[i][j] -= f * a[k][j];
    }
  }
  return sign;
}

/// The lowest frequencies of bending in x, y, Hz, of a beam 1 m long whose first node is clamped or
/// pinned; rows and columns: y and the turn about z of each node.
std::vector<double> frequencies(const Section& section, int beams, bool clamped, int count) {
  Model m;
  const auto nodes = add_straight_beam(m, "beam", {}, 1.0, beams, section);
  const std::size_t n = 2 * nodes.size();
  Square K(n, std::vector<double>(n)), M = K;
  std::vector<NodeState> states;
  for (const Node& node : m.nodes) states.push_back(placed_at(node.position));
  const std::vector<Matrix3> turns(states.size(), spatial::identity3<double>());
  for (const NamedElement& e : m.elements) {
    Point p;
    p.node_states = states.data(), p.node_turns = turns.data();
    p.nodes = e.element->shape().nodes.data();
    double r[18], J[324];
    e.element->evaluate(p, {r, J, 18});
    const int local[] = {1, 5};
    for (int i = 0; i < 6; ++i) {
      for (int j = 0; j < 6; ++j)
        K[2 * p.nodes[i / 2] + i % 2][2 * p.nodes[j / 2] + j % 2] +=
            J[18 * (6 * (i / 2) + local[i % 2]) + 6 * (j / 2) + local[j % 2]];
    }
  }
  for (const Body& b : m.bodies) {
    const int at = 2 * b.node;
    M[at][at] += b.mass;
    M[at][at + 1] += b.mass * b.centre.x, M[at + 1][at] += b.mass * b.centre.x;
    M[at + 1][at + 1] += b.inertia.zz + b.mass * b.centre.x * b.centre.x;
  }
  const auto fixed = static_cast<long>(clamped ? 2 : 1);
  for (Square* s : {&K, &M}) {
    s->erase(s->begin(), s->begin() + fixed);
    for (auto& row : *s) row.erase(row.begin(), row.begin() + fixed);
  }
  // by bisection where the determinant changes its sign; a pinned beam may also turn as a whole
  std::vector<double> found;
  const auto sign = [&](double f) {
    const double w = 2.0 * std::numbers::pi * f;
    return sign_of_determinant(K, M, w * w);
  };
  const double step = 0.3;
  for (double f = 1.0; static_cast<int>(found.size()) < count && f < 500.0; f += step) {
    if (sign(f) == sign(f + step)) continue;
    double a = f, b = f + step;
    for (int i = 0; i < 40; ++i) {
      const double c = 0.5 * (a + b);
      (sign(c) == sign(a) ? a : b) = c;
    }
    found.push_back(a);
  }
  return found;
}

// Oracle: Euler and Bernoulli's beam, f = β² / 2π √(EI / m L³); the errors of lumped pieces go with
// the square of their length.
TEST(Beam3, VibratesAsEulerAndBernoulliSay) {
  const double EI = 9.336, mass = 0.685, I = mass * 2.5e-3 * 2.5e-3 / 12.0;
  const Section s = section({1.7925e7, 5.6156e6, 5.6156e6, 14.039, 14937.5, EI, mass, I, I});
  const auto exact = [&](double beta) {
    return beta * beta / (2.0 * std::numbers::pi) * std::sqrt(EI / mass);
  };
  const double clamped[] = {1.8751041, 4.6940911, 7.8547574}, pinned[] = {3.9266023, 7.0685827};
  const std::pair<int, std::vector<double>> errors[] = {{1, {3.5e-3}},
                                                        {2, {1.4e-3, -2.4e-2, 0.12}},
                                                        {4, {3e-4, -4e-3, -1.3e-2}},
                                                        {8, {7e-5, -1.1e-3, -3.7e-3}}};
  for (const auto& [beams, error] : errors) {
    const auto f = frequencies(s, beams, true, static_cast<int>(error.size()));
    ASSERT_EQ(f.size(), error.size());
    for (std::size_t i = 0; i < f.size(); ++i)
      EXPECT_NEAR(f[i] / exact(clamped[i]) - 1.0, error[i], 0.06 * std::fabs(error[i])) << beams;
  }
  const auto f = frequencies(s, 8, false, 2);
  ASSERT_EQ(f.size(), 2u);
  EXPECT_NEAR(f[0] / exact(pinned[0]), 1.0, 2e-3);
  EXPECT_NEAR(f[1] / exact(pinned[1]), 1.0, 5e-3);
  EXPECT_NEAR(exact(clamped[0]), 2.066, 1e-3);
  EXPECT_NEAR(exact(clamped[1]), 12.95, 5e-3);
  EXPECT_NEAR(exact(clamped[2]), 36.25, 1e-2);
  EXPECT_NEAR(exact(pinned[0]), 9.06, 5e-3);
  EXPECT_NEAR(exact(pinned[1]), 29.4, 0.05);
}

// Reference values: 4.161 and 26.1 Hz; what lumped pieces are off by is as above.
TEST(Beam3, IsTheFirstLinkOfTheRobot) {
  const double mass = 3.9, I = mass * 5e-3 * 5e-3 / 12.0;
  const Section s = section({1.035e8, 3.3173e7, 3.3173e7, 331.73, 86250.0, 215.625, mass, I, I});
  const auto f = frequencies(s, 4, true, 2);
  ASSERT_EQ(f.size(), 2u);
  EXPECT_NEAR(f[0], 4.161 * (1.0 + 3e-4), 1e-3);
  EXPECT_NEAR(f[1], 26.1 * (1.0 - 4e-3), 0.05);
}

}  // namespace
}  // namespace vernier::constrained
