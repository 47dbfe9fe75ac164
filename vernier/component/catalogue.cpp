#include "vernier/component/catalogue.hpp"

#include "vernier/base/require.hpp"

namespace vernier {

void Catalogue::add(Type type) {
  require(!type.system != !type.component);
  std::string name = type.name;
  const bool is_new = types_.emplace(std::move(name), std::move(type)).second;
  require(is_new);
}

void Catalogue::add(DocumentKind kind) {
  require(kind.read != nullptr);
  std::string root = kind.root;
  const bool is_new = documents_.emplace(std::move(root), std::move(kind)).second;
  require(is_new);
}

const Type* Catalogue::find(std::string_view name) const {
  const auto found = types_.find(name);
  return found == types_.end() ? nullptr : &found->second;
}

const DocumentKind* Catalogue::document(std::string_view root_element) const {
  const auto found = documents_.find(root_element);
  return found == documents_.end() ? nullptr : &found->second;
}

std::vector<std::string> Catalogue::names() const {
  std::vector<std::string> names;
  for (const auto& [name, type] : types_) names.push_back(name);
  return names;
}

}  // namespace vernier
