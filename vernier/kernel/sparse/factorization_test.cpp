#include "vernier/kernel/sparse/factorization.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>

#include "vernier/kernel/sparse/matrices_test.hpp"
#include "vernier/testing/allocations.hpp"

namespace vernier::sparse {
namespace {

struct Solved {
  Quality quality;
  std::vector<double> x;
  double residual;  // ‖b − A x‖ against ‖A‖ ‖x‖ + ‖b‖, largest of each, in extended precision
};

std::vector<double> right_side(int size) {
  Random random(4711);
  std::vector<double> b(size);
  for (double& v : b) v = 2.0 * random.uniform() - 1.0;
  return b;
}

double residual(const Pattern& pattern, const std::vector<double>& values,
                const std::vector<double>& x, const std::vector<double>& b) {
  std::vector<long double> r(b.begin(), b.end());
  long double a_max = 0, x_max = 0, b_max = 0, r_max = 0;
  for (std::size_t k = 0; k < values.size(); ++k) {
    r[pattern.entries[k].row] -= static_cast<long double>(values[k]) * x[pattern.entries[k].column];
    a_max = std::max(a_max, std::fabs(static_cast<long double>(values[k])));
  }
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (!std::isfinite(x[i])) return std::numeric_limits<double>::infinity();
    x_max = std::max(x_max, std::fabs(static_cast<long double>(x[i])));
    b_max = std::max(b_max, std::fabs(static_cast<long double>(b[i])));
    r_max = std::max(r_max, std::fabs(r[i]));
  }
  return static_cast<double>(r_max / (a_max * x_max + b_max));
}

Solved solved(Factorization& f, const Pattern& pattern, const std::vector<double>& values) {
  f.clear();
  for (std::size_t k = 0; k < values.size(); ++k) f.values()[f.slots()[k]] += values[k];
  const Quality quality = f.factorize();
  const std::vector<double> b = right_side(pattern.size);
  std::vector<double> x = b;
  f.solve(x);
  return {quality, x, residual(pattern, values, x, b)};
}

constexpr int mechanisms = 5;

MechanismMatrix mechanism(int which, std::uint64_t seed) {
  switch (which) {
    case 0:
      return pendulum_matrix(seed);
    case 1:
    case 2:
      return robot_matrix(seed, which == 1);
    default:
      return chain_matrix(seed, which == 3 ? 10 : 40);
  }
}

TEST(Factorization, SolvesMechanismsWithPivotsOfOtherStates) {
  for (int which = 0; which < mechanisms; ++which) {
    const Pattern pattern = mechanism(which, 1).pattern();
    const std::vector<std::vector<double>> samples{mechanism(which, 1).values(),
                                                   mechanism(which, 2).values()};
    Factorization f(pattern, samples);
    for (std::uint64_t seed = 1; seed < 8; ++seed) {
      const Solved s = solved(f, pattern, mechanism(which, seed).values());
      EXPECT_TRUE(s.quality.usable);
      EXPECT_LT(s.quality.growth, 1e6) << which;
      // backward stable but for the growth (Higham, Accuracy and Stability of Numerical Algorithms,
      // theorem 9.5)
      EXPECT_LT(s.residual, 1e-14 * (1.0 + s.quality.growth))
          << which << ", growth " << s.quality.growth;
    }
  }
}

TEST(Factorization, TakesTheLargestWhereNoPivotSuitsAllSamples) {
  const Pattern pattern{2, {{0, 0}, {0, 1}, {1, 0}, {1, 1}}};
  const std::vector<std::vector<double>> samples{{1e-3, 1.0, 1.0, 1e-3}, {1.0, 1e-6, 1e-6, 1.0}};
  Factorization f(pattern, samples);
  for (const std::vector<double>& sample : samples) {
    const Solved s = solved(f, pattern, sample);
    EXPECT_LT(s.quality.growth, 1.1e3);  // the diagonal: 1e-3 at worst, beside 1e-6
    EXPECT_LT(s.residual, 1e-12);
  }
}

TEST(Factorization, SolvesRandomPatternsWithMissingDiagonals) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const int size = 1 + static_cast<int>(seed * 7 % 120);
    const MechanismMatrix m = random_matrix(seed, size, 1 + static_cast<int>(seed % 5));
    const std::vector<std::vector<double>> samples{m.values()};
    Factorization f(m.pattern(), samples);
    const Solved s = solved(f, m.pattern(), m.values());
    EXPECT_TRUE(s.quality.usable);
    EXPECT_LT(s.residual, 1e-14 * (1.0 + s.quality.growth)) << "seed " << seed;
  }
}

