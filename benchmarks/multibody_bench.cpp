// The speed of multibody accelerations, compared with MuJoCo and Simbody in the same run, on one
// core: medians of processor time over many short batches in turn, from a pool of random states.
// Prints the figures and exits with 1 if a target is missed. Arguments: `least`, the least times
// instead of the medians; `fastest`, that arithmetic.
#include <sys/resource.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "machine.hpp"
#include "multibody_peak.hpp"
#include "tests/multibody_peers/family.hpp"
#include "vernier/kernel/multibody/ensemble.hpp"
#include "vernier/kernel/multibody/spacecraft.hpp"
#include "vernier/kernel/multibody/spacecraft_lanes.hpp"
#include "vernier/kernel/multibody/tangent.hpp"
#include "vernier/model/multibody_tree/reader.hpp"

using namespace vernier;
using namespace vernier::multibody;
using bench::cpu_seconds;

namespace {

constexpr int pool = 64, batches = 201;

bool use_least = false;
vernier::Arithmetic arithmetic = vernier::Arithmetic::reproducible;
int failed = 0;

/// Something to time: call(i) evaluates state i of the pool.
struct Runner {
  std::string name;
  std::function<void(int)> call;
  int states = 1;    // in one call
  int calls = pool;  // in a batch
  std::vector<double> times = {};

  void batch() {
    const double t = cpu_seconds();
    for (int i = 0; i < calls; ++i) call(i % pool);
    times.push_back((cpu_seconds() - t) / (calls * states) * 1e6);
  }
  double microseconds() {
    std::sort(times.begin(), times.end());
    return use_least ? times.front() : times[times.size() / 2];
  }
};

/// Times all of them in turn.
void measure(std::vector<Runner>& runners) {
  for (Runner& r : runners) {
    for (int i = 0; i < pool; ++i) r.call(i);
    for (;;) {  // batches of half a millisecond
      const double t = cpu_seconds();
      for (int i = 0; i < r.calls; ++i) r.call(i % pool);
      if (cpu_seconds() - t > 5e-4 || r.states > 1) break;
      r.calls *= 2;
    }
    if (r.states > 1) r.calls = std::max(4, 8 * pool / r.states);
    r.times.clear();
  }
  for (int k = 0; k < batches; ++k) {
    for (Runner& r : runners) r.batch();
  }
}

void judge(const char* what, double value, const char* relation, double bound) {
  const bool ok = *relation == '<' ? value < bound : value >= bound;
  if (!ok) ++failed;
  std::printf("%-64s %8.2f  %s %.2f  %s\n", what, value, relation, bound, ok ? "ok" : "NOT");
}

/// A tree with its states, and the engines that can compute the same.
struct Subject {
  explicit Subject(Model model, Path path = Path::automatic)
      : tree(std::move(model), path, arithmetic),
        states(peers::random_states(tree, pool)),
        evaluation(tree),
        udot(tree.speeds()) {}

  Runner ours(std::string name) {
    return {std::move(name), [this](int i) {
              const peers::State& s = states[static_cast<std::size_t>(i)];
              tree.place(s.q, s.u, evaluation);
              static_cast<void>(tree.accelerate({s.force, {}, {}, {}}, udot, evaluation));
            }};
  }
  void add_peers(std::vector<Runner>& runners) {
    mujoco = peers::mujoco(tree, states);
    simbody = peers::simbody(tree, states);
    if (mujoco) runners.push_back({"MuJoCo", [this](int i) { mujoco->evaluate(i); }});
    if (simbody) runners.push_back({"Simbody", [this](int i) { simbody->evaluate(i); }});
  }

