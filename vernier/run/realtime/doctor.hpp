#pragma once

#include <string>
#include <vector>

#include "vernier/run/realtime/report.hpp"

namespace vernier::realtime {

/// A property of a machine that matters for real time.
struct MachineFinding {
  enum class Level { good, warning, bad };
  Level level = Level::good;
  std::string name;      // "CPU frequency"
  std::string value;     // "CPUs 2-3 use governor \"powersave\""
  std::string why, fix;  // for a problem
};

/// What can be determined without measuring. `privileges`: what the system granted.
std::vector<MachineFinding> examined(const Machine&, const std::vector<Privilege>& privileges);

/// The lateness of frame starts, compared with the 2 % of a frame reserved for it.
MachineFinding judged_wake_up(const Histogram&, double period_ns, double seconds);
/// The cost of a frame's work. 30 % of the frame must stay free.
MachineFinding judged_cost(const Health&, const std::string& document);

/// Runs empty frames for a while, with all privileges that the system grants.
Health measured(Duration period, Duration how_long, const Wanted&);

/// Whether the machine can keep frames of `period`, and what to do: "fit for 250 Hz, one thing to
/// fix".
struct Verdict {
  bool fit = true;
  std::string words;
};
Verdict concluded(const std::vector<MachineFinding>&, double period_ns);

}  // namespace vernier::realtime
