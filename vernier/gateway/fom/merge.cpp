#include "vernier/gateway/fom/merge.hpp"

#include <type_traits>
#include <utility>

#include "vernier/base/text.hpp"
#include "vernier/document/document.hpp"
#include "vernier/document/report.hpp"
#include "vernier/gateway/fom/compare.hpp"
#include "vernier/gateway/fom/detail/findings.hpp"
#include "vernier/gateway/fom/reader.hpp"

namespace vernier::fom {

namespace detail {

Diagnostic& Findings::add(Severity severity, const char* code, std::string message, const Place& p,
                          int module) {
  if (++(severity == Severity::error ? errors_ : warnings_) > most) return ignored_ = {};
  Diagnostic& d = severity == Severity::error ? out_.error(code, std::move(message), p)
                                              : out_.warning(code, std::move(message), p);
  if (const auto& source = modules_[static_cast<std::size_t>(module)]->source)
    source->show_source(d);
  return d;
}

Diagnostic& Findings::error(const char* code, std::string message, const Place& p, int module) {
  return add(Severity::error, code, std::move(message), p, module);
}

Diagnostic& Findings::warning(const char* code, std::string message, const Place& p, int module) {
  return add(Severity::warning, code, std::move(message), p, module);
}

std::string Findings::where(const Place& p) { return p.file + ", line " + std::to_string(p.line); }

}  // namespace detail

using detail::Findings;
using document::in_quotes;

class Merger {
 public:
  Merger(std::vector<const Module*> modules, Diagnostics& problems)
      : modules_(std::move(modules)), findings_(modules_, problems) {}

  std::optional<Fom> run() {
    if (modules_[0] != &standard_mim()) check_mim();
    if (findings_.errors() > 0) return {};
    for (int m = 0; m < static_cast<int>(modules_.size()); ++m) add(m);
    if (!fom_.switches) {
      fom_.switches = Switches{};
      if (modules_.size() > 1)
        findings_.warning("V1825", "no module has switches", Place{.file = modules_[1]->file}, 1)
            .notes.emplace_back(
                "all are taken as off, the resign action as "
                "CancelThenDeleteThenDivest; give a module with <switches>");
    }
    if (findings_.errors() == 0) check_size();
    if (findings_.errors() == 0) detail::resolve(fom_, findings_);
    if (findings_.errors() > 0) return {};
    return std::move(fom_);
  }

 private:
  using Index = Fom::Index;

  /// A MIM supplied by the user may extend the standard one, but must contain all of it.
  void check_mim() {
    std::vector<std::string> missing;
    for (const std::string& d : differences(standard_mim(), *modules_[0])) {
      if (d.ends_with(" is missing")) missing.push_back(d.substr(0, d.size() - 11));
    }
    if (missing.empty()) return;
    findings_
        .error("V1827", "the MIM lacks parts of the standard one", Place{.file = modules_[0]->file},
               0)
        .notes = {"missing: " + document::listed(missing, 4),
                  "begin with the standard MIM and add to it"};
  }

  /// Limits the table of inherited members: a small file, with many attributes in one class and
  /// many classes below it, makes a very large table.
  void check_size() {
    constexpr std::size_t most = std::size_t{1} << 22;
    const auto inherited = [](const auto& classes, auto own) {
      std::vector<std::size_t> counts;  // parents come first
      std::size_t all = 0;
      for (const auto& c : classes) {
        const std::size_t above = c.parent < 0 ? 0 : counts[static_cast<std::size_t>(c.parent)];
        counts.push_back(above + (c.*own).size());
        all += counts.back();
      }
      return all;
    };
    if (inherited(fom_.object_classes, &ObjectClass::attributes) <= most &&
        inherited(fom_.interaction_classes, &InteractionClass::parameters) <= most)
      return;
    findings_
        .error("V1215",
               "the classes have more than " + std::to_string(most) +
                   " attributes or parameters, each with all it inherits",
               Place{.file = modules_.back()->file}, static_cast<int>(modules_.size()) - 1)
        .notes.emplace_back("make fewer subclasses of classes that have many");
  }

