#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "vernier/base/text.hpp"
#include "vernier/kernel/expression/expression.hpp"
#include "vernier/model/automaton/detail/model.hpp"

namespace vernier::automaton::detail {
namespace {

constexpr std::size_t most_elements = 10'000;  // of all variables together
constexpr std::size_t most_locations = 10'000;
constexpr std::size_t most_equations = 2'000'000;  // locations times variables
constexpr std::size_t longest_name = 100;

bool identifier(std::string_view s) noexcept {
  if (s.empty() || (s[0] >= '0' && s[0] <= '9')) return false;
  return std::all_of(s.begin(), s.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           static_cast<unsigned char>(c) >= 0x80;
  });
}

/// "0 0 1", "600 km", "1, 2, 3 deg": numbers, then one unit for all. Nothing when it does not read.
std::optional<std::vector<double>> quantities(std::string_view text, std::string_view unit) {
  std::string flat(text);
  std::replace(flat.begin(), flat.end(), ',', ' ');
  const std::vector<std::string_view> parts = words(flat);
  std::vector<double> values;
  std::size_t i = 0;
  // a number that stands alone is in the declared unit, or in the one behind all of them
  while (i < parts.size() && parsed_real(parts[i])) ++i;
  std::string behind;
  for (std::size_t k = i; k < parts.size(); ++k) behind += " " + std::string(parts[k]);
  if (i == 0) {  // "600km"
    const auto one = parsed_quantity(text, unit);
    if (!one) return {};
    return std::vector<double>{*one};
  }
  for (std::size_t k = 0; k < i; ++k) {
    const auto one = parsed_quantity(std::string(parts[k]) + behind, unit);
    if (!one || !std::isfinite(*one)) return {};
    values.push_back(*one);
  }
  return values;
}

class ModelReader {
 public:
  ModelReader(Model& m, Diagnostics& out) : m_(m), report_(m.document, out) {}

  void run() {
    const Element& root = m_.document.root();
    m_.name = trimmed(root.value("name"));
    m_.constant_dimension = root.value("kind") != "hds";
    if (const Element* d = root.child("description")) m_.description = trimmed(d->text);
    if (m_.name.empty()) {
      report_.error("V1309", "<hybridsystem> needs a name", Report::value_place(root, "name"));
    }
    const auto declare_all = [&](const char* list, Role role, std::vector<Variable>& into) {
      const Element* all = root.child(list);
      if (!all) return;
      for (const Element& e : all->children) declare(e, role, into);
    };
    declare_all("constants", Role::constant, m_.constants);
    declare_all("inputs", Role::input, m_.inputs);
    declare_all("states", Role::state, m_.states);
    declare_all("outputs", Role::output, m_.outputs);
    declare_events(root);
    collect_locations(root);
    read_initial(root);
    for (std::size_t i = 0; i < m_.locations.size(); ++i) read_location(i);
    find_holders();
  }

 private:
  // ---- declarations

  std::size_t& count(Role r) {
    std::size_t* counts[] = {&m_.constant_count, &m_.input_count, &m_.state_count,
                             &m_.output_count};
    return *counts[static_cast<int>(r)];
  }

  std::size_t elements() const {
    return m_.constant_count + m_.input_count + m_.state_count + m_.output_count;
  }

  void declare(const Element& e, Role role, std::vector<Variable>& into) {
    Variable v;
    v.element = &e;
    v.name = trimmed(e.value("name"));
    v.frame = trimmed(e.value("frame"));
    v.description = trimmed(e.value("description"));
    v.normalise = e.value("normalise") == "yes";
    if (!name_is_good(e, v.name)) {
      m_.names_known = m_.names_known && first_use_.contains(v.name);
      return;
    }
    read_size(e, v);
    read_unit(e, role, v);
    if (elements() + v.count > most_elements) {
      m_.names_known = false;
      if (!std::exchange(too_many_, true)) {
        report_.error("V1315",
                      "the system has more than " + std::to_string(most_elements) +
                          " variables, elements counted",
                      e.place);
      }
      return;
    }
    read_value(e, role, v);
    v.first = count(role);
    count(role) += v.count;
    const auto index = static_cast<std::uint32_t>(into.size());
    for (std::uint32_t k = 0; k < v.count; ++k) {
      const std::string name = v.count == 1 ? v.name : v.name + "[" + std::to_string(k) + "]";
      m_.names.emplace(name, Reference{role, index, static_cast<std::uint32_t>(v.first + k)});
    }
    first_use_.emplace(v.name, &e);
    into.push_back(std::move(v));
  }

