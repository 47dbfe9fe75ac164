#include "vernier/run/exchange/handshake.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "vernier/base/digest.hpp"
#include "vernier/base/require.hpp"
#include "vernier/net/secret.hpp"

namespace vernier::exchange {
namespace {

constexpr std::string_view magic = "VRNMEET1";
constexpr std::size_t random_size = 16, code_size = 32, word_size = 4;
constexpr std::size_t hello_size = 8 + 3 * word_size + random_size;

using State = Handshake::State;

/// The first word of an answer.
State decoded(std::uint32_t word) noexcept {
  for (const State s : {State::more, State::earlier, State::later, State::wrong_key})
    if (word == static_cast<std::uint32_t>(s)) return s;
  return State::stranger;
}

void answer(State word, Bytes content, std::vector<std::byte>& to_send) {
  ByteWriter w(to_send);
  w(static_cast<std::uint32_t>(word));
  w.raw(content);
}

}  // namespace

Handshake::Handshake(const Run& run, std::uint32_t peer, std::vector<std::byte>& to_send)
    : run_(run), connects_(true), peer_(peer) {
  require(peer < run.self && run.self < run.nodes);
  net::fill_random(ours_);
  ByteWriter w(to_send);
  w.raw(std::as_bytes(std::span(magic)));
  w(run_.epoch, run_.self, peer_, ours_);
}

Handshake::Handshake(const Run& run) : run_(run), connects_(false) { net::fill_random(ours_); }

std::size_t Handshake::wanted() const noexcept {
  if (connects_) return word_size + (second_ ? code_size : random_size);
  return second_ ? code_size : hello_size;
}

State Handshake::take(Bytes message, std::vector<std::byte>& to_send) {
  require(message.size() == wanted());
  const bool second = std::exchange(second_, true);
  if (connects_) return second ? take_last(message) : take_answer(message, to_send);
  return second ? take_code(message, to_send) : take_hello(message, to_send);
}

State Handshake::take_hello(Bytes message, std::vector<std::byte>& to_send) {
  ByteReader r(message);
  const Bytes found = r.raw(magic.size());
  std::uint32_t epoch = 0, from = 0, to = 0;
  r(epoch, from, to, theirs_);
  if (!std::ranges::equal(found, std::as_bytes(std::span(magic))) || to != run_.self ||
      from <= run_.self || from >= run_.nodes)
    return State::stranger;
  peer_ = from;
  // the other side learns the opposite
  if (epoch != run_.epoch) {
    answer(epoch < run_.epoch ? State::later : State::earlier, Random{}, to_send);
    return epoch < run_.epoch ? State::earlier : State::later;
  }
  answer(State::more, ours_, to_send);
  return State::more;
}

State Handshake::take_answer(Bytes message, std::vector<std::byte>& to_send) {
  ByteReader r(message);
  const State s = decoded(r.number<std::uint32_t>());
  r(theirs_);
  if (s == State::more) ByteWriter(to_send).raw(code(true));
  return s;
}

State Handshake::take_code(Bytes message, std::vector<std::byte>& to_send) {
  if (!net::same(message, code(true))) {
    answer(State::wrong_key, Digest{}, to_send);
    return State::wrong_key;
  }
  answer(State::more, code(false), to_send);
  return State::done;
}

State Handshake::take_last(Bytes message) {
  ByteReader r(message);
  const State s = decoded(r.number<std::uint32_t>());
  if (s != State::more) return s;
  return net::same(r.rest(), code(false)) ? State::done : State::wrong_key;
}

Digest Handshake::code(bool connects) const noexcept {
  // of a fixed size, so that no two sets of values give the same bytes
  std::array<std::byte, 1 + 3 * word_size + 2 * random_size> bytes;
  SpanWriter w(bytes);
  const Random& first = connects_ ? ours_ : theirs_;
  const Random& second = connects_ ? theirs_ : ours_;
  w(connects, run_.epoch, connects_ ? run_.self : peer_, connects_ ? peer_ : run_.self, first,
    second);
  return net::authentication(run_.key, bytes);
}

}  // namespace vernier::exchange