  void add(int m) {
    const Module& from = *modules_[static_cast<std::size_t>(m)];
    fom_.modules.push_back({from.file, from.identification});
    const std::map<std::string, std::string> notes = add_notes(from);
    add_objects(from, m, notes);
    add_interactions(from, m, notes);
    add_all("dimension", from.dimensions, fom_.dimensions, fom_.dimension_names_, "V1822", m,
            notes);
    add_all("time", from.times, fom_.times, times_, "V1822", m, notes);
    add_all("tag", from.tags, fom_.tags, tags_, "V1822", m, notes);
    add_all("synchronization point", from.synchronizations, fom_.synchronizations, labels_, "V1822",
            m, notes);
    add_all("transportation", from.transportations, fom_.transportations,
            fom_.transportation_names_, "V1822", m, notes);
    add_all("update rate", from.update_rates, fom_.update_rates, rates_, "V1822", m, notes);
    add_all("data type", from.data_types, fom_.data_types, fom_.type_names_, "V1821", m, notes);
    add_switches(from, m);
  }

  /// Notes keep their labels unless another module uses the same label for a different text.
  std::map<std::string, std::string> add_notes(const Module& from) {
    std::map<std::string, std::string> renamed;
    for (const Note& n : from.notes) {
      std::string label = n.label;
      for (int k = 2;; ++k) {
        const auto [at, fresh] = note_texts_.emplace(label, n.text);
        if (fresh) {
          fom_.notes.push_back({label, n.text, n.place});
          break;
        }
        if (at->second == n.text) break;
        label = n.label + "_" + std::to_string(k);
      }
      renamed.emplace(n.label, label);
    }
    return renamed;
  }

  template <class T>
  static T taken(const T& t, int m, const std::map<std::string, std::string>& notes) {
    T copy = t;
    copy.module = m;
    for (Reference& r : copy.notes) {
      if (const auto at = notes.find(r.name); at != notes.end()) r.name = at->second;
    }
    return copy;
  }

  /// Only the MIM should define names that begin with HLA. Modules in use do it too, NASA's
  /// TrickHLA among them; such a name is as good as any other unless the MIM has it as well.
  void check_reserved(std::string_view what, const Entry& e, int m) {
    if (m == 0 || e.name.size() < 3) return;
    std::string prefix = e.name.substr(0, 3);
    for (char& c : prefix) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c;
    if (prefix != "HLA") return;
    findings_
        .warning("V1826", std::string(what) + " " + in_quotes(e.name) + " begins with HLA", e.place,
                 m)
        .notes.emplace_back("such names are the standard's; give it another one");
  }

  /// Reports that two definitions differ. The MIM overrides a module, with a warning; a data type
  /// with another encoding is an error, because federates would misread each other's values.
  void conflict(const char* code, const std::string& what, const std::string& why,
                const Entry& first, const Place& second, int m, bool on_the_wire = false) {
    if (first.module == 0 && !on_the_wire) {
      findings_.warning("V1828", what + " differs from the MIM, which applies: " + why, second, m)
          .notes.emplace_back("leave it out: every federation has it");
      return;
    }
    findings_.error(code, what + " has two different definitions: " + why, second, m)
        .notes.push_back("first in " + Findings::where(first.place));
  }

  template <class T>
  void add_all(std::string_view what, const std::vector<T>& from, std::vector<T>& into,
               Index& index, const char* code, int m,
               const std::map<std::string, std::string>& notes) {
    for (const T& t : from) {
      const auto [at, fresh] = index.emplace(t.name, static_cast<int>(into.size()));
      if (fresh) {
        check_reserved(what, t, m);
        into.push_back(taken(t, m, notes));
        continue;
      }
      const T& first = into[static_cast<std::size_t>(at->second)];
      if (const std::string why = difference(first, t); !why.empty())
        conflict(code, std::string(what) + " " + in_quotes(t.name), why, first, t.place, m,
                 std::is_same_v<T, DataType> && !why.starts_with("units"));
    }
  }

