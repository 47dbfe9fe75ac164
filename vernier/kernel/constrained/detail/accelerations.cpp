#include <algorithm>
#include <cmath>

#include "vernier/kernel/constrained/detail/start.hpp"
#include "vernier/kernel/constrained/rotation.hpp"

namespace vernier::constrained::detail {

namespace {

/// The state `by` seconds later without accelerations.
void drift_on(const MechanismLayout& p, const Level& from, double by, Level& to) {
  to.time = from.time + by;
  for (int i = 0; i < p.node_count; ++i) {
    const NodeState& n = from.nodes[i];
    to.nodes[i].x = plus_times(n.x, n.v, by);
    to.nodes[i].R = rotation(n.omega * by) * n.R;
  }
  for (const int v : p.coordinate_values) to.values[v] = from.values[v] + by * from.rates[v];
}

/// Rates of momenta without accelerations (gyroscopic terms).
std::vector<double> gyroscopic(Equations& eq, const Level& l) {
  const MechanismLayout& p = eq.plan();
  std::vector<double> rates(l.momenta.size(), 0.0);
  if (!p.inertial.empty()) {
    double fastest = 1e-3;
    for (int i = 0; i < p.node_count; ++i) {
      const auto& [x, R, v, w] = l.nodes[i];
      fastest = std::max({fastest, std::sqrt(dot(w, w)), std::sqrt(dot(v, v)) / p.scales.length});
    }
    for (const int v : p.coordinate_values) fastest = std::max(fastest, std::abs(l.rates[v]));
    const double e = 3e-3 / fastest;
    Level moved = l;
    for (const auto& [by, factor] :
         {std::pair(1.0, 8.0), std::pair(-1.0, -8.0), std::pair(2.0, -1.0), std::pair(-2.0, 1.0)}) {
      drift_on(p, l, by * e, moved);
      eq.set_momenta(moved);
      for (std::size_t i = 0; i < rates.size(); ++i) {
        rates[i] += factor / (12.0 * e) * moved.momenta[i];
      }
    }
  }
  // Rigid bodies: exact.
  for (int i = 0; i < p.node_count; ++i) {
    const NodePlan& plan = p.nodes[i];
    const bool alone = std::none_of(p.inertial.begin(), p.inertial.end(), [&](int e) {
      const auto& nodes = p.elements[e].element->shape().nodes;
      return std::find(nodes.begin(), nodes.end(), i) != nodes.end();
    });
    if (!alone || !plan.dynamic) continue;
    const auto& [x, R, v, w] = l.nodes[i];
    const Vector3 s = R * plan.moment, Jw = rotated(R, plan.inertia) * w;
    const Vector3 ws = cross(w, s), b = cross(w, ws), g = cross(ws, v) + cross(w, Jw);
    const double d[6] = {b.x, b.y, b.z, g.x, g.y, g.z};
    std::copy_n(d, 6, rates.data() + 6 * i);
  }
  return rates;
}

/// Solves for what the equations determine at given positions and velocities: accelerations,
/// reactions, and for first-order unknowns their rates where these occur, otherwise their values.
/// This is [M Φ_qᵀ; Φ_q 0][a; λ] of docs/mathematics/constrained.md, section 7.
class Accelerations {
 public:
  /// Solves for `level`, which has positions and velocities. `held` is the contribution of held
  /// inputs to the rates of momenta.
  Accelerations(Equations& equations, Level& level, const std::vector<double>* held)
      : eq_(equations), p_(eq_.plan()), l_(level), n_(p_.size), held_(held) {
    free_rates_ = gyroscopic(eq_, l_);
    eq_.set_momenta(l_);
    masses_ = masses(eq_, l_);
    std::vector<double> rate;
    constraint_motions(eq_, l_, rate, drift_);
    mechanical_.assign(n_, 0);
    std::fill_n(mechanical_.begin(), 6 * p_.node_count, 1);
    for (const int v : p_.coordinate_values) mechanical_[p_.value_columns[v]] = 1;
    by_value_.assign(n_, 0);
    for (int i = 0; i < n_; ++i) by_value_[i] = !mechanical_[i] && p_.value_of[i] >= 0 ? 1 : 0;
    for (const Triplet& t : jacobian(eq_, l_, 0.0, residual_)) {
      if (t.value != 0.0) by_value_[t.column] = 0;
    }
    for (int i = 0; i < n_; ++i) {
      if (by_value_[i]) l_.rates[p_.value_of[i]] = 0.0;
    }
    a_.assign(n_, 0.0);
    b_.assign(n_, 0.0);
  }

  /// Newton's iteration; one step is enough if only accelerations and reactions are unknown.
  void find() {
    double before = 0.0;
    for (int iteration = 0;; ++iteration) {
      linearize();
      double most = 0.0;
      for (const double x : b_) most = larger(most, std::abs(x));
      if (!std::isfinite(most)) refuse_not_finite(p_, b_);
      if (most == 0.0 || (iteration > 0 && (most <= 1e-14 * before || iteration == 30))) return;
      before = std::max(before, most);
      std::vector<int> bad;
      if (!solve_once(n_, matrix_, b_, bad)) {
        std::vector<std::string> names;
        for (const int row : bad) names.push_back(p_.row_name(row));
        throw AssemblyProblem(AssemblyProblem::Kind::singular,
                              "accelerations and reactions are not determined", names, 0.0);
      }
      if (!correct()) return;
    }
  }

