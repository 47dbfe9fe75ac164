#include "vernier/run/record/manifest.hpp"

#include <unistd.h>

#include <cmath>
#include <ctime>
#include <nlohmann/json.hpp>

#include "vernier/base/diagnostic.hpp"

namespace vernier::record {

using nlohmann::json;
using nlohmann::ordered_json;

namespace {

constexpr int manifest_version = 1;

/// JSON has no infinities and no NaN: they become null.
ordered_json number(double v) {
  if (std::isfinite(v)) return v;
  return nullptr;
}

void take(const json& j, const char* key, std::string& to) {
  if (const auto at = j.find(key); at != j.end() && at->is_string()) to = at->get<std::string>();
}
void take(const json& j, const char* key, double& to) {
  const auto at = j.find(key);
  if (at == j.end()) return;
  to = at->is_number() ? at->get<double>() : std::nan("");
}
void take(const json& j, const char* key, bool& to) {
  if (const auto at = j.find(key); at != j.end() && at->is_boolean()) to = at->get<bool>();
}
void take(const json& j, const char* key, std::uint64_t& to) {
  const auto at = j.find(key);
  if (at != j.end() && at->is_number_unsigned()) to = at->get<std::uint64_t>();
}
void take(const json& j, const char* key, int& to) {
  const auto at = j.find(key);
  if (at == j.end() || !at->is_number_integer()) return;
  const auto v = at->get<std::int64_t>();
  if (v >= 0 && v <= 255) to = static_cast<int>(v);
}
void take(const json& j, const char* key, std::vector<std::string>& to) {
  const auto at = j.find(key);
  if (at == j.end() || !at->is_array()) return;
  for (const json& element : *at) {
    if (element.is_string()) to.push_back(element.get<std::string>());
  }
}

const json& array_of(const json& j, const char* key) {
  static const json none = json::array();
  const auto at = j.find(key);
  return at != j.end() && at->is_array() ? *at : none;
}
const json& object_of(const json& j, const char* key) {
  static const json none = json::object();
  const auto at = j.find(key);
  return at != j.end() && at->is_object() ? *at : none;
}

}  // namespace

std::string Manifest::option(std::string_view key) const {
  for (const auto& [name_of, value] : options) {
    if (name_of == key) return value;
  }
  return {};
}

std::string to_json(const Manifest& m) {
  ordered_json j;
  j["manifest"] = manifest_version;
  j["name"] = m.name;
  j["composition"] = m.composition;
  j["vernier"] = m.version;
  j["status"] = m.status;
  j["exit_status"] = m.exit_status;
  if (!m.message.empty()) j["message"] = m.message;
  j["started"] = m.started;
  j["stopped"] = m.stopped;
  j["host"] = m.host;
  j["command"] = m.command;
  j["document"] = m.document;
  j["seed"] = m.seed;
  if (!m.arithmetic.empty()) j["arithmetic"] = m.arithmetic;
  if (!m.instructions.empty()) j["instructions"] = m.instructions;
  j["set"] = m.set;
  j["options"] = ordered_json::object();
  for (const auto& [key, value] : m.options) j["options"][key] = value;
  j["inputs"] = ordered_json::array();
  for (const Input& i : m.inputs) {
    j["inputs"].push_back(
        {{"file", i.file}, {"original", i.original}, {"sha256", i.sha256}, {"bytes", i.bytes}});
  }
  j["reports"] = ordered_json::array();
  for (const Reported& r : m.reports) {
    j["reports"].push_back(
        {{"name", r.name}, {"signal", r.signal}, {"value", number(r.value)}, {"unit", r.unit}});
  }
  j["checks"] = ordered_json::array();
  for (const Checked& c : m.checks) {
    j["checks"].push_back({{"name", c.name},
                           {"signal", c.signal},
                           {"holds", c.holds},
                           {"value", number(c.value)},
                           {"limit", number(c.limit)},
                           {"words", c.words}});
  }
  j["warnings"] = m.warnings;
  j["statistics"] = ordered_json::object();
  for (const auto& [key, value] : m.statistics) j["statistics"][key] = number(value);
  if (!m.machine.empty()) j["machine"] = ordered_json::object();
  for (const auto& [key, value] : m.machine) j["machine"][key] = value;
  // a name that is not UTF-8 must not prevent writing the manifest
  return j.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

Manifest manifest_from_json(std::string_view text, const std::filesystem::path& name) {
  const json j = json::parse(text, nullptr, false);
  int version = 0;
  if (j.is_object()) take(j, "manifest", version);
  if (version == 0)
    throw ConfigurationError("V7108", name.string() + " is not the manifest of a run");
  if (version > manifest_version) {
    throw ConfigurationError("V7108", name.string() + " was written by a newer version of vernier");
  }
  Manifest m;
  take(j, "name", m.name);
  take(j, "composition", m.composition);
  take(j, "vernier", m.version);
  take(j, "status", m.status);
  take(j, "exit_status", m.exit_status);
  take(j, "message", m.message);
  take(j, "started", m.started);
  take(j, "stopped", m.stopped);
  take(j, "host", m.host);
  take(j, "command", m.command);
  take(j, "document", m.document);
  take(j, "seed", m.seed);
  take(j, "arithmetic", m.arithmetic);
  take(j, "instructions", m.instructions);
  take(j, "set", m.set);
  take(j, "warnings", m.warnings);
  for (const auto& [key, value] : object_of(j, "options").items()) {
    if (value.is_string()) m.options.emplace_back(key, value.get<std::string>());
  }
  for (const auto& [key, value] : object_of(j, "machine").items()) {
    if (value.is_string()) m.machine.emplace_back(key, value.get<std::string>());
  }
  for (const auto& [key, value] : object_of(j, "statistics").items()) {
    m.statistics.emplace_back(key, value.is_number() ? value.get<double>() : std::nan(""));
  }
  for (const json& i : array_of(j, "inputs")) {
    if (!i.is_object()) continue;
    Input& to = m.inputs.emplace_back();
    take(i, "file", to.file);
    take(i, "original", to.original);
    take(i, "sha256", to.sha256);
    take(i, "bytes", to.bytes);
  }
  for (const json& i : array_of(j, "reports")) {
    if (!i.is_object()) continue;
    Reported& to = m.reports.emplace_back();
    take(i, "name", to.name);
    take(i, "signal", to.signal);
    take(i, "value", to.value);
    take(i, "unit", to.unit);
  }
  for (const json& i : array_of(j, "checks")) {
    if (!i.is_object()) continue;
    Checked& to = m.checks.emplace_back();
    take(i, "name", to.name);
    take(i, "signal", to.signal);
    take(i, "holds", to.holds);
    take(i, "value", to.value);
    take(i, "limit", to.limit);
    take(i, "words", to.words);
  }
  return m;
}

std::string iso8601(std::chrono::system_clock::time_point t) {
  const std::time_t whole = std::chrono::system_clock::to_time_t(t);
  const auto ms =
      std::chrono::duration_cast<std::chrono::milliseconds>(t.time_since_epoch()).count() % 1000;
  std::tm parts{};
  ::gmtime_r(&whole, &parts);
  char text[32], all[48];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &parts);
  std::snprintf(all, sizeof all, "%s.%03dZ", text, static_cast<int>(ms));
  return all;
}

std::string host_name() {
  char name[256] = "";
  if (::gethostname(name, sizeof name - 1) != 0) return "unknown";
  return name;
}

}  // namespace vernier::record