  /// The class in the FOM that corresponds to a module's class: an existing one, or a new one
  /// without members.
  template <class Class>
  int place_of(std::string_view what, const Class& c, int parent, std::vector<Class>& into,
               Index& paths, int m, const std::map<std::string, std::string>& notes) {
    const auto [at, fresh] = paths.emplace(c.path, static_cast<int>(into.size()));
    if (!fresh) return at->second;
    check_reserved(what, c, m);
    Class copy = taken(c, m, notes);
    copy.parent = parent;
    if constexpr (requires { copy.attributes; }) {
      copy.attributes.clear();
    } else {
      copy.parameters.clear();
    }
    into.push_back(std::move(copy));
    return at->second;
  }

  /// Whether a class inherits a member of this name. The standard forbids to repeat one. Models in
  /// use do it: the inherited one applies, unless values would be encoded differently.
  template <class Class, class Member>
  bool inherited(std::string_view members, const std::vector<Class>& classes, int parent,
                 const std::vector<Member>& all, const std::vector<Index>& names,
                 const Member& given, int m) {
    for (; parent >= 0; parent = classes[static_cast<std::size_t>(parent)].parent) {
      const Class& base = classes[static_cast<std::size_t>(parent)];
      const auto at = names[static_cast<std::size_t>(parent)].find(given.name);
      if (at == names[static_cast<std::size_t>(parent)].end()) continue;
      const Member& had = all[static_cast<std::size_t>(at->second)];
      const std::string what =
          "there are two " + std::string(members) + " called " + in_quotes(given.name);
      const std::string why = difference(had, given);
      Diagnostic& d = had.data_type.name == given.data_type.name
                          ? findings_.warning("V1803", what, given.place, m)
                          : findings_.error("V1803", what, given.place, m);
      d.notes.push_back("the first is inherited from " + base.path + ", in " +
                        Findings::where(had.place) +
                        (d.severity == Severity::error ? ": " + why : "; it applies") +
                        (d.severity == Severity::error || why.empty() ? "" : ": here " + why));
      return true;
    }
    return false;
  }

  /// Adds the members of a class, or compares them with the existing ones.
  template <class Class, class Member>
  void add_members(std::string_view what, std::string_view members, const Class& from,
                   const std::vector<Member>& all, std::vector<int> Class::*own,
                   std::vector<Class>& classes, int into_index, std::vector<Member>& into_all,
                   std::vector<Index>& names, bool closed, int m,
                   const std::map<std::string, std::string>& notes) {
    Class& into = classes[static_cast<std::size_t>(into_index)];
    names.resize(classes.size());
    std::vector<int> added;
    for (const int k : from.*own) {
      if (!inherited(members, classes, into.parent, into_all, names,
                     all[static_cast<std::size_t>(k)], m))
        added.push_back(k);
    }
    if (added.empty()) return;
    if ((into.*own).empty() && !closed) {
      for (const int k : added) {
        Member copy = taken(all[static_cast<std::size_t>(k)], m, notes);
        check_reserved(what, copy, m);
        copy.owner = into_index;
        names[static_cast<std::size_t>(into_index)].emplace(copy.name,
                                                            static_cast<int>(into_all.size()));
        (into.*own).push_back(static_cast<int>(into_all.size()));
        into_all.push_back(std::move(copy));
      }
      return;
    }
    std::map<std::string_view, const Member*> known;
    for (const int k : into.*own) {
      const Member& had = into_all[static_cast<std::size_t>(k)];
      known.emplace(had.name, &had);
    }
    for (const int k : added) {
      const Member& given = all[static_cast<std::size_t>(k)];
      const auto at = known.find(given.name);
      if (at == known.end()) {
        findings_
            .error("V1824",
                   std::string(what) + " " + in_quotes(given.name) + " is added to " + from.path +
                       ", which another module has defined",
                   given.place, m)
            .notes.push_back("the class is defined in " + Findings::where(into.place) +
                             "; make a subclass for what is to be added");
        continue;
      }
      if (const std::string why = difference(*at->second, given); !why.empty())
        conflict("V1820", std::string(what) + " " + in_quotes(given.name) + " of " + from.path, why,
                 *at->second, given.place, m);
      known.erase(at);
    }
    if (known.empty()) return;
    std::vector<std::string> missing;
    for (const auto& [name, member] : known) missing.emplace_back(name);
    const std::string without = "without " + document::listed(missing);
    if (into.module == 0) return conflict("V1824", from.path, without, into, from.place, m);
    findings_.error("V1824", from.path + " is defined again " + without, from.place, m)
        .notes.push_back("first in " + Findings::where(into.place) + "; repeat all " +
                         std::string(members) + " of a class, or none");
  }

