#include "vernier/gateway/link/handshake.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "vernier/base/codec.hpp"
#include "vernier/net/secret.hpp"

namespace vernier::link {
namespace {

const char* name(Element e) noexcept {
  switch (e) {
    case Element::real:
      return "double";
    case Element::int8:
      return "int8";
    case Element::uint8:
      return "uint8";
    case Element::none:
      break;
  }
  return "none";
}

/// A client's two requests must be equal except for the fields that pair them.
bool same_side(Hello a, const Hello& b) noexcept {
  a.connection = b.connection;
  a.token = b.token;
  a.nonce = b.nonce;
  a.proof = b.proof;
  return a == b;
}

}  // namespace

Handshake::Handshake(const Hello& mine, std::span<const std::byte> key, const Random& random)
    : mine_(mine), key_(key.begin(), key.end()), random_(random) {
  if (key_.empty()) {
    mine_.capabilities &= static_cast<std::uint16_t>(~authenticates);
  } else {
    mine_.capabilities |= authenticates;
  }
  (mine_.role == Role::client ? client_nonce_ : server_nonce_) = random.nonce;
}

Handshake::Act Handshake::refuse(Reason r, const char* text) noexcept {
  state_ = State::refused;
  refusal_.reason = r;
  refusal_.theirs = false;
  std::snprintf(refusal_.text.data(), refusal_.text.size(), "%s", text);
  return Act::refuse;
}

Digest Handshake::proof(const char* who, const Hello& h) const noexcept {
  // The proof covers role, connection, session and the whole message; both nonces make it unique,
  // which prevents replay.
  std::array<std::byte, signed_hello_bytes> payload;
  write_hello(h, payload);
  std::array<char, 16> name{};
  std::memcpy(name.data(), who, std::min(std::strlen(who), name.size()));
  std::array<std::byte, 16 + 4 + 32 + 32 + hello_bytes> message;
  SpanWriter w(message);
  w(name, terms_.session, client_nonce_, server_nonce_);
  w.raw(std::span(payload).first(hello_bytes));
  return net::authentication(key_, message);
}

Handshake::Saying Handshake::hello() const noexcept {
  Saying s;
  Hello h = mine_;
  h.connection = speaking_;
  h.nonce = random_.nonce;
  const bool server = h.role == Role::server;
  if (server) {
    h.max_payload = terms_.max_payload;
    h.ping_interval_ms = terms_.ping_interval_ms;
    h.ping_timeout_ms = terms_.ping_timeout_ms;
    h.delay_interval_ms = terms_.delay_interval_ms;
    h.token = random_.token;
  } else if (speaking_ == Connection::data) {
    h.token = terms_.peer.token;
  }
  // a client's first message cannot contain a proof: it does not have the server's nonce yet
  if (!key_.empty() && (server || speaking_ == Connection::data)) {
    h.proof = proof(server ? "SCP1 server" : "SCP1 client", h);
  }
  s.type = server ? Type::hello_ack : Type::hello;
  s.session = terms_.session;
  s.bytes = write_hello(h, s.payload);
  return s;
}

bool Handshake::fits(const Hello& h) noexcept {
  char text[121];
  if (h.role == mine_.role) {
    refuse(Reason::framing,
           h.role == Role::client ? "both sides are clients" : "both sides are servers");
    return false;
  }
  if (((h.capabilities & authenticates) != 0) != !key_.empty()) {
    refuse(Reason::key, key_.empty() ? "a key is given there, and none here"
                                     : "a key is wanted here, and none is given there");
    return false;
  }
  if (h.tx_count != mine_.rx_count || h.tx_element != mine_.rx_element ||
      h.rx_count != mine_.tx_count || h.rx_element != mine_.tx_element) {
    std::snprintf(text, sizeof text,
                  "it sends %u %s and takes %u %s; here %u %s are taken and %u %s sent", h.tx_count,
                  name(h.tx_element), h.rx_count, name(h.rx_element), mine_.rx_count,
                  name(mine_.rx_element), mine_.tx_count, name(mine_.tx_element));
    refuse(Reason::dimensions, text);
    return false;
  }
  if (h.interface_hash != 0 && mine_.interface_hash != 0 &&
      h.interface_hash != mine_.interface_hash) {
    std::snprintf(text, sizeof text, "the interface is %016llx there and %016llx here",
                  static_cast<unsigned long long>(h.interface_hash),
                  static_cast<unsigned long long>(mine_.interface_hash));
    refuse(Reason::interface, text);
    return false;
  }
  const auto r = ratio(mine_.period, h.period);
  if (!r) {
    refuse(Reason::dimensions, "the ratio of the sample times is no ratio of whole numbers");
    return false;
  }
  terms_.home_to_target = *r;
  terms_.max_payload = std::min(mine_.max_payload, h.max_payload);
  const std::size_t needed = std::max(mine_.tx_count * size_of(mine_.tx_element),
                                      mine_.rx_count * size_of(mine_.rx_element));
  if (needed > terms_.max_payload) {
    refuse(Reason::dimensions, "the vectors are longer than the longest payload");
    return false;
  }
  return true;
}

Handshake::Act Handshake::take_request(Connection c, const Header& header,
                                       const Hello& h) noexcept {
  if (c == Connection::control) {
    if (state_ != State::greeting || header.session != 0)
      return refuse(Reason::framing, "HELLO at the wrong time");
    if (!fits(h)) return Act::refuse;
    terms_.peer = h;
    terms_.session = random_.session;
    terms_.ping_interval_ms = std::max(mine_.ping_interval_ms, h.ping_interval_ms);
    terms_.ping_timeout_ms = std::max(mine_.ping_timeout_ms, h.ping_timeout_ms);
    terms_.delay_interval_ms = std::max(mine_.delay_interval_ms, h.delay_interval_ms);
    client_nonce_ = h.nonce;
    speaking_ = Connection::control;
    state_ = State::pairing;
    return Act::send;
  }
  if (state_ != State::pairing) return refuse(Reason::framing, "HELLO at the wrong time");
  if (header.session != terms_.session || h.token != random_.token)
    return refuse(Reason::token, "no such session");
  if (!same_side(terms_.peer, h))
    return refuse(Reason::framing, "the two connections do not say the same");
  if (!key_.empty() && (h.nonce != client_nonce_ || !net::same(h.proof, proof("SCP1 client", h))))
    return refuse(Reason::key, "the key is not the same on both sides");
  speaking_ = Connection::data;
  state_ = State::done;
  return Act::up;
}

Handshake::Act Handshake::take_answer(Connection c, const Header& header, const Hello& h) noexcept {
  const bool first = state_ == State::greeting;
  if (state_ == State::done || c != (first ? Connection::control : Connection::data) ||
      header.session == 0 || (!first && header.session != terms_.session)) {
    return refuse(Reason::framing, "HELLO_ACK at the wrong time");
  }
  if (!fits(h)) return Act::refuse;
  if (!first && !same_side(terms_.peer, h))
    return refuse(Reason::framing, "the two connections do not say the same");
  terms_.session = header.session;
  terms_.ping_interval_ms = h.ping_interval_ms;
  terms_.ping_timeout_ms = h.ping_timeout_ms;
  terms_.delay_interval_ms = h.delay_interval_ms;
  if (first) server_nonce_ = h.nonce;
  if (!key_.empty() && (h.nonce != server_nonce_ || !net::same(h.proof, proof("SCP1 server", h))))
    return refuse(Reason::key, "the key is not the same on both sides");
  terms_.peer = h;
  if (first) {
    speaking_ = Connection::data;
    state_ = State::pairing;
    return Act::open_data;
  }
  state_ = State::done;
  return Act::up;
}

Handshake::Act Handshake::take(Connection c, const Header& header,
                               std::span<const std::byte> payload) noexcept {
  if (state_ == State::refused) return Act::refuse;
  if (header.type == Type::bye) {
    const auto b = read_bye(payload);
    refuse(b ? b->reason : Reason::framing, b ? b->text.data() : "");
    refusal_.theirs = true;
    return Act::refuse;
  }
  const bool server = mine_.role == Role::server;
  if (header.type != (server ? Type::hello : Type::hello_ack))
    return refuse(Reason::framing, server ? "expected HELLO" : "expected HELLO_ACK");
  const auto h = read_hello(payload);
  if (!h || h->connection != c) return refuse(Reason::framing, "invalid HELLO");
  return server ? take_request(c, header, *h) : take_answer(c, header, *h);
}

}  // namespace vernier::link
