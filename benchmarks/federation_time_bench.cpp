// The cost of an advance of logical time in the RTI, without transport: federates in lock-step,
// alone and with a message to all at every step. Prints the figures and whether a step of two
// federates takes at most 2 us in the core; exits with 1 if it does not.
#include <cstdio>

#include "machine.hpp"
#include "vernier/gateway/federation/callbacks.hpp"
#include "vernier/gateway/federation/time_manager.hpp"

namespace {

using namespace vernier::federation;

/// Seconds for one step of all federates.
double step(Handle federates, AdvanceKind how, bool messages) {
  long frames = 0;
  TimeManager time(TimeKind::integer64, [&](Handle, const Frame&) { ++frames; });
  for (Handle f = 1; f <= federates; ++f) {
    time.add(f);
    time.enable_constrained(f);
    time.enable_regulation(f, {10});
  }
  const Frame message = frame(Receive{});
  const int steps = (messages ? 100'000 : 1'000'000) / static_cast<int>(federates);
  const double begin = vernier::bench::cpu_seconds();
  for (int s = 1; s <= steps; ++s) {
    for (Handle f = 1; f <= federates; ++f) {
      const Stamp at{10 * s};
      if (messages) {
        time.sent(f, at, static_cast<std::uint32_t>(s));
        for (Handle to = 1; to <= federates; ++to) {
          if (to != f) time.hold(to, at, message, {f, static_cast<std::uint32_t>(s)});
        }
      }
      time.advance(f, how, at);
    }
  }
  return (vernier::bench::cpu_seconds() - begin) / steps;
}

}  // namespace

int main() {
  std::printf("%s\n\n", vernier::bench::machine().c_str());
  std::printf("%10s  %-20s  %14s  %22s\n", "federates", "request", "us per step",
              "with messages to all");
  bool met = true;
  for (const Handle n : {2u, 10u, 200u}) {
    for (const AdvanceKind how : {AdvanceKind::to, AdvanceKind::next}) {
      const double alone = step(n, how, false);
      std::printf("%10u  %-20s  %14.2f  %22.2f\n", n,
                  how == AdvanceKind::to ? "timeAdvanceRequest" : "nextMessageRequest", 1e6 * alone,
                  1e6 * step(n, how, true));
      if (n == 2) met = met && alone <= 2e-6;
    }
  }
  std::printf("\ntwo federates, at most 2 us per step: %s\n", met ? "yes" : "NO");
  return met ? 0 : 1;
}
