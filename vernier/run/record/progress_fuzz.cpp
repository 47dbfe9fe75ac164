// Decodes arbitrary bytes as the progress of a run, with and without verifying the checksum.
#include <cstddef>
#include <cstdint>

#include "vernier/base/diagnostic.hpp"
#include "vernier/base/require.hpp"
#include "vernier/run/record/progress.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace vernier;
  const auto bytes = std::as_bytes(std::span(data, size));
  try {
    static_cast<void>(record::decoded_progress(bytes, "fuzz.progress"));
  } catch (const ConfigurationError&) {
  }
  try {
    const record::Progress p = record::decoded_progress_unchecked(bytes, "fuzz.progress");
    // what was decoded can be encoded and decoded again
    const record::Progress again = record::decoded_progress(record::encoded(p), "fuzz.progress");
    require(again.rows == p.rows && again.watch == p.watch && again.notes == p.notes);
  } catch (const ConfigurationError&) {
  }
  return 0;
}
