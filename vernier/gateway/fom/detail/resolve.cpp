#include <algorithm>
#include <map>

#include "vernier/base/text.hpp"
#include "vernier/document/report.hpp"
#include "vernier/gateway/fom/detail/findings.hpp"

namespace vernier::fom::detail {
namespace {

using document::in_quotes;

constexpr int most_levels = 64;
constexpr std::size_t most_bytes = std::size_t{1} << 31;

class Resolver {
 public:
  Resolver(Fom& fom, Findings& findings) : fom_(fom), findings_(findings) {
    for (const DataType& t : fom_.data_types) type_names_.push_back(t.name);
    for (const Transportation& t : fom_.transportations) transport_names_.push_back(t.name);
    for (const Dimension& d : fom_.dimensions) dimension_names_.push_back(d.name);
  }

  void run() {
    classes();
    for (const Dimension& d : fom_.dimensions) type(d.data_type, "dimension " + d.name, d.module);
    for (const auto* uses : {&fom_.times, &fom_.tags}) {
      for (const Use& u : *uses) type(u.data_type, u.name, u.module);
    }
    for (const Synchronization& s : fom_.synchronizations) type(s.data_type, s.name, s.module);
    const std::size_t before = findings_.errors();
    for (const DataType& t : fom_.data_types) references(t);
    if (findings_.errors() == before) lay_out();
  }

 private:
  /// Returns `found`; reports the reference when it is false.
  bool known(const Reference& r, bool found, const char* code, std::string_view what,
             const std::string& user, const std::vector<std::string>& candidates, int module) {
    if (found) return true;
    if (findings_.full()) return false;
    Diagnostic& d = findings_.error(
        code,
        "there is no " + std::string(what) + " " + in_quotes(r.name) + ", which " + user + " uses",
        r.place, module);
    if (r.name.size() < 64 && candidates.size() < 2000) {
      if (const auto near = closest(r.name, candidates)) d.mark = "did you mean " + *near + "?";
    }
    d.notes.emplace_back("define it, or give the module that does as well");
    return false;
  }

  bool type(const Reference& r, const std::string& user, int module) {
    return !r.given() || known(r, fom_.data_type(r.name).has_value(), "V1813", "data type", user,
                               type_names_, module);
  }
  void transport(const Reference& r, const std::string& user, int module) {
    if (r.given())
      known(r, fom_.transportation(r.name).has_value(), "V1814", "transportation", user,
            transport_names_, module);
  }
  void dimensions(const std::vector<Reference>& all, const std::string& user, int module) {
    for (const Reference& r : all)
      known(r, fom_.dimension(r.name).has_value(), "V1814", "dimension", user, dimension_names_,
            module);
  }

  void classes() {
    overloaded(fom_.object_classes, fom_.attributes, &ObjectClass::attributes, "attribute");
    overloaded(fom_.interaction_classes, fom_.parameters, &InteractionClass::parameters,
               "parameter");
    for (const ObjectClass& c : fom_.object_classes) {
      if (c.attributes.empty() && !c.sharing && c.parent >= 0) {
        findings_
            .warning("V1815", "no module says what object class " + c.path + " is", c.place,
                     c.module)
            .notes.emplace_back("give the module that defines it as well");
      }
    }
    for (const Attribute& a : fom_.attributes) {
      const std::string user = "attribute " + a.name;
      type(a.data_type, user, a.module);
      transport(a.transportation, user, a.module);
      dimensions(a.dimensions, user, a.module);
    }
    for (const InteractionClass& c : fom_.interaction_classes) {
      const std::string user = "interaction class " + c.name;
      transport(c.transportation, user, c.module);
      dimensions(c.dimensions, user, c.module);
      if (!c.order) {
        findings_
            .error("V1815", "no module says what interaction class " + c.path + " is", c.place,
                   c.module)
            .notes.emplace_back(
                "give the module that defines it as well, or say how it travels: "
                "<transportation> and <order>");
      }
    }
    for (const Parameter& p : fom_.parameters) type(p.data_type, "parameter " + p.name, p.module);
  }

