// Facility documents from anywhere: reading and checking must stay within bounds, and what is good
// must make a facility.
#include <cstddef>
#include <cstdint>
#include <string>

#include "vernier/base/require.hpp"
#include "vernier/model/facility/reader.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace vernier;
  Diagnostics problems;
  const auto source = facility::parse_source(std::string(reinterpret_cast<const char*>(data), size),
                                             "fuzz.xml", problems);
  require((problems.errors() == 0) == static_cast<bool>(source));
  for (const Diagnostic& d : problems.list())
    require(!d.code.empty() && d.place.line >= 1 && d.place.column >= 1);
  if (!source) return 0;
  Diagnostics more;
  const Parameters p("it", source->parameters(), {}, 1, {}, more);
  require(more.errors() == 0);
  const facility::Facility it(source->made(p));
  require(it.description().inputs.size() == 10);
  return 0;
}
