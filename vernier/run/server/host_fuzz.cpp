// Every message between a server and its clients: what was read is written as the same bytes. And a
// stream of frames in pieces of any length: its edges are those of the frames.
#include <cstdlib>
#include <string>
#include <vector>

#include "vernier/net/framing.hpp"
#include "vernier/run/server/host_messages.hpp"
#include "vernier/run/server/relay.hpp"

using namespace vernier;
using namespace vernier::server;

namespace {

template <class T>
void check(Bytes frame) {
  const auto message = content_of<T>(frame);
  if (!message) return;
  std::vector<std::byte> again;
  put_frame(again, word_of(frame), *message);
  if (again.size() != frame.size() ||
      !std::equal(again.begin() + 4, again.end(), frame.begin() + 4))
    std::abort();
}

void check_edges(Bytes all, std::size_t piece) {
  FrameEdges edges;
  std::size_t passed = 0, next = 0;
  while (passed < all.size() && !edges.lost()) {
    if (edges.at_edge() != (passed == next)) std::abort();
    if (passed == next && all.size() - next >= 4) {
      const auto length = load<std::uint32_t>(all.data() + next);
      next = length < 8 ? 0 : next + length;
      if (next == 0) next = static_cast<std::size_t>(-1);
    } else if (passed == next) {
      return;
    }
    const std::size_t n = std::min({piece, edges.within(), all.size() - passed});
    if (n == 0) std::abort();
    edges.pass(all.subspan(passed, n));
    passed += n;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1 + frame_head) return 0;
  const Bytes frame = std::as_bytes(std::span(data + 1, size - 1));
  check<std::vector<FileId>>(frame);
  check<Piece>(frame);
  check<Execute>(frame);
  check<Attach>(frame);
  check<ControlLine>(frame);
  check<NumberedLine>(frame);
  check<std::vector<HostedRun>>(frame);
  check<std::string>(frame);
  check<About>(frame);
  check<Pong>(frame);
  check<Refusal>(frame);
  check<std::vector<std::uint32_t>>(frame);
  check<std::vector<std::string>>(frame);
  check_edges(frame, data[0] + 1u);
  return 0;
}
