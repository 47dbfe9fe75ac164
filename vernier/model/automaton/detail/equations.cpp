#include "vernier/model/automaton/detail/equations.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "vernier/base/text.hpp"

namespace vernier::automaton::detail {
namespace {

using expression::Meaning;
using expression::Parsed;
using expression::Problem;
using expression::Wanted;

constexpr std::size_t none = Transition::none;
constexpr std::size_t most_terms = 1'000'000;  // of all locations: compiling them takes seconds

bool name_start(char c) noexcept {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}
bool digit(char c) noexcept { return c >= '0' && c <= '9'; }
bool blank(char c) noexcept { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

/// Calls `found` with each name in an expression, "f[0]" included; a little more than the names
/// does no harm.
template <class F>
void for_each_name(std::string_view s, F&& found) {
  for (std::size_t i = 0; i < s.size();) {
    if (!name_start(s[i])) {
      // 2.7e-4 has no name e in it
      const bool number = digit(s[i]);
      ++i;
      while (number && i < s.size() && (digit(s[i]) || s[i] == '.' || name_start(s[i]))) ++i;
      continue;
    }
    const std::size_t begin = i;
    while (i < s.size() && (name_start(s[i]) || digit(s[i]))) ++i;
    std::string name(s.substr(begin, i - begin));
    std::size_t k = i;
    while (k < s.size() && blank(s[k])) ++k;
    if (k < s.size() && s[k] == '[') {
      ++k;
      name += '[';
      while (k < s.size() && (blank(s[k]) || s[k] == '0') &&
             !(s[k] == '0' && (k + 1 >= s.size() || !digit(s[k + 1]))))
        ++k;
      while (k < s.size() && digit(s[k])) name += s[k++];
      name += ']';
      i = k;
    }
    found(name);
  }
}

/// The first number of an expression that could be a quantity: no exponent, no index.
std::string_view first_number(std::string_view s) {
  for (std::size_t i = 0; i < s.size();) {
    if (name_start(s[i])) {
      while (i < s.size() && (name_start(s[i]) || digit(s[i]) || s[i] == '[')) ++i;
    } else if (digit(s[i])) {
      const std::size_t begin = i;
      const auto exponent_sign = [&] {
        return (s[i] == '-' || s[i] == '+') && (s[i - 1] == 'e' || s[i - 1] == 'E');
      };
      while (i < s.size() && (digit(s[i]) || s[i] == '.' || name_start(s[i]) || exponent_sign()))
        ++i;
      if (begin == 0 || s[begin - 1] != '^')
        return s.substr(begin, std::min<std::size_t>(i - begin, 30));
    } else {
      ++i;
    }
  }
  return {};
}

class Builder {
 public:
  Builder(const Model& m, std::span<const double> constants, Report* report, const Adjustable& a)
      : m_(m), constants_(constants), adjustable_(a), report_(report) {
    e_.constants_used.resize(m.constant_count);
    e_.inputs_used.resize(m.input_count);
    e_.states_used.resize(m.state_count);
    e_.locations.resize(m.locations.size());
    e_.transitions.resize(m.transitions.size());
  }

  Equations run() {
    for (std::size_t i = 0; i < m_.locations.size(); ++i) {
      if (report_ && report_->full()) break;
      build_location(i);
    }
    return std::move(e_);
  }

 private:
  // ---- names

  std::optional<Meaning> meaning(std::string_view name, bool units) {
    key_.assign(name);
    const auto found = m_.names.find(key_);
    if (found == m_.names.end()) return {};
    const Reference& r = found->second;
    const auto unit = [&]() -> std::optional<Unit> {
      if (!units) return {};
      return m_.variable(r).unit;
    };
    switch (r.role) {
      case Role::constant:
        e_.constants_used[r.index] = 1;
        return Meaning{constant(r.index), unit()};
      case Role::input:
        e_.inputs_used[r.index] = 1;
        return Meaning{input(r.index), unit()};
      case Role::state:
        e_.states_used[r.index] = 1;
        return Meaning{graph_->symbol(r.index), unit()};
      default:
        return Meaning{outputs_[r.index],
                       m_.variable(r).unit_text.empty() && units ? output_units_[r.index] : unit()};
    }
  }

  Term constant(std::size_t index) {
    if (adjustable_.count == 0 || adjustable_.symbol[index] == Adjustable::fixed)
      return graph_->constant(constants_[index]);
    return input(m_.input_count + adjustable_.symbol[index]);
  }

  Term input(std::size_t index) {
    return graph_->symbol(static_cast<std::uint32_t>(m_.x_size() + index));
  }

  // ---- expressions

  Parsed parse(const Expression& e, Wanted wanted, const std::string& where) {
    if (finished_terms_ + graph_->size() > most_terms) return refuse_size(e);
    const expression::Scope scope = [&](std::string_view name) { return meaning(name, e.units); };
    Parsed p = expression::parse(e.element->text, *graph_, scope, wanted);
    if (report_) {
      for (const Problem& problem : p.problems) tell(problem, e, where);
    }
    return p;
  }

  Parsed refuse_size(const Expression& e) {
    if (report_ && !std::exchange(too_large_, true)) {
      report_->error("V1315",
                     "the expressions have more than " + std::to_string(most_terms) + " terms",
                     report_->text_place(*e.element));
    }
    Parsed nothing;
    nothing.term = zero_;
    return nothing;
  }

  void tell(const Problem& p, const Expression& e, const std::string& where) {
    if (report_->full()) return;
    const std::string_view text = e.element->text;
    const Place place = report_->document().place_in_text(*e.element, p.offset,
                                                          width(text.substr(p.offset, p.length)));
    switch (p.kind) {
      case Problem::Kind::unknown_name:
        return tell_unknown(p, place, where);
      case Problem::Kind::unknown_function: {
        Diagnostic& d = report_->error(
            "V1305", "unknown function " + in_quotes(p.name) + " in " + where, place);
        const auto all = expression::function_names();
        if (const auto near = closest(p.name, all)) {
          d.mark = "did you mean " + *near + "?";
        } else {
          d.notes.push_back("functions: " + listed(all, 40));
        }
        return;
      }
      case Problem::Kind::arguments:
        report_->error("V1306", p.message + ", in " + where, place);
        return;
      case Problem::Kind::units:
        report_->error("V1312", p.message + ", in " + where, place).notes.push_back(switch_off());
        return;
      case Problem::Kind::type:
        report_->error("V1307", where + " does not fit its place", place).mark = p.message;
        return;
      case Problem::Kind::syntax:
        report_->error("V1301", where + " cannot be read", place).mark = p.message;
        return;
    }
  }

  static std::string switch_off() {
    return "write unit=\"1\" to switch the check off for this expression";
  }

  void tell_unknown(const Problem& p, const Place& place, const std::string& where) {
    Diagnostic& d =
        report_->error("V1304", "unknown name " + in_quotes(p.name) + " in " + where, place);
    if (const Variable* v = vector_called(p.name)) {
      d.mark = p.name.find('[') == std::string::npos
                   ? "has " + std::to_string(v->count) + " elements: write " + v->name + "[0]"
               : v->count == 1 ? v->name + " has no elements: write " + v->name
                               : "the elements are " + v->name + "[0] to " + v->name + "[" +
                                     std::to_string(v->count - 1) + "]";
    } else if (const auto near = closest(p.name, all_names())) {
      const Reference& r = m_.names.at(*near);
      const std::string& unit = m_.variable(r).unit_text;
      d.mark = "did you mean " + *near + " (" + std::string(Model::role_name(r.role)) +
               (unit.empty() ? "" : ", " + unit) + ")?";
    } else if (p.message.find("is a function") != std::string::npos) {
      d.mark = p.message;
    } else if (p.name == "t" || p.name == "time") {
      d.mark = "time has no name: add a state with derivative 1";
    }
    d.notes.push_back(known_here());
  }

  const Variable* vector_called(std::string_view name) const {
    const std::string_view base = name.substr(0, name.find('['));
    for (const Role role : {Role::state, Role::input, Role::output, Role::constant}) {
      for (const Variable& v : m_.variables(role)) {
        if (v.name == base && (v.count > 1 || base != name)) return &v;
      }
    }
    return nullptr;
  }

  const std::vector<std::string>& all_names() {
    if (all_names_.empty()) {
      for (const auto& [name, reference] : m_.names) all_names_.push_back(name);
      std::sort(all_names_.begin(), all_names_.end());
    }
    return all_names_;
  }

  std::string known_here() const {
    std::string text = "known here:";
    for (const Role role : {Role::state, Role::input, Role::output, Role::constant}) {
      std::vector<std::string> names;
      for (const Variable& v : m_.variables(role)) {
        names.push_back(v.count == 1 ? v.name : v.name + "[0…" + std::to_string(v.count - 1) + "]");
      }
      if (names.empty()) continue;
      text += std::string(text.back() == ':' ? " " : " · ") + std::string(Model::role_name(role)) +
              "s " + listed(names);
    }
    return text.back() == ':' ? "nothing is declared" : text;
  }

  // ---- units

  /// A dimension in the words of the expression: W/V where those are its variables, not A.
  std::string in_words(const Unit& u, std::string_view expression_text) const {
    std::vector<std::pair<std::string, Unit>> used;
    for_each_name(expression_text, [&](const std::string& name) {
      const auto found = m_.names.find(name);
      if (found == m_.names.end() || used.size() >= 16) return;
      const Variable& v = m_.variable(found->second);
      if (v.unit && !dimensionless(*v.unit)) used.emplace_back(v.unit_text, *v.unit);
    });
    const auto single = [](const std::string& s) {
      return s.find_first_of("*/ ^") == std::string::npos;
    };
    for (const auto& [name, unit] : used) {
      if (same_dimension(unit, u)) return name;
    }
    for (const auto& [a, unit_a] : used) {
      for (const auto& [b, unit_b] : used) {
        if (!single(a) || !single(b) || a == b) continue;
        const bool quotient_fits = same_dimension(quotient(unit_a, unit_b), u);
        if (!quotient_fits && !same_dimension(product(unit_a, unit_b), u)) continue;
        std::string words = a;
        words += quotient_fits ? '/' : '*';
        words += b;
        return words;
      }
    }
    return text(u);
  }

  void compare_units(const Parsed& p, const std::optional<Unit>& expected, const Expression& e,
                     const std::string& subject) {
    if (!report_ || !e.units || !p.problems.empty() || !expected || !p.unit) return;
    if (same_dimension(*expected, *p.unit)) return;
    const std::string_view whole = e.element->text;
    Diagnostic& d = report_->error("V1312",
                                   "units do not agree: " + subject + " is " + text(*expected) +
                                       ", the expression is " + in_words(*p.unit, whole),
                                   report_->text_place(*e.element));
    const std::string number(first_number(whole));
    d.notes.push_back(
        (number.empty() ? "write" : "add a unit to the constant " + number + ", or write") +
        std::string(" unit=\"1\" to switch the check off for this equation"));
  }

  static std::optional<Unit> per_second(const std::optional<Unit>& u) {
    if (!u) return {};
    Unit second;
    second.power[2] = 1;
    return quotient(*u, second);
  }

  // ---- locations

  void build_location(std::size_t index) {
    const Location& l = m_.locations[index];
    LocationTerms& terms = e_.locations[index];
    if (graph_) finished_terms_ += graph_->size();
    graph_ = &terms.graph;
    zero_ = graph_->constant(0.0);
    build_outputs(l);
    terms.output = outputs_;
    terms.flow.assign(m_.x_size(), zero_);
    for (const Variable& v : m_.states) {
      for (std::size_t i = v.first; i < v.first + v.count; ++i) {
        const Expression& e = l.flow[i];
        if (!e.element) continue;
        const std::string name = in_quotes(report_ ? m_.element_name(Role::state, i) : "");
        const Parsed p = parse(e, Wanted::number, "the equation of state " + name);
        compare_units(p, per_second(v.unit), e, "the derivative of " + name);
        terms.flow[i] = p.term;
      }
    }
    if (report_) {
      for (const Expression& e : l.strays) parse(e, Wanted::number, "this equation");
    }
    for (const std::size_t t : l.transitions)
      build_transition(l, m_.transitions[t], e_.transitions[t]);
  }

  /// Outputs are named intermediate values: each is parsed after those it uses.
  void build_outputs(const Location& l) {
    outputs_.assign(m_.output_count, zero_);
    output_units_.assign(m_.output_count, std::nullopt);
    for (std::size_t i = 0; i < m_.output_count; ++i) {
      if (!l.output[i].element && m_.holder[i] != none) {
        outputs_[i] = graph_->symbol(static_cast<std::uint32_t>(m_.holder[i]));
      }
    }
    std::vector<std::vector<std::size_t>> needed_by(m_.output_count);
    std::vector<std::size_t> needs(m_.output_count, 0), ready;
    for (std::size_t i = 0; i < m_.output_count; ++i) {
      if (!l.output[i].element) continue;
      for_each_name(l.output[i].element->text, [&](const std::string& name) {
        const auto found = m_.names.find(name);
        if (found == m_.names.end() || found->second.role != Role::output) return;
        if (!l.output[found->second.index].element) return;
        needed_by[found->second.index].push_back(i);
        ++needs[i];
      });
    }
    for (std::size_t i = m_.output_count; i-- > 0;) {
      if (l.output[i].element && needs[i] == 0) ready.push_back(i);
    }
    std::vector<std::uint8_t> done(m_.output_count, 0);
    while (!ready.empty()) {
      const std::size_t i = ready.back();
      ready.pop_back();
      done[i] = 1;
      build_output(l.output[i], i);
      for (const std::size_t next : needed_by[i]) {
        if (--needs[next] == 0) ready.push_back(next);
      }
    }
    if (report_) tell_ring(l, needed_by, done);
  }

  void build_output(const Expression& e, std::size_t i) {
    const std::string name = in_quotes(report_ ? m_.element_name(Role::output, i) : "");
    const Parsed p = parse(e, Wanted::number, "the map of output " + name);
    const auto r = std::upper_bound(m_.outputs.begin(), m_.outputs.end(), i,
                                    [](std::size_t k, const Variable& v) { return k < v.first; }) -
                   1;
    compare_units(p, r->unit, e, "output " + name);
    outputs_[i] = p.term;
    output_units_[i] = p.unit;
  }

  void tell_ring(const Location& l, const std::vector<std::vector<std::size_t>>& needed_by,
                 const std::vector<std::uint8_t>& done) {
    std::vector<std::size_t> needs_one(done.size(), none);  // of those left, one that it waits for
    for (std::size_t i = 0; i < done.size(); ++i) {
      if (!l.output[i].element || done[i]) continue;
      for (const std::size_t next : needed_by[i]) needs_one[next] = i;
    }
    std::size_t at = none;
    for (std::size_t i = 0; i < done.size() && at == none; ++i) {
      if (l.output[i].element && !done[i]) at = i;
    }
    if (at == none) return;
    // every output that is left waits for another that is left: following leads into a ring
    std::vector<std::uint8_t> seen(done.size(), 0);
    while (!seen[at]) {
      seen[at] = 1;
      at = needs_one[at];
    }
    std::vector<std::string> ring;
    for (std::size_t i = at; ring.empty() || i != at; i = needs_one[i]) {
      ring.push_back(m_.element_name(Role::output, i));
    }
    ring.push_back(ring.front());
    const std::string chain =
        ring.size() <= 12 ? joined(ring, " → ") : ring[0] + " → " + ring[1] + " → … → " + ring[0];
    Diagnostic& d = report_->error("V1325", "outputs need each other in a ring: " + chain,
                                   report_->text_place(*l.output[at].element));
    d.notes.push_back("in location " + in_quotes(l.name) +
                      "; solve the equations for one of them, or make it a state");
  }

  void build_transition(const Location& from, const Transition& t, TransitionTerms& terms) {
    const std::string name = in_quotes(t.name);
    if (t.domain.element) {
      Parsed p = parse(t.domain, Wanted::condition, "the domain of transition " + name);
      terms.has_condition = true;
      terms.condition = p.term;
      terms.atoms = std::move(p.atoms);
    }
    for (const Expression& e : t.resets) {
      const std::string state = in_quotes(report_ ? m_.element_name(Role::state, e.target) : "");
      const Parsed p = parse(e, Wanted::number, "the reset of state " + state);
      const auto v =
          std::upper_bound(m_.states.begin(), m_.states.end(), e.target,
                           [](std::size_t k, const Variable& x) { return k < x.first; }) -
          1;
      compare_units(p, v->unit, e, "state " + state);
      terms.states.push_back(e.target);
      terms.values.push_back(p.term);
    }
    // an output that the next location does not map keeps the value it has here
    for (std::size_t i = 0; i < m_.output_count; ++i) {
      const bool leaves =
          m_.holder[i] != none && from.output[i].element && !m_.locations[t.to].output[i].element;
      if (!leaves) continue;
      terms.states.push_back(m_.holder[i]);
      terms.values.push_back(outputs_[i]);
    }
  }

  const Model& m_;
  std::span<const double> constants_;
  const Adjustable& adjustable_;
  Report* report_;
  Equations e_;
  expression::Graph* graph_ = nullptr;  // of the location being built
  std::size_t finished_terms_ = 0;      // of the locations before
  bool too_large_ = false;
  Term zero_ = 0;
  std::vector<Term> outputs_;                      // of the location being built
  std::vector<std::optional<Unit>> output_units_;  // of those that declare none
  std::vector<std::string> all_names_;
  std::string key_;
};

}  // namespace

Equations build_equations(const Model& m, std::span<const double> constants, Report* report,
                          const Adjustable& adjustable) {
  return Builder(m, constants, report, adjustable).run();
}

std::vector<double> default_constants(const Model& m) {
  std::vector<double> values;
  values.reserve(m.constant_count);
  for (const Variable& v : m.constants) values.insert(values.end(), v.value.begin(), v.value.end());
  return values;
}

}  // namespace vernier::automaton::detail
