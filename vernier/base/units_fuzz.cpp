// Any text is either a unit or not; the text of a unit can be parsed again. Quantities are finite.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "vernier/base/require.hpp"
#include "vernier/base/units.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace vernier;
  const std::string_view words(reinterpret_cast<const char*>(data), size);
  if (const auto unit = parsed_unit(words)) {
    require(std::isfinite(unit->factor) && unit->factor > 0.0);
    const auto again = parsed_unit(text(*unit));
    require(again && same_dimension(*again, *unit));
  }
  for (const char* expected : {"1", "kg", "m/s", "deg"}) {
    if (const auto value = parsed_quantity(words, expected)) require(std::isfinite(*value));
  }
  return 0;
}
