#include "vernier/model/multibody_loops/assembly.hpp"

#include <cmath>
#include <cstdio>

#include "vernier/base/text.hpp"

namespace vernier::multibody_loops {
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
              "remove one, or let them constrain less: a spherical joint and an in_line instead of "
              "two revolutes"};
    case Obstacle::conflicting:
      return {"V3201", "no position satisfies all of them; change one"};
    case Obstacle::apart:
      return {"V3202", "correct the positions of the nodes, or the offsets of the ends"};
    case Obstacle::velocities:
      return {"V3203", "velocities and rates of the nodes, or the drives, contradict the joints"};
    case Obstacle::singular:
      return {"V3204",
              "something can move and has no mass, or the mechanism is in a singular position"};
    case Obstacle::not_finite:
      return {"V3204",
              "a drive or an element of a library has no value at the start, or numbers are too "
              "large"};
    case Obstacle::no_equilibrium:
      return {"V3205",
              "something is not held, or the loads are more than it carries: try more load_steps, "
              "or start=\"assemble\""};
  }
  return {"V3204", ""};
}

/// The name quoted in the description of an equation: 'rod' of "moment equilibrium of node 'rod'
/// about x".
std::string quoted(const std::string& row) {
  const std::size_t first = row.find('\''), last = row.rfind('\'');
  return first < last ? row.substr(first + 1, last - first - 1) : std::string();
}

}  // namespace

ConfigurationError in_words(const constrained::AssemblyProblem& p, const Definition& d) {
  std::string what = p.what();
  // A single joint that cannot be satisfied: no small rotation of its ends reduces the error.
  const bool alone = p.kind == Obstacle::conflicting && p.names.size() == 1;
  if (alone)
    what += ": it stays " + short_text(p.gap) + " (m or rad) off";
  else if (p.kind == Obstacle::apart || p.kind == Obstacle::conflicting)
    what += ": they stay " + short_text(p.gap) + " (m or rad) apart";
  if (p.kind == Obstacle::velocities) what += ": " + short_text(p.gap) + " (m/s or rad/s) are left";
  const Words w = words_for(p.kind);
  // The message points to the first joint involved, or to the node that an equation names; the
  // other joints become notes.
  const auto at = p.names.empty() ? d.places.end() : d.places.find(p.names.front());
  const bool placed = at != d.places.end();
  Place place = placed ? at->second : d.place;
  if (!placed && !p.names.empty()) {
    const auto of_row = d.places.find(quoted(p.names.front()));
    if (of_row != d.places.end()) place = of_row->second;
  }
  Diagnostics problems;
  Diagnostic& one = problems.error(w.code, what, place);
  for (std::size_t i = placed ? 1 : 0; i < p.names.size() && i < 6; ++i) {
    const std::string& name = p.names[i];
    if (const auto other = d.places.find(name); other != d.places.end()) {
      one.notes.push_back("with \"" + name + "\" on line " + std::to_string(other->second.line));
    } else if (what.find(name) == std::string::npos) {
      one.notes.push_back("in the " + name);
    }
  }
  one.notes.emplace_back(
      alone ? "turn one of its ends: a universal joint wants z of the first normal to y of the "
              "second, other joints their axes less than 90 degrees apart"
            : w.advice);
  if (p.kind == Obstacle::singular && !p.names.empty() && p.names.front().starts_with("moment"))
    one.notes.emplace_back(
        "a body without <inertia> is a point: give it one, or hold how its node turns");
  return ConfigurationError(std::move(problems));
}

void put_together(constrained::Solver& solver, const Definition& d, double time) {
  try {
    if (d.equilibrium) {
      solver.equilibrate(time, d.load_steps);
    } else {
      solver.initialize(time);
    }
  } catch (const constrained::AssemblyProblem& p) {
    throw in_words(p, d);
  }
}

}  // namespace vernier::multibody_loops
