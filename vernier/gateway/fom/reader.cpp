#include "vernier/gateway/fom/reader.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "vernier/base/require.hpp"
#include "vernier/gateway/fom/detail/reading.hpp"

namespace vernier::embedded {
std::string_view fom(std::string_view file) noexcept;
}

namespace vernier::fom {
namespace {

using document::Element;
using document::in_quotes;
using namespace detail;

class ModuleReader {
 public:
  ModuleReader(std::shared_ptr<const document::Document> d, Diagnostics& problems)
      : report_(*d, problems), reading_(report_, cited_) {
    m_.file = d->file().string();
    m_.source = std::move(d);
  }

  std::optional<Module> run() {
    const Element& root = m_.source->root();
    check_namespace(root);
    for (const Element& e : root.children) table(e);
    check_notes();
    if (report_.failed()) return {};
    return std::move(m_);
  }

 private:
  void check_namespace(const Element& root) {
    const document::Attribute* space = root.attribute("xmlns");
    if (!space || space->value.ends_with("IEEE1516-2010")) return;
    report_
        .error("V1800",
               in_quotes(space->value) + " is not the namespace of object models of IEEE 1516-2010",
               space->value_place)
        .notes.emplace_back(
            "write xmlns=\"http://standards.ieee.org/IEEE1516-2010\", and convert "
            "a model of another version first");
  }

  void table(const Element& e) {
    if (e.name == "modelIdentification") {
      identification(e, "");
    } else if (e.name == "objects") {
      for (const Element& c : e.children) object_class(c, -1);
    } else if (e.name == "interactions") {
      for (const Element& c : e.children) interaction_class(c, -1);
    } else if (e.name == "dimensions") {
      for (const Element& c : e.children) dimension(c);
    } else if (e.name == "time" || e.name == "tags") {
      for (const Element& c : e.children) use(c, e.name == "time" ? m_.times : m_.tags);
    } else if (e.name == "synchronizations") {
      for (const Element& c : e.children) synchronization(c);
    } else if (e.name == "transportations") {
      for (const Element& c : e.children) transportation(c);
    } else if (e.name == "switches") {
      switches(e);
    } else if (e.name == "updateRates") {
      for (const Element& c : e.children) update_rate(c);
    } else if (e.name == "dataTypes") {
      read_data_types(reading_, e, m_);
    } else if (e.name == "notes") {
      for (const Element& c : e.children) note(c);
    }
  }

  void identification(const Element& e, const std::string& prefix) {
    Identification& id = m_.identification;
    for (const Element& c : e.children) {
      const std::string path = prefix + c.name;
      if (!c.children.empty()) {
        identification(c, path + "/");
        continue;
      }
      const std::string text(trimmed(c.text));
      if (path == "name") id.name = text;
      if (path == "version") id.version = text;
      if (path == "modificationDate") id.date = text;
      if (path == "purpose") id.purpose = text;
      if (!text.empty() && path != "glyph") id.elements.emplace_back(path, text);
    }
  }

  template <class Class>
  int add_class(const Element& e, int parent, std::vector<Class>& classes, Names& paths,
                std::string_view root) {
    Class c;
    reading_.entry(e, c);
    c.parent = parent;
    c.path = parent < 0 ? c.name : classes[static_cast<std::size_t>(parent)].path + "." + c.name;
    if (parent < 0 && c.name != root) {
      report_
          .error("V1809",
                 "the classes begin with " + in_quotes(c.name) + ", not with " + std::string(root),
                 c.place)
          .notes.push_back("put them into a class named " + std::string(root));
    }
    const bool fits = path_bytes_ <= most_path_bytes;
    path_bytes_ += c.path.size();
    if (fits && path_bytes_ > most_path_bytes) {
      report_
          .error("V1215",
                 "the names of the classes, each with all it stands in, have more than 16 MiB",
                 c.place)
          .notes.emplace_back("give them shorter names, or nest them less");
    }
    reading_.unique(paths, c.path, c.place, "classes called");
    if (e.child("sharing"))
      c.sharing = reading_.word(e, "sharing", sharing_words, Sharing::neither);
    classes.push_back(std::move(c));
    return static_cast<int>(classes.size()) - 1;
  }

  void object_class(const Element& e, int parent) {
    if (report_.full() || path_bytes_ > most_path_bytes) return;
    const int self = add_class(e, parent, m_.object_classes, object_paths_, "HLAobjectRoot");
    for (const Element& c : e.children) {
      if (c.name == "attribute") attribute(c, self);
      if (c.name == "objectClass") object_class(c, self);
    }
  }

