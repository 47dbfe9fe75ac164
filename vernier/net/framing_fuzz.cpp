// A byte stream in pieces of any length, split into frames: every frame is complete and within its
// bounds, nothing is lost, and memory grows with the bytes received, not with the announced length.
#include <cstdlib>

#include "vernier/net/framing.hpp"

using namespace vernier;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const std::size_t piece = data[0] + 1u, least = 4u + data[1] % 16u, longest = 4096;
  Bytes rest = std::as_bytes(std::span(data + 2, size - 2));
  const Bytes all = rest;
  net::Inbox inbox(0);
  std::size_t taken = 0;
  while (!rest.empty()) {
    const Bytes some = rest.first(std::min(piece, rest.size()));
    rest = rest.subspan(some.size());
    const std::span<std::byte> room = inbox.room();
    if (room.size() < some.size() || room.size() > 2 * size + (64u << 10)) std::abort();
    std::memcpy(room.data(), some.data(), some.size());
    inbox.add(some.size());
    Bytes content = inbox.content(), frame;
    net::Cut cut = net::Cut::frame;
    while ((cut = net::next_frame(content, frame, least, longest)) == net::Cut::frame) {
      if (frame.size() < least || frame.size() > longest) std::abort();
      if (load<std::uint32_t>(frame.data()) != frame.size()) std::abort();
      if (std::memcmp(frame.data(), all.data() + taken, frame.size()) != 0) std::abort();
      taken += frame.size();
    }
    if (cut == net::Cut::malformed) return 0;
    if (content.size() >= longest) std::abort();
    inbox.keep(content);
    inbox.shrink(1024);
  }
  if (taken + inbox.content().size() != all.size()) std::abort();
  return 0;
}
