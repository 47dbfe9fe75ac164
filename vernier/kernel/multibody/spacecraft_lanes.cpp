#include "vernier/kernel/multibody/spacecraft_lanes.hpp"

#include <algorithm>
#include <cmath>

#include "vernier/base/require.hpp"
#include "vernier/kernel/multibody/detail/data.hpp"
#include "vernier/kernel/multibody/detail/lanes_plan.hpp"
#include "vernier/kernel/multibody/detail/spacecraft_data.hpp"

namespace vernier::multibody {

namespace {

constexpr std::size_t lanes = SpacecraftLanes::count;

const detail::LanesCode& code_of(Instructions set) noexcept {
#if defined(VERNIER_WIDE_INSTRUCTIONS)
  if (set == Instructions::avx512) return detail::lanes_avx512;
  if (set == Instructions::avx2) return detail::lanes_avx2;
#endif
  static_cast<void>(set);
  return detail::lanes_sse2;
}

void take(std::span<const double> from, std::size_t lane, std::vector<double>& to) noexcept {
  for (std::size_t i = 0; i < to.size(); ++i) to[i] = from[lanes * i + lane];
}
void give(std::span<const double> from, std::size_t lane, std::span<double> to) noexcept {
  for (std::size_t i = 0; i < from.size(); ++i) to[lanes * i + lane] = from[i];
}

}  // namespace

struct SpacecraftLanes::Data {
  explicit Data(const Spacecraft& s)
      : craft(&s),
        tree(&s.tree().data()),
        code(&code_of(tree->instructions)),
        in_lanes(!tree->star && tree->arithmetic == Arithmetic::reproducible) {
    for (std::size_t l = 0; l < lanes; ++l) evaluations.emplace_back(s);
    const std::size_t nu = s.tree().speeds(), nq = s.tree().coordinates();
    for (auto* v : {&force, &acceleration, &rate}) v->resize(nu);
    q.resize(nq);
    qdot.resize(nq);
    u.resize(nu);
    commands.resize(s.commands());
    for (auto* v : {&torque, &momentum, &hdot}) v->resize(s.model().rotors.size());
    for (auto* v : {&fuel, &fdot}) v->resize(s.model().tanks.size());
    parameters.resize(s.parameters().size());
    regular.resize(nu, 1.0);
    if (!in_lanes) return;
    memory = detail::AlignedNumbers(code->bytes(tree->view) / sizeof(double));
    wide_q = detail::AlignedNumbers(lanes * nq);
    for (auto* a : {&wide_u, &wide_tau, &wide_given, &wide_udot})
      *a = detail::AlignedNumbers(lanes * nu);
    for (std::size_t l = 0; l < lanes; ++l) {
      for (int k = 0; k < tree->view.count; ++k)
        code->set_mass(tree->view, memory.get(), k, static_cast<int>(l),
                       evaluations[l].tree().data().masses[static_cast<std::size_t>(k)]);
    }
  }

