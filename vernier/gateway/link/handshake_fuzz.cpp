// A handshake with an adversary: some frames are those of an honest peer, some are modified, the
// rest is arbitrary. No crash; with a key, a side comes up only if it received nothing but honest
// frames.
#include <algorithm>
#include <cstdint>
#include <cstdlib>

#include "vernier/gateway/link/handshake.hpp"

using namespace vernier::link;

namespace {

void check(bool holds) {
  if (!holds) std::abort();
}

Hello hello(Role role) {
  Hello h;
  h.role = role;
  h.period = role == Role::client ? Period{100'000'000, 3} : Period{4'000'000, 1};
  h.tx_count = h.rx_count = 3;
  return h;
}

/// Bytes without meaning: reserved ones, and token and proof in a client's first message.
bool ignored(std::size_t at, bool first) {
  return at == 30 || at == 31 || (at >= 44 && at < 48) ||
         (first && ((at >= 48 && at < 56) || at >= 160));
}

/// Takes numbers from the input until it is used up.
struct Source {
  std::span<const std::uint8_t> rest;
  std::uint8_t next() {
    if (rest.empty()) return 0;
    const std::uint8_t b = rest.front();
    rest = rest.subspan(1);
    return b;
  }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Source in{{data, size}};
  const std::uint8_t setup = in.next();
  const bool with_key = (setup & 1) != 0;
  const std::array<std::byte, 5> key{std::byte{'s'}, std::byte{'e'}, std::byte{'s'}, std::byte{'a'},
                                     std::byte{'m'}};
  const auto keyed = std::span<const std::byte>(key).first(with_key ? key.size() : 0);
  Handshake client(hello(Role::client), keyed, {0, 0, {std::byte{1}}});
  Handshake server(hello(Role::server), keyed, {4711, 99, {std::byte{2}}});
  bool honest_to[2] = {true, true};  // client, server
  while (!in.rest.empty()) {
    const std::uint8_t op = in.next();
    const bool to_server = (op & 1) != 0;
    const Connection c = (op & 2) != 0 ? Connection::data : Connection::control;
    Handshake& to = to_server ? server : client;
    bool& honest = honest_to[to_server ? 1 : 0];
    const auto said = (to_server ? client : server).hello();
    Header h;
    h.type = said.type;
    h.session = said.session;
    auto payload = said.payload;
    std::size_t bytes = said.bytes;
    if (op & 4) {  // with one byte modified
      const std::uint8_t mask = in.next();
      const std::size_t at = in.next() % bytes;
      payload[at] ^= static_cast<std::byte>(mask);
    }
    if (op & 8) {  // arbitrary
      h.type = static_cast<Type>(in.next());
      if (in.next() & 1) h.session = in.next();
      bytes = std::min<std::size_t>(in.next(), payload.size());
      for (std::size_t i = 0; i < bytes && !in.rest.empty(); ++i) {
        payload[i] = static_cast<std::byte>(in.next());
      }
    }
    const bool first = to_server && c == Connection::control;
    if (h.type != said.type || h.session != said.session || bytes != said.bytes) honest = false;
    for (std::size_t i = 0; i < bytes; ++i) {
      if (payload[i] != said.payload[i] && !ignored(i, first)) honest = false;
    }
    const auto act = to.take(c, h, std::span(payload).first(bytes));
    if (act == Handshake::Act::up) {
      check(!with_key || honest);
      const Terms& t = to.terms();
      check(t.session != 0 && t.max_payload <= most_payload);
      check(t.home_to_target.over > 0 && t.home_to_target.under > 0);
      check(t.peer.tx_count == 3 && t.peer.rx_count == 3 && plausible(t.peer.period));
    }
    if (act == Handshake::Act::refuse) {
      check(std::find(to.refusal().text.begin(), to.refusal().text.end(), '\0') !=
            to.refusal().text.end());
    }
  }
  return 0;
}
