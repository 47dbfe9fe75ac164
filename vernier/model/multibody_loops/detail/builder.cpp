#include "vernier/model/multibody_loops/detail/builder.hpp"

#include <algorithm>
#include <cmath>

#include "vernier/base/text.hpp"

namespace vernier::multibody_loops::detail {

Builder::Builder(const Document& d, Report& r, const Diagnostics& found, Diagnostics& of_files,
                 const Parameters* p, NativeCode* code, multibody_tree::MeshFiles& meshes)
    : document_(d),
      root_(d.root()),
      report_(r),
      found_(found),
      of_files_(of_files),
      code_(code),
      quantities_(r, p),
      meshes_(meshes) {}

Definition Builder::run() {
  made_.model.name = trimmed(root_.value("name"));
  made_.place = root_.place;
  if (const Element* e = root_.child("constants")) quantities_.declare(*e);
  if (const Element* e = root_.child("gravity")) {
    if (const auto g = quantities_.vector(*e, "uniform", "m/s^2")) made_.model.gravity = plain(*g);
  }
  if (const Element* e = root_.child("settings")) read_settings(*e);
  if (const Element* e = root_.child("run")) read_run(*e);
  collect();
  // Elements that others refer to are read first, whatever their order in the document.
  read_all({"node", "frame"});
  read_all({"body", "scalar", "port", "function", "ramp", "step", "sine", "table", "section"});
  read_all({"beam_line"});
  read_all({"joint", "deformable", "rod", "contact"});
  read_all({"coupling", "force", "couple", "servo", "state_space", "branch", "transducer", "beam",
            "modal", "user"});
  // without the elements of a shared object, the findings would be those of another mechanism
  if (!report_.failed() && made_.not_loaded.empty()) findings();
  if (!report_.failed()) read_outputs();
  return std::move(made_);
}

void Builder::read_all(std::initializer_list<std::string_view> elements) {
  for (const Element& e : root_.children) {
    if (std::find(elements.begin(), elements.end(), e.name) != elements.end() && !report_.full())
      read(e);
  }
}

void Builder::read(const Element& e) {
  static const std::map<std::string_view, void (Builder::*)(const Element&)> readers{
      {"node", &Builder::read_node},         {"frame", &Builder::read_frame},
      {"body", &Builder::read_body},         {"scalar", &Builder::read_scalar},
      {"section", &Builder::read_section},   {"joint", &Builder::read_joint},
      {"coupling", &Builder::read_coupling}, {"deformable", &Builder::read_deformable},
      {"rod", &Builder::read_rod},           {"force", &Builder::read_load},
      {"couple", &Builder::read_load},       {"contact", &Builder::read_contact},
      {"servo", &Builder::read_servo},       {"state_space", &Builder::read_state_space},
      {"branch", &Builder::read_branch},     {"transducer", &Builder::read_transducer},
      {"beam", &Builder::read_beam},         {"beam_line", &Builder::read_line},
      {"modal", &Builder::read_modal},       {"user", &Builder::read_user}};
  const auto found = readers.find(e.name);
  (this->*(found == readers.end() ? &Builder::read_drive : found->second))(e);
}

// Names

// Collects all names before anything is read, so that references may point forward.
void Builder::collect() {
  static const std::map<std::string_view, Named> kinds{
      {"frame", Named::frame},   {"node", Named::node},      {"body", Named::body},
      {"scalar", Named::scalar}, {"port", Named::drive},     {"function", Named::drive},
      {"ramp", Named::drive},    {"step", Named::drive},     {"sine", Named::drive},
      {"table", Named::drive},   {"section", Named::section}};
  for (const Element& e : root_.children) {
    if (!e.attribute("name")) continue;
    const std::string name = name_of(e);
    if (!quantities_.good_name(e, name)) {
      names_known_ = false;
      continue;
    }
    const Place place = Report::value_place(e, "name");
    if (name == "ground" || name == "mechanism") {
      report_.error("V1309", in_quotes(name) + " cannot be a name: it means something already",
                    place);
      continue;
    }
    const auto kind = kinds.find(e.name);
    const Entry entry{kind == kinds.end() ? Named::element : kind->second, &e, -1};
    const auto [at, fresh] = names_.emplace(name, entry);
    if (fresh) continue;
    report_.error("V1310", "the name " + in_quotes(name) + " is used twice", place)
        .notes.push_back("first for the " + at->second.element->name + " on line " +
                         std::to_string(at->second.element->place.line));
  }
}

const Builder::Entry* Builder::find(std::string_view name, std::initializer_list<Named> kinds,
                                    const std::string& what, const Place& place) {
  const auto wanted = [&](const Entry& e) {
    return std::find(kinds.begin(), kinds.end(), e.kind) != kinds.end();
  };
  const auto found = names_.find(name);
  if (found != names_.end() && wanted(found->second)) return &found->second;
  // After an invalid name was reported, a missing name may be that one: no second message.
  if (!names_known_) return nullptr;
  std::vector<std::string> all;
  for (const auto& [n, entry] : names_) {
    if (wanted(entry)) all.push_back(n);
  }
  Diagnostic& d = report_.error("V1702", "there is no " + what + " " + in_quotes(name), place);
  if (found != names_.end()) {
    d.mark = "this is a " + found->second.element->name;
  } else if (const auto near = closest(name, all)) {
    did_you_mean(d, *near);
  }
  d.notes.push_back(all.empty() ? "the document has none" : "there are: " + listed(all));
  return nullptr;
}

const Builder::Entry* Builder::find(const Element& e, std::string_view attribute,
                                    std::initializer_list<Named> kinds, const std::string& what) {
  return find(trimmed(e.value(attribute)), kinds, what, Report::value_place(e, attribute));
}

std::optional<int> Builder::node_named(const Element& e, std::string_view attribute,
                                       bool ground_too) {
  if (trimmed(e.value(attribute)) == "ground") {
    if (ground_too) return constrained::ground;
    report_
        .error("V1702", "a node is needed here, not the ground", Report::value_place(e, attribute))
        .notes.push_back("make a node, and a clamp from the ground to it");
    return {};
  }
  const Entry* found = find(e, attribute, {Named::node}, "node");
  if (!found || found->index < 0) return {};
  return found->index;
}

std::string Builder::name_of(const Element& e) const {
  return std::string(trimmed(e.value("name")));
}

std::string Builder::who(const Element& e) const {
  return (e.attribute("kind") && e.name == "joint" ? std::string(e.value("kind")) : e.name) + " " +
         in_quotes(name_of(e));
}

// Numbers

std::optional<double> Builder::positive(const Element& e, std::string_view attribute,
                                        std::string_view unit, bool or_zero) {
  const auto x = quantities_.number(e, attribute, unit);
  if (!x || (or_zero ? *x >= 0.0 : *x > 0.0)) return x;
  report_.error(
      "V1700",
      std::string(attribute) + (or_zero ? " must not be negative" : " must be more than zero"),
      Report::value_place(e, attribute));
  return {};
}

double Builder::number(const Element& e, std::string_view attribute, std::string_view unit,
                       double otherwise) {
  return quantities_.number(e, attribute, unit).value_or(otherwise);
}

int Builder::whole(const Element& e, std::string_view attribute, int least, int most,
                   int otherwise) {
  if (!e.attribute(attribute)) return otherwise;
  const auto x = quantities_.number(e, attribute, "1");
  if (!x) return otherwise;
  if (*x >= least && *x <= most && *x == std::floor(*x)) return static_cast<int>(*x);
  report_.error("V1700",
                std::string(attribute) + " must be a whole number from " + std::to_string(least) +
                    " to " + std::to_string(most),
                Report::value_place(e, attribute));
  return otherwise;
}

bool Builder::refuse(const Element& e, std::initializer_list<const char*> attributes,
                     const std::string& why) {
  bool good = true;
  for (const char* name : attributes) {
    const document::Attribute* a = e.attribute(name);
    if (!a) continue;
    report_.error("V1705", std::string(name) + " " + why, a->place);
    good = false;
  }
  return good;
}

bool Builder::need(const Element& e, std::initializer_list<const char*> attributes,
                   const std::string& whose) {
  std::vector<std::string> missing;
  for (const char* name : attributes) {
    if (!e.attribute(name)) missing.emplace_back(name);
  }
  if (missing.empty()) return true;
  report_.error("V1704", whose + " needs " + joined(missing, ", "), e.place);
  return false;
}

std::optional<std::vector<double>> Builder::text_numbers(const Element& e,
                                                         const std::string& what) {
  constexpr std::size_t most = 1'000'000;
  std::vector<double> all;
  std::size_t begin = 0;
  const auto separates = [](char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == ',' || c == ';';
  };
  const std::string& text = e.text;
  while (begin < text.size()) {
    if (separates(text[begin])) {
      ++begin;
      continue;
    }
    std::size_t end = begin;
    while (end < text.size() && !separates(text[end])) ++end;
    const std::string_view word = std::string_view(text).substr(begin, end - begin);
    const auto x = parsed_real(word);
    // "0,5" may be one number or two
    std::size_t after = end;
    while (after < text.size() && text[after] == ',') ++after;
    const bool ambiguous = after > end && after < text.size() && !separates(text[after]);
    if (!x || !std::isfinite(*x) || all.size() >= most || ambiguous) {
      while (ambiguous && after < text.size() && !separates(text[after])) ++after;
      const std::string_view whole =
          std::string_view(text).substr(begin, (ambiguous ? after : end) - begin);
      report_
          .error("V1308",
                 all.size() >= most ? what + " has more than a million numbers"
                                    : what + " must be numbers, not " + in_quotes(whole),
                 document_.place_in_text(e, begin, width(whole)))
          .mark = ambiguous ? quantity_problem(whole, "1", 0) : "";
      return {};
    }
    all.push_back(*x);
    begin = end;
  }
  return all;
}

void Builder::add_made(const Element& e, const std::string& name, std::string_view kind,
                       std::shared_ptr<const constrained::Element> element) {
  const int index = made_.model.add(name, std::string(kind), std::move(element));
  made_.places.emplace(name, e.place);
  if (const auto found = names_.find(name); found != names_.end()) found->second.index = index;
}

// Consistency checks of the kernel, reported at the places of the document.
void Builder::findings() {
  for (const Finding& f : constrained::check(made_.model)) {
    const auto at = made_.places.find(f.part);
    const Place& place = at == made_.places.end() ? root_.place : at->second;
    if (f.severity == Severity::error)
      report_.error(f.code.c_str(), f.message, place);
    else
      report_.warning(f.code.c_str(), f.message, place);
  }
}

}  // namespace vernier::multibody_loops::detail