  /// A class that a later module completes must not get a member of which a subclass has the name:
  /// federates may use that already. The other way round, merge() takes the inherited one.
  template <class Class, class Member>
  void overloaded(const std::vector<Class>& classes, const std::vector<Member>& members,
                  std::vector<int> Class::*own, std::string_view what) {
    std::vector<std::map<std::string_view, const Member*>> names(classes.size());
    for (std::size_t i = 0; i < classes.size(); ++i) {
      for (const int k : classes[i].*own) {
        const Member& m = members[static_cast<std::size_t>(k)];
        names[i].emplace(m.name, &m);
      }
    }
    for (const Member& m : members) {
      int base = classes[static_cast<std::size_t>(m.owner)].parent;
      for (; base >= 0; base = classes[static_cast<std::size_t>(base)].parent) {
        const auto& inherited = names[static_cast<std::size_t>(base)];
        const auto at = inherited.find(m.name);
        if (at == inherited.end()) continue;
        findings_
            .error("V1803", "there are two " + std::string(what) + "s called " + in_quotes(m.name),
                   m.place, m.module)
            .notes.push_back("the first is inherited from " +
                             classes[static_cast<std::size_t>(base)].path + ", in " +
                             Findings::where(at->second->place));
      }
    }
  }

  const DataType* find(const Reference& r) const {
    const auto at = fom_.data_type(r.name);
    return at ? &fom_.data_types[static_cast<std::size_t>(*at)] : nullptr;
  }

  // checks the names that the definition of a type refers to
  void references(const DataType& t) {
    if (findings_.full()) return;
    std::visit([&](const auto& d) { check(t, d); }, t.definition);
  }

  /// The basic type that represents a simple or enumerated one.
  const Basic* representation(const DataType& t, const Reference& r) {
    if (!type(r, t.name, t.module)) return nullptr;
    const DataType* used = r.given() ? find(r) : nullptr;
    const Basic* basic = used ? std::get_if<Basic>(&used->definition) : nullptr;
    if (!basic) {
      findings_
          .error("V1816",
                 in_quotes(t.name) + " is represented by " + in_quotes(r.name) +
                     ", which is not a basic data representation",
                 r.place, t.module)
          .notes.emplace_back("such as HLAinteger32BE or HLAfloat64LE");
    }
    return basic;
  }

  void check(const DataType&, const Basic&) {}
  void check(const DataType& t, const Simple& s) { representation(t, s.representation); }

  void check(const DataType& t, const Enumerated& e) {
    const Basic* basic = representation(t, e.representation);
    if (!basic || basic->bits > 63) return;
    const std::int64_t most = (std::int64_t{1} << basic->bits) - 1;
    const std::int64_t least = -(most / 2) - 1;
    for (const Enumerator& one : e.enumerators) {
      for (const std::int64_t v : one.values) {
        if (v >= least && v <= most) continue;
        findings_
            .error("V1806",
                   "the value " + std::to_string(v) + " of " + in_quotes(one.name) +
                       " does not fit into " + e.representation.name,
                   one.place, t.module)
            .notes.push_back("it has " + std::to_string(basic->bits) + " bits");
      }
    }
  }

  void check(const DataType& t, const Array& a) { needed(a.element, t.name, t.module); }

  void check(const DataType& t, const FixedRecord& r) {
    for (const Field& f : r.fields) needed(f.data_type, t.name + "." + f.name, t.module);
  }

  void needed(const Reference& r, const std::string& user, int module) {
    known(r, r.given() && fom_.data_type(r.name).has_value(), "V1813", "data type", user,
          type_names_, module);
  }

