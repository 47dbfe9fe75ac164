#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "vernier/base/codec.hpp"
#include "vernier/base/diagnostic.hpp"

namespace vernier::desktop {

/// A request of a page (formats/desktop). Members are checked when they are taken; all functions
/// throw ConfigurationError (V8103).
class Request {
 public:
  /// Throws also when the text is no request with an id.
  explicit Request(std::string_view text);

  /// Of a text that is no good request, for its answer; 0: not known.
  static std::uint64_t id_in(std::string_view text) noexcept;

  std::uint64_t id() const noexcept { return id_; }
  const std::string& what() const noexcept { return what_; }
  /// All of it.
  const nlohmann::json& object() const noexcept { return object_; }
  bool has(const char* name) const;
  std::string text(const char* name) const;
  double number(const char* name) const;
  /// From 0 to `most`.
  std::uint64_t whole(const char* name, std::uint64_t most) const;
  bool yes(const char* name) const;
  std::vector<std::string> texts(const char* name) const;
  std::vector<double> numbers(const char* name) const;
  std::vector<std::uint64_t> wholes(const char* name, std::uint64_t most) const;
  /// [[signal, element], …]
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs(const char* name) const;

 private:
  const nlohmann::json& member(const char* name) const;

  nlohmann::json object_;
  std::uint64_t id_ = 0;
  std::string what_;
};

/// {"id":7,"ok":…}
std::string answer(std::uint64_t id, nlohmann::ordered_json content);
/// {"id":7,"problems":…}
std::string refusal(std::uint64_t id, const Diagnostics&);

/// A number in JSON: what is not finite is null.
nlohmann::ordered_json number(double);

/// The kinds of binary messages.
inline constexpr std::uint32_t points_kind = 1, live_kind = 2;

/// A message of kind 1.
std::vector<std::byte> points_message(std::uint64_t id, std::span<const double> time,
                                      std::span<const double> values, bool whole);

}  // namespace vernier::desktop