/// By elimination with row exchanges, dense and in extended precision.
std::vector<double> dense_solution(const MechanismMatrix& m, const std::vector<double>& b) {
  const std::size_t n = b.size();
  std::vector<std::vector<long double>> a(n, std::vector<long double>(n + 1, 0.0L));
  const Pattern pattern = m.pattern();
  const std::vector<double> values = m.values();
  for (std::size_t k = 0; k < values.size(); ++k)
    a[pattern.entries[k].row][pattern.entries[k].column] = values[k];
  for (std::size_t i = 0; i < n; ++i) a[i][n] = b[i];
  for (std::size_t k = 0; k < n; ++k) {
    std::swap(a[k], *std::max_element(a.begin() + static_cast<std::ptrdiff_t>(k), a.end(),
                                      [&](const auto& p, const auto& q) {
                                        return std::fabs(p[k]) < std::fabs(q[k]);
                                      }));
    for (std::size_t i = 0; i < n; ++i) {
      const long double f = i == k ? 0.0L : a[i][k] / a[k][k];
      for (std::size_t j = k; j <= n; ++j) a[i][j] -= f * a[k][j];
    }
  }
  std::vector<double> x(n);
  for (std::size_t i = 0; i < n; ++i) x[i] = static_cast<double>(a[i][n] / a[i][i]);
  return x;
}

TEST(Factorization, AgreesWithADenseSolution) {
  for (const MechanismMatrix& m :
       {pendulum_matrix(4), robot_matrix(4, true), robot_matrix(4, false), chain_matrix(4, 5)}) {
    const std::vector<std::vector<double>> samples{m.values()};
    Factorization f(m.pattern(), samples);
    const std::vector<double> x = solved(f, m.pattern(), m.values()).x;
    const std::vector<double> exact = dense_solution(m, right_side(m.size()));
    double size = 0.0;
    for (const double v : exact) size = std::max(size, std::fabs(v));
    for (std::size_t i = 0; i < x.size(); ++i)
      EXPECT_NEAR(x[i], exact[i], 1e-10 * size);  // condition numbers up to 1e4
  }
}

TEST(Factorization, SolvesAgainForAnotherRightSide) {
  const MechanismMatrix m = robot_matrix(3, true);
  const std::vector<std::vector<double>> samples{m.values()};
  Factorization f(m.pattern(), samples);
  const std::vector<double> x = solved(f, m.pattern(), m.values()).x;
  std::vector<double> twice = right_side(m.size());
  for (double& v : twice) v *= 2.0;
  f.solve(twice);
  for (std::size_t i = 0; i < x.size(); ++i) EXPECT_EQ(twice[i], 2.0 * x[i]);
}

