// Decodes arbitrary bytes as a checkpoint, with and without verifying the checksum.
#include <cstddef>
#include <cstdint>

#include "vernier/base/require.hpp"
#include "vernier/run/record/checkpoint.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace vernier;
  const auto bytes = std::as_bytes(std::span(data, size));
  try {
    static_cast<void>(record::decoded(bytes, "fuzz.vchk"));
  } catch (const ConfigurationError&) {
  }
  try {
    const record::Checkpoint c = record::decoded_unchecked(bytes, "fuzz.vchk");
    // a decoded checkpoint can be encoded and decoded again
    const record::Checkpoint again = record::decoded(record::encoded(c), "fuzz.vchk");
    require(again.snapshot.sections.size() == c.snapshot.sections.size());
    require(again.snapshot.time == c.snapshot.time);
  } catch (const ConfigurationError&) {
  }
  return 0;
}