  bool name_is_good(const Element& e, const std::string& name) {
    const Place place = Report::value_place(e, "name");
    if (!identifier(name) || name.size() > longest_name) {
      report_.error("V1309", in_quotes(name) + " cannot be a name", place)
          .notes.push_back("names have letters, digits and _, and begin with a letter");
      return false;
    }
    static const std::vector<std::string> functions = expression::function_names();
    const bool function = std::find(functions.begin(), functions.end(), name) != functions.end();
    if (function || name == "and" || name == "or" || name == "not" || name == "pi") {
      report_.error("V1309", in_quotes(name) + " cannot be a name: expressions use it", place);
      return false;
    }
    if (const auto taken = first_use_.find(name); taken != first_use_.end()) {
      const Element& first = *taken->second;
      Diagnostic& d =
          report_.error("V1310", "the name " + in_quotes(name) + " is used twice", place);
      d.mark = "call this " + e.name + " differently";
      d.notes.push_back("first for the " + first.name + " on line " +
                        std::to_string(first.place.line) +
                        "; constants, inputs, states and outputs share their names");
      return false;
    }
    return true;
  }

  void read_size(const Element& e, Variable& v) {
    const std::string_view text = trimmed(e.value("size", "1"));
    const auto n = parsed_integer(text);
    if (n && *n >= 1 && *n <= static_cast<long long>(most_elements)) {
      v.count = static_cast<std::uint32_t>(*n);
    } else {
      report_.error("V1314",
                    "the size of " + in_quotes(v.name) + " must be a whole number, at least 1",
                    Report::value_place(e, "size"));
    }
    if (v.normalise && v.count == 1) {
      report_.error("V1314", in_quotes(v.name) + " cannot be normalised: it has one element",
                    Report::value_place(e, "normalise"));
      v.normalise = false;
    }
  }

  void read_unit(const Element& e, Role role, Variable& v) {
    v.unit_text = trimmed(e.value("unit"));
    if (v.unit_text.empty()) return;
    const auto unit = parsed_unit(v.unit_text);
    if (!unit) {
      report_
          .error("V1313", in_quotes(v.unit_text) + " is not a unit", Report::value_place(e, "unit"))
          .notes.push_back("units are written as m, kg*m^2, N*m, rad/s, 1/s, km, mT, deg");
      v.unit_text.clear();
      return;
    }
    if (role != Role::constant && unit->factor != 1.0) {
      const std::string si = text(*unit);
      Diagnostic& d = report_.error("V1313",
                                    "the " + e.name + " " + in_quotes(v.name) + " is in " +
                                        v.unit_text + "; equations are in SI",
                                    Report::value_place(e, "unit"));
      d.mark = "write " + si;
      d.notes.push_back("values may be in other units: " +
                        std::string(role == Role::input ? "default" : "initial") + "=\"1 " +
                        v.unit_text + "\"");
      v.unit_text = si;
    }
    v.unit = unit;
    v.unit->factor = 1.0;
  }

