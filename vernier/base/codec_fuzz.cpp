// Arbitrary bytes, read as every kind of value in an order that the first bytes select: nothing is
// read beyond the end, and each value encodes to the bytes it was read from.
#include <cstdlib>

#include "vernier/base/codec.hpp"

using namespace vernier;

namespace {

template <class T>
void again(BasicReader<std::endian::little>& r) {
  const Bytes before = r.rest();
  T value{};
  r(value);
  if (!r.ok()) return;
  std::vector<std::byte> bytes;
  ByteWriter{bytes}(value);
  const Bytes taken = before.first(before.size() - r.rest().size());
  if (!std::equal(bytes.begin(), bytes.end(), taken.begin(), taken.end())) std::abort();
  std::vector<std::byte> room(taken.size());
  SpanWriter w(room);
  w(value);
  if (!w.ok() || room != bytes) std::abort();
  if (room.empty()) return;
  SpanWriter less(std::span(room).first(room.size() - 1));
  less(value);
  if (less.ok()) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  ByteReader r(std::as_bytes(std::span(data, size)));
  while (r.ok() && !r.rest().empty()) {
    switch (r.number<std::uint8_t>() % 9) {
      case 0:
        again<std::uint8_t>(r);
        break;
      case 1:
        again<std::int64_t>(r);
        break;
      case 2:
        again<std::string>(r);
        break;
      case 3:
        again<std::vector<std::byte>>(r);
        break;
      case 4:
        again<std::optional<std::uint16_t>>(r);
        break;
      case 5:
        again<std::vector<std::uint32_t>>(r);
        break;
      case 6:
        again<std::array<char, 5>>(r);
        break;
      case 7:
        again<std::vector<std::string>>(r);
        break;
      case 8:
        again<bool>(r);
        break;
    }
  }
  if (!r.ok() && !r.rest().empty()) std::abort();
  return 0;
}
