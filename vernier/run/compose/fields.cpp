#include "vernier/run/compose/fields.hpp"

#include <fmt/format.h>

#include <utility>

#include "vernier/base/diagnostic.hpp"

namespace vernier::compose {
namespace {

[[noreturn]] void refuse_field(const std::string& why) {
  Diagnostics problems;
  problems
      .error("V8103", "the page has sent a request that this desktop does not understand: " + why,
             {})
      .notes.emplace_back("reload the page; the desktop may have been replaced by another version");
  throw ConfigurationError(std::move(problems));
}

}  // namespace

Fields::Fields(const nlohmann::json& json) : json_(&json) {
  if (!json.is_object()) refuse_field("it is no JSON object");
}

bool Fields::has(const char* name) const { return json_->contains(name); }

std::string Fields::text(const char* name) const {
  const auto found = json_->find(name);
  if (found == json_->end()) refuse_field(fmt::format("it has no \"{}\"", name));
  if (!found->is_string()) refuse_field(fmt::format("\"{}\" is not a text", name));
  return found->get<std::string>();
}

std::string Fields::optional_text(const char* name) const {
  return has(name) ? text(name) : std::string();
}

std::vector<Fields> Fields::objects(const char* name, std::size_t most) const {
  std::vector<Fields> all;
  const auto found = json_->find(name);
  if (found == json_->end()) return all;
  if (!found->is_array()) refuse_field(fmt::format("\"{}\" is not a list", name));
  if (found->size() > most)
    refuse_field(fmt::format("\"{}\" has more than {} entries", name, most));
  for (const nlohmann::json& one : *found) all.emplace_back(one);
  return all;
}

std::vector<std::pair<std::string, std::string>> Fields::texts(const char* name) const {
  std::vector<std::pair<std::string, std::string>> all;
  const auto found = json_->find(name);
  if (found == json_->end()) return all;
  if (!found->is_object()) refuse_field(fmt::format("\"{}\" is not an object", name));
  for (const auto& [key, value] : found->items()) {
    if (!value.is_string()) refuse_field(fmt::format("\"{}.{}\" is not a text", name, key));
    all.emplace_back(key, value.get<std::string>());
  }
  return all;
}

}  // namespace vernier::compose