  void read_value(const Element& e, Role role, Variable& v) {
    const char* key = role == Role::constant ? "value"
                      : role == Role::input  ? "default"
                                             : "initial";
    const document::Attribute* a = e.attribute(key);
    std::string_view text = a ? trimmed(a->value) : std::string_view();
    Place place = a ? a->value_place : e.place;
    if (role == Role::constant) {
      const std::string_view inner = trimmed(e.text);
      if (a && !inner.empty()) {
        report_.error("V1308", "the constant " + in_quotes(v.name) + " has two values",
                      report_.text_place(e));
      } else if (!a && inner.empty()) {
        report_.error("V1308", "the constant " + in_quotes(v.name) + " has no value", e.place)
            .mark = "add value=\"…\"";
        v.value.assign(v.count, 0.0);
        return;
      } else if (!a) {
        text = inner;
        place = report_.text_place(e);
      }
    } else if (!a) {
      return;  // an input without default
    }
    v.value_text = text;
    const std::string unit = v.unit_text.empty() ? "1" : v.unit_text;
    auto values = quantities(text, unit);
    if (!values) {
      Diagnostic& d = report_.error(
          "V1308", in_quotes(text) + " is not a number" + (unit == "1" ? "" : " in " + unit),
          place);
      if (!parsed_unit(unit)) d.mark = "";
      v.value.assign(v.count, 0.0);
      return;
    }
    if (values->size() == 1 && v.count > 1) {
      values->assign(v.count, values->front());
      const std::string one = v.value_text;
      // written out, so that it reads as a list of as many numbers as there are elements
      if (parsed_real(one)) {
        for (std::uint32_t k = 1; k < v.count; ++k) v.value_text += " " + one;
      } else {
        v.value_text.clear();
      }
    }
    if (values->size() != v.count) {
      report_.error("V1314",
                    in_quotes(v.name) + " has " + std::to_string(v.count) +
                        (v.count == 1 ? " element, not " : " elements, not ") +
                        std::to_string(values->size()),
                    place);
      values->resize(v.count, 0.0);
    }
    v.value = std::move(*values);
    if (v.normalise &&
        std::all_of(v.value.begin(), v.value.end(), [](double x) { return x == 0; })) {
      report_.error("V1314", in_quotes(v.name) + " is a unit vector and cannot begin at zero",
                    place);
    }
  }

  void declare_events(const Element& root) {
    const Element* all = root.child("events");
    if (!all) return;
    for (const Element& e : all->children) {
      Label l;
      l.name = trimmed(e.value("name"));
      l.element = &e;
      const std::string_view direction = e.value("direction");
      l.in = direction != "out";
      l.out = direction != "in";
      const Place place = Report::value_place(e, "name");
      if (!identifier(l.name) || l.name.size() > longest_name) {
        report_.error("V1309", in_quotes(l.name) + " cannot be a name", place)
            .notes.push_back("names have letters, digits and _, and begin with a letter");
      } else if (!events_.emplace(l.name, m_.events.size()).second) {
        report_.error("V1311", "there are two events " + in_quotes(l.name), place)
            .notes.push_back("one that is both waited for and emitted has direction=\"inout\"");
      } else {
        m_.events.push_back(std::move(l));
      }
    }
  }

  // ---- locations

  void collect_locations(const Element& root) {
    for (const Element& e : root.children) {
      if (e.name != "location") continue;
      const Element& name = *e.child("name");
      Location l;
      l.name = trimmed(name.text);
      l.element = &e;
      const Place place = report_.text_place(name);
      if (l.name.empty() || l.name.size() > longest_name ||
          l.name.find('\n') != std::string::npos) {
        report_.error("V1309", "a location needs a name of one line", place);
      } else if (const auto taken = locations_.find(l.name); taken != locations_.end()) {
        report_.error("V1311", "there are two locations " + in_quotes(l.name), place)
            .notes.push_back("the first is on line " +
                             std::to_string(m_.locations[taken->second].element->place.line));
      } else {
        locations_.emplace(l.name, m_.locations.size());
      }
      m_.locations.push_back(std::move(l));
      const std::size_t n = m_.locations.size();
      if (n > most_locations || n * (m_.state_count + m_.output_count) > most_equations) {
        report_.error("V1315", "the system has too many locations and variables", place);
        m_.locations.clear();
        return;
      }
    }
  }

