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

constexpr std::uint64_t manifest_version = 1;

/// JSON has no infinities and no NaN: they become null.
ordered_json number(double v) {
  if (std::isfinite(v)) return v;
  return nullptr;
}

/// Reads members of one object of the document. A missing member keeps its default; one of another
/// type is refused, as a run that is repeated without it would be another run.
class Members {
 public:
  Members(const json& object, std::string path, const std::filesystem::path& file)
      : object_(object), path_(std::move(path)), file_(file) {
    if (!object_.is_object()) refuse(path_, "an object", object_);
  }

  void take(const char* key, std::string& to) const {
    if (const json* v = find(key)) to = text(*v, at(key));
  }
  void take(const char* key, double& to) const {
    if (const json* v = find(key)) to = real(*v, at(key));
  }
  void take(const char* key, bool& to) const {
    const json* v = find(key);
    if (!v) return;
    if (!v->is_boolean()) refuse(at(key), "true or false", *v);
    to = v->get<bool>();
  }
  void take(const char* key, std::uint64_t& to) const {
    const json* v = find(key);
    if (!v) return;
    if (!v->is_number_unsigned()) refuse(at(key), "a whole number that is not negative", *v);
    to = v->get<std::uint64_t>();
  }
  void take(const char* key, int& to) const {
    std::uint64_t wide = static_cast<std::uint64_t>(to);
    take(key, wide);
    if (wide > 255) refuse(at(key), "a number from 0 to 255", object_[key]);
    to = static_cast<int>(wide);
  }
  void take(const char* key, std::vector<std::string>& to) const {
    for_each(key, [&](const json& v, const std::string& path) { to.push_back(text(v, path)); });
  }
  void take(const char* key, std::vector<std::pair<std::string, std::string>>& to) const {
    const json* v = find(key);
    if (!v) return;
    const Members inner(*v, at(key), file_);
    for (const auto& item : v->items()) {
      const std::string& name = item.key();
      if (item.value().is_array()) {  // an option that was given several times
        inner.for_each(name, [&](const json& one, const std::string& path) {
          to.emplace_back(name, text(one, path));
        });
      } else {
        to.emplace_back(name, text(item.value(), inner.at(name)));
      }
    }
  }
  void take(const char* key, std::vector<std::pair<std::string, double>>& to) const {
    const json* v = find(key);
    if (!v) return;
    const Members inner(*v, at(key), file_);
    for (const auto& [name, value] : v->items()) to.emplace_back(name, real(value, inner.at(name)));
  }
  /// Calls `f` with the members of each object of a list.
  template <class F>
  void for_objects(const char* key, F&& f) const {
    for_each(key, [&](const json& v, const std::string& path) { f(Members(v, path, file_)); });
  }

 private:
  const json* find(const std::string& key) const {
    const auto found = object_.find(key);
    return found == object_.end() ? nullptr : &*found;
  }
  std::string at(const std::string& key) const { return path_.empty() ? key : path_ + "." + key; }

  template <class F>
  void for_each(const std::string& key, F&& f) const {
    const json* v = find(key);
    if (!v) return;
    if (!v->is_array()) refuse(at(key), "a list", *v);
    for (std::size_t i = 0; i < v->size(); ++i) f((*v)[i], at(key) + "[" + std::to_string(i) + "]");
  }
  std::string text(const json& v, const std::string& path) const {
    if (!v.is_string()) refuse(path, "a text", v);
    return v.get<std::string>();
  }
  /// null stands for a number that JSON does not know.
  double real(const json& v, const std::string& path) const {
    if (v.is_null()) return std::nan("");
    if (!v.is_number()) refuse(path, "a number", v);
    return v.get<double>();
  }
  [[noreturn]] void refuse(const std::string& path, const char* wanted, const json& found) const {
    constexpr std::size_t most = 40;  // characters of what was found
    std::string shown = found.dump(-1, ' ', true, json::error_handler_t::replace);
    if (shown.size() > most) shown = shown.substr(0, most) + "…";
    throw ConfigurationError(
        "V7108", file_.string() + ": \"" + path + "\" must be " + wanted + ", not " + shown);
  }

  const json& object_;
  std::string path_;
  const std::filesystem::path& file_;
};

/// The version of the format; 0: this is no manifest.
std::uint64_t version_of(const json& j) {
  const auto v = j.is_object() ? j.find("manifest") : j.end();
  return v != j.end() && v->is_number_unsigned() ? v->get<std::uint64_t>() : 0;
}

