#include "vernier/gateway/connector/connector.hpp"

#include <algorithm>
#include <array>
#include <set>

#include "vernier/base/text.hpp"
#include "vernier/base/units.hpp"
#include "vernier/gateway/connector/adapters.hpp"
#include "vernier/gateway/lines/protocol.hpp"

namespace vernier::embedded {
std::string_view connector(std::string_view file) noexcept;
}

namespace vernier::connector {
namespace {

using document::Attribute;
using document::Document;
using document::Element;

Place place_of(const Element& e, std::string_view attribute) {
  const Attribute* a = e.attribute(attribute);
  Place p = a ? a->value_place : e.place;
  p.length = static_cast<int>(a ? std::max<std::size_t>(1, width(a->value)) : width(e.name));
  return p;
}

bool good_name(std::string_view s) {
  if (s.empty() || s.size() > 200) return false;
  const auto letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  return letter(s.front()) && std::all_of(s.begin(), s.end(), [&](char c) {
           return letter(c) || (c >= '0' && c <= '9') || c == '.' || c == '-';
         });
}

/// Fills a Connector from a valid document. Continues after each problem, to report all of them.
class Builder {
 public:
  Builder(const Document& d, Connector& c, Diagnostics& problems)
      : document_(d), connector_(c), problems_(problems) {}

  void build() {
    const Element& root = document_.root();
    connector_.file = document_.file();
    connector_.name = trimmed(root.value("name"));
    connector_.adapter = root.value("adapter");
    connector_.place = place_of(root, "name");
    if (root.value("version") != "1") {
      auto& d = problems_.error("V5001",
                                "the document has version " + std::string(root.value("version")) +
                                    ", this program reads version 1",
                                place_of(root, "version"));
      d.mark = "write version=\"1\"";
    }
    name(root, "connector");
    for (const Element& e : root.children) {
      if (e.name == "description") connector_.description = trimmed(e.text);
      if (e.name == "body") {
        if (name(e, "body")) unique(e);
        connector_.bodies.emplace_back(e.value("name"));
      }
      if (e.name == "inputs") {
        for (const Element& i : e.children) signal(i, "default", connector_.channels.inputs);
      }
      if (e.name == "outputs") {
        for (const Element& o : e.children) signal(o, "initial", connector_.channels.outputs);
      }
      if (e.name == "events") {
        for (const Element& v : e.children) event(v);
      }
      if (e.name == "feedthrough") feedthrough(e);
      if (e.name == "parameter") parameter(e);
    }
    for (const auto* side : {&connector_.channels.inputs, &connector_.channels.outputs}) {
      if (channel::size(*side) > lines::most_elements) {
        problems_.error(
            "V5005",
            "more than " + std::to_string(lines::most_elements) + " values in one direction",
            root.place);
      }
    }
    const Adapter adapter = adapter_of(connector_);
    std::string misfit = adapter.misfit(connector_);
    if (!connector_.bodies.empty() && !connector_.adapter.starts_with("rsp-"))
      misfit = "only an rsp connector has bodies";
    if (!misfit.empty()) {
      problems_.error("V5007", misfit, place_of(root, "adapter"));
    } else {
      check_parameters(adapter);
    }
  }

 private:
  bool name(const Element& e, const char* what) {
    const std::string text(e.value("name"));
    if (good_name(text)) return true;
    auto& d = problems_.error(
        "V5002",
        "\"" + text + "\" is not a name for " +
            (what[0] == 'i' || what[0] == 'o' || what[0] == 'e' ? "an " : "a ") + what,
        place_of(e, "name"));
    d.notes.push_back("names have letters, digits, _ . and -, and begin with a letter or _");
    return false;
  }

  void unique(const Element& e) {
    const std::string text(e.value("name"));
    if (names_.insert(text).second) return;
    problems_.error("V5003", "the name \"" + text + "\" is there twice", place_of(e, "name"));
  }

