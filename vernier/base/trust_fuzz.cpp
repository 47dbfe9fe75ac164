// Any text is a list of trusted files or is refused at a line; what was read is written and read
// again unchanged.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "vernier/base/diagnostic.hpp"
#include "vernier/base/require.hpp"
#include "vernier/base/trust.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace vernier;
  try {
    const Trust trust =
        parsed_trust(std::string_view(reinterpret_cast<const char*>(data), size), "trusted");
    const Trust again = parsed_trust(text(trust), "trusted");
    require(again.list().size() == trust.list().size());
    for (std::size_t i = 0; i < trust.list().size(); ++i) {
      const TrustedFile &a = trust.list()[i], &b = again.list()[i];
      require(a.sha256 == b.sha256 && a.since == b.since && a.path == b.path);
      require(trust.contains(a.sha256) && a.path.is_absolute());
    }
  } catch (const ConfigurationError& e) {
    require(e.diagnostics().errors() == 1 && e.diagnostics().list().front().place.line >= 1);
  }
  return 0;
}