  void check(const DataType& t, const VariantRecord& r) {
    for (const Alternative& a : r.alternatives) type(a.data_type, t.name, t.module);
    if (!type(r.discriminant_type, t.name, t.module)) return;
    const DataType* used = find(r.discriminant_type);
    const Enumerated* all = used ? std::get_if<Enumerated>(&used->definition) : nullptr;
    if (!all) {
      findings_
          .error("V1808",
                 "the discriminant of " + in_quotes(t.name) + " is not of an enumerated data type",
                 r.discriminant_type.place, t.module)
          .notes.emplace_back("its enumerators choose among the alternatives");
      return;
    }
    std::map<std::string_view, std::size_t> order;
    for (std::size_t i = 0; i < all->enumerators.size(); ++i)
      order.emplace(all->enumerators[i].name, i);
    std::vector<bool> taken(all->enumerators.size());
    bool other = false;
    for (const Alternative& a : r.alternatives) {
      for (const Range& range : a.enumerators) {
        if (range.first == "HLAother" && !other) {
          other = true;
          continue;
        }
        const auto first = order.find(range.first), last = order.find(range.last);
        std::string why;
        if (first == order.end() || last == order.end()) {
          why = in_quotes(first == order.end() ? range.first : range.last) +
                " is no enumerator of " + used->name;
        } else if (first->second > last->second) {
          why = in_quotes(range.last) + " comes before " + in_quotes(range.first) + " in " +
                used->name;
        } else {
          for (std::size_t i = first->second; i <= last->second && why.empty(); ++i) {
            if (taken[i]) why = "two alternatives are for " + in_quotes(all->enumerators[i].name);
            taken[i] = true;
          }
        }
        if (why.empty()) continue;
        findings_.error("V1808", in_quotes(t.name) + ": " + why, a.chosen_by, t.module)
            .notes.emplace_back(
                "every enumerator chooses one alternative; HLAother is for the "
                "rest, once");
        return;
      }
    }
  }

  // Computes the layouts of IEEE 1516.2-2010, section 4.13: inner types first, since a record or
  // array takes its boundary and size from its parts.
  void lay_out() {
    const std::size_t n = fom_.data_types.size();
    fom_.layouts.assign(n, {});
    levels_.assign(n, 0);
    for (std::size_t i = 0; i < n && !broken_; ++i) level(static_cast<int>(i));
    if (broken_) fom_.layouts.clear();
  }

  /// The nesting depth of a type, whose layout is computed first; 0 while that is in progress.
  int level(int index) {
    const auto i = static_cast<std::size_t>(index);
    if (levels_[i] > 0 || broken_) return levels_[i];
    const DataType& t = fom_.data_types[i];
    const auto again = std::find(path_.begin(), path_.end(), index);
    if (again != path_.end() || path_.size() >= most_levels) {
      broken_ = true;
      std::vector<std::string> names;
      if (again == path_.end()) {
        findings_
            .error("V1817",
                   in_quotes(t.name) + " lies more than " + std::to_string(most_levels) +
                       " data types deep",
                   t.place, t.module)
            .notes.emplace_back("make the outer ones flatter");
        return 0;
      }
      for (auto k = again; k != path_.end(); ++k)
        names.push_back(in_quotes(fom_.data_types[static_cast<std::size_t>(*k)].name));
      findings_
          .error("V1817",
                 "a data type contains itself: " + document::listed(names) + ", and again " +
                     in_quotes(t.name),
                 t.place, t.module)
          .notes.emplace_back("take one of them out of the other");
      return 0;
    }
    path_.push_back(index);
    const Layout made = std::visit([&](const auto& d) { return layout(d); }, t.definition);
    path_.pop_back();
    if (broken_) return 0;
    if (made.bytes.value_or(0) > most_bytes) {
      broken_ = true;
      findings_
          .error("V1812", "a value of " + in_quotes(t.name) + " has more than 2 GiB", t.place,
                 t.module)
          .notes.emplace_back("give smaller cardinalities");
      return 0;
    }
    fom_.layouts[i] = made;
    return levels_[i] = level_of(t);
  }