  std::vector<std::string> location_names() const {
    std::vector<std::string> names;
    for (const Location& l : m_.locations) names.push_back(l.name);
    return names;
  }

  void read_initial(const Element& root) {
    const Element* e = root.child("initial");
    if (!e) {
      if (m_.locations.size() > 1) {
        report_
            .error("V1320",
                   "where does it begin? The system has several locations and no <initial>",
                   root.place)
            .notes.push_back("write <initial location=" + in_quotes(m_.locations[0].name) +
                             "/> before the first location");
      }
      return;
    }
    const std::string name(trimmed(e->value("location")));
    if (const auto found = locations_.find(name); found != locations_.end()) {
      m_.initial = found->second;
      return;
    }
    not_a_location(
        report_.error("V1320",
                      "the system begins in " + in_quotes(name) + ", which is not a location",
                      Report::value_place(*e, "location")),
        name);
  }

  void not_a_location(Diagnostic& d, const std::string& name) const {
    if (report_.full()) return;
    const std::vector<std::string> names = location_names();
    const auto near = closest(name, names);
    d.notes.push_back("locations: " + listed(names) +
                      (near ? " — did you mean " + *near + "?" : ""));
  }

  void read_location(std::size_t index) {
    Location& l = m_.locations[index];
    l.flow.resize(m_.state_count);
    l.output.resize(m_.output_count);
    std::set<std::string> meant;  // misspelt: not missing as well
    for (const Element& e : l.element->children) {
      if (e.name == "diffequation") {
        read_equation(e, "state", Role::state, l.flow, l.strays, meant);
      } else if (e.name == "outputmap") {
        read_equation(e, "output", Role::output, l.output, l.strays, meant);
      } else if (e.name == "transitions") {
        for (const Element& t : e.children) read_transition(t, index);
      }
    }
    std::stable_sort(l.transitions.begin(), l.transitions.end(), [&](std::size_t a, std::size_t b) {
      return m_.transitions[a].priority < m_.transitions[b].priority;
    });
    if (m_.constant_dimension && m_.names_known) {
      missing(l, Role::state, l.flow, meant);
      missing(l, Role::output, l.output, meant);
    }
  }

  /// The element of a state or output that an equation, map or reset is for.
  std::optional<std::size_t> target(const Element& e, const char* attribute, Role role,
                                    std::set<std::string>& meant) {
    const std::string name(trimmed(e.value(attribute)));
    const auto found = m_.names.find(name);
    if (found != m_.names.end() && found->second.role == role) return found->second.index;
    const Place place = Report::value_place(e, attribute);
    const std::string what(Model::role_name(role));
    if (report_.full()) return {};
    for (const Variable& v : m_.variables(role)) {
      if (v.name != name) continue;
      report_
          .error("V1322",
                 what + " " + in_quotes(name) + " has " + std::to_string(v.count) +
                     " elements; each has its own equation",
                 place)
          .mark = "write " + name + "[0]";
      for (std::uint32_t k = 0; k < v.count; ++k)
        meant.insert(name + "[" + std::to_string(k) + "]");
      return {};
    }
    Diagnostic& d = report_.error("V1322", "there is no " + what + " " + in_quotes(name), place);
    if (found != m_.names.end()) {
      d.mark = "this is " +
               std::string(found->second.role == Role::constant || found->second.role == Role::state
                               ? "a "
                               : "an ") +
               std::string(Model::role_name(found->second.role));
    }
    std::vector<std::string> names;
    for (const Variable& v : m_.variables(role)) {
      for (std::uint32_t k = 0; k < std::min(v.count, 16u); ++k) {
        names.push_back(v.count == 1 ? v.name : v.name + "[" + std::to_string(k) + "]");
      }
    }
    if (const auto near = closest(name, names); near && found == m_.names.end()) {
      d.mark = "did you mean " + *near + "?";
      meant.insert(*near);
    }
    d.notes.push_back(names.empty() ? "there are no " + what + "s" : what + "s: " + listed(names));
    return {};
  }

