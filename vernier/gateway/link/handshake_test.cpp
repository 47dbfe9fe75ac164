#include "vernier/gateway/link/handshake.hpp"

#include <gtest/gtest.h>

#include <cstring>

#include "vernier/base/random.hpp"

namespace vernier::link {
namespace {

using Act = Handshake::Act;

Hello client_hello() {
  Hello h;
  h.period = {100'000'000, 1};
  h.tx_count = 26;
  h.rx_count = 3;
  h.interface_hash = 77;
  h.ping_interval_ms = 50;
  h.name = cut("simulator");
  return h;
}
Hello server_hello() {
  Hello h;
  h.role = Role::server;
  h.period = {4'000'000, 1};
  h.tx_count = 3;
  h.rx_count = 26;
  h.interface_hash = 77;
  h.ping_timeout_ms = 2000;
  h.name = cut("facility");
  return h;
}
Handshake::Random random(std::uint32_t session, int nonce) {
  Handshake::Random r{session, 0xabcdef, {}};
  r.nonce.fill(static_cast<std::byte>(nonce));
  return r;
}
std::span<const std::byte> key(std::string_view s) { return std::as_bytes(std::span(s)); }

struct Pair {
  Pair(const Hello& c = client_hello(), const Hello& s = server_hello(), std::string_view ck = "",
       std::string_view sk = "")
      : client(c, key(ck), random(0, 1)), server(s, key(sk), random(4711, 2)) {}

