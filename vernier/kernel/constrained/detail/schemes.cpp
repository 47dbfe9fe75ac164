#include <algorithm>
#include <cmath>

#include "vernier/kernel/constrained/detail/step.hpp"
#include "vernier/kernel/constrained/rotation.hpp"

// Every scheme in the form y_k = c y'_k + history (docs/mathematics/constrained.md, section 6).
// Coefficients: Masarati, Lanz, Mantegazza, "Multistep integration of ordinary, stiff and
// differential-algebraic problems" (two steps, variable); k-step formulas with all roots of σ at -ρ
// and the flattest damping at low frequency; Chung and Hulbert (generalized-α), Jansen, Whiting and
// Hulbert (its first-order form); Bathe's composite scheme with ρ; Kennedy and Carpenter (ESDIRK).
namespace vernier::constrained::detail {

namespace {

constexpr double sdirk2_gamma = 0.29289321881345254;  // 1 - 1/√2

/// An explicit first stage, then three implicit ones at 2γ, 3/5 and 1: order 3, stage order 2,
/// L-stable (ESDIRK3(2)4L[2]SA of Kennedy and Carpenter). The stage order preserves order 3 for
/// constrained motion.
struct Esdirk {
  double gamma = 0.4358665215084590, c2 = 2.0 * gamma, c3 = 0.6;
  double a32 = c3 * (c3 - c2) / (2.0 * c2), a31 = c3 - gamma - a32;
  double b3 = ((1.0 / 3.0 - gamma) - c2 * (0.5 - gamma)) / (c3 * (c3 - c2));
  double b2 = (0.5 - gamma - b3 * c3) / c2, b1 = 1.0 - gamma - b2 - b3;
};
constexpr Esdirk esdirk;

bool same_step(double a, double b) { return std::abs(a - b) <= 1e-9 * b; }

struct Alpha {
  double m, f, gamma;
};
Alpha first_order_alpha(double rho) {
  const double m = 0.5 * (3.0 - rho) / (1.0 + rho), f = 1.0 / (1.0 + rho);
  return {m, f, 0.5 + m - f};
}
struct SecondAlpha {
  double m, f, gamma, beta;
};
SecondAlpha second_order_alpha(double rho) {
  const double m = (2.0 * rho - 1.0) / (1.0 + rho), f = rho / (1.0 + rho), gamma = 0.5 + f - m;
  return {m, f, gamma, 0.25 * (gamma + 0.5) * (gamma + 0.5)};
}
double composite_gamma(double rho) {
  return rho > 1.0 - 1e-8 ? 0.25 : (2.0 - std::sqrt(2.0 + 2.0 * rho)) / (2.0 * (1.0 - rho));
}

Cubic cubic(double alpha, double h) {
  return {-6.0 * alpha * alpha * (1.0 + alpha) / h, 1.0 + 4.0 * alpha + 3.0 * alpha * alpha,
          alpha * (2.0 + 3.0 * alpha)};
}

/// CGR parameters and their rates relative to R.
void relative(const NodeState& n, const Matrix3& R, Vector3& g, Vector3& rate) noexcept {
  g = cgr_vector(times_transposed(n.R, R));
  rate = cgr_inverse_tangent_times(g, n.omega);
}

}  // namespace

bool Formula::uses(const Level* level) const noexcept {
  for (int j = 0; j < count; ++j) {
    if (terms[j].level == level) return true;
  }
  return false;
}

Method Step::choose_method(Care care) const noexcept {
  // After a jump only the values are known.
  if (!state_.rates_valid) return Method::sdirk2;
  if (care != Care::usual) return Method::esdirk3;
  const auto equal = [&](int n) {
    for (int i = 0; i < n; ++i) {
      if (!same_step(state_.history[i].step, h_)) return false;
    }
    return true;
  };
  switch (plan_.settings.scheme) {
    case Scheme::trapezoid:
      return Method::trapezoid;
    case Scheme::generalized_alpha:
      return Method::alpha;
    case Scheme::generalized_alpha_second:
      return Method::alpha_second;
    case Scheme::composite:
      return Method::composite;
    case Scheme::sdirk3:
      return Method::esdirk3;
    case Scheme::multistep4:
      if (state_.past >= 3 && equal(3)) return Method::multistep4;
      break;
    case Scheme::multistep3:
      if (state_.past >= 2 && equal(2)) return Method::multistep3;
      break;
    default:
      break;
  }
  return state_.past >= 1 ? Method::multistep2 : Method::trapezoid;
}

Formula Step::formula(int stage) const noexcept {
  Formula f;
  f.last = &state_.history[0];
  f.before = state_.past >= 1 ? &state_.history[1] : nullptr;
  switch (method_) {
    case Method::multistep2:
    case Method::multistep3:
    case Method::multistep4:
      set_multistep(f);
      break;
    case Method::trapezoid:
      f.set_c(0.5 * h_);
      f.add(state_.history[0], 1.0, 0.5 * h_);
      break;
    case Method::alpha:
    case Method::alpha_second:
      set_alpha(f);
      break;
    case Method::composite:
    case Method::sdirk2:
    case Method::esdirk3:
      set_stage(f, stage);
      break;
  }
  if (stage > 0) {
    f.last = &work_.stages[0];
    f.before = &state_.history[0];
  }
  if (careful_ && stage == 0) f.before = nullptr;
  return f;
}

void Step::set_multistep(Formula& f) const noexcept {
  const double r = plan_.settings.rho, h = h_;
  const Level &one = state_.history[0], &two = state_.history[1], &three = state_.history[2];
  if (method_ == Method::multistep2) {
    const double al = h / one.step;
    const double b0 = (1.0 + al) / (2.0 * al + 1.0 + 2.0 * r - r * r);
    const double a2 = al * (b0 * (1.0 + r) * (1.0 + r) - 1.0);
    f.set_c(b0 * h);
    f.add(one, 1.0 - a2, 2.0 * r * b0 * h);
    f.add(two, a2, r * r * b0 * h);
  } else if (method_ == Method::multistep3) {
    const double D = r * r - 5.0 * r + 10.0, b = 6.0 * h / ((1.0 + r) * D);
    f.set_c(b);
    f.add(one, 3.0 * (2.0 * r * r - 9.0 * r + 5.0) / D, 3.0 * r * b);
    f.add(two, -3.0 * (5.0 * r * r - 9.0 * r + 2.0) / D, 3.0 * r * r * b);
    f.add(three, (10.0 * r * r - 5.0 * r + 1.0) / D, r * r * r * b);
  } else {
    const double r2 = r * r, r3 = r2 * r, D = -r3 + 7.0 * r2 - 21.0 * r + 35.0;
    const double b = 20.0 * h / ((1.0 + r) * D);
    f.set_c(b);
    f.add(one, 4.0 * (-2.0 * r3 + 13.0 * r2 - 35.0 * r + 14.0) / D, 4.0 * r * b);
    f.add(two, -4.0 * (1.0 - r) * (7.0 * r2 - 34.0 * r + 7.0) / D, 6.0 * r2 * b);
    f.add(three, -4.0 * (14.0 * r3 - 35.0 * r2 + 13.0 * r - 2.0) / D, 4.0 * r3 * b);
    f.add(state_.history[3], (35.0 * r3 - 21.0 * r2 + 7.0 * r - 1.0) / D, r2 * r2 * b);
  }
}

void Step::set_alpha(Formula& f) const noexcept {
  const double h = h_;
  const Level &one = state_.history[0], &auxiliary = state_.auxiliary;
  if (method_ == Method::alpha) {
    // x_k = x + h ((1-γ) a + γ a_k), a_k = (α_f x'_k + (1-α_f) x' - (1-α_m) a) / α_m
    const auto [am, af, gamma] = first_order_alpha(plan_.settings.rho);
    f.set_c(h * gamma * af / am);
    f.add(one, 1.0, h * gamma * (1.0 - af) / am);
    f.add(auxiliary, 0.0, h * (1.0 - gamma - gamma * (1.0 - am) / am));
    return;
  }
  // q_k = q + h q' + h² ((½-β) a + β a_k), q'_k = q' + h ((1-γ) a + γ a_k);
  // p_k = p + h ((1-γ) A + γ A_k), (1-α_m) A_k + α_m A = (1-α_f) p'_k + α_f p'
  const auto [am, af, gamma, beta] = second_order_alpha(plan_.settings.rho);
  f.c = h * beta / gamma;
  f.c_momentum = h * gamma * (1.0 - af) / (1.0 - am);
  f.terms[f.count++] = {&one, 1.0, h * (1.0 - beta / gamma), 1.0, h * gamma * af / (1.0 - am)};
  f.terms[f.count++] = {&auxiliary, 0.0, h * h * (0.5 - beta / gamma), 0.0,
                        h * (1.0 - gamma - gamma * am / (1.0 - am))};
}

void Step::set_stage(Formula& f, int stage) const noexcept {
  const double h = h_;
  const Level& one = state_.history[0];
  const auto& stages = work_.stages;
  if (method_ == Method::composite) {
    const double g = composite_gamma(plan_.settings.rho);
    f.set_c(g * h);
    if (stage == 0) {
      f.fraction = 2.0 * g;
      f.add(one, 1.0, g * h);
    } else {
      const double q1 = (1.0 - 2.0 * g) / (4.0 * g);
      f.add(one, 1.0, (1.0 - g - q1) * h);
      f.add(stages[0], 0.0, q1 * h);
    }
  } else if (method_ == Method::sdirk2) {
    const double g = sdirk2_gamma;
    f.set_c(g * h);
    f.add(one, 1.0, 0.0);
    if (stage == 0) f.fraction = g;
    if (stage == 1) f.add(stages[0], 0.0, (1.0 - g) * h);
  } else {
    const Esdirk& e = esdirk;
    f.set_c(e.gamma * h);
    if (stage == 0) {
      f.fraction = e.c2;
      f.add(one, 1.0, e.gamma * h);
    } else if (stage == 1) {
      f.fraction = e.c3;
      f.add(one, 1.0, e.a31 * h);
      f.add(stages[0], 0.0, e.a32 * h);
    } else {
      f.add(one, 1.0, e.b1 * h);
      f.add(stages[0], 0.0, e.b2 * h);
      f.add(stages[1], 0.0, e.b3 * h);
    }
  }
}

void Step::predict(const Formula& f, Level& to) noexcept {
  const Level& base = state_.history[0];
  to.time = base.time + f.fraction * h_;
  to.step = h_;
  const double ahead = to.time - f.last->time;
  Cubic k{0.0, 1.0, 0.0};
  if (f.before) k = cubic(ahead / (f.last->time - f.before->time), ahead);
  predict_nodes(f, k, to);
  predict_values(f, k, to);
  to.algebraic = f.last->algebraic;
}

/// Rotations as CGR parameters relative to the start of the step.
void Step::predict_nodes(const Formula& f, const Cubic& k, Level& to) noexcept {
  const Level& base = state_.history[0];
  const bool take_last = f.last != &base && !f.uses(f.last);
  const bool take_before = f.before && f.before != &base && !f.uses(f.before);
  for (int i = 0; i < plan_.node_count; ++i) {
    const NodeState& reference = base.nodes[i];
    Vector3 x{}, g{};
    Vector3 g_last{}, rate_last = reference.omega, g_before{}, rate_before{};
    for (int j = 0; j < f.count; ++j) {
      const Formula::Term& t = f.terms[j];
      const NodeState& n = t.level->nodes[i];
      if (t.value != 0.0) x = plus_times(x, n.x, t.value);
      x = plus_times(x, n.v, t.rate);
      if (t.level == &base) {
        g = plus_times(g, reference.omega, t.rate);
      } else if (t.level == &state_.auxiliary) {
        g = plus_times(g, n.omega, t.rate);
      } else {
        Vector3 gj, rj;
        relative(n, reference.R, gj, rj);
        g = plus_times(plus_times(g, gj, t.value), rj, t.rate);
        if (t.level == f.last) g_last = gj, rate_last = rj;
        if (t.level == f.before) g_before = gj, rate_before = rj;
      }
    }
    const NodeState& last = f.last->nodes[i];
    Vector3 v = last.v, rate = rate_last;
    if (f.before) {
      const NodeState& before = f.before->nodes[i];
      // Computed here if the formula did not need it.
      if (take_last) relative(last, reference.R, g_last, rate_last);
      if (f.before == &base) {
        rate_before = reference.omega;
      } else if (take_before) {
        relative(before, reference.R, g_before, rate_before);
      }
      v = plus_times(plus_times((last.x - before.x) * k.difference, last.v, k.last), before.v,
                     k.before);
      rate = plus_times(plus_times((g_last - g_before) * k.difference, rate_last, k.last),
                        rate_before, k.before);
    }
    work_.nodes[i].start(x, g, rate);
    NodeState& n = to.nodes[i];
    n.v = v;
    n.x = plus_times(x, v, f.c);
    g = plus_times(g, rate, f.c);
    n.R = cgr_rotation(g) * reference.R;
    n.omega = cgr_tangent_times(g, rate);
  }
}

void Step::predict_values(const Formula& f, const Cubic& k, Level& to) noexcept {
  std::vector<double>& momenta = work_.momentum_history;
  for (std::size_t i = 0; i < momenta.size(); ++i) {
    double sum = 0.0;
    for (int j = 0; j < f.count; ++j) {
      const Formula::Term& t = f.terms[j];
      sum += t.momentum_value * t.level->momenta[i] + t.momentum_rate * t.level->momentum_rates[i];
    }
    momenta[i] = sum;
  }
  std::vector<double>& values = work_.value_history;
  for (std::size_t i = 0; i < values.size(); ++i) {
    double sum = 0.0;
    for (int j = 0; j < f.count; ++j) {
      const Formula::Term& t = f.terms[j];
      sum += t.value * t.level->values[i] + t.rate * t.level->rates[i];
    }
    values[i] = sum;
    double rate = f.last->rates[i];
    if (f.before) {
      rate = k.difference * (f.last->values[i] - f.before->values[i]) + k.last * rate +
             k.before * f.before->rates[i];
    }
    to.rates[i] = rate;
    to.values[i] = sum + f.c * rate;
  }
}

void Step::advance_auxiliary(State& s) noexcept {
  if (method_ != Method::alpha && method_ != Method::alpha_second) {
    start_auxiliary(plan_, s, work_);
    return;
  }
  const Level &from = s.history[1], &to = s.history[0];
  Level& auxiliary = s.auxiliary;
  // a_k = own a + new y'_k + old y'_{k-1}
  double own, now, old, own_p, now_p, old_p;
  if (method_ == Method::alpha) {
    const auto [am, af, gamma] = first_order_alpha(plan_.settings.rho);
    own = own_p = -(1.0 - am) / am;
    now = now_p = af / am;
    old = old_p = (1.0 - af) / am;
  } else {
    const auto [am, af, gamma, beta] = second_order_alpha(plan_.settings.rho);
    own = -(1.0 - gamma) / gamma;
    now = 1.0 / (h_ * gamma);
    old = -now;
    own_p = -am / (1.0 - am);
    now_p = (1.0 - af) / (1.0 - am);
    old_p = af / (1.0 - am);
  }
  for (int i = 0; i < plan_.node_count; ++i) {
    const NodeState &a = from.nodes[i], &b = to.nodes[i];
    NodeState& x = auxiliary.nodes[i];
    x.v = x.v * own + b.v * now + a.v * old;
    Vector3 g, rate;
    relative(b, a.R, g, rate);
    const Vector3 sum = x.omega * own + rate * now + a.omega * old;
    // From here on, parameters are relative to the new orientation.
    x.omega = cgr_tangent_times(g, sum);
    if (method_ == Method::alpha_second) {
      const double q = 4.0 + dot(g, g);
      x.omega += plus_times(rate, cross(g, rate), 0.5) * (-8.0 * dot(g, rate) / (q * q));
    }
  }
  for (std::size_t i = 0; i < auxiliary.rates.size(); ++i) {
    auxiliary.rates[i] = own * auxiliary.rates[i] + now * to.rates[i] + old * from.rates[i];
  }
  for (std::size_t i = 0; i < auxiliary.momentum_rates.size(); ++i) {
    auxiliary.momentum_rates[i] = own_p * auxiliary.momentum_rates[i] +
                                  now_p * to.momentum_rates[i] + old_p * from.momentum_rates[i];
  }
}

void start_auxiliary(const MechanismLayout& plan, State& s, Scratch& work) noexcept {
  const Level& l = s.history[0];
  Level& auxiliary = s.auxiliary;
  const bool second = plan.settings.scheme == Scheme::generalized_alpha_second;
  if (second) Equations(plan, s, work).find_accelerations();
  for (int i = 0; i < plan.node_count; ++i) {
    NodeState& x = auxiliary.nodes[i];
    x.v = second ? work.accelerations[i].linear : l.nodes[i].v;
    x.omega = second ? work.accelerations[i].angular : l.nodes[i].omega;
  }
  for (std::size_t i = 0; i < auxiliary.rates.size(); ++i) {
    auxiliary.rates[i] = second ? 0.0 : l.rates[i];
  }
  auxiliary.momentum_rates = l.momentum_rates;
}

}  // namespace vernier::constrained::detail
