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
              std::span<const double> point, Fault& fault) {
  const auto finite = [](double x) { return std::isfinite(x); };
  if (!std::all_of(point.begin(), point.end(), finite)) return false;
  const LocationTerms& terms = e.locations[location];
  const auto name = [&](std::uint32_t symbol) { return symbol_name(m, a, symbol); };
  for (std::size_t i = 0; i < m.state_count; ++i) {
    const auto why = expression::failure(terms.graph, terms.flow[i], point, name);
    const Element* equation = m.locations[location].flow[i].element;
    if (!why || !equation) continue;
    const Place place = m.document.place_in_text(*equation, 0);
    fault.set(Category::numerics, "V3107", "\n%.150s\nin the equation of %.40s, %.80s:%d: %.130s",
              why->c_str(), m.element_name(Role::state, i).c_str(),
              m.document.file().filename().c_str(), place.line, in_one_line(*equation).c_str());
    return true;
  }
  return false;
}

}  // namespace vernier::automaton::detail
