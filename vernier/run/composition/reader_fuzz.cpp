// Arbitrary compositions: reading and setting must stay within bounds.
#include <cstddef>
#include <cstdint>
#include <string>

#include "vernier/base/require.hpp"
#include "vernier/run/composition/composition.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace vernier;
  // after a zero byte follows an assignment, as for --set
  const std::string all(reinterpret_cast<const char*>(data), size);
  const std::size_t cut = all.find('\0');
  try {
    Diagnostics warnings;
    composition::Composition c =
        composition::parse_composition(all.substr(0, cut), "fuzzed.xml", warnings);
    for (const composition::Connection& k : c.connections) {
      require(k.from.first < k.from.last && k.to.first < k.to.last && k.delay_ticks >= 0);
    }
    require(c.run.step > Duration{} && !c.records.empty());
    if (cut != std::string::npos) composition::set_value(c, all.substr(cut + 1));
  } catch (const ConfigurationError& e) {
    require(e.diagnostics().errors() > 0);
  }
  return 0;
}
