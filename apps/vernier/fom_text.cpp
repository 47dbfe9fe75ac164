#include "apps/vernier/fom_text.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "apps/vernier/console.hpp"
#include "apps/vernier/table.hpp"
#include "vernier/base/text.hpp"
#include "vernier/gateway/fom/compare.hpp"
#include "vernier/gateway/fom/words.hpp"

namespace vernier::app {
namespace {

using Json = nlohmann::ordered_json;

std::string joined_names(const std::vector<fom::Reference>& all) {
  std::vector<std::string> names;
  for (const fom::Reference& r : all) names.push_back(r.name);
  return joined(names, ", ");
}

std::string size_text(const fom::Layout& l) {
  if (!l.known) return "own encoding";
  return l.bytes ? fmt::format("{} byte{}", *l.bytes, *l.bytes == 1 ? "" : "s") : "variable";
}

/// The structure of a data type, in one line.
std::string made_of(const fom::DataType& t) {
  if (const auto* b = std::get_if<fom::Basic>(&t.definition))
    return fmt::format("{} bits, {} endian", b->bits, b->little ? "little" : "big");
  if (const auto* s = std::get_if<fom::Simple>(&t.definition))
    return s->representation.name +
           (s->units.empty() || s->units == "NA" ? "" : ", " + s->units.substr(0, 60));
  if (const auto* e = std::get_if<fom::Enumerated>(&t.definition)) {
    std::vector<std::string> names;
    for (const fom::Enumerator& one : e->enumerators) {
      if (names.size() == 4) {
        names.push_back(fmt::format("… ({} more)", e->enumerators.size() - 4));
        break;
      }
      names.push_back(fmt::format("{} = {}", one.name, one.values.front()));
    }
    return e->representation.name + ": " + joined(names, ", ");
  }
  if (const auto* a = std::get_if<fom::Array>(&t.definition))
    return fmt::format("{} [{}]", a->element.name, fom::cardinality(*a));
  if (const auto* r = std::get_if<fom::FixedRecord>(&t.definition))
    return fmt::format("{} field{}", r->fields.size(), r->fields.size() == 1 ? "" : "s");
  const auto& v = std::get<fom::VariantRecord>(t.definition);
  return fmt::format("{} alternative{} by {} {}", v.alternatives.size(),
                     v.alternatives.size() == 1 ? "" : "s", v.discriminant_type.name,
                     v.discriminant);
}

class Text {
 public:
  Text(const fom::Fom& f, bool all) : fom_(f), all_(all) {}

  std::string run() {
    for (std::size_t i = all_ ? 0 : 1; i < fom_.modules.size(); ++i) {
      const auto& m = fom_.modules[i];
      out_ += fmt::format("{}  {} {}\n", m.file, m.identification.name, m.identification.version);
    }
    objects();
    interactions();
    types();
    rest();
    return std::move(out_);
  }

 private:
  bool shown(const fom::Entry& e) const { return all_ || e.module > 0; }

  /// Of the class itself, or of one derived from it.
  template <class Class>
  std::vector<bool> on_the_way(const std::vector<Class>& classes) const {
    std::vector<bool> on(classes.size());
    for (std::size_t i = classes.size(); i-- > 0;) {
      if (shown(classes[i])) on[i] = true;
      if (on[i] && classes[i].parent >= 0) on[static_cast<std::size_t>(classes[i].parent)] = true;
    }
    return on;
  }

  template <class Class, class Row>
  void tree(std::string_view title, const std::vector<Class>& classes, const Row& members) {
    const std::vector<bool> on = on_the_way(classes);
    if (classes.empty() || !on[0]) return;
    out_ += fmt::format("\n{}\n", title);
    std::vector<std::vector<std::size_t>> children(classes.size());
    for (std::size_t i = 1; i < classes.size(); ++i)
      children[static_cast<std::size_t>(classes[i].parent)].push_back(i);
    // depth first, without recursion
    std::vector<std::pair<std::size_t, std::size_t>> rest{{0, 1}};
    while (!rest.empty()) {
      const auto [i, depth] = rest.back();
      rest.pop_back();
      if (!on[i]) continue;
      const std::string indent(2 * depth, ' ');
      out_ += indent + classes[i].name + "\n";
      out_ += members(i, indent + "  ");
      for (auto k = children[i].rbegin(); k != children[i].rend(); ++k)
        rest.emplace_back(*k, depth + 1);
    }
  }

