// A stream of bytes in pieces of any length, cut into numbered frames: every frame is the next one
// of the epoch, complete and within its bounds; there is room for more until one is refused.
#include <cstdlib>
#include <cstring>

#include "vernier/run/exchange/frames.hpp"

using namespace vernier;
using exchange::FrameHead;
using Next = exchange::Incoming::Next;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::size_t longest = 100;
  if (size < 2) return 0;
  const std::size_t piece = data[0] + 1u;
  std::uint32_t epoch = data[1] % 4u;
  Bytes rest = std::as_bytes(std::span(data + 2, size - 2));
  exchange::Incoming in;
  in.reserve(longest);
  if (epoch > 0) in.begin(epoch);
  std::uint64_t number = 0;
  std::size_t taken = 0;
  while (!rest.empty()) {
    const std::span<std::byte> room = in.room();
    if (room.empty()) std::abort();
    const Bytes some = rest.first(std::min({piece, rest.size(), room.size()}));
    std::memcpy(room.data(), some.data(), some.size());
    in.add(some.size());
    rest = rest.subspan(some.size());
    Bytes frame;
    Next next = Next::frame;
    while ((next = in.next(frame)) == Next::frame) {
      if (frame.size() > longest) std::abort();
      const FrameHead head = FrameHead::from(frame.data() - FrameHead::size);
      if (head.length != FrameHead::size + frame.size() || head.epoch != epoch ||
          head.number != number++)
        std::abort();
      taken += head.length;
    }
    if (next == Next::later) {
      if (!in.later()) std::abort();
      in.begin(++epoch);
      number = 0;
    }
    if ((next == Next::refused) != (in.why() != nullptr)) std::abort();
    if (next == Next::refused) return 0;
  }
  if (taken > size) std::abort();
  return 0;
}
