#include "vernier/model/automaton/detail/equations.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "vernier/base/text.hpp"

namespace vernier::automaton::detail {
namespace {

using expression::Meaning;
using expression::Parsed;
using expression::Problem;
using expression::text;
using expression::Value;
using expression::Wanted;

constexpr std::size_t none = Transition::none;
constexpr std::size_t most_terms =
    1'000'000;  // in all locations: compiling this many takes seconds

bool name_start(char c) noexcept {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}
bool digit(char c) noexcept { return c >= '0' && c <= '9'; }
bool blank(char c) noexcept { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

/// Calls `found` with each name in an expression, with its index if that is a single number:
/// "f[0]", but "f" for f[0:2]. It may report too many names; this only adds dependencies.
template <class F>
void for_each_name(std::string_view s, F&& found) {
  for (std::size_t i = 0; i < s.size();) {
    if (!name_start(s[i])) {
      // The e of 2.7e-4 is not a name.
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
      std::string index;
      while (k < s.size() && (blank(s[k]) || s[k] == '0') &&
             !(s[k] == '0' && (k + 1 >= s.size() || !digit(s[k + 1]))))
        ++k;
      while (k < s.size() && digit(s[k])) index += s[k++];
      while (k < s.size() && blank(s[k])) ++k;
      if (k < s.size() && s[k] == ']' && !index.empty()) {
        name += '[' + index + ']';
        i = k;
      }
    }
    found(name);
  }
}

/// The first number of an expression that could be a quantity, not an exponent or an index.
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

// Parses the expressions of a model. Each location gets its own graph, in which states are symbols,
// fixed constants are numbers, and outputs and definitions stand for their terms.
class Builder {
 public:
  Builder(const Model& m, std::span<const double> constants, Report* report, const Adjustable& a)
      : m_(m), constants_(constants), adjustable_(a), report_(report) {
    e_.constants_used.resize(m.constant_count);
    e_.inputs_used.resize(m.input_count);
    e_.states_used.resize(m.state_count);
    e_.locations.resize(m.locations.size());
    e_.transitions.resize(m.transitions.size());
    functions_used_.resize(m.functions.size());
    for (const Definition& d : m.lets) let_needs_.push_back(outputs_in(d.expression));
  }

  Equations run() {
    for (std::size_t i = 0; i < m_.locations.size(); ++i) {
      if (report_ && report_->full()) break;
      build_location(i);
    }
    if (report_) check_unused_functions();
    return std::move(e_);
  }

 private:
  // Names

  std::optional<Value> value(std::string_view name, bool units) {
    const std::string key(name);
    if (const auto let = m_.lets_by_name.find(key); let != m_.lets_by_name.end())
      return let_value(let->second, units);
    const auto found = m_.variables_by_name.find(key);
    if (found == m_.variables_by_name.end()) return {};
    const Variable& v = m_.variable(found->second);
    Value all(v.shape, {});
    all.elements.reserve(v.count);
    for (std::size_t i = v.first; i < v.first + v.count; ++i)
      all.elements.push_back(meaning(found->second.role, v, i, units));
    return all;
  }

  Meaning meaning(Role role, const Variable& v, std::size_t index, bool units) {
    const std::optional<Unit> unit = units ? v.unit : std::nullopt;
    switch (role) {
      case Role::constant:
        e_.constants_used[index] = 1;
        return {constant(index), unit};
      case Role::input:
        e_.inputs_used[index] = 1;
        return {input(index), unit};
      case Role::state:
        e_.states_used[index] = 1;
        return {graph_->symbol(static_cast<std::uint32_t>(index)), unit};
      default:
        return {outputs_[index], v.unit_text.empty() && units ? output_units_[index] : unit};
    }
  }

  /// A definition is parsed at its first use in a location; the outputs it needs are known by then.
  Value let_value(std::size_t number, bool units) {
    std::optional<Value>& known = lets_[number];
    if (!known) {
      const Definition& d = m_.lets[number];
      const Parsed p =
          parse(d.expression, Wanted::values, "the definition of " + in_quotes(d.name), number);
      known = Value(p.shape, p.elements);
    }
    Value v = *known;
    for (Meaning& m : v.elements) {
      if (!units) m.unit = {};
    }
    return v;
  }

  Term constant(std::size_t index) {
    if (adjustable_.count == 0 || adjustable_.symbol[index] == Adjustable::fixed)
      return graph_->constant(constants_[index]);
    return input(m_.input_count + adjustable_.symbol[index]);
  }

  Term input(std::size_t index) {
    return graph_->symbol(static_cast<std::uint32_t>(m_.x_size() + index));
  }

  // Expressions

  /// `known_lets`: the number of definitions that are visible.
  Parsed parse(const Expression& e, Wanted wanted, const std::string& where,
               std::size_t known_lets = none) {
    if (finished_terms_ + graph_->size() > most_terms) return refuse_size(e);
    const expression::Scope scope = [&](std::string_view name) -> std::optional<Value> {
      const auto let = m_.lets_by_name.find(std::string(name));
      if (let != m_.lets_by_name.end() && let->second >= known_lets) return {};
      return value(name, e.units);
    };
    Parsed p = expression::parse(e.element->text, *graph_, scope, wanted, m_.functions);
    if (report_) {
      for (const Problem& problem : p.problems) tell(problem, e, where);
      for_each_name(e.element->text, [&](const std::string& name) { use_function(name); });
    }
    return p;
  }

  /// Marks a function as used, and those that it calls.
  void use_function(const std::string& name) {
    for (std::size_t i = 0; i < m_.functions.size(); ++i) {
      if (m_.functions[i].name != name || std::exchange(functions_used_[i], 1)) continue;
      for_each_name(m_.functions[i].body, [&](const std::string& inner) { use_function(inner); });
    }
  }

  /// A function that is never called was not parsed yet. With numbers as arguments, everything
  /// except sizes and units can be checked.
  void check_unused_functions() {
    for (std::size_t i = 0; i < m_.functions.size(); ++i) {
      if (functions_used_[i] || report_->full() || m_.locations.empty()) continue;
      const expression::UserFunction& f = m_.functions[i];
      const Expression body{m_.function_elements[i], false};
      const expression::Scope scope = [&](std::string_view name) -> std::optional<Value> {
        if (std::find(f.arguments.begin(), f.arguments.end(), name) != f.arguments.end())
          return Meaning{graph_->symbol(0)};
        return value(name, false);
      };
      const auto before = m_.functions.begin() + static_cast<std::ptrdiff_t>(i);
      const Parsed p =
          expression::parse(f.body, *graph_, scope, Wanted::values, {m_.functions.begin(), before});
      for (const Problem& problem : p.problems) {
        if (problem.kind != Problem::Kind::sizes && problem.kind != Problem::Kind::units)
          tell(problem, body, "the function " + in_quotes(f.name));
      }
      report_->warning("V1342", "the function " + in_quotes(f.name) + " is never used",
                       Report::value_place(*body.element, "name"));
    }
  }

  Parsed refuse_size(const Expression& e) {
    if (report_ && !std::exchange(too_large_, true)) {
      report_->error("V1315",
                     "the expressions have more than " + std::to_string(most_terms) + " terms",
                     report_->text_place(*e.element));
    }
    Parsed nothing;
    nothing.term = zero_;
    nothing.elements = {{zero_, {}}};
    nothing.literal = true;
    return nothing;
  }

  void tell(const Problem& p, const Expression& e, const std::string& whole) {
    if (report_->full()) return;
    const bool inside = p.function != Problem::outside;
    const Element& element = inside ? *m_.function_elements[p.function] : *e.element;
    const std::string where =
        inside ? "the function " + in_quotes(m_.functions[p.function].name) : whole;
    const std::string_view text = element.text;
    const Place place = report_->document().place_in_text(element, p.offset,
                                                          width(text.substr(p.offset, p.length)));
    switch (p.kind) {
      case Problem::Kind::unknown_name:
        return tell_unknown(p, place, where);
      case Problem::Kind::unknown_function: {
        Diagnostic& d = report_->error(
            "V1305", "unknown function " + in_quotes(p.name) + " in " + where, place);
        auto all = expression::function_names();
        for (const expression::UserFunction& f : m_.functions) all.push_back(f.name);
        if (const auto near = closest(p.name, all)) {
          did_you_mean(d, *near);
        } else {
          d.notes.push_back("functions: " + listed(all, 40));
        }
        return;
      }
      case Problem::Kind::arguments:
        report_->error("V1306", p.message + ", in " + where, place);
        return;
      case Problem::Kind::sizes:
        report_->error("V1316", p.message + ", in " + where, place);
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
    if (m_.lets_by_name.contains(p.name)) {
      d.mark = "it is defined only after this";
    } else if (const auto near = closest(p.name, all_names())) {
      d.mark = "did you mean " + *near;
      add_change(d, place, *near);
      if (const auto v = m_.variables_by_name.find(*near); v != m_.variables_by_name.end()) {
        const std::string& unit = m_.variable(v->second).unit_text;
        d.mark += " (" + std::string(Model::role_name(v->second.role)) +
                  (unit.empty() ? "" : ", " + unit) + ")";
      }
      d.mark += "?";
    } else if (p.message.find("is a function") != std::string::npos) {
      d.mark = p.message;
    } else if (p.name == "t" || p.name == "time") {
      d.mark = "time has no name: add a state with derivative 1";
    }
    d.notes.push_back(known_here());
  }

  const std::vector<std::string>& all_names() {
    if (all_names_.empty()) {
      for (const auto& [name, variable] : m_.variables_by_name) all_names_.push_back(name);
      for (const Definition& d : m_.lets) all_names_.push_back(d.name);
      std::sort(all_names_.begin(), all_names_.end());
    }
    return all_names_;
  }

  std::string known_here() const {
    std::string text = "known here:";
    for (const Role role : {Role::state, Role::input, Role::output, Role::constant}) {
      std::vector<std::string> names;
      for (const Variable& v : m_.variables(role)) {
        const auto last = [](std::uint32_t n) { return "0…" + std::to_string(n - 1); };
        names.push_back(v.shape.scalar()   ? v.name
                        : v.shape.vector() ? v.name + "[" + last(v.count) + "]"
                                           : v.name + "[" + last(v.shape.rows) + ", " +
                                                 last(v.shape.columns) + "]");
      }
      if (names.empty()) continue;
      text += std::string(text.back() == ':' ? " " : " · ") + std::string(Model::role_name(role)) +
              "s " + listed(names);
    }
    std::vector<std::string> lets;
    for (const Definition& d : m_.lets) lets.push_back(d.name);
    if (!lets.empty()) text += " · definitions " + listed(lets);
    return text.back() == ':' ? "nothing is declared" : text;
  }

  // Units

  /// A unit in terms of the units in the expression: W/V if its variables are in W and V, not A.
  std::string in_words(const Unit& u, std::string_view expression_text) const {
    std::vector<std::pair<std::string, Unit>> used;
    for_each_name(expression_text, [&](const std::string& name) {
      const auto found = m_.variables_by_name.find(name.substr(0, name.find('[')));
      if (found == m_.variables_by_name.end() || used.size() >= 16) return;
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
    return text(u, written_units());
  }

  /// All units of the document, as they are written.
  std::vector<std::string> written_units() const {
    std::vector<std::string> all;
    for (const Role role : {Role::state, Role::input, Role::output, Role::constant})
      for (const Variable& v : m_.variables(role))
        if (v.unit && !dimensionless(*v.unit)) all.push_back(v.unit_text);
    return all;
  }

  /// Compares the unit of an expression with that expected; false: reported.
  bool compare_units(const std::optional<Unit>& given, const std::optional<Unit>& expected,
                     const Expression& e, const std::string& subject) {
    if (!report_ || !e.units || !expected || !given) return true;
    if (same_dimension(*expected, *given)) return true;
    const std::string_view whole = e.element->text;
    const std::string wanted = text(*expected, written_units()), is = in_words(*given, whole);
    Diagnostic& d = report_->error(
        "V1312", "units do not agree: " + subject + " is " + wanted + ", the expression is " + is,
        report_->text_place(*e.element));
    if (!quantity(is).empty() && !quantity(wanted).empty())
      d.notes.push_back(unit_mismatch(is, wanted));
    const std::string number(first_number(whole));
    d.notes.push_back(
        (number.empty() ? "write" : "add a unit to the constant " + number + ", or write") +
        std::string(" unit=\"1\" to switch the check off for this equation"));
    return false;
  }

  /// The value that an equation, map or reset gives for element `i`. `what` names the expression
  /// ("the equation of state"), `subject` the quantity that has the `expected` unit.
  Meaning given(const Expression& e, Role role, std::size_t i, const char* what,
                const char* subject, const std::optional<Unit>& expected) {
    const Variable& v = m_.variable(role, i);
    if (e.whole) {
      const auto [known, is_new] = whole_.try_emplace(e.element);
      if (is_new) {
        const std::string name = in_quotes(v.name);
        known->second = whole_value(e, v, std::string(what) + name, subject + name, expected);
      }
      return known->second[i - v.first];
    }
    const std::string name = in_quotes(report_ ? m_.element_name(role, i) : "");
    const Parsed p = parse(e, Wanted::number, what + name);
    if (p.problems.empty()) compare_units(p.unit, expected, e, subject + name);
    return {p.term, p.unit};
  }

  std::vector<Meaning> whole_value(const Expression& e, const Variable& v, const std::string& what,
                                   const std::string& subject,
                                   const std::optional<Unit>& expected) {
    const Parsed p = parse(e, v.shape.scalar() ? Wanted::number : Wanted::values, what);
    const bool fits = p.problems.empty() && p.shape == v.shape;
    // A literal number applies to all elements. Any other scalar expression is probably a mistake.
    if (!fits) {
      if (p.problems.empty() && !(p.shape.scalar() && p.literal) && report_) {
        Diagnostic& d =
            report_->error("V1316",
                           in_quotes(v.name) + " has " + text(v.shape) + ", the expression has " +
                               (p.shape.scalar() ? "one" : text(p.shape)),
                           report_->text_place(*e.element));
        if (p.shape.scalar()) d.mark = "write it times ones(" + std::to_string(v.count) + ")";
      }
      return std::vector<Meaning>(v.count, {p.shape.scalar() ? p.term : zero_, {}});
    }
    for (const Meaning& m : p.elements) {
      if (!compare_units(m.unit, expected, e, subject)) break;
    }
    return p.elements;
  }

  static std::optional<Unit> per_second(const std::optional<Unit>& u) {
    if (!u) return {};
    Unit second;
    second.power[2] = 1;
    return quotient(*u, second);
  }

  // Locations

  void build_location(std::size_t index) {
    // Outputs first: equations, conditions and resets may use them.
    const Location& l = m_.locations[index];
    LocationTerms& terms = e_.locations[index];
    if (graph_) finished_terms_ += graph_->size();
    graph_ = &terms.graph;
    zero_ = graph_->constant(0.0);
    whole_.clear();
    lets_.assign(m_.lets.size(), std::nullopt);
    build_outputs(l);
    terms.output = outputs_;
    terms.flow.assign(m_.x_size(), zero_);
    for (const Variable& v : m_.states) {
      for (std::size_t i = v.first; i < v.first + v.count; ++i) {
        if (!l.flow[i].element) continue;
        terms.flow[i] = given(l.flow[i], Role::state, i, "the equation of state ",
                              "the derivative of ", per_second(v.unit))
                            .term;
      }
    }
    if (report_) {
      for (const Expression& e : l.strays) parse(e, Wanted::values, "this equation");
      for (std::size_t i = 0; i < m_.lets.size(); ++i) let_value(i, true);  // used or not
    }
    for (const std::size_t t : l.transitions)
      build_transition(l, m_.transitions[t], e_.transitions[t]);
  }

  /// Outputs may use other outputs: they are parsed in topological order (Kahn's algorithm).
  /// Outputs that remain form a ring.
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
    std::map<const Element*, std::vector<std::size_t>> used_by;  // outputs in its expression
    for (std::size_t i = 0; i < m_.output_count; ++i) {
      if (!l.output[i].element) continue;
      const auto [used, is_new] = used_by.try_emplace(l.output[i].element);
      if (is_new) used->second = outputs_in(l.output[i]);
      for (const std::size_t o : used->second) {
        if (!l.output[o].element) continue;
        needed_by[o].push_back(i);
        ++needs[i];
      }
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
    const Meaning m = given(e, Role::output, i, "the map of output ", "output ",
                            m_.variable(Role::output, i).unit);
    outputs_[i] = m.term;
    output_units_[i] = m.unit;
  }

  /// The outputs that an expression uses, directly or through definitions and functions, each once.
  std::vector<std::size_t> outputs_in(const Expression& e) const {
    std::set<std::size_t> found;
    std::set<std::string> functions;
    add_outputs(e.element->text, found, functions);
    return {found.begin(), found.end()};
  }

  void add_outputs(std::string_view text, std::set<std::size_t>& found,
                   std::set<std::string>& functions) const {
    for_each_name(text, [&](const std::string& name) {
      if (const auto one = m_.names.find(name); one != m_.names.end()) {
        if (one->second.role == Role::output) found.insert(one->second.index);
        return;
      }
      const std::string base = name.substr(0, name.find('['));
      if (const auto let = m_.lets_by_name.find(base); let != m_.lets_by_name.end()) {
        if (let->second < let_needs_.size())
          found.insert(let_needs_[let->second].begin(), let_needs_[let->second].end());
      } else if (const auto v = m_.variables_by_name.find(base); v != m_.variables_by_name.end()) {
        const Variable& all = m_.variable(v->second);
        for (std::size_t i = all.first; v->second.role == Role::output && i < all.first + all.count;
             ++i)
          found.insert(i);
      } else {
        for (const expression::UserFunction& f : m_.functions) {
          if (f.name == base && functions.insert(base).second)
            add_outputs(f.body, found, functions);
        }
      }
    });
  }

  void tell_ring(const Location& l, const std::vector<std::vector<std::size_t>>& needed_by,
                 const std::vector<std::uint8_t>& done) {
    std::vector<std::size_t> needs_one(done.size(),
                                       none);  // one of the remaining outputs that it uses
    for (std::size_t i = 0; i < done.size(); ++i) {
      if (!l.output[i].element || done[i]) continue;
      for (const std::size_t next : needed_by[i]) needs_one[next] = i;
    }
    std::size_t at = none;
    for (std::size_t i = 0; i < done.size() && at == none; ++i) {
      if (l.output[i].element && !done[i]) at = i;
    }
    if (at == none) return;
    // Every remaining output uses another remaining one, so following these leads into a ring.
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
      const Variable& v = m_.variable(Role::state, e.target);
      const std::size_t end = e.target + (e.whole ? v.count : 1);
      for (std::size_t i = e.target; i < end; ++i) {
        terms.states.push_back(i);
        terms.values.push_back(
            given(e, Role::state, i, "the reset of state ", "state ", v.unit).term);
      }
    }
    // An output without a map in the next location keeps its value: the transition stores it in the
    // holder.
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
  std::vector<Term> outputs_;                        // of the location being built
  std::vector<std::optional<Unit>> output_units_;    // of those that declare none
  std::vector<std::optional<Value>> lets_;           // of the location being built, once used
  std::vector<std::vector<std::size_t>> let_needs_;  // outputs that each definition uses
  std::vector<std::uint8_t> functions_used_;
  // Values of expressions for whole vectors in the location being built.
  std::map<const Element*, std::vector<Meaning>> whole_;
  std::vector<std::string> all_names_;
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
