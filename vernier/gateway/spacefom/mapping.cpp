#include "vernier/gateway/spacefom/detail/mapping.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "vernier/base/text.hpp"
#include "vernier/base/units.hpp"

namespace vernier::spacefom::detail {
namespace {

using document::Element;
using document::Report;

constexpr std::string_view object_root = "HLAobjectRoot.";

/// Ports that frames, entities and interfaces always have.
constexpr std::array<std::string_view, 15> standard_ports{
    "position", "velocity",     "attitude", "rate", "acceleration", "angular_acceleration",
    "known",    "age",          "parent",   "mass", "mass_rate",    "force",
    "torque",   "inertia_rate", "inertia"};

/// SpaceFOM classes whose attributes have ports.
bool of_spacefom(std::string_view path) {
  return path == "HLAobjectRoot.ReferenceFrame" || path == "HLAobjectRoot.PhysicalEntity" ||
         path == "HLAobjectRoot.PhysicalEntity.DynamicalEntity" ||
         path == "HLAobjectRoot.PhysicalInterface";
}

void suggest(Diagnostic& d, std::string_view word, const std::vector<std::string>& known) {
  if (const auto near = closest(word, known)) d.notes.push_back("did you mean " + *near + "?");
}

std::string name_of(const Element& e) { return std::string(trimmed(e.value("name"))); }

}  // namespace

Diagnostic& Mapping::wrong(const char* code, const Element& e, std::string_view attribute,
                           std::string what) {
  return report_.error(code, std::move(what), Report::value_place(e, attribute));
}

template <class Classes>
std::optional<int> Mapping::class_of(const Element& e, const char* kind, const Classes* all) {
  const std::string name(trimmed(e.value("class")));
  std::vector<std::string> paths;
  if (all)
    for (std::size_t i = 0; i < all->size(); ++i) {
      const std::string& path = (*all)[i].path;
      paths.push_back(path.substr(path.find('.') + 1));  // as users write it, without the root
      if (path == name || paths.back() == name) return static_cast<int>(i);
    }
  auto& d = wrong("V1836", e, "class",
                  "there is no " + std::string(kind) + " class " + name + " in the modules");
  if (!all) d.notes.push_back("name the module: <module file=\"…\"/>");
  const std::string bare = name.starts_with("HLA") ? name.substr(name.find('.') + 1) : name;
  const auto longer = std::find_if(paths.begin(), paths.end(),
                                   [&](const auto& p) { return p.ends_with("." + bare); });
  if (longer != paths.end()) {
    d.notes.push_back("did you mean " + *longer + "?");
  } else {
    suggest(d, bare, paths);
  }
  return {};
}

bool Mapping::extend(const Element& e, const std::string& base, const std::string& prefix,
                     Extended& to, bool published) {
  if (!e.attribute("class")) {
    for (const Element& a : e.children)
      wrong("V1836", a, "name", base + " has no attribute " + name_of(a) + " of yours")
          .notes.push_back("name the class of your module that has it: class=\"…\"");
    return false;
  }
  const auto index = class_of(e, "object", fom_ ? &fom_->object_classes : nullptr);
  if (!index) return false;
  const std::string path = fom_->object_classes[static_cast<std::size_t>(*index)].path,
                    root = std::string(object_root) + base;
  if (path != root && !path.starts_with(root + ".")) {
    wrong("V1836", e, "class", path + " is no " + base)
        .notes.push_back("it must be below " + root + "; objects of other classes: <object>");
    return false;
  }
  attributes(e, *index, prefix, to.attributes, base);
  if (!of_spacefom(path)) to.object_class = path;
  const std::string dynamical = root + ".DynamicalEntity";
  if (base != "ReferenceFrame") return path == dynamical || path.starts_with(dynamical + ".");
  for (const auto& [name, port] : {std::pair{"acceleration", "acceleration"},
                                   std::pair{"rotational_acceleration", "angular_acceleration"}}) {
    const auto at = fom_->attribute(*index, name);
    if (!at) continue;
    auto flat = flattened(*fom_, fom_->attributes[static_cast<std::size_t>(*at)].data_type.name);
    if (flat && flat->bytes == 24 && flat->numbers.size() == 3 && flat->parts.size() == 1)
      to.attributes.push_back({name, published ? prefix + "." + port : "", std::move(*flat),
                               std::vector<double>(3, 0.0)});
  }
  return false;
}

void Mapping::object(const Element& e, const std::string& prefix, std::vector<MappedObject>& to) {
  const auto index = class_of(e, "object", fom_ ? &fom_->object_classes : nullptr);
  if (!index) return;
  MappedObject o{fom_->object_classes[static_cast<std::size_t>(*index)].path, name_of(e), {}};
  attributes(e, *index, prefix, o.attributes, {});
  to.push_back(std::move(o));
}

void Mapping::interaction(const Element& e, const std::string& prefix,
                          std::vector<MappedInteraction>& to) {
  const auto index = class_of(e, "interaction", fom_ ? &fom_->interaction_classes : nullptr);
  if (!index) return;
  MappedInteraction m{fom_->interaction_classes[static_cast<std::size_t>(*index)].path, prefix, {}};
  std::vector<std::string> known;
  for (const int i : fom_->all_parameters(*index))
    known.push_back(fom_->parameters[static_cast<std::size_t>(i)].name);
  for (const Element& p : e.children) {
    if (const auto at = fom_->parameter(*index, name_of(p))) {
      one(p, "parameter", fom_->parameters[static_cast<std::size_t>(*at)].data_type.name, prefix,
          m.parameters, false);
    } else {
      suggest(wrong("V1836", p, "name", m.interaction_class + " has no parameter " + name_of(p)),
              name_of(p), known);
    }
  }
  to.push_back(std::move(m));
}

void Mapping::attributes(const Element& e, int index, const std::string& prefix,
                         std::vector<MappedAttribute>& to, const std::string& base) {
  const std::string& path = fom_->object_classes[static_cast<std::size_t>(index)].path;
  std::vector<std::string> known;
  for (const int i : fom_->all_attributes(index))
    known.push_back(fom_->attributes[static_cast<std::size_t>(i)].name);
  for (const Element& a : e.children) {
    const auto at = fom_->attribute(index, name_of(a));
    if (!at) {
      suggest(wrong("V1836", a, "name", path + " has no attribute " + name_of(a)), name_of(a),
              known);
      continue;
    }
    const fom::Attribute& found = fom_->attributes[static_cast<std::size_t>(*at)];
    const std::string& owner = fom_->object_classes[static_cast<std::size_t>(found.owner)].path;
    if (!base.empty() && of_spacefom(owner)) {
      wrong("V1836", a, "name", found.name + " is of the SpaceFOM and has its port already");
      continue;
    }
    one(a, "attribute", found.data_type.name, prefix, to, !base.empty());
  }
}

void Mapping::one(const Element& a, const char* kind, const std::string& data_type,
                  const std::string& prefix, std::vector<MappedAttribute>& to,
                  bool has_standard_ports) {
  MappedAttribute m;
  m.name = name_of(a);
  const std::string port(trimmed(a.value("port", m.name)));
  m.port = prefix + "." + port;
  for (const MappedAttribute& other : to)
    if (other.name == m.name)
      wrong("V1833", a, "name", "the " + std::string(kind) + " " + m.name + " is there twice");
  const bool taken = has_standard_ports && std::find(standard_ports.begin(), standard_ports.end(),
                                                     port) != standard_ports.end();
  if (taken || !ports_.insert(m.port).second)
    wrong("V1833", a, a.attribute("port") ? "port" : "name",
          "the port \"" + m.port + "\" is there twice");
  std::string unit(trimmed(a.value("unit")));
  if (!unit.empty() && !parsed_unit(unit)) {
    wrong("V1832", a, "unit", "\"" + unit + "\" is not a unit");
    unit.clear();
  }
  std::uint32_t most = 0;
  if (a.attribute("most")) {
    const auto n = parsed_integer(trimmed(a.value("most")));
    if (!n || *n < 1 || *n > 4095) {
      wrong("V1832", a, "most",
            "\"" + std::string(a.value("most")) + "\" is not a number from 1 to 4095");
      return;
    }
    most = static_cast<std::uint32_t>(*n);
  }
  auto flat = flattened(*fom_, data_type, unit, most);
  if (flat && most > 0 && flat->fixed) {
    wrong(
        "V1832", a, "most",
        "the " + std::string(kind) + " " + m.name + " has a fixed size, which most cannot change");
    return;
  }
  if (!flat) {
    wrong(
        "V1837", a, "name",
        "the " + std::string(kind) + " " + m.name + " does not go through a port: " + flat.error());
    return;
  }
  m.type = std::move(*flat);
  m.initial.assign(m.type.numbers.size(), 0.0);
  initial(a, m);
  to.push_back(std::move(m));
}

// numbers in SI, enumerators by name where the type has them; the text of a string
void Mapping::initial(const Element& a, MappedAttribute& m) {
  if (!a.attribute("initial")) return;
  const std::size_t room = m.initial.size(), count = m.type.list ? 1 : 0;  // where a count is
  const auto wrong_number = [&](const char* what) {
    wrong("V1832", a, "initial",
          "\"" + std::string(a.value("initial")) + "\" is not " + (count ? "at most " : "") +
              std::to_string(room - count) + " " + what + (room - count == 1 ? "" : "s"));
  };
  if (m.type.text) {
    const std::vector<double> codes = characters(m.type, a.value("initial"));
    if (codes.empty() && !a.value("initial").empty()) {
      wrong(
          "V1832", a, "initial",
          "\"" + std::string(a.value("initial")) + "\" has characters that " + m.name + " cannot");
    } else if (codes.size() >= room) {
      wrong_number("character");
    } else {
      m.initial[0] = static_cast<double>(codes.size());
      std::copy(codes.begin(), codes.end(), m.initial.begin() + 1);
    }
    return;
  }
  auto list = words(a.value("initial"));
  if (count ? list.size() >= room : list.size() != room) {
    wrong_number("number");
    return;
  }
  const std::string length = std::to_string(list.size());
  if (count) list.insert(list.begin(), length);
  for (std::size_t i = 0; i < list.size(); ++i) {
    std::optional<double> value = parsed_real(list[i]);
    std::vector<std::string> known;
    if (const int names = m.type.numbers[i].enumeration; names >= 0)
      for (const auto& [name, x] : m.type.enumerations[static_cast<std::size_t>(names)]) {
        known.push_back(name);
        if (name == list[i]) value = x;
      }
    if (value && std::isfinite(*value)) {
      m.initial[i] = *value;
      continue;
    }
    auto& d = wrong("V1832", a, "initial",
                    "\"" + std::string(list[i]) + "\" is not a number" +
                        (known.empty() ? "" : ", and not a word of its enumeration"));
    if (!known.empty()) d.notes.push_back("words: " + joined(known, ", "));
  }
}

}  // namespace vernier::spacefom::detail
