#include "vernier/kernel/constrained/solver.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "vernier/base/require.hpp"
#include "vernier/kernel/constrained/detail/parts.hpp"

namespace vernier::constrained {

using detail::ElementPlan;
using detail::Level;
using detail::NodePlan;

Solver::Solver(Model model, const Settings& settings)
    : parts_(std::make_unique<Parts>(std::move(model), settings)) {
  parts_->backup.resize(parts_->state_bytes());
}
Solver::~Solver() = default;
Solver::Solver(Solver&&) noexcept = default;

const Model& Solver::model() const noexcept { return parts_->model; }
const Settings& Solver::settings() const noexcept { return parts_->settings; }

void Solver::initialize(double time) {
  parts_->start(time);
  parts_->assemble_mechanism();
  parts_->find_motion();
}

StepReport Solver::step(double h) noexcept { return parts_->step(h); }

void Solver::restart() noexcept {
  parts_->past = 0;
  parts_->rates_valid = false;
}

bool Solver::project() noexcept { return parts_->project(); }

double Solver::time() const noexcept { return parts_->newest().time; }
std::span<double> Solver::inputs() noexcept { return parts_->inputs; }
const NodeState& Solver::node(int i) const noexcept { return parts_->newest().nodes[i]; }
double Solver::scalar(int i) const noexcept { return parts_->newest().values[i]; }

void Solver::accelerations(int node, Vector3& linear, Vector3& angular) const noexcept {
  parts_->accelerations(node, linear, angular);
}

Point Solver::point(int element) const noexcept {
  return parts_->point(parts_->plans[element], parts_->newest(), parts_->c);
}

void Solver::measure(int element, std::span<double> to) const noexcept {
  parts_->plans[element].element->measure(point(element), to);
}

std::span<const double> Solver::multipliers(int element) const noexcept {
  const ElementPlan& plan = parts_->plans[element];
  return {parts_->newest().algebraic.data() + plan.algebraic,
          static_cast<std::size_t>(plan.algebraic_count)};
}

Solver::Structure Solver::structure() const noexcept {
  if (!parts_->linear_solver) return {};
  const sparse::Factorization::Statistics s = parts_->linear_solver->statistics();
  return {s.entries, s.fill};
}

double Solver::kinetic_energy() const noexcept {
  const Level& l = parts_->newest();
  double twice = 0.0;
  for (int i = 0; i < parts_->node_count; ++i) {
    const double* P = l.momenta.data() + 6 * i;
    twice += dot(l.nodes[i].v, {P[0], P[1], P[2]}) + dot(l.nodes[i].omega, {P[3], P[4], P[5]});
  }
  for (int i = 0; i < parts_->coordinate_count; ++i) {
    twice += l.momenta[6 * parts_->node_count + i] * l.rates[parts_->coordinate_values[i]];
  }
  return 0.5 * twice;
}

double Solver::potential_energy() const noexcept {
  const Level& l = parts_->newest();
  double sum = 0.0;
  for (int i = 0; i < parts_->node_count; ++i) {
    const NodePlan& plan = parts_->node_plans[i];
    sum -= dot(parts_->model.gravity, l.nodes[i].x * plan.mass + l.nodes[i].R * plan.moment);
  }
  for (std::size_t e = 0; e < parts_->plans.size(); ++e) {
    sum += parts_->plans[e].element->energy(point(static_cast<int>(e)));
  }
  return sum;
}

Vector3 Solver::momentum() const noexcept {
  const Level& l = parts_->newest();
  Vector3 sum{};
  for (int i = 0; i < parts_->node_count; ++i) {
    const double* P = l.momenta.data() + 6 * i;
    sum += Vector3{P[0], P[1], P[2]};
  }
  return sum;
}

Vector3 Solver::angular_momentum() const noexcept {
  const Level& l = parts_->newest();
  Vector3 sum{};
  for (int i = 0; i < parts_->node_count; ++i) {
    const double* P = l.momenta.data() + 6 * i;
    sum += Vector3{P[3], P[4], P[5]} + cross(l.nodes[i].x, {P[0], P[1], P[2]});
  }
  return sum;
}

double Solver::constraint_violation() const noexcept {
  return parts_->constraint_values(parts_->newest());
}

double Solver::constraint_rate_violation() const noexcept {
  parts_->constraint_rates(parts_->newest());
  double most = 0.0;
  for (const double r : parts_->rhs) most = detail::larger(most, std::abs(r));
  return most;
}

std::string Solver::row_name(int row) const { return parts_->row_name(row); }

std::string Solver::Parts::row_name(int row) const {
  if (row < 0 || row >= size) return "no row";
  if (row < 6 * node_count) {
    static constexpr const char* axes[] = {"x", "y", "z"};
    const bool force = row % 6 < 3;
    return std::string(force ? "force" : "moment") + " equilibrium of node '" +
           model.nodes[row / 6].name + "' " + (force ? "along " : "about ") + axes[row % 3];
  }
  if (row < 6 * node_count + scalar_count) {
    return "balance of scalar node '" + model.scalars[row - 6 * node_count].name + "'";
  }
  for (std::size_t e = 0; e < plans.size(); ++e) {
    const ElementPlan& plan = plans[e];
    const int i = row - plan.own_row;
    if (i < 0 || i >= plan.own_count + plan.algebraic_count) continue;
    const std::string of = " of " + model.elements[e].kind + " '" + model.elements[e].name + "'";
    if (i < plan.coordinates) return "coordinate " + std::to_string(i + 1) + of;
    if (i < plan.own_count) return "state " + std::to_string(i - plan.coordinates + 1) + of;
    const int k = i - plan.own_count;
    if (k < plan.holonomic) return "constraint " + std::to_string(k + 1) + of;
    return "equation " + std::to_string(k + 1) + of;
  }
  return "no row";
}

int Solver::rows() const noexcept { return parts_->size; }
int Solver::equations() const noexcept { return constrained::equations(parts_->model); }

// -- saving --------------------------------------------------------------------------------------

namespace {

struct Counter {
  std::size_t bytes = 0;
  template <class T>
  void operator()(T* from, std::size_t count) noexcept {
    static_cast<void>(from);
    bytes += count * sizeof(T);
  }
};
struct Writer {
  std::byte* to;
  template <class T>
  void operator()(T* from, std::size_t count) noexcept {
    if (count == 0) return;
    std::memcpy(to, from, count * sizeof(T));
    to += count * sizeof(T);
  }
};
struct Reader {
  const std::byte* from;
  template <class T>
  void operator()(T* to, std::size_t count) noexcept {
    if (count == 0) return;
    std::memcpy(to, from, count * sizeof(T));
    from += count * sizeof(T);
  }
};

template <class Visit>
void visit_level(Level& l, Visit& visit) noexcept {
  visit(&l.time, 1);
  visit(&l.step, 1);
  visit(l.nodes.data(), l.nodes.size());
  for (auto* list : {&l.momenta, &l.momentum_rates, &l.values, &l.rates, &l.algebraic}) {
    visit(list->data(), list->size());
  }
}

/// Everything the future depends on. A step takes its Jacobian afresh, so that none is kept.
template <class Visit>
void visit_state(Solver::Parts& p, Visit& visit) noexcept {
  for (int i = 0; i < 4; ++i) visit_level(p.levels[p.order[i]], visit);
  visit_level(p.auxiliary, visit);
  visit(p.memory.data(), p.memory.size());
  visit(p.inputs.data(), p.inputs.size());
  visit(p.held_reactions.data(), p.held_reactions.size());
  visit(p.drive_states.data(), p.drive_states.size());
  visit(&p.past, 1);
  visit(&p.rates_valid, 1);
  visit(&p.force_reference, 1);
  visit(&p.moment_reference, 1);
  visit(&p.other_reference, 1);
  visit(&p.steps, 1);
  visit(&p.substep, 1);
  visit(&p.c, 1);
}

}  // namespace

std::size_t Solver::Parts::state_bytes() noexcept {
  Counter count;
  visit_state(*this, count);
  return count.bytes;
}

void Solver::Parts::save(std::byte* to) noexcept {
  Writer write{to};
  visit_state(*this, write);
}

void Solver::Parts::load(const std::byte* from) noexcept {
  Reader read{from};
  visit_state(*this, read);
  held_known = false;
  // an image may come from a file
  past = std::clamp(past, 0, 3);
  unsigned char valid = 0;
  std::memcpy(&valid, &rates_valid, sizeof valid);
  rates_valid = valid != 0;
}

std::size_t Solver::state_bytes() const noexcept { return parts_->state_bytes(); }

void Solver::save(std::span<std::byte> to) const noexcept {
  require(to.size() == state_bytes());
  parts_->save(to.data());
}

void Solver::load(std::span<const std::byte> from) noexcept {
  require(from.size() == state_bytes());
  parts_->load(from.data());
}

}  // namespace vernier::constrained
