// Arbitrary tolerance documents: refused with a message, or valid numbers.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>

#include "vernier/base/require.hpp"
#include "vernier/run/record/compare.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace vernier;
  const std::string text(reinterpret_cast<const char*>(data), size);
  try {
    for (const record::Tolerance& t : record::parse_tolerances(text, "fuzz.xml"))
      require(std::isfinite(t.absolute) && std::isfinite(t.relative) && t.absolute >= 0.0 &&
              t.relative >= 0.0);
  } catch (const ConfigurationError& e) {
    require(e.diagnostics().errors() > 0);
  }
  return 0;
}