  std::string type_size(const fom::Reference& r) const {
    const auto at = fom_.data_type(r.name);
    return at ? size_text(fom_.layouts[static_cast<std::size_t>(*at)]) : "";
  }

  void objects() {
    tree("object classes", fom_.object_classes, [&](std::size_t i, const std::string& indent) {
      Table table;
      const std::vector<int> own = fom_.object_classes[i].attributes;
      for (const int k : shown(fom_.object_classes[i]) ? fom_.all_attributes(static_cast<int>(i))
                                                       : std::vector<int>{}) {
        const fom::Attribute& a = fom_.attributes[static_cast<std::size_t>(k)];
        if (!shown(a)) continue;
        table.row({a.name, a.data_type.name, type_size(a.data_type),
                   std::string(fom::word(fom::update_words, a.update)),
                   std::string(fom::word(fom::ownership_words, a.ownership)),
                   std::string(fom::word(fom::order_words, a.order)),
                   a.transportation.name +
                       (a.dimensions.empty() ? "" : " [" + joined_names(a.dimensions) + "]"),
                   a.owner == static_cast<int>(i)
                       ? ""
                       : "from " + fom_.object_classes[static_cast<std::size_t>(a.owner)].name});
      }
      return table.text(indent);
    });
  }

  void interactions() {
    tree(
        "interaction classes", fom_.interaction_classes,
        [&](std::size_t i, const std::string& indent) {
          const fom::InteractionClass& c = fom_.interaction_classes[i];
          if (!shown(c)) return std::string();
          std::string out = fmt::format("{}({}, {})\n", indent, c.transportation.name,
                                        fom::word(fom::order_words, *c.order));
          Table table;
          for (const int k : fom_.all_parameters(static_cast<int>(i))) {
            const fom::Parameter& p = fom_.parameters[static_cast<std::size_t>(k)];
            table.row(
                {p.name, p.data_type.name, type_size(p.data_type),
                 p.owner == static_cast<int>(i)
                     ? ""
                     : "from " + fom_.interaction_classes[static_cast<std::size_t>(p.owner)].name});
          }
          return out + table.text(indent);
        });
  }

  void types() {
    Table table;
    bool any = false;
    for (std::size_t i = 0; i < fom_.data_types.size(); ++i) {
      const fom::DataType& t = fom_.data_types[i];
      if (!shown(t)) continue;
      any = true;
      const fom::Layout& l = fom_.layouts[i];
      table.row({t.name, std::string(fom::kind(t)), size_text(l), fmt::format("at {}", l.boundary),
                 made_of(t)});
      if (const auto* r = std::get_if<fom::FixedRecord>(&t.definition)) fields(table, *r);
      if (const auto* v = std::get_if<fom::VariantRecord>(&t.definition)) {
        for (const fom::Alternative& a : v->alternatives)
          table.row({"  " + fom::enumerators(a), "", "", "",
                     a.data_type.given() ? a.name + " " + a.data_type.name : "nothing"});
      }
    }
    if (any) out_ += "\ndata types (size, begins at multiples of)\n" + table.text("  ");
  }

  void fields(Table& table, const fom::FixedRecord& r) {
    std::optional<std::size_t> at = 0;
    for (const fom::Field& f : r.fields) {
      const auto type = fom_.data_type(f.data_type.name);
      const fom::Layout l = type ? fom_.layouts[static_cast<std::size_t>(*type)] : fom::Layout{};
      if (at) at = fom::aligned(*at, l.boundary);
      table.row({"  " + f.name, "", at ? fmt::format("+{}", *at) : "", "", f.data_type.name});
      at = at && l.bytes && l.known ? std::optional(*at + *l.bytes) : std::nullopt;
    }
  }

