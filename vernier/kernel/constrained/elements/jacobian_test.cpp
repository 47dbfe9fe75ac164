#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "vernier/kernel/constrained/elements.hpp"
#include "vernier/kernel/constrained/elements/cases_test.hpp"
#include "vernier/kernel/constrained/probe.hpp"
#include "vernier/kernel/constrained/rotation.hpp"

namespace vernier::constrained {
namespace {

std::vector<std::string> names() {
  std::vector<std::string> n;
  for (const auto& [name, c] : cases()) n.push_back(name);
  return n;
}

class Elements : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(All, Elements, ::testing::ValuesIn(names()),
                         [](const auto& of) { return of.param; });

template <class F>
void for_each(const F& f) {
  for (const auto& [name, list] : cases()) {
    SCOPED_TRACE(name);
    for (const Case& c : list) f(c);
  }
}

std::string told(const Deviation& d) {
  return d.what + ", row " + std::to_string(d.row) + ", column " + std::to_string(d.column) + ": " +
         std::to_string(d.given) + " instead of " + std::to_string(d.expected);
}

// Differences of fourth order, rounded by 1e-16 / 2e-2: 1e-6 of an entry, or 1e-11 of the largest.
TEST_P(Elements, JacobianIsTheDerivative) {
  for (const Case& c : cases().at(GetParam())) {
    for (unsigned seed = 1; seed <= 4; ++seed) {
      const Deviation d = check_jacobian(*c.element, seed, c.around);
      EXPECT_LT(d.error, 1e-6) << told(d);
    }
  }
}

/// A rod whose Jacobian has a mistake in one place.
class Mistaken final : public Element {
 public:
  Mistaken(int row, int column, double by)
      : rod_(make(Rod{.a = {.node = 0}, .b = {.node = 1}, .law = {.stiffness = 3.0}})),
        row_(row),
        column_(column),
        by_(by) {}
  const Shape& shape() const noexcept override { return rod_->shape(); }
  void evaluate(const Point& p, const Contribution& out) const noexcept override {
    rod_->evaluate(p, out);
    if (out.jacobian != nullptr) out.at(row_, column_) += by_;
  }

 private:
  std::unique_ptr<const Element> rod_;
  int row_, column_;
  double by_;
};

TEST(JacobianCheck, NamesTheEntryThatIsWrong) {
  EXPECT_LT(check_jacobian(Mistaken(1, 8, 0.0), 1).error, 1e-6);
  const Deviation d = check_jacobian(Mistaken(1, 8, 1e-3), 1);
  EXPECT_GT(d.error, 1e-4);
  EXPECT_EQ(d.row, 1);
  EXPECT_EQ(d.column, 8);
  // without offsets a rod does nothing to moments
  EXPECT_EQ(check_jacobian(Mistaken(4, 2, 1e-30), 1).what, "pattern");
}

TEST(AllElements, ConstraintMotionIsTheDerivative) {
  for_each([&](const Case& c) {
    for (unsigned seed = 1; seed <= 4; ++seed) {
      const Deviation d = check_constraint_motion(*c.element, seed, c.around);
      EXPECT_LT(d.error, 1e-7) << told(d);  // second differences over 2e-3: rounding 1e-16 / 4e-6
    }
  });
}

struct Evaluated {
  std::vector<double> r, J;
};
Evaluated evaluated(const Element& e, const Probe& at) {
  const auto n = static_cast<std::size_t>(e.shape().size());
  Evaluated v{std::vector<double>(n), std::vector<double>(n * n)};
  e.evaluate(at.point(), {v.r.data(), v.J.data(), e.shape().size()});
  return v;
}
Vector3 part(const std::vector<double>& r, int row) { return {r[row], r[row + 1], r[row + 2]}; }

// Φ_q in the rows of constraints, Φ_qᵀ in the columns of multipliers: reactions do no work.
TEST(AllElements, ReactionsAreTheTransposedGradient) {
  for_each([&](const Case& c) {
    const Shape& s = c.element->shape();
    Probe at(s);
    at.scatter(5, c.around);
    c.element->begin(at.point(), at.memory());
    const Evaluated v = evaluated(*c.element, at);
    for (int i = s.algebraic_row(); i < s.algebraic_row(s.holonomic); ++i) {
      for (int j = 0; j < s.scalar_row(); ++j) {
        EXPECT_NEAR(v.J[i * s.size() + j], at.point().c * v.J[j * s.size() + i], 1e-15);
      }
    }
  });
}

TEST(AllElements, ForcesBetweenNodesSumUpToNothing) {
  for_each([&](const Case& c) {
    if (!c.free || c.points) return;  // points are apart here
    Probe at(c.element->shape());
    at.scatter(6, c.around);
    c.element->begin(at.point(), at.memory());
    const Evaluated v = evaluated(*c.element, at);
    Vector3 F{}, M{};
    double size = 0.0;
    for (int i = 0; i < static_cast<int>(c.element->shape().nodes.size()); ++i) {
      const Vector3 f = part(v.r, 6 * i), m = part(v.r, 6 * i + 3);
      F += f;
      M += m + cross(at.point().node(i).x, f);
      size += std::sqrt(dot(f, f) + dot(m, m));
    }
    EXPECT_LT(std::sqrt(dot(F, F) + dot(M, M)), 1e-14 * (1.0 + size));
  });
}

// Turned and shifted with all it is attached to, an element does the same in the new axes.
TEST(AllElements, ForcesTurnWithTheNodes) {
  const Matrix3 Q = rotation(Vector3{1.1, -0.6, 2.0});
  for_each([&](const Case& c) {
    if (!c.free) return;
    const Shape& s = c.element->shape();
    Probe at(s);
    at.scatter(7, c.around);
    c.element->begin(at.point(), at.memory());
    const Evaluated before = evaluated(*c.element, at);
    const double energy = c.element->energy(at.point());
    at.carry(Q, {2.0, -1.0, 0.5}, c.points);
    const Evaluated after = evaluated(*c.element, at);
    double size = 1.0;
    for (double r : before.r) size = std::max(size, std::abs(r));
    const int vectors = 2 * static_cast<int>(s.nodes.size()) + (c.points ? 1 : 0);
    for (int i = 0; i < vectors; ++i) {
      const Vector3 d = part(after.r, 3 * i) - Q * part(before.r, 3 * i);
      EXPECT_LT(std::sqrt(dot(d, d)), 1e-12 * size);
    }
    for (int i = 3 * vectors; i < s.size(); ++i) EXPECT_NEAR(after.r[i], before.r[i], 1e-12 * size);
    EXPECT_NEAR(c.element->energy(at.point()), energy, 1e-12 * (1.0 + energy));
  });
}

TEST(AllElements, ElasticForcesAreSlopesOfTheEnergy) {
  for_each([&](const Case& c) {
    if (!c.elastic) return;
    Surroundings still = c.around;
    still.motion = 0.0;
    Probe at(c.element->shape());
    at.scatter(8, still);
    c.element->begin(at.point(), at.memory());
    const Evaluated v = evaluated(*c.element, at);
    for (int j = 0; j < c.element->shape().scalar_row(); ++j) {
      const auto energy = [&](double by) {
        Probe moved = at;
        moved.perturb(j, by);
        return c.element->energy(moved.point());
      };
      const double h = 0.01, step = at.point().c;
      const double slope =
          (energy(-2 * h) - energy(2 * h) + 8.0 * (energy(h) - energy(-h))) / (12.0 * h);
      EXPECT_NEAR(slope, step * v.r[j], 1e-9 * (1.0 + std::abs(slope))) << j;
    }
  });
}

}  // namespace
}  // namespace vernier::constrained