TEST(Factorization, GivesTheSameBitsInterpreted) {
  std::vector<MechanismMatrix> matrices;
  for (int which = 0; which < mechanisms; ++which) matrices.push_back(mechanism(which, 5));
  for (std::uint64_t seed = 1; seed < 30; ++seed)
    matrices.push_back(
        random_matrix(seed, 5 + 4 * static_cast<int>(seed), 2 + static_cast<int>(seed % 5)));
  for (const MechanismMatrix& m : matrices) {
    const std::vector<std::vector<double>> samples{m.values()};
    Factorization compiled(m.pattern(), samples);
    Factorization interpreted(m.pattern(), samples, {.machine_code = false});
    const Solved a = solved(compiled, m.pattern(), m.values());
    const Solved b = solved(interpreted, m.pattern(), m.values());
    EXPECT_EQ(std::memcmp(a.x.data(), b.x.data(), a.x.size() * sizeof(double)), 0) << m.size();
    EXPECT_EQ(a.quality.growth, b.quality.growth);
    EXPECT_EQ(a.quality.worst, b.quality.worst);
    EXPECT_EQ(interpreted.statistics().code_bytes, 0U);
  }
}

/// Values of a chain whose links are all alike, but for the first two.
std::vector<double> even_values(const MechanismMatrix& chain) {
  const Pattern pattern = chain.pattern();
  std::vector<double> values = chain.values();
  std::map<std::pair<int, int>, double> first;
  for (std::size_t k = 0; k < values.size(); ++k) {
    auto [row, column] = pattern.entries[k];
    while (row >= 33 && column >= 33) row -= 11, column -= 11;
    values[k] = first.try_emplace({row, column}, values[k]).first->second;
  }
  return values;
}

TEST(Factorization, LoopsOverWhatRepeatsWithTheSameBits) {
  std::array<std::size_t, 2> bytes{};
  for (std::size_t which = 0; which < bytes.size(); ++which) {
    const MechanismMatrix m = chain_matrix(7, which == 0 ? 60 : 90);
    const Pattern pattern = m.pattern();
    const std::vector<double> values = even_values(m);
    const std::vector<std::vector<double>> samples{values};
    Factorization compiled(pattern, samples);
    Factorization interpreted(pattern, samples, {.machine_code = false});
    // values that do not repeat, by code that does
    const Solved a = solved(compiled, pattern, m.values());
    const Solved b = solved(interpreted, pattern, m.values());
    EXPECT_EQ(std::memcmp(a.x.data(), b.x.data(), a.x.size() * sizeof(double)), 0);
    EXPECT_EQ(a.quality.growth, b.quality.growth);
    std::vector<double> rest = right_side(m.size());
    for (std::size_t k = 0; k < values.size(); ++k)
      rest[pattern.entries[k].row] -= m.values()[k] * a.x[pattern.entries[k].column];
    for (const double r : rest) EXPECT_NEAR(r, 0.0, 1e-9);  // growth times rounding
    bytes[which] = compiled.statistics().code_bytes;
  }
  EXPECT_LT(bytes[1], bytes[0] + bytes[0] / 4);  // 30 links more, the same loop
}

TEST(Factorization, NamesEquationsAndUnknownsWithoutPivot) {
  // a hinge that is there twice: five equations too many, five multipliers not determined
  MechanismMatrix twice(1);
  const int node = twice.node();
  twice.revolute(-1, node);
  const Pattern single = twice.pattern();
  const std::vector<double> values = twice.values();
  const int again = twice.unknowns(5);
  for (std::size_t k = 0; k < values.size(); ++k) {
    const auto [row, column] = single.entries[k];
    if (row >= 6) twice.add(row - 6 + again, column, values[k]);
    if (column >= 6) twice.add(row, column - 6 + again, values[k]);
  }
  const std::vector<std::vector<double>> samples{twice.values()};
  try {
    const Factorization f(twice.pattern(), samples);
    FAIL() << "not refused";
  } catch (const Singular& s) {
    EXPECT_EQ(s.rows.size(), 5U);
    EXPECT_EQ(s.columns.size(), 5U);
    for (const int i : s.rows) EXPECT_GE(i, 6);
    for (const int j : s.columns) EXPECT_GE(j, 6);
  }
}