  void signal(const Element& e, const char* start, std::vector<channel::Channel>& to) {
    channel::Channel c;
    if (name(e, e.name.c_str())) unique(e);
    c.name = e.value("name");
    c.description = e.value("description");
    c.column = e.value("column");
    const std::string_view kind = e.value("kind", "real");
    c.scalar = kind == "integer"   ? Scalar::integer
               : kind == "boolean" ? Scalar::boolean
               : kind == "byte"    ? Scalar::byte
                                   : Scalar::real;
    const std::string unit(trimmed(e.value("unit", "1")));
    if (!channel::set_unit(c, unit)) {
      auto& d = problems_.error("V5004", "\"" + unit + "\" is not a unit", place_of(e, "unit"));
      d.notes.push_back("units are written like rad/s, kg*m^2, N m or 1");
    } else if (c.scalar != Scalar::real && unit != "1") {
      problems_.error(
          "V5004",
          "only real signals have a unit, and \"" + c.name + "\" is of kind " + std::string(kind),
          place_of(e, "unit"));
    }
    const auto size = parsed_integer(trimmed(e.value("size", "1")));
    if (!size || *size < 1 || *size > static_cast<long long>(lines::most_elements)) {
      problems_.error("V5005",
                      "the size of \"" + c.name + "\" must be a whole number from 1 to " +
                          std::to_string(lines::most_elements),
                      place_of(e, "size"));
    } else {
      c.count = static_cast<std::uint32_t>(*size);
    }
    if (e.attribute(start)) values(e, start, c);
    to.push_back(std::move(c));
  }

  void values(const Element& e, const char* start, channel::Channel& c) {
    std::vector<double> numbers;
    for (const auto word : words(e.value(start))) {
      const auto x = parsed_real(word);
      if (!x) {
        problems_.error("V5006", "\"" + std::string(word) + "\" is not a number",
                        place_of(e, start));
        return;
      }
      numbers.push_back(*x * c.factor);
    }
    if (numbers.size() == 1) numbers.assign(c.count, numbers.front());
    if (numbers.size() != c.count) {
      auto& d =
          problems_.error("V5006",
                          "\"" + c.name + "\" has " + std::to_string(c.count) + " elements, and " +
                              std::to_string(numbers.size()) + " values are given",
                          place_of(e, start));
      d.notes.push_back("one number stands for all elements");
      return;
    }
    c.initial = std::move(numbers);
  }

  void event(const Element& e) {
    if (name(e, "event")) unique(e);
    auto& to = e.value("direction") == "in" ? connector_.channels.events_in
                                            : connector_.channels.events_out;
    to.emplace_back(e.value("name"));
  }

  void feedthrough(const Element& e) {
    const auto known = [&](const std::vector<channel::Channel>& signals, const char* attribute) {
      std::vector<std::string> names;
      for (const auto& c : signals) names.push_back(c.name);
      const std::string wanted(e.value(attribute));
      if (std::find(names.begin(), names.end(), wanted) != names.end()) return;
      auto& d =
          problems_.error("V5008", "there is no " + std::string(attribute) + " \"" + wanted + "\"",
                          place_of(e, attribute));
      if (const auto meant = closest(wanted, names)) did_you_mean(d, *meant);
    };
    known(connector_.channels.outputs, "output");
    known(connector_.channels.inputs, "input");
    connector_.channels.feedthrough.push_back(
        {std::string(e.value("output")), std::string(e.value("input"))});
  }

  void parameter(const Element& e) {
    ParameterValue v;
    v.name_place = place_of(e, "name");
    const Attribute* value = e.attribute("value");
    const std::string_view text = trimmed(e.text);
    if (value && !text.empty()) {
      problems_.error("V5006",
                      "the parameter \"" + std::string(e.value("name")) +
                          "\" has a value as an attribute and as text",
                      place_of(e, "value"));
    }
    if (value) {
      v.text = value->value;
      v.place = place_of(e, "value");
    } else {
      v.text = text;
      const auto begin = static_cast<std::size_t>(text.empty() ? 0 : text.data() - e.text.data());
      v.place = text.empty() ? e.place : document_.place_in_text(e, begin, width(text));
    }
    v.exact = value || !text.empty();
    v.unit = e.value("unit");
    const std::string name(e.value("name"));
    if (connector_.parameters.contains(name)) {
      problems_.error("V5003", "the parameter \"" + name + "\" is there twice",
                      place_of(e, "name"));
    }
    connector_.parameters[name] = std::move(v);
  }

