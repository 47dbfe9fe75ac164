// Multibody documents from anywhere: reading and checking must stay within bounds, and what is good
// must make a spacecraft.
#include <cstddef>
#include <cstdint>
#include <string>

#include "vernier/base/require.hpp"
#include "vernier/model/multibody_tree/reader.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace vernier;
  Diagnostics problems;
  const auto source = multibody_tree::parse_source(
      std::string(reinterpret_cast<const char*>(data), size), "fuzz.xml", problems);
  require((problems.errors() == 0) == static_cast<bool>(source));
  for (const Diagnostic& d : problems.list())
    require(!d.code.empty() && d.place.line >= 1 && d.place.column >= 1);
  if (!source) return 0;
  Diagnostics more;
  const Parameters p("it", source->parameters(), {}, 1, {}, more);
  require(more.errors() == 0);
  const multibody_tree::Spacecraft s = source->made(p);
  std::size_t q = 0, u = 0;
  for (const multibody::Body& b : s.model.tree.bodies) {
    q += multibody::coordinates(b.hinge.kind) + b.mode_count();
    u += multibody::speeds(b.hinge.kind) + b.mode_count();
  }
  require(s.model.q.size() == q && s.model.u.size() == u && s.model.prescribed.size() == u &&
          s.held.size() == u && s.places.bodies.size() == s.model.tree.bodies.size());
  return 0;
}
