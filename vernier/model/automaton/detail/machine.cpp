#include "vernier/model/automaton/detail/machine.hpp"

#include "vernier/base/text.hpp"

namespace vernier::automaton::detail {
namespace {

/// On one line.
std::string on_one_line(std::string_view text) {
  std::vector<std::string> all;
  for (const std::string_view w : words(text)) all.emplace_back(w);
  return joined(all, " ");
}

std::string reset_text(const Transition& t) {
  std::vector<std::string> all;
  for (const Expression& e : t.resets) {
    all.push_back(std::string(e.element->value("state")) + " = " + on_one_line(e.element->text));
  }
  return joined(all, "; ");
}

}  // namespace

StateMachine machine_of(const Model& m) {
  StateMachine machine;
  for (const Location& l : m.locations) machine.locations.push_back({l.name, l.element->place});
  for (const Location& l : m.locations) {
    for (const std::size_t number : l.transitions) {
      const Transition& t = m.transitions[number];
      std::vector<std::string> emitted;
      for (const std::size_t e : t.out) emitted.push_back(m.events[e].name);
      machine.transitions.push_back(
          {.name = t.name,
           .from = l.name,
           .to = m.locations[t.to].name,
           .label = t.in == Transition::none ? "" : m.events[t.in].name,
           .emits = joined(emitted, ", "),
           .condition = t.domain.element ? on_one_line(t.domain.element->text) : "",
           .reset = reset_text(t),
           .place = t.element->place});
    }
  }
  if (m.initial < m.locations.size()) machine.initial = m.locations[m.initial].name;
  return machine;
}

}  // namespace vernier::automaton::detail
