#include "vernier/run/registry/record.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace vernier::registry {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

constexpr std::uint64_t format = 1;
constexpr std::size_t most_nodes = 1024;

/// Reads members of objects; after the first mismatch `why` says what is wrong.
struct Reader {
  std::string why;

  void refuse(const std::string& what) {
    if (why.empty()) why = what;
  }
  const json* find(const json& object, const char* key, bool needed) {
    if (!object.is_object()) {
      refuse("there is no object");
      return nullptr;
    }
    const auto found = object.find(key);
    if (found != object.end()) return &*found;
    if (needed) refuse(std::string("\"") + key + "\" is missing");
    return nullptr;
  }
  void take(const json& object, const char* key, std::string& to, bool needed = true) {
    const json* v = find(object, key, needed);
    if (!v) return;
    if (!v->is_string()) return refuse(std::string("\"") + key + "\" is not a text");
    to = v->get<std::string>();
  }
  void take(const json& object, const char* key, std::uint64_t& to) {
    const json* v = find(object, key, true);
    if (!v) return;
    if (!v->is_number_unsigned())
      return refuse(std::string("\"") + key + "\" is not a whole number");
    to = v->get<std::uint64_t>();
  }
  void take(const json& object, const char* key, std::int64_t& to) {
    const json* v = find(object, key, true);
    if (!v) return;
    const bool fits = v->is_number_integer() &&
                      (!v->is_number_unsigned() || v->get<std::uint64_t>() <= INT64_MAX);
    if (!fits) return refuse(std::string("\"") + key + "\" is not a whole number");
    to = v->get<std::int64_t>();
  }
  /// Calls `f` with each member of a list, which may be missing.
  template <class F>
  void each(const json& object, const char* key, const F& f) {
    const json* v = find(object, key, false);
    if (!v) return;
    if (!v->is_array()) return refuse(std::string("\"") + key + "\" is not a list");
    for (const json& one : *v)
      if (why.empty()) f(one);
  }
};

/// The object in a text; discarded if there is none.
json parsed(std::string_view text) {
  if (text.size() > longest_record) return json(json::value_t::discarded);
  json j = json::parse(text, nullptr, false);
  return j.is_object() ? j : json(json::value_t::discarded);
}

std::string dumped(const ordered_json& j, int indent) {
  return j.dump(indent, ' ', false, ordered_json::error_handler_t::replace);
}

bool is_digest(std::string_view text) noexcept {
  return text.size() == 64 && text.find_first_not_of("0123456789abcdef") == text.npos;
}

}  // namespace

bool is_run_name(std::string_view name) noexcept {
  return !name.empty() && name.size() <= 100 && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '_' || c == '-';
  });
}

std::string to_json(const Leader& l) {
  return dumped({{"host", l.host}, {"process", l.process}}, -1);
}

Result<Leader, std::string> leader_of(std::string_view text) {
  const json j = parsed(text);
  Leader l;
  Reader read;
  read.take(j, "host", l.host);
  read.take(j, "process", l.process);
  if (!read.why.empty()) return Failure{read.why};
  return l;
}

std::string to_json(const Record& r) {
  ordered_json j{{"record", format},
                 {"run", r.run},
                 {"epoch", r.leader.epoch},
                 {"host", r.leader.host},
                 {"process", r.leader.process},
                 {"version", r.version},
                 {"folder", r.folder},
                 {"document", r.document},
                 {"nodes", ordered_json::array()}};
  for (const RunNode& n : r.nodes)
    j["nodes"].push_back({{"name", n.name}, {"address", n.address}, {"parts", n.parts}});
  if (const auto& c = r.checkpoint)
    j["checkpoint"] = {{"file", c->file}, {"time_ns", c->time}, {"sha256", c->sha256}};
  return dumped(j, 2) + "\n";
}

Result<Record, std::string> record_of(std::string_view text) {
  const json j = parsed(text);
  Record r;
  Reader read;
  std::uint64_t version = 0;
  read.take(j, "record", version);
  if (read.why.empty() && version != format) read.refuse("it has another version");
  read.take(j, "run", r.run);
  if (!is_run_name(r.run)) read.refuse("\"run\" is not the name of a run");
  read.take(j, "epoch", r.leader.epoch);
  read.take(j, "host", r.leader.host);
  read.take(j, "process", r.leader.process);
  read.take(j, "version", r.version);
  read.take(j, "folder", r.folder);
  read.take(j, "document", r.document);
  read.each(j, "nodes", [&](const json& one) {
    if (r.nodes.size() == most_nodes) return read.refuse("it has too many nodes");
    RunNode& n = r.nodes.emplace_back();
    read.take(one, "name", n.name);
    read.take(one, "address", n.address);
    read.each(one, "parts", [&](const json& part) {
      if (!part.is_string()) return read.refuse("a part is not a text");
      n.parts.push_back(part.get<std::string>());
    });
  });
  if (const json* c = j.is_object() ? read.find(j, "checkpoint", false) : nullptr) {
    RunCheckpoint& to = r.checkpoint.emplace();
    read.take(*c, "file", to.file);
    read.take(*c, "time_ns", to.time);
    read.take(*c, "sha256", to.sha256);
    if (!is_digest(to.sha256)) read.refuse("\"sha256\" is not a digest");
  }
  if (!read.why.empty()) return Failure{read.why};
  return r;
}

}  // namespace vernier::registry
