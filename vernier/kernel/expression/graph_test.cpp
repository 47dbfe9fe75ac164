#include <gtest/gtest.h>

#include <array>

#include "vernier/kernel/expression/terms_test.hpp"

namespace vernier::expression {
namespace {

using O = Operation;

TEST(Graph, HoldsEqualTermsOnce) {
  Graph g;
  const Term x = g.symbol(0), y = g.symbol(1);
  EXPECT_EQ(g.symbol(0), x);
  EXPECT_EQ(g.apply(O::multiply, x, y), g.apply(O::multiply, y, x));
  EXPECT_NE(g.apply(O::subtract, x, y), g.apply(O::subtract, y, x));
  EXPECT_NE(g.constant(0.0), g.constant(-0.0));
  EXPECT_EQ(g.apply(O::sin, g.apply(O::add, x, y)), g.apply(O::sin, g.apply(O::add, y, x)));
}

TEST(Graph, NumbersOperandsBeforeTheirTerm) {
  Graph g;
  std::mt19937_64 random(1);
  random_terms(g, random, 5, 2000);
  for (Term t = 0; t < g.size(); ++t) {
    const int n = arity(g[t].operation);
    if (n > 0) {
      EXPECT_LT(g[t].a, t);
    }
    if (n > 1) {
      EXPECT_LT(g[t].b, t);
    }
    if (n > 2) {
      EXPECT_LT(g[t].c, t);
    }
  }
}

TEST(Graph, WritesSmallPowersAsProductsAndRoots) {
  Graph g;
  const Term x = g.symbol(0);
  const auto power = [&](double p) { return g.apply(O::power, x, g.constant(p)); };
  EXPECT_EQ(power(2.0), g.apply(O::multiply, x, x));
  EXPECT_EQ(power(1.0), x);
  EXPECT_EQ(g[power(0.0)].value, 1.0);
  EXPECT_EQ(power(0.5), g.apply(O::sqrt, x));
  EXPECT_EQ(power(-1.0), g.apply(O::divide, g.constant(1.0), x));
  EXPECT_EQ(power(4.0), g.apply(O::multiply, power(2.0), power(2.0)));
  EXPECT_EQ(g[power(5.0)].operation, O::power);
  EXPECT_EQ(g[power(1.5)].operation, O::power);
}

// Whatever is simplified must give what the operation itself gives, to the bit, for every operand.
TEST(Graph, SimplifiesOnlyWhatKeepsEveryBit) {
  const double nan = std::nan(""), inf = INFINITY;
  const std::vector<double> values{0.0,  -0.0, 1.0,    -1.0,    2.0,   -4.0,   0.25, 3.0, inf,
                                   -inf, nan,  5e-324, -5e-324, 1e308, -1e308, 0.1,  2.5, -2.5};
  for (auto o = first_operation; o <= last_operation; o = static_cast<O>(static_cast<int>(o) + 1)) {
    // powers by small numbers mean products: see above
    if (o == O::power) continue;
    for (const double a : values) {
      for (const double b : values) {
        for (const double c : {0.0, nan, 7.0}) {
          const double expected = detail::evaluate(o, a, b, c);
          // each subset of the operands as constants, the others as symbols, also negated twice
          for (int constants = 0; constants < 8; ++constants) {
            Graph g;
            const std::array<double, 3> in{a, b, c};
            std::array<Term, 3> t{};
            for (std::uint32_t i = 0; i < 3; ++i) {
              t[i] =
                  (constants >> i & 1) != 0 ? g.constant(in[i]) : g.apply(O::negate, g.symbol(i));
            }
            const std::array<double, 3> negated{-a, -b, -c};
            const Term r = g.apply(o, t[0], t[1], t[2]);
            const double found = tree_values<double>(g, negated)[r];
            ASSERT_TRUE(same_bits(found, expected))
                << static_cast<int>(o) << " of " << a << " " << b << " " << c << ": " << found
                << " for " << expected;
          }
        }
      }
    }
  }
}

TEST(Graph, FoldsConstantsToWhatRunningWouldGive) {
  Graph g;
  std::mt19937_64 random(7);
  for (int i = 0; i < 20000; ++i) {
    const auto o = static_cast<O>(2 + random() % 37);
    const double a = hostile(random), b = hostile(random), c = hostile(random);
    const Term folded = g.apply(o, g.constant(a), g.constant(b), g.constant(c));
    ASSERT_EQ(g[folded].operation, O::constant);
    Graph symbolic;
    std::array<Term, 3> s{symbolic.symbol(0), symbolic.symbol(1), symbolic.symbol(2)};
    if (o == O::power) s[1] = symbolic.constant(b);  // what it means depends on the exponent
    const Term t = symbolic.apply(o, s[0], s[1], s[2]);
    const std::array<double, 3> in{a, b, c};
    ASSERT_TRUE(same_bits(g[folded].value, tree_values<double>(symbolic, in)[t]));
  }
}

TEST(Graph, ListsTheSymbolsOfATerm) {
  Graph g;
  const Term t = g.apply(O::add, g.symbol(7), g.apply(O::multiply, g.symbol(3), g.symbol(7)));
  g.symbol(5);
  EXPECT_EQ(g.symbols(t), (std::vector<std::uint32_t>{3, 7}));
  EXPECT_TRUE(g.symbols(g.constant(1.0)).empty());
}

TEST(Graph, ListsTheAtomsOfAConditionAsWritten) {
  Graph g;
  const Term x = g.symbol(0), y = g.symbol(1), z = g.symbol(2);
  const Term first = g.apply(O::greater, x, y), second = g.apply(O::less, y, z);
  const Term third = g.apply(O::less_equal, z, x);
  const Term all =
      g.apply(O::logical_or, g.apply(O::logical_and, first, g.apply(O::logical_not, second)),
              g.apply(O::logical_and, third, first));
  const auto found = atoms(g, all);
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found[0].left, x);
  EXPECT_EQ(found[0].right, y);
  EXPECT_EQ(found[0].comparison, O::greater);
  EXPECT_EQ(found[1].comparison, O::less);
  EXPECT_EQ(found[2].comparison, O::less_equal);
}

TEST(Graph, StaysLinearForDeepSharedTerms) {
  Graph g;
  Term t = g.symbol(0);
  for (int i = 0; i < 100000; ++i)
    t = g.apply(O::sin, g.apply(O::add, t, t));  // a tree of 2^100000
  EXPECT_EQ(g.size(), 200001u);
  EXPECT_EQ(g.symbols(t).size(), 1u);
  const std::size_t before = g.size();
  g.derivative(t, 0);
  EXPECT_LT(g.size(), 8 * before);
}

}  // namespace
}  // namespace vernier::expression
