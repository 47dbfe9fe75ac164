#include "vernier/model/multibody_tree/system.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "vernier/kernel/elementary/elementary.hpp"
#include "vernier/kernel/multibody/spacecraft_lanes.hpp"
#include "vernier/kernel/multibody/tangent.hpp"
#include "vernier/model/multibody_tree/detail/signals.hpp"

namespace vernier::multibody_tree {

namespace {

using hybrid::Point;
using hybrid::Workspace;
using multibody::Solution;
using multibody::SpacecraftEvaluation;

/// Derivatives at the last point for which they were requested. They depend on that point alone, so
/// repeated requests for the same point (integrators ask direction by direction) reuse them.
struct Slopes {
  explicit Slopes(const multibody::Spacecraft& craft) : tangent(craft) {}

  multibody::SpacecraftTangent tangent;
  std::vector<double> x, u, p;
  std::vector<int> mode;
  bool known = false, good = false, observed = false;
};

/// Eight points.
struct Eight {
  Eight(const multibody::Spacecraft& craft, std::size_t inputs)
      : states(craft),
        force(hybrid::lanes * craft.tree().speeds()),
        acceleration(force.size()),
        rates(force.size()),
        momentum(hybrid::lanes * craft.model().rotors.size()),
        fuel(hybrid::lanes * craft.model().tanks.size()),
        u(hybrid::lanes * inputs) {}

  multibody::SpacecraftLanes states;
  std::vector<double> force, acceleration, rates, momentum, fuel, u;
};

/// Every call places the evaluation again: results must not depend on the previous call, not even
/// in the last bit.
struct Space final : Workspace {
  Space(const hybrid::SystemSpec& spec, const multibody::Spacecraft& craft, bool in_lanes)
      : Workspace(spec), evaluation(craft), slopes(craft) {
    slopes.x.resize(hybrid::size(spec.states));
    slopes.u.resize(hybrid::size(spec.inputs));
    slopes.p.resize(hybrid::size(spec.parameters));
    slopes.mode.resize(spec.automata.size());
    if (in_lanes) eight.emplace(craft, hybrid::size(spec.inputs));
  }
  SpacecraftEvaluation evaluation;
  Slopes slopes;
  std::optional<Eight> eight;
};

Space& space(Workspace& w) noexcept { return static_cast<Space&>(w); }
SpacecraftEvaluation& evaluation(Workspace& w) noexcept { return space(w).evaluation; }

}  // namespace

struct MultibodySystem::Data {
  Data(multibody::Spacecraft c, const Options& o)
      : craft(std::move(c)), signals(detail::signals_of(craft, o.held, o.reactions)) {
    const auto& bodies = craft.model().tree.bodies;
    for (std::size_t b = 0; b < bodies.size(); ++b) {
      const multibody::Block block = craft.tree().block(static_cast<int>(b));
      for (std::size_t i = 0; i < block.modes; ++i)
        ranges.push_back({block.q + block.coordinates + i,
                          multibody::modal_bound(bodies[b].inertia, *bodies[b].modes, i), b, i});
    }
  }

  /// The range of validity of a modal coordinate: |x[state]| <= bound.
  struct Range {
    std::size_t state;
    double bound;
    std::size_t body, mode;
  };
  /// The first coordinate outside its range, or null. x has `stride` numbers of each state.
  const Range* left(const double* x, std::size_t stride = 1) const noexcept {
    for (const Range& r : ranges)
      if (std::abs(x[stride * r.state]) > r.bound) return &r;
    return nullptr;
  }

  /// The parts of the working memory of a call.
  struct Work {
    std::span<double> force, acceleration, rates, tau;  // by speed
    std::span<std::uint8_t> prescribed, locked;
  };
  Work divide(Workspace& w) const noexcept {
    const std::size_t nu = craft.tree().speeds();
    const std::span<double> s = w.doubles();
    auto* bytes = reinterpret_cast<std::uint8_t*>(s.data() + 4 * nu);
    return {s.subspan(0, nu),      s.subspan(nu, nu), s.subspan(2 * nu, nu),
            s.subspan(3 * nu, nu), {bytes, nu},       {bytes + nu, nu}};
  }

  multibody::Spacecraft::State state(const Point& p) const noexcept {
    const std::span<const double> x = p.x;
    return {x.subspan(0, signals.u), x.subspan(signals.u, signals.momentum - signals.u),
            x.subspan(signals.momentum, signals.fuel - signals.momentum),
            x.subspan(signals.fuel, signals.states - signals.fuel), p.p};
  }

