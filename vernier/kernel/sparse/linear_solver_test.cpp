#include "vernier/kernel/sparse/linear_solver.hpp"

#include <gtest/gtest.h>
#include <malloc.h>

#include <cmath>

#include "vernier/kernel/sparse/matrices_test.hpp"
#include "vernier/testing/allocations.hpp"

namespace vernier::sparse {
namespace {

template <class Solver>
Quality refactor(Solver& solver, const std::vector<double>& values) {
  solver.clear();
  for (std::size_t k = 0; k < values.size(); ++k) solver.values()[solver.slots()[k]] += values[k];
  return solver.factorize();
}

TEST(KluFactorization, AgreesWithTheProgram) {
  const MechanismMatrix m = robot_matrix(1, false);
  const std::vector<std::vector<double>> samples{m.values()};
  Factorization program(m.pattern(), samples);
  KluFactorization klu(m.pattern(), samples[0]);
  for (std::uint64_t seed = 2; seed < 8; ++seed) {
    const std::vector<double> values = robot_matrix(seed, false).values();
    EXPECT_TRUE(refactor(program, values).usable);
    const Quality quality = refactor(klu, values);
    EXPECT_TRUE(quality.usable);
    EXPECT_LT(quality.growth, 1e3);
    EXPECT_GT(klu.reciprocal_condition(), 1e-8);
    std::vector<double> x(m.size(), 1.0);
    std::vector<double> y(m.size(), 1.0);
    program.solve(x);
    klu.solve(y);
    for (int i = 0; i < m.size(); ++i) EXPECT_NEAR(x[i], y[i], 1e-10 * (1.0 + std::fabs(y[i])));
  }
}

TEST(KluFactorization, DoesNotAllocateInTheLoop) {
  const MechanismMatrix m = chain_matrix(1, 10);
  KluFactorization klu(m.pattern(), m.values());
  const std::vector<double> values = m.values();
  std::vector<double> b(m.size(), 1.0);
  const long before = testing::allocations();
  const struct mallinfo2 held = mallinfo2();
  const Quality quality = refactor(klu, values);
  klu.solve(b);
  const struct mallinfo2 now = mallinfo2();
  EXPECT_EQ(testing::allocations(), before);
  EXPECT_EQ(now.uordblks, held.uordblks);
  EXPECT_EQ(now.fordblks, held.fordblks);
  EXPECT_TRUE(quality.usable);
}

TEST(KluFactorization, NamesTheRowWhosePivotVanishes) {
  MechanismMatrix m(1);
  m.unknowns(3);
  for (int i = 0; i < 3; ++i) m.add(i, i, 1.0);
  KluFactorization klu(m.pattern(), m.values());
  Quality quality = refactor(klu, {1.0, 0.0, 1.0});
  EXPECT_FALSE(quality.usable);
  EXPECT_EQ(quality.worst, 1);
  quality = refactor(klu, {1.0, 1.0, std::nan("")});
  EXPECT_FALSE(quality.usable);
  EXPECT_EQ(quality.worst, 2);
  EXPECT_TRUE(refactor(klu, {1.0, 2.0, 1.0}).usable);
  EXPECT_THROW(KluFactorization(m.pattern(), std::vector<double>{1.0, 0.0, 1.0}), Singular);
}

/// Two equations whose first pivot vanishes in the second state, wherever it was chosen.
Pattern pair() { return {2, {{0, 0}, {0, 1}, {1, 0}, {1, 1}}}; }
const std::vector<double> first_state{1.0, 0.5, 0.5, 1.0};
const std::vector<double> second_state{1e-12, 0.5, 0.5, 1e-12};

void expect_solution(LinearSolver& solver, const std::vector<double>& a) {
  std::vector<double> b{a[0] + 2.0 * a[1], a[2] + 2.0 * a[3]};
  solver.solve(b);
  EXPECT_NEAR(b[0], 1.0, 1e-14);
  EXPECT_NEAR(b[1], 2.0, 1e-14);
}

TEST(LinearSolver, UsesTheProgramWhileItsPivotsAreGood) {
  LinearSolver solver(pair(), {first_state});
  EXPECT_TRUE(refactor(solver, first_state).usable);
  EXPECT_EQ(solver.method(), LinearSolver::Method::program);
  expect_solution(solver, first_state);
  EXPECT_EQ(solver.counts().factorizations, 1);
  EXPECT_EQ(solver.counts().by_klu, 0);
}

TEST(LinearSolver, IsAnsweredByKluWhereGrowthIsTooLarge) {
  // the diagonal is large enough for the program, not for KLU, which looks for a tenth
  const std::vector<double> sample{0.05, 1.0, 1.0, 0.05};
  const std::vector<double> adverse{1e-12, 1.0, 1.0, 1e-12};
  LinearSolver solver(pair(), {sample});
  EXPECT_TRUE(refactor(solver, sample).usable);
  EXPECT_EQ(solver.method(), LinearSolver::Method::program);
  const long before = testing::allocations();
  const struct mallinfo2 held = mallinfo2();
  const Quality quality = refactor(solver, adverse);
  EXPECT_EQ(testing::allocations(), before);
  EXPECT_EQ(mallinfo2().uordblks, held.uordblks);
  EXPECT_TRUE(quality.usable);
  EXPECT_LT(quality.growth, 10.0);
  EXPECT_EQ(solver.method(), LinearSolver::Method::klu);
  EXPECT_EQ(solver.counts().by_klu, 1);
  expect_solution(solver, adverse);
  EXPECT_TRUE(refactor(solver, sample).usable);
  EXPECT_EQ(solver.method(), LinearSolver::Method::program);
  expect_solution(solver, sample);
}

TEST(LinearSolver, AsksForTheMatrixAgainOnlyWhereTheProgramFails) {
  const std::vector<double> sample{0.05, 1.0, 1.0, 0.05};
  const std::vector<double> adverse{1e-12, 1.0, 1.0, 1e-12};
  LinearSolver solver(pair(), {sample});
  int asked = 0;
  for (const auto& [values, method] : {std::pair{sample, LinearSolver::Method::program},
                                       std::pair{adverse, LinearSolver::Method::klu}}) {
    const auto fill = [&, &values = values] {
      for (std::size_t k = 0; k < values.size(); ++k)
        solver.values()[solver.slots()[k]] += values[k];
    };
    solver.clear();
    fill();
    const bool usable = solver
                            .factorize([&] {
                              ++asked;
                              fill();
                            })
                            .usable;
    EXPECT_TRUE(usable);
    EXPECT_EQ(solver.method(), method);
    expect_solution(solver, values);
  }
  EXPECT_EQ(asked, 1);
}

TEST(LinearSolver, FindsOtherPivotsOffLine) {
  LinearSolver::Settings settings;
  settings.may_allocate = true;
  LinearSolver solver(pair(), {first_state}, settings);
  EXPECT_TRUE(refactor(solver, second_state).usable);
  EXPECT_EQ(solver.counts().repivots, 1);
  EXPECT_EQ(solver.generation(), 1);
  expect_solution(solver, second_state);
  EXPECT_TRUE(refactor(solver, first_state).usable);
  EXPECT_EQ(solver.counts().repivots, 1);
  expect_solution(solver, first_state);
}

TEST(LinearSolver, HasCopiesThatSolveMatricesOfTheirOwn) {
  const MechanismMatrix m = robot_matrix(1, true);
  LinearSolver first(m.pattern(), {m.values()});
  const std::vector<double> a = robot_matrix(2, true).values(), b = robot_matrix(3, true).values();
  const auto solved = [&](LinearSolver& solver) {
    std::vector<double> x(m.size(), 1.0);
    solver.solve(x);
    return x;
  };
  EXPECT_TRUE(refactor(first, a).usable);
  const std::vector<double> by_a = solved(first);
  LinearSolver second(first);
  EXPECT_EQ(second.method(), LinearSolver::Method::none);
  EXPECT_EQ(second.counts().factorizations, 0);
  EXPECT_TRUE(refactor(second, b).usable);
  EXPECT_EQ(solved(first), by_a);
  EXPECT_NE(solved(second), by_a);
  EXPECT_TRUE(refactor(second, a).usable);
  EXPECT_EQ(solved(second), by_a);
}

TEST(LinearSolver, SaysWhoFailsForASingularMatrix) {
  LinearSolver solver(pair(), {first_state});
  const Quality quality = refactor(solver, {1.0, 1.0, 1.0, 1.0});
  EXPECT_FALSE(quality.usable);
  EXPECT_EQ(solver.method(), LinearSolver::Method::none);
  EXPECT_EQ(solver.counts().failures, 1);
  EXPECT_TRUE(refactor(solver, first_state).usable);
  expect_solution(solver, first_state);
}

}  // namespace
}  // namespace vernier::sparse
