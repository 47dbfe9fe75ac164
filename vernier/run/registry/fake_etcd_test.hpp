#pragma once

#include <array>
#include <atomic>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>

#include "vernier/base/base64.hpp"
#include "vernier/net/socket.hpp"
#include "vernier/net/stream.hpp"

namespace vernier::registry {

/// A member of a cluster of etcd, as far as a registry needs it: leases end only when they are
/// revoked, or by expire(). And faults.
class FakeEtcd {
 public:
  enum class Fault { none, no_leader, garbage, endless, trickle, silent, closes, deaf };

  FakeEtcd() {
    listener_ = std::move(*net::listening({"127.0.0.1", "0"}, 64));
    thread_ = std::thread([this] { serve(); });
  }
  ~FakeEtcd() {
    over_.ring();
    thread_.join();
  }
  net::Address address() const { return {"127.0.0.1", std::to_string(net::port_of(listener_))}; }
  /// From the next question on; `times`: for so many of them.
  void set(Fault f, int times = 1 << 30) {
    const std::lock_guard lock(mutex_);
    fault_ = f;
    times_ = times;
  }
  /// Does what it is asked there the next time, and closes the connection without an answer.
  void lose_answer(const std::string& target) {
    const std::lock_guard lock(mutex_);
    lost_ = target;
  }
  void expire() {
    const std::lock_guard lock(mutex_);
    leases_.clear();
    drop();
  }
  void erase(const std::string& key) {
    const std::lock_guard lock(mutex_);
    keys_.erase(key);
  }
  void write(const std::string& key, const std::string& value) {
    const std::lock_guard lock(mutex_);
    keys_[key] = {value, ++revision_, 0};
  }
  std::string value(const std::string& key) {
    const std::lock_guard lock(mutex_);
    const auto found = keys_.find(key);
    return found == keys_.end() ? "" : found->second.value;
  }

 private:
  using json = nlohmann::json;
  struct Key {
    std::string value;
    std::uint64_t created = 0;
    std::int64_t lease = 0;
  };

  void serve() {
    while (auto fd = net::accepted(listener_, net::forever, over_.descriptor())) {
      net::Stream s(std::move(*fd));
      answer(s);
    }
  }

  /// False: the peer, or this test, has ended.
  bool wait(net::Stream& s, std::uint32_t what) {
    return !net::wait_for(s.descriptor(), what, net::forever, over_.descriptor()).woken;
  }
  bool say(net::Stream& s, const std::string& text) {
    for (Bytes rest = std::as_bytes(std::span(text)); !rest.empty();) {
      const auto moved = s.write(rest);
      rest = rest.subspan(moved.bytes);
      if (moved.state == net::Stream::State::closed) return false;
      if (moved.state != net::Stream::State::done && !wait(s, net::writable)) return false;
    }
    return true;
  }
  /// Until the body is complete; empty: the peer has gone.
  std::string question(net::Stream& s) {
    std::string text;
    std::array<std::byte, 4096> part;
    while (true) {
      const auto moved = s.read(part);
      text.append(reinterpret_cast<const char*>(part.data()), moved.bytes);
      const std::size_t end = text.find("\r\n\r\n"), length = text.find("Content-Length: ");
      if (end != text.npos && text.size() >= end + 4 + std::stoul(text.substr(length + 16)))
        return text;
      if (moved.state == net::Stream::State::closed) return {};
      if (moved.state != net::Stream::State::done && !wait(s, net::readable)) return {};
    }
  }

  void answer(net::Stream& s) {
    Fault f = Fault::none;
    {
      const std::lock_guard lock(mutex_);
      if (times_ > 0 && times_-- > 0) f = fault_;
    }
    if (f == Fault::deaf) {
      static_cast<void>(wait(s, net::hung_up));
      return;
    }
    const std::string text = question(s);
    const std::string head = "HTTP/1.0 200 OK\r\nContent-Type: application/json\r\n\r\n";
    switch (f) {
      case Fault::none: {
        const std::string said = head + done(text);
        if (!text.empty() && !loses(text)) say(s, said);
        break;
      }
      case Fault::no_leader:
        say(s,
            "HTTP/1.0 503 Service Unavailable\r\n\r\n"
            "{\"error\":\"etcdserver: no leader\",\"code\":14}");
        break;
      case Fault::garbage:
        say(s, "220 mail.example.org ESMTP\r\n");
        break;
      case Fault::endless:
        for (bool good = say(s, head); good;) good = say(s, std::string(1 << 20, ' '));
        break;
      case Fault::trickle:
        for (bool good = say(s, head); good;)
          good =
              say(s, " ") && !net::wait_for(-1, 0, net::Clock::now() + std::chrono::milliseconds(5),
                                            over_.descriptor())
                                  .woken;
        break;
      case Fault::silent:
        while (wait(s, net::readable)) {
          std::array<std::byte, 16> part;
          if (s.read(part).state == net::Stream::State::closed) break;
        }
        break;
      case Fault::closes:
      case Fault::deaf:
        break;
    }
  }