  void place(const Point& p, SpacecraftEvaluation& e) const noexcept { craft.place(state(p), e); }

  multibody::Spacecraft::Commands commands(const Point& p, const Work& w) const noexcept {
    std::fill(w.force.begin(), w.force.end(), 0.0);
    std::fill(w.acceleration.begin(), w.acceleration.end(), 0.0);
    std::fill(w.prescribed.begin(), w.prescribed.end(), std::uint8_t{0});
    const double* force = p.u.data();
    const double* acceleration = p.u.data() + signals.accelerations;
    for (std::size_t k = 0; k < signals.dofs.size(); ++k) {
      const std::size_t at = signals.dofs[k].speed;
      w.force[at] = force[k];
      w.prescribed[at] = p.mode[k] != detail::regular;
      if (p.mode[k] == detail::prescribed) w.acceleration[at] = acceleration[k];
    }
    return {w.force, w.acceleration, w.prescribed,
            p.u.subspan(signals.commands, signals.torques - signals.commands),
            p.u.subspan(signals.torques)};
  }
  Solution accelerate(const Point& p, const Work& w, std::span<double> momentum,
                      std::span<double> fuel, SpacecraftEvaluation& e) const noexcept {
    return craft.accelerate(commands(p, w), {w.rates, momentum, fuel}, e);
  }

  /// Computes the accelerations of eight points; returns the lanes that succeeded as bits.
  unsigned accelerate(const hybrid::Points& p, const Work& w, Eight& e,
                      const multibody::Spacecraft::Rates& rates) const noexcept {
    constexpr std::size_t lanes = hybrid::lanes;
    const auto part = [](const double* from, std::size_t first, std::size_t end) {
      return std::span(from + lanes * first, lanes * (end - first));
    };
    e.states.place({part(p.x, 0, signals.u), part(p.x, signals.u, signals.momentum),
                    part(p.x, signals.momentum, signals.fuel),
                    part(p.x, signals.fuel, signals.states),
                    part(p.p, 0, craft.parameters().size())});
    const double* u = hybrid::together(p, e.u);
    std::fill(e.force.begin(), e.force.end(), 0.0);
    std::fill(e.acceleration.begin(), e.acceleration.end(), 0.0);
    std::fill(w.prescribed.begin(), w.prescribed.end(), std::uint8_t{0});
    for (std::size_t k = 0; k < signals.dofs.size(); ++k) {
      const std::size_t at = signals.dofs[k].speed;
      std::copy_n(u + lanes * k, lanes, e.force.data() + lanes * at);
      w.prescribed[at] = p.mode[k] != detail::regular;
      if (p.mode[k] == detail::prescribed)
        std::copy_n(u + lanes * (signals.accelerations + k), lanes,
                    e.acceleration.data() + lanes * at);
    }
    return e.states.accelerate(
        {e.force, e.acceleration, w.prescribed, part(u, signals.commands, signals.torques),
         part(u, signals.torques, signals.torques + craft.model().rotors.size())},
        rates);
  }

  /// The column of SpacecraftTangent::by_command() for an input; none: it has no effect in this
  /// mode.
  std::optional<std::size_t> column_of_input(std::size_t input,
                                             std::span<const int> mode) const noexcept {
    const std::size_t nu = craft.tree().speeds(), dofs = signals.dofs.size();
    if (input < dofs) return signals.dofs[input].speed;
    if (input < signals.commands) {
      const std::size_t k = input - signals.accelerations;
      if (mode[k] != detail::prescribed) return {};
      return nu + signals.dofs[k].speed;
    }
    return 2 * nu + input - signals.commands;
  }
  void write(std::span<const double> x, const Work& w, bool good, SpacecraftEvaluation&,
             std::span<double> y) const noexcept;
  const multibody::SpacecraftTangent& slopes(const Point&, const Work&, Slopes&,
                                             bool observed) const noexcept;
  /// The row of SpacecraftTangent's observations for an output, counted after the states.
  std::size_t row_of_output(std::size_t output) const noexcept {
    const std::size_t efforts = craft.model().rotors.size(), dofs = signals.dofs.size();
    if (output < efforts) return output;
    if (output < efforts + dofs) return efforts + signals.dofs[output - efforts].speed;
    return output - dofs + craft.tree().speeds();
  }

