// Arbitrary values of the Management Object Model: reading stays within bounds, and a value that
// was
// read is the same after writing and reading it again.
#include <cstdlib>

#include "vernier/gateway/federation/detail/octets.hpp"

using namespace vernier::federation;
using detail::OctetReader;
using detail::Octets;

namespace {

/// Reads with `get`, writes with `put` and reads again.
template <class Get, class Put>
void again(Bytes bytes, Get get, Put put) {
  OctetReader r(bytes);
  const auto value = (r.*get)();
  if (!r.ok()) return;
  Octets o;
  put(o, value);
  OctetReader second(o.bytes());
  if ((second.*get)() != value || !second.complete()) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const Bytes bytes = std::as_bytes(std::span(data, size));
  again(bytes, &OctetReader::number, [](Octets& o, auto n) { o.number(n); });
  again(bytes, &OctetReader::truth, [](Octets& o, auto b) { o.truth(b); });
  again(bytes, &OctetReader::handles, [](Octets& o, const auto& all) { o.handles(all); });
  again(bytes, &OctetReader::time, [](Octets& o, auto t) { o.time(t); });
  again(bytes, &OctetReader::text, [](Octets& o, const auto& s) { o.text(s); });
  if (OctetReader r(bytes); r.opaque().size() > size) std::abort();
  return 0;
}
