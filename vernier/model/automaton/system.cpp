#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "vernier/model/automaton/automaton.hpp"
#include "vernier/model/automaton/detail/code.hpp"

namespace vernier::automaton {
namespace {

using detail::LocationCode;
using detail::Program;
using expression::Operation;
using hybrid::Point;
using hybrid::Workspace;

/// The location a point is in; a system that never leaves its only one has no modes.
const LocationCode& location(const detail::Code& c, const Point& p) noexcept {
  return c.locations[p.mode.empty() ? 0 : static_cast<std::size_t>(p.mode[0])];
}

/// Working memory in its parts: the inputs of a program, its outputs, its registers.
struct Memory {
  double* in;
  double* out;
  double* registers;
};

Memory prepare(const detail::Code& c, const Point& p, Workspace& w, std::size_t outputs) noexcept {
  double* in = w.doubles().data();
  std::copy_n(p.x.begin(), c.n, in);
  std::copy_n(p.u.begin(), c.m, in + c.n);
  double* out = in + 2 * (c.n + c.m);
  return {in, out, out + outputs};
}

void evaluate(const std::optional<Program>& program, const Memory& m, double* out) noexcept {
  if (program) program->run(m.in, out, m.registers);
}

bool holds(Operation comparison, double left, double right) noexcept {
  switch (comparison) {
    case Operation::less:
      return left < right;
    case Operation::less_equal:
      return left <= right;
    case Operation::greater:
      return left > right;
    case Operation::greater_equal:
      return left >= right;
    default:
      return left == right;
  }
}

}  // namespace

AutomatonSystem::AutomatonSystem(std::shared_ptr<const detail::Code> code, hybrid::SystemSpec spec)
    : code_(std::move(code)), spec_(std::move(spec)) {}

void AutomatonSystem::flow(const Point& p, std::span<double> xdot, Workspace& s) const noexcept {
  evaluate(location(*code_, p).flow, prepare(*code_, p, s, 0), xdot.data());
}

void AutomatonSystem::output(const Point& p, std::span<double> y, Workspace& s) const noexcept {
  evaluate(location(*code_, p).output, prepare(*code_, p, s, 0), y.data());
}

void AutomatonSystem::guards(const Point& p, std::span<double> z, Workspace& s) const noexcept {
  const LocationCode& l = location(*code_, p);
  evaluate(l.guards, prepare(*code_, p, s, 0), z.data());
  std::fill(z.begin() + static_cast<std::ptrdiff_t>(l.guard_count), z.end(), 1.0);
}

bool AutomatonSystem::select(const Point& p, std::span<const std::uint8_t> present,
                             std::span<int> chosen, Workspace& s) const noexcept {
  if (chosen.empty()) return false;
  chosen[0] = -1;
  const LocationCode& l = location(*code_, p);
  const auto event_here = [&](const detail::TransitionCode& t) {
    return t.in == detail::Transition::none || present[t.in] != 0;
  };
  const Memory m = prepare(*code_, p, s, l.conditions ? l.conditions->outputs() : 0);
  evaluate(l.conditions, m, m.out);
  for (const detail::TransitionCode& t : l.transitions) {
    if (!event_here(t)) continue;
    if (t.condition != detail::Transition::none && m.out[t.condition] == 0.0) continue;
    chosen[0] = t.number;
    return true;
  }
  return false;
}

void AutomatonSystem::jump(const Point& p, std::span<const int> chosen, hybrid::Jump& jump,
                           Workspace& s) const noexcept {
  if (chosen.empty() || chosen[0] < 0) return;
  const LocationCode& l = location(*code_, p);
  const auto& t = l.transitions[code_->place_of[static_cast<std::size_t>(chosen[0])]];
  if (!t.states.empty()) {
    const Memory m = prepare(*code_, p, s, l.actions->outputs());
    evaluate(l.actions, m, m.out);
    for (std::size_t i = 0; i < t.states.size(); ++i)
      jump.x[t.states[i]] = m.out[t.first_value + i];
  }
  jump.mode[0] = t.to;
  for (const std::size_t e : t.out) jump.emitted[e] = 1;
}

void AutomatonSystem::witness(const Point& p, int, int transition, std::span<double, 2> sides,
                              Workspace& s) const noexcept {
  sides[0] = sides[1] = std::numeric_limits<double>::quiet_NaN();
  const LocationCode& l = location(*code_, p);
  const auto& t = l.transitions[code_->place_of[static_cast<std::size_t>(transition)]];
  if (t.sides == 0) return;
  const Memory m = prepare(*code_, p, s, l.actions->outputs());
  evaluate(l.actions, m, m.out);
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < t.sides; ++i) {
    const double left = m.out[t.first_side + 2 * i], right = m.out[t.first_side + 2 * i + 1];
    const double scale = std::max({std::abs(left), std::abs(right), 1e-300});
    // what does not hold decided nothing, unless it is under a `not`: then it comes last
    const double distance =
        std::abs(left - right) / scale + (holds(t.comparisons[i], left, right) ? 0.0 : 4.0);
    if (!(distance < least)) continue;
    least = distance;
    sides[0] = left;
    sides[1] = right;
  }
}

void AutomatonSystem::tangent(const Point& p, const hybrid::Direction& d,
                              const hybrid::Tangent& wanted, Workspace& s) const noexcept {
  const LocationCode& l = location(*code_, p);
  const Memory m = prepare(*code_, p, s, 0);
  double* dx = m.in + code_->n + code_->m;
  double* du = dx + code_->n;
  // an empty direction does not move
  std::fill_n(dx, code_->n + code_->m, 0.0);
  std::copy(d.x.begin(), d.x.end(), dx);
  std::copy(d.u.begin(), d.u.end(), du);
  if (!wanted.xdot.empty()) evaluate(l.flow_tangent, m, wanted.xdot.data());
  if (!wanted.y.empty()) evaluate(l.output_tangent, m, wanted.y.data());
  if (!wanted.z.empty()) {
    evaluate(l.guards_tangent, m, wanted.z.data());
    std::fill(wanted.z.begin() + static_cast<std::ptrdiff_t>(l.guard_count), wanted.z.end(), 0.0);
  }
}

std::span<const std::size_t> AutomatonSystem::inactive_states(int location) const noexcept {
  return code_->inactive_states[static_cast<std::size_t>(location)];
}

std::span<const std::size_t> AutomatonSystem::inactive_outputs(int location) const noexcept {
  return code_->inactive_outputs[static_cast<std::size_t>(location)];
}

}  // namespace vernier::automaton