  void set_momentum_rates() {
    std::vector<double> Ma(n_, 0.0);
    for (const Triplet& t : masses_) Ma[t.row] += t.value * a_[t.column];
    const int nodes_end = 6 * p_.node_count;
    for (int i = 0; i < nodes_end; ++i) {
      const NodePlan& plan = p_.nodes[i / 6];
      l_.momentum_rates[i] = plan.dynamic || plan.coupled ? free_rates_[i] + Ma[i] : 0.0;
    }
    for (int i = 0; i < p_.coordinate_count; ++i) {
      const int row = p_.value_columns[p_.coordinate_values[i]];
      l_.momentum_rates[nodes_end + i] = free_rates_[nodes_end + i] + Ma[row];
    }
  }

 private:
  bool constraint(int row) const { return p_.kinds[row] == RowKind::constraint; }

  /// Residual b and matrix at the current iterate.
  void linearize() {
    std::vector<double> unused;
    const std::vector<Triplet> J0 = jacobian(eq_, l_, 0.0, residual_);
    const std::vector<Triplet> J1 = jacobian(eq_, l_, 1.0, unused);
    for (int i = 0; i < n_; ++i) b_[i] = constraint(i) ? drift_[i] : residual_[i];
    add_loads();
    matrix_ = masses_;
    for (const Triplet& t : masses_) b_[t.row] += t.value * a_[t.column];
    for (const Triplet& t : J0) {
      if (!mechanical_[t.column] && !constraint(t.row) && !by_value_[t.column])
        matrix_.push_back(t);
    }
    // The part by values: J1 - J0.
    for (const Triplet& t : J1) {
      if (constraint(t.row)) {
        if (!mechanical_[t.column]) continue;
        matrix_.push_back(t);
        b_[t.row] += t.value * a_[t.column];
      } else if (by_value_[t.column]) {
        matrix_.push_back(t);
      }
    }
    for (const Triplet& t : J0) {
      if (!constraint(t.row) && by_value_[t.column]) matrix_.push_back({t.row, t.column, -t.value});
    }
  }

  /// Gyroscopic terms, gravity and held inputs.
  void add_loads() {
    for (int i = 0; i < p_.node_count; ++i) {
      const double* P = l_.momenta.data() + 6 * i;
      const Vector3 vb = cross(l_.nodes[i].v, {P[0], P[1], P[2]});
      Vector3 F = p_.model.gravity * p_.nodes[i].mass;
      Vector3 T = cross(l_.nodes[i].R * p_.nodes[i].moment, p_.model.gravity) - vb;
      if (held_) {
        const double* u = held_->data() + 6 * i;
        F += Vector3{u[0], u[1], u[2]};
        T += Vector3{u[3], u[4], u[5]};
      }
      const double f[6] = {F.x, F.y, F.z, T.x, T.y, T.z};
      for (int k = 0; k < 6; ++k) b_[6 * i + k] += free_rates_[6 * i + k] - f[k];
    }
    for (int i = 0; i < p_.coordinate_count; ++i) {
      b_[p_.value_columns[p_.coordinate_values[i]]] += free_rates_[6 * p_.node_count + i];
    }
  }

  /// Subtracts the solution b. Returns whether the change exceeds rounding.
  bool correct() {
    double change = 0.0, unknown = 0.0;
    for (int i = 0; i < n_; ++i) {
      double* to = &a_[i];
      if (p_.algebraic_of[i] >= 0) {
        to = &l_.algebraic[p_.algebraic_of[i]];
      } else if (!mechanical_[i]) {
        to = by_value_[i] ? &l_.values[p_.value_of[i]] : &l_.rates[p_.value_of[i]];
      }
      *to -= b_[i];
      change = std::max(change, std::abs(b_[i]));
      unknown = std::max(unknown, std::abs(*to));
    }
    return change > 1e-13 * unknown;
  }

  Equations& eq_;
  const MechanismLayout& p_;
  Level& l_;
  int n_;
  const std::vector<double>* held_;
  std::vector<double> free_rates_, drift_, residual_;
  std::vector<Triplet> masses_, matrix_;
  std::vector<char> mechanical_,
      by_value_;               // columns of positions; columns whose value is the unknown
  std::vector<double> a_, b_;  // accelerations, in the columns of positions
};

}  // namespace

void Start::find_accelerations() {
  Level& l = state_.history[0];
  HeldWork& held = work_.held;
  eq_.hold(0.0);
  if (plan_.held.empty()) {
    solve_accelerations(nullptr);
    return;
  }
  // The effect of held inputs on the reactions.
  solve_accelerations(nullptr);
  held.reactions = l.algebraic;
  solve_accelerations(&held.rates);
  for (std::size_t i = 0; i < l.algebraic.size(); ++i) {
    held.reactions[i] = l.algebraic[i] - held.reactions[i];
  }
  for (const ElementPlan& plan : plan_.elements) {
    for (int i = plan.holonomic; i < plan.algebraic_count; ++i) {
      held.reactions[plan.algebraic + i] = 0.0;
    }
  }
  if (!plan_.settings.split_impulses) return;
  eq_.take_reactions();
  eq_.add_impulses(l.momentum_rates, -1.0);
  state_.held_reactions = held.reactions;
}

void Start::solve_accelerations(const std::vector<double>* held) {
  Level& l = state_.history[0];
  eq_.clear_turns();
  eq_.set_momenta(l);
  eq_.set_drives(l.time);
  Accelerations now(eq_, l, held);
  now.find();
  now.set_momentum_rates();
}

}  // namespace vernier::constrained::detail
