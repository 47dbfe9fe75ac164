#pragma once

#include <string>
#include <vector>

#include "vernier/run/realtime/report.hpp"

namespace vernier::realtime {

/// Something about a machine that matters for real time.
struct MachineFinding {
  enum class Level { good, warning, bad };
  Level level = Level::good;
  std::string name;      // "CPU frequency"
  std::string value;     // "CPUs 2-3 use governor \"powersave\""
  std::string why, fix;  // of what is not good
};

/// What can be said of a machine without measuring. `privileges`: what it gave when it was asked.
std::vector<MachineFinding> examined(const Machine&, const std::vector<Privilege>& privileges);

/// How long after its time a frame begins, against the 2 % of a frame that are meant for it.
MachineFinding judged_wake_up(const Histogram&, double period_ns, double seconds);
/// What the work of a frame takes of it. 30 % shall stay free.
MachineFinding judged_cost(const Health&, const std::string& document);

/// Runs frames that do nothing for a while, with all that the system gives.
Health measured(Duration period, Duration how_long, const Wanted&);

/// Whether frames of `period` can be kept, and what to do: "fit for 250 Hz, one thing to fix".
struct Verdict {
  bool fit = true;
  std::string words;
};
Verdict concluded(const std::vector<MachineFinding>&, double period_ns);

}  // namespace vernier::realtime
