// Untrusted bytes between federate and RTI: splitting a stream into frames, and the handshake. Also
// designators.
#include <cstdlib>

#include "vernier/gateway/federation/hello.hpp"
#include "vernier/gateway/federation/rti_transport.hpp"

using namespace vernier;
using namespace vernier::federation;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // a designator, as users write them
  const Designator d = parsed_designator({reinterpret_cast<const char*>(data), size});
  if (d.error.empty() && d.where != Designator::Where::here && d.address.empty()) std::abort();
  if (size < 2) return 0;
  const std::size_t piece = data[0] + 1u;
  const bool keyed = (data[1] & 1) != 0;
  Bytes rest = std::as_bytes(std::span(data + 2, size - 2));
  const Bytes key = keyed ? std::as_bytes(std::span("secret")) : Bytes{};
  HelloFromFederate rti(key);
  HelloToRti federate("fuzz", key);
  net::Inbox inbox(0);
  std::size_t taken = 0;
  const std::size_t all = rest.size();
  while (!rest.empty()) {
    const Bytes some = rest.first(std::min(piece, rest.size()));
    rest = rest.subspan(some.size());
    std::memcpy(inbox.room().data(), some.data(), some.size());
    inbox.add(some.size());
    Bytes content = inbox.content(), frame;
    net::Cut cut = net::Cut::frame;
    while ((cut = next_frame(content, frame, longest_hello)) == net::Cut::frame) {
      taken += frame.size();
      std::vector<std::byte> reply;
      // no peer can prove a key without the other side's random number
      if (rti.take(frame, reply) == Greeting::done && keyed) std::abort();
      if (federate.take(frame, reply) == Greeting::done && keyed) std::abort();
    }
    if (cut == net::Cut::malformed) return 0;
    inbox.keep(content);
  }
  // the bytes taken plus the bytes left are all bytes
  if (taken + inbox.content().size() != all) std::abort();
  return 0;
}