  const Spacecraft* craft;
  const Tree::Data* tree;
  const detail::LanesCode* code;
  bool in_lanes;
  std::vector<SpacecraftEvaluation> evaluations;
  std::vector<double> q, u, momentum, fuel, parameters, force, acceleration, commands, torque, rate,
      hdot, fdot, qdot, regular;  // of a lane
  detail::AlignedNumbers memory, wide_q, wide_u, wide_tau, wide_given, wide_udot;
  unsigned complete = 0;  // lanes whose evaluation is complete, as bits
};

SpacecraftLanes::SpacecraftLanes(const Spacecraft& s) : data_(std::make_unique<Data>(s)) {}
SpacecraftLanes::~SpacecraftLanes() = default;
SpacecraftLanes::SpacecraftLanes(SpacecraftLanes&&) noexcept = default;
SpacecraftLanes& SpacecraftLanes::operator=(SpacecraftLanes&&) noexcept = default;

void SpacecraftLanes::place(const Spacecraft::State& s) noexcept {
  Data& d = *data_;
  require(s.q.size() == lanes * d.q.size() && s.u.size() == lanes * d.u.size() &&
          s.momentum.size() == lanes * d.momentum.size() && s.fuel.size() == lanes * d.fuel.size());
  d.complete = 0;
  const auto& craft = d.craft->data();
  for (std::size_t l = 0; l < lanes; ++l) {
    take(s.q, l, d.q);
    take(s.u, l, d.u);
    take(s.momentum, l, d.momentum);
    take(s.fuel, l, d.fuel);
    Spacecraft::State one{d.q, d.u, d.momentum, d.fuel};
    if (!s.parameters.empty()) {
      take(s.parameters, l, d.parameters);
      one.parameters = d.parameters;
    }
    SpacecraftEvaluation& e = d.evaluations[l];
    if (!d.in_lanes) {
      d.craft->place(one, e);
      continue;
    }
    // Same as Spacecraft::place() and Tree::place(), except for the sweep.
    auto& at = e.tree().data();
    if (detail::take_state(craft, one, e.data())) {
      for (const int body : craft.varying) {
        const int link = d.tree->layout.link_of[static_cast<std::size_t>(body)];
        d.code->set_mass(d.tree->view, d.memory.get(), link, static_cast<int>(l),
                         at.masses[static_cast<std::size_t>(link)]);
      }
    }
    at.q = d.q;
    at.u = d.u;
    ++at.placed;
  }
  if (!d.in_lanes) return;
  std::copy(s.q.begin(), s.q.end(), d.wide_q.get());
  std::copy(s.u.begin(), s.u.end(), d.wide_u.get());
  d.code->place(d.tree->view, d.memory.get(), d.wide_q.get(), d.wide_u.get());
  for (std::size_t l = 0; l < lanes; ++l)
    d.code->take_place(d.tree->view, d.memory.get(), static_cast<int>(l),
                       d.evaluations[l].tree().data().memory.get());
}

unsigned SpacecraftLanes::accelerate(const Spacecraft::Commands& c,
                                     const Spacecraft::Rates& rates) noexcept {
  Data& d = *data_;
  const auto& craft = d.craft->data();
  d.complete = 0;
  unsigned good = 0;
  const std::size_t nu = d.u.size();
  const auto part = [](std::span<const double> from, std::size_t l, std::vector<double>& to) {
    if (from.empty()) return std::span<const double>();
    take(from, l, to);
    return std::span<const double>(to);
  };
  bool prescribed = false;
  for (std::size_t i = 0; i < nu; ++i) {
    const bool on = !c.prescribed.empty() && c.prescribed[i] != 0;
    d.regular[i] = on ? 0.0 : 1.0;
    prescribed = prescribed || on;
  }
  for (std::size_t l = 0; l < lanes; ++l) {
    SpacecraftEvaluation& e = d.evaluations[l];
    const Spacecraft::Commands one{part(c.force, l, d.force),
                                   part(c.acceleration, l, d.acceleration), c.prescribed,
                                   part(c.actuators, l, d.commands), part(c.torque, l, d.torque)};
    if (!d.in_lanes) {
      if (d.craft->accelerate(one, {d.rate, d.hdot, d.fdot}, e)) good |= 1u << l;
      give(d.rate, l, rates.u);
    } else {
      detail::gather_loads(craft, one, e.data(), d.hdot, d.fdot);
      // Same as Tree::accelerate(), except for the sweeps.
      auto& at = e.tree().data();
      std::copy(e.data().tau.begin(), e.data().tau.end(), at.tau.begin());
      at.prescribed = prescribed;
      for (std::size_t i = 0; i < c.prescribed.size(); ++i) {
        at.regular[i] = d.regular[i];
        at.given[i] = d.regular[i] == 0.0 && !one.acceleration.empty() ? one.acceleration[i] : 0.0;
      }
      ++at.accelerated;
      give(at.tau, l, {d.wide_tau.get(), lanes * nu});
      give(at.given, l, {d.wide_given.get(), lanes * nu});
    }
    give(d.hdot, l, rates.momentum);
    give(d.fdot, l, rates.fuel);
  }
  if (!d.in_lanes) return good;

  // Equipment was evaluated lane by lane above; the sweeps now run for all lanes at once.
  double* const memory = d.memory.get();
  d.code->begin(d.tree->view, memory, d.wide_tau.get());
  for (std::size_t k = 0; k < craft.loads.size(); ++k) {
    alignas(64) double wide[6 * lanes];
    for (std::size_t l = 0; l < lanes; ++l) {
      const NodeForce& f = d.evaluations[l].data().nodes[k];
      for (std::size_t i = 0; i < 3; ++i) {
        wide[lanes * i + l] = f.force.moment[static_cast<Eigen::Index>(i)];
        wide[lanes * (i + 3) + l] = f.force.resultant[static_cast<Eigen::Index>(i)];
      }
    }
    const detail::NodeRecord& record = d.tree->layout.node({craft.loads[k].body, NodeId::frame});
    if (record.link >= 0) d.code->push(d.tree->view, memory, record, wide);
  }
  good = d.code->accelerate(d.tree->view, memory, d.tree->model.gravity.data(), d.wide_tau.get(),
                            d.wide_given.get(), prescribed ? d.regular.data() : nullptr,
                            d.wide_udot.get());
  for (std::size_t l = 0; l < lanes; ++l) {
    auto& at = d.evaluations[l].tree().data();
    take({d.wide_udot.get(), lanes * nu}, l, at.udot);
    std::copy(at.udot.begin(), at.udot.end(), d.evaluations[l].data().udot.begin());
    if (!std::ranges::all_of(at.udot, [](double x) { return std::isfinite(x); }))
      good &= ~(1u << l);
  }
  std::copy_n(d.wide_udot.get(), lanes * nu, rates.u.begin());
  return good;
}

void SpacecraftLanes::coordinate_rates(std::span<double> qdot) noexcept {
  Data& d = *data_;
  for (std::size_t l = 0; l < lanes; ++l) {
    const auto& w = d.evaluations[l].data();
    d.craft->tree().coordinate_rates(w.q, w.u, d.qdot);
    give(d.qdot, l, qdot);
  }
}

SpacecraftEvaluation& SpacecraftLanes::lane(std::size_t l) noexcept {
  Data& d = *data_;
  if (d.in_lanes && (d.complete >> l & 1u) == 0) {
    d.code->take_all(d.tree->view, d.memory.get(), static_cast<int>(l),
                     d.evaluations[l].tree().data().memory.get());
    d.complete |= 1u << l;
  }
  return d.evaluations[l];
}

}  // namespace vernier::multibody
