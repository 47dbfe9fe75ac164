#include <cmath>
#include <cstdio>
#include <cstring>
#include <vector>

#include "lanes_bench.hpp"
#include "vernier/base/random.hpp"
#include "vernier/kernel/hybrid/lane_vector.hpp"
#include "vernier/model/multibody_tree/reader.hpp"
#include "vernier/model/multibody_tree/system.hpp"

namespace vernier::bench {

namespace {

using hybrid::lanes;

multibody::SpacecraftModel cassini() {
  Diagnostics problems;
  const auto source =
      multibody_tree::read_source(VERNIER_SOURCE_DIR "/missions/cassini/plant.xml", problems);
  problems.throw_if_errors();
  auto model = source->made(Parameters("plant", source->parameters(), {}, 1, {}, problems)).model;
  problems.throw_if_errors();
  return model;
}

/// `count` states near that at the start, with all thrusters firing.
struct Batch {
  Batch(const hybrid::System& s, std::size_t thrust, std::size_t states)
      : system(s), count(states), n(hybrid::size(s.spec().states)) {
    Random random(7);
    const auto start = hybrid::initial_values(s.spec().states);
    u = hybrid::initial_values(s.spec().inputs);
    std::fill_n(u.end() - static_cast<std::ptrdiff_t>(thrust), thrust, 0.4);
    for (const hybrid::Automaton& a : s.spec().automata) mode.push_back(a.initial);
    x.assign(count, start);
    for (auto& state : x) {
      for (double& v : state) v += 1e-3 * (2.0 * random.uniform() - 1.0);
      for (const hybrid::UnitVector& unit : s.spec().unit_vectors) {
        double square = 0.0;
        for (std::size_t i = 0; i < unit.count; ++i)
          square += state[unit.first + i] * state[unit.first + i];
        for (std::size_t i = 0; i < unit.count; ++i) state[unit.first + i] /= std::sqrt(square);
      }
    }
    lane_x = hybrid::LaneVector(count * n);
    lane_u = hybrid::LaneVector(u.size() * lanes);
    t = hybrid::LaneVector(count);
    for (std::size_t k = 0; k < count; ++k)
      for (std::size_t i = 0; i < n; ++i) lane_x[place(k, i, n)] = x[k][i];
    for (std::size_t i = 0; i < u.size(); ++i) std::fill_n(&lane_u[i * lanes], lanes, u[i]);
  }
  /// Of element i of state k, of `elements`.
  static std::size_t place(std::size_t k, std::size_t i, std::size_t elements) {
    return k / lanes * lanes * elements + i * lanes + k % lanes;
  }

  template <class One, class Many>
  double ratio(const char* what, std::size_t elements, One one, Many many) {
    std::vector<double> alone(count * elements);
    hybrid::LaneVector together(count * elements);
    const hybrid::Points points{
        .t = t.data(),
        .x = lane_x.data(),
        .mode = mode,
        .u = lane_u.data(),
        .blocks = {.count = count / lanes, .t = 1, .x = n, .result = elements}};
    const auto [first, second] = least(
        25,
        [&] {
          for (std::size_t k = 0; k < count; ++k)
            one({t[k], x[k], mode, u}, std::span(&alone[k * elements], elements));
        },
        [&] { many(points, together.data()); });
    for (std::size_t k = 0; k < count; ++k)
      for (std::size_t i = 0; i < elements; ++i)
        if (std::memcmp(&alone[k * elements + i], &together[place(k, i, elements)],
                        sizeof(double)) != 0) {
          std::printf("  %s: element %zu of state %zu differs\n", what, i, k);
          return 0.0;
        }
    const double each = 1e6 / static_cast<double>(count);
    std::printf("  %-12s one at a time %.3f, in lanes %.3f, ratio %.2f\n", what, each * first,
                each * second, first / second);
    return first / second;
  }

  PlantRatio measure(const char* what) {
    std::printf("%s: %zu states of %zu elements; µs per state\n", what, count, n);
    const auto alone = system.workspace(), eight = system.lane_workspace();
    PlantRatio r;
    r.flow = ratio(
        "flow", n,
        [&](const hybrid::Point& p, std::span<double> to) { system.flow(p, to, *alone); },
        [&](const hybrid::Points& p, double* to) { system.flow_lanes(p, to, *eight); });
    r.output = ratio(
        "all outputs", hybrid::size(system.spec().outputs),
        [&](const hybrid::Point& p, std::span<double> to) { system.output(p, to, *alone); },
        [&](const hybrid::Points& p, double* to) { system.output_lanes(p, to, *eight); });
    return r;
  }

  const hybrid::System& system;
  std::size_t count, n;
  std::vector<std::vector<double>> x;
  std::vector<double> u;
  std::vector<int> mode;
  hybrid::LaneVector lane_x, lane_u, t;
};

PlantRatio measured(const char* what, multibody::SpacecraftModel model, multibody::Path path,
                    std::size_t count) {
  multibody::Spacecraft craft(std::move(model), path);
  const std::size_t thrust = craft.commands();
  const multibody_tree::MultibodySystem system(std::move(craft), {});
  return Batch(system, thrust, count).measure(what);
}

}  // namespace

PlantRatio cassini_tree(std::size_t count) {
  return measured("Cassini's plant, a tree", cassini(), multibody::Path::tree, count);
}

PlantRatio cassini_star(std::size_t count) {
  multibody::SpacecraftModel model = cassini();
  const multibody::HingeKind kind = model.tree.bodies.back().hinge.kind;  // of the probe, the last
  model.tree.bodies.pop_back();
  model.q.resize(model.q.size() - multibody::coordinates(kind));
  model.u.resize(model.u.size() - multibody::speeds(kind));
  model.prescribed.resize(model.u.size());
  return measured("Cassini's plant without the probe, a star", std::move(model),
                  multibody::Path::star, count);
}

}  // namespace vernier::bench
