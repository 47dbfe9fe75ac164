// An arbitrary vector: no crash, and a packet that was decoded encodes to the same numbers.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "vernier/gateway/rsp/packet.hpp"

using namespace vernier::rsp;

namespace {

void check(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::vector<double> numbers_there(std::min<std::size_t>(size / 8, 4096));
  if (!numbers_there.empty()) std::memcpy(numbers_there.data(), data, numbers_there.size() * 8);
  Packet p;
  if (decode(numbers_there, p) == Flaw::none) {
    std::vector<double> again(numbers(p.bodies, p.accelerations));
    encode(p, again);
    for (std::size_t i = 0; i < prefix; ++i) check(again[i] == numbers_there[i]);
    Packet second;
    check(decode(again, second) == Flaw::none || p.bodies > 0);
  }
  return 0;
}
