#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace vernier::compose {

/// The fields of a request. What is missing or of another kind is refused with V8103, by throwing
/// ConfigurationError.
class Fields {
 public:
  /// `json` must be an object and outlive this.
  explicit Fields(const nlohmann::json& json);

  bool has(const char* name) const;
  std::string text(const char* name) const;
  /// Empty when it is absent.
  std::string optional_text(const char* name) const;
  /// The objects of an array; empty when it is absent. At most `most`.
  std::vector<Fields> objects(const char* name, std::size_t most) const;
  /// The texts of an object by name; empty when it is absent.
  std::vector<std::pair<std::string, std::string>> texts(const char* name) const;

 private:
  const nlohmann::json* json_;
};

}  // namespace vernier::compose
