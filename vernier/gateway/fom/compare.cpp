#include "vernier/gateway/fom/compare.hpp"

#include <algorithm>
#include <map>
#include <type_traits>

#include "vernier/base/text.hpp"
#include "vernier/gateway/fom/words.hpp"

namespace vernier::fom {
namespace {

/// Keeps the first difference that is found.
class Difference {
 public:
  Difference& text(std::string_view what, std::string_view was, std::string_view now) {
    if (found_.empty() && was != now) {
      const auto shown = [](std::string_view s) {
        return s.empty() ? std::string("missing") : std::string(s.substr(0, 80));
      };
      found_ = std::string(what) + " is " + shown(now) + ", was " + shown(was);
    }
    return *this;
  }
  Difference& reference(std::string_view what, const Reference& was, const Reference& now) {
    return text(what, was.given() ? was.name : "NA", now.given() ? now.name : "NA");
  }
  template <class Enum, std::size_t n>
  Difference& words(std::string_view what, const std::array<std::string_view, n>& all, Enum was,
                    Enum now) {
    return text(what, word(all, was), word(all, now));
  }
  Difference& list(std::string_view what, const std::vector<Reference>& was,
                   const std::vector<Reference>& now) {
    const auto names = [](const std::vector<Reference>& all) {
      std::vector<std::string> sorted;
      for (const Reference& r : all) sorted.push_back(r.name);
      std::sort(sorted.begin(), sorted.end());
      return joined(sorted, ", ");
    };
    return text(what, names(was), names(now));
  }
  Difference& sharing(const std::optional<Sharing>& was, const std::optional<Sharing>& now) {
    if (was && now) words("sharing", sharing_words, *was, *now);
    return *this;
  }
  std::string found() const { return found_; }

