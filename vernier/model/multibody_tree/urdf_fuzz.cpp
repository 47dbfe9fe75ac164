// Robot descriptions from anywhere: what is imported is a valid document.
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "vernier/base/require.hpp"
#include "vernier/model/multibody_tree/reader.hpp"
#include "vernier/model/multibody_tree/urdf.hpp"

// links of a loop hold each other in the library
extern "C" const char* __asan_default_options();  // NOLINT
// NOLINTNEXTLINE
extern "C" const char* __asan_default_options() { return "detect_leaks=0"; }

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace vernier;
  Diagnostics problems;
  const auto document = multibody_tree::imported_urdf(
      std::string_view(reinterpret_cast<const char*>(data), size), "fuzz.urdf", {}, problems);
  require((problems.errors() == 0) == document.has_value());
  if (!document) return 0;
  // what was imported is a document, though perhaps one of something impossible
  Diagnostics found;
  const std::array grammars{multibody_tree::grammar()};
  require(document::parse(*document, "fuzz.xml", grammars, found).has_value());
  return 0;
}
