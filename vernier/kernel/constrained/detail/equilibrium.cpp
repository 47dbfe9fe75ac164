#include <algorithm>
#include <cmath>

#include "vernier/kernel/constrained/detail/start.hpp"
#include "vernier/kernel/constrained/rotation.hpp"

// Static equilibrium: the residual without velocities, with loads increased in steps by the
// homotopy r(q) - (1 - s) r(q0), which needs no knowledge of elements. If Newton's method fails
// (mechanisms that can still move), relaxation takes over.
namespace vernier::constrained::detail {

namespace {

class Equilibrium {
 public:
  Equilibrium(Equations& equations, Level& level) : eq_(equations), p_(eq_.plan()), l_(level) {}

  void find(int load_steps) {
    start_ = residual();
    double reached = 0.0, by = 1.0 / std::max(load_steps, 1);
    const double least = by / 256.0;
    while (reached < 1.0) {
      const Level before = l_;
      const double next = std::min(1.0, reached + by);
      if (newton(next)) {
        reached = next;
        by *= 1.5;
      } else {
        l_ = before;
        by *= 0.5;
        if (by < least) break;
      }
    }
    if (reached < 1.0 && !relax()) {
      std::vector<std::string> names{p_.row_name(worst_)};
      throw AssemblyProblem(AssemblyProblem::Kind::no_equilibrium,
                            "no rest was found; the largest residual is in the " + names[0], names,
                            last_);
    }
  }

 private:
  bool balances(int row) const {
    return p_.kinds[row] == RowKind::force || p_.kinds[row] == RowKind::moment ||
           p_.kinds[row] == RowKind::coordinate;
  }

  std::vector<double> residual() {
    jacobian(eq_, l_, 0.0, r_);
    for (int i = 0; i < p_.node_count; ++i) {
      const NodePlan& plan = p_.nodes[i];
      const Vector3 F = p_.model.gravity * plan.mass;
      const Vector3 M = cross(l_.nodes[i].R * plan.moment, p_.model.gravity);
      const double* u = eq_.work().held.rates.data() + 6 * i;
      const double f[6] = {F.x + u[0], F.y + u[1], F.z + u[2], M.x + u[3], M.y + u[4], M.z + u[5]};
      for (int k = 0; k < 6; ++k) {
        r_[6 * i + k] -= f[k];
        reference_ = std::max(reference_, std::abs(f[k]) / (k < 3 ? 1.0 : p_.scales.length));
      }
    }
    for (int i = 0; i < 6 * p_.node_count; ++i) {
      reference_ = std::max(reference_, std::abs(r_[i]) / (i % 6 < 3 ? 1.0 : p_.scales.length));
    }
    return {r_.begin(), r_.begin() + p_.size};
  }

  /// The largest residual: forces, moments divided by the length, and constraints unscaled.
  double size_of(const std::vector<double>& r) {
    double most = 0.0;
    for (int i = 0; i < p_.size; ++i) {
      double s = std::abs(r[i]);
      if (p_.kinds[i] == RowKind::force) s /= reference_ + 1e-300;
      if (p_.kinds[i] == RowKind::moment) s /= reference_ * p_.scales.length + 1e-300;
      if (p_.kinds[i] == RowKind::constraint) s /= p_.scales.length;
      if (!(s <= most)) {
        most = std::isfinite(s) ? s : 1e300;
        worst_ = i;
      }
    }
    return most;
  }

  /// ∂r/∂q including gravity; `stiff` is added to the diagonal of positions.
  std::vector<Triplet> stiffness(double stiff) {
    std::vector<double> unused;
    std::vector<Triplet> all = jacobian(eq_, l_, 1.0, unused);
    for (Triplet t : jacobian(eq_, l_, 0.0, unused)) {
      // Unknowns without rates are in both; for the others the part by the rate is removed.
      if (p_.algebraic_of[t.column] >= 0) continue;
      t.value = -t.value;
      all.push_back(t);
    }
    for (int i = 0; i < p_.node_count; ++i) {
      const Matrix3 K = skew(p_.model.gravity) * skew(l_.nodes[i].R * p_.nodes[i].moment);
      for (int k = 0; k < 9; ++k) {
        all.push_back({6 * i + 3 + k / 3, 6 * i + 3 + k % 3, -K.a[k]});
      }
      for (int k = 0; k < 6; ++k) {
        const double arm = k < 3 ? 1.0 : p_.scales.length * p_.scales.length;
        all.push_back({6 * i + k, 6 * i + k, stiff * arm});
      }
    }
    for (const int v : p_.coordinate_values) {
      all.push_back({p_.value_columns[v], p_.value_columns[v], stiff});
    }
    return all;
  }

