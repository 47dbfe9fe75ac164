#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "vernier/base/text.hpp"
#include "vernier/model/automaton/detail/equations.hpp"

namespace vernier::automaton::detail {
namespace {

using expression::Graph;
using expression::Node;
using expression::Operation;

constexpr std::size_t most_compared =
    32;  // limit for comparing the transitions of a location in pairs

struct Interval {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  bool low_open = false, high_open = false;

  bool empty() const noexcept { return low > high || (low == high && (low_open || high_open)); }
  void below(double v, bool open) noexcept {
    if (v < high || (v == high && open)) high = v, high_open = open;
  }
  void above(double v, bool open) noexcept {
    if (v > low || (v == low && open)) low = v, low_open = open;
  }
};

/// Intervals by symbol.
using Box = std::map<std::uint32_t, Interval>;

// Intersects the box with a comparison of a variable and a constant; false for other comparisons.
bool narrow(const Graph& g, const Node& comparison, Box& box) {
  const Node& a = g[comparison.a];
  const Node& b = g[comparison.b];
  const bool straight = a.operation == Operation::symbol && b.operation == Operation::constant;
  const bool mirrored = a.operation == Operation::constant && b.operation == Operation::symbol;
  if (!straight && !mirrored) return false;
  Interval& i = box[straight ? a.symbol : b.symbol];
  const double v = straight ? b.value : a.value;
  switch (comparison.operation) {
    case Operation::less:
    case Operation::less_equal: {
      const bool open = comparison.operation == Operation::less;
      straight ? i.below(v, open) : i.above(v, open);
      return true;
    }
    case Operation::greater:
    case Operation::greater_equal: {
      const bool open = comparison.operation == Operation::greater;
      straight ? i.above(v, open) : i.below(v, open);
      return true;
    }
    default:
      return false;
  }
}

/// The box that a condition describes exactly, if it is a conjunction of comparisons of variables
/// with constants.
std::optional<Box> box_of(const Graph& g, Term condition) {
  Box box;
  std::vector<Term> left{condition};
  while (!left.empty()) {
    const Node& n = g[left.back()];
    left.pop_back();
    if (n.operation == Operation::logical_and) {
      left.push_back(n.a);
      left.push_back(n.b);
    } else if (!narrow(g, n, box) || box.size() > 8) {
      return {};
    }
  }
  return box;
}

/// Whether some state certainly enables both. Only boxes are compared, so there are no false
/// warnings.
bool overlap(const Graph& g, const TransitionTerms& a, const TransitionTerms& b) {
  if (!a.has_condition && !b.has_condition) return true;  // the same event
  if (!a.has_condition || !b.has_condition) return false;
  if (a.condition == b.condition) return g[a.condition].operation != Operation::constant;
  const auto first = box_of(g, a.condition), second = box_of(g, b.condition);
  if (!first || !second || first->size() != second->size()) return false;
  for (const auto& [symbol, interval] : *first) {
    const auto other = second->find(symbol);
    if (other == second->end()) return false;
    Interval both = interval;
    both.below(other->second.high, other->second.high_open);
    both.above(other->second.low, other->second.low_open);
    if (both.empty()) return false;
  }
  return true;
}

void check_conflicts(const Model& m, const Equations& e, Report& report) {
  for (std::size_t at = 0; at < m.locations.size() && !report.full(); ++at) {
    const Location& l = m.locations[at];
    const Graph& graph = e.locations[at].graph;
    const std::size_t n = std::min(l.transitions.size(), most_compared);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t k = i + 1; k < n; ++k) {
        const Transition& a = m.transitions[l.transitions[i]];
        const Transition& b = m.transitions[l.transitions[k]];
        if (a.priority != b.priority || a.in != b.in) continue;
        if (!overlap(graph, e.transitions[l.transitions[i]], e.transitions[l.transitions[k]]))
          continue;
        report
            .warning("V1341",
                     "in " + in_quotes(l.name) + " both " + a.name + " and " + b.name +
                         " can be enabled at once; " + a.name + " wins (document order)",
                     report.text_place(*b.element->child("name")))
            .notes.push_back("priority=\"1\" on one of them says that this is meant");
      }
    }
  }
}

// Locations that no transition enters, and those that no transition leaves.
void check_reach(const Model& m, Report& report) {
  if (m.locations.size() < 2) return;
  std::vector<std::uint8_t> entered(m.locations.size(), 0);
  entered[m.initial] = 1;
  for (const Transition& t : m.transitions) {
    if (t.from != t.to) entered[t.to] = 1;
  }
  for (std::size_t i = 0; i < m.locations.size(); ++i) {
    const Location& l = m.locations[i];
    const Place place = report.text_place(*l.element->child("name"));
    const bool left = std::any_of(l.transitions.begin(), l.transitions.end(),
                                  [&](std::size_t t) { return m.transitions[t].to != i; });
    if (!entered[i]) {
      report.warning("V1343",
                     "no transition leads to " + in_quotes(l.name) + ": it is never active", place);
    } else if (!left) {
      report.warning("V1340",
                     "no transition leaves " + in_quotes(l.name) + ": the system can never go back",
                     place);
    }
  }
}

void check_use(const Model& m, const Equations& e, Report& report) {
  const auto check = [&](const std::vector<Variable>& variables,
                         const std::vector<std::uint8_t>& used) {
    for (const Variable& v : variables) {
      const auto first = used.begin() + static_cast<std::ptrdiff_t>(v.first);
      if (std::find(first, first + v.count, 1) != first + v.count) continue;
      report.warning("V1342", "the " + v.element->name + " " + in_quotes(v.name) + " is never used",
                     Report::value_place(*v.element, "name"));
    }
  };
  check(m.constants, e.constants_used);
  check(m.inputs, e.inputs_used);
  std::vector<std::uint8_t> used(m.events.size(), 0);
  for (const Transition& t : m.transitions) {
    if (t.in != Transition::none) used[t.in] = 1;
    for (const std::size_t out : t.out) used[out] = 1;
  }
  for (std::size_t i = 0; i < m.events.size(); ++i) {
    if (used[i] || report.full()) continue;
    report.warning("V1342", "the event " + in_quotes(m.events[i].name) + " is never used",
                   Report::value_place(*m.events[i].element, "name"));
  }
}

}  // namespace

void check_sense(const Model& m, const Equations& e, Report& report) {
  check_use(m, e, report);
  check_reach(m, report);
  check_conflicts(m, e, report);
}

}  // namespace vernier::automaton::detail