  void attribute(const Element& e, int owner) {
    if (report_.full()) return;
    Attribute a;
    reading_.entry(e, a);
    a.owner = owner;
    reading_.unique(member_names_[{&m_.object_classes, owner}], a.name, a.place,
                    "attributes called");
    reading_.should_have(e, "dataType", "its values can only be shown as bytes");
    reading_.needs(e, "transportation", "every attribute says how it travels: HLAreliable");
    reading_.needs(e, "order", "every attribute has an order: Receive or TimeStamp");
    a.data_type = reading_.reference(e, "dataType");
    a.update = reading_.word(e, "updateType", update_words, UpdateType::none);
    a.update_condition = reading_.text(e, "updateCondition");
    a.ownership = reading_.word(e, "ownership", ownership_words, Ownership::no_transfer);
    a.sharing = reading_.word(e, "sharing", sharing_words, Sharing::publish_subscribe);
    a.dimensions = dimension_list(e);
    a.transportation = reading_.reference(e, "transportation");
    a.order = reading_.word(e, "order", order_words, Order::receive);
    m_.object_classes[static_cast<std::size_t>(owner)].attributes.push_back(
        static_cast<int>(m_.attributes.size()));
    m_.attributes.push_back(std::move(a));
  }

  void interaction_class(const Element& e, int parent) {
    if (report_.full() || path_bytes_ > most_path_bytes) return;
    const int self =
        add_class(e, parent, m_.interaction_classes, interaction_paths_, "HLAinteractionRoot");
    {
      InteractionClass& c = m_.interaction_classes.back();
      c.dimensions = dimension_list(e);
      c.transportation = reading_.reference(e, "transportation");
      if (e.child("order")) c.order = reading_.word(e, "order", order_words, Order::receive);
      if (c.transportation.name.empty() && (c.order || e.child("parameter")))
        reading_.needs(e, "transportation", "an interaction says how it travels: HLAreliable");
      if (!c.order && (!c.transportation.name.empty() || e.child("parameter")))
        reading_.needs(e, "order", "an interaction has an order: Receive or TimeStamp");
    }
    for (const Element& c : e.children) {
      if (c.name == "parameter") parameter(c, self);
      if (c.name == "interactionClass") interaction_class(c, self);
    }
  }

  void parameter(const Element& e, int owner) {
    if (report_.full()) return;
    Parameter p;
    reading_.entry(e, p);
    p.owner = owner;
    reading_.unique(member_names_[{&m_.interaction_classes, owner}], p.name, p.place,
                    "parameters called");
    reading_.should_have(e, "dataType", "its values can only be shown as bytes");
    p.data_type = reading_.reference(e, "dataType");
    m_.interaction_classes[static_cast<std::size_t>(owner)].parameters.push_back(
        static_cast<int>(m_.parameters.size()));
    m_.parameters.push_back(std::move(p));
  }

  std::vector<Reference> dimension_list(const Element& e) {
    std::vector<Reference> all;
    const Element* list = e.child("dimensions");
    if (!list) return all;
    for (const Element& c : list->children) {
      Reference r{std::string(trimmed(c.text)), report_.text_place(c)};
      if (r.given()) all.push_back(std::move(r));
    }
    return all;
  }

  void dimension(const Element& e) {
    if (report_.full() || !reading_.needs(e, "name", "every dimension has a name")) return;
    Dimension d;
    reading_.entry(e, d);
    reading_.unique(dimensions_, d.name, d.place, "dimensions called");
    d.data_type = reading_.reference(e, "dataType");
    d.normalization = reading_.text(e, "normalization");
    d.value = reading_.text(e, "value");
    if (const std::string bound = reading_.text(e, "upperBound"); !bound.empty() && bound != "NA") {
      const auto n = parsed_integer(bound);
      if (!n || *n < 1) {
        report_
            .error("V1810", "the upper bound of dimension " + in_quotes(d.name) + " is " + bound,
                   reading_.place(e, "upperBound"))
            .notes.emplace_back("a whole number of at least 1");
      } else {
        d.upper_bound = static_cast<std::uint64_t>(*n);
      }
    }
    m_.dimensions.push_back(std::move(d));
  }

  void use(const Element& e, std::vector<Use>& into) {
    Use u;
    u.name = e.name;
    u.place = e.place;
    u.semantics = reading_.text(e, "semantics");
    u.data_type = reading_.reference(e, "dataType");
    into.push_back(std::move(u));
  }

  void synchronization(const Element& e) {
    if (report_.full()) return;
    Synchronization s;
    reading_.entry(e, s, true, "label");
    reading_.unique(labels_, s.name, s.place, "synchronization points called");
    s.data_type = reading_.reference(e, "dataType");
    s.capability = reading_.word(e, "capability", capability_words, Capability::register_achieve);
    m_.synchronizations.push_back(std::move(s));
  }

