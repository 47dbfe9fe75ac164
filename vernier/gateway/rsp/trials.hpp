#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "vernier/gateway/rsp/simulated.hpp"

/// Experiments with random networks, motions, limits and mishaps, and what is asked of each: the
/// motion that the server puts out is continuous and within its limits, whatever happens.
namespace vernier::rsp {

/// Looks at every step of a server's output.
class StreamCheck {
 public:
  StreamCheck(std::vector<Limits> limits, double dt);

  /// After a step of the server. The text says what is wrong; empty: nothing.
  std::string after(const FacilityServer&);
  /// The next step follows nothing.
  void restart() noexcept { began_ = false; }

  /// Largest share of a limit that was used: speed, acceleration, jerk, and the same angular.
  struct Used {
    double speed = 0.0, acceleration = 0.0, jerk = 0.0, rate = 0.0, angular_acceleration = 0.0,
           angular_jerk = 0.0;
  };
  const Used& used() const noexcept { return used_; }

 private:
  std::vector<Limits> limits_;
  double dt_;
  bool began_ = false, smooth_ = true;
  std::vector<Trajectory> before_;
  Used used_;
};

/// A motion that wanders smoothly: sums of sines, in position and about all axes.
class Wandering {
 public:
  /// `share` of what the limits allow that its peaks come near.
  Wandering(std::uint64_t seed, const std::vector<Limits>&, double share);
  void at(double t, std::span<Trajectory>) const;

 private:
  struct Body {
    Vector3 center, amplitude, frequency, phase, turn, turn_frequency, turn_phase;
  };
  std::vector<Body> bodies_;
};

struct TrialResult {
  std::string problem;  // empty: none; with the time
  std::int64_t steps = 0, segments = 0, exact_ends = 0, extrapolated = 0, rejoined = 0, late = 0,
               early = 0, duplicates = 0, rejected = 0, runs = 0, refused = 0;
  StreamCheck::Used used;
};
/// One experiment of some seconds with everything drawn from the seed. `costs`: takes the processor
/// time of every step of the server, s.
TrialResult random_trial(std::uint64_t seed, std::vector<double>* costs = nullptr);

/// Operation for `hours` with restarts, cuts, garbage, pauses and faults; one facility throughout.
TrialResult operation(std::uint64_t seed, double hours);

}  // namespace vernier::rsp
