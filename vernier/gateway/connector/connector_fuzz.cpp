// Arbitrary connector documents: reading and checking must stay within bounds. No file, device or
// connection is opened.
#include <cstddef>
#include <cstdint>
#include <string>

#include "vernier/base/require.hpp"
#include "vernier/gateway/connector/connector.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace vernier;
  Diagnostics problems;
  const auto connector = connector::parse_connector(
      std::string(reinterpret_cast<const char*>(data), size), "fuzz.xml", problems);
  require((problems.errors() == 0) == connector.has_value());
  for (const Diagnostic& d : problems.list()) {
    require(d.place.file == "fuzz.xml" && d.place.line >= 1 && d.place.column >= 1 &&
            d.place.length >= 1);
  }
  require(!rendered(problems, 1000).empty() || connector);
  if (!connector) return 0;
  const Type type = connector::type_of(*connector);
  Diagnostics more;
  const Parameters p("it", type.parameters, {}, 1, {}, more);
  return 0;
}
