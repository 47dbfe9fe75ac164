// An arbitrary stream split into frames: no crash, no allocation, and a frame that was decoded
// encodes to the same bytes. The first byte selects the pieces in which the rest arrives.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "vernier/gateway/link/conversation.hpp"
#include "vernier/gateway/link/frame.hpp"
#include "vernier/gateway/link/messages.hpp"

using namespace vernier::link;

namespace {

constexpr std::size_t vector_bytes = 24;

void check(bool holds) {
  if (!holds) std::abort();
}

void take(const FrameReader::Next& f) {
  std::vector<std::byte> room(frame_bytes(f.payload.size(), true));
  const std::size_t n = write_frame(f.header, f.payload, room);
  check(n >= header_bytes);
  FrameReader again(vector_bytes);
  again.allow(vector_bytes, 100);
  std::copy_n(room.begin(), n, again.room().begin());
  again.received(n);
  const auto second = again.next();
  check(second.progress == FrameReader::Progress::frame);
  check(second.header == f.header && std::ranges::equal(second.payload, f.payload));
  if (const auto h = read_hello(f.payload)) {
    std::array<std::byte, signed_hello_bytes> payload;
    check(read_hello(std::span(payload).first(write_hello(*h, payload))) == h);
  }
  static_cast<void>(read_bye(f.payload));
  static_cast<void>(read_clock(f.payload));
  static_cast<void>(read_stats(f.payload));
}

struct Nowhere final : Outlet {
  std::int64_t now() noexcept override { return t += 1000; }
  bool put(Connection, const Header&, std::span<const std::byte>) noexcept override { return true; }
  std::int64_t t = 1'000'000'000;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  auto rest = std::as_bytes(std::span(data, size)).subspan(1);
  const std::size_t piece = data[0] % 97 + 1;
  FrameReader reader(vector_bytes);
  reader.allow(vector_bytes, 100);
  Nowhere nowhere;
  Conversation conversation({});
  Terms terms;
  terms.session = 0x1234abcd;
  terms.peer.period = {4'000'000, 1};
  Hello mine;
  mine.rx_count = 3;
  conversation.begin(terms, mine, nowhere.now());
  while (!rest.empty()) {
    const std::size_t n = std::min({piece, rest.size(), reader.room().size()});
    std::copy_n(rest.begin(), n, reader.room().begin());
    reader.received(n);
    rest = rest.subspan(n);
    while (true) {
      const auto next = reader.next();
      if (next.progress == FrameReader::Progress::broken) return 0;
      if (next.progress == FrameReader::Progress::more) break;
      if (next.progress != FrameReader::Progress::frame) continue;
      take(next);
      for (const Connection c : {Connection::control, Connection::data}) {
        static_cast<void>(conversation.take(c, next.header, next.payload, nowhere.now(), nowhere));
      }
      static_cast<void>(conversation.tick(nowhere.now(), nowhere));
      conversation.output(next.header.t_acq, next.header.echo, nowhere.now());
      Quality q;
      conversation.report(nowhere.now(), q);
    }
  }
  return 0;
}
