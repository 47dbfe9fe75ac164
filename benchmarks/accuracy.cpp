// The accuracy of event times: the worst error over all events of each accuracy case, at the
// tolerances 1e-6, 1e-9 and 1e-12, compared with closed forms. Prints the figures and whether they
// are within the requested tolerance; exits with 1 if one is not.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

#include "vernier/model/island/island.hpp"
#include "vernier/testing/accuracy_cases.hpp"
#include "vernier/testing/rig.hpp"

namespace {

using namespace vernier;
using testing::AccuracyCase;

struct Result {
  double worst = 0.0;    // s
  bool sequence = true;  // the same transitions in the same order
  std::size_t events = 0;
  double milliseconds = 0.0;
};

Result run(const AccuracyCase& c, const std::string& integrator, double tolerance, Duration tick) {
  const auto system = c.make();
  IslandSettings settings;
  settings.integrator = integrator;
  settings.rtol = settings.atol = tolerance;
  const auto island = island::make_island(c.make(), settings);
  testing::Rig rig(*island);
  const Time end{Duration(std::llround(c.until * 1e9))};
  Result r;
  // simultaneous transitions, by name: where bodies touch within rounding their order is arbitrary
  std::map<std::string, int> pending;
  const auto start = std::chrono::steady_clock::now();
  while (rig.now() < end) {
    rig.step(std::min(tick, end - rig.now()));
    for (const Entry& e : rig.journal().entries()) {
      if (r.events < c.events.size()) {
        const auto& expected = c.events[r.events];
        const long double t =
            static_cast<long double>(e.at.time.time_since_epoch().count()) * 1e-9L + e.remainder;
        r.worst = std::max(r.worst, static_cast<double>(std::fabs(t - expected.t)));
        const auto& automaton = system->spec().automata[static_cast<std::size_t>(e.item >> 15)];
        const std::string& name =
            automaton.transitions[static_cast<std::size_t>(e.item & 0x7fff)].name;
        if (c.ties) {
          if (++pending[name] == 0) pending.erase(name);
          if (--pending[expected.transition] == 0) pending.erase(expected.transition);
          const bool last =
              r.events + 1 == c.events.size() || c.events[r.events + 1].t != expected.t;
          if (last && !pending.empty()) r.sequence = false;
        } else if (name != expected.transition) {
          r.sequence = false;
        }
      }
      ++r.events;
    }
    rig.journal().clear();
  }
  r.milliseconds =
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  if (r.events != c.events.size()) r.sequence = false;
  return r;
}

bool table(const std::string& integrator, const std::vector<double>& tolerances, Duration tick) {
  std::printf("%s, ticks of %g s: worst error of an event's time in s, and the time it took\n",
              integrator.c_str(), seconds(tick));
  std::printf("%-20s %6s", "case", "events");
  for (double t : tolerances) std::printf("  %22s%7.0e", "", t);
  std::printf("\n");
  bool all = true;
  for (const AccuracyCase& c : testing::accuracy_cases()) {
    std::printf("%-20s %6zu", c.name.c_str(), c.events.size());
    for (double tolerance : tolerances) {
      const Result r = run(c, integrator, tolerance, tick);
      const bool good = r.sequence && r.worst <= tolerance;
      all = all && good;
      std::printf("  %9.1e %-3s %9.2f ms  ", r.worst, good ? "ok" : "NOT", r.milliseconds);
      if (!r.sequence) std::printf("(other events)");
    }
    std::printf("\n");
  }
  std::printf("%s\n\n",
              all ? "all within the tolerance asked for: ok" : "NOT all within the tolerance");
  return all;
}

}  // namespace

int main() {
  using namespace std::chrono_literals;
  bool good = true;
  for (const Duration tick : {Duration(100ms), Duration(1s)}) {
    good = table("dopri5", {1e-6, 1e-9, 1e-12}, tick) && good;
  }
  good = table("rodas", {1e-6, 1e-9}, 100ms) && good;
  return good ? 0 : 1;
}
