#include "vernier/model/multibody_loops/mechanism.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>

#include "vernier/base/require.hpp"
#include "vernier/base/text.hpp"
#include "vernier/kernel/elementary/elementary.hpp"
#include "vernier/model/multibody_loops/assembly.hpp"

namespace vernier::multibody_loops {
namespace {

using Kind = Shown::Kind;
using constrained::Matrix3;
using constrained::StepReport;
using constrained::Vector3;

void put(const Vector3& v, std::span<double> to) noexcept {
  to[0] = v.x;
  to[1] = v.y;
  to[2] = v.z;
}

/// Removes the sign of NaN, which has no meaning and differs between machines.
double without_sign(double x) noexcept { return std::isnan(x) ? std::abs(x) : x; }

constrained::Model checked(const constrained::Model& m) {
  const std::vector<Finding> found = constrained::check(m);
  require(std::none_of(found.begin(), found.end(),
                       [](const Finding& f) { return f.severity == Severity::error; }));
  return m;
}

/// Writes and reads the bytes of a saved state in sequence.
struct Cursor {
  std::byte* at;
  void put(const void* from, std::size_t n) noexcept {
    if (n > 0) std::memcpy(at, from, n);
    at += n;
  }
};
struct ConstCursor {
  const std::byte* at;
  void take(void* to, std::size_t n) noexcept {
    if (n > 0) std::memcpy(to, at, n);
    at += n;
  }
};

}  // namespace

Mechanism::Mechanism(Definition d)
    : definition_(std::move(d)), solver_(checked(definition_.model), definition_.settings) {
  for (int i = 0; i < solver_.rows(); ++i) rows_.push_back(solver_.row_name(i));
  std::size_t largest = 0;
  for (const constrained::NamedElement& e : definition_.model.elements) {
    std::size_t n = 0;
    for (const constrained::Measure& m : e.element->shape().measures)
      n += static_cast<std::size_t>(m.count);
    largest = std::max(largest, n);
  }
  measures_.resize(largest);
  for (const Shown& s : definition_.outputs) {
    if (s.kind == Kind::attitude) turning_.push_back(s.index);
    accelerations_shown_ |= s.kind == Kind::acceleration || s.kind == Kind::angular_acceleration;
  }
  attitudes_.resize(4 * turning_.size());
  describe();
  for (std::size_t i = 0; i < definition_.inputs.size(); ++i) {
    const auto& initial = definition_.inputs[i].initial;
    solver_.inputs()[i] = initial ? initial->front() : 0.0;
  }
  assemble(0.0);
}

void Mechanism::describe() {
  description_.inputs = definition_.inputs;
  for (const Shown& s : definition_.outputs) description_.outputs.push_back(s.port);
  description_.state_bytes =
      solver_.state_bytes() + sizeof(double) * attitudes_.size() + sizeof(Counts);
}

void Mechanism::assemble(double time) {
  put_together(solver_, definition_, time);
  counts_ = {};
  moved_ = {};
  const auto length = [](double x, double y, double z) {
    return elementary::hypot(elementary::hypot(x, y), z);
  };
  // If the assembly moved a node far from its place in the document, a failure of the first step
  // mentions it.
  double size = 0.0;
  for (std::size_t i = 0; i < definition_.model.nodes.size(); ++i) {
    const auto& to = solver_.node(static_cast<int>(i)).x;
    const auto& from = definition_.model.nodes[i].position;
    const double way = length(to.x - from.x, to.y - from.y, to.z - from.z);
    size = std::max(size, length(from.x, from.y, from.z));
    if (way > moved_.way) moved_ = {way, static_cast<int>(i)};
  }
  if (moved_.way < 0.05 * size) moved_ = {};
  std::fill(attitudes_.begin(), attitudes_.end(), 0.0);
  follow_attitudes();
}

void Mechanism::bind(const Bindings& b) {
  inputs_.clear();
  outputs_.clear();
  for (const Port& p : description_.inputs) inputs_.push_back(b.real_input(p.name));
  for (const Port& p : description_.outputs) outputs_.push_back(b.real_output(p.name));
}

bool Mechanism::initialize(Time start, int phase) {
  if (phase > 0 && !take_inputs()) {
    throw ConfigurationError(fault_.code, std::string("the input ") + fault_.subject + fault_.text,
                             definition_.place);
  }
  if (phase < 2) assemble(seconds(start));
  return phase > 0 || inputs_.empty();
}

Outcome Mechanism::output(Instant) noexcept {
  std::span<const constrained::Acceleration> accelerations;
  if (accelerations_shown_) accelerations = solver_.accelerations();
  int measured = -1;
  for (std::size_t i = 0; i < outputs_.size(); ++i) {
    const Shown& s = definition_.outputs[i];
    if (s.kind == Kind::measure) {
      if (s.index != measured) solver_.measure(s.index, measures_);
      measured = s.index;
      std::copy_n(measures_.begin() + s.first, outputs_[i].size(), outputs_[i].begin());
    } else {
      show(s, accelerations, outputs_[i]);
    }
  }
  std::size_t k = 0;
  for (std::size_t i = 0; i < outputs_.size(); ++i) {
    if (definition_.outputs[i].kind != Kind::attitude) continue;
    std::copy_n(attitudes_.begin() + static_cast<std::ptrdiff_t>(4 * k++), 4, outputs_[i].begin());
  }
  return Outcome::ok;
}

void Mechanism::show(const Shown& s, std::span<const constrained::Acceleration> accelerations,
                     std::span<double> to) noexcept {
  switch (s.kind) {
    case Kind::position:
      put(solver_.node(s.index).x, to);
      break;
    case Kind::velocity:
      put(solver_.node(s.index).v, to);
      break;
    case Kind::rate: {
      const constrained::NodeState& n = solver_.node(s.index);
      put(transposed_times(n.R, n.omega), to);
      break;
    }
    case Kind::acceleration:
      put(accelerations[s.index].linear, to);
      break;
    case Kind::angular_acceleration:
      put(transposed_times(solver_.node(s.index).R, accelerations[s.index].angular), to);
      break;
    case Kind::scalar:
      to[0] = solver_.scalar(s.index);
      break;
    case Kind::kinetic_energy:
      to[0] = solver_.kinetic_energy();
      break;
    case Kind::potential_energy:
      to[0] = solver_.potential_energy();
      break;
    case Kind::momentum:
      put(solver_.momentum(), to);
      break;
    case Kind::angular_momentum:
      put(solver_.angular_momentum(), to);
      break;
    case Kind::constraint_violation:
      to[0] = solver_.constraint_violation();
      break;
    case Kind::iterations:
      to[0] = static_cast<double>(counts_.iterations);
      break;
    case Kind::residual:
      to[0] = counts_.residual;
      break;
    case Kind::unconverged:
      to[0] = static_cast<double>(counts_.unconverged);
      break;
    case Kind::attitude:  // follow_attitudes()
    case Kind::measure:
      break;
  }
}

// q and -q are the same attitude. Choosing the sign nearest to the last output keeps outputs
// continuous.
void Mechanism::follow_attitudes() noexcept {
  for (std::size_t k = 0; k < turning_.size(); ++k) {
    const Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>> R(
        solver_.node(turning_[k]).R.a);
    Eigen::Map<Eigen::Vector4d> last(attitudes_.data() + 4 * k);
    const Eigen::Vector4d q = Eigen::Quaterniond(Eigen::Matrix3d(R)).coeffs();
    last = q.dot(last) < 0.0 ? Eigen::Vector4d(-q) : q;
  }
}

bool Mechanism::take_inputs() noexcept {
  const std::span<double> to = solver_.inputs();
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    const double x = inputs_[i][0];
    if (!std::isfinite(x)) {
      fault_.set(Category::numerics, "V3212",
                 " is not a number at t = %.9g s\nwhat is connected to it gives %g; the "
                 "mechanism stays as it was then",
                 solver_.time(), without_sign(x));
      std::snprintf(fault_.subject, sizeof fault_.subject, "%.60s",
                    description_.inputs[i].name.c_str());
      return false;
    }
    to[i] = x;
  }
  return true;
}

