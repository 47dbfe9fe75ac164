// Documents of mechanisms from anywhere: reading and checking must stay within bounds, and what is
// good must make a model that the kernel finds nothing wrong with.
#include <cstddef>
#include <cstdint>
#include <string>

#include "vernier/base/require.hpp"
#include "vernier/model/multibody_loops/reader.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace vernier;
  const std::string text(reinterpret_cast<const char*>(data), size);
  if (text.find("library") != std::string::npos) return 0;  // would run what it names
  Diagnostics problems;
  const auto source = multibody_loops::parse_source(text, "fuzz.xml", problems);
  require((problems.errors() == 0) == static_cast<bool>(source));
  for (const Diagnostic& d : problems.list())
    require(!d.code.empty() && d.place.line >= 1 && d.place.column >= 1);
  if (!source) return 0;
  Diagnostics more;
  const Parameters p("it", source->parameters(), {}, 1, {}, more);
  require(more.errors() == 0);
  const multibody_loops::Definition d = source->made(p);
  for (const Finding& f : constrained::check(d.model)) require(f.severity == Severity::warning);
  require(d.step > 0.0);
  for (const multibody_loops::Shown& s : d.outputs)
    require(!s.port.name.empty() && s.port.count > 0);
  return 0;
}