  // Checks the parameters as the composition will. A composition may still supply values that this
  // document leaves out, so a missing value is no error here, and the adapter's own check, which
  // needs all values, is then left to the composition.
  void check_parameters(const Adapter& adapter) {
    std::vector<ParameterSpec> specs = adapter.parameters;
    bool complete = true;
    for (auto& s : specs) {
      if (s.initial || connector_.parameters.contains(s.name)) continue;
      s.initial = "";
      s.kind = ParameterKind::text;  // accepts the empty text
      complete = false;
    }
    if (connector_.adapter != "csv" && connector_.adapter != "plugin") {
      complete = complete && (connector_.parameters.contains("listen") ||
                              connector_.parameters.contains("connect"));
    }
    const std::size_t before = problems_.errors();
    const Parameters values(connector_.name, specs, connector_.parameters, 0, connector_.place,
                            problems_);
    if (!complete || problems_.errors() > before) return;
    try {
      adapter.check(connector_, values);
    } catch (const ConfigurationError& e) {
      problems_.append(e.diagnostics());
    }
  }

  const Document& document_;
  Connector& connector_;
  Diagnostics& problems_;
  std::set<std::string> names_;
};

std::optional<Connector> built(const std::optional<Document>& document, Diagnostics& problems) {
  if (!document) return {};
  Connector connector;
  Diagnostics found;
  Builder(*document, connector, found).build();
  for (Diagnostic d : found.list()) {
    if (d.source.empty() && d.place.file == document->root().place.file) document->show_source(d);
    problems.add(std::move(d));
  }
  if (found.errors() > 0) return {};
  return connector;
}

}  // namespace

document::Grammar grammar() noexcept {
  return {"ioconnector", "connector.dtd", embedded::connector("formats/connector/connector.dtd")};
}

std::optional<Connector> read_connector(const std::filesystem::path& path, Diagnostics& problems) {
  return built(document::read(path, std::array{grammar()}, problems), problems);
}

std::optional<Connector> parse_connector(std::string content, const std::filesystem::path& name,
                                         Diagnostics& problems) {
  return built(document::parse(std::move(content), name, std::array{grammar()}, problems),
               problems);
}

Type type_of(const Connector& connector, Surroundings around) {
  const Adapter adapter = adapter_of(connector);
  Type type;
  type.name = connector.name;
  type.summary = connector.description.substr(0, connector.description.find('\n'));
  type.parameters = adapter.parameters;
  for (ParameterSpec& s : type.parameters) {
    const auto given = connector.parameters.find(s.name);
    if (given == connector.parameters.end()) continue;
    const ParameterValue& v = given->second;
    s.initial = v.unit.empty() ? v.text : v.text + " " + v.unit;
    // the document that gives a file name is the origin of relative paths, not the current
    // directory
    if (s.kind == ParameterKind::file && !v.text.empty()) {
      s.initial = (std::filesystem::absolute(connector.file).parent_path() / v.text)
                      .lexically_normal()
                      .string();
    }
  }
  type.component = [connector, check = adapter.check, make = adapter.make,
                    around = std::move(around)](const Parameters& p) {
    check(connector, p);
    return make(connector, p, around);
  };
  return type;
}

void add_connectors(Catalogue& catalogue, Surroundings around) {
  catalogue.add(DocumentKind{
      .root = "ioconnector",
      .summary = "a file, a device or another simulator",
      .instance = InstanceKind::connector,
      .read = [around = std::move(around)](std::string content, const std::filesystem::path& file,
                                           Diagnostics& problems) {
        const auto connector = parse_connector(std::move(content), file, problems);
        return connector ? type_of(*connector, around) : Type{};
      }});
}

}  // namespace vernier::connector
