// Bytes of a stranger for either side of the handshake between nodes, and genuine messages with
// some bits changed: nothing that does not know the key is admitted, no changed message is
// accepted, and no side ever wants or says much.
#include <algorithm>
#include <cstdlib>

#include "vernier/run/exchange/handshake.hpp"

using namespace vernier;
using exchange::Handshake;
using State = Handshake::State;

namespace {

constexpr std::array<std::byte, 16> key{std::byte{1}, std::byte{2}};

void check(bool good) {
  if (!good) std::abort();
}

void strange(Handshake h, std::vector<std::byte> said, Bytes rest) {
  for (State s = State::more; s == State::more && rest.size() >= h.wanted();) {
    check(h.wanted() > 0 && h.wanted() <= 64);
    s = h.take(rest.first(h.wanted()), said);
    rest = rest.subspan(std::min(rest.size(), h.wanted()));
    check(s != State::done && said.size() <= 128 && h.peer() < 4);
  }
}

void changed(Bytes mask) {
  std::vector<std::byte> from, to;
  Handshake connects({7, 2, 4, key}, 1, from), accepts({7, 1, 4, key});
  bool same = true;
  State a = State::more, b = State::more;
  while (a == State::more || b == State::more) {
    for (std::byte& x : from) {
      if (mask.empty()) break;
      same = same && mask.front() == std::byte{};
      x ^= mask.front();
      mask = mask.subspan(1);
    }
    const bool late = from.size() != accepts.wanted() || b != State::more;
    check(!late || !same);
    if (late) return;
    b = accepts.take(from, to);
    from.clear();
    if (to.size() != connects.wanted()) return check(!same);
    for (std::byte& x : to) {
      if (mask.empty()) break;
      same = same && mask.front() == std::byte{};
      x ^= mask.front();
      mask = mask.subspan(1);
    }
    a = connects.take(to, from);
    to.clear();
    check(same || a != State::done);
    if (a != State::more) break;
  }
  check(!same || (a == State::done && b == State::done));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1) return 0;
  const Bytes rest = std::as_bytes(std::span(data + 1, size - 1));
  std::vector<std::byte> said;
  if (data[0] % 3 == 0) strange(Handshake({7, 1, 4, key}), {}, rest);
  if (data[0] % 3 == 1) {
    Handshake h({7, 1, 4, key}, 0, said);
    strange(std::move(h), said, rest);
  }
  if (data[0] % 3 == 2) changed(rest);
  return 0;
}