  template <class T, class Row>
  void list(std::string_view title, const std::vector<T>& all, const Row& row) {
    Table table;
    bool any = false;
    for (const T& t : all) {
      if (!shown(t)) continue;
      any = true;
      table.row(row(t));
    }
    if (any) out_ += fmt::format("\n{}\n{}", title, table.text("  "));
  }

  void rest() {
    using Cells = std::vector<std::string>;
    list("dimensions", fom_.dimensions, [](const fom::Dimension& d) {
      return Cells{d.name, d.data_type.name,
                   d.upper_bound == 0 ? "" : fmt::format("up to {}", d.upper_bound)};
    });
    list("time", fom_.times, [](const fom::Use& u) { return Cells{u.name, u.data_type.name}; });
    list("tags", fom_.tags, [](const fom::Use& u) { return Cells{u.name, u.data_type.name}; });
    list("synchronization points", fom_.synchronizations, [](const fom::Synchronization& s) {
      return Cells{s.name, std::string(fom::word(fom::capability_words, s.capability)),
                   s.data_type.given() ? s.data_type.name : ""};
    });
    list("transportations", fom_.transportations, [](const fom::Transportation& t) {
      return Cells{t.name, t.reliable ? "reliable" : "not reliable"};
    });
    list("update rates", fom_.update_rates, [](const fom::UpdateRate& u) {
      return Cells{u.name, exact(u.rate) + " Hz"};
    });
    const fom::Switches& s = *fom_.switches;
    std::vector<std::string> on;
    for (std::size_t i = 0; i < fom::Switches::names.size(); ++i) {
      if (s.enabled[i]) on.emplace_back(fom::Switches::names[i]);
    }
    out_ +=
        fmt::format("\nswitches\n  on: {}; when a federate is lost: {}\n",
                    on.empty() ? "none" : joined(on, ", "), fom::word(fom::resign_words, s.resign));
  }