  multibody::Spacecraft craft;
  detail::Signals signals;
  std::vector<Range> ranges;  // of all modes
};

MultibodySystem::MultibodySystem(multibody::Spacecraft craft, const Options& o)
    : data_(std::make_unique<Data>(std::move(craft), o)) {}
MultibodySystem::~MultibodySystem() = default;

const multibody::Spacecraft& MultibodySystem::spacecraft() const noexcept { return data_->craft; }
const hybrid::SystemSpec& MultibodySystem::spec() const noexcept { return data_->signals.spec; }
std::unique_ptr<Workspace> MultibodySystem::workspace() const {
  return std::make_unique<Space>(spec(), data_->craft, false);
}
std::unique_ptr<Workspace> MultibodySystem::lane_workspace() const {
  return std::make_unique<Space>(spec(), data_->craft, true);
}

void MultibodySystem::flow(const Point& p, std::span<double> xdot, Workspace& s) const noexcept {
  const Data& d = *data_;
  const detail::Signals& at = d.signals;
  const Data::Work w = d.divide(s);
  SpacecraftEvaluation& e = evaluation(s);
  d.place(p, e);
  const auto part = [&](std::size_t first, std::size_t end) {
    return xdot.subspan(first, end - first);
  };
  const Solution solution =
      d.accelerate(p, w, part(at.momentum, at.fuel), part(at.fuel, at.states), e);
  d.craft.tree().coordinate_rates(p.x.subspan(0, at.u), p.x.subspan(at.u, at.momentum - at.u),
                                  part(0, at.u));
  const std::span<double> udot = part(at.u, at.momentum);
  if (solution && d.left(p.x.data()) == nullptr) {
    std::copy(w.rates.begin(), w.rates.end(), udot.begin());
  } else {
    // A singular hinge, or a mode outside its range of validity: NaN makes the integrator reduce
    // its step and then ask explain().
    std::fill(udot.begin(), udot.end(), std::numeric_limits<double>::quiet_NaN());
  }
}

namespace {

// Writes outputs in sequence.
class Writer {
 public:
  explicit Writer(std::span<double> y) noexcept : to_(y.data()) {}
  void put(double v) noexcept { *to_++ = v; }
  void put(const multibody::Vector3& v) noexcept { to_ = std::copy_n(v.data(), 3, to_); }
  void put(const spatial::Quaternion& v) noexcept { to_ = std::copy_n(v.data(), 4, to_); }
  void put(std::span<const double> v) noexcept { to_ = std::copy(v.begin(), v.end(), to_); }

