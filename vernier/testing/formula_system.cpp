#include "vernier/testing/formula_system.hpp"

#include <algorithm>

#include "vernier/base/require.hpp"

namespace vernier::testing {

using hybrid::Direction;
using hybrid::Jump;
using hybrid::Point;
using hybrid::Tangent;
using hybrid::Workspace;

// Dual numbers in the working memory, two doubles each.
struct FormulaSystem::Evaluation {
  Terms terms;
  Dual* result;
};

FormulaSystem::FormulaSystem(Model model) : model_(std::move(model)) {
  spec_.states = model_.states;
  spec_.inputs = model_.inputs;
  spec_.outputs = model_.outputs;
  spec_.feedthrough = model_.feedthrough;
  spec_.unit_vectors = model_.unit_vectors;
  require(!model_.locations.empty());
  const auto label = [&](const std::string& name, bool in) {
    if (name.empty()) return;
    auto found = std::find_if(spec_.events.begin(), spec_.events.end(),
                              [&](const hybrid::Event& e) { return e.name == name; });
    if (found == spec_.events.end()) found = spec_.events.insert(found, {name, false, false});
    (in ? found->in : found->out) = true;
  };
  std::vector<std::size_t> atoms(model_.locations.size(), 0);
  hybrid::Automaton automaton{.name = "", .locations = {}, .transitions = {}};
  automaton.initial = model_.initial;
  for (const Location& l : model_.locations) automaton.locations.push_back(l.name);
  for (const Transition& t : model_.transitions) {
    automaton.transitions.push_back({t.name, t.from, t.to, t.name, !t.in.empty()});
    atoms[static_cast<std::size_t>(t.from)] += t.condition.size();
    label(t.in, true);
    label(t.out, false);
  }
  if (model_.locations.size() > 1 || !model_.transitions.empty()) {
    spec_.automata.push_back(std::move(automaton));
  }
  spec_.guards = *std::max_element(atoms.begin(), atoms.end());
  const std::size_t n = hybrid::size(spec_.states);
  spec_.work = 2 * (n + hybrid::size(spec_.inputs) + std::max(n, hybrid::size(spec_.outputs)));
}

FormulaSystem::Evaluation FormulaSystem::evaluation(const Point& p, const Direction* d,
                                                    Workspace& s) const noexcept {
  static_assert(sizeof(Dual) == 2 * sizeof(double));
  Dual* x = reinterpret_cast<Dual*>(s.doubles().data());
  Dual* u = x + p.x.size();
  for (std::size_t i = 0; i < p.x.size(); ++i) {
    x[i] = Dual(p.x[i], d != nullptr && !d->x.empty() ? d->x[i] : 0.0);
  }
  for (std::size_t i = 0; i < p.u.size(); ++i) {
    u[i] = Dual(p.u[i], d != nullptr && !d->u.empty() ? d->u[i] : 0.0);
  }
  return {{Dual(p.t, d != nullptr ? d->t : 0.0), x, u}, u + p.u.size()};
}

namespace {

std::size_t active(const Point& p) {
  return p.mode.empty() ? 0 : static_cast<std::size_t>(p.mode[0]);
}

}  // namespace

void FormulaSystem::flow(const Point& p, std::span<double> xdot, Workspace& s) const noexcept {
  const Evaluation e = evaluation(p, nullptr, s);
  model_.locations[active(p)].flow(e.terms, e.result);
  for (std::size_t i = 0; i < xdot.size(); ++i) xdot[i] = e.result[i].v;
}

void FormulaSystem::output(const Point& p, std::span<double> y, Workspace& s) const noexcept {
  if (y.empty()) return;
  const Evaluation e = evaluation(p, nullptr, s);
  model_.locations[active(p)].output(e.terms, e.result);
  for (std::size_t i = 0; i < y.size(); ++i) y[i] = e.result[i].v;
}

void FormulaSystem::guards(const Point& p, std::span<double> z, Workspace& s) const noexcept {
  const Evaluation e = evaluation(p, nullptr, s);
  std::size_t i = 0;
  for (const Transition& t : model_.transitions) {
    if (static_cast<std::size_t>(t.from) != active(p)) continue;
    for (const Atom& a : t.condition) z[i++] = (a.left(e.terms) - a.right(e.terms)).v;
  }
  std::fill(z.begin() + static_cast<std::ptrdiff_t>(i), z.end(), 1.0);
}

bool FormulaSystem::holds(const Transition& t, const Terms& terms) const noexcept {
  return std::all_of(t.condition.begin(), t.condition.end(), [&](const Atom& a) {
    const double left = a.left(terms).v;
    const double right = a.right(terms).v;
    switch (a.comparison) {
      case Comparison::less:
        return left < right;
      case Comparison::less_equal:
        return left <= right;
      case Comparison::greater:
        return left > right;
      case Comparison::greater_equal:
        return left >= right;
    }
    return false;
  });
}

std::size_t FormulaSystem::event(const std::string& name) const noexcept {
  std::size_t i = 0;
  while (spec_.events[i].name != name) ++i;
  return i;
}

bool FormulaSystem::select(const Point& p, std::span<const std::uint8_t> present,
                           std::span<int> chosen, Workspace& s) const noexcept {
  if (chosen.empty()) return false;
  const Evaluation e = evaluation(p, nullptr, s);
  chosen[0] = -1;
  for (std::size_t i = 0; i < model_.transitions.size(); ++i) {
    const Transition& t = model_.transitions[i];
    if (static_cast<std::size_t>(t.from) != active(p)) continue;
    if (!t.in.empty() && present[event(t.in)] == 0) continue;
    if (!holds(t, e.terms)) continue;
    chosen[0] = static_cast<int>(i);
    return true;
  }
  return false;
}

void FormulaSystem::jump(const Point& p, std::span<const int> chosen, Jump& jump,
                         Workspace&) const noexcept {
  if (chosen.empty() || chosen[0] < 0) return;
  const Transition& t = model_.transitions[static_cast<std::size_t>(chosen[0])];
  if (t.reset) t.reset(p.x.data(), jump.x.data());
  jump.mode[0] = t.to;
  if (!t.out.empty()) jump.emitted[event(t.out)] = 1;
}

void FormulaSystem::witness(const Point& p, int, int transition, std::span<double, 2> sides,
                            Workspace& s) const noexcept {
  const Transition& t = model_.transitions[static_cast<std::size_t>(transition)];
  sides[0] = sides[1] = std::nan("");
  if (t.condition.empty()) return;
  const Evaluation e = evaluation(p, nullptr, s);
  sides[0] = t.condition[0].left(e.terms).v;
  sides[1] = t.condition[0].right(e.terms).v;
}

void FormulaSystem::tangent(const Point& p, const Direction& d, const Tangent& wanted,
                            Workspace& s) const noexcept {
  const Evaluation e = evaluation(p, &d, s);
  if (!wanted.xdot.empty()) {
    model_.locations[active(p)].flow(e.terms, e.result);
    for (std::size_t i = 0; i < wanted.xdot.size(); ++i) wanted.xdot[i] = e.result[i].d;
  }
  if (!wanted.y.empty()) {
    model_.locations[active(p)].output(e.terms, e.result);
    for (std::size_t i = 0; i < wanted.y.size(); ++i) wanted.y[i] = e.result[i].d;
  }
  if (wanted.z.empty()) return;
  std::size_t i = 0;
  for (const Transition& t : model_.transitions) {
    if (static_cast<std::size_t>(t.from) != active(p)) continue;
    for (const Atom& a : t.condition) wanted.z[i++] = (a.left(e.terms) - a.right(e.terms)).d;
  }
  std::fill(wanted.z.begin() + static_cast<std::ptrdiff_t>(i), wanted.z.end(), 0.0);
}

FormulaSystem::Formula state(std::size_t index) {
  return [index](const Terms& e) { return e.x[index]; };
}

FormulaSystem::Formula input(std::size_t index) {
  return [index](const Terms& e) { return e.u[index]; };
}

FormulaSystem::Formula number(double value) {
  return [value](const Terms&) { return Dual(value); };
}

}  // namespace vernier::testing
