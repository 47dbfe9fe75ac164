// Many states of one system at once, in lanes compared with one state at a time: AAUSAT-II's closed
// loop, Cassini's plant.
// Usage: lanes_bench [states]
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "lanes_bench.hpp"
#include "vernier/base/random.hpp"
#include "vernier/kernel/hybrid/lane_vector.hpp"
#include "vernier/kernel/integration/lane_integrator.hpp"
#include "vernier/model/automaton/automaton.hpp"
#include "vernier/model/environment/types.hpp"
#include "vernier/model/island/island.hpp"
#include "vernier/model/spacecraft/types.hpp"
#include "vernier/run/session/prepare.hpp"

namespace {

using namespace vernier;
using bench::least;
using hybrid::lanes;

Catalogue catalogue() {
  Catalogue c;
  c.set_island(island::make_island);
  automaton::add_to(c);
  environment::register_types(c);
  spacecraft::register_types(c);
  return c;
}

int missed = 0;

void figure(const char* what, double value, double required) {
  const bool good = value >= required;
  std::printf("%-62s %8.2f   >= %.2f   %s\n", what, value, required, good ? "ok" : "NOT");
  missed += good ? 0 : 1;
}

struct Silent final : integration::Listener {
  void passed(std::size_t, std::span<const double>, std::span<const int>) noexcept override {}
  void crossing(std::span<const double>, std::span<const int>) noexcept override {}
  void fired(const integration::Firing&) noexcept override { ++events; }
  void accumulating(double) noexcept override {}
  long events = 0;
};

}  // namespace

