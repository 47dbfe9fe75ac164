#include "apps/vernier/mechanism_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <nlohmann/json.hpp>
#include <vector>

#include "apps/vernier/console.hpp"
#include "vernier/base/cost.hpp"

namespace vernier::app {
namespace {

using constrained::Scheme;

struct Counts {
  std::size_t dynamic = 0, fixed = 0;
  std::map<std::string, int> elements;  // by kind
  double mass = 0.0;
  double step_us = 0.0;
};

const char* scheme_word(Scheme s) {
  constexpr const char* words[] = {"multistep2",        "multistep3",
                                   "multistep4",        "trapezoid",
                                   "generalized_alpha", "generalized_alpha_second",
                                   "composite",         "sdirk3"};
  return words[static_cast<std::size_t>(s)];
}

/// Of one step, in µs; 0 if the first fails.
double step_cost(const multibody_loops::Mechanism& m) {
  using clock = std::chrono::steady_clock;
  const constrained::Mechanism& mechanism = m.solver().mechanism();
  constrained::State state = m.solver().state();
  constrained::Workspace work(mechanism);
  std::vector<double> all;
  const auto begin = clock::now();
  while (all.size() < 200 && clock::now() - begin < std::chrono::milliseconds(100)) {
    const double start = processor_us();
    const constrained::StepReport r = mechanism.step(state, work, m.definition().step);
    if (r.end == constrained::StepReport::End::failed) break;
    all.push_back(processor_us() - start);
  }
  return undisturbed(all);
}

Counts counts_of(const multibody_loops::Mechanism& m) {
  Counts c;
  const constrained::Model& model = m.definition().model;
  for (const constrained::Node& n : model.nodes) ++(n.dynamic ? c.dynamic : c.fixed);
  for (const constrained::NamedElement& e : model.elements) ++c.elements[e.kind];
  for (const constrained::Body& b : model.bodies) c.mass += b.mass;
  c.step_us = step_cost(m);
  return c;
}

}  // namespace

std::string mechanism_text(multibody_loops::Mechanism& m, std::string_view indent) {
  const Counts c = counts_of(m);
  const multibody_loops::Definition& d = m.definition();
  const std::string in(indent);
  std::string elements;
  for (const auto& [kind, n] : c.elements)
    elements += fmt::format("{}{} {}", elements.empty() ? "" : ", ", n, kind);
  std::string out = fmt::format("{}nodes        {} with inertia, {} without; {} kg in all\n", in,
                                c.dynamic, c.fixed, short_number(c.mass), d.model.bodies.size());
  out += fmt::format("{}elements     {}\n", in, elements.empty() ? "none" : elements);
  if (!d.model.scalars.empty())
    out += fmt::format("{}scalars      {}\n", in, d.model.scalars.size());
  const constrained::Mechanism::Structure s = m.solver().structure();
  out += fmt::format(
      "{}equations    {}, of which {} unknowns are solved for; {} entries, {} more in the "
      "factors\n",
      in, m.solver().equations(), m.solver().rows(), s.entries, s.fill);
  out += fmt::format(
      "{}computed     by {}, rho {}, in steps of {} s, {} {} iterations: {:.2f} µs a step\n", in,
      scheme_word(d.settings.scheme), short_number(d.settings.rho), short_number(d.step),
      d.settings.accept_unconverged ? "always within" : "at most", d.settings.iterations_most,
      c.step_us);
  return out;
}

nlohmann::ordered_json mechanism_json(multibody_loops::Mechanism& m) {
  const Counts c = counts_of(m);
  const multibody_loops::Definition& d = m.definition();
  return {{"nodes", c.dynamic + c.fixed},
          {"nodes_without_inertia", c.fixed},
          {"bodies", d.model.bodies.size()},
          {"mass", c.mass},
          {"elements", c.elements},
          {"scalars", d.model.scalars.size()},
          {"equations", m.solver().equations()},
          {"unknowns", m.solver().rows()},
          {"entries", m.solver().structure().entries},
          {"fill", m.solver().structure().fill},
          {"scheme", scheme_word(d.settings.scheme)},
          {"rho", d.settings.rho},
          {"step_s", d.step},
          {"iterations", d.settings.iterations_most},
          {"budget", d.settings.accept_unconverged},
          {"step_us", c.step_us}};
}

}  // namespace vernier::app
