#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "vernier/base/text.hpp"
#include "vernier/model/automaton/detail/declarations.hpp"
#include "vernier/model/automaton/detail/model.hpp"

namespace vernier::automaton::detail {
namespace {

constexpr std::size_t most_locations = 10'000;
constexpr std::size_t most_equations = 2'000'000;  // locations times variables

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
    read_declarations(m_, report_);
    for (std::size_t i = 0; i < m_.events.size(); ++i) events_.emplace(m_.events[i].name, i);
    collect_locations(root);
    read_initial(root);
    for (std::size_t i = 0; i < m_.locations.size(); ++i) read_location(i);
    find_holders();
  }

 private:
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
