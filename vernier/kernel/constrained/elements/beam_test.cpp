#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <stdexcept>

#include "vernier/kernel/constrained/elements.hpp"
#include "vernier/kernel/constrained/elements/beam_cases_test.hpp"
#include "vernier/kernel/constrained/elements/section.hpp"
#include "vernier/kernel/constrained/rotation.hpp"

namespace vernier::constrained {
namespace {

const Section plain = section({900.0, 300.0, 400.0, 20.0, 30.0, 50.0, 2.0, 0.01, 0.02});

Beam3 straight(double length = 1.0) {
  Beam3 b;
  b.nodes = {0, 1, 2};
  b.sections = {plain, plain};
  for (int i = 0; i < 3; ++i) b.reference[i] = placed_at({0.5 * length * i, 0.0, 0.0});
  return b;
}
Beam2 short_one() {
  Beam2 b;
  b.nodes = {0, 1};
  b.section = plain;
  b.reference = {placed_at({0.0, 0.0, 0.0}), placed_at({1.0, 0.0, 0.0})};
  return b;
}

/// An element's residual where its nodes are at `places`, at rest.
template <std::size_t N>
struct Placement {
  std::array<NodeState, N> places;
  std::array<Matrix3, N> turns;
  std::array<int, N> numbers;

  explicit Placement(const std::array<NodeState, N>& at) : places(at) {
    for (std::size_t i = 0; i < N; ++i) {
      turns[i] = spatial::identity3<double>();
      numbers[i] = static_cast<int>(i);
    }
  }
  Point point() const {
    Point p;
    p.node_states = places.data();
    p.node_turns = turns.data();
    p.nodes = numbers.data();
    return p;
  }
  std::array<double, 6 * N> residual(const Element& e) const {
    std::array<double, 6 * N> r{};
    e.evaluate(point(), {r.data(), nullptr, 6 * static_cast<int>(N)});
    return r;
  }
  std::vector<double> measures(const Element& e) const {
    int n = 0;
    for (const Measure& m : e.shape().measures) n += m.count;
    std::vector<double> v(static_cast<std::size_t>(n));
    e.measure(point(), v);
    return v;
  }
};

Vector3 part(std::span<const double> r, int at) { return {r[at], r[at + 1], r[at + 2]}; }

TEST(Beam, FeelsNothingWhereItIsMade) {
  for (bool three : {true, false}) {
    for (const BeamCase& c : beam_cases(three)) {
      for (const double angle : {0.0, 1.0, 3.0}) {
        const Matrix3 Q = rotation(Vector3{0.3, -0.5, 0.8} * angle);
        std::vector<NodeState> places = c.around.about;
        if (c.element->shape().nodes[0] == ground) continue;
        for (NodeState& n : places) n.x = Q * n.x + Vector3{3.0, 2.0, 1.0}, n.R = Q * n.R;
        std::vector<double> r(c.element->shape().size());
        std::vector<int> numbers = {0, 1, 2};
        Point p;
        p.node_states = places.data();
        p.nodes = numbers.data();
        c.element->evaluate(p, {r.data(), nullptr, c.element->shape().size()});
        for (const double x : r) EXPECT_NEAR(x, 0.0, 1e-11);  // rounding of places 4, times 900
        EXPECT_NEAR(c.element->energy(p), 0.0, 1e-20);
      }
    }
  }
}

TEST(Beam, StretchesBendsAndTwistsBySectionStiffness) {
  const auto three = make(straight());
  const auto two = make(short_one());
  const double e = 1e-3, k = 0.3;
  {  // stretch: EA e
    const Placement<3> at({placed_at({0.0, 0.0, 0.0}), placed_at({0.5 * (1.0 + e), 0.0, 0.0}),
                           placed_at({1.0 + e, 0.0, 0.0})});
    const auto r = at.residual(*three);
    EXPECT_NEAR(r[0], -900.0 * e, 1e-12);
    EXPECT_NEAR(r[6], 0.0, 1e-12);
    EXPECT_NEAR(r[12], 900.0 * e, 1e-12);
    EXPECT_NEAR(three->energy(at.point()), 0.5 * 900.0 * e * e, 1e-15);
  }
  // bent to a circle of curvature k, twisted: moments alone, equal at both points
  const auto arc = [&](double s) {
    return placed_at({std::sin(k * s) / k, (1.0 - std::cos(k * s)) / k, 0.0},
                     rotation(Vector3{0.0, 0.0, k * s}));
  };
  const auto twist = [&](double s) {
    return placed_at({s, 0.0, 0.0}, rotation(Vector3{k * s, 0.0, 0.0}));
  };
  {
    const Placement<3> at({arc(0.0), arc(0.5), arc(1.0)});
    const auto m = at.measures(*three);
    EXPECT_NEAR(m[5], 50.0 * k, 1e-12);  // moment_1 about z
    EXPECT_NEAR(m[17], 50.0 * k, 1e-12);
    EXPECT_NEAR(m[11], k, 1e-14);  // curvature_1
    EXPECT_NEAR(m[29], k, 1e-14);  // turn of the end
    EXPECT_NEAR(m[25], (1.0 - std::cos(k)) / k, 1e-14);
    const Placement<3> t({twist(0.0), twist(0.5), twist(1.0)});
    EXPECT_NEAR(t.residual(*three)[3], -20.0 * k, 1e-12);
  }
  {
    const Placement<2> at({arc(0.0), arc(1.0)});
    EXPECT_NEAR(at.measures(*two)[5], 50.0 * k, 1e-12);
    const Placement<2> t({twist(0.0), twist(1.0)});
    EXPECT_NEAR(t.residual(*two)[9], 20.0 * k, 1e-12);
  }
}

TEST(Beam, ForcesBalanceAndTurnWithTheFrame) {
  for (bool three : {true, false}) {
    for (const BeamCase& c : beam_cases(three)) {
      const int nodes = three ? 3 : 2, size = 6 * nodes;
      std::vector<NodeState> places = c.around.about;
      for (int i = 0; i < nodes; ++i) {
        places[i].x += Vector3{0.02 * i, -0.03 * i * i, 0.01};
        places[i].R = rotation(Vector3{0.1 * i, 0.05, -0.2 * i}) * places[i].R;
      }
      const std::vector<int> numbers = {0, 1, 2};
      const auto residual = [&](const std::vector<NodeState>& at) {
        std::vector<double> r(static_cast<std::size_t>(size));
        Point p;
        p.node_states = at.data();
        p.nodes = numbers.data();
        c.element->evaluate(p, {r.data(), nullptr, size});
        return r;
      };
      const auto r = residual(places);
      Vector3 force{}, moment{};
      for (int i = 0; i < nodes; ++i) {
        force += part(r, 6 * i);
        moment += part(r, 6 * i + 3) + cross(places[i].x, part(r, 6 * i));
      }
      EXPECT_NEAR(std::sqrt(dot(force, force) + dot(moment, moment)), 0.0, 1e-11);
      const Matrix3 Q = rotation(Vector3{1.3, -0.7, 2.0});
      std::vector<NodeState> turned = places;
      for (NodeState& n : turned) n.x = Q * n.x + Vector3{1.0, 2.0, 3.0}, n.R = Q * n.R;
      const auto s = residual(turned);
      for (int i = 0; i < 2 * nodes; ++i) {
        const Vector3 d = part(s, 3 * i) - Q * part(r, 3 * i);
        EXPECT_NEAR(std::sqrt(dot(d, d)), 0.0, 1e-11);
      }
    }
  }
}

TEST(Beam, PrestrainIsAForceWhereItIsMade) {
  Beam3 b = straight();
  b.prestrain[0] = b.prestrain[1] = {0.01, 0.0, 0.0, 0.0, 0.0, 0.2};
  const Placement<3> at(b.reference);
  const auto m = at.measures(*make(b));
  EXPECT_NEAR(m[0], 9.0, 1e-12);
  EXPECT_NEAR(m[5], 10.0, 1e-12);
  EXPECT_NEAR(m[12], 9.0, 1e-12);
}

TEST(Beam, PiecesMakeTheMassOfTheWhole) {
  // oracle: a rod of 2 kg/m and 3 m, about its first node; ρ I per length beside
  const Beam3 b = straight(3.0);
  double mass = 0.0, moment = 0.0, about_y = 0.0, about_x = 0.0;
  for (const Body& piece : lumped(b)) {
    const double x = b.reference[piece.node].x.x + piece.centre.x;
    mass += piece.mass;
    moment += piece.mass * x;
    about_y += piece.inertia.yy + piece.mass * x * x;
    about_x += piece.inertia.xx;
  }
  EXPECT_NEAR(mass, 6.0, 1e-14);
  EXPECT_NEAR(moment, 9.0, 1e-13);
  EXPECT_NEAR(about_y, 6.0 * 9.0 / 3.0 + 3.0 * 0.01, 1e-13);
  EXPECT_NEAR(about_x, 3.0 * 0.03, 1e-15);
  EXPECT_NEAR(lumped(b)[0].mass, 3.0 * (1.0 - 1.0 / std::sqrt(3.0)), 1e-14);
  Beam2 two = short_one();
  two.section = displaced(two.section, 0.1, 0.0);
  const auto bodies = lumped(two);
  EXPECT_NEAR(bodies[0].mass, 1.0, 1e-15);
  EXPECT_NEAR(bodies[1].centre.x, -0.25, 1e-15);
  EXPECT_NEAR(bodies[0].centre.y, 0.1, 1e-15);
  EXPECT_NEAR(bodies[0].inertia.yy, 1.0 * 0.25 / 12.0 + 0.5 * 0.01, 1e-15);
}

TEST(Section, RectanglesAndTubesHaveTheTextbookConstants) {
  const Material steel{207e9, 0.3, 7800.0};
  const Section r = rectangle(steel, 0.01, 0.1), t = tube(steel, 0.05, 0.04);
  const double G = 207e9 / 2.6;
  EXPECT_NEAR(r.stiffness[0], 207e9 * 1e-3, 1.0);
  EXPECT_NEAR(r.stiffness[28], 207e9 * 0.01 * 1e-3 / 12.0, 1e-3);
  EXPECT_NEAR(r.stiffness[35], 207e9 * 0.1 * 1e-6 / 12.0, 1e-3);
  // torsion of a thin strip: h t³/3 (1 - 0.63 t/h), Timoshenko
  EXPECT_NEAR(r.stiffness[21] / (G * 0.1 * 1e-6 / 3.0), 1.0 - 0.630 * 0.1, 1e-4);
  // a square: 0.1406 a⁴
  EXPECT_NEAR(rectangle(steel, 0.1, 0.1).stiffness[21] / (G * 1e-4), 0.1406, 1e-4);
  EXPECT_NEAR(r.line_density, 7.8, 1e-12);
  EXPECT_NEAR(t.stiffness[21] / t.stiffness[28], 2.0 * G / 207e9, 1e-12);
  // shear factor of a full circle: 6 (1 + ν) / (7 + 6 ν), Cowper
  const Section c = tube(steel, 0.05);
  EXPECT_NEAR(c.stiffness[7] / c.stiffness[0], 7.8 / 8.8 / 2.6, 1e-12);
}

TEST(Beam, RefusesWhatNoBeamCanHave) {
  const auto refused = [](auto change, auto beam) {
    change(beam);
    EXPECT_THROW(make(beam), std::invalid_argument);
  };
  refused([](Beam3& b) { b.sections[1].stiffness[35] = 0.0; }, straight());
  refused([](Beam3& b) { b.sections[0].stiffness[1] = 1.0; }, straight());
  refused([](Beam3& b) { b.sections[0].stiffness[1] = b.sections[0].stiffness[6] = 600.0; },
          straight());
  refused([](Beam3& b) { b.sections[0].damping[0] = -1.0; }, straight());
  refused([](Beam3& b) { b.sections[0].damping[0] = std::nan(""); }, straight());
  refused([](Beam3& b) { b.reference[1] = b.reference[2] = b.reference[0]; }, straight());
  refused([](Beam3& b) { b.reference[1] = b.reference[2]; }, straight());
  refused([](Beam3& b) { b.axes[2].a[0] = 2.0; }, straight());
  refused(
      [](Beam3& b) {
        for (Matrix3& a : b.axes) a = rotation(Vector3{0.0, 1.5, 0.0});
      },
      straight());
  refused([](Beam2& b) { b.reference[1] = b.reference[0]; }, short_one());
  refused([](Beam2& b) { b.section.stiffness[0] = -1.0; }, short_one());
  EXPECT_THROW(tube({1.0, 0.3, 0.0}, 0.1, 0.2), std::invalid_argument);
  EXPECT_THROW(rectangle({1.0, 0.6, 0.0}, 0.1, 0.2), std::invalid_argument);
  Beam3 massless = straight();
  massless.sections[0].line_density = 0.0;
  EXPECT_THROW(lumped(massless), std::invalid_argument);
}

}  // namespace
}  // namespace vernier::constrained