  bool loses(const std::string& text) {
    const std::lock_guard lock(mutex_);
    const bool now = !lost_.empty() && text.starts_with("POST " + lost_ + " ");
    if (now) lost_.clear();
    return now;
  }

  static std::string bytes(const json& j, const char* key) {
    return from_base64(j.value(key, "")).value_or("");
  }
  void drop() {
    std::erase_if(keys_, [this](const auto& k) {
      return k.second.lease != 0 && !leases_.contains(k.second.lease);
    });
  }
  json pairs(const std::string& from, const std::string& to) {
    json list = json::array();
    for (const auto& [key, k] : keys_)
      if (key == from || (key >= from && key < to))
        list.push_back({{"key", base64(key)},
                        {"value", base64(k.value)},
                        {"create_revision", std::to_string(k.created)},
                        {"lease", std::to_string(k.lease)}});
    return list;
  }

  std::string done(const std::string& text) {
    const std::lock_guard lock(mutex_);
    const json j = json::parse(text.substr(text.find("\r\n\r\n") + 4), nullptr, false);
    json r{{"header", {{"revision", std::to_string(revision_)}}}};
    const auto asks = [&](const char* target) {
      return text.starts_with(std::string("POST ") + target + " ");
    };
    if (asks("/v3/lease/grant")) {
      leases_[++last_lease_] = j.value("TTL", "");
      r["ID"] = std::to_string(last_lease_);
      r["TTL"] = j.value("TTL", "");
    } else if (asks("/v3/lease/keepalive")) {
      const auto id = std::stoll(j.value("ID", "0"));
      r["ID"] = std::to_string(id);
      if (leases_.contains(id)) r["TTL"] = leases_[id];
      r = {{"result", r}};
    } else if (asks("/v3/lease/revoke")) {
      leases_.erase(std::stoll(j.value("ID", "0")));
      drop();
    } else if (asks("/v3/kv/range")) {
      r["kvs"] = pairs(bytes(j, "key"), bytes(j, "range_end"));
    } else if (asks("/v3/kv/txn")) {
      const json& c = j["compare"][0];
      const auto found = keys_.find(bytes(c, "key"));
      const std::uint64_t created = found == keys_.end() ? 0 : found->second.created;
      const bool holds = std::to_string(created) == c.value("create_revision", "");
      if (holds) r["succeeded"] = true;
      r["responses"] = json::array();
      for (const json& one : j[holds ? "success" : "failure"]) take(one, r);
      r["header"]["revision"] = std::to_string(revision_);
    }
    return r.dump();
  }
  void take(const json& one, json& r) {
    if (one.contains("request_put")) {
      const json& p = one["request_put"];
      Key& k = keys_[bytes(p, "key")];
      ++revision_;
      if (k.created == 0) k.created = revision_;
      k.value = bytes(p, "value");
      k.lease = std::stoll(p.value("lease", "0"));
    } else if (one.contains("request_delete_range")) {
      keys_.erase(bytes(one["request_delete_range"], "key"));
    } else if (one.contains("request_range")) {
      const std::string key = bytes(one["request_range"], "key");
      r["responses"].push_back({{"response_range", {{"kvs", pairs(key, key)}}}});
    }
  }

  Descriptor listener_;
  net::Wake over_;
  std::mutex mutex_;
  Fault fault_ = Fault::none;
  int times_ = 0;
  std::string lost_;
  std::map<std::string, Key> keys_;
  std::map<std::int64_t, std::string> leases_;
  std::uint64_t revision_ = 1;
  std::int64_t last_lease_ = 7587;
  std::thread thread_;
};

}  // namespace vernier::registry