  void add_objects(const Module& from, int m, const std::map<std::string, std::string>& notes) {
    std::vector<int> places;
    for (const ObjectClass& c : from.object_classes) {
      const int parent = c.parent < 0 ? -1 : places[static_cast<std::size_t>(c.parent)];
      const int at =
          place_of("object class", c, parent, fom_.object_classes, fom_.object_paths_, m, notes);
      places.push_back(at);
      ObjectClass& into = fom_.object_classes[static_cast<std::size_t>(at)];
      if (const std::string why = difference(into, c); !why.empty())
        conflict("V1820", "object class " + c.path, why, into, c.place, m);
      if (!into.sharing) into.sharing = c.sharing;
      if (into.attributes.empty() && !c.attributes.empty()) complete(into, c, m, notes);
      add_members("attribute", "attributes", c, from.attributes, &ObjectClass::attributes,
                  fom_.object_classes, at, fom_.attributes, attribute_names_, false, m, notes);
    }
  }

  void add_interactions(const Module& from, int m,
                        const std::map<std::string, std::string>& notes) {
    std::vector<int> places;
    for (const InteractionClass& c : from.interaction_classes) {
      const int parent = c.parent < 0 ? -1 : places[static_cast<std::size_t>(c.parent)];
      const int at = place_of("interaction class", c, parent, fom_.interaction_classes,
                              fom_.interaction_paths_, m, notes);
      places.push_back(at);
      InteractionClass& into = fom_.interaction_classes[static_cast<std::size_t>(at)];
      // An interaction class with a transportation and an order is complete, even without
      // parameters.
      const bool closed = into.order && into.module != m;
      if (const std::string why = difference(into, c); !why.empty())
        conflict("V1820", "interaction class " + c.path, why, into, c.place, m);
      if (!into.sharing) into.sharing = c.sharing;
      if (!into.order && c.order) {
        into.order = c.order;
        into.transportation = c.transportation;
        into.dimensions = c.dimensions;
        complete(into, c, m, notes);
      }
      add_members("parameter", "parameters", c, from.parameters, &InteractionClass::parameters,
                  fom_.interaction_classes, at, fom_.parameters, parameter_names_, closed, m,
                  notes);
    }
  }

  /// A module defines a class that earlier ones only mentioned as an ancestor: this module's place
  /// and semantics now describe it.
  template <class Class>
  void complete(Class& into, const Class& c, int m,
                const std::map<std::string, std::string>& notes) {
    if (into.module == m) return;
    const Class copy = taken(c, m, notes);
    into.module = m;
    into.place = copy.place;
    into.notes = copy.notes;
    if (!copy.semantics.empty()) into.semantics = copy.semantics;
  }

  void add_switches(const Module& from, int m) {
    if (!from.switches) return;
    if (!fom_.switches) {
      fom_.switches = from.switches;
      fom_.switches->module = m;
      return;
    }
    if (const std::string why = difference(*fom_.switches, *from.switches); !why.empty())
      findings_.warning("V1823", "these switches have no effect: " + why, from.switches->place, m)
          .notes.push_back("the first switches count; they are in " +
                           Findings::where(fom_.switches->place));
  }

  std::vector<const Module*> modules_;
  Findings findings_;
  Fom fom_;
  Index times_, tags_, labels_, rates_;
  std::vector<Index> attribute_names_, parameter_names_;  // of each class, with their indices
  std::map<std::string, std::string> note_texts_;
};

std::optional<Fom> merge(std::span<const Module> modules, const Module& mim,
                         Diagnostics& problems) {
  std::vector<const Module*> all{&mim};
  for (const Module& m : modules) all.push_back(&m);
  return Merger(std::move(all), problems).run();
}

}  // namespace vernier::fom