 private:
  std::string found_;
};

std::string difference_of(const Basic& a, const Basic& b) {
  return Difference()
      .text("size", std::to_string(a.bits), std::to_string(b.bits))
      .words("endian", endian_words, a.little, b.little)
      .found();
}

std::string difference_of(const Simple& a, const Simple& b) {
  return Difference()
      .reference("representation", a.representation, b.representation)
      .text("units", a.units, b.units)
      .found();
}

std::string difference_of(const Enumerated& a, const Enumerated& b) {
  const auto values = [](const Enumerator& e) {
    std::vector<std::string> all;
    for (const std::int64_t v : e.values) all.push_back(std::to_string(v));
    return joined(all, ", ");
  };
  Difference d;
  d.reference("representation", a.representation, b.representation);
  for (std::size_t i = 0; i < std::max(a.enumerators.size(), b.enumerators.size()); ++i) {
    const Enumerator* was = i < a.enumerators.size() ? &a.enumerators[i] : nullptr;
    const Enumerator* now = i < b.enumerators.size() ? &b.enumerators[i] : nullptr;
    d.text("enumerator " + std::to_string(i + 1), was ? was->name : "", now ? now->name : "");
    if (was && now) d.text("value of " + now->name, values(*was), values(*now));
    if (!d.found().empty()) break;
  }
  return d.found();
}

std::string difference_of(const Array& a, const Array& b) {
  return Difference()
      .reference("element", a.element, b.element)
      .text("cardinality", cardinality(a), cardinality(b))
      .reference("encoding", a.encoding, b.encoding)
      .found();
}

std::string difference_of(const FixedRecord& a, const FixedRecord& b) {
  Difference d;
  d.reference("encoding", a.encoding, b.encoding);
  for (std::size_t i = 0; i < std::max(a.fields.size(), b.fields.size()); ++i) {
    const Field* was = i < a.fields.size() ? &a.fields[i] : nullptr;
    const Field* now = i < b.fields.size() ? &b.fields[i] : nullptr;
    d.text("field " + std::to_string(i + 1), was ? was->name : "", now ? now->name : "");
    if (was && now) d.reference("type of " + now->name, was->data_type, now->data_type);
    if (!d.found().empty()) break;
  }
  return d.found();
}

std::string difference_of(const VariantRecord& a, const VariantRecord& b) {
  Difference d;
  d.text("discriminant", a.discriminant, b.discriminant)
      .reference("type of the discriminant", a.discriminant_type, b.discriminant_type)
      .reference("encoding", a.encoding, b.encoding);
  for (std::size_t i = 0; i < std::max(a.alternatives.size(), b.alternatives.size()); ++i) {
    const Alternative* was = i < a.alternatives.size() ? &a.alternatives[i] : nullptr;
    const Alternative* now = i < b.alternatives.size() ? &b.alternatives[i] : nullptr;
    const std::string which = "alternative " + std::to_string(i + 1);
    d.text(which, was ? enumerators(*was) : "", now ? enumerators(*now) : "");
    if (was && now) {
      d.text("name of " + which, was->name, now->name);
      d.reference("type of " + which, was->data_type, now->data_type);
    }
    if (!d.found().empty()) break;
  }
  return d.found();
}

/// Compares two lists element by element, matched by the name that `name` returns.
template <class T, class Name, class Compare>
void compare(std::string_view what, const std::vector<T>& was, const std::vector<T>& now,
             std::vector<std::string>& out, const Name& name, const Compare& compared) {
  std::map<std::string, const T*> before, after;
  for (const T& t : was) before.emplace(name(t), &t);
  for (const T& t : now) after.emplace(name(t), &t);
  for (const auto& [n, t] : before) {
    const auto at = after.find(n);
    if (at == after.end()) {
      out.push_back(std::string(what) + " " + n + " is missing");
    } else if (const std::string d = compared(*t, *at->second); !d.empty()) {
      out.push_back(std::string(what) + " " + n + ": " + d);
    }
  }
  for (const auto& [n, t] : after) {
    if (!before.contains(n)) out.push_back(std::string(what) + " " + n + " is new");
  }
}

template <class T>
void compare(std::string_view what, const std::vector<T>& was, const std::vector<T>& now,
             std::vector<std::string>& out) {
  compare(
      what, was, now, out, [](const T& t) { return t.name; },
      [](const T& a, const T& b) { return difference(a, b); });
}

template <class Class, class Member>
void compare_members(std::string_view what, const std::vector<Class>& classes_was,
                     const std::vector<Member>& was, const std::vector<Class>& classes_now,
                     const std::vector<Member>& now, std::vector<std::string>& out) {
  const auto listed = [](const std::vector<Class>& classes, const std::vector<Member>& members) {
    std::vector<std::pair<std::string, const Member*>> all;
    for (const Member& m : members)
      all.emplace_back(classes[static_cast<std::size_t>(m.owner)].path + "." + m.name, &m);
    return all;
  };
  using Pair = std::pair<std::string, const Member*>;
  compare(
      what, listed(classes_was, was), listed(classes_now, now), out,
      [](const Pair& p) { return p.first; },
      [](const Pair& a, const Pair& b) { return difference(*a.second, *b.second); });
}

}  // namespace

std::string difference(const ObjectClass& a, const ObjectClass& b) {
  return a.parent < 0 ? "" : Difference().sharing(a.sharing, b.sharing).found();
}

std::string difference(const InteractionClass& a, const InteractionClass& b) {
  Difference d;
  if (a.parent >= 0) d.sharing(a.sharing, b.sharing);
  if (a.order && b.order) {
    d.words("order", order_words, *a.order, *b.order)
        .reference("transportation", a.transportation, b.transportation)
        .list("dimensions", a.dimensions, b.dimensions);
  }
  return d.found();
}

std::string difference(const Attribute& a, const Attribute& b) {
  return Difference()
      .reference("data type", a.data_type, b.data_type)
      .words("update type", update_words, a.update, b.update)
      .words("ownership", ownership_words, a.ownership, b.ownership)
      .words("sharing", sharing_words, a.sharing, b.sharing)
      .list("dimensions", a.dimensions, b.dimensions)
      .reference("transportation", a.transportation, b.transportation)
      .words("order", order_words, a.order, b.order)
      .found();
}

std::string difference(const Parameter& a, const Parameter& b) {
  return Difference().reference("data type", a.data_type, b.data_type).found();
}

std::string difference(const Dimension& a, const Dimension& b) {
  return Difference()
      .reference("data type", a.data_type, b.data_type)
      .text("upper bound", std::to_string(a.upper_bound), std::to_string(b.upper_bound))
      .text("normalization", a.normalization, b.normalization)
      .text("value", a.value, b.value)
      .found();
}

std::string difference(const Transportation& a, const Transportation& b) {
  return Difference().words("reliable", reliable_words, a.reliable, b.reliable).found();
}

std::string difference(const UpdateRate& a, const UpdateRate& b) {
  return Difference().text("rate", exact(a.rate), exact(b.rate)).found();
}

std::string difference(const Synchronization& a, const Synchronization& b) {
  return Difference()
      .reference("data type", a.data_type, b.data_type)
      .words("capability", capability_words, a.capability, b.capability)
      .found();
}

std::string difference(const Use& a, const Use& b) {
  return Difference().reference("data type", a.data_type, b.data_type).found();
}

std::string difference(const DataType& a, const DataType& b) {
  if (a.definition.index() != b.definition.index())
    return Difference().text("it", kind(a), kind(b)).found();
  return std::visit(
      [&](const auto& was) {
        return difference_of(was, std::get<std::decay_t<decltype(was)>>(b.definition));
      },
      a.definition);
}

std::string difference(const Switches& a, const Switches& b) {
  Difference d;
  const auto word_of = [](bool on) { return on ? "on" : "off"; };
  for (std::size_t i = 0; i < Switches::names.size(); ++i)
    d.text(Switches::names[i], word_of(a.enabled[i]), word_of(b.enabled[i]));
  return d.words("automaticResignAction", resign_words, a.resign, b.resign).found();
}

std::vector<std::string> differences(const Model& was, const Model& now) {
  std::vector<std::string> out;
  const auto path = [](const auto& c) { return c.path; };
  const auto compared = [](const auto& a, const auto& b) { return difference(a, b); };
  compare("object class", was.object_classes, now.object_classes, out, path, compared);
  compare_members("attribute", was.object_classes, was.attributes, now.object_classes,
                  now.attributes, out);
  compare("interaction class", was.interaction_classes, now.interaction_classes, out, path,
          compared);
  compare_members("parameter", was.interaction_classes, was.parameters, now.interaction_classes,
                  now.parameters, out);
  compare("dimension", was.dimensions, now.dimensions, out);
  compare("time", was.times, now.times, out);
  compare("tag", was.tags, now.tags, out);
  compare("synchronization point", was.synchronizations, now.synchronizations, out);
  compare("transportation", was.transportations, now.transportations, out);
  compare("update rate", was.update_rates, now.update_rates, out);
  compare("data type", was.data_types, now.data_types, out);
  if (was.switches.has_value() != now.switches.has_value()) {
    out.emplace_back(now.switches ? "the switches are new" : "the switches are missing");
  } else if (was.switches) {
    if (const std::string d = difference(*was.switches, *now.switches); !d.empty())
      out.push_back("switches: " + d);
  }
  return out;
}

std::string cardinality(const Array& a) {
  std::vector<std::string> all;
  for (const Extent& e : a.extents) {
    all.push_back(!e.most ? "Dynamic"
                  : *e.most == e.least
                      ? std::to_string(e.least)
                      : "[" + std::to_string(e.least) + ".." + std::to_string(*e.most) + "]");
  }
  return joined(all, ", ");
}

std::string enumerators(const Alternative& a) {
  std::vector<std::string> all;
  for (const Range& r : a.enumerators)
    all.push_back(r.first == r.last ? r.first : "[" + r.first + " .. " + r.last + "]");
  return joined(all, ", ");
}

}  // namespace vernier::fom