  static Expression expression_of(const Element& e, std::size_t target) {
    return {&e, !e.attribute("unit"), target};
  }

  void read_equation(const Element& e, const char* attribute, Role role,
                     std::vector<Expression>& into, std::vector<Expression>& strays,
                     std::set<std::string>& meant) {
    const auto index = target(e, attribute, role, meant);
    if (!index) {
      strays.push_back(expression_of(e, 0));
      return;
    }
    if (const Element* first = into[*index].element) {
      report_
          .error("V1323",
                 "the equation of " + std::string(Model::role_name(role)) + " " +
                     in_quotes(m_.element_name(role, *index)) + " is given twice",
                 e.place)
          .notes.push_back("the first is on line " + std::to_string(first->place.line));
      strays.push_back(expression_of(e, 0));
      return;
    }
    into[*index] = expression_of(e, *index);
  }

  void missing(const Location& l, Role role, const std::vector<Expression>& given,
               const std::set<std::string>& meant) {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < given.size(); ++i) {
      if (given[i].element) continue;
      std::string name = m_.element_name(role, i);
      if (!meant.contains(name)) names.push_back(std::move(name));
    }
    if (names.empty() || l.name.empty()) return;
    const bool one = names.size() == 1;
    const std::string what = std::string(Model::role_name(role)) + (one ? " " : "s ");
    Diagnostic& d = report_.error("V1324",
                                  "location " + in_quotes(l.name) + " has no equation of " + what +
                                      (one ? in_quotes(names[0]) : listed(names, 5)),
                                  report_.text_place(*l.element->child("name")));
    d.mark = role == Role::state
                 ? "add <diffequation state=" + in_quotes(names[0]) + ">…</diffequation>"
                 : "add <outputmap output=" + in_quotes(names[0]) + ">…</outputmap>";
    d.notes.push_back(std::string("in a document of kind=\"hds\" ") +
                      (role == Role::state ? "a state without an equation stands still"
                                           : "an output without a map keeps its last value"));
  }

  std::size_t event(const Element& e, bool in, const std::string& transition) {
    const std::string name(trimmed(e.text));
    const auto found = events_.find(name);
    const Place place = report_.text_place(e);
    const char* verb = in ? " waits for " : " emits ";
    if (found == events_.end() && report_.full()) return Transition::none;
    if (found == events_.end()) {
      Diagnostic& d = report_.error("V1326",
                                    "transition " + in_quotes(transition) + verb + in_quotes(name) +
                                        ", which is not an event",
                                    place);
      std::vector<std::string> names;
      for (const Label& l : m_.events) names.push_back(l.name);
      if (const auto near = closest(name, names)) d.mark = "did you mean " + *near + "?";
      d.notes.push_back(names.empty() ? "declare it: <events><event name=" + in_quotes(name) +
                                            " direction=\"" + (in ? "in" : "out") + "\"/></events>"
                                      : "events: " + listed(names));
      return Transition::none;
    }
    const Label& l = m_.events[found->second];
    if (in ? !l.in : !l.out) {
      report_
          .error("V1326",
                 "transition " + in_quotes(transition) + verb + in_quotes(name) +
                     ", an event of direction " + (in ? "out" : "in"),
                 place)
          .notes.push_back("on line " + std::to_string(l.element->place.line) +
                           " write direction=\"inout\"");
    }
    return found->second;
  }

