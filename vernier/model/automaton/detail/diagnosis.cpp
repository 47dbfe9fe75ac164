#include "vernier/model/automaton/detail/diagnosis.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "vernier/base/text.hpp"
#include "vernier/kernel/expression/failure.hpp"

namespace vernier::automaton::detail {
namespace {

std::string symbol_name(const Model& m, const Adjustable& a, std::size_t symbol) {
  if (symbol < m.state_count) return m.element_name(Role::state, symbol);
  if (symbol < m.x_size()) return "a held output";
  symbol -= m.x_size();
  if (symbol < m.input_count) return m.element_name(Role::input, symbol);
  const auto constant = std::find(a.symbol.begin(), a.symbol.end(), symbol - m.input_count);
  return m.element_name(Role::constant, static_cast<std::size_t>(constant - a.symbol.begin()));
}

/// The text of an equation as one line that is not too long.
std::string in_one_line(const Element& e) {
  constexpr std::size_t longest = 120;
  std::string line;
  for (const std::string_view word : words(e.text))
    line += (line.empty() ? "" : " ") + std::string(word);
  if (line.size() <= longest) return line;
  std::size_t end = longest;
  while ((static_cast<unsigned char>(line[end]) & 0xC0) == 0x80) --end;
  return line.substr(0, end) + "…";
}

}  // namespace

bool diagnose(const Model& m, const Equations& e, const Adjustable& a, std::size_t location,
              Suspect suspect, std::size_t transition, std::span<const double> point,
              Fault& fault) {
  const auto finite = [](double x) { return std::isfinite(x); };
  if (!std::all_of(point.begin(), point.end(), finite)) return false;
  const LocationTerms& terms = e.locations[location];
  const auto name = [&](std::uint32_t symbol) { return symbol_name(m, a, symbol); };
  const auto fails = [&](Term term, const Element* equation, const std::string& what) {
    const auto why = expression::failure(terms.graph, term, point, name);
    if (!why || !equation) return false;
    const Place place = m.document.place_in_text(*equation, 0);
    fault.set(Category::numerics, "V3107", "\n%.150s\nin the %.80s, %.80s:%d: %.130s", why->c_str(),
              what.c_str(), m.document.file().filename().c_str(), place.line,
              in_one_line(*equation).c_str());
    return true;
  };
  if (suspect == Suspect::condition) {
    const Transition& t = m.transitions[transition];
    for (const expression::Atom& atom : e.transitions[transition].atoms)
      for (const Term side : {atom.left, atom.right})
        if (fails(side, t.domain.element, "condition of the transition " + t.name)) return true;
    return false;
  }
  if (suspect == Suspect::resets) {
    // The terms begin with those of the resets, in their order; holders follow.
    std::size_t next = 0;
    for (const Expression& reset : m.transitions[transition].resets) {
      const std::size_t count = reset.whole ? m.variable(Role::state, reset.target).count : 1;
      for (std::size_t k = 0; k < count; ++k, ++next)
        if (fails(e.transitions[transition].values[next], reset.element,
                  "reset of " + m.element_name(Role::state, reset.target + k) +
                      " by the transition " + m.transitions[transition].name))
          return true;
    }
    return false;
  }
  const Location& l = m.locations[location];
  for (std::size_t i = 0; i < m.state_count; ++i)
    if (fails(terms.flow[i], l.flow[i].element, "equation of " + m.element_name(Role::state, i)))
      return true;
  for (std::size_t i = 0; i < terms.output.size(); ++i)
    if (fails(terms.output[i], l.output[i].element, "output " + m.element_name(Role::output, i)))
      return true;
  return false;
}

}  // namespace vernier::automaton::detail