int main(int argc, char** argv) {
  const std::size_t count = argc > 1 ? std::strtoul(argv[1], nullptr, 10) / lanes * lanes : 1024;
  const bench::PlantRatio tree = bench::cassini_tree(count), star = bench::cassini_star(count);
  Diagnostics problems;
  const Catalogue types = catalogue();
  session::Prepared run = session::prepare(VERNIER_SOURCE_DIR "/missions/aausat2/aausat2.xml", {},
                                           types, problems, false);
  island::Inside loop;
  for (composition::Part& p : run.plan.parts) {
    const island::Inside found = island::inside(*p.component, Time{});
    if (found.system != nullptr) loop = found;
  }
  const hybrid::System& system = *loop.system;
  const std::size_t n = loop.point.x.size(), m = loop.point.u.size();
  const auto start = hybrid::initial_values(system.spec().states);

  // states with different tumbling, in the initial location of the mission
  Random random(1);
  std::vector<std::vector<double>> x(count, start);
  for (auto& s : x)
    for (double& v : s) v *= 0.7 + 0.6 * random.uniform();
  for (auto& s : x)
    for (const hybrid::UnitVector& unit : system.spec().unit_vectors) {
      double square = 0.0;
      for (std::size_t i = 0; i < unit.count; ++i) square += s[unit.first + i] * s[unit.first + i];
      for (std::size_t i = 0; i < unit.count; ++i) s[unit.first + i] /= std::sqrt(square);
    }
  const std::vector<double> u = hybrid::initial_values(system.spec().inputs);
  std::vector<int> mode;
  for (const hybrid::Automaton& a : system.spec().automata) {
    const auto found = std::find(a.locations.begin(), a.locations.end(), "Detumbling");
    mode.push_back(found != a.locations.end() ? static_cast<int>(found - a.locations.begin())
                                              : a.initial);
  }

  // ---- flow of all states: at one common instant, as filters need it, and each at its own instant
  const auto one = system.workspace(), many = system.lane_workspace();
  std::vector<double> rates(count * n);
  hybrid::LaneVector lane_rates(count * n), lane_x(count * n), lane_u(m * lanes), t(count);
  for (std::size_t k = 0; k < count; ++k)
    for (std::size_t i = 0; i < n; ++i)
      lane_x[k / lanes * lanes * n + i * lanes + k % lanes] = x[k][i];
  for (std::size_t i = 0; i < m; ++i) std::fill_n(&lane_u[i * lanes], lanes, u[i]);
  const hybrid::Points points{.t = t.data(),
                              .x = lane_x.data(),
                              .mode = mode,
                              .u = lane_u.data(),
                              .blocks = {.count = count / lanes, .t = 1, .x = n, .result = n}};
  const int repeats = 40;
  double ratio[2];
  std::printf("%zu states of %zu elements; ns per state\n", count, n);
  for (const bool apart : {false, true}) {
    for (std::size_t k = 0; apart && k < count; ++k) t[k] = static_cast<double>(k);
    const auto [alone, together] = least(
        12,
        [&] {
          for (int r = 0; r < repeats; ++r)
            for (std::size_t k = 0; k < count; ++k)
              system.flow({t[k], x[k], mode, u}, {&rates[k * n], n}, *one);
        },
        [&] {
          for (int r = 0; r < repeats; ++r) system.flow_lanes(points, lane_rates.data(), *many);
        });
    for (std::size_t k = 0; k < count; ++k)
      for (std::size_t i = 0; i < n; ++i)
        if (rates[k * n + i] != lane_rates[k / lanes * lanes * n + i * lanes + k % lanes]) {
          std::printf("state %zu differs\n", k);
          return 1;
        }
    const double calls = static_cast<double>(repeats) * static_cast<double>(count);
    ratio[apart ? 1 : 0] = alone / together;
    std::printf("  at %s: one at a time %.0f, in lanes %.1f, ratio %.2f\n",
                apart ? "an instant of each" : "one instant", 1e9 * alone / calls,
                1e9 * together / calls, alone / together);
  }

  // ---- integrated to 900 s, with their events
  const integration::Settings settings{.rtol = 1e-6, .atol = 1e-6};
  const double end = 900.0;
  integration::Integrator integrator(system, settings);
  integration::LaneIntegrator ensemble(system, settings, count);
  std::vector<std::int64_t> emitted(system.spec().events.size());
  std::vector<std::vector<double>> reached(count);
  Silent heard;
  const auto [serial, parallel] = least(
      2,
      [&] {
        heard.events = 0;
        for (std::size_t k = 0; k < count; ++k) {
          integrator.reset();
          integrator.set(x[k], mode);
          integrator.advance(Time{}, 0.0, end, u, emitted, false, true, heard);
          reached[k].assign(integrator.x().begin(), integrator.x().end());
        }
      },
      [&] {
        integration::LaneIntegrator fresh(system, settings, count);
        for (std::size_t k = 0; k < count; ++k) fresh.set(k, x[k], mode);
        fresh.advance(Time{}, 0.0, end);
        for (std::size_t k = 0; k < count; ++k) ensemble.set(k, fresh.x(k), fresh.mode(k));
      });
  for (std::size_t k = 0; k < count; ++k)
    if (std::memcmp(reached[k].data(), ensemble.x(k).data(), n * sizeof(double)) != 0) {
      std::printf("state %zu arrives elsewhere\n", k);
      return 1;
    }
  std::printf("to %.0f s, %ld events; ms per state: one at a time %.3f, in lanes %.3f\n\n", end,
              heard.events, 1e3 * serial / static_cast<double>(count),
              1e3 * parallel / static_cast<double>(count));
  std::printf("%-62s %8s   required\n", "figure", "value");
  figure("flow of a batch at one instant, one at a time / in lanes", ratio[0], 8.0);
  figure("integrated with events, one at a time / in lanes", serial / parallel, 5.0);
  figure("Cassini's plant, a tree: flow, one at a time / in lanes", tree.flow, 3.0);
  figure("the same: all outputs", tree.output, 3.0);
  figure("Cassini's plant, a star: flow, one at a time / in lanes", star.flow, 2.2);
  figure("the same: all outputs", star.output, 3.0);
  return missed == 0 ? 0 : 1;
}
