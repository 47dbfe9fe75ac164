// Frames of a stranger for either side of the greeting between a composer and a server: nobody who
// does not know the key is admitted, and little is said.
#include <cstdlib>

#include "vernier/net/framing.hpp"
#include "vernier/run/server/greeting.hpp"

using namespace vernier;
using namespace vernier::server;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1) return 0;
  static constexpr std::array<std::byte, 16> key{std::byte{1}, std::byte{2}};
  GreetingFromClient from(key, "1.2.3");
  GreetingToServer to(key, "1.2.3");
  std::vector<std::byte> said;
  Bytes rest = std::as_bytes(std::span(data + 1, size - 1)), frame;
  for (Greeting g = Greeting::more;
       g == Greeting::more &&
       net::next_frame(rest, frame, frame_head, longest_greeting) == net::Cut::frame;) {
    g = data[0] % 2 == 0 ? from.take(frame, said) : to.take(frame, said);
    if (g == Greeting::done || said.size() > 512) std::abort();
    if (to.why().message.size() > 400 || to.why().notes.size() > 4) std::abort();
  }
  return 0;
}