  Tree tree;
  std::vector<peers::State> states;
  Evaluation evaluation;
  std::vector<double> udot;
  std::unique_ptr<peers::Peer> mujoco, simbody;
};

double time_of(std::vector<Runner>& runners, const std::string& name) {
  for (Runner& r : runners) {
    if (r.name == name) return r.microseconds();
  }
  return 0.0;
}
void print(std::vector<Runner>& runners) {
  for (Runner& r : runners) std::printf("  %-52s %9.3f µs\n", r.name.c_str(), r.microseconds());
}

/// The spacecraft with all its thrusters firing and all sensors read.
struct Equipped {
  static SpacecraftModel model() {
    SpacecraftModel m;
    m.tree = peers::cassini(5);
    for (int i = 0; i < 26; ++i) {
      const std::string& name = m.tree.bodies[0].nodes[static_cast<std::size_t>(i)].name;
      if (i < 16) {
        Actuator a;
        a.name = name;
        a.kind = Actuator::Kind::thruster;
        a.at = {0, i};
        m.actuators.push_back(a);
      } else {
        m.sensors.push_back({name, {0, i}});
      }
    }
    return m;
  }
  Equipped()
      : craft(model(), Path::automatic, arithmetic),
        states(peers::random_states(craft.tree(), pool)),
        evaluation(craft),
        udot(craft.tree().speeds()),
        thrust(16) {
    for (std::size_t i = 0; i < thrust.size(); ++i) thrust[i] = 0.5 + 0.1 * static_cast<double>(i);
  }
  Runner runner(std::string name) {
    return {std::move(name), [this](int i) {
              const peers::State& s = states[static_cast<std::size_t>(i)];
              craft.place({s.q, s.u, {}, {}}, evaluation);
              static_cast<void>(
                  craft.accelerate({s.force, {}, {}, thrust, {}}, {udot, {}, {}}, evaluation));
              sum += craft.sense(evaluation)[static_cast<std::size_t>(i % 10)].specific_force[0];
            }};
  }
  Spacecraft craft;
  std::vector<peers::State> states;
  SpacecraftEvaluation evaluation;
  std::vector<double> udot, thrust;
  double sum = 0.0;
};

/// The plant of the mission, with its thrusters firing: rates, and their derivatives with respect
/// to the state.
struct Plant {
  static Spacecraft read() {
    Diagnostics problems;
    const auto source =
        multibody_tree::read_source(VERNIER_SOURCE_DIR "/missions/cassini/plant.xml", problems);
    problems.throw_if_errors();
    return Spacecraft(
        source->made(Parameters("plant", source->parameters(), {}, 1, {}, problems)).model,
        Path::automatic, arithmetic);
  }
  Plant()
      : craft(read()),
        states(peers::random_states(craft.tree(), pool)),
        evaluation(craft),
        tangent(craft),
        eight(craft),
        commands(craft.commands(), 0.4),
        held(craft.tree().speeds()),
        x(tangent.rows()),
        rates(x.size()),
        other(x.size()),
        jacobian(x.size() * x.size()) {
    for (std::size_t k = 0; k < held.size(); ++k) held[k] = craft.model().prescribed[k] != 0;
    for (const Tank& t : craft.model().tanks) fuel.push_back(t.fuel);
    // near the initial state: modes as small as in flight
    for (peers::State& state : states) {
      for (std::size_t k = 0; k < state.q.size(); ++k)
        state.q[k] = craft.model().q[k] + 0.05 * state.q[k];
      for (std::size_t k = 0; k < state.u.size(); ++k)
        state.u[k] = craft.model().u[k] + 0.05 * state.u[k];
    }
    constexpr std::size_t lanes = SpacecraftLanes::count;
    wide_rates.resize(lanes * x.size());
    wide_commands.assign(lanes * commands.size(), 0.4);
    for (int first = 0; first + static_cast<int>(lanes) <= pool; first += lanes) {
      std::vector<double>& group = wide.emplace_back(lanes * x.size());
      for (std::size_t l = 0; l < lanes; ++l) {
        take(first + static_cast<int>(l));
        for (std::size_t k = 0; k < x.size(); ++k) group[lanes * k + l] = x[k];
      }
    }
  }
  void evaluate(const std::vector<double>& at, std::vector<double>& to) {
    const std::size_t nq = craft.tree().coordinates(), nu = craft.tree().speeds();
    const std::span<const double> from(at);
    const std::span<double> out(to);
    craft.place({from.first(nq), from.subspan(nq, nu), {}, from.subspan(nq + nu)}, evaluation);
    static_cast<void>(craft.accelerate(
        {{}, {}, held, commands, {}}, {out.subspan(nq, nu), {}, out.subspan(nq + nu)}, evaluation));
    craft.tree().coordinate_rates(from.first(nq), from.subspan(nq, nu), out.first(nq));
  }
  void take(int i) {
    const peers::State& s = states[static_cast<std::size_t>(i)];
    std::copy(s.q.begin(), s.q.end(), x.begin());
    std::copy(s.u.begin(), s.u.end(), x.begin() + static_cast<std::ptrdiff_t>(s.q.size()));
    std::copy(fuel.begin(), fuel.end(), x.end() - static_cast<std::ptrdiff_t>(fuel.size()));
  }
  void differences(int i) {
    take(i);
    const double h = 1e-6;
    for (std::size_t k = 0; k < x.size(); ++k) {
      const double here = x[k];
      x[k] = here + h;
      evaluate(x, rates);
      x[k] = here - h;
      evaluate(x, other);
      x[k] = here;
      for (std::size_t j = 0; j < x.size(); ++j)
        jacobian[k * x.size() + j] = (rates[j] - other[j]) / (2 * h);
    }
  }
  void exact(int i, bool commanded) {
    take(i);
    const std::size_t nq = craft.tree().coordinates(), nu = craft.tree().speeds();
    const std::span<const double> from(x);
    static_cast<void>(
        tangent.evaluate({from.first(nq), from.subspan(nq, nu), {}, from.subspan(nq + nu)},
                         {{}, {}, held, commands, {}}, commanded));
  }
  /// Eight states of the pool side by side: group i of them.
  void side_by_side(int i) {
    constexpr std::size_t lanes = SpacecraftLanes::count;
    const std::size_t nq = craft.tree().coordinates(), nu = craft.tree().speeds();
    const std::span<const double> from(wide[static_cast<std::size_t>(i) % wide.size()]);
    const std::span<double> out(wide_rates);
    eight.place({from.first(lanes * nq),
                 from.subspan(lanes * nq, lanes * nu),
                 {},
                 from.subspan(lanes * (nq + nu))});
    static_cast<void>(eight.accelerate(
        {{}, {}, held, wide_commands, {}},
        {out.subspan(lanes * nq, lanes * nu), {}, out.subspan(lanes * (nq + nu))}));
    eight.coordinate_rates(out.first(lanes * nq));
  }
  /// The difference of the two, relative to the largest element of a column.
  double disagreement() {
    differences(0);
    exact(0, false);
    double worst = 0.0;
    for (std::size_t k = 0; k < x.size(); ++k) {
      double size = 1e-3, apart = 0.0;
      for (std::size_t j = 0; j < x.size(); ++j) {
        const double a = jacobian[k * x.size() + j], b = tangent.by_state()[k * x.size() + j];
        size = std::max(size, std::abs(b));
        apart = std::max(apart, std::abs(a - b));
      }
      worst = std::max(worst, apart / size);
    }
    return worst;
  }
  Spacecraft craft;
  std::vector<peers::State> states;
  SpacecraftEvaluation evaluation;
  SpacecraftTangent tangent;
  SpacecraftLanes eight;
  std::vector<std::vector<double>> wide;
  std::vector<double> wide_rates, wide_commands;
  std::vector<double> commands, fuel;
  std::vector<std::uint8_t> held;
  std::vector<double> x, rates, other, jacobian;
};

/// `count` states in the layout of an ensemble.
struct Many {
  Many(const Tree& tree, std::size_t n)
      : states(peers::random_states(tree, static_cast<int>(n), 777)), ensemble(tree), count(n) {
    q.resize(tree.coordinates() * n);
    u.resize(tree.speeds() * n);
    force.resize(u.size());
    udot.resize(u.size());
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t k = 0; k < tree.coordinates(); ++k) q[k * n + i] = states[i].q[k];
      for (std::size_t k = 0; k < tree.speeds(); ++k) {
        u[k * n + i] = states[i].u[k];
        force[k * n + i] = states[i].force[k];
      }
    }
  }
  Runner runner(std::string name) {
    return {std::move(name), [this](int) { ensemble.accelerate(count, q, u, force, {}, {}, udot); },
            static_cast<int>(count)};
  }
  std::vector<peers::State> states;
  Ensemble ensemble;
  std::size_t count;
  std::vector<double> q, u, force, udot;
};

