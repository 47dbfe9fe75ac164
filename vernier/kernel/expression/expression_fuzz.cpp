// Any text is read, or refused with problems that lie within it; what is read runs alike in all
// back ends, its derivatives too.
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "vernier/base/require.hpp"
#include "vernier/kernel/expression/program.hpp"

namespace {

using namespace vernier;
using namespace vernier::expression;

constexpr std::uint32_t symbols = 6;

std::optional<Value> meaning(Graph& g, std::string_view name) {
  static const auto metre = parsed_unit("m"), second = parsed_unit("s"), one = parsed_unit("1");
  if (name == "x") return Meaning{g.symbol(0), metre};
  if (name == "y") return Meaning{g.symbol(1), metre};
  if (name == "t") return Meaning{g.symbol(2), second};
  if (name == "n") return Meaning{g.symbol(3), one};
  if (name == "k") return Meaning{g.symbol(4)};
  if (name == "omega") return Value({2, 0}, {{g.symbol(5), one}, {g.symbol(4), {}}});
  if (name == "M") {
    Value m({2, 3}, {});
    for (std::uint32_t i = 0; i < symbols; ++i) m.elements.push_back({g.symbol(i), {}});
    return m;
  }
  return {};
}

bool same(double a, double b) {
  return (std::isnan(a) && std::isnan(b)) ||
         std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

void run(const Program& p) {
  constexpr std::size_t lanes = Program::lanes;
  constexpr std::array<double, 8> values{0.0, -0.0, 1.5, -2.0, INFINITY, 5e-324, 1e308, 0.3};
  std::vector<double> in(symbols * lanes), out(p.outputs() * lanes), work(p.work() * lanes);
  for (std::size_t i = 0; i < in.size(); ++i)
    in[i] = i % 41 == 0 ? NAN : values[i * 7 % 8] + 0.01 * static_cast<double>(i % 5);
  std::array<const double*, symbols> at{};
  for (std::size_t i = 0; i < symbols; ++i) at[i] = &in[i * lanes];
  p.run_lanes(at.data(), out.data(), work.data());
  std::vector<double> one(symbols), a(p.outputs()), b(p.outputs());
  for (std::size_t l = 0; l < lanes; ++l) {
    for (std::size_t i = 0; i < symbols; ++i) one[i] = in[i * lanes + l];
    p.interpret(one.data(), a.data(), work.data());
    p.run(one.data(), b.data(), work.data());
    for (std::size_t o = 0; o < a.size(); ++o) {
      require(same(a[o], b[o]));
      require(same(a[o], out[o * lanes + l]));
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  static const UserFunctions functions{{"f", {"v", "w"}, "let d = v - w; d*norm(d)"},
                                       {"g", {"v"}, "f(v, f(v, 2*v)) + v"}};
  for (const Wanted wanted : {Wanted::number, Wanted::values, Wanted::condition}) {
    Graph g;
    const auto scope = [&](std::string_view name) { return meaning(g, name); };
    const Parsed p = parse(text, g, scope, wanted, functions);
    for (const Problem& problem : p.problems) {
      const std::size_t end =
          problem.function == Problem::outside ? size : functions.at(problem.function).body.size();
      require(!problem.message.empty() && problem.length > 0);
      require(end == 0 || problem.offset + problem.length <= end);
    }
    if (!p.problems.empty()) continue;
    require(p.boolean == (wanted == Wanted::condition));
    for (const Atom& atom : p.atoms) require(atom.length > 0 && atom.offset + atom.length <= size);
    require(p.elements.size() == p.shape.size() && p.elements[0].term == p.term);
    std::vector<Term> outputs;
    for (const Meaning& m : p.elements) outputs.push_back(m.term);
    if (outputs.size() > 100) continue;
    for (const std::uint32_t s : g.symbols(p.term)) outputs.push_back(g.derivative(p.term, s));
    run(Program(g, outputs, symbols, true));
  }
  return 0;
}
