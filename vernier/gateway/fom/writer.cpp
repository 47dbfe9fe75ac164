#include "vernier/gateway/fom/writer.hpp"

#include <algorithm>
#include <set>

#include "vernier/base/text.hpp"
#include "vernier/gateway/fom/compare.hpp"
#include "vernier/gateway/fom/words.hpp"

namespace vernier::fom {
namespace {

class Writer {
 public:
  Writer(const Fom& fom, bool with_mim) : fom_(fom), with_mim_(with_mim) {}

  std::string run(const std::string& name) {
    out_ =
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
        "<objectModel xmlns=\"http://standards.ieee.org/IEEE1516-2010\"\n"
        "             xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\"\n"
        "             xsi:schemaLocation=\"http://standards.ieee.org/IEEE1516-2010 "
        "http://standards.ieee.org/downloads/1516/1516.2-2010/IEEE1516-DIF-2010.xsd\">\n";
    deeper_ = 1;
    identification(name);
    classes();
    table("dimensions", fom_.dimensions, [&](const Dimension& d) {
      open("dimension", d);
      text("name", d.name);
      reference("dataType", d.data_type);
      text("upperBound", d.upper_bound == 0 ? "" : std::to_string(d.upper_bound));
      text("normalization", d.normalization);
      text("value", d.value);
      close("dimension");
    });
    uses("time", fom_.times);
    uses("tags", fom_.tags);
    table("synchronizations", fom_.synchronizations, [&](const Synchronization& s) {
      open("synchronizationPoint", s);
      text("label", s.name);
      reference("dataType", s.data_type);
      text("capability", word(capability_words, s.capability));
      end("synchronizationPoint", s);
    });
    table("transportations", fom_.transportations, [&](const Transportation& t) {
      open("transportation", t);
      text("name", t.name);
      text("reliable", word(reliable_words, t.reliable));
      end("transportation", t);
    });
    switches();
    table("updateRates", fom_.update_rates, [&](const UpdateRate& u) {
      open("updateRate", u);
      text("name", u.name);
      text("rate", exact(u.rate));
      end("updateRate", u);
    });
    data_types();
    notes();
    out_ += "</objectModel>\n";
    return std::move(out_);
  }

 private:
  bool left_out(const Entry& e) const { return e.module == 0 && !with_mim_; }
  void line(const std::string& s) {
    out_.append(2 * deeper_, ' ');
    out_ += s + "\n";
  }
  static std::string safe(std::string_view s) {
    std::string all;
    for (const char c : escaped(s)) all += c == '\r' ? std::string("&#13;") : std::string(1, c);
    return all;
  }
  void text(std::string_view element, std::string_view value) {
    const std::string name(element);
    line(value.empty() ? "<" + name + "/>" : "<" + name + ">" + safe(value) + "</" + name + ">");
  }
  void reference(std::string_view element, const Reference& r) {
    text(element, r.given() ? std::string_view(r.name) : "NA");
  }
  void open(const std::string& element) {
    line("<" + element + ">");
    ++deeper_;
  }
  void open(const std::string& element, const Entry& e) {
    std::vector<std::string> labels;
    for (const Reference& r : e.notes) labels.push_back(r.name);
    if (labels.empty()) return open(element);
    open(element + " notes=\"" + safe(joined(labels, " ")) + "\"");
  }
  void close(const std::string& element) {
    --deeper_;
    line("</" + element + ">");
  }
  void semantics(const Entry& e) {
    if (!e.semantics.empty()) text("semantics", e.semantics);
  }
  void end(const std::string& element, const Entry& e) {
    semantics(e);
    close(element);
  }

  template <class T, class Row>
  void table(const std::string& name, const std::vector<T>& all, const Row& row) {
    if (std::all_of(all.begin(), all.end(), [&](const T& t) { return left_out(t); })) return;
    open(name);
    for (const T& t : all) {
      if (!left_out(t)) row(t);
    }
    close(name);
  }

  void identification(const std::string& name) {
    std::string date;
    std::set<std::string> classifications;
    for (const Fom::Origin& m : fom_.modules) {
      date = std::max(date, m.identification.date);
      for (const auto& [path, value] : m.identification.elements) {
        if (path == "securityClassification" && value != "unclassified")
          classifications.insert(value);
      }
    }
    open("modelIdentification");
    text("name", name);
    text("type", "FOM");
    text("version", "1.0");
    text("modificationDate", date);
    text("securityClassification",
         classifications.empty() ? "unclassified"
                                 : joined({classifications.begin(), classifications.end()}, "; "));
    text("description", "Merged from the modules that are named as references.");
    for (std::size_t i = with_mim_ ? 0 : 1; i < fom_.modules.size(); ++i) {
      open("reference");
      text("type", "Composed_From");
      text("identification", fom_.modules[i].identification.name);
      close("reference");
    }
    close("modelIdentification");
  }

