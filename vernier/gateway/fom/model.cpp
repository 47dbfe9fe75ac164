#include "vernier/gateway/fom/model.hpp"

#include <algorithm>

namespace vernier::fom {
namespace {

template <class Index>
std::optional<int> found(const Index& index, std::string_view name) {
  const auto at = index.find(name);
  return at == index.end() ? std::nullopt : std::optional(at->second);
}

template <class Index>
std::optional<int> found_path(const Index& index, std::string_view root, std::string_view path) {
  if (const auto at = found(index, path)) return at;
  return found(index, std::string(root) + "." + std::string(path));
}

/// The classes from the root to `c`.
template <class Class>
std::vector<int> lineage(const std::vector<Class>& classes, int c) {
  std::vector<int> all;
  for (; c >= 0; c = classes[static_cast<std::size_t>(c)].parent) all.push_back(c);
  std::reverse(all.begin(), all.end());
  return all;
}

}  // namespace

bool Switches::is_on(std::string_view name) const noexcept {
  const auto at = std::find(names.begin(), names.end(), name);
  return at != names.end() && enabled[static_cast<std::size_t>(at - names.begin())];
}

std::string_view kind(const DataType& t) noexcept {
  constexpr std::array<std::string_view, 6> kinds{"basic", "simple",       "enumerated",
                                                  "array", "fixed record", "variant record"};
  return kinds[t.definition.index()];
}

std::optional<int> Fom::object_class(std::string_view path) const {
  return found_path(object_paths_, "HLAobjectRoot", path);
}
std::optional<int> Fom::interaction_class(std::string_view path) const {
  return found_path(interaction_paths_, "HLAinteractionRoot", path);
}
std::optional<int> Fom::data_type(std::string_view name) const { return found(type_names_, name); }
std::optional<int> Fom::dimension(std::string_view name) const {
  return found(dimension_names_, name);
}
std::optional<int> Fom::transportation(std::string_view name) const {
  return found(transportation_names_, name);
}

std::vector<int> Fom::all_attributes(int c) const {
  std::vector<int> all;
  for (const int k : lineage(object_classes, c)) {
    const auto& own = object_classes[static_cast<std::size_t>(k)].attributes;
    all.insert(all.end(), own.begin(), own.end());
  }
  return all;
}

std::vector<int> Fom::all_parameters(int c) const {
  std::vector<int> all;
  for (const int k : lineage(interaction_classes, c)) {
    const auto& own = interaction_classes[static_cast<std::size_t>(k)].parameters;
    all.insert(all.end(), own.begin(), own.end());
  }
  return all;
}

std::optional<int> Fom::attribute(int c, std::string_view name) const {
  for (const int a : all_attributes(c)) {
    if (attributes[static_cast<std::size_t>(a)].name == name) return a;
  }
  return {};
}

std::optional<int> Fom::parameter(int c, std::string_view name) const {
  for (const int p : all_parameters(c)) {
    if (parameters[static_cast<std::size_t>(p)].name == name) return p;
  }
  return {};
}

}  // namespace vernier::fom