Advance Mechanism::advance(Time from, Time to) noexcept {
  if (!take_inputs()) return {from, Outcome::failed};
  const double whole = seconds(to - from);
  const double share = whole / definition_.step;
  const double n = std::clamp(std::ceil(share - 1e-6), 1.0, 1e15);
  // Ticks are rounded to nanoseconds, but a step such as 1/330 s is not. Taking the exact step
  // keeps the step size constant; rounding errors of ticks cancel over time.
  const bool regular = std::abs(whole - n * definition_.step) < 2e-9;
  const double h = regular ? definition_.step : whole / n;
  // Multistep formulas lose stability if the step changes by more than a factor of 2: start anew.
  if (counts_.last_step > 0.0 && (h > 2.0 * counts_.last_step || h < 0.5 * counts_.last_step))
    solver_.restart();
  Outcome outcome = Outcome::ok;
  for (std::int64_t k = 0, count = static_cast<std::int64_t>(n); k < count; ++k) {
    const StepReport r = solver_.step(h);
    counts_.iterations = r.iterations;
    counts_.residual = r.residual;
    if (r.end == StepReport::End::failed) {
      tell_unconverged(r, solver_.time() + h);
      follow_attitudes();
      return {
          from + Duration(static_cast<Duration::rep>(std::floor(static_cast<double>(k) * h * 1e9))),
          Outcome::failed};
    }
    counts_.last_step = h;
    if (r.end == StepReport::End::accepted) {
      ++counts_.unconverged;
      outcome = Outcome::held;
    }
  }
  follow_attitudes();
  return {to, outcome};
}

