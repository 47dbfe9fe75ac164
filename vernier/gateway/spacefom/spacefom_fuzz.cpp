// Federate documents and values of attributes from anywhere: reading stays within bounds; nothing
// is opened but FOM modules that the document names, of which there are none here.
#include <cstddef>
#include <cstdint>
#include <string>

#include "vernier/base/require.hpp"
#include "vernier/gateway/spacefom/document.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace vernier;
  const std::string text(reinterpret_cast<const char*>(data), size);
  const auto bytes = std::as_bytes(std::span(data, size));
  static_cast<void>(spacefom::read_state(bytes, frames::WireAttitude::parent_to_own));
  if (const auto s = spacefom::read_string(bytes))
    require(spacefom::narrow(spacefom::wide(*s)) == *s);
  static_cast<void>(spacefom::read_mode(bytes));
  if (text.find("<module") != std::string::npos) return 0;
  Diagnostics problems;
  const auto document = spacefom::parse_federate(text, "fuzz.xml", problems);
  require((problems.errors() == 0) == document.has_value());
  require(!rendered(problems, 1000).empty() || document);
  if (document) require(!spacefom::summary(*document).empty());
  return 0;
}