  void transportation(const Element& e) {
    if (report_.full() || !reading_.needs(e, "name", "every transportation has a name")) return;
    Transportation t;
    reading_.entry(e, t);
    reading_.unique(transportations_, t.name, t.place, "transportations called");
    t.reliable = reading_.word(e, "reliable", reliable_words, 1) == 1;
    m_.transportations.push_back(std::move(t));
  }

  void switches(const Element& e) {
    Switches s;
    s.place = e.place;
    for (std::size_t i = 0; i < Switches::names.size(); ++i) {
      if (const Element* c = e.child(Switches::names[i]))
        s.enabled[i] = c->value("isEnabled") == "true";
    }
    if (const Element* c = e.child("automaticResignAction")) {
      const auto at = std::find(resign_words.begin(), resign_words.end(), c->value("resignAction"));
      require(at != resign_words.end());  // the grammar allows only these words
      s.resign = static_cast<ResignAction>(at - resign_words.begin());
    }
    m_.switches = s;
  }

  void update_rate(const Element& e) {
    if (report_.full()) return;
    UpdateRate u;
    reading_.entry(e, u);
    reading_.unique(rates_, u.name, u.place, "update rates called");
    const auto rate = parsed_real(reading_.text(e, "rate"));
    if (!rate || !std::isfinite(*rate) || *rate <= 0.0) {
      report_
          .error("V1810", "the update rate " + in_quotes(u.name) + " is not a positive number",
                 reading_.place(e, "rate"))
          .notes.emplace_back("updates in a second");
    } else {
      u.rate = *rate;
    }
    m_.update_rates.push_back(std::move(u));
  }

  void note(const Element& e) {
    if (report_.full()) return;
    Note n{reading_.text(e, "label"), reading_.text(e, "semantics"), reading_.place(e, "label")};
    if (n.label.empty() || words(n.label).size() != 1) {
      report_.error("V1801", "the label of a note is one word", n.place);
    }
    reading_.unique(notes_, n.label, n.place, "notes called");
    m_.notes.push_back(std::move(n));
  }

  void check_notes() {
    for (const auto& [label, place] : cited_) {
      if (notes_.contains(label)) continue;
      report_.error("V1811", "there is no note " + in_quotes(label), place)
          .notes.emplace_back("notes are listed at the end of the same document");
    }
  }

  Module m_;
  // a few long names nested in each other make many very long paths
  static constexpr std::size_t most_path_bytes = 16u << 20;
  std::size_t path_bytes_ = 0;
  Names cited_, object_paths_, interaction_paths_, dimensions_, transportations_, rates_, labels_,
      notes_;
  std::map<std::pair<const void*, int>, Names> member_names_;  // of a class
  document::Report report_;
  Reading reading_;
};

const document::Grammar& grammar() {
  static const document::Grammar g{"objectModel", "omt.dtd", embedded::fom("formats/hla/omt.dtd")};
  return g;
}

std::optional<Module> made_of(std::optional<document::Document> d, Diagnostics& problems) {
  if (!d) return {};
  return ModuleReader(std::make_shared<const document::Document>(std::move(*d)), problems).run();
}

Module embedded_module(const std::string& file) {
  Diagnostics problems;
  auto m = parse_module(std::string(embedded::fom(file)), std::filesystem::path(file).filename(),
                        problems);
  require(m.has_value());
  return std::move(*m);
}

}  // namespace

std::optional<Module> read_module(const std::filesystem::path& path, Diagnostics& problems) {
  return made_of(document::read(path, std::span(&grammar(), 1), problems), problems);
}

std::optional<Module> parse_module(std::string content, const std::filesystem::path& name,
                                   Diagnostics& problems) {
  return made_of(document::parse(std::move(content), name, std::span(&grammar(), 1), problems),
                 problems);
}

const Module& standard_mim() {
  static const Module mim = embedded_module("formats/hla/HLAstandardMIM.xml");
  return mim;
}

std::vector<std::string> spacefom_modules() {
  return {"SISO_SpaceFOM_switches", "SISO_SpaceFOM_datatypes", "SISO_SpaceFOM_management",
          "SISO_SpaceFOM_environment", "SISO_SpaceFOM_entity"};
}

const Module* built_in(std::string_view name) {
  static const std::map<std::string, Module, std::less<>> all = [] {
    std::map<std::string, Module, std::less<>> made;
    for (const std::string& n : spacefom_modules())
      made.emplace(n, embedded_module("formats/spacefom/" + n + ".xml"));
    return made;
  }();
  const auto at = all.find(name);
  return at == all.end() ? nullptr : &at->second;
}

std::string_view built_in_text(std::string_view name) {
  return embedded::fom("formats/spacefom/" + std::string(name) + ".xml");
}

}  // namespace vernier::fom
