#include <gtest/gtest.h>

#include <array>
#include <thread>

#include "vernier/kernel/expression/program.hpp"
#include "vernier/kernel/expression/terms_test.hpp"
#include "vernier/testing/allocations.hpp"

namespace vernier::expression {
namespace {

using O = Operation;

// Memory with a margin on both sides that nobody may write.
class Fenced {
 public:
  explicit Fenced(std::size_t size) : all_(size + 2 * margin, mark) {}
  double* data() { return all_.data() + margin; }
  double operator[](std::size_t i) const { return all_[margin + i]; }
  bool intact() const {
    return std::all_of(all_.begin(), all_.begin() + margin, [](double v) { return v == mark; }) &&
           std::all_of(all_.end() - margin, all_.end(), [](double v) { return v == mark; });
  }

 private:
  static constexpr double mark = -1.25e77;
  static constexpr std::ptrdiff_t margin = 64;
  std::vector<double> all_;
};

std::vector<double> run(const Program& p, const std::vector<double>& in) {
  std::vector<double> out(p.outputs()), work(p.work());
  p.run(in.data(), out.data(), work.data());
  return out;
}

TEST(MachineCode, IsMadeWhereTheProcessorIsKnown) {
  Graph g;
  const Program p(g, std::array{g.apply(O::add, g.symbol(0), g.symbol(1))}, 2);
#if defined(__x86_64__)
  EXPECT_EQ(p.machine_code(), __builtin_cpu_supports("avx") != 0);
#else
  EXPECT_FALSE(p.machine_code());
#endif
}

TEST(MachineCode, CanBeSwitchedOffForProgramsToCome) {
  Graph g;
  const std::array sum{g.apply(O::add, g.symbol(0), g.symbol(1))};
  const Program before(g, sum, 2);
  allow_machine_code(false);
  const Program without(g, sum, 2);
  allow_machine_code(true);
  EXPECT_FALSE(without.machine_code());
  EXPECT_EQ(before.machine_code(), Program(g, sum, 2).machine_code());
  EXPECT_EQ(run(without, {1, 2})[0], 3.0);
}

// Sixteen registers, a hundred values: all but sixteen have to wait in memory.
TEST(MachineCode, KeepsMoreValuesThanThereAreRegisters) {
  Graph g;
  std::vector<Term> products;
  for (std::uint32_t i = 0; i < 100; ++i) {
    products.push_back(g.apply(O::multiply, g.symbol(i), g.symbol((i + 1) % 100)));
  }
  std::vector<Term> outputs;
  for (int stride : {1, 7, 31, 97}) {
    Term t = products[0];
    for (int i = 1; i < 100; ++i) t = g.apply(O::subtract, products[i * stride % 100], t);
    outputs.push_back(t);
  }
  const Program p(g, outputs, 100);
  std::vector<double> in(100);
  for (int i = 0; i < 100; ++i) in[i] = std::sin(i + 1.0);
  const auto expected = tree_values<double>(g, in);
  const auto found = run(p, in);
  for (std::size_t o = 0; o < outputs.size(); ++o) EXPECT_EQ(found[o], expected[outputs[o]]);
}

TEST(MachineCode, KeepsValuesAcrossCallsOfFunctions) {
  Graph g;
  std::vector<Term> made;
  for (std::uint32_t i = 0; i < 20; ++i)
    made.push_back(g.apply(O::multiply, g.symbol(i), g.symbol(0)));
  for (int i = 0; i < 60; ++i) {
    const Term a = made[i], b = made[i + 13 < 20 + i ? i + 13 : i];
    made.push_back(i % 3 == 0   ? g.apply(O::atan2, a, b)
                   : i % 3 == 1 ? g.apply(O::hypot, b, a)
                                : g.apply(O::sin, g.apply(O::add, a, b)));
  }
  const Program p(g, made, 20);
  std::vector<double> in(20);
  for (int i = 0; i < 20; ++i) in[i] = std::cos(3.0 * i);
  const auto expected = tree_values<double>(g, in);
  const auto found = run(p, in);
  for (std::size_t o = 0; o < made.size(); ++o) EXPECT_EQ(found[o], expected[made[o]]) << o;
}

TEST(MachineCode, WritesNothingBesideItsOutputsAndWorkingMemory) {
  for (unsigned seed = 1; seed <= 100; ++seed) {
    std::mt19937_64 random(seed);
    Graph g;
    const auto terms = random_terms(g, random, 10, 200);
    const std::vector<Term> outputs(terms.end() - 20, terms.end());
    const Program p(g, outputs, 10, true);
    std::vector<double> in(10 * Program::lanes, 0.5);
    Fenced out(p.outputs()), work(p.work());
    p.run(in.data(), out.data(), work.data());
    ASSERT_TRUE(out.intact() && work.intact()) << seed;
    Fenced many(p.outputs() * Program::lanes), much(p.work() * Program::lanes);
    p.run_lanes(lane_inputs(in).data(), many.data(), much.data());
    ASSERT_TRUE(many.intact() && much.intact()) << seed;
  }
}

TEST(MachineCode, AllocatesNothingWhenItRuns) {
  std::mt19937_64 random(9);
  Graph g;
  const auto terms = random_terms(g, random, 10, 300);
  const Program p(g, terms, 10, true);
  std::vector<double> in(10 * Program::lanes, 0.3), out(p.outputs() * Program::lanes);
  std::vector<double> work(p.work() * Program::lanes);
  const auto at = lane_inputs(in);
  const long before = testing::allocations();
  p.run(in.data(), out.data(), work.data());
  p.interpret(in.data(), out.data(), work.data());
  p.run_lanes(at.data(), out.data(), work.data());
  EXPECT_EQ(testing::allocations(), before);
}

TEST(MachineCode, RunsInManyThreadsAtOnce) {
  std::mt19937_64 random(21);
  Graph g;
  const auto terms = random_terms(g, random, 10, 300);
  const std::vector<Term> outputs(terms.end() - 10, terms.end());
  const Program p(g, outputs, 10, true);
  std::array<int, 4> wrong{};
  std::vector<std::thread> threads;
  for (std::size_t k = 0; k < wrong.size(); ++k) {
    threads.emplace_back([&, k] {
      std::mt19937_64 own(k);
      std::vector<double> in(10), a(10), b(10), work(p.work());
      for (int i = 0; i < 2000; ++i) {
        for (double& v : in) v = hostile(own);
        p.run(in.data(), a.data(), work.data());
        p.interpret(in.data(), b.data(), work.data());
        for (int o = 0; o < 10; ++o) wrong[k] += same_bits(a[o], b[o]) ? 0 : 1;
      }
    });
  }
  for (auto& t : threads) t.join();
  EXPECT_EQ(wrong, (std::array<int, 4>{}));
}

TEST(MachineCode, LivesAsLongAsTheLastCopyOfItsProgram) {
  Graph g;
  auto first = std::make_unique<Program>(
      g, std::array{g.apply(O::multiply, g.symbol(0), g.constant(3.0))}, 1);
  const Program second = *first;
  first.reset();
  EXPECT_EQ(run(second, {2.0})[0], 6.0);
}

}  // namespace
}  // namespace vernier::expression