 private:
  double* to_;
};

}  // namespace

/// All outputs of an evaluation, in the order of SignalTable::add_outputs().
void MultibodySystem::Data::write(std::span<const double> x, const Work& w, bool good,
                                  SpacecraftEvaluation& e, std::span<double> y) const noexcept {
  const multibody::SpacecraftModel& model = craft.model();
  const std::size_t rotors = model.rotors.size();
  Writer out(y);
  out.put(x);
  for (std::size_t k = 0; k < rotors; ++k) out.put(craft.rotor_speed(e, static_cast<int>(k)));
  craft.efforts(e, w.tau);
  if (!good) std::fill(w.tau.begin(), w.tau.end(), std::numeric_limits<double>::quiet_NaN());
  for (const detail::SwitchedDof& dof : signals.dofs) out.put(w.tau[dof.speed]);
  for (const multibody::Reading& r : craft.sense(e)) {
    out.put(r.position);
    out.put(r.attitude);
    out.put(r.velocity.angular);
    out.put(r.velocity.linear);
    out.put(r.acceleration.angular);
    out.put(r.acceleration.linear);
    out.put(r.specific_force);
  }
  const multibody::SpacecraftTotals t = craft.totals(e);
  for (const double v : {t.mass, t.kinetic, t.deformation, t.springs, t.gravitational, t.energy})
    out.put(v);
  out.put(t.momentum);
  out.put(t.angular_momentum);
  out.put(t.centre);
  out.put(t.centre_velocity);
  if (!signals.reactions) return;
  for (std::size_t k = 0; k < model.tree.bodies.size(); ++k) {
    const spatial::Force f = craft.tree().reaction(e.tree(), static_cast<int>(k));
    out.put(f.moment);
    out.put(f.resultant);
  }
}

void MultibodySystem::output(const Point& p, std::span<double> y, Workspace& s) const noexcept {
  const Data& d = *data_;
  const Data::Work w = d.divide(s);
  SpacecraftEvaluation& e = evaluation(s);
  d.place(p, e);
  // The rates of momenta and fuel are not needed; they go where outputs overwrite them.
  const std::size_t rotors = d.craft.model().rotors.size(), tanks = d.craft.model().tanks.size();
  const Solution solution = d.accelerate(p, w, y.subspan(0, rotors), y.subspan(rotors, tanks), e);
  d.write(p.x, w, static_cast<bool>(solution), e, y);
}

void MultibodySystem::flow_lanes(const hybrid::Points& p, double* xdot,
                                 Workspace& s) const noexcept {
  if (!space(s).eight) return System::flow_lanes(p, xdot, s);
  if (p.blocks.count != 1)
    return each_block(p, xdot,
                      [&](const hybrid::Points& block, double* to) { flow_lanes(block, to, s); });
  constexpr std::size_t lanes = hybrid::lanes;
  const Data& d = *data_;
  const detail::Signals& at = d.signals;
  Eight& e = *space(s).eight;
  const auto part = [&](std::size_t first, std::size_t end) {
    return std::span(xdot + lanes * first, lanes * (end - first));
  };
  const std::span<double> udot = part(at.u, at.momentum);
  unsigned good =
      d.accelerate(p, d.divide(s), e, {udot, part(at.momentum, at.fuel), part(at.fuel, at.states)});
  for (std::size_t l = 0; l < lanes; ++l)
    if (d.left(p.x + l, lanes) != nullptr) good &= ~(1u << l);
  e.states.coordinate_rates(part(0, at.u));
  for (std::size_t i = 0; i < udot.size(); ++i) {
    if ((good >> i % lanes & 1u) == 0) udot[i] = std::numeric_limits<double>::quiet_NaN();
  }
}

void MultibodySystem::output_lanes(const hybrid::Points& p, double* y,
                                   Workspace& s) const noexcept {
  if (!space(s).eight) return System::output_lanes(p, y, s);
  if (p.blocks.count != 1)
    return each_block(p, y,
                      [&](const hybrid::Points& block, double* to) { output_lanes(block, to, s); });
  constexpr std::size_t lanes = hybrid::lanes;
  const Data& d = *data_;
  const Data::Work w = d.divide(s);
  Eight& e = *space(s).eight;
  const unsigned good = d.accelerate(p, w, e, {e.rates, e.momentum, e.fuel});
  const multibody::SpacecraftLanes::Readings read = e.states.read(d.signals.reactions);
  // The order of Data::write().
  const auto put = [&y](std::span<const double> from) {
    y = std::copy(from.begin(), from.end(), y);
  };
  put({p.x, lanes * d.signals.states});
  put(read.speeds);
  for (const detail::SwitchedDof& dof : d.signals.dofs) {
    double* effort = y;
    put(read.efforts.subspan(lanes * dof.speed, lanes));
    for (std::size_t l = 0; l < lanes; ++l)
      if ((good >> l & 1u) == 0) effort[l] = std::numeric_limits<double>::quiet_NaN();
  }
  put(read.sensors);
  put(read.totals);
  put(read.reactions);
}

const multibody::SpacecraftTangent& MultibodySystem::Data::slopes(const Point& p, const Work& w,
                                                                  Slopes& s,
                                                                  bool observed) const noexcept {
  const auto same = [](auto a, const auto& b) { return std::equal(a.begin(), a.end(), b.begin()); };
  if (!s.known || !same(p.x, s.x) || !same(p.u, s.u) || !same(p.p, s.p) || !same(p.mode, s.mode)) {
    s.good = static_cast<bool>(s.tangent.evaluate(state(p), commands(p, w)));
    s.known = true;
    s.observed = false;
    std::copy(p.x.begin(), p.x.end(), s.x.begin());
    std::copy(p.u.begin(), p.u.end(), s.u.begin());
    std::copy(p.p.begin(), p.p.end(), s.p.begin());
    std::copy(p.mode.begin(), p.mode.end(), s.mode.begin());
  }
  if (observed && s.good && !s.observed) {
    s.tangent.observe();
    s.observed = true;
  }
  return s.tangent;
}

void MultibodySystem::tangent(const Point& p, const hybrid::Direction& along,
                              const hybrid::Tangent& wanted, Workspace& s) const noexcept {
  // exact derivatives are the whole Jacobian, whichever direction is wanted
  if (wanted.approximate) return System::tangent(p, along, wanted, s);
  const Data& d = *data_;
  Slopes& known = space(s).slopes;
  const std::size_t n = d.signals.states;
  const multibody::SpacecraftTangent& t = d.slopes(p, d.divide(s), known, !wanted.y.empty());
  const double start = known.good ? 0.0 : std::numeric_limits<double>::quiet_NaN();
  const auto fill = [&](std::span<double> to, std::size_t rows, auto row,
                        std::span<const double> by_state, std::span<const double> by_command,
                        std::span<const double> by_parameter) {
    std::fill(to.begin(), to.end(), start);
    const auto add = [&](std::span<const double> matrix, std::size_t column, double by) {
      const double* const from = matrix.data() + column * rows;
      for (std::size_t i = 0; i < to.size(); ++i) to[i] += from[row(i)] * by;
    };
    for (std::size_t k = 0; k < along.x.size(); ++k)
      if (along.x[k] != 0.0) add(by_state, k, along.x[k]);
    for (std::size_t k = 0; k < along.u.size(); ++k) {
      if (along.u[k] == 0.0) continue;
      if (const auto column = d.column_of_input(k, p.mode)) add(by_command, *column, along.u[k]);
    }
    for (std::size_t k = 0; k < along.p.size(); ++k)
      if (along.p[k] != 0.0) add(by_parameter, k, along.p[k]);
  };
  if (!wanted.xdot.empty())
    fill(
        wanted.xdot, n, [](std::size_t i) { return i; }, t.by_state(), t.by_command(),
        t.by_parameter());
  if (wanted.y.empty()) return;
  // The first outputs are the states.
  for (std::size_t i = 0; i < n; ++i) wanted.y[i] = along.x.empty() ? 0.0 : along.x[i];
  fill(
      wanted.y.subspan(n), t.observations(), [&](std::size_t i) { return d.row_of_output(i); },
      t.seen_by_state(), t.seen_by_command(), t.seen_by_parameter());
}

void MultibodySystem::jacobian(const Point& p, const hybrid::Pattern& pattern,
                               std::span<double> values, Workspace& s) const noexcept {
  const Data& d = *data_;
  const std::size_t n = d.signals.states, m = p.u.size();
  const bool seen = std::ranges::any_of(pattern.row, [&](std::uint32_t r) { return r >= 2 * n; });
  Slopes& known = space(s).slopes;
  const multibody::SpacecraftTangent& t = d.slopes(p, d.divide(s), known, seen);
  const auto column_of = [&](std::size_t c, std::size_t rows, std::span<const double> by_state,
                             std::span<const double> by_command,
                             std::span<const double> by_parameter) -> const double* {
    if (c < n) return by_state.data() + c * rows;
    if (c >= n + m) return by_parameter.data() + (c - n - m) * rows;
    const auto input = d.column_of_input(c - n, p.mode);
    return input ? by_command.data() + *input * rows : nullptr;
  };
  for (std::size_t c = 0; c < pattern.columns(); ++c) {
    const double* const column = column_of(c, n, t.by_state(), t.by_command(), t.by_parameter());
    const double* const view = column_of(c, t.observations(), t.seen_by_state(),
                                         t.seen_by_command(), t.seen_by_parameter());
    for (std::size_t k = pattern.start[c]; k < pattern.start[c + 1]; ++k) {
      const std::size_t row = pattern.row[k];
      if (row >= n && row < 2 * n) {
        values[k] = row - n == c ? 1.0 : 0.0;
        continue;
      }
      values[k] = column == nullptr ? 0.0
                  : row < n         ? column[row]
                                    : view[d.row_of_output(row - 2 * n)];
      if (!known.good) values[k] = std::numeric_limits<double>::quiet_NaN();
    }
  }
}

bool MultibodySystem::select(const Point& p, std::span<const std::uint8_t> present,
                             std::span<int> chosen, Workspace&) const noexcept {
  bool any = false;
  for (std::size_t k = 0; k < chosen.size(); ++k) {
    const detail::SwitchedDof& dof = data_->signals.dofs[k];
    chosen[k] = -1;
    // If several events occur at once, lock wins over prescribe, and prescribe over free.
    for (int to = detail::locked; to >= detail::regular; --to) {
      const auto label = static_cast<std::size_t>(to);
      if (present[dof.hinge_labels + label] == 0 && present[dof.own_labels + label] == 0) continue;
      if (to != p.mode[k]) chosen[k] = 2 * p.mode[k] + (to > p.mode[k] ? to - 1 : to);
      break;
    }
    any |= chosen[k] >= 0;
  }
  return any;
}

void MultibodySystem::jump(const Point& p, std::span<const int> chosen, hybrid::Jump& jump,
                           Workspace& s) const noexcept {
  const Data& d = *data_;
  const Data::Work w = d.divide(s);
  const std::span<double> u = jump.x.subspan(d.signals.u, d.craft.tree().speeds());
  std::fill(w.prescribed.begin(), w.prescribed.end(), std::uint8_t{0});
  std::fill(w.locked.begin(), w.locked.end(), std::uint8_t{0});
  bool impact = false;
  for (std::size_t k = 0; k < chosen.size(); ++k) {
    const std::size_t at = d.signals.dofs[k].speed;
    int to = p.mode[k];
    if (chosen[k] >= 0) {
      const hybrid::Automaton& a = d.signals.spec.automata[k];
      to = a.transitions[static_cast<std::size_t>(chosen[k])].to;
      w.locked[at] = to == detail::locked;
      impact |= to == detail::locked && u[at] != 0.0;
    }
    jump.mode[k] = to;
    w.prescribed[at] = to != detail::regular && w.locked[at] == 0;
  }
  if (!impact) return;
  // Locking a dof that moves is a plastic impact (docs/mathematics/multibody.md, section 4).
  SpacecraftEvaluation& e = evaluation(s);
  d.place(p, e);
  std::fill(w.acceleration.begin(), w.acceleration.end(), 0.0);
  const auto state = d.state(p);
  const Solution solution = multibody::impact(d.craft.tree(), e.tree(), state.q, state.u, w.locked,
                                              w.acceleration, w.prescribed, w.rates, w.tau);
  for (std::size_t k = 0; k < u.size(); ++k) {
    u[k] = w.locked[k] != 0 ? 0.0 : u[k] + w.rates[k];
    if (!solution) u[k] = std::numeric_limits<double>::quiet_NaN();
  }
}

bool MultibodySystem::explain(const Point& p, Fault& fault, Workspace& s) const noexcept {
  const Data& d = *data_;
  const Data::Work w = d.divide(s);
  SpacecraftEvaluation& e = evaluation(s);
  d.place(p, e);
  // The rates of momenta and fuel are not needed.
  const std::size_t nu = d.craft.tree().speeds();
  const multibody::SpacecraftModel& model = d.craft.model();
  const std::span<double> rest = s.doubles().subspan(4 * nu + (2 * nu + 7) / 8 + 1);
  const std::size_t rotors = model.rotors.size(), tanks = model.tanks.size();
  const Solution solution = d.accelerate(p, w, rest.first(rotors), rest.subspan(rotors, tanks), e);
  if (const Data::Range* r = d.left(p.x.data())) {
    const multibody::Body& of = model.tree.bodies[r->body];
    fault.set(Category::numerics, "V3141",
              "mode %zu of %s has left its range of validity (eta = %.3g, limit %.3g): %s",
              r->mode + 1, of.name.c_str(), p.x[r->state], r->bound,
              of.modes->shortens() ? "it bends too far for modes"
                                   : "it bends too far, or spins fast without geometric stiffness");
    return true;
  }
  int body = solution.singular;
  for (std::size_t k = 0; body < 0 && k < model.tree.bodies.size(); ++k) {
    // Near its singular position, the rates of a hinge grow beyond what a step can follow.
    const int singular = multibody::facts(model.tree.bodies[k].hinge.kind).singular;
    if (singular < 0) continue;
    const double angle = p.x[d.craft.tree().block(static_cast<int>(k)).q + singular];
    if (std::abs(elementary::cos(angle)) < 1e-3) body = static_cast<int>(k);
  }
  if (body < 0) return false;
  const multibody::Body& b = model.tree.bodies[static_cast<std::size_t>(body)];
  const multibody::HingeFacts& kind = multibody::facts(b.hinge.kind);
  if (kind.singular >= 0) {
    fault.set(Category::numerics, "V3140", "the %s hinge of %s is in its singular position (%s)",
              kind.name.data(), b.name.c_str(), kind.singular_at.data());
  } else {
    fault.set(Category::numerics, "V3140",
              "the hinge of %s cannot be solved: there is no inertia along a direction in which it "
              "is free",
              b.name.c_str());
  }
  return true;
}

}  // namespace vernier::multibody_tree
