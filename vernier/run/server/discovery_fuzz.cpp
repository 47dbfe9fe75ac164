// What computers on a network announce: servers with an address in numbers, or nothing.
#include <cstdlib>

#include "vernier/run/server/discovery.hpp"

using namespace vernier;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto all = server::announced_in(text);
  if (all.size() > server::most_announced) std::abort();
  for (const server::Announced& a : all) {
    if (a.name.empty() || a.name.size() > 255 || a.version.size() > 100) std::abort();
    if (!net::parsed_address(net::text(a.address)) ||
        a.address.host.find_first_not_of("0123456789abcdefABCDEF.:") != std::string::npos)
      std::abort();
  }
  return 0;
}
