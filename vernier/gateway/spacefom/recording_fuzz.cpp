// Arbitrary recordings: refused with the line, or all indices in them are valid.
#include <cstddef>
#include <cstdint>
#include <sstream>

#include "vernier/base/require.hpp"
#include "vernier/gateway/spacefom/recording.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace vernier;
  std::istringstream in(std::string(reinterpret_cast<const char*>(data), size));
  const auto r = spacefom::read_recording(in);
  if (!r) {
    require(r.error().starts_with("line "));
    return 0;
  }
  spacefom::Ticks last = 0;
  for (const spacefom::Recording::Update& u : r->updates) {
    require(u.object < r->objects.size() && u.stamp >= last);
    require(u.attribute < r->objects[u.object].attributes.size());
    last = u.stamp;
  }
  last = 0;
  for (const spacefom::Recording::Sent& s : r->sent) {
    require(s.interaction < r->interactions.size() && s.stamp >= last);
    for (const auto& [parameter, bytes] : s.values)
      require(parameter < r->interactions[s.interaction].parameters.size());
    last = s.stamp;
  }
  return 0;
}
