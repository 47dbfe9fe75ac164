// The time to check and compile hybrid systems from documents. The target: 1000 automata with 10
// states each in less than 2 s.
#include <benchmark/benchmark.h>

#include <memory>
#include <string>
#include <vector>

#include "vernier/model/automaton/automaton.hpp"

namespace {

using namespace vernier;

/// Two locations, ten coupled states with two nonlinear terms each, four transitions; `number`
/// makes each document different.
std::string document(int number) {
  const auto n = [](int i) { return std::to_string(i); };
  std::string s = "<hybridsystem name=\"Automaton" + n(number) + "\" version=\"1\">\n<constants>\n";
  for (int i = 0; i < 5; ++i) {
    s += "  <constant name=\"k" + n(i) + "\" value=\"" + n(number + 1) + "." + n(i + 1) +
         "\" unit=\"1/s\"/>\n";
  }
  s += "</constants>\n<inputs><input name=\"u\" default=\"0\"/></inputs>\n<states>\n";
  for (int i = 0; i < 10; ++i)
    s += "  <state name=\"x" + n(i) + "\" initial=\"0." + n(i) + "\"/>\n";
  s += "</states>\n<outputs><output name=\"y\"/><output name=\"norm\"/></outputs>\n"
       "<events><event name=\"go\" direction=\"in\"/><event name=\"done\" "
       "direction=\"out\"/></events>\n"
       "<initial location=\"A\"/>\n";
  for (const std::string here : {"A", "B"}) {
    const std::string other = here == "A" ? "B" : "A";
    s += "<location>\n  <name>" + here + "</name>\n";
    for (int i = 0; i < 10; ++i) {
      s += "  <diffequation state=\"x" + n(i) + "\">-k" + n(i % 5) + "*x" + n(i) + " + sin(x" +
           n((i + 1) % 10) + ")*x" + n((i + 3) % 10) + "^2/(1 + x" + n((i + 7) % 10) + "^2) + " +
           (here == "A" ? "u" : "norm") + "</diffequation>\n";
    }
    s += "  <outputmap output=\"y\">x0 + 2*x1 - x2*x3</outputmap>\n"
         "  <outputmap output=\"norm\">sqrt(x0^2 + x1^2 + x2^2 + x3^2 + x4^2)</outputmap>\n  "
         "<transitions>\n";
    s += "    <transition><name>up</name><domain>norm &gt; k0 and x1 &lt; "
         "0</domain><outevent>done</outevent>"
         "<reset><destination>" +
         other +
         "</destination><statereset state=\"x0\">0.5*x0</statereset>"
         "<statereset state=\"x1\">-x1</statereset></reset></transition>\n";
    s += "    <transition><name>told</name><inevent>go</inevent><reset><destination>" + other +
         "</destination></reset></transition>\n  </transitions>\n</location>\n";
  }
  return s + "</hybridsystem>\n";
}

std::unique_ptr<hybrid::System> made(const Type& type, int number, bool own_constants) {
  Diagnostics problems;
  ParameterValues values;
  if (own_constants) values["k0"] = {std::to_string(number + 1), "", {}};
  const Parameters p("automaton" + std::to_string(number), type.parameters, values, 1, {},
                     problems);
  return type.system(p);
}

void different_documents(benchmark::State& state) {
  std::vector<std::string> texts;
  for (int i = 0; i < 1000; ++i) texts.push_back(document(i));
  for (auto _ : state) {
    std::vector<std::unique_ptr<hybrid::System>> systems;
    for (int i = 0; i < 1000; ++i) {
      Diagnostics problems;
      const Type type =
          automaton::parse_type(texts[static_cast<std::size_t>(i)], "automaton.xml", problems);
      systems.push_back(made(type, i, false));
    }
    benchmark::DoNotOptimize(systems.data());
  }
}
BENCHMARK(different_documents)
    ->Name("1000 documents, checked and compiled")
    ->Unit(benchmark::kMillisecond);

void checked_documents(benchmark::State& state) {
  std::vector<std::string> texts;
  for (int i = 0; i < 1000; ++i) texts.push_back(document(i));
  for (auto _ : state) {
    for (const std::string& text : texts) {
      Diagnostics problems;
      benchmark::DoNotOptimize(automaton::parse_type(text, "automaton.xml", problems));
    }
  }
}
BENCHMARK(checked_documents)->Name("1000 documents, checked only")->Unit(benchmark::kMillisecond);

void instances(benchmark::State& state) {
  const std::string text = document(0);
  for (auto _ : state) {
    Diagnostics problems;
    const Type type = automaton::parse_type(text, "automaton.xml", problems);
    std::vector<std::unique_ptr<hybrid::System>> systems;
    for (int i = 0; i < 1000; ++i) systems.push_back(made(type, i, state.range(0) != 0));
    benchmark::DoNotOptimize(systems.data());
  }
}
BENCHMARK(instances)
    ->Name("1000 instances, the same constants")
    ->Arg(0)
    ->Unit(benchmark::kMillisecond);
BENCHMARK(instances)
    ->Name("1000 instances, constants of their own")
    ->Arg(1)
    ->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