  const fom::Fom& fom_;
  bool all_;
  std::string out_;
};

Json entry(const fom::Entry& e, std::size_t index) {
  Json j{{"index", index}, {"name", e.name}, {"module", e.module}};
  if (!e.semantics.empty()) j["semantics"] = e.semantics;
  return j;
}

Json names(const std::vector<fom::Reference>& all) {
  Json j = Json::array();
  for (const fom::Reference& r : all) j.push_back(r.name);
  return j;
}

void define(Json& j, const fom::DataType& t) {
  if (const auto* b = std::get_if<fom::Basic>(&t.definition)) {
    j["bits"] = b->bits;
    j["endian"] = fom::word(fom::endian_words, b->little);
  } else if (const auto* s = std::get_if<fom::Simple>(&t.definition)) {
    j["representation"] = s->representation.name;
    j["units"] = s->units;
  } else if (const auto* e = std::get_if<fom::Enumerated>(&t.definition)) {
    j["representation"] = e->representation.name;
    j["enumerators"] = Json::array();
    for (const fom::Enumerator& one : e->enumerators)
      j["enumerators"].push_back({{"name", one.name}, {"values", one.values}});
  } else if (const auto* a = std::get_if<fom::Array>(&t.definition)) {
    j["element"] = a->element.name;
    j["cardinality"] = fom::cardinality(*a);
    j["encoding"] = a->encoding.name;
  } else if (const auto* r = std::get_if<fom::FixedRecord>(&t.definition)) {
    j["encoding"] = r->encoding.name;
    j["fields"] = Json::array();
    for (const fom::Field& f : r->fields)
      j["fields"].push_back({{"name", f.name}, {"data_type", f.data_type.name}});
  } else if (const auto* v = std::get_if<fom::VariantRecord>(&t.definition)) {
    j["encoding"] = v->encoding.name;
    j["discriminant"] = {{"name", v->discriminant}, {"data_type", v->discriminant_type.name}};
    j["alternatives"] = Json::array();
    for (const fom::Alternative& one : v->alternatives)
      j["alternatives"].push_back({{"enumerators", fom::enumerators(one)},
                                   {"name", one.name},
                                   {"data_type", one.data_type.name}});
  }
}

template <class T, class More>
Json listed(const std::vector<T>& all, const More& more) {
  Json list = Json::array();
  for (std::size_t i = 0; i < all.size(); ++i) {
    Json j = entry(all[i], i);
    more(j, all[i]);
    list.push_back(std::move(j));
  }
  return list;
}

}  // namespace

std::string fom_text(const fom::Fom& f, bool all) { return Text(f, all).run(); }

std::string fom_json(const fom::Fom& f) {
  using namespace fom;
  Json j;
  j["modules"] = Json::array();
  for (const Fom::Origin& m : f.modules)
    j["modules"].push_back({{"file", m.file},
                            {"name", m.identification.name},
                            {"version", m.identification.version},
                            {"date", m.identification.date}});
  j["object_classes"] = listed(f.object_classes, [](Json& one, const ObjectClass& c) {
    one["path"] = c.path;
    one["parent"] = c.parent;
    if (c.sharing) one["sharing"] = word(sharing_words, *c.sharing);
    one["attributes"] = c.attributes;
  });
  j["attributes"] = listed(f.attributes, [](Json& one, const Attribute& a) {
    one["class"] = a.owner;
    one["data_type"] = a.data_type.name;
    one["update"] = word(update_words, a.update);
    one["ownership"] = word(ownership_words, a.ownership);
    one["sharing"] = word(sharing_words, a.sharing);
    one["dimensions"] = names(a.dimensions);
    one["transportation"] = a.transportation.name;
    one["order"] = word(order_words, a.order);
  });
  j["interaction_classes"] =
      listed(f.interaction_classes, [](Json& one, const InteractionClass& c) {
        one["path"] = c.path;
        one["parent"] = c.parent;
        if (c.sharing) one["sharing"] = word(sharing_words, *c.sharing);
        one["dimensions"] = names(c.dimensions);
        one["transportation"] = c.transportation.name;
        one["order"] = word(order_words, *c.order);
        one["parameters"] = c.parameters;
      });
  j["parameters"] = listed(f.parameters, [](Json& one, const Parameter& p) {
    one["class"] = p.owner;
    one["data_type"] = p.data_type.name;
  });
  j["dimensions"] = listed(f.dimensions, [](Json& one, const Dimension& d) {
    one["data_type"] = d.data_type.name;
    one["upper_bound"] = d.upper_bound == 0 ? Json() : Json(d.upper_bound);
    one["normalization"] = d.normalization;
    one["value"] = d.value;
  });
  const auto use = [](Json& one, const Use& u) { one["data_type"] = u.data_type.name; };
  j["time"] = listed(f.times, use);
  j["tags"] = listed(f.tags, use);
  j["synchronization_points"] = listed(f.synchronizations, [](Json& one, const Synchronization& s) {
    one["data_type"] = s.data_type.name;
    one["capability"] = word(capability_words, s.capability);
  });
  j["transportations"] = listed(
      f.transportations, [](Json& one, const Transportation& t) { one["reliable"] = t.reliable; });
  j["update_rates"] =
      listed(f.update_rates, [](Json& one, const UpdateRate& u) { one["rate"] = u.rate; });
  j["data_types"] = listed(f.data_types, [&](Json& one, const DataType& t) {
    const Layout& l = f.layouts[one["index"].get<std::size_t>()];
    one["kind"] = kind(t);
    one["bytes"] = l.bytes ? Json(*l.bytes) : Json();
    one["boundary"] = l.boundary;
    define(one, t);
  });
  Json& switches = j["switches"];
  for (std::size_t i = 0; i < Switches::names.size(); ++i)
    switches[std::string(Switches::names[i])] = f.switches->enabled[i];
  switches["automaticResignAction"] = word(resign_words, f.switches->resign);
  return j.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace vernier::app
