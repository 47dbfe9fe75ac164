// Documents from anywhere: reading, checking, compiling and evaluating must stay within bounds.
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "vernier/base/require.hpp"
#include "vernier/model/automaton/automaton.hpp"

namespace {

using namespace vernier;

void evaluate(const hybrid::System& s) {
  const hybrid::SystemSpec& spec = s.spec();
  std::vector<double> x, u(hybrid::size(spec.inputs), 0.5), y(hybrid::size(spec.outputs)),
      z(spec.guards);
  for (const hybrid::Signal& signal : spec.states) {
    require(signal.initial && signal.initial->size() == signal.count);
    x.insert(x.end(), signal.initial->begin(), signal.initial->end());
  }
  std::vector<double> xdot(x.size()), next = x;
  const auto workspace = s.workspace();
  hybrid::Workspace& scratch = *workspace;
  std::vector<std::uint8_t> present(spec.events.size(), 1), emitted(spec.events.size(), 0);
  std::vector<int> mode(spec.automata.size(), 0), chosen(spec.automata.size(), -1);
  const std::size_t locations = spec.automata.empty() ? 1 : spec.automata[0].locations.size();
  for (std::size_t l = 0; l < locations && l < 100; ++l) {
    if (!mode.empty()) mode[0] = static_cast<int>(l);
    const hybrid::Point p{0.0, x, mode, u};
    s.flow(p, xdot, scratch);
    s.output(p, y, scratch);
    s.guards(p, z, scratch);
    s.tangent(p, {1.0, xdot, u}, {next, y, z}, scratch);
    if (!s.select(p, present, chosen, scratch)) continue;
    std::vector<int> next_mode = mode;
    hybrid::Jump j{next, next_mode, emitted};
    s.jump(p, chosen, j, scratch);
    double sides[2];
    s.witness(p, 0, chosen[0], std::span<double, 2>(sides), scratch);
    require(next_mode[0] >= 0 && static_cast<std::size_t>(next_mode[0]) < locations);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Diagnostics problems;
  const Type type = automaton::parse_type(std::string(reinterpret_cast<const char*>(data), size),
                                          "fuzz.xml", problems);
  require((problems.errors() == 0) == static_cast<bool>(type.system));
  require(!rendered(problems, 1000).empty() || type.system);
  for (const Diagnostic& d : problems.list()) {
    require(d.place.file == "fuzz.xml" && d.place.line >= 1 && d.place.column >= 1 &&
            d.place.length >= 1);
  }
  if (!type.system) return 0;
  Diagnostics more;
  const Parameters p("it", type.parameters, {}, 1, {}, more);
  require(more.errors() == 0);
  evaluate(*type.system(p));
  return 0;
}