TEST(Factorization, NamesAnEmptyRowAndColumn) {
  MechanismMatrix m(1);
  m.unknowns(3);
  m.add(0, 0, 1.0);
  m.add(2, 1, 1.0);
  const std::vector<std::vector<double>> samples{m.values()};
  try {
    const Factorization f(m.pattern(), samples);
    FAIL() << "not refused";
  } catch (const Singular& s) {
    EXPECT_EQ(s.rows, std::vector<int>{1});
    EXPECT_EQ(s.columns, std::vector<int>{2});
  }
}

TEST(Factorization, AcceptsRowsOfVeryDifferentSize) {
  MechanismMatrix m = robot_matrix(2, true);
  std::vector<double> values = m.values();
  const Pattern pattern = m.pattern();
  for (std::size_t k = 0; k < values.size(); ++k)
    values[k] = std::ldexp(
        values[k], 13 * (pattern.entries[k].row % 7) - 11 * (pattern.entries[k].column % 5));
  const std::vector<std::vector<double>> samples{values};
  Factorization f(pattern, samples);
  EXPECT_TRUE(solved(f, pattern, values).quality.usable);
}

TEST(Factorization, NamesTheRowWhosePivotVanishes) {
  MechanismMatrix m(1);
  m.unknowns(3);
  for (int i = 0; i < 3; ++i) m.add(i, i, 1.0);
  const std::vector<std::vector<double>> samples{m.values()};
  Factorization f(m.pattern(), samples);
  Solved s = solved(f, m.pattern(), {1.0, 0.0, 1.0});
  EXPECT_FALSE(s.quality.usable);
  EXPECT_EQ(s.quality.worst, 1);
  s = solved(f, m.pattern(), {1.0, 1.0, std::nan("")});
  EXPECT_FALSE(s.quality.usable);
  EXPECT_EQ(s.quality.worst, 2);
  s = solved(f, m.pattern(), {0.5, 0.25, 0.9});
  EXPECT_TRUE(s.quality.usable);
  EXPECT_EQ(s.quality.worst, 1);
  EXPECT_EQ(s.x[1], 4.0 * right_side(3)[1]);
}

TEST(Factorization, DetectsGrowthThatTheSamplesDidNotShow) {
  MechanismMatrix m(1);
  m.unknowns(2);
  m.add(0, 0, 1.0), m.add(0, 1, 1.0), m.add(1, 0, 1.0), m.add(1, 1, 3.0);
  const std::vector<std::vector<double>> samples{m.values()};
  Factorization f(m.pattern(), samples);
  EXPECT_LE(solved(f, m.pattern(), {1.0, 1.0, 1.0, 3.0}).quality.growth, 1.0);
  const double growth = std::max(solved(f, m.pattern(), {1e-10, 1.0, 1.0, 3.0}).quality.growth,
                                 solved(f, m.pattern(), {1.0, 1.0, 1.0, 1e-10}).quality.growth);
  EXPECT_GT(growth, 1e9);
}

TEST(Factorization, DoesNotAllocateInTheLoop) {
  const MechanismMatrix m = chain_matrix(1, 10);
  const std::vector<std::vector<double>> samples{m.values()};
  Factorization f(m.pattern(), samples);
  std::vector<double> b(f.size(), 1.0);
  const long before = testing::allocations();
  f.clear();
  for (std::size_t k = 0; k < samples[0].size(); ++k) f.values()[f.slots()[k]] += samples[0][k];
  const Quality quality = f.factorize();
  f.solve(b);
  EXPECT_EQ(testing::allocations(), before);
  EXPECT_TRUE(quality.usable);
}

TEST(Factorization, TellsItsWork) {
  const MechanismMatrix m = robot_matrix(1, true);
  const std::vector<std::vector<double>> samples{m.values()};
  const Factorization f(m.pattern(), samples);
  const Factorization::Statistics s = f.statistics();
  EXPECT_EQ(s.entries, static_cast<int>(samples[0].size()));
  EXPECT_GE(s.fill, 0);
  EXPECT_LT(s.operations, 2 * 48 * 48 * 48 / 3 / 8);  // a dense one has eight times as many
}

}  // namespace
}  // namespace vernier::sparse