void describe_machine(const Tree& tree) {
  std::printf("machine: %s, instructions %s, arithmetic %s; %s of %d batches\n",
              bench::machine().c_str(), tree.instructions(), vernier::name(arithmetic),
              use_least ? "least" : "medians", batches);
}

}  // namespace

int main(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "least") == 0) use_least = true;
    if (std::strcmp(argv[i], "fastest") == 0) arithmetic = vernier::Arithmetic::fastest;
  }
  Subject rigid(peers::cassini(0)), rigid_tree(peers::cassini(0), Path::tree);
  Subject flexible(peers::cassini(5)), flexible_tree(peers::cassini(5), Path::tree);
  Equipped equipped;
  Many many(flexible.tree, 1024);
  describe_machine(rigid.tree);

  std::printf("\ncassini: rigid 20 dof; flexible bus, 25 dof\n");
  std::vector<Runner> runners;
  rigid.add_peers(runners);
  runners.push_back(rigid.ours("rigid, star"));
  runners.push_back(rigid_tree.ours("rigid, tree"));
  runners.push_back(flexible.ours("flexible, star"));
  runners.push_back(flexible_tree.ours("flexible, tree"));
  runners.push_back(equipped.runner("flexible, 16 thrusters and 10 sensors"));
  std::size_t next = 0;
  runners.push_back({"flexible, star, the states of the ensemble one at a time", [&](int) {
                       const peers::State& s = many.states[next++ % many.count];
                       flexible.tree.place(s.q, s.u, flexible.evaluation);
                       static_cast<void>(flexible.tree.accelerate(
                           {s.force, {}, {}, {}}, flexible.udot, flexible.evaluation));
                     }});
  runners.push_back(many.runner("flexible, ensemble of 1024, per state"));
  measure(runners);
  print(runners);
  const double mujoco = time_of(runners, "MuJoCo"), simbody = time_of(runners, "Simbody"),
               ensemble = time_of(runners, "flexible, ensemble of 1024, per state");
  const double peak = bench::peak_gigaflops();
  // multiplications and additions of the star with five modes of order 2 in the textbook's form: 10
  // 645 + 9 487 without divisions and sines. The code needs fewer: an equivalent rate
  const double flops = 20132.0;
  std::printf("\n");
  judge("cassini-rigid: MuJoCo over ours", mujoco / time_of(runners, "rigid, star"), ">=", 6.0);
  judge("cassini-rigid: Simbody over ours", simbody / time_of(runners, "rigid, star"), ">=", 25.0);
  judge("cassini-flex over MuJoCo's cassini-rigid", time_of(runners, "flexible, star") / mujoco,
        "<", 0.45);
  judge("the same with 16 thrusters and 10 sensors",
        time_of(runners, "flexible, 16 thrusters and 10 sensors") / mujoco, "<", 0.8);
  judge("one at a time over ensemble, per state",
        time_of(runners, "flexible, star, the states of the ensemble one at a time") / ensemble,
        ">=", 2.5);
  std::printf(
      "FMA peak %.1f Gflop/s; ensemble %.1f Gflop/s of the textbook's operations: %.0f %%\n", peak,
      flops / ensemble * 1e-3, 100.0 * flops / ensemble * 1e-3 / peak);

  Plant plant;
  std::printf("\nthe plant of the mission: %zu states, %zu commands\n", plant.tangent.rows(),
              plant.tangent.commands());
  std::vector<Runner> derivatives;
  derivatives.push_back({"rates", [&](int i) {
                           plant.take(i);
                           plant.evaluate(plant.x, plant.rates);
                         }});
  derivatives.push_back({"rates, eight states side by side, per state",
                         [&](int i) { plant.side_by_side(i); },
                         static_cast<int>(SpacecraftLanes::count)});
  derivatives.push_back({"Jacobian by differences", [&](int i) { plant.differences(i); }});
  derivatives.push_back({"Jacobian, exact", [&](int i) { plant.exact(i, false); }});
  derivatives.push_back({"the same, and by all commands", [&](int i) { plant.exact(i, true); }});
  measure(derivatives);
  print(derivatives);
  judge("plant: Jacobian by differences over exact",
        time_of(derivatives, "Jacobian by differences") / time_of(derivatives, "Jacobian, exact"),
        ">=", 8.0);
  judge("plant: one state at a time over eight side by side, per state",
        time_of(derivatives, "rates") /
            time_of(derivatives, "rates, eight states side by side, per state"),
        ">=", 3.0);
  judge("plant: exact Jacobian, µs", time_of(derivatives, "Jacobian, exact"), "<", 70.0);
  judge("plant: distance of the two, of the largest in a column", plant.disagreement(), "<", 1e-3);

  std::printf("\nchains, a tree and a star\n");
  std::vector<std::pair<double, double>> chains;
  for (Model& model :
       std::vector<Model>{peers::chain(10), peers::chain(30), peers::chain(100), peers::chain(300),
                          peers::binary_tree(127), peers::star(100)}) {
    const std::string name = model.name;
    Subject subject(std::move(model));
    std::vector<Runner> own;
    own.push_back(subject.ours(name + (subject.tree.path() == Path::star ? ", star" : ", tree")));
    subject.add_peers(own);
    measure(own);
    print(own);
    const double t = own[0].microseconds(), m = time_of(own, "MuJoCo"), s = time_of(own, "Simbody");
    if (name.starts_with("chain"))
      chains.push_back({static_cast<double>(subject.tree.speeds()), t});
    if (subject.mujoco)
      judge((name + ": MuJoCo over ours").c_str(), m / t, ">=", 3.0);
    else
      std::printf("%-64s\n", (name + ": MuJoCo cannot load it").c_str());
    judge((name + ": Simbody over ours").c_str(), s / t, ">=", 8.0);
  }
  // t = a + b N through the shortest and the longest chain; the deviation of the others from it
  const auto [n0, t0] = chains.front();
  const auto [n1, t1] = chains.back();
  const double slope = (t1 - t0) / (n1 - n0);
  double worst = 0.0;
  for (const auto& [n, t] : chains)
    worst = std::max(worst, std::abs(t / (t0 + slope * (n - n0)) - 1));
  std::printf("chains: %.1f ns for each body\n", slope * 1e3);
  judge("chains: distance from a straight line through 10 and 300", worst, "<", 0.25);

  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  std::printf("memory of the whole run, all engines: %ld MiB\n", usage.ru_maxrss / 1024);
  std::printf("%s\n", failed == 0 ? "all ok" : "NOT all reached");
  return failed == 0 ? 0 : 1;
}
