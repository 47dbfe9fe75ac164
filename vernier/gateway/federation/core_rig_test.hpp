#pragma once

#include <gtest/gtest.h>

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "vernier/gateway/federation/callbacks.hpp"
#include "vernier/gateway/federation/core.hpp"
#include "vernier/gateway/federation/core_fom_test.hpp"
#include "vernier/gateway/federation/requests.hpp"

/// Federates that consist only of their messages, on a core without sockets.
namespace vernier::federation::rig {

class Recorder final : public Peer {
 public:
  void put(const Frame& f) override { frames.push_back(f); }
  std::size_t backlog() const noexcept override { return behind; }
  void give_up(std::string_view why) override { given_up = why; }

  std::deque<Frame> frames;
  std::size_t behind = 0;
  std::string given_up;  // why
};

inline Bytes bytes_of(std::string_view s) { return std::as_bytes(std::span(s)); }
inline Blob blob_of(std::string_view s) {
  const Bytes b = bytes_of(s);
  return {b.begin(), b.end()};
}
inline std::string text_of(Bytes b) { return {reinterpret_cast<const char*>(b.data()), b.size()}; }

/// Values that own their bytes.
struct Packed {
  Blob raw;
  std::uint32_t count = 0;
  Packed& add(Handle number, std::string_view value) {
    Writer w(raw);
    w(number, bytes_of(value));
    ++count;
    return *this;
  }
  operator Values() const { return {count, raw}; }
};

class Player {
 public:
  explicit Player(Core& core) : core_(core), connection(core.open(peer)) {}

  /// Sends a request and returns the failure in its answer.
  template <class M>
  Failure ask(const M& m) {
    const std::uint32_t sequence = ++sequence_;
    EXPECT_TRUE(core_.take(connection, *frame(m, sequence)));
    // other frames may precede the answer
    for (auto at = peer.frames.begin(); at != peer.frames.end(); ++at) {
      if (header(**at)->kind != Kind::answer || header(**at)->sequence != sequence) continue;
      EXPECT_TRUE(read(**at, answer));
      peer.frames.erase(at);
      return answer.failure;
    }
    ADD_FAILURE() << "no answer";
    return Failure::RTIinternalError;
  }
  /// Sends a request that must succeed.
  template <class M>
  void must(const M& m) {
    EXPECT_EQ(name_of(ask(m)), "none") << answer.text;
  }
  template <class Body>
  Body body() const {
    Body b;
    Reader r(answer.body);
    r(b);
    EXPECT_TRUE(r.complete());
    return b;
  }
  /// Sends a message without an answer.
  template <class M>
  void say(const M& m) {
    EXPECT_TRUE(core_.take(connection, *frame(m)));
  }

  void create(const std::string& federation = "F", TimeKind time = TimeKind::integer64) {
    must(CreateFederation{federation, {{"small.xml", small_fom}}, {}, time});
  }
  void join(const std::string& name, const std::string& federation = "F",
            std::vector<Document> modules = {}) {
    must(Join{name, "type", federation, std::move(modules)});
    joined = body<Joined>();
    Reader r(joined.tables);
    r(tables);
    EXPECT_TRUE(r.complete());
  }

  /// The next frame must be of this kind.
  template <class M>
  M next() {
    M m;
    if (peer.frames.empty()) {
      ADD_FAILURE() << "nothing came";
      return m;
    }
    last = peer.frames.front();
    peer.frames.pop_front();
    EXPECT_EQ(header(*last)->kind, M::kind);
    EXPECT_TRUE(header(*last)->kind != M::kind || read(*last, m));
    return m;
  }
  bool quiet() const { return peer.frames.empty(); }

  Handle object_class(const std::string& name) const {
    return index(tables.object_classes,
                 [&](const auto& c) { return c.path.ends_with("." + name); });
  }
  Handle interaction_class(const std::string& name) const {
    return index(tables.interaction_classes,
                 [&](const auto& c) { return c.path.ends_with("." + name); });
  }
  Handle attribute(const std::string& name) const {
    return index(tables.attributes, [&](const auto& a) { return a.name == name; });
  }
  Handle parameter(const std::string& name) const {
    return index(tables.parameters, [&](const auto& p) { return p.name == name; });
  }

  void publish(const std::string& of, const Numbers& attributes) {
    must(PublishAttributes{object_class(of), attributes});
  }
  void subscribe(const std::string& of, const Numbers& attributes, bool active = true,
                 const std::string& rate = "") {
    must(SubscribeAttributes{object_class(of), {{attributes, {}}}, active, rate, false});
  }
  Handle register_object(const std::string& of, std::optional<std::string> name = {}) {
    must(RegisterObject{object_class(of), std::move(name), {}, false});
    return body<Registered>().object;
  }
  void update(Handle object, const Packed& values, std::optional<std::int64_t> time = {},
              std::uint32_t retraction = 0) {
    UpdateAttributes u;
    u.object = object;
    u.values = values;
    if (time) u.time = Stamp{*time};
    u.retraction = retraction;
    say(u);
  }

  Recorder peer;
  Joined joined;
  FomTables tables;
  Answer answer;
  Frame last;

 private:
  template <class All, class F>
  static Handle index(const All& all, F is) {
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (is(all[i])) return static_cast<Handle>(i + 1);
    }
    ADD_FAILURE() << "not in the FOM";
    return 0;
  }

  Core& core_;
  std::uint32_t sequence_ = 0;

 public:
  Connection connection;
};

/// A federation "F" and federates named A, B, C, …
struct Stage {
  explicit Stage(int federates, CoreSettings settings = {}) : core(std::move(settings)) {
    for (int i = 0; i < federates; ++i) {
      players.push_back(std::make_unique<Player>(core));
      if (i == 0) players.back()->create();
      players.back()->join(std::string(1, static_cast<char>('A' + i)));
    }
  }
  Player& operator[](std::size_t i) { return *players[i]; }

  Core core;
  std::vector<std::unique_ptr<Player>> players;
};

/// "4:abc 5:d": numbers and bytes.
inline std::string shown(const Values& v) {
  std::string s;
  EXPECT_TRUE(for_each(v, [&](Handle n, Bytes b) {
    s += (s.empty() ? "" : " ") + std::to_string(n) + ":" + text_of(b);
  }));
  return s;
}

}  // namespace vernier::federation::rig
