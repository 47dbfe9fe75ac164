#include "vernier/run/compose/fields.hpp"

#include <fmt/format.h>

#include <utility>

#include "vernier/base/diagnostic.hpp"

namespace vernier::compose {
namespace {

[[noreturn]] void refuse_request(const std::string& why) { throw ConfigurationError("V8120", why); }

}  // namespace

Fields::Fields(const nlohmann::json& json) : json_(&json) {
  if (!json.is_object()) refuse_request("the request is not an object");
}

bool Fields::has(const char* name) const { return json_->contains(name); }

std::string Fields::text(const char* name) const {
  const auto found = json_->find(name);
  if (found == json_->end()) refuse_request(fmt::format("the request has no \"{}\"", name));
  if (!found->is_string()) refuse_request(fmt::format("\"{}\" of the request is not a text", name));
  return found->get<std::string>();
}

std::string Fields::optional_text(const char* name) const {
  return has(name) ? text(name) : std::string();
}

std::vector<Fields> Fields::objects(const char* name, std::size_t most) const {
  std::vector<Fields> all;
  const auto found = json_->find(name);
  if (found == json_->end()) return all;
  if (!found->is_array()) refuse_request(fmt::format("\"{}\" of the request is not a list", name));
  if (found->size() > most)
    refuse_request(fmt::format("\"{}\" of the request has more than {} entries", name, most));
  for (const nlohmann::json& one : *found) all.emplace_back(one);
  return all;
}

std::vector<std::pair<std::string, std::string>> Fields::texts(const char* name) const {
  std::vector<std::pair<std::string, std::string>> all;
  const auto found = json_->find(name);
  if (found == json_->end()) return all;
  if (!found->is_object())
    refuse_request(fmt::format("\"{}\" of the request is not an object", name));
  for (const auto& [key, value] : found->items()) {
    if (!value.is_string())
      refuse_request(fmt::format("\"{}.{}\" of the request is not a text", name, key));
    all.emplace_back(key, value.get<std::string>());
  }
  return all;
}

}  // namespace vernier::compose
