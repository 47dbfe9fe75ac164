#include "vernier/kernel/constrained/mechanism.hpp"

#include <cmath>
#include <utility>

#include "vernier/kernel/constrained/detail/start.hpp"

namespace vernier::constrained {

using detail::ElementPlan;
using detail::Equations;
using detail::MechanismLayout;
using detail::NodePlan;

AssemblyProblem::AssemblyProblem(Kind k, const std::string& what, std::vector<std::string> n,
                                 double g)
    : std::runtime_error(what), kind(k), names(std::move(n)), gap(g) {}

Workspace::Workspace(const Mechanism& m) : scratch_(std::make_unique<detail::Scratch>(m.plan())) {}
Workspace::Workspace(Workspace&&) noexcept = default;
Workspace& Workspace::operator=(Workspace&&) noexcept = default;
Workspace::~Workspace() = default;

Mechanism::Mechanism(Model model, const Settings& settings)
    : plan_(std::make_shared<const MechanismLayout>(std::move(model), settings)) {}
Mechanism::Mechanism(std::shared_ptr<const MechanismLayout> plan) noexcept
    : plan_(std::move(plan)) {}

const Model& Mechanism::model() const noexcept { return plan_->model; }
const Settings& Mechanism::settings() const noexcept { return plan_->settings; }
State Mechanism::blank() const { return plan_->blank(); }

Mechanism Mechanism::assembled(State& at, double time) const {
  const auto plan = std::make_shared<MechanismLayout>(plan_->model, plan_->settings);
  detail::Start start(*plan, at);
  start.begin(time);
  start.assemble_mechanism();
  start.find_motion();
  return Mechanism(plan);
}

Mechanism Mechanism::at_rest(State& at, double time, int load_steps) const {
  const auto plan = std::make_shared<MechanismLayout>(plan_->model, plan_->settings);
  detail::Start start(*plan, at);
  start.begin(time);
  start.find_rest(load_steps);
  start.find_motion();
  return Mechanism(plan);
}

StepReport Mechanism::step(State& s, Workspace& w, double h) const noexcept {
  return detail::advance(*plan_, s, *w.scratch_, h);
}

bool Mechanism::project(State& s, Workspace& w) const noexcept {
  return detail::project(*plan_, s, *w.scratch_);
}

// Outputs

Point Mechanism::point(const State& s, int element) const noexcept {
  return plan_->point(plan_->elements[element], s);
}

void Mechanism::measure(const State& s, int element, std::span<double> to) const noexcept {
  plan_->elements[element].element->measure(point(s, element), to);
}

std::span<const double> Mechanism::multipliers(const State& s, int element) const noexcept {
  const ElementPlan& plan = plan_->elements[element];
  return {s.history[0].algebraic.data() + plan.algebraic,
          static_cast<std::size_t>(plan.algebraic_count)};
}

std::span<const Acceleration> Mechanism::accelerations(const State& s,
                                                       Workspace& w) const noexcept {
  Equations(*plan_, s, *w.scratch_).find_accelerations();
  return w.scratch_->accelerations;
}

double Mechanism::kinetic_energy(const State& s) const noexcept {
  const Level& l = s.history[0];
  const int nodes = plan_->node_count;
  double twice = 0.0;
  for (int i = 0; i < nodes; ++i) {
    const double* P = l.momenta.data() + 6 * i;
    twice += dot(l.nodes[i].v, {P[0], P[1], P[2]}) + dot(l.nodes[i].omega, {P[3], P[4], P[5]});
  }
  for (int i = 0; i < plan_->coordinate_count; ++i) {
    twice += l.momenta[6 * nodes + i] * l.rates[plan_->coordinate_values[i]];
  }
  return 0.5 * twice;
}

double Mechanism::potential_energy(const State& s) const noexcept {
  double sum = 0.0;
  for (int i = 0; i < plan_->node_count; ++i) {
    const NodePlan& plan = plan_->nodes[i];
    sum -= dot(plan_->model.gravity, s.node(i).x * plan.mass + s.node(i).R * plan.moment);
  }
  for (const ElementPlan& plan : plan_->elements) {
    sum += plan.element->energy(plan_->point(plan, s));
  }
  return sum;
}

Vector3 Mechanism::momentum(const State& s) const noexcept {
  Vector3 sum{};
  for (int i = 0; i < plan_->node_count; ++i) {
    const double* P = s.history[0].momenta.data() + 6 * i;
    sum += Vector3{P[0], P[1], P[2]};
  }
  return sum;
}

Vector3 Mechanism::angular_momentum(const State& s) const noexcept {
  Vector3 sum{};
  for (int i = 0; i < plan_->node_count; ++i) {
    const double* P = s.history[0].momenta.data() + 6 * i;
    sum += Vector3{P[3], P[4], P[5]} + cross(s.node(i).x, {P[0], P[1], P[2]});
  }
  return sum;
}

double Mechanism::constraint_violation(const State& s, Workspace& w) const noexcept {
  Equations equations(*plan_, s, *w.scratch_);
  equations.keep_drives();
  return equations.constraint_values(s.history[0]);
}

double Mechanism::constraint_rate_violation(const State& s, Workspace& w) const noexcept {
  Equations equations(*plan_, s, *w.scratch_);
  equations.keep_drives();
  equations.clear_turns();
  equations.constraint_rates(s.history[0]);
  double most = 0.0;
  for (const double r : w.scratch_->rhs) most = detail::larger(most, std::abs(r));
  return most;
}

std::vector<std::string> Mechanism::redundant(const State& s) const {
  detail::Scratch scratch(*plan_);
  Equations equations(*plan_, s, scratch);
  equations.keep_drives();
  return detail::redundant(equations, s.history[0]);
}

std::string Mechanism::row_name(int row) const { return plan_->row_name(row); }
int Mechanism::rows() const noexcept { return plan_->size; }
int Mechanism::equations() const noexcept { return constrained::equations(plan_->model); }

Mechanism::Structure Mechanism::structure() const noexcept {
  if (!plan_->elimination) return {};
  const sparse::Factorization::Statistics s = plan_->elimination->statistics();
  return {s.entries, s.fill};
}

}  // namespace vernier::constrained
