// The speed of the satellite's right-hand side in each back end, compared with native C++ and
// muParser in the same run. Prints the figures and whether the targets are met; exits with 1 if one
// is not, or if a result differs from the native one.
#include <muParser.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <vector>

#include "satellite_model.hpp"
#include "vernier/kernel/expression/program.hpp"

namespace {

using vernier::expression::Graph;
using vernier::expression::Meaning;
using vernier::expression::Program;
using vernier::expression::Term;
using Clock = std::chrono::steady_clock;

constexpr int states = 512;
constexpr std::size_t lanes = Program::lanes;

double since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Plausible states: unit quaternions, slow rates, filters near their steady state.
std::vector<double> random_states() {
  std::mt19937_64 random(42);
  std::normal_distribution<double> normal;
  std::vector<double> all(states * satellite::inputs);
  for (int i = 0; i < states; ++i) {
    double* p = &all[i * satellite::inputs];
    double square = 0.0;
    for (int k = 0; k < 4; ++k) p[k] = normal(random), square += p[k] * p[k];
    for (int k = 0; k < 4; ++k) p[k] /= std::sqrt(square);
    for (int k = 4; k < 7; ++k) p[k] = 0.1 * normal(random);
    for (int k = 10; k < 13; ++k) p[k] = 3e-5 * normal(random);
    for (int k = 7; k < 10; ++k) p[k] = (p[k + 3] * 1e4 + 0.001 * normal(random)) / 12.6;
  }
  return all;
}

struct Compiled {
  Graph graph;
  std::vector<Term> outputs;
};

Compiled compile() {
  Compiled c;
  std::map<std::string, Term, std::less<>> names;
  for (const auto& [name, value] : satellite::constants) names[name] = c.graph.constant(value);
  for (int i = 0; i < satellite::inputs; ++i) {
    names[satellite::input_names[i]] = c.graph.symbol(static_cast<std::uint32_t>(i));
  }
  const auto scope = [&](std::string_view name) -> std::optional<Meaning> {
    const auto found = names.find(name);
    if (found == names.end()) return {};
    return Meaning{found->second};
  };
  const auto read = [&](const std::string& text) {
    const auto parsed = parse(text, c.graph, scope, vernier::expression::Wanted::number);
    if (!parsed.problems.empty()) {
      std::fprintf(stderr, "%s: %s\n", text.c_str(), parsed.problems[0].message.c_str());
      std::abort();
    }
    return parsed.term;
  };
  for (const auto& [name, text] : satellite::locals) names[name] = read(text);
  for (const auto& [name, text] : satellite::results) c.outputs.push_back(read(text));
  return c;
}

/// The reference: one parser for each expression, as its manual recommends.
class MuParser {
 public:
  MuParser() : values_(satellite::inputs + satellite::locals.size()), results_(satellite::outputs) {
    std::map<std::string, double*> variables;
    for (int i = 0; i < satellite::inputs; ++i) variables[satellite::input_names[i]] = &values_[i];
    for (std::size_t i = 0; i < satellite::locals.size(); ++i) {
      variables[satellite::locals[i].first] = &values_[satellite::inputs + i];
    }
    const auto add = [&](const std::string& text, double* to) {
      auto p = std::make_unique<mu::Parser>();
      for (const auto& [name, value] : satellite::constants) p->DefineConst(name, value);
      for (const auto& [name, variable] : variables) p->DefineVar(name, variable);
      p->SetExpr(text);
      *to = p->Eval();
      parsers_.emplace_back(std::move(p), to);
    };
    for (std::size_t i = 0; i < satellite::locals.size(); ++i) {
      add(satellite::locals[i].second, &values_[satellite::inputs + i]);
    }
    for (std::size_t i = 0; i < satellite::results.size(); ++i) {
      add(satellite::results[i].second, &results_[i]);
    }
  }
  void operator()(const double* in, double* out) {
    std::memcpy(values_.data(), in, sizeof(double) * satellite::inputs);
    for (auto& [parser, to] : parsers_) *to = parser->Eval();
    std::memcpy(out, results_.data(), sizeof(double) * satellite::outputs);
  }

 private:
  std::vector<double> values_, results_;
  std::vector<std::pair<std::unique_ptr<mu::Parser>, double*>> parsers_;
};

/// Short bursts of each contender in turn, so that all are subject to the same disturbances; median
/// and best time of one call.
struct Contender {
  const char* name;
  std::function<void(long)> burst;  // that many calls
  double states_per_call = 1.0;
  std::vector<double> times = {};  // seconds per state

