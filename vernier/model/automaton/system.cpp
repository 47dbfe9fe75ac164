#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

#include "vernier/kernel/hybrid/lane_vector.hpp"
#include "vernier/model/automaton/automaton.hpp"
#include "vernier/model/automaton/detail/code.hpp"

namespace vernier::automaton {
namespace {

using detail::LocationCode;
using detail::Program;
using expression::Operation;
using hybrid::Point;
using hybrid::Workspace;

/// The location of a point; a system with a single location has no modes.
std::size_t location_of(std::span<const int> mode) noexcept {
  return mode.empty() ? 0 : static_cast<std::size_t>(mode[0]);
}
const LocationCode& location(const detail::Code& c, std::span<const int> mode) noexcept {
  return c.locations[location_of(mode)];
}

/// The programs for exactly these outputs if they were prepared, otherwise those for all.
const detail::OutputPrograms& output_programs(const detail::Code& c,
                                              const detail::SomeOutputs& some,
                                              hybrid::OutputSet wanted,
                                              std::span<const int> mode) noexcept {
  for (const auto& [set, code] : some)
    if (set == wanted) return code->locations[location_of(mode)];
  return location(c, mode).output;
}

/// Working memory: the inputs of a program, its outputs, its registers.
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

/// Code and memory for lanes; without code, lanes are evaluated one by one.
struct LaneSpace final : Workspace {
  using Workspace::Workspace;
  std::shared_ptr<const detail::Code> code;
  detail::SomeOutputs some;
  std::vector<const double*> in;       // addresses of the inputs of a program: point, direction
  hybrid::LaneVector registers, same;  // registers of programs; one point repeated in all lanes
  hybrid::LaneVector zero;             // one element
};

LaneSpace& lane_space(Workspace& w) noexcept { return static_cast<LaneSpace&>(w); }

/// Writes the addresses of the elements of a vector in lanes to `in`; null stands for zeros.
/// Returns the next free entry.
const double** place(const double* from, std::size_t count, LaneSpace& w,
                     const double** in) noexcept {
  for (std::size_t i = 0; i < count; ++i)
    *in++ = from != nullptr ? from + i * lanes : w.zero.data();
  return in;
}

/// Prepares block b of the points.
void prepare(const detail::Code& c, const Points& p, LaneSpace& w, std::size_t b = 0) noexcept {
  const double** in = place(p.x + b * p.blocks.x * lanes, c.n, w, w.in.data());
  if (p.u_at != nullptr) {
    in = std::copy_n(p.u_at + b * p.blocks.u, c.m, in);
  } else {
    in = place(p.u + b * p.blocks.u * lanes, c.m, w, in);
  }
  place(p.p + b * p.blocks.p * lanes, c.q, w, in);
}

/// Prepares one point in all lanes.
void prepare(const detail::Code& c, const Point& p, LaneSpace& w) noexcept {
  double* to = w.same.data();
  for (const std::span<const double> v : {p.x.first(c.n), p.u.first(c.m), p.p.first(c.q)})
    for (const double value : v) to = std::fill_n(to, lanes, value);
  place(w.same.data(), c.inputs(), w, w.in.data());
}

void evaluate_lanes(const std::optional<Program>& program, LaneSpace& w, double* out) noexcept {
  if (program) program->run_lanes(w.in.data(), out, w.registers.data());
}

/// `p` is a Point or Points.
template <class At>
void tangents_of(const At& p, LaneSpace& w, const Directions& d, const Tangents& wanted,
                 std::size_t guards) noexcept {
  const detail::Code& c = *w.code;
  const LocationCode& l = location(c, p.mode);
  prepare(c, p, w);
  const double** in = place(d.x, c.n, w, w.in.data() + c.inputs());
  place(d.p, c.q, w, place(d.u, c.m, w, in));
  if (wanted.xdot != nullptr) evaluate_lanes(l.flow_tangent, w, wanted.xdot);
  if (wanted.y != nullptr)
    evaluate_lanes(output_programs(c, w.some, p.outputs, p.mode).tangent, w, wanted.y);
  if (wanted.z != nullptr) {
    evaluate_lanes(l.guards_tangent, w, wanted.z);
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

void AutomatonSystem::prepare_outputs(hybrid::OutputSet wanted) {
  for (const auto& [set, code] : some_)
    if (set == wanted) return;
  some_.emplace_back(wanted, code_->further->outputs(wanted, false));
  spec_.work = std::max(spec_.work, some_.back().second->work);
}

std::unique_ptr<Workspace> AutomatonSystem::workspace() const {
  return std::make_unique<LaneSpace>(spec_);
}

std::unique_ptr<Workspace> AutomatonSystem::lane_workspace() const {
  auto w = std::make_unique<LaneSpace>(spec_);
  w->code = code_->further->lanes();
  std::size_t work = w->code->spec.work;
  for (const auto& [set, code] : some_) {
    w->some.emplace_back(set, code_->further->outputs(set, true));
    work = std::max(work, w->some.back().second->work);
  }
  w->in.resize(2 * w->code->inputs());
  w->registers.resize(work * lanes);
  w->same.resize(w->code->inputs() * lanes);
  w->zero.resize(lanes);
  return w;
}

void AutomatonSystem::flow(const Point& p, std::span<double> xdot, Workspace& s) const noexcept {
  evaluate(location(*code_, p.mode).flow, prepare(*code_, p, s, 0), xdot.data());
}

void AutomatonSystem::output(const Point& p, std::span<double> y, Workspace& s) const noexcept {
  evaluate(output_programs(*code_, some_, p.outputs, p.mode).values, prepare(*code_, p, s, 0),
           y.data());
}

void AutomatonSystem::guards(const Point& p, std::span<double> z, Workspace& s) const noexcept {
  const LocationCode& l = location(*code_, p.mode);
  evaluate(l.guards, prepare(*code_, p, s, 0), z.data());
  // Locations with fewer guards fill the rest with a constant that never crosses zero.
  std::fill(z.begin() + static_cast<std::ptrdiff_t>(l.guard_count), z.end(), 1.0);
}

// Transitions are tried in order of priority; the first whose event is present and whose condition
// holds is taken (docs/mathematics/hybrid.md, section 2).
bool AutomatonSystem::select(const Point& p, std::span<const std::uint8_t> present,
                             std::span<int> chosen, Workspace& s) const noexcept {
  if (chosen.empty()) return false;
  chosen[0] = -1;
  const LocationCode& l = location(*code_, p.mode);
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

int AutomatonSystem::first_undecided(const Point& p, std::span<const std::uint8_t> present,
                                     Workspace& s) const noexcept {
  const LocationCode& l = location(*code_, p.mode);
  if (!l.undecided) return -1;
  const std::size_t count = l.conditions->outputs();
  const Memory m = prepare(*code_, p, s, 2 * count);
  evaluate(l.undecided, m, m.out);
  for (const detail::TransitionCode& t : l.transitions) {
    const bool waits = t.in != detail::Transition::none;
    if (waits && !present.empty() && present[t.in] == 0) continue;
    if (t.condition == detail::Transition::none) return -1;
    if (m.out[count + t.condition] != 0.0) return t.number;
    if (m.out[t.condition] != 0.0 && !(waits && present.empty())) return -1;
  }
  return -1;
}

bool AutomatonSystem::undecided(const Point& p, std::span<const std::uint8_t> present,
                                Workspace& s) const noexcept {
  return first_undecided(p, present, s) >= 0;
}

void AutomatonSystem::jump(const Point& p, std::span<const int> chosen, hybrid::Jump& jump,
                           Workspace& s) const noexcept {
  if (chosen.empty() || chosen[0] < 0) return;
  const LocationCode& l = location(*code_, p.mode);
  const auto& t = l.transitions[code_->place_of[static_cast<std::size_t>(chosen[0])]];
  // All right-hand sides are evaluated at the state before; then they are assigned together.
  if (!t.states.empty()) {
    const Memory m = prepare(*code_, p, s, l.actions->outputs());
    evaluate(l.actions, m, m.out);
    for (std::size_t i = 0; i < t.states.size(); ++i)
      jump.x[t.states[i]] = m.out[t.first_value + i];
  }
  jump.mode[0] = t.to;
  for (const std::size_t e : t.out) jump.emitted[e] = 1;
}

bool AutomatonSystem::explain(const Point& p, Fault& fault, Workspace& s) const noexcept {
  using detail::Suspect;
  if (diagnosed(p, Suspect::values, detail::Transition::none, fault, s)) return true;
  const int t = first_undecided(p, {}, s);
  return t >= 0 && diagnosed(p, Suspect::condition, static_cast<std::size_t>(t), fault, s);
}

bool AutomatonSystem::explain_jump(const Point& p, std::span<const int> chosen, Fault& fault,
                                   Workspace& s) const noexcept {
  if (chosen.empty() || chosen[0] < 0) return false;
  return diagnosed(p, detail::Suspect::resets, static_cast<std::size_t>(chosen[0]), fault, s);
}

bool AutomatonSystem::diagnosed(const Point& p, detail::Suspect suspect, std::size_t transition,
                                Fault& fault, Workspace& s) const noexcept {
  const double* point = prepare(*code_, p, s, 0).in;
  try {
    return code_->further->diagnose(location_of(p.mode), suspect, transition,
                                    {point, code_->inputs()}, fault);
  } catch (...) {
    return false;  // no memory: then without an explanation
  }
}

void AutomatonSystem::witness(const Point& p, int, int transition, std::span<double, 2> sides,
                              Workspace& s) const noexcept {
  sides[0] = sides[1] = std::numeric_limits<double>::quiet_NaN();
  const LocationCode& l = location(*code_, p.mode);
  const auto& t = l.transitions[code_->place_of[static_cast<std::size_t>(transition)]];
  if (t.sides == 0) return;
  const Memory m = prepare(*code_, p, s, l.actions->outputs());
  evaluate(l.actions, m, m.out);
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < t.sides; ++i) {
    const double left = m.out[t.first_side + 2 * i], right = m.out[t.first_side + 2 * i + 1];
    const double scale = std::max({std::abs(left), std::abs(right), 1e-300});
    // A comparison that does not hold can matter only under a `not`, so it ranks last (relative
    // distances are at most 2).
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
  const LocationCode& l = location(*code_, p.mode);
  const Memory m = prepare(*code_, p, s, 0);
  double* dx = m.in + code_->inputs();
  // Parts of the direction that are empty are zero.
  std::fill_n(dx, code_->inputs(), 0.0);
  std::copy(d.x.begin(), d.x.end(), dx);
  std::copy(d.u.begin(), d.u.end(), dx + code_->n);
  std::copy(d.p.begin(), d.p.end(), dx + code_->n + code_->m);
  if (!wanted.xdot.empty()) evaluate(l.flow_tangent, m, wanted.xdot.data());
  if (!wanted.y.empty())
    evaluate(output_programs(*code_, some_, p.outputs, p.mode).tangent, m, wanted.y.data());
  if (!wanted.z.empty()) {
    evaluate(l.guards_tangent, m, wanted.z.data());
    std::fill(wanted.z.begin() + static_cast<std::ptrdiff_t>(l.guard_count), wanted.z.end(), 0.0);
  }
}

void AutomatonSystem::tangents(const Point& p, const Directions& d, const Tangents& wanted,
                               Workspace& workspace) const noexcept {
  LaneSpace& w = lane_space(workspace);
  if (!w.code) return System::tangents(p, d, wanted, workspace);
  tangents_of(p, w, d, wanted, spec_.guards);
}

void AutomatonSystem::flow_lanes(const Points& p, double* xdot,
                                 Workspace& workspace) const noexcept {
  LaneSpace& w = lane_space(workspace);
  if (!w.code) return System::flow_lanes(p, xdot, workspace);
  const std::optional<Program>& program = location(*w.code, p.mode).flow;
  for (std::size_t b = 0; b < p.blocks.count; ++b) {
    prepare(*w.code, p, w, b);
    evaluate_lanes(program, w, xdot + b * p.blocks.result * lanes);
  }
}

void AutomatonSystem::output_lanes(const Points& p, double* y,
                                   Workspace& workspace) const noexcept {
  LaneSpace& w = lane_space(workspace);
  if (!w.code) return System::output_lanes(p, y, workspace);
  const detail::OutputPrograms& programs = output_programs(*w.code, w.some, p.outputs, p.mode);
  for (std::size_t b = 0; b < p.blocks.count; ++b) {
    prepare(*w.code, p, w, b);
    evaluate_lanes(programs.values, w, y + b * p.blocks.result * lanes);
  }
}

void AutomatonSystem::guards_lanes(const Points& p, double* z,
                                   Workspace& workspace) const noexcept {
  LaneSpace& w = lane_space(workspace);
  if (!w.code) return System::guards_lanes(p, z, workspace);
  const LocationCode& l = location(*w.code, p.mode);
  prepare(*w.code, p, w);
  evaluate_lanes(l.guards, w, z);
  std::fill(z + l.guard_count * lanes, z + spec_.guards * lanes, 1.0);
}

void AutomatonSystem::tangent_lanes(const Points& p, const Directions& d, const Tangents& wanted,
                                    Workspace& workspace) const noexcept {
  LaneSpace& w = lane_space(workspace);
  if (!w.code) return System::tangent_lanes(p, d, wanted, workspace);
  tangents_of(p, w, d, wanted, spec_.guards);
}

std::span<const std::size_t> AutomatonSystem::inactive_states(int location) const noexcept {
  return code_->inactive_states[static_cast<std::size_t>(location)];
}

std::span<const std::size_t> AutomatonSystem::inactive_outputs(int location) const noexcept {
  return code_->inactive_outputs[static_cast<std::size_t>(location)];
}

}  // namespace vernier::automaton
