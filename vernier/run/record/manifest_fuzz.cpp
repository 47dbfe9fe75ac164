// Arbitrary run manifests: refused with a message, or the same after writing and reading again.
#include <cstddef>
#include <cstdint>
#include <string>

#include "vernier/base/diagnostic.hpp"
#include "vernier/base/require.hpp"
#include "vernier/run/record/manifest.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace vernier;
  const std::string text(reinterpret_cast<const char*>(data), size);
  try {
    const record::Manifest m = record::manifest_from_json(text, "manifest.json");
    const std::string once = record::to_json(m);
    require(record::to_json(record::manifest_from_json(once, "manifest.json")) == once);
  } catch (const ConfigurationError& e) {
    require(e.diagnostics().errors() > 0);
  }
  return 0;
}