  void read_transition(const Element& e, std::size_t from) {
    Transition t;
    t.element = &e;
    t.from = t.to = from;
    const Element& name = *e.child("name");
    t.name = trimmed(name.text);
    if (t.name.empty() || t.name.size() > longest_name || t.name.find('\n') != std::string::npos) {
      report_.error("V1309", "a transition needs a name of one line", report_.text_place(name));
    }
    const auto [taken, is_new] = transitions_.emplace(std::pair(from, t.name), &e);
    if (!is_new && !t.name.empty()) {
      report_
          .error("V1311",
                 "location " + in_quotes(m_.locations[from].name) + " has two transitions " +
                     in_quotes(t.name),
                 report_.text_place(name))
          .notes.push_back("the first is on line " + std::to_string(taken->second->place.line));
    }
    const std::string_view priority = trimmed(e.value("priority", "0"));
    if (const auto p = parsed_integer(priority)) {
      t.priority = *p;
    } else {
      report_.error("V1328", "the priority " + in_quotes(priority) + " is not a whole number",
                    Report::value_place(e, "priority"));
    }
    for (const Element& c : e.children) {
      if (c.name == "inevent") t.in = event(c, true, t.name);
      if (c.name == "outevent") {
        const std::size_t out = event(c, false, t.name);
        if (out != Transition::none) t.out.push_back(out);
      }
      if (c.name == "domain") t.domain = expression_of(c, 0);
      if (c.name == "reset") read_reset(c, t);
    }
    if (!e.child("inevent") && !e.child("domain")) {
      report_
          .error("V1327", "transition " + in_quotes(t.name) + " has neither a domain nor an event",
                 e.place)
          .mark = "it could never be taken";
    }
    m_.locations[from].transitions.push_back(m_.transitions.size());
    m_.transitions.push_back(std::move(t));
  }

  void read_reset(const Element& reset, Transition& t) {
    const Element& destination = *reset.child("destination");
    const std::string name(trimmed(destination.text));
    if (const auto found = locations_.find(name); found != locations_.end()) {
      t.to = found->second;
    } else {
      not_a_location(report_.error("V1321",
                                   "transition " + in_quotes(t.name) + " leads to " +
                                       in_quotes(name) + ", which is not a location",
                                   report_.text_place(destination)),
                     name);
    }
    std::set<std::string> meant;
    std::map<std::size_t, const Element*> given;
    for (const Element& e : reset.children) {
      if (e.name != "statereset") continue;
      const auto index = target(e, "state", Role::state, meant);
      if (!index) continue;
      if (const auto [first, added] = given.emplace(*index, &e); !added) {
        report_
            .error("V1323",
                   "transition " + in_quotes(t.name) + " resets state " +
                       in_quotes(m_.element_name(Role::state, *index)) + " twice",
                   e.place)
            .notes.push_back("the first is on line " + std::to_string(first->second->place.line));
        continue;
      }
      t.resets.push_back(expression_of(e, *index));
    }
  }

  /// Outputs that some location does not map are held there by a state of their own.
  void find_holders() {
    m_.holder.assign(m_.output_count, Transition::none);
    if (m_.constant_dimension) return;
    for (const Variable& v : m_.outputs) {
      const bool held =
          std::any_of(m_.locations.begin(), m_.locations.end(), [&](const Location& l) {
            const auto first = l.output.begin() + static_cast<std::ptrdiff_t>(v.first);
            return std::any_of(first, first + v.count,
                               [](const Expression& e) { return !e.element; });
          });
      if (!held) continue;
      for (std::uint32_t k = 0; k < v.count; ++k) {
        m_.holder[v.first + k] = m_.state_count + m_.held_count++;
      }
    }
    if (m_.held_count * m_.transitions.size() > most_equations) {
      report_.error("V1315", "the system has too many transitions and outputs",
                    m_.document.root().place);
    }
  }

  Model& m_;
  Report report_;
  bool too_many_ = false;
  std::map<std::string, const Element*, std::less<>> first_use_;
  std::map<std::string, std::size_t, std::less<>> events_, locations_;
  std::map<std::pair<std::size_t, std::string>, const Element*> transitions_;
};

}  // namespace

std::shared_ptr<Model> read_model(Document d, Diagnostics& out) {
  auto m = std::make_shared<Model>();
  m->document = std::move(d);
  ModelReader(*m, out).run();
  return m;
}

}  // namespace vernier::automaton::detail
