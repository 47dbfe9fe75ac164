// Decks from anywhere: converting must stay within bounds, and what is converted must be a document
// of our grammar.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "vernier/base/require.hpp"
#include "vernier/model/multibody_loops/deck.hpp"
#include "vernier/model/multibody_loops/reader.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace vernier;
  Diagnostics problems;
  const auto made = multibody_loops::convert_deck(
      std::string_view(reinterpret_cast<const char*>(data), size), "fuzz.mbd", problems);
  require((problems.errors() == 0) == made.has_value());
  for (const Diagnostic& d : problems.list())
    require(!d.code.empty() && d.place.line >= 1 && d.place.column >= 1);
  if (!made) return 0;
  Diagnostics found;
  static_cast<void>(multibody_loops::parse_source(*made, "fuzz.xml", found));
  for (const Diagnostic& d : found.list())
    require(!d.code.starts_with("V12"));  // not well-formed, or not of the grammar
  return 0;
}