  static Act carry(const Handshake& from, Handshake& to, Connection c) {
    const auto s = from.hello();
    Header h;
    h.type = s.type;
    h.session = s.session;
    return to.take(c, h, std::span(s.payload).first(s.bytes));
  }
  /// Runs as far as possible; returns the trouble of the side that refuses.
  const Trouble* run() {
    if (carry(client, server, Connection::control) != Act::send) return &server.refusal();
    if (carry(server, client, Connection::control) != Act::open_data) return &client.refusal();
    if (carry(client, server, Connection::data) != Act::up) return &server.refusal();
    if (carry(server, client, Connection::data) != Act::up) return &client.refusal();
    return nullptr;
  }
  Handshake client, server;
};

TEST(Handshake, AgreesOnTheLargerIntervalsAndTheSmallerPayload) {
  Hello c = client_hello();
  c.max_payload = 4096;
  Pair p(c);
  ASSERT_EQ(p.run(), nullptr);
  for (const Handshake* h : {&p.client, &p.server}) {
    EXPECT_EQ(h->terms().session, 4711u);
    EXPECT_EQ(h->terms().ping_interval_ms, 100u);
    EXPECT_EQ(h->terms().ping_timeout_ms, 2000u);
    EXPECT_EQ(h->terms().max_payload, 4096u);
  }
  EXPECT_EQ(p.client.terms().home_to_target, (Ratio{25, 1}));
  EXPECT_EQ(p.server.terms().home_to_target, (Ratio{1, 25}));
  EXPECT_EQ(shown(p.client.terms().peer.name), "facility");
}

TEST(Handshake, NamesWhatDoesNotFit) {
  const auto refused = [](auto change) {
    Hello c = client_hello();
    change(c);
    Pair p(c);
    const Trouble* r = p.run();
    EXPECT_NE(r, nullptr);
    return r ? *r : Trouble{};
  };
  Trouble r = refused([](Hello& h) { h.tx_count = 13; });
  EXPECT_EQ(r.reason, Reason::dimensions);
  EXPECT_STREQ(r.text.data(),
               "it sends 13 double and takes 3 double; here 26 double are taken and 3 double sent");
  EXPECT_EQ(refused([](Hello& h) { h.rx_element = Element::int8; }).reason, Reason::dimensions);
  EXPECT_EQ(refused([](Hello& h) { h.max_payload = 100; }).reason, Reason::dimensions);
  EXPECT_EQ(refused([](Hello& h) { h.interface_hash = 78; }).reason, Reason::interface);
  EXPECT_EQ(refused([](Hello& h) { h.role = Role::server; }).reason, Reason::framing);
  EXPECT_EQ(refused([](Hello& h) { h.period = {0, 1}; }).reason, Reason::framing);
  // without a hash there is no check
  Hello c = client_hello();
  c.interface_hash = 0;
  EXPECT_EQ(Pair(c).run(), nullptr);
}

TEST(Handshake, WithTheSameKeyComesUp) {
  Pair p(client_hello(), server_hello(), "open sesame", "open sesame");
  EXPECT_EQ(p.run(), nullptr);
}

TEST(Handshake, WithAnotherKeyOrNoneDoesNot) {
  const std::pair<const char*, const char*> keys[] = {
      {"open sesame", "open barley"}, {"open sesame", ""}, {"", "open sesame"}};
  for (const auto& [c, s] : keys) {
    Pair p(client_hello(), server_hello(), c, s);
    const Trouble* r = p.run();
    ASSERT_NE(r, nullptr);
    EXPECT_EQ(r->reason, Reason::key);
  }
}

TEST(Handshake, AServerThatDoesNotKnowTheKeyIsNotBelieved) {
  // a peer that reflects our own frames must not pass
  Handshake client(client_hello(), key("open sesame"), random(0, 1));
  Handshake other(server_hello(), key("guess"), random(4711, 2));
  EXPECT_EQ(Pair::carry(client, other, Connection::control), Act::send);
  EXPECT_EQ(Pair::carry(other, client, Connection::control), Act::refuse);
  EXPECT_EQ(client.refusal().reason, Reason::key);
}

TEST(Handshake, WhatWasHeardOnceOpensNothingLater) {
  Pair first(client_hello(), server_hello(), "k", "k");
  ASSERT_EQ(Pair::carry(first.client, first.server, Connection::control), Act::send);
  ASSERT_EQ(Pair::carry(first.server, first.client, Connection::control), Act::open_data);
  const auto recorded = first.client.hello();
  // another session with the same session number and token, but another server nonce
  Handshake server(server_hello(), key("k"), random(4711, 9));
  Handshake thief(client_hello(), key("k"), random(0, 1));
  ASSERT_EQ(Pair::carry(thief, server, Connection::control), Act::send);
  Header h;
  h.type = Type::hello;
  h.session = 4711;
  EXPECT_EQ(server.take(Connection::data, h, std::span(recorded.payload).first(recorded.bytes)),
            Act::refuse);
  EXPECT_EQ(server.refusal().reason, Reason::key);
}

// found by fuzzing: a changed nonce was not detected, since the first one was used
TEST(Handshake, ASideKeepsItsNonce) {
  Pair p(client_hello(), server_hello(), "k", "k");
  ASSERT_EQ(Pair::carry(p.client, p.server, Connection::control), Act::send);
  ASSERT_EQ(Pair::carry(p.server, p.client, Connection::control), Act::open_data);
  auto s = p.client.hello();
  s.payload[150] ^= std::byte{1};
  Header h;
  h.type = Type::hello;
  h.session = 4711;
  EXPECT_EQ(p.server.take(Connection::data, h, std::span(s.payload).first(s.bytes)), Act::refuse);
  EXPECT_EQ(p.server.refusal().reason, Reason::key);
}

TEST(Handshake, RefusesAnOrderThatIsNone) {
  {
    Pair p;  // data first
    EXPECT_EQ(Pair::carry(p.client, p.server, Connection::data), Act::refuse);
  }
  {
    Pair p;  // control twice
    EXPECT_EQ(Pair::carry(p.client, p.server, Connection::control), Act::send);
    EXPECT_EQ(Pair::carry(p.client, p.server, Connection::control), Act::refuse);
  }
  {
    Pair p;  // a data connection with another token
    ASSERT_EQ(Pair::carry(p.client, p.server, Connection::control), Act::send);
    ASSERT_EQ(Pair::carry(p.server, p.client, Connection::control), Act::open_data);
    auto s = p.client.hello();
    s.payload[48] ^= std::byte{1};
    Header h;
    h.type = Type::hello;
    h.session = 4711;
    EXPECT_EQ(p.server.take(Connection::data, h, std::span(s.payload).first(s.bytes)), Act::refuse);
    EXPECT_EQ(p.server.refusal().reason, Reason::token);
  }
  {
    Pair p;  // a client whose two connections differ
    ASSERT_EQ(Pair::carry(p.client, p.server, Connection::control), Act::send);
    ASSERT_EQ(Pair::carry(p.server, p.client, Connection::control), Act::open_data);
    auto s = p.client.hello();
    s.payload[64] ^= std::byte{1};  // the name
    Header h;
    h.type = Type::hello;
    h.session = 4711;
    EXPECT_EQ(p.server.take(Connection::data, h, std::span(s.payload).first(s.bytes)), Act::refuse);
  }
}

TEST(Handshake, AFarewellEndsItWithTheOtherSidesReason) {
  Pair p;
  std::array<std::byte, longest_bye> room;
  const std::size_t n = write_bye(bye(Reason::busy, "another client is connected"), room);
  Header h;
  h.type = Type::bye;
  EXPECT_EQ(p.client.take(Connection::control, h, std::span(room).first(n)), Act::refuse);
  EXPECT_TRUE(p.client.refusal().theirs);
  EXPECT_EQ(p.client.refusal().reason, Reason::busy);
}

}  // namespace
}  // namespace vernier::link