void Mechanism::tell_unconverged(const StepReport& r, double time) noexcept {
  for (const constrained::DriveSlot& d : definition_.model.drives) {
    if (!d.function) continue;
    const constrained::DriveState s = d.function->at(time);
    if (std::isfinite(s.value) && std::isfinite(s.rate) && std::isfinite(s.acceleration)) continue;
    // A drive without a value is a likelier cause than the step size.
    fault_.set(Category::numerics, "V3211",
               " is not a number at t = %.9g s: %g, its rate %g\nthe mechanism stays as it was "
               "before; change the drive where it has a pole or a root of less than zero",
               time, without_sign(s.value), without_sign(s.rate));
    std::snprintf(fault_.subject, sizeof fault_.subject, "%.60s", d.name.c_str());
    return;
  }
  const bool known = r.worst_row >= 0 && static_cast<std::size_t>(r.worst_row) < rows_.size();
  // If the first step fails, the assembly may have deformed the mechanism too much.
  char far_away[120] = "";
  if (moved_.node >= 0 && counts_.last_step == 0.0)
    std::snprintf(far_away, sizeof far_away,
                  "\nit was put together with node '%.40s' %.3g m from its place in the document",
                  definition_.model.nodes[static_cast<std::size_t>(moved_.node)].name.c_str(),
                  moved_.way);
  fault_.set(
      Category::numerics, "V3210",
      " does not converge at t = %.9g s: after %d iterations %.3g is left in %.90s\nthe mechanism "
      "stays as it was before. Usual causes: the step is too long, the mechanism reaches a "
      "singular position, or a drive asks for more than it can do%s",
      time, r.iterations, r.residual,
      known ? rows_[static_cast<std::size_t>(r.worst_row)].c_str() : "its equations", far_away);
}

void Mechanism::save(std::span<std::byte> to) const noexcept {
  const std::size_t n = solver_.state_bytes();
  solver_.save(to.first(n));
  Cursor c{to.data() + n};
  c.put(attitudes_.data(), attitudes_.size() * sizeof(double));
  c.put(&counts_, sizeof counts_);
}

void Mechanism::load(std::span<const std::byte> from) noexcept {
  const std::size_t n = solver_.state_bytes();
  solver_.load(from.first(n));
  ConstCursor c{from.data() + n};
  c.take(attitudes_.data(), attitudes_.size() * sizeof(double));
  c.take(&counts_, sizeof counts_);
}

}  // namespace vernier::multibody_loops
