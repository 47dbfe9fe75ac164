#include <gtest/gtest.h>

#include <complex>

#include "vernier/kernel/expression/terms_test.hpp"

namespace vernier::expression {
namespace {

using O = Operation;
using Complex = std::complex<double>;

double value(const Graph& g, Term t, std::vector<double> in) {
  return tree_values<double>(g, in)[t];
}

// The derivative along `direction` by the complex step: exact but for rounding, since nothing is
// subtracted.
double complex_step(const Graph& g, Term t, const std::vector<double>& x,
                    const std::vector<double>& direction) {
  constexpr double h = 1e-100;
  std::vector<Complex> in;
  for (std::size_t i = 0; i < x.size(); ++i) in.emplace_back(x[i], h * direction[i]);
  return tree_values<Complex>(g, in)[t].imag() / h;
}

struct Case {
  O operation;
  std::vector<std::vector<double>> points;
};

TEST(Derivative, EqualsTheComplexStepForEveryOperation) {
  const std::vector<std::vector<double>> anywhere{
      {0.3, 0.7, 1.9}, {-1.2, 0.4, 0.6}, {2.5, -0.8, -3.0}};
  const std::vector<std::vector<double>> positive{
      {0.3, 0.7, 1.9}, {1.2, 0.4, 0.6}, {2.5, 3.8, 1.0}};
  const std::vector<std::vector<double>> within{{0.3, 0, 0}, {-0.9, 0, 0}, {0.0, 0, 0}};
  const Case cases[] = {
      {O::add, anywhere},
      {O::subtract, anywhere},
      {O::multiply, anywhere},
      {O::divide, anywhere},
      {O::negate, anywhere},
      {O::power, positive},
      {O::sin, anywhere},
      {O::cos, anywhere},
      {O::tan, anywhere},
      {O::asin, within},
      {O::acos, within},
      {O::atan, anywhere},
      {O::atan2, positive},
      {O::sinh, anywhere},
      {O::cosh, anywhere},
      {O::tanh, anywhere},
      {O::exp, anywhere},
      {O::log, positive},
      {O::log10, positive},
      {O::sqrt, positive},
      {O::abs, anywhere},
      {O::sign, anywhere},
      {O::floor, anywhere},
      {O::ceil, anywhere},
      {O::minimum, anywhere},
      {O::maximum, anywhere},
      {O::hypot, anywhere},
      {O::less, anywhere},
      {O::less_equal, anywhere},
      {O::greater, anywhere},
      {O::greater_equal, anywhere},
      {O::equal, anywhere},
      {O::not_equal, anywhere},
      {O::logical_and, anywhere},
      {O::logical_or, anywhere},
      {O::logical_not, anywhere},
      {O::select, anywhere},
  };
  ASSERT_EQ(std::size(cases), static_cast<std::size_t>(last_operation) - 1);
  for (const Case& c : cases) {
    Graph g;
    const Term s[] = {g.symbol(0), g.symbol(1), g.symbol(2)};
    // within a product, so that the chain rule is needed
    const Term t = g.apply(O::multiply, g.apply(c.operation, s[0], s[1], s[2]), s[0]);
    const std::size_t last = g.size();
    for (std::uint32_t i = 0; i < 3; ++i) {
      Graph with = g;
      const Term d = with.derivative(t, i);
      for (const auto& x : c.points) {
        std::vector<double> direction(3);
        direction[i] = 1.0;
        const double expected = complex_step(g, t, x, direction);
        EXPECT_NEAR(value(with, d, x), expected, 1e-13 * (1.0 + std::abs(expected)))
            << "operation " << static_cast<int>(c.operation) << ", symbol " << i;
      }
    }
    EXPECT_EQ(g.size(), last);
  }
}

TEST(Derivative, OfAConstantPowerEqualsTheComplexStep) {
  for (const double p : {-3.0, -1.0, 0.5, 1.5, 2.0, 3.0, 4.0, 5.0, 7.5}) {
    Graph g;
    const Term t = g.apply(O::power, g.apply(O::sin, g.symbol(0)), g.constant(p));
    const double expected = complex_step(g, t, {0.8}, {1.0});
    EXPECT_NEAR(value(g, g.derivative(t, 0), {0.8}), expected, 1e-14 * (1 + std::abs(expected)));
  }
}

TEST(Derivative, AlongADirectionIsTheSumOfTheParts) {
  Graph g;
  std::mt19937_64 random(11);
  const Term x = g.symbol(0), y = g.symbol(1);
  const Term t = g.apply(O::multiply, g.apply(O::sin, g.apply(O::multiply, x, y)),
                         g.apply(O::exp, g.apply(O::subtract, x, y)));
  const Term rates[] = {g.symbol(2), g.apply(O::add, g.symbol(3), x)};
  const Term along = g.tangent(t, [&](std::uint32_t s) { return std::optional<Term>(rates[s]); });
  const Term dx = g.derivative(t, 0), dy = g.derivative(t, 1);
  for (int i = 0; i < 100; ++i) {
    std::vector<double> in(4);
    for (double& v : in) v = std::normal_distribution<double>()(random);
    const auto v = tree_values<double>(g, in);
    const double expected = v[dx] * in[2] + v[dy] * (in[3] + in[0]);
    EXPECT_NEAR(v[along], expected, 1e-12 * (1 + std::abs(expected)));
  }
}

TEST(Derivative, OfSeveralTermsIsThatOfEach) {
  Graph g;
  const Term x = g.symbol(0), y = g.symbol(1);
  const Term shared = g.apply(O::sin, g.apply(O::multiply, x, y));
  const std::vector<Term> terms = {g.apply(O::exp, shared), shared, g.constant(2.0),
                                   g.apply(O::divide, shared, x), y};
  const auto seed = [&](std::uint32_t s) { return std::optional<Term>(g.symbol(2 + s)); };
  const std::vector<Term> together = g.tangent(terms, seed);
  ASSERT_EQ(together.size(), terms.size());
  for (std::size_t i = 0; i < terms.size(); ++i) EXPECT_EQ(together[i], g.tangent(terms[i], seed));
  EXPECT_TRUE(g.tangent(std::vector<Term>{}, seed).empty());
}

TEST(Derivative, OfWhatDoesNotMoveIsZero) {
  Graph g;
  const Term t = g.apply(O::sin, g.symbol(0));
  EXPECT_EQ(g.derivative(t, 1), g.constant(0.0));
  EXPECT_EQ(g.derivative(g.constant(3.0), 0), g.constant(0.0));
  EXPECT_EQ(g.tangent(t, [](std::uint32_t) { return std::optional<Term>(); }), g.constant(0.0));
}

TEST(Derivative, OfKinksTakesTheActiveBranch) {
  Graph g;
  const Term x = g.symbol(0);
  const Term zero = g.constant(0.0);
  const Term limited =
      g.apply(O::minimum, g.constant(5.0), g.apply(O::maximum, g.constant(-5.0), x));
  const Term d = g.derivative(limited, 0);
  EXPECT_EQ(value(g, d, {4.9}), 1.0);
  EXPECT_EQ(value(g, d, {5.1}), 0.0);
  EXPECT_EQ(value(g, d, {-5.1}), 0.0);
  const Term chosen = g.apply(O::select, g.apply(O::less, x, zero), g.apply(O::multiply, x, x), x);
  const Term dc = g.derivative(chosen, 0);
  EXPECT_EQ(value(g, dc, {-3.0}), -6.0);
  EXPECT_EQ(value(g, dc, {3.0}), 1.0);
  const Term da = g.derivative(g.apply(O::abs, x), 0);
  EXPECT_EQ(value(g, da, {-2.0}), -1.0);
  EXPECT_EQ(value(g, da, {2.0}), 1.0);
}

TEST(Derivative, OfALengthIsZeroWhereNothingMoves) {
  Graph g;
  const Term x = g.symbol(0), y = g.symbol(1);
  const Term norm =
      g.apply(O::sqrt, g.apply(O::add, g.apply(O::multiply, x, x), g.apply(O::multiply, y, y)));
  EXPECT_EQ(value(g, g.derivative(norm, 0), {0.0, 0.0}), 0.0);  // not 0/0
  EXPECT_EQ(value(g, g.derivative(g.apply(O::hypot, x, y), 1), {0.0, 0.0}), 0.0);
  EXPECT_EQ(value(g, g.derivative(norm, 0), {3.0, 4.0}), 0.6);
}

TEST(Derivative, OfAPowerByItsExponentIsZeroForABaseOfZero) {
  Graph g;
  const Term t = g.apply(O::power, g.symbol(0), g.symbol(1));
  EXPECT_EQ(value(g, g.derivative(t, 1), {0.0, 2.0}), 0.0);
}

}  // namespace
}  // namespace vernier::expression
