#include <algorithm>
#include <charconv>

#include "vernier/gateway/fom/detail/reading.hpp"

namespace vernier::fom::detail {
namespace {

using document::Element;
using document::in_quotes;

constexpr std::uint64_t most_elements = std::uint64_t{1} << 31;

std::optional<std::uint64_t> count_in(std::string_view s) noexcept {
  std::uint64_t n = 0;
  const auto [end, error] = std::from_chars(s.data(), s.data() + s.size(), n);
  if (error != std::errc() || end != s.data() + s.size() || s.empty()) return {};
  return n;
}

/// "Dynamic", "3", "[2..5]".
std::optional<Extent> extent_in(std::string_view s) {
  s = trimmed(s);
  if (s == "Dynamic") return Extent{};
  if (s.starts_with('[') && s.ends_with(']')) {
    const std::string_view inner = s.substr(1, s.size() - 2);
    const std::size_t dots = inner.find("..");
    if (dots == inner.npos) return {};
    const auto least = count_in(trimmed(inner.substr(0, dots)));
    const auto most = count_in(trimmed(inner.substr(dots + 2)));
    if (!least || !most || *least > *most || *most > most_elements) return {};
    return Extent{*least, *most};
  }
  const auto n = count_in(s);
  if (!n || *n > most_elements) return {};
  return Extent{*n, *n};
}

class Types {
 public:
  Types(Reading& r, Model& m) : r_(r), model_(m) {}

  void read(const Element& tables) {
    for (const Element& table : tables.children) {
      for (const Element& e : table.children) {
        if (r_.report().full()) return;
        DataType t;
        r_.entry(e, t);
        r_.unique(names_, t.name, t.place, "data types called");
        define(e, t);
        model_.data_types.push_back(std::move(t));
      }
    }
  }

 private:
  void define(const Element& e, DataType& t) {
    if (e.name == "basicData") {
      t.definition = basic(e, t);
    } else if (e.name == "simpleData") {
      t.definition = Simple{r_.reference(e, "representation"), r_.text(e, "units"),
                            r_.text(e, "resolution"), r_.text(e, "accuracy")};
    } else if (e.name == "enumeratedData") {
      t.definition = enumerated(e, t);
    } else if (e.name == "arrayData") {
      t.definition = array(e, t);
    } else if (e.name == "fixedRecordData") {
      t.definition = fixed_record(e);
    } else {
      t.definition = variant_record(e);
    }
  }

  Basic basic(const Element& e, const DataType& t) {
    Basic b;
    b.little = r_.word(e, "endian", endian_words, 0) == 1;
    b.interpretation = r_.text(e, "interpretation");
    b.encoding = r_.text(e, "encoding");
    const auto bits = count_in(r_.text(e, "size"));
    if (!bits || *bits < 1 || *bits > 1u << 20) {
      r_.report()
          .error("V1805", "the size of " + in_quotes(t.name) + " is not a number of bits",
                 r_.place(e, "size"))
          .notes.emplace_back("a whole number from 1 to 1048576");
    } else {
      b.bits = static_cast<int>(*bits);
    }
    return b;
  }

  Enumerated enumerated(const Element& e, const DataType& t) {
    Enumerated all;
    all.representation = r_.reference(e, "representation");
    Names names;
    std::map<std::int64_t, std::string> taken;
    for (const Element& c : e.children) {
      if (c.name != "enumerator" || r_.report().full()) continue;
      Entry entry;
      r_.entry(c, entry, true);
      r_.unique(names, entry.name, entry.place, "enumerators called");
      Enumerator one{entry.name, entry.place, {}};
      for (const Element& v : c.children) {
        if (v.name != "value") continue;
        const auto value = parsed_integer(trimmed(v.text));
        if (!value) {
          r_.report()
              .error("V1806", in_quotes(trimmed(v.text)) + " is not the value of an enumerator",
                     r_.report().text_place(v))
              .notes.emplace_back("a whole number");
          continue;
        }
        const auto [first, added] = taken.emplace(*value, entry.name);
        if (!added) {
          r_.report().error("V1806",
                            "the value " + std::to_string(*value) + " of " + in_quotes(t.name) +
                                " is taken by " + in_quotes(first->second),
                            r_.report().text_place(v));
        }
        one.values.push_back(*value);
      }
      if (one.values.empty()) r_.needs(c, "value", "every enumerator has at least one value");
      all.enumerators.push_back(std::move(one));
    }
    return all;
  }