  /// Children by class, and which classes to write: those with content, and their ancestors.
  template <class Class>
  struct Tree {
    std::vector<std::vector<int>> children;
    std::vector<bool> written;
  };
  template <class Class>
  Tree<Class> tree(const std::vector<Class>& classes) const {
    Tree<Class> t{std::vector<std::vector<int>>(classes.size()), std::vector<bool>(classes.size())};
    for (std::size_t i = classes.size(); i-- > 0;) {
      if (!left_out(classes[i])) t.written[i] = true;
      if (classes[i].parent < 0) continue;
      const auto parent = static_cast<std::size_t>(classes[i].parent);
      if (t.written[i]) t.written[parent] = true;
    }
    for (std::size_t i = 0; i < classes.size(); ++i) {
      if (classes[i].parent >= 0)
        t.children[static_cast<std::size_t>(classes[i].parent)].push_back(static_cast<int>(i));
    }
    return t;
  }

  void classes() {
    const auto objects = tree(fom_.object_classes);
    if (!fom_.object_classes.empty() && objects.written[0]) {
      open("objects");
      object_class(0, objects);
      close("objects");
    }
    const auto interactions = tree(fom_.interaction_classes);
    if (!fom_.interaction_classes.empty() && interactions.written[0]) {
      open("interactions");
      interaction_class(0, interactions);
      close("interactions");
    }
  }

  void object_class(int index, const Tree<ObjectClass>& tree) {
    const auto i = static_cast<std::size_t>(index);
    const ObjectClass& c = fom_.object_classes[i];
    if (!tree.written[i]) return;
    const bool whole = !left_out(c);
    whole ? open("objectClass", c) : open("objectClass");
    text("name", c.name);
    if (whole) {
      if (c.sharing) text("sharing", word(sharing_words, *c.sharing));
      semantics(c);
      for (const int a : c.attributes) attribute(fom_.attributes[static_cast<std::size_t>(a)]);
    }
    for (const int k : tree.children[i]) object_class(k, tree);
    close("objectClass");
  }

  void attribute(const Attribute& a) {
    open("attribute", a);
    text("name", a.name);
    reference("dataType", a.data_type);
    text("updateType", word(update_words, a.update));
    text("updateCondition", a.update_condition.empty() ? "NA" : a.update_condition);
    text("ownership", word(ownership_words, a.ownership));
    text("sharing", word(sharing_words, a.sharing));
    dimensions(a.dimensions);
    reference("transportation", a.transportation);
    text("order", word(order_words, a.order));
    end("attribute", a);
  }

  void dimensions(const std::vector<Reference>& all) {
    if (all.empty()) return;
    open("dimensions");
    for (const Reference& r : all) text("dimension", r.name);
    close("dimensions");
  }

  void interaction_class(int index, const Tree<InteractionClass>& tree) {
    const auto i = static_cast<std::size_t>(index);
    const InteractionClass& c = fom_.interaction_classes[i];
    if (!tree.written[i]) return;
    const bool whole = !left_out(c);
    whole ? open("interactionClass", c) : open("interactionClass");
    text("name", c.name);
    if (whole) {
      if (c.sharing) text("sharing", word(sharing_words, *c.sharing));
      dimensions(c.dimensions);
      if (c.order) {
        reference("transportation", c.transportation);
        text("order", word(order_words, *c.order));
      }
      semantics(c);
      for (const int k : c.parameters) {
        const Parameter& p = fom_.parameters[static_cast<std::size_t>(k)];
        open("parameter", p);
        text("name", p.name);
        reference("dataType", p.data_type);
        end("parameter", p);
      }
    }
    for (const int k : tree.children[i]) interaction_class(k, tree);
    close("interactionClass");
  }

