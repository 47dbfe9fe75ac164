#include <algorithm>
#include <vector>

#include "vernier/base/require.hpp"
#include "vernier/kernel/multibody/analysis.hpp"
#include "vernier/kernel/multibody/detail/data.hpp"
#include "vernier/kernel/spatial/dual.hpp"

namespace vernier::multibody {

using Derivative = spatial::Dual<8>;  // directions at a time
using detail::NodeRecord;
using detail::Vec6;

namespace {

/// Inputs of the recursion as numbers with derivatives, and its memory.
struct Run {
  explicit Run(const Tree::Data& tree)
      : memory((detail::workspace_bytes<Derivative>(tree.view) + sizeof(Derivative) - 1) /
               sizeof(Derivative)),
        work(detail::make_workspace<Derivative>(memory.data(), tree.view)) {}

  std::vector<Derivative> q, u, tau, given, udot;
  std::vector<Derivative> memory;
  detail::Workspace<Derivative> work;
};

std::vector<Derivative> constants(std::span<const double> x, std::size_t size) {
  std::vector<Derivative> out(size);
  for (std::size_t i = 0; i < x.size(); ++i) out[i].v = x[i];
  return out;
}

}  // namespace

Linearization linearize(const Tree& tree, Evaluation& evaluation, std::span<const double> q,
                        std::span<const double> u, const Loads& loads) {
  const auto& data = tree.data();
  const auto& e = evaluation.data();
  const std::size_t n = tree.speeds();
  require(q.size() == tree.coordinates() && u.size() == n);
  const auto size = static_cast<Eigen::Index>(n);
  Linearization out;
  out.by_position = out.by_speed = out.by_force = MatrixX::Zero(size, size);

  Run run(data);
  std::vector<double> regular(n, 1.0), given(n, 0.0);
  bool prescribed = false;
  for (std::size_t i = 0; i < loads.prescribed.size(); ++i) {
    if (loads.prescribed[i] == 0) continue;
    prescribed = true;
    regular[i] = 0.0;
    given[i] = loads.acceleration.empty() ? 0.0 : loads.acceleration[i];
  }
  const detail::Vec3<Derivative> gravity = {Derivative(e.gravity[0]), Derivative(e.gravity[1]),
                                            Derivative(e.gravity[2])};
  const auto evaluate = [&] {
    run.udot.resize(n);
    detail::place_links(data.view, e.masses.data(), run.q.data(), run.u.data(), run.work);
    detail::begin(data.view, e.masses.data(), run.tau.data(), run.work);
    for (const NodeForce& f : loads.nodes) {
      const NodeRecord& record = data.layout.node(f.at);
      if (record.link < 0) continue;
      const auto at = detail::node_of(data.view, record, run.q.data(), run.u.data());
      const Vector3 &m = f.force.moment, &r = f.force.resultant;
      detail::apply(data.view, record, at,
                    Vec6<Derivative>{{Derivative(m[0]), Derivative(m[1]), Derivative(m[2])},
                                     {Derivative(r[0]), Derivative(r[1]), Derivative(r[2])}},
                    run.work);
    }
    detail::Watch<Derivative> watch;
    detail::accelerate(data.view, e.masses.data(), gravity,
                       {run.tau.data(), run.given.data(), prescribed ? regular.data() : nullptr},
                       run.work, run.udot.data(), watch);
    return watch.first < 0;
  };

  std::vector<double> unit(n, 0.0), rate(tree.coordinates());
  out.good = true;
  // directions: positions, speeds, forces; eight at a time
  const auto sweep = [&](MatrixX& matrix, auto seed) {
    for (std::size_t first = 0; first < n; first += Derivative::directions) {
      run.q = constants(q, tree.coordinates());
      run.u = constants(u, n);
      run.tau = constants(loads.force, n);
      run.given = constants(given, n);
      const std::size_t count = std::min<std::size_t>(Derivative::directions, n - first);
      for (std::size_t i = 0; i < count; ++i) seed(first + i, i);
      out.good = evaluate() && out.good;
      for (std::size_t i = 0; i < count; ++i) {
        for (std::size_t row = 0; row < n; ++row) {
          matrix(static_cast<Eigen::Index>(row), static_cast<Eigen::Index>(first + i)) =
              run.udot[row].d[i];
        }
      }
    }
  };
  sweep(out.by_position, [&](std::size_t speed, std::size_t direction) {
    unit[speed] = 1.0;
    tree.coordinate_rates(q, unit, rate);
    unit[speed] = 0.0;
    for (std::size_t i = 0; i < rate.size(); ++i) run.q[i].d[direction] = rate[i];
  });
  sweep(out.by_speed,
        [&](std::size_t speed, std::size_t direction) { run.u[speed].d[direction] = 1.0; });
  sweep(out.by_force, [&](std::size_t speed, std::size_t direction) {
    (regular[speed] == 0.0 ? run.given : run.tau)[speed].d[direction] = 1.0;
  });
  out.good = out.good && out.by_position.allFinite() && out.by_speed.allFinite();
  return out;
}

}  // namespace vernier::multibody
