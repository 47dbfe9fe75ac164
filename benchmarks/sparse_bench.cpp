// The time to factorize and solve the systems of implicit steps of mechanisms: the static program,
// KLU and a dense LU in turn.
#include <benchmark/benchmark.h>

#include <Eigen/LU>
#include <vector>

#include "vernier/kernel/sparse/factorization.hpp"
#include "vernier/kernel/sparse/klu_factorization.hpp"
#include "vernier/kernel/sparse/matrices_test.hpp"

namespace vernier::sparse {
namespace {

MechanismMatrix matrix(int which, std::uint64_t seed) {
  switch (which) {
    case 11:
      return pendulum_matrix(seed);
    case 48:
    case 84:
      return robot_matrix(seed, which == 48);
    default:
      return chain_matrix(seed, which / 11);
  }
}

/// Contiguous values, copied in the solver's own order: the cost of assembly is not included.
template <class Solver>
std::vector<double> in_slots(Solver& solver, const std::vector<double>& values) {
  std::vector<double> laid(solver.values().size(), 0.0);
  for (std::size_t k = 0; k < values.size(); ++k) laid[solver.slots()[k]] = values[k];
  return laid;
}

template <class Solver>
void measure(benchmark::State& state, Solver& solver, const std::vector<double>& values) {
  const std::vector<double> laid = in_slots(solver, values);
  std::vector<double> b(solver.size(), 1.0);
  for (auto _ : state) {
    std::copy(laid.begin(), laid.end(), solver.values().begin());
    benchmark::DoNotOptimize(solver.factorize());
    std::fill(b.begin(), b.end(), 1.0);
    solver.solve(b);
    benchmark::ClobberMemory();
  }
}

void program(benchmark::State& state, bool machine_code) {
  const int which = static_cast<int>(state.range(0));
  const std::vector<std::vector<double>> samples{matrix(which, 1).values(),
                                                 matrix(which, 2).values()};
  Factorization::Settings settings;
  settings.machine_code = machine_code;
  Factorization solver(matrix(which, 1).pattern(), samples, settings);
  measure(state, solver, matrix(which, 3).values());
  const Factorization::Statistics s = solver.statistics();
  state.counters["entries"] = s.entries;
  state.counters["fill"] = s.fill;
  state.counters["code"] = static_cast<double>(s.code_bytes);
  state.counters["flop"] = static_cast<double>(s.operations);
}

void program_solve(benchmark::State& state) {
  const int which = static_cast<int>(state.range(0));
  const std::vector<std::vector<double>> samples{matrix(which, 1).values()};
  Factorization solver(matrix(which, 1).pattern(), samples);
  for (std::size_t k = 0; k < samples[0].size(); ++k)
    solver.values()[solver.slots()[k]] = samples[0][k];
  benchmark::DoNotOptimize(solver.factorize());
  std::vector<double> b(solver.size(), 1.0);
  for (auto _ : state) {
    std::fill(b.begin(), b.end(), 1.0);
    solver.solve(b);
    benchmark::ClobberMemory();
  }
}

void klu(benchmark::State& state) {
  const int which = static_cast<int>(state.range(0));
  KluFactorization solver(matrix(which, 1).pattern(), matrix(which, 1).values());
  measure(state, solver, matrix(which, 3).values());
}

void dense(benchmark::State& state) {
  const int which = static_cast<int>(state.range(0));
  const MechanismMatrix m = matrix(which, 3);
  const Pattern pattern = m.pattern();
  const std::vector<double> values = m.values();
  Eigen::MatrixXd a = Eigen::MatrixXd::Zero(m.size(), m.size());
  for (std::size_t k = 0; k < values.size(); ++k)
    a(pattern.entries[k].row, pattern.entries[k].column) = values[k];
  const Eigen::VectorXd b = Eigen::VectorXd::Ones(m.size());
  Eigen::VectorXd x(m.size());
  Eigen::PartialPivLU<Eigen::MatrixXd> lu(m.size());
  for (auto _ : state) {
    lu.compute(a);
    x = lu.solve(b);
    benchmark::ClobberMemory();
  }
}

void choice_of_pivots(benchmark::State& state) {
  const int which = static_cast<int>(state.range(0));
  const Pattern pattern = matrix(which, 1).pattern();
  const std::vector<std::vector<double>> samples{matrix(which, 1).values(),
                                                 matrix(which, 2).values()};
  for (auto _ : state) benchmark::DoNotOptimize(Factorization(pattern, samples));
}

void sizes(benchmark::internal::Benchmark* b) {
  for (const int which : {11, 48, 84, 110, 550, 2200}) b->Arg(which);
}

BENCHMARK_CAPTURE(program, compiled, true)->Apply(sizes);
BENCHMARK_CAPTURE(program, interpreted, false)->Apply(sizes);
BENCHMARK(program_solve)->Apply(sizes);
BENCHMARK(klu)->Apply(sizes);
BENCHMARK(dense)->Arg(11)->Arg(48)->Arg(84)->Arg(110)->Arg(550);
BENCHMARK(choice_of_pivots)->Apply(sizes)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace vernier::sparse

BENCHMARK_MAIN();
