#include "vernier/run/desktop/messages.hpp"

#include <cmath>
#include <limits>

#include "vernier/run/desktop/problems.hpp"

namespace vernier::desktop {

using nlohmann::json;
using nlohmann::ordered_json;

namespace {

constexpr int deepest = 6;  // levels of a request
constexpr std::uint64_t largest_id = std::uint64_t{1} << 53;
constexpr std::size_t most_members = 100'000;  // of a list

[[noreturn]] void refuse_request(const std::string& why) {
  refuse("V8103", "the page has sent a request that this desktop does not understand: " + why,
         "reload the page; the desktop may have been replaced by another version");
}

/// What is nested deeper than any request is left out, and so takes no memory.
json parsed(std::string_view text) {
  const auto shallow = [](int depth, json::parse_event_t, json&) { return depth <= deepest; };
  return json::parse(text.begin(), text.end(), shallow, false);
}

std::optional<std::uint64_t> whole_number(const json& j, std::uint64_t most) {
  if (!j.is_number_unsigned()) return {};
  const auto n = j.get<std::uint64_t>();
  if (n > most) return {};
  return n;
}

}  // namespace

Request::Request(std::string_view text) : object_(parsed(text)) {
  if (!object_.is_object()) refuse_request("it is no JSON object");
  const auto id = object_.find("id");
  const auto number = id == object_.end() ? std::nullopt : whole_number(*id, largest_id);
  if (!number || *number == 0) refuse_request("it has no id");
  id_ = *number;
  what_ = this->text("do");
}

std::uint64_t Request::id_in(std::string_view text) noexcept {
  try {
    const json j = parsed(text);
    if (!j.is_object() || !j.contains("id")) return 0;
    return whole_number(j.at("id"), largest_id).value_or(0);
  } catch (const std::exception&) {
    return 0;
  }
}

const json& Request::member(const char* name) const {
  const auto at = object_.find(name);
  if (at == object_.end()) refuse_request(std::string("it lacks \"") + name + "\"");
  return *at;
}

bool Request::has(const char* name) const {
  const auto at = object_.find(name);
  return at != object_.end() && !at->is_null();
}

std::string Request::text(const char* name) const {
  const json& j = member(name);
  if (!j.is_string()) refuse_request(std::string("\"") + name + "\" is no text");
  std::string text = j.get<std::string>();
  if (text.find('\0') != std::string::npos)
    refuse_request(std::string("\"") + name + "\" has a zero character");
  return text;
}

double Request::number(const char* name) const {
  const json& j = member(name);
  if (!j.is_number()) refuse_request(std::string("\"") + name + "\" is no number");
  return j.get<double>();
}

std::uint64_t Request::whole(const char* name, std::uint64_t most) const {
  const auto n = whole_number(member(name), most);
  if (!n)
    refuse_request(std::string("\"") + name + "\" is no whole number from 0 to " +
                   std::to_string(most));
  return *n;
}

bool Request::yes(const char* name) const {
  const json& j = member(name);
  if (!j.is_boolean()) refuse_request(std::string("\"") + name + "\" is not true or false");
  return j.get<bool>();
}

std::vector<std::string> Request::texts(const char* name) const {
  const json& j = member(name);
  if (!j.is_array() || j.size() > most_members)
    refuse_request(std::string("\"") + name + "\" is no list");
  std::vector<std::string> all;
  for (const json& one : j) {
    if (!one.is_string() || one.get_ref<const std::string&>().find('\0') != std::string::npos)
      refuse_request(std::string("\"") + name + "\" is no list of texts");
    all.push_back(one.get<std::string>());
  }
  return all;
}

std::vector<double> Request::numbers(const char* name) const {
  const json& j = member(name);
  if (!j.is_array() || j.size() > most_members)
    refuse_request(std::string("\"") + name + "\" is no list");
  std::vector<double> all;
  for (const json& one : j) {
    if (!one.is_number()) refuse_request(std::string("\"") + name + "\" is no list of numbers");
    all.push_back(one.get<double>());
  }
  return all;
}

std::vector<std::uint64_t> Request::wholes(const char* name, std::uint64_t most) const {
  const json& j = member(name);
  if (!j.is_array() || j.size() > most_members)
    refuse_request(std::string("\"") + name + "\" is no list");
  std::vector<std::uint64_t> all;
  for (const json& one : j) {
    const auto n = whole_number(one, most);
    if (!n) refuse_request(std::string("\"") + name + "\" is no list of whole numbers");
    all.push_back(*n);
  }
  return all;
}

std::vector<std::pair<std::uint32_t, std::uint32_t>> Request::pairs(const char* name) const {
  constexpr std::uint64_t most = std::numeric_limits<std::uint32_t>::max();
  const json& j = member(name);
  if (!j.is_array() || j.size() > most_members)
    refuse_request(std::string("\"") + name + "\" is no list");
  std::vector<std::pair<std::uint32_t, std::uint32_t>> all;
  for (const json& one : j) {
    const bool two = one.is_array() && one.size() == 2;
    const auto first = two ? whole_number(one[0], most) : std::nullopt;
    const auto second = two ? whole_number(one[1], most) : std::nullopt;
    if (!first || !second)
      refuse_request(std::string("\"") + name + "\" is no list of signals and elements");
    all.emplace_back(*first, *second);
  }
  return all;
}

std::string answer(std::uint64_t id, ordered_json content) {
  ordered_json j;
  j["id"] = id;
  j["ok"] = std::move(content);
  return dumped(j);
}

std::string refusal(std::uint64_t id, const Diagnostics& problems) {
  ordered_json j;
  j["id"] = id;
  j["problems"] = json_of(problems);
  return dumped(j);
}

ordered_json number(double v) { return std::isfinite(v) ? ordered_json(v) : ordered_json(); }

std::vector<std::byte> points_message(std::uint64_t id, std::span<const double> time,
                                      std::span<const double> values, bool whole) {
  std::vector<std::byte> message;
  message.reserve(16 + 16 * time.size());
  ByteWriter w(message);
  w(points_kind, static_cast<std::uint32_t>(id), static_cast<std::uint32_t>(time.size()),
    static_cast<std::uint32_t>(whole ? 1 : 0));
  w.numbers(time);
  w.numbers(values);
  return message;
}

}  // namespace vernier::desktop