  int level_of(const DataType& t) const {
    int deepest = 0;
    const auto inner = [&](const Reference& r) {
      if (const auto at = r.given() ? fom_.data_type(r.name) : std::nullopt)
        deepest = std::max(deepest, levels_[static_cast<std::size_t>(*at)]);
    };
    if (const auto* a = std::get_if<Array>(&t.definition)) inner(a->element);
    if (const auto* r = std::get_if<FixedRecord>(&t.definition)) {
      for (const Field& f : r->fields) inner(f.data_type);
    }
    if (const auto* r = std::get_if<VariantRecord>(&t.definition)) {
      for (const Alternative& a : r->alternatives) inner(a.data_type);
    }
    return deepest + 1;
  }

  /// The layout of the type named. An alternative without a type takes no bytes.
  Layout of(const Reference& r) {
    const auto at = r.given() ? fom_.data_type(r.name) : std::nullopt;
    if (!at) return {1, 0, true};
    const int deep = level(*at);
    if (!broken_ && deep + static_cast<int>(path_.size()) > most_levels) {
      broken_ = true;
      const DataType& outer = fom_.data_types[static_cast<std::size_t>(path_.front())];
      findings_
          .error("V1817",
                 in_quotes(outer.name) + " has more than " + std::to_string(most_levels) +
                     " levels of data types",
                 outer.place, outer.module)
          .notes.emplace_back("make it flatter");
    }
    return broken_ ? Layout{} : fom_.layouts[static_cast<std::size_t>(*at)];
  }

  Layout layout(const Basic& b) {
    const std::size_t bytes = (static_cast<std::size_t>(b.bits) + 7) / 8;
    // a basic value is aligned to its size, rounded up to a power of two, at most 8 bytes
    std::size_t boundary = 1;
    while (boundary < bytes && boundary < 8) boundary *= 2;
    return {boundary, bytes, true};
  }
  Layout layout(const Simple& s) { return of(s.representation); }
  Layout layout(const Enumerated& e) { return of(e.representation); }

  Layout layout(const Array& a) {
    const Layout element = of(a.element);
    // a variable array begins with its element count, HLAinteger32BE
    if (a.encoding.name == "HLAvariableArray")
      return {std::max<std::size_t>(4, element.boundary), {}, element.known};
    Layout all{element.boundary, {}, element.known && a.encoding.name == "HLAfixedArray"};
    if (!all.known || !element.bytes) return all;
    std::size_t count = 1;
    for (const Extent& e : a.extents) count = std::min(count * e.least, most_bytes + 1);
    // padding lies between elements; there is none after the last
    const std::size_t step = aligned(*element.bytes, element.boundary);
    all.bytes = count == 0 ? 0 : std::min((count - 1) * step, most_bytes + 1) + *element.bytes;
    return all;
  }

  Layout layout(const FixedRecord& r) {
    Layout all{1, 0, r.encoding.name == "HLAfixedRecord"};
    for (const Field& f : r.fields) {
      const Layout field = of(f.data_type);
      all.boundary = std::max(all.boundary, field.boundary);
      all.known = all.known && field.known;
      if (all.bytes && field.bytes) {
        all.bytes = std::min(aligned(*all.bytes, field.boundary) + *field.bytes, most_bytes + 1);
      } else {
        all.bytes.reset();
      }
    }
    if (!all.known) all.bytes.reset();
    return all;
  }

  Layout layout(const VariantRecord& r) {
    const Layout discriminant = of(r.discriminant_type);
    // the variant's own size depends on the discriminant, so no size is common to all values
    Layout all{discriminant.boundary, {}, r.encoding.name == "HLAvariantRecord"};
    for (const Alternative& a : r.alternatives) {
      const Layout one = of(a.data_type);
      all.boundary = std::max(all.boundary, one.boundary);
      all.known = all.known && one.known;
    }
    return all;
  }

  Fom& fom_;
  Findings& findings_;
  std::vector<std::string> type_names_, transport_names_, dimension_names_;
  std::vector<int> levels_, path_;
  bool broken_ = false;
};

}  // namespace

void resolve(Fom& fom, Findings& findings) { Resolver(fom, findings).run(); }

}  // namespace vernier::fom::detail
