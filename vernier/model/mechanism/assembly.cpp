#include "vernier/model/mechanism/assembly.hpp"

#include <cmath>
#include <cstdio>

#include "vernier/base/text.hpp"

namespace vernier::mechanism {
namespace {

using Obstacle = constrained::AssemblyProblem::Kind;

std::string short_text(double x) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", x);
  return text;
}

struct Words {
  const char *code, *advice;
};

Words words_for(Obstacle k) {
  switch (k) {
    case Obstacle::redundant:
      return {"V3200",
              "take one away, or let one hold less: a spherical joint or an in_line instead of a "
              "revolute"};
    case Obstacle::conflicting:
      return {"V3201", "no position satisfies all of them; change one"};
    case Obstacle::apart:
      return {"V3202", "correct the positions of the nodes, or the offsets of the ends"};
    case Obstacle::velocities:
      return {"V3203", "velocities and rates of the nodes, or the drives, contradict the joints"};
    case Obstacle::singular:
      return {"V3204",
              "something can move and has no mass, or the mechanism stands where it locks"};
    case Obstacle::no_equilibrium:
      return {"V3205",
              "something is not held, or the loads are more than it carries: try more load_steps, "
              "or start=\"assemble\""};
  }
  return {"V3204", ""};
}

[[noreturn]] void refuse(const Definition& d, Obstacle kind, std::string what,
                         const std::vector<std::string>& names) {
  Diagnostics problems;
  const Words w = words_for(kind);
  const auto at = names.empty() ? d.places.end() : d.places.find(names.front());
  Diagnostic& one =
      problems.error(w.code, std::move(what), at == d.places.end() ? d.place : at->second);
  for (std::size_t i = 1; i < names.size() && i < 6; ++i) {
    if (const auto other = d.places.find(names[i]); other != d.places.end())
      one.notes.push_back("with \"" + names[i] + "\" on line " +
                          std::to_string(other->second.line));
  }
  one.notes.emplace_back(w.advice);
  throw ConfigurationError(std::move(problems));
}

}  // namespace

void put_together(constrained::Solver& solver, const Definition& d, double time) {
  try {
    if (d.equilibrium) {
      solver.equilibrate(time, d.load_steps);
    } else {
      solver.initialize(time);
    }
  } catch (const constrained::AssemblyProblem& p) {
    std::string what = p.what();
    if (p.kind == Obstacle::apart || p.kind == Obstacle::conflicting)
      what += ": they stay " + short_text(p.gap) + " (m or rad) apart";
    if (p.kind == Obstacle::velocities)
      what += ": " + short_text(p.gap) + " (m/s or rad/s) are left";
    refuse(d, p.kind, std::move(what), p.names);
  }
  if (const std::vector<std::string> names = solver.redundant(); !names.empty())
    refuse(d, Obstacle::redundant,
           "constraints are redundant in \"" + joined(names, "\", \"") + "\"", names);
}

}  // namespace vernier::mechanism