/// An option that was given several times is a list.
ordered_json options_json(const std::vector<std::pair<std::string, std::string>>& options) {
  ordered_json j = ordered_json::object();
  for (const auto& [key, value] : options) {
    ordered_json& to = j[key];
    if (to.is_null()) {
      to = value;
    } else if (to.is_array()) {
      to.push_back(value);
    } else {
      to = ordered_json::array({to, value});
    }
  }
  return j;
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
  if (m.rewound) j["rewound"] = true;
  for (const Continued& c : m.continued)
    j["continued"].push_back({{"time", number(c.time)}, {"at", c.at}});
  j["started"] = m.started;
  j["stopped"] = m.stopped;
  j["host"] = m.host;
  j["command"] = m.command;
  j["document"] = m.document;
  j["seed"] = m.seed;
  if (!m.arithmetic.empty()) j["arithmetic"] = m.arithmetic;
  if (!m.instructions.empty()) j["instructions"] = m.instructions;
  j["set"] = m.set;
  j["options"] = options_json(m.options);
  j["inputs"] = ordered_json::array();
  for (const Input& i : m.inputs) {
    j["inputs"].push_back(
        {{"file", i.file}, {"original", i.original}, {"sha256", i.sha256}, {"bytes", i.bytes}});
    if (!i.copied) j["inputs"].back()["copied"] = false;
    if (i.executed) j["inputs"].back()["executed"] = true;
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
                           {"seen", c.seen},
                           {"value", number(c.value)},
                           {"limit", number(c.limit)},
                           {"words", c.words}});
  }
  j["warnings"] = m.warnings;
  if (!m.outputs.empty()) j["outputs"] = m.outputs;
  j["statistics"] = ordered_json::object();
  for (const auto& [key, value] : m.statistics) j["statistics"][key] = number(value);
  if (!m.machine.empty()) j["machine"] = ordered_json::object();
  for (const auto& [key, value] : m.machine) j["machine"][key] = value;
  // a name that is not UTF-8 must not prevent writing the manifest
  return j.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

Manifest manifest_from_json(std::string_view text, const std::filesystem::path& name) {
  const json j = json::parse(text, nullptr, false);
  const std::uint64_t version = version_of(j);
  if (version == 0)
    throw ConfigurationError("V7108", name.string() + " is not the manifest of a run");
  if (version > manifest_version) {
    throw ConfigurationError("V7108", name.string() + " was written by a newer version of vernier");
  }
  Manifest m;
  const Members all(j, "", name);
  all.take("name", m.name);
  all.take("composition", m.composition);
  all.take("vernier", m.version);
  all.take("status", m.status);
  all.take("exit_status", m.exit_status);
  all.take("message", m.message);
  all.take("rewound", m.rewound);
  all.take("started", m.started);
  all.take("stopped", m.stopped);
  all.take("host", m.host);
  all.take("command", m.command);
  all.take("document", m.document);
  all.take("seed", m.seed);
  all.take("arithmetic", m.arithmetic);
  all.take("instructions", m.instructions);
  all.take("set", m.set);
  all.take("warnings", m.warnings);
  all.take("outputs", m.outputs);
  all.take("options", m.options);
  all.take("machine", m.machine);
  all.take("statistics", m.statistics);
  all.for_objects("continued", [&](const Members& i) {
    Continued& to = m.continued.emplace_back();
    i.take("time", to.time);
    i.take("at", to.at);
  });
  all.for_objects("inputs", [&](const Members& i) {
    Input& to = m.inputs.emplace_back();
    i.take("file", to.file);
    i.take("original", to.original);
    i.take("copied", to.copied);
    i.take("executed", to.executed);
    i.take("sha256", to.sha256);
    i.take("bytes", to.bytes);
  });
  all.for_objects("reports", [&](const Members& i) {
    Reported& to = m.reports.emplace_back();
    i.take("name", to.name);
    i.take("signal", to.signal);
    i.take("value", to.value);
    i.take("unit", to.unit);
  });
  all.for_objects("checks", [&](const Members& i) {
    Checked& to = m.checks.emplace_back();
    i.take("name", to.name);
    i.take("signal", to.signal);
    i.take("holds", to.holds);
    i.take("seen", to.seen);
    i.take("value", to.value);
    i.take("limit", to.limit);
    i.take("words", to.words);
  });
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
