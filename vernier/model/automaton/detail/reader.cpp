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

// Reads the structure of a document. Errors are reported and the affected parts kept as `strays`,
// so that their expressions are checked too.
class ModelReader {
 public:
  /// `d`: the document of the model, or one that extends it.
  ModelReader(Model& m, const Document& d, Diagnostics& out) : m_(m), report_(d, out) {}

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
    read_shared(root);
    for (std::size_t i = 0; i < m_.locations.size(); ++i) read_location(i);
    find_holders();
  }

  void change(const Element& root) {
    for (const Element& e : root.children) {
      if (e.name == "description" || e.name == "constants" || e.name == "states" ||
          e.name == "initial") {
        continue;
      }
      report_
          .error("V1317", "<" + e.name + "> is not allowed in a document that extends another",
                 e.place)
          .notes.push_back("it may change constants, initial values of states, and <initial>");
    }
    m_.name = trimmed(root.value("name"));
    if (const Element* d = root.child("description")) m_.description = trimmed(d->text);
    change_declarations(m_, root, report_);
    for (std::size_t i = 0; i < m_.locations.size(); ++i)
      locations_.emplace(m_.locations[i].name, i);
    if (root.child("initial")) read_initial(root);
  }

 private:
  void collect_locations(const Element& root) {
    if (!root.child("location")) {
      report_.error("V1206", "<hybridsystem> has no <location>", root.place)
          .notes.push_back("or extends=\"other.xml\", to change constants of another document");
    }
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
    if (near) add_change(d, d.place, *near);
    d.notes.push_back("locations: " + listed(names) +
                      (near ? " — did you mean " + *near + "?" : ""));
  }

  /// Equations that apply in every location that does not define its own.
  void read_shared(const Element& root) {
    shared_.flow.resize(m_.state_count);
    shared_.output.resize(m_.output_count);
    if (const Element* e = root.child("shared")) read_equations(*e, shared_, shared_meant_);
  }

  void read_equations(const Element& from, Location& l, std::set<std::string>& meant) {
    for (const Element& e : from.children) {
      if (e.name == "diffequation") {
        read_equation(e, "state", Role::state, l.flow, l.strays, meant);
      } else if (e.name == "outputmap") {
        read_equation(e, "output", Role::output, l.output, l.strays, meant);
      }
    }
  }

  // Own equations take precedence over those of <shared>; transitions of <shared> are tried after
  // the own ones of equal priority.
  void read_location(std::size_t index) {
    Location& l = m_.locations[index];
    l.flow.resize(m_.state_count);
    l.output.resize(m_.output_count);
    std::set<std::string> meant = shared_meant_;  // misspelt names are not also reported as missing
    read_equations(*l.element, l, meant);
    const auto complete = [](std::vector<Expression>& own, const std::vector<Expression>& shared) {
      for (std::size_t i = 0; i < own.size(); ++i) {
        if (!own[i].element) own[i] = shared[i];
      }
    };
    complete(l.flow, shared_.flow);
    complete(l.output, shared_.output);
    l.strays.insert(l.strays.end(), shared_.strays.begin(), shared_.strays.end());
    shared_.strays.clear();  // checked in the first location only
    if (const Element* own = l.element->child("transitions")) {
      for (const Element& t : own->children) read_transition(t, index);
    }
    const Element* shared = m_.document.root().child("shared");
    if (const Element* all = shared ? shared->child("transitions") : nullptr) {
      for (const Element& t : all->children) {
        // In its destination, a shared transition would only reset the system, so it is omitted
        // there.
        const std::string to(trimmed(t.child("reset")->child("destination")->text));
        if (to != l.name) read_transition(t, index);
      }
    }
    // By priority, then in document order.
    std::stable_sort(l.transitions.begin(), l.transitions.end(), [&](std::size_t a, std::size_t b) {
      return m_.transitions[a].priority < m_.transitions[b].priority;
    });
    if (m_.constant_dimension && m_.names_known) {
      missing(l, Role::state, l.flow, meant);
      missing(l, Role::output, l.output, meant);
    }
  }

  /// The elements of a state or output that an equation, map or reset defines.
  struct Target {
    std::size_t first, count;
    bool whole;
  };
  std::optional<Target> target(const Element& e, const char* attribute, Role role,
                               std::set<std::string>& meant) {
    std::string name(trimmed(e.value(attribute)));
    std::erase(name, ' ');  // P[0, 1]
    const auto found = m_.names.find(name);
    if (found != m_.names.end() && found->second.role == role)
      return Target{found->second.index, 1, false};
    if (const auto v = m_.variables_by_name.find(name);
        v != m_.variables_by_name.end() && v->second.role == role) {
      const Variable& all = m_.variable(v->second);
      return Target{all.first, all.count, true};
    }
    const Place place = Report::value_place(e, attribute);
    const std::string what(Model::role_name(role));
    if (report_.full()) return {};
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
      if (!v.shape.scalar()) names.push_back(v.name);
      for (std::uint32_t k = 0; k < std::min(v.count, 16u); ++k)
        names.push_back(element_name(v, k));
    }
    if (const auto near = closest(name, names); near && found == m_.names.end()) {
      did_you_mean(d, *near);
      mean(*near, meant);
    }
    d.notes.push_back(names.empty() ? "there are no " + what + "s" : what + "s: " + listed(names));
    return {};
  }

  /// Records a name that was probably meant, with its elements.
  void mean(const std::string& name, std::set<std::string>& meant) const {
    meant.insert(name);
    const auto v = m_.variables_by_name.find(name);
    if (v == m_.variables_by_name.end()) return;
    const Variable& all = m_.variable(v->second);
    for (std::uint32_t k = 0; k < all.count; ++k) meant.insert(element_name(all, k));
  }

  static Expression expression_of(const Element& e, std::size_t target = 0, bool whole = false) {
    return {&e, !e.attribute("unit"), whole, target};
  }

  void read_equation(const Element& e, const char* attribute, Role role,
                     std::vector<Expression>& into, std::vector<Expression>& strays,
                     std::set<std::string>& meant) {
    const auto t = target(e, attribute, role, meant);
    if (!t) {
      strays.push_back(expression_of(e));
      return;
    }
    for (std::size_t i = t->first; i < t->first + t->count; ++i) {
      if (const Element* first = into[i].element) {
        report_
            .error("V1323",
                   "the equation of " + std::string(Model::role_name(role)) + " " +
                       in_quotes(m_.element_name(role, i)) + " is given twice",
                   e.place)
            .notes.push_back("the first is on line " + std::to_string(first->place.line));
        strays.push_back(expression_of(e));
        return;
      }
      into[i] = expression_of(e, t->first, t->whole);
    }
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
      if (const auto near = closest(name, names)) did_you_mean(d, *near);
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
      if (c.name == "domain") t.domain = expression_of(c);
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
      const auto to = target(e, "state", Role::state, meant);
      if (!to) continue;
      bool twice = false;
      for (std::size_t i = to->first; i < to->first + to->count && !twice; ++i) {
        const auto [first, added] = given.emplace(i, &e);
        twice = !added;
        if (!twice) continue;
        report_
            .error("V1323",
                   "transition " + in_quotes(t.name) + " resets state " +
                       in_quotes(m_.element_name(Role::state, i)) + " twice",
                   e.place)
            .notes.push_back("the first is on line " + std::to_string(first->second->place.line));
      }
      if (!twice) t.resets.push_back(expression_of(e, to->first, to->whole));
    }
  }

  /// Outputs that some location does not map are held there by an additional state.
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
  Location shared_;
  std::set<std::string> shared_meant_;
  std::map<std::string, std::size_t, std::less<>> events_, locations_;
  std::map<std::pair<std::size_t, std::string>, const Element*> transitions_;
};

}  // namespace

std::shared_ptr<Model> read_model(Document d, Diagnostics& out) {
  auto m = std::make_shared<Model>();
  m->document = std::move(d);
  ModelReader(*m, m->document, out).run();
  return m;
}

void apply_changes(Model& m, const Document& changes, Diagnostics& out) {
  ModelReader(m, changes, out).change(changes.root());
}

}  // namespace vernier::automaton::detail