  Array array(const Element& e, const DataType& t) {
    Array a;
    a.element = r_.reference(e, "dataType");
    a.encoding = r_.reference(e, "encoding");
    const std::string cardinality = r_.text(e, "cardinality");
    for (const std::string_view part : split(cardinality, ',')) {
      const auto extent = extent_in(part);
      if (!extent) {
        r_.report()
            .error("V1807",
                   in_quotes(cardinality) + " is not a cardinality of " + in_quotes(t.name),
                   r_.place(e, "cardinality"))
            .notes.emplace_back(
                "a number of elements up to 2147483648, Dynamic, or [2..5]; one "
                "for each dimension, with commas between them");
        return a;
      }
      a.extents.push_back(*extent);
    }
    const bool open = std::any_of(a.extents.begin(), a.extents.end(),
                                  [](const Extent& x) { return !x.most || *x.most != x.least; });
    if (a.encoding.name == "HLAfixedArray" && open) {
      r_.report()
          .error(
              "V1807",
              in_quotes(t.name) + " is an HLAfixedArray, but its number of elements is not fixed",
              r_.place(e, "cardinality"))
          .notes.emplace_back("give a number, or encode it as HLAvariableArray");
    }
    encoding(a.encoding, "an array", {"HLAfixedArray", "HLAvariableArray"});
    return a;
  }

  FixedRecord fixed_record(const Element& e) {
    FixedRecord record;
    record.encoding = r_.reference(e, "encoding");
    encoding(record.encoding, "a fixed record", {"HLAfixedRecord"});
    Names names;
    for (const Element& c : e.children) {
      if (c.name != "field" || r_.report().full()) continue;
      Field f;
      r_.entry(c, f);
      r_.unique(names, f.name, f.place, "fields called");
      f.data_type = r_.reference(c, "dataType");
      record.fields.push_back(std::move(f));
    }
    return record;
  }

  VariantRecord variant_record(const Element& e) {
    VariantRecord record;
    record.discriminant = r_.text(e, "discriminant");
    record.discriminant_type = r_.reference(e, "dataType");
    record.encoding = r_.reference(e, "encoding");
    encoding(record.encoding, "a variant record",
             {"HLAvariantRecord", "HLAextendableVariantRecord"});
    Names names;
    for (const Element& c : e.children) {
      if (c.name != "alternative" || r_.report().full()) continue;
      Alternative a;
      a.data_type = r_.reference(c, "dataType");
      a.name = r_.text(c, "name");
      if (a.name == "NA") a.name.clear();
      a.place = r_.place(c, a.name.empty() ? "enumerator" : "name");
      if (a.data_type.given()) {
        r_.entry(c, a);
        r_.unique(names, a.name, a.place, "alternatives called");
      }
      a.semantics = r_.text(c, "semantics");
      a.chosen_by = r_.place(c, "enumerator");
      ranges(*c.child("enumerator"), a);
      record.alternatives.push_back(std::move(a));
    }
    return record;
  }

  /// "A", "A, B", "[A .. C], E".
  void ranges(const Element& e, Alternative& a) {
    for (std::string_view part : split(trimmed(e.text), ',')) {
      part = trimmed(part);
      Range range{std::string(part), std::string(part)};
      if (part.starts_with('[') && part.ends_with(']')) {
        const std::size_t dots = part.find("..");
        if (dots != part.npos) {
          range.first = trimmed(part.substr(1, dots - 1));
          range.last = trimmed(part.substr(dots + 2, part.size() - dots - 3));
        }
      }
      if (range.first.empty() || range.last.empty()) {
        r_.report()
            .error("V1808", "an alternative does not say for which enumerators it is",
                   r_.report().text_place(e))
            .notes.emplace_back("names with commas between them, [FIRST .. LAST], or HLAother");
        return;
      }
      a.enumerators.push_back(std::move(range));
    }
  }

  /// Federations may agree on encodings of their own. A name close to a standard one is a
  /// misspelling.
  void encoding(const Reference& given, std::string_view what, std::vector<std::string> known) {
    if (given.name.empty()) {
      r_.report()
          .error("V1805", "the encoding of " + std::string(what) + " is empty", given.place)
          .notes.push_back("of the standard: " + joined(known, ", "));
      return;
    }
    if (std::find(known.begin(), known.end(), given.name) != known.end()) return;
    if (!given.name.starts_with("HLA")) return;
    Diagnostic& d = r_.report().error(
        "V1805", in_quotes(given.name) + " is no encoding of " + std::string(what), given.place);
    if (given.name.size() < 64) {
      if (const auto near = closest(given.name, known)) d.mark = "did you mean " + *near + "?";
    }
    d.notes.push_back("of the standard: " + joined(known, ", ") +
                      "; one of your own does not begin with HLA");
  }

  Reading& r_;
  Model& model_;
  Names names_;
};

}  // namespace

void read_data_types(Reading& r, const document::Element& e, Model& m) { Types(r, m).read(e); }

}  // namespace vernier::fom::detail