  /// The grammar prescribes an order for these; the modules may have used another.
  void uses(const std::string& name, std::vector<Use> all) {
    static constexpr std::array<std::string_view, 9> order{"timeStamp",
                                                           "lookahead",
                                                           "updateReflectTag",
                                                           "sendReceiveTag",
                                                           "deleteRemoveTag",
                                                           "divestitureRequestTag",
                                                           "divestitureCompletionTag",
                                                           "acquisitionRequestTag",
                                                           "requestUpdateTag"};
    const auto rank = [](const Use& u) {
      return std::find(order.begin(), order.end(), u.name) - order.begin();
    };
    std::sort(all.begin(), all.end(),
              [&](const Use& a, const Use& b) { return rank(a) < rank(b); });
    table(name, all, [&](const Use& u) {
      open(u.name);
      reference("dataType", u.data_type);
      end(u.name, u);
    });
  }

  void switches() {
    const Switches& s = *fom_.switches;
    open("switches");
    for (std::size_t i = 0; i < Switches::names.size(); ++i) {
      line("<" + std::string(Switches::names[i]) + " isEnabled=\"" +
           (s.enabled[i] ? "true" : "false") + "\"/>");
    }
    line("<automaticResignAction resignAction=\"" + std::string(word(resign_words, s.resign)) +
         "\"/>");
    close("switches");
  }

  template <class Kind, class Row>
  void types(const std::string& name, const std::string& element, const Row& row) {
    std::vector<const DataType*> all;
    for (const DataType& t : fom_.data_types) {
      if (!left_out(t) && std::holds_alternative<Kind>(t.definition)) all.push_back(&t);
    }
    if (all.empty()) return;
    open(name);
    for (const DataType* t : all) {
      open(element, *t);
      text("name", t->name);
      row(*t, std::get<Kind>(t->definition));
      close(element);
    }
    close(name);
  }

  void data_types() {
    if (std::all_of(fom_.data_types.begin(), fom_.data_types.end(),
                    [&](const DataType& t) { return left_out(t); }))
      return;
    open("dataTypes");
    types<Basic>("basicDataRepresentations", "basicData", [&](const DataType&, const Basic& b) {
      text("size", std::to_string(b.bits));
      text("interpretation", b.interpretation);
      text("endian", word(endian_words, b.little));
      text("encoding", b.encoding);
    });
    types<Simple>("simpleDataTypes", "simpleData", [&](const DataType& t, const Simple& s) {
      reference("representation", s.representation);
      text("units", s.units);
      text("resolution", s.resolution);
      text("accuracy", s.accuracy);
      semantics(t);
    });
    types<Enumerated>("enumeratedDataTypes", "enumeratedData",
                      [&](const DataType& t, const Enumerated& e) {
                        reference("representation", e.representation);
                        semantics(t);
                        for (const Enumerator& one : e.enumerators) {
                          open("enumerator");
                          text("name", one.name);
                          for (const std::int64_t v : one.values) text("value", std::to_string(v));
                          close("enumerator");
                        }
                      });
    types<Array>("arrayDataTypes", "arrayData", [&](const DataType& t, const Array& a) {
      reference("dataType", a.element);
      text("cardinality", cardinality(a));
      text("encoding", a.encoding.name);
      semantics(t);
    });
    types<FixedRecord>("fixedRecordDataTypes", "fixedRecordData",
                       [&](const DataType& t, const FixedRecord& r) {
                         text("encoding", r.encoding.name);
                         semantics(t);
                         for (const Field& f : r.fields) {
                           open("field", f);
                           text("name", f.name);
                           reference("dataType", f.data_type);
                           end("field", f);
                         }
                       });
    types<VariantRecord>("variantRecordDataTypes", "variantRecordData",
                         [&](const DataType& t, const VariantRecord& r) { variant(t, r); });
    close("dataTypes");
  }

  void variant(const DataType& t, const VariantRecord& r) {
    text("discriminant", r.discriminant);
    reference("dataType", r.discriminant_type);
    for (const Alternative& a : r.alternatives) {
      open("alternative", a);
      text("enumerator", enumerators(a));
      text("name", a.name.empty() ? "NA" : a.name);
      reference("dataType", a.data_type);
      end("alternative", a);
    }
    text("encoding", r.encoding.name);
    semantics(t);
  }

  void notes() {
    if (fom_.notes.empty()) return;
    open("notes");
    for (const Note& n : fom_.notes) {
      open("note");
      text("label", n.label);
      text("semantics", n.text);
      close("note");
    }
    close("notes");
  }

  const Fom& fom_;
  bool with_mim_;
  std::string out_;
  std::size_t deeper_ = 0;
};

}  // namespace

std::string written(const Fom& fom, const std::string& name, bool with_mim) {
  return Writer(fom, with_mim).run(name);
}

}  // namespace vernier::fom