  /// Moves by -d with limited rotations. Returns the distance relative to the length of the model.
  double move(const std::vector<double>& d) {
    double most = 0.0;
    for (int i = 0; i < 6 * p_.node_count; ++i) {
      most = std::max(most, std::abs(d[i]) / (i % 6 < 3 ? p_.scales.length : 1.0));
    }
    const double s = most > 0.3 ? 0.3 / most : 1.0;
    for (int i = 0; i < p_.node_count; ++i) {
      const double* e = d.data() + 6 * i;
      NodeState& n = l_.nodes[i];
      n.x -= Vector3{e[0], e[1], e[2]} * s;
      n.R = renormalized(rotation(Vector3{e[3], e[4], e[5]} * -s) * n.R);
    }
    for (int i = 0; i < p_.size; ++i) {
      if (p_.value_of[i] >= 0) l_.values[p_.value_of[i]] -= s * d[i];
      // Multipliers enter linearly: apply their full correction.
      if (p_.algebraic_of[i] >= 0) l_.algebraic[p_.algebraic_of[i]] -= d[i];
    }
    return most;
  }

  bool newton(double loads) {
    double before = 1e300;
    for (int iteration = 0; iteration < 40; ++iteration) {
      std::vector<double> b = residual();
      for (int i = 0; i < p_.size; ++i) {
        if (balances(i)) b[i] -= (1.0 - loads) * start_[i];
      }
      last_ = size_of(b);
      if (last_ <= enough || (last_ < 1e-7 && last_ > 0.5 * before)) return true;
      if (!(last_ < 1e6)) return false;
      before = last_;
      std::vector<int> bad;
      if (!solve_once(p_.size, stiffness(0.0), b, bad)) return false;
      // Farther than any load step should lead.
      if (move(b) > 10.0) return false;
    }
    return false;
  }

  /// Springs hold every node at its current position and fade with the residual; this finds a
  /// stable equilibrium.
  bool relax() {
    std::vector<double> b = residual();
    last_ = size_of(b);
    double stiff = 10.0 * reference_ / p_.scales.length * std::max(last_, 1e-3), before = last_;
    for (int iteration = 0; iteration < 2000; ++iteration) {
      if (last_ <= enough || (last_ < 1e-7 && last_ > 0.9 * before && stiff == 0.0)) return true;
      before = last_;
      std::vector<int> bad;
      std::vector<double> d = b;
      const Level at = l_;
      if (!solve_once(p_.size, stiffness(stiff), d, bad)) {
        stiff = std::max(4.0 * stiff, 1e-6 * reference_ / p_.scales.length);
        continue;
      }
      move(d);
      b = residual();
      last_ = size_of(b);
      if (!(last_ < 4.0 * before)) {
        l_ = at;
        b = residual();
        last_ = before;
        stiff *= 4.0;
        continue;
      }
      stiff *= std::clamp(last_ / before, 0.1, 1.5);
    }
    return false;
  }

  static constexpr double enough = 1e-11;
  Equations& eq_;
  const MechanismLayout& p_;
  Level& l_;
  std::vector<double> r_, start_;
  double reference_ = 0.0, last_ = 0.0;
  int worst_ = -1;
};

}  // namespace

void Start::find_rest(int load_steps) {
  Level& l = state_.history[0];
  for (NodeState& n : l.nodes) n.v = n.omega = {};
  std::fill(l.rates.begin(), l.rates.end(), 0.0);
  assemble_mechanism();
  eq_.hold(0.0);
  eq_.set_drives(l.time);
  eq_.clear_turns();
  Equilibrium(eq_, l).find(load_steps);
  begin_memory();
}

}  // namespace vernier::constrained::detail
