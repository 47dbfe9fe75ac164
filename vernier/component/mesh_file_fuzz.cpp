// Files with the form of a body, from anywhere, read as each of the formats.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "vernier/base/require.hpp"
#include "vernier/component/mesh_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace vernier;
  const std::string_view content(reinterpret_cast<const char*>(data), size);
  for (const char* format : {"gltf", "stl", "obj"}) {
    const std::string fault = scene::mesh_fault(content, format);
    // a fault is words that can be shown, whatever the content has
    for (const char c : fault) require(c >= 0x20 && c < 0x7f);
    require(fault.size() < 300);
  }
  return 0;
}
