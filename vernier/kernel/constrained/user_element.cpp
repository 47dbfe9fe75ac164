#include "vernier/kernel/constrained/user_element.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "vernier/base/diagnostic.hpp"
#include "vernier/base/units.hpp"

namespace vernier::constrained {
namespace {

constexpr std::size_t most_kinds = 1000, most_parameters = 1000;
constexpr int most_rows = most_element_rows;

[[noreturn]] void refuse_element(const std::string& what) {
  throw ConfigurationError("V1717", what);
}

bool usable_name(const char* name) {
  return name && name[0] != '\0' && shown(name, 65) == name && shown(name, 65).size() <= 64;
}

/// What is wrong with a kind; empty if nothing.
std::string wrong_with(const UserElementKind& k) {
  if (!usable_name(k.name)) return "a kind of element has no usable name";
  const std::string who = "the element \"" + std::string(k.name) + "\"";
  if (!k.make) return who + " has no function that makes it";
  if (k.nodes < 0 || k.scalars < 0 || k.drives < 0 || k.nodes > most_rows / 6 ||
      k.scalars > most_rows || k.drives > most_rows) {
    return who + " connects an impossible number of nodes, scalar nodes or drives";
  }
  if (k.parameters.size() > most_parameters) return who + " has too many parameters";
  std::set<std::string> names;
  for (const UserParameter& p : k.parameters) {
    if (!usable_name(p.name)) return who + " has a parameter without usable name";
    if (!names.insert(p.name).second)
      return who + " has two parameters \"" + std::string(p.name) + "\"";
    if (!p.unit || !parsed_unit(shown(p.unit)))
      return who + ": the unit \"" + shown(p.unit) + "\" of parameter \"" + p.name + "\" is none";
  }
  return {};
}

/// What is wrong with a shape; empty if nothing.
std::string wrong_with(const Shape& s, const UserArguments& given) {
  const auto within = [](const std::vector<int>& some, std::span<const int> all) {
    return std::all_of(some.begin(), some.end(), [&](int n) {
      return n == ground || std::find(all.begin(), all.end(), n) != all.end();
    });
  };
  if (!within(s.nodes, given.nodes) || !within(s.scalars, given.scalars) ||
      !within(s.drives, given.drives)) {
    return "it connects what it was not given";
  }
  if (std::find(s.scalars.begin(), s.scalars.end(), -1) != s.scalars.end() ||
      std::find(s.drives.begin(), s.drives.end(), -1) != s.drives.end()) {
    return "it connects a scalar node or a drive that is not there";
  }
  for (const int n : {s.coordinates, s.differential, s.algebraic, s.holonomic, s.memory}) {
    if (n < 0 || n > most_rows) return "a count in its shape is impossible";
  }
  if (s.nodes.size() > most_rows / 6 || s.size() > most_rows || s.size() == 0)
    return "it has " + std::to_string(s.size()) + " rows";
  if (s.holonomic > s.algebraic) return "it has more constraints than algebraic unknowns";
  const auto n = static_cast<std::size_t>(s.size());
  if (!s.pattern.empty() && s.pattern.size() != n * n)
    return "its pattern has " + std::to_string(s.pattern.size()) + " places instead of " +
           std::to_string(n * n);
  const int initial = 2 * (s.coordinates + s.differential);
  if (!s.initial.empty() && s.initial.size() != static_cast<std::size_t>(initial))
    return "it has " + std::to_string(s.initial.size()) + " initial values instead of " +
           std::to_string(initial);
  for (const double x : s.initial) {
    if (!std::isfinite(x)) return "an initial value is not finite";
  }
  for (const Measure& m : s.measures) {
    if (m.name.empty() || m.count < 1 || m.count > most_rows || !parsed_unit(m.unit))
      return "its measure \"" + shown(m.name.c_str()) + "\" has no name, no size or no unit";
  }
  return {};
}

}  // namespace

struct UserElements::Library {
  SharedObject object;
};

UserElements::UserElements(const std::filesystem::path& path, NativeCode& code) : path_(path) {
  const std::string who = "the shared object " + path.string();
  auto library = std::make_shared<Library>();
  auto object = code.load(path);
  if (!object) refuse_element(who + " cannot be loaded: " + object.error());
  library->object = std::move(*object);
  const auto entry = library->object.function<const UserElementList*()>("vernier_elements");
  if (!entry)
    refuse_element(who +
                   " has no list of elements: put VERNIER_ELEMENTS(…) of "
                   "vernier/kernel/constrained/user_element.hpp into one of its sources");
  const UserElementList* list = entry();
  if (!list || list->version != element_interface_version) {
    refuse_element(who + " was built for version " + std::to_string(list ? list->version : 0) +
                   " of the element interface, this program has version " +
                   std::to_string(element_interface_version) +
                   ": build it again with the headers of this Vernier");
  }
  if (list->layout != element_interface_layout())
    refuse_element(who +
                   " was built with other headers or by a compiler that lays out "
                   "data differently: build it again as this Vernier was built");
  if (list->kinds.empty() || list->kinds.size() > most_kinds)
    refuse_element(who + " lists " + std::to_string(list->kinds.size()) + " kinds of elements");
  std::set<std::string> names;
  for (const UserElementKind& k : list->kinds) {
    std::string wrong = wrong_with(k);
    if (wrong.empty() && !names.insert(k.name).second)
      wrong = "the element \"" + std::string(k.name) + "\" is there twice";
    if (!wrong.empty()) refuse_element(who + ": " + wrong);
  }
  kinds_ = list->kinds;
  library_ = std::move(library);
}

const UserElementKind* UserElements::find(std::string_view name) const noexcept {
  for (const UserElementKind& k : kinds_) {
    if (name == k.name) return &k;
  }
  return nullptr;
}

std::shared_ptr<const Element> UserElements::make(const UserElementKind& k,
                                                  const UserArguments& given) const {
  const auto impossible = [&](const std::string& what) {
    return ConfigurationError("V1717", "an element \"" + std::string(k.name) + "\" of " +
                                           path_.string() + " cannot be made: " + what);
  };
  const auto count = [&](std::size_t has, std::size_t needs, const char* what) {
    if (has != needs)
      throw impossible("it needs " + std::to_string(needs) + " " + what + ", not " +
                       std::to_string(has));
  };
  count(given.nodes.size(), static_cast<std::size_t>(k.nodes), "nodes");
  count(given.scalars.size(), static_cast<std::size_t>(k.scalars), "scalar nodes");
  count(given.drives.size(), static_cast<std::size_t>(k.drives), "drives");
  count(given.parameters.size(), k.parameters.size(), "parameters");
  count(given.reference.size(), given.nodes.size(), "reference places");
  for (std::size_t i = 0; i < k.parameters.size(); ++i) {
    if (!std::isfinite(given.parameters[i]))
      throw impossible("its parameter \"" + std::string(k.parameters[i].name) + "\" is not finite");
  }
  std::unique_ptr<const Element> made;
  try {
    made = k.make(given);
  } catch (const std::exception& e) {
    throw impossible(shown(e.what()));
  } catch (...) {
    throw impossible("its maker threw something that is no exception");
  }
  if (!made) throw impossible("its maker made nothing");
  if (const std::string wrong = wrong_with(made->shape(), given); !wrong.empty())
    throw impossible(wrong);
  // The code of the destructor is also in the library, so the library must outlive the element.
  const Element* raw = made.release();
  return {raw, [library = library_](const Element* e) { delete e; }};
}

}  // namespace vernier::constrained
