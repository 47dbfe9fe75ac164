#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
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
  std::copy_n(p.p.begin(), c.q, in + c.n + c.m);
  double* out = in + 2 * c.inputs();
  return {in, out, out + outputs};
}

using hybrid::Directions;
using hybrid::lanes;
using hybrid::Points;
using hybrid::Tangents;
static_assert(lanes == Program::lanes);

/// Code and memory for lanes; without them lanes go one after the other.
struct LaneSpace final : Workspace {
  LaneSpace(const hybrid::SystemSpec& spec, std::shared_ptr<const detail::Code> c)
      : Workspace(spec), code(std::move(c)) {
    if (code) memory.resize((code->spec.work + lanes - 1) * lanes);
  }
  /// On a multiple of 64 bytes, as the instructions like it best.
  double* data() noexcept {
    const auto at = reinterpret_cast<std::uintptr_t>(memory.data());
    return memory.data() + (64 - at % 64) % 64 / sizeof(double);
  }
  std::shared_ptr<const detail::Code> code;
  std::vector<double> memory;
};

LaneSpace& lane_space(Workspace& w) noexcept { return static_cast<LaneSpace&>(w); }

const LocationCode& location(const detail::Code& c, std::span<const int> mode) noexcept {
  return c.locations[mode.empty() ? 0 : static_cast<std::size_t>(mode[0])];
}

Memory prepare(const detail::Code& c, const Points& p, LaneSpace& w) noexcept {
  double* in = w.data();
  double* to = in;
  const auto put = [&to](const double* from, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i, from += lanes, to += lanes)
      std::memcpy(to, from, lanes * sizeof(double));
  };
  put(p.x, c.n);
  put(p.u, c.m);
  put(p.p, c.q);
  double* out = in + 2 * c.inputs() * lanes;
  return {in, out, out};
}

/// One point in all lanes.
Memory prepare(const detail::Code& c, const Point& p, LaneSpace& w) noexcept {
  double* in = w.data();
  double* to = in;
  for (const std::span<const double> v : {p.x.first(c.n), p.u.first(c.m), p.p.first(c.q)})
    for (const double value : v) to = std::fill_n(to, lanes, value);
  double* out = in + 2 * c.inputs() * lanes;
  return {in, out, out};
}

void evaluate_lanes(const std::optional<Program>& program, const Memory& m, double* out) noexcept {
  if (program) program->run_lanes(m.in, out, m.registers);
}

/// Behind a prepared point.
void tangents_of(const detail::Code& c, const LocationCode& l, const Memory& m, const Directions& d,
                 const Tangents& wanted, std::size_t guards) noexcept {
  double* to = m.in + c.inputs() * lanes;
  const auto put = [&](const double* from, std::size_t count) {
    to = from != nullptr ? std::copy_n(from, count * lanes, to)
                         : std::fill_n(to, count * lanes, 0.0);
  };
  put(d.x, c.n);
  put(d.u, c.m);
  put(d.p, c.q);
  if (wanted.xdot != nullptr) evaluate_lanes(l.flow_tangent, m, wanted.xdot);
  if (wanted.y != nullptr) evaluate_lanes(l.output_tangent, m, wanted.y);
  if (wanted.z != nullptr) {
    evaluate_lanes(l.guards_tangent, m, wanted.z);
    std::fill(wanted.z + l.guard_count * lanes, wanted.z + guards * lanes, 0.0);
  }
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

std::unique_ptr<Workspace> AutomatonSystem::workspace() const {
  return std::make_unique<LaneSpace>(spec_, nullptr);
}

std::unique_ptr<Workspace> AutomatonSystem::lane_workspace() const {
  return std::make_unique<LaneSpace>(spec_, code_->lanes->get());
}

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
  double* dx = m.in + code_->inputs();
  // an empty direction does not move
  std::fill_n(dx, code_->inputs(), 0.0);
  std::copy(d.x.begin(), d.x.end(), dx);
  std::copy(d.u.begin(), d.u.end(), dx + code_->n);
  std::copy(d.p.begin(), d.p.end(), dx + code_->n + code_->m);
  if (!wanted.xdot.empty()) evaluate(l.flow_tangent, m, wanted.xdot.data());
  if (!wanted.y.empty()) evaluate(l.output_tangent, m, wanted.y.data());
  if (!wanted.z.empty()) {
    evaluate(l.guards_tangent, m, wanted.z.data());
    std::fill(wanted.z.begin() + static_cast<std::ptrdiff_t>(l.guard_count), wanted.z.end(), 0.0);
  }
}

void AutomatonSystem::tangents(const Point& p, const Directions& d, const Tangents& wanted,
                               Workspace& workspace) const noexcept {
  LaneSpace& w = lane_space(workspace);
  if (!w.code) return System::tangents(p, d, wanted, workspace);
  const detail::Code& c = *w.code;
  tangents_of(c, location(c, p.mode), prepare(c, p, w), d, wanted, spec_.guards);
}

void AutomatonSystem::flow_lanes(const Points& p, double* xdot,
                                 Workspace& workspace) const noexcept {
  LaneSpace& w = lane_space(workspace);
  if (!w.code) return System::flow_lanes(p, xdot, workspace);
  evaluate_lanes(location(*w.code, p.mode).flow, prepare(*w.code, p, w), xdot);
}

void AutomatonSystem::output_lanes(const Points& p, double* y,
                                   Workspace& workspace) const noexcept {
  LaneSpace& w = lane_space(workspace);
  if (!w.code) return System::output_lanes(p, y, workspace);
  evaluate_lanes(location(*w.code, p.mode).output, prepare(*w.code, p, w), y);
}

void AutomatonSystem::guards_lanes(const Points& p, double* z,
                                   Workspace& workspace) const noexcept {
  LaneSpace& w = lane_space(workspace);
  if (!w.code) return System::guards_lanes(p, z, workspace);
  const LocationCode& l = location(*w.code, p.mode);
  evaluate_lanes(l.guards, prepare(*w.code, p, w), z);
  std::fill(z + l.guard_count * lanes, z + spec_.guards * lanes, 1.0);
}

void AutomatonSystem::tangent_lanes(const Points& p, const Directions& d, const Tangents& wanted,
                                    Workspace& workspace) const noexcept {
  LaneSpace& w = lane_space(workspace);
  if (!w.code) return System::tangent_lanes(p, d, wanted, workspace);
  const detail::Code& c = *w.code;
  tangents_of(c, location(c, p.mode), prepare(c, p, w), d, wanted, spec_.guards);
}

std::span<const std::size_t> AutomatonSystem::inactive_states(int location) const noexcept {
  return code_->inactive_states[static_cast<std::size_t>(location)];
}

std::span<const std::size_t> AutomatonSystem::inactive_outputs(int location) const noexcept {
  return code_->inactive_outputs[static_cast<std::size_t>(location)];
}

}  // namespace vernier::automaton
