// Arbitrary nodes documents, and what is typed after --on: refused with a message, or valid nodes.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>

#include "vernier/base/require.hpp"
#include "vernier/run/placement/nodes.hpp"

namespace {

using namespace vernier;

void check(const placement::Nodes& nodes) {
  require(!nodes.hosts.empty() && nodes.hosts.size() <= placement::most_nodes);
  std::set<std::string> names;
  for (const placement::Host& h : nodes.hosts) {
    require(!h.name.empty() && names.insert(h.name).second);
    require(h.port >= 1 && h.port <= 65535);
    require(h.address.find_first_of(" ,[]/") == std::string::npos);
  }
  for (const placement::Assignment& a : nodes.assignment)
    require(a.node < nodes.hosts.size() && !a.part.empty());
  require(!nodes.round_trip || *nodes.round_trip > Duration{});
  require(!nodes.bandwidth || (std::isfinite(*nodes.bandwidth) && *nodes.bandwidth > 0.0));
}

template <class Read>
void attempt(const Read& read) {
  Diagnostics problems;
  try {
    check(read(problems));
  } catch (const ConfigurationError& e) {
    require(e.diagnostics().errors() > 0);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  attempt([&](Diagnostics& d) { return placement::parse_nodes(text, "fuzz.xml", d); });
  // a name with a slash, or that ends in .xml, is a file's
  if (text.find_first_of("/.") == text.npos)
    attempt([&](Diagnostics& d) { return placement::nodes_of(text, d); });
  return 0;
}
