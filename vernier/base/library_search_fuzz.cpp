// Any bytes: nothing is read beyond their end, and only relative names are reported.
#include <cstddef>
#include <cstdint>
#include <string>

#include "vernier/base/library_search.hpp"
#include "vernier/base/require.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string found = vernier::relative_search(std::as_bytes(std::span(data, size)));
  const std::size_t quote = found.find('"');
  vernier::require(found.empty() || (quote != found.npos && found[quote + 1] != '/'));
  return 0;
}
