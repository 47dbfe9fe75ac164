#include "vernier/kernel/expression/program.hpp"

#include <gtest/gtest.h>

#include <array>

#include "vernier/kernel/expression/detail/bytecode.hpp"
#include "vernier/kernel/expression/detail/values.hpp"
#include "vernier/kernel/expression/terms_test.hpp"

namespace vernier::expression {
namespace {

using O = Operation;

std::vector<double> interpreted(const Program& p, const std::vector<double>& in) {
  std::vector<double> out(p.outputs()), work(p.work());
  p.interpret(in.data(), out.data(), work.data());
  return out;
}

std::vector<double> computed(const Program& p, const std::vector<double>& in) {
  std::vector<double> out(p.outputs()), work(p.work());
  p.run(in.data(), out.data(), work.data());
  return out;
}

// Every back end against the definition of the operations, on `states` random states. Outputs that
// are no_term keep what was there.
void expect_all_agree(const Graph& g, const std::vector<Term>& outputs, std::uint32_t inputs,
                      std::mt19937_64& random, int states) {
  constexpr std::size_t lanes = Program::lanes;
  constexpr double kept = 0.125;
  const Program p(g, outputs, inputs, true);
  const auto terms = detail::reachable(g, outputs);
  const auto bytecode = detail::compiled(detail::Values(g, terms), outputs);
  std::vector<double> in(inputs * lanes), out(outputs.size() * lanes), expected(out.size());
  std::vector<double> work(p.work() * lanes);
  for (int n = 0; n < states; n += static_cast<int>(lanes)) {
    for (double& v : in) v = hostile(random);
    for (std::size_t l = 0; l < lanes; ++l) {
      std::vector<double> one(inputs);
      for (std::size_t i = 0; i < inputs; ++i) one[i] = in[i * lanes + l];
      const auto v = tree_values<double>(g, one);
      const auto by_bytecode = interpreted(p, one), by_machine = computed(p, one);
      for (std::size_t o = 0; o < outputs.size(); ++o) {
        const bool none = outputs[o] == no_term;
        const double value = none ? 0.0 : v[outputs[o]];
        expected[o * lanes + l] = none ? kept : value;
        ASSERT_TRUE(same_bits(by_bytecode[o], value)) << "bytecode, output " << o;
        ASSERT_TRUE(same_bits(by_machine[o], value)) << "machine code, output " << o;
      }
    }
    const auto check = [&](const char* what) {
      for (std::size_t k = 0; k < out.size(); ++k) {
        ASSERT_TRUE(same_bits(out[k], expected[k]))
            << what << ", output " << k / lanes << ", lane " << k % lanes << ": " << out[k]
            << " for " << expected[k];
      }
    };
    std::fill(out.begin(), out.end(), kept);
    const auto at = lane_inputs(in);
    p.run_lanes(at.data(), out.data(), work.data());
    check("lanes");
    for (auto set : {detail::Vectors::portable, detail::Vectors::avx2, detail::Vectors::avx512}) {
      if (set > detail::available_vectors()) continue;
      std::fill(out.begin(), out.end(), kept);
      detail::interpret_lanes(bytecode, set, at.data(), out.data(), work.data());
      check("interpreted lanes");
    }
  }
}

TEST(Program, ComputesEachOperationAlikeInEveryBackEnd) {
  std::mt19937_64 random(3);
  for (auto o = first_operation; o <= last_operation; o = static_cast<O>(static_cast<int>(o) + 1)) {
    Graph g;
    const Term t = g.apply(o, g.symbol(0), g.symbol(1), g.symbol(2));
    expect_all_agree(g, {t}, 3, random, 2048);
    if (::testing::Test::HasFatalFailure()) FAIL() << "operation " << static_cast<int>(o);
  }
}

TEST(Program, ComputesRandomProgramsAlikeInEveryBackEnd) {
  for (unsigned seed = 1; seed <= 300; ++seed) {
    std::mt19937_64 random(seed);
    Graph g;
    const auto inputs = static_cast<std::uint32_t>(1 + random() % 20);
    const auto terms = random_terms(g, random, inputs, static_cast<int>(random() % 250));
    std::vector<Term> outputs{terms.back()};
    for (std::size_t i = 0; i < random() % 20; ++i)
      outputs.push_back(random() % 5 == 0 ? no_term : terms[random() % terms.size()]);
    expect_all_agree(g, outputs, inputs, random, 64);
    if (::testing::Test::HasFatalFailure()) FAIL() << "seed " << seed;
  }
}

TEST(Program, ComputesSumsOfProductsWithBothRoundings) {
  Graph g;
  const Term a = g.symbol(0), b = g.symbol(1), c = g.symbol(2), d = g.symbol(3);
  const Term ab = g.apply(O::multiply, a, b), cd = g.apply(O::multiply, c, d);
  // 0.1*10 rounds to 1, so the difference is 0; a contracted one would be 5.55e-17
  const Program p(g, std::array{g.apply(O::subtract, ab, c)}, 4);
  EXPECT_EQ(computed(p, {0.1, 10.0, 1.0, 0.0})[0], 0.0);
  EXPECT_EQ(interpreted(p, {0.1, 10.0, 1.0, 0.0})[0], 0.0);
  const Program q(g, std::array{g.apply(O::subtract, ab, cd)}, 4);
  EXPECT_EQ(computed(q, {0.1, 10.0, 0.1, 10.0})[0], 0.0);
}

TEST(Program, PassesInputsAndConstantsThrough) {
  Graph g;
  const Program p(g, std::array{g.symbol(2), g.constant(-0.0), g.symbol(2), g.symbol(0)}, 5);
  const auto out = computed(p, {1, 2, 3, 4, 5});
  EXPECT_EQ(out, (std::vector<double>{3, -0.0, 3, 1}));
  EXPECT_TRUE(std::signbit(out[1]));
  std::mt19937_64 random(1);
  expect_all_agree(g, {g.symbol(2), g.constant(-0.0), g.symbol(2), g.symbol(0)}, 5, random, 64);
}

TEST(Program, MayBeEmpty) {
  const Program p(Graph{}, {}, 0);
  p.run(nullptr, nullptr, nullptr);
  p.run_lanes(nullptr, nullptr, nullptr);
  EXPECT_EQ(p.outputs(), 0u);
}

TEST(Program, UsesRegistersAgain) {
  Graph g;
  Term t = g.symbol(0);
  for (int i = 0; i < 10000; ++i) t = g.apply(O::sin, g.apply(O::add, t, g.symbol(1)));
  const Program p(g, std::array{t}, 2);
  EXPECT_LE(p.work(), 8u);
}

// More values alive at once than sixteen bits count.
TEST(Program, HoldsMoreRegistersThanSixteenBitsCount) {
  Graph g;
  std::mt19937_64 random(5);
  std::vector<Term> values;
  for (int i = 0; i < 70000; ++i) {
    values.push_back(g.apply(O::multiply, g.symbol(i % 50), g.constant(i + 0.5)));
  }
  Term sum = values[0];
  for (const Term t : values) sum = g.apply(O::subtract, t, sum);
  Term again = values[0];  // in the other order, so that all stay alive
  for (auto t = values.rbegin(); t != values.rend(); ++t) again = g.apply(O::maximum, *t, again);
  const std::vector<Term> outputs{sum, again};
  EXPECT_GT(Program(g, outputs, 50).work(), 65536u);
  expect_all_agree(g, outputs, 50, random, 32);
}

TEST(Program, IsWhatItWasAfterTheGraphGrows) {
  Graph g;
  const Program p(g, std::array{g.apply(O::add, g.symbol(0), g.constant(2.0))}, 1);
  std::mt19937_64 random(5);
  random_terms(g, random, 4, 1000);
  const Program copy = p;  // NOLINT(performance-unnecessary-copy-initialization)
  EXPECT_EQ(computed(copy, {3.0})[0], 5.0);
}

}  // namespace
}  // namespace vernier::expression
