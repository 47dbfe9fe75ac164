#include <algorithm>
#include <cmath>

#include "vernier/base/text.hpp"
#include "vernier/kernel/constrained/user_element.hpp"
#include "vernier/model/multibody_loops/detail/builder.hpp"

namespace vernier::multibody_loops::detail {

std::vector<double> Builder::user_parameters(const Element& e,
                                             const constrained::UserElementKind& kind) {
  std::vector<double> values;
  std::vector<std::string> known;
  for (const constrained::UserParameter& p : kind.parameters) {
    values.push_back(p.initial);
    known.emplace_back(p.name);
  }
  for (const Element& c : e.children) {
    if (c.name != "parameter") continue;
    const std::string name = name_of(c);
    const auto at = std::find(known.begin(), known.end(), name);
    if (at == known.end()) {
      Diagnostic& d = report_.error("V1702", who(e) + " has no parameter " + in_quotes(name),
                                    Report::value_place(c, "name"));
      if (const auto near = closest(name, known)) did_you_mean(d, *near);
      d.notes.push_back("parameters: " + listed(known));
      continue;
    }
    const auto i = static_cast<std::size_t>(at - known.begin());
    values[i] = number(c, "value", kind.parameters[i].unit);
  }
  // A parameter without default has an initial value that is not finite.
  for (std::size_t i = 0; i < known.size(); ++i) {
    if (std::isfinite(values[i])) continue;
    report_.error("V1704", who(e) + " needs the parameter " + in_quotes(known[i]), e.place)
        .notes.push_back("it is in " + std::string(kind.parameters[i].unit));
  }
  return values;
}

// An element of a shared object: the document names nodes, scalars, drives and parameters, and the
// object makes the element.
void Builder::read_user(const Element& e) {
  const std::size_t before = found_.errors();
  std::vector<int> nodes, scalars, drives;
  std::vector<constrained::NodeState> reference;
  for (const Element& c : e.children) {
    if (c.name != "end") continue;
    refuse(c, {"frame", "offset", "turned", "quaternion", "rotation", "axis", "axis2"},
           "has no meaning here: the element gets the node itself");
    const auto node = node_named(c, "node", true);
    if (!node) continue;
    nodes.push_back(*node);
    reference.push_back(*node == constrained::ground
                            ? constrained::NodeState{{}, spatial::identity3<double>(), {}, {}}
                            : start_of(*node));
  }
  const auto named = [&](const char* attribute, Named kind, const char* what,
                         std::vector<int>& to) {
    if (!e.attribute(attribute)) return;
    for (const std::string_view name : words(e.value(attribute))) {
      const Entry* found = find(name, {kind}, what, Report::value_place(e, attribute));
      if (found && found->index >= 0) to.push_back(found->index);
    }
  };
  named("scalars", Named::scalar, "scalar", scalars);
  named("drives", Named::drive, "drive", drives);
  if (found_.errors() > before) return;
  const std::filesystem::path path = document_.beside(std::string(trimmed(e.value("library"))));
  if (!code_ || !code_->loads()) {
    std::error_code none;
    if (std::filesystem::is_regular_file(path, none)) {
      files_.insert(path);
      made_.not_loaded.push_back(path);
    } else {
      report_.error(
          "V1717",
          who(e) + ": the shared object " + path.string() +
              " cannot be loaded: cannot open shared object file: No such file or directory",
          Report::value_place(e, "library"));
    }
    return;
  }
  try {
    const constrained::UserElements library(path, *code_);
    files_.insert(path);
    const std::string_view wanted = trimmed(e.value("element"));
    const constrained::UserElementKind* kind = library.find(wanted);
    if (!kind) {
      std::vector<std::string> all;
      for (const constrained::UserElementKind& k : library.kinds()) all.emplace_back(k.name);
      Diagnostic& d = report_.error("V1702", "the library has no element " + in_quotes(wanted),
                                    Report::value_place(e, "element"));
      if (const auto near = closest(wanted, all)) did_you_mean(d, *near);
      d.notes.push_back("there are: " + listed(all));
      return;
    }
    const std::vector<double> values = user_parameters(e, *kind);
    if (found_.errors() > before) return;
    add_made(e, name_of(e), wanted,
             library.make(*kind, {nodes, scalars, drives, values, reference}));
  } catch (const ConfigurationError& x) {
    const Diagnostic& d = x.diagnostics().list().front();
    report_.error(d.code.c_str(), who(e) + ": " + d.message, Report::value_place(e, "library"))
        .notes = d.notes;
  }
}

}  // namespace vernier::multibody_loops::detail
