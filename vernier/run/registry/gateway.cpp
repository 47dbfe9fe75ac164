#include "vernier/run/registry/gateway.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "vernier/base/base64.hpp"
#include "vernier/base/text.hpp"
#include "vernier/net/http.hpp"

namespace vernier::registry::gateway {
namespace {

using nlohmann::json;

Question question(const char* target, const json& body) {
  return {target, body.dump(-1, ' ', false, json::error_handler_t::replace)};
}

/// 64-bit numbers are texts there.
std::string number(std::uint64_t n) { return std::to_string(n); }

json created_at(std::string_view key, std::uint64_t revision) {
  return {{"key", base64(key)},
          {"target", "CREATE"},
          {"result", "EQUAL"},
          {"create_revision", number(revision)}};
}

Question transaction(const json& condition, json then, json otherwise = json::array()) {
  return question("/v3/kv/txn", {{"compare", json::array({condition})},
                                 {"success", std::move(then)},
                                 {"failure", std::move(otherwise)}});
}

/// The first text that is after all texts that begin with this one.
std::string after(std::string_view prefix) {
  std::string end(prefix);
  ++end.back();  // a prefix ends with '/'
  return end;
}

/// Reads members; ok is false after the first that is not of its type.
struct Reader {
  bool ok = true;

  const json* find(const json& object, const char* key) {
    if (!object.is_object()) {
      ok = false;
      return nullptr;
    }
    const auto found = object.find(key);
    return found == object.end() ? nullptr : &*found;
  }
  std::int64_t whole(const json& object, const char* key) {
    const json* v = find(object, key);
    if (!v) return 0;
    if (v->is_string()) {
      const auto read = parsed_integer(v->get_ref<const std::string&>());
      ok &= read.has_value();
      return read.value_or(0);
    }
    const bool fits = v->is_number_integer() &&
                      (!v->is_number_unsigned() || v->get<std::uint64_t>() <= INT64_MAX);
    ok &= fits;
    return fits ? v->get<std::int64_t>() : 0;
  }
  std::uint64_t revision(const json& object, const char* key) {
    const std::int64_t n = whole(object, key);
    ok &= n >= 0;
    return n < 0 ? 0 : static_cast<std::uint64_t>(n);
  }
  std::string bytes(const json& object, const char* key) {
    const json* v = find(object, key);
    if (!v) return {};
    auto decoded = v->is_string() ? from_base64(v->get_ref<const std::string&>()) : std::nullopt;
    ok &= decoded.has_value();
    return decoded ? std::move(*decoded) : std::string();
  }
  const json& list(const json& object, const char* key) {
    static const json none = json::array();
    const json* v = find(object, key);
    if (!v) return none;
    ok &= v->is_array();
    return v->is_array() ? *v : none;
  }
  void pairs(const json& range, std::vector<KeyValue>& to) {
    for (const json& one : list(range, "kvs")) {
      to.push_back({bytes(one, "key"), bytes(one, "value"), revision(one, "create_revision"),
                    whole(one, "lease")});
      if (!ok) return;
    }
  }
};

bool take(const json& j, Reply& r) {
  Reader read;
  if (!r.good()) {
    r.code = read.whole(j, "code");
    const json* error = read.find(j, "error");
    if (!error || !error->is_string()) return false;
    r.error = error->get<std::string>();
    return read.ok;
  }
  const json* inner = read.find(j, "result");  // of a stream
  const json& from = inner ? *inner : j;
  const json* header = read.find(from, "header");
  if (!header) return false;  // every good answer has one
  r.revision = read.revision(*header, "revision");
  r.lease = read.whole(from, "ID");
  r.life = read.whole(from, "TTL");
  if (const json* s = read.find(from, "succeeded")) {
    if (!s->is_boolean()) return false;
    r.succeeded = s->get<bool>();
  }
  read.pairs(from, r.found);
  for (const json& one : read.list(from, "responses"))
    if (const json* range = read.find(one, "response_range")) read.pairs(*range, r.found);
  return read.ok;
}

}  // namespace

Question grant(std::chrono::seconds life) {
  return question("/v3/lease/grant", {{"TTL", std::to_string(life.count())}});
}
Question keep_alive(std::int64_t lease) {
  return question("/v3/lease/keepalive", {{"ID", std::to_string(lease)}});
}
Question revoke(std::int64_t lease) {
  return question("/v3/lease/revoke", {{"ID", std::to_string(lease)}});
}

Question create(std::string_view key, std::string_view value, std::int64_t lease) {
  const json put{{"key", base64(key)}, {"value", base64(value)}, {"lease", std::to_string(lease)}};
  return transaction(created_at(key, 0), json::array({{{"request_put", put}}}),
                     json::array({{{"request_range", {{"key", base64(key)}}}}}));
}

Question hold(std::string_view guard, std::uint64_t revision) {
  return transaction(created_at(guard, revision), json::array());
}

Question put(std::string_view guard, std::uint64_t revision, std::string_view key,
             std::string_view value) {
  const json put{{"key", base64(key)}, {"value", base64(value)}};
  return transaction(created_at(guard, revision), json::array({{{"request_put", put}}}));
}

Question remove(std::string_view guard, std::uint64_t revision, std::string_view key) {
  return transaction(created_at(guard, revision),
                     json::array({{{"request_delete_range", {{"key", base64(key)}}}}}));
}

Question remove_unless(std::string_view guard, std::string_view key) {
  return remove(guard, 0, key);
}

Question all(std::string_view prefix) {
  return question("/v3/kv/range", {{"key", base64(prefix)}, {"range_end", base64(after(prefix))}});
}

bool Reply::elsewhere() const noexcept {
  // gRPC: cancelled, unknown, deadline exceeded, resource exhausted, aborted, internal,
  // unavailable, data loss
  static constexpr std::int64_t codes[] = {1, 2, 4, 8, 10, 13, 14, 15};
  return !good() && (status >= 500 || std::ranges::find(codes, code) != std::end(codes));
}

Result<Reply, std::string> reply_of(Bytes bytes) {
  const auto http = net::http::response_of(bytes);
  if (!http) return Failure{std::string("it does not answer as HTTP does, or not completely")};
  Reply r;
  r.status = http->status;
  const json j = json::parse(http->body, nullptr, false);
  if (!j.is_object() || !take(j, r))
    return Failure{"it does not answer as etcd does (HTTP status " + std::to_string(r.status) +
                   ")"};
  return r;
}

}  // namespace vernier::registry::gateway