  double best() const { return *std::min_element(times.begin(), times.end()); }
  double median() const {
    std::vector<double> sorted = times;
    std::nth_element(sorted.begin(), sorted.begin() + sorted.size() / 2, sorted.end());
    return sorted[sorted.size() / 2];
  }
};

void measure(std::vector<Contender>& contenders) {
  for (int round = 0; round < 1500; ++round) {
    for (Contender& c : contenders) {
      const long calls = std::max(1L, static_cast<long>(64 / c.states_per_call)) * 8;
      const auto start = Clock::now();
      c.burst(calls);
      c.times.push_back(since(start) / static_cast<double>(calls) / c.states_per_call);
    }
  }
}

int failures = 0;

void figure(const char* name, double value, const char* relation, double required, bool ok) {
  std::printf("%-44s %8.2f   %s %-6.2f %s\n", name, value, relation, required, ok ? "ok" : "NOT");
  if (!ok) ++failures;
}

}  // namespace

int main() {
  const std::vector<double> in = random_states();
  auto start = Clock::now();
  const Compiled model = compile();
  const double parse_time = since(start);
  start = Clock::now();
  const Program program(model.graph, model.outputs, satellite::inputs, true);
  const double compile_time = since(start);
  MuParser mu;

  std::vector<double> out(satellite::outputs), work(program.work() * lanes);
  const auto state = [&](long i) { return &in[(i % states) * satellite::inputs]; };

  // all compute the same, to rounding; native code may order its sums differently
  double worst = 0.0;
  for (int i = 0; i < states; ++i) {
    std::vector<double> expected(satellite::outputs);
    satellite::native(state(i), expected.data());
    const auto compare = [&] {
      for (int k = 0; k < satellite::outputs; ++k) {
        worst = std::max(worst, std::abs(out[k] - expected[k]) / (1e-3 + std::abs(expected[k])));
      }
    };
    program.run(state(i), out.data(), work.data());
    compare();
    program.interpret(state(i), out.data(), work.data());
    compare();
    mu(state(i), out.data());
    compare();
  }

  std::vector<double> lanes_in(satellite::inputs * lanes), lanes_out(satellite::outputs * lanes);
  for (std::size_t l = 0; l < lanes; ++l) {
    for (int k = 0; k < satellite::inputs; ++k) {
      lanes_in[k * lanes + l] = state(static_cast<long>(l))[k];
    }
  }
  std::vector<const double*> lanes_at;
  for (int k = 0; k < satellite::inputs; ++k) lanes_at.push_back(&lanes_in[k * lanes]);
  vernier::expression::allow_machine_code(false);
  const Program portable(model.graph, model.outputs, satellite::inputs);

  std::vector<Contender> contenders;
  const auto add = [&](const char* name, auto call, double states_per_call = 1.0) {
    contenders.push_back({name,
                          [call](long calls) {
                            for (long i = 0; i < calls; ++i) call(i);
                          },
                          states_per_call});
  };
  add("native C++", [&](long i) { satellite::native(state(i), out.data()); });
  add("machine code", [&](long i) { program.run(state(i), out.data(), work.data()); });
  add("bytecode", [&](long i) { program.interpret(state(i), out.data(), work.data()); });
  add("muParser", [&](long i) { mu(state(i), out.data()); });
  const auto in_lanes = [&](const Program& p) {
    return [&](long i) {
      lanes_in[0] += 1e-12 * static_cast<double>(i);
      p.run_lanes(lanes_at.data(), lanes_out.data(), work.data());
    };
  };
  add("lanes, machine code", in_lanes(program), lanes);
  add("lanes, bytecode", in_lanes(portable), lanes);
  measure(contenders);

  std::printf(
      "parse %.3f ms, compile %.3f ms, machine code %s, largest difference from native %.1e\n\n",
      1e3 * parse_time, 1e3 * compile_time, program.machine_code() ? "yes" : "no", worst);
  std::printf("%-44s %8s %8s\n", "ns per state", "best", "median");
  for (const Contender& c : contenders) {
    std::printf("%-44s %8.1f %8.1f\n", c.name, 1e9 * c.best(), 1e9 * c.median());
  }
  std::printf("\n%-44s %8s   %s\n", "figure", "value", "required");
  const double native = contenders[0].best(), machine = contenders[1].best();
  const double bytecode = contenders[2].best(), peer = contenders[3].best();
  const double wide = contenders[4].best();
  figure("machine code / native C++", machine / native, "<=", 2.0,
         !program.machine_code() || machine <= 2.0 * native);
  figure("muParser / bytecode", peer / bytecode, ">=", 2.0, peer >= 2.0 * bytecode);
  figure("bytecode / 8 lanes", bytecode / wide, ">=", 4.0, bytecode >= 4.0 * wide);
  figure("largest difference from native, in 1e-12", worst * 1e12, "<=", 1.0, worst <= 1e-12);
  return failures == 0 ? 0 : 1;
}
