#include "vernier/run/realtime/policy.hpp"

#include "vernier/base/text.hpp"

namespace vernier::realtime {
namespace {

constexpr std::int64_t largest = 1'000'000;

std::optional<int> limit(std::string_view text, int least) {
  const auto n = parsed_integer(text);
  if (!n || *n < least || *n > largest) return {};
  return static_cast<int>(*n);
}

}  // namespace

std::optional<LatePolicy> parsed_policy(std::string_view words) {
  LatePolicy p;
  const std::size_t colon = words.find(':');
  const std::string_view name = words.substr(0, colon);
  if (name == "strict")
    p.kind = Late::strict;
  else if (name == "elastic")
    p.kind = Late::elastic;
  else if (name == "catch-up")
    p.kind = Late::catch_up;
  else if (name == "slip")
    p.kind = Late::slip;
  else
    return {};
  if (colon == std::string_view::npos) return p;
  if (p.kind != Late::elastic) return {};
  const std::string_view limits = words.substr(colon + 1);
  const std::size_t comma = limits.find(',');
  const auto row = limit(limits.substr(0, comma), 1);
  if (!row) return {};
  p.in_a_row = *row;
  if (comma == std::string_view::npos) return p;
  const auto window = limit(limits.substr(comma + 1), 0);
  if (!window) return {};
  p.in_window = *window;
  return p;
}

std::string text(const LatePolicy& p) {
  switch (p.kind) {
    case Late::strict:
      return "strict";
    case Late::elastic:
      return "elastic:" + std::to_string(p.in_a_row) + "," + std::to_string(p.in_window);
    case Late::catch_up:
      return "catch-up";
    case Late::slip:
      return "slip";
  }
  return {};
}

}  // namespace vernier::realtime
