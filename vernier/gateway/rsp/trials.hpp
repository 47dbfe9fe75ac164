#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "vernier/gateway/rsp/simulated.hpp"

/// Experiments with random networks, motions, limits and failures. The requirement: the motion that
/// the server commands is continuous and within its limits, whatever happens.
namespace vernier::rsp {

/// Checks every step of a server's output.
class StreamCheck {
 public:
  StreamCheck(std::vector<Limits> limits, double dt);

  /// Call it after a step of the server. Returns what is wrong; empty: nothing.
  std::string after(const FacilityServer&);
  /// The next step is not compared with the one before.
  void restart() noexcept { began_ = false; }

  /// The largest fraction used of each limit: speed, acceleration, jerk, and the angular ones.
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

/// A smooth random motion: sums of sines, in position and about all axes.
class Wandering {
 public:
  /// `share`: the fraction of the limits that its peaks approach.
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
/// One experiment of some seconds with everything drawn from the seed. `costs`: receives the
/// processor time of every server step, s.
TrialResult random_trial(std::uint64_t seed, std::vector<double>* costs = nullptr);

/// Operation for `hours` with restarts, disconnects, garbage, pauses and faults; one facility
/// throughout.
TrialResult operation(std::uint64_t seed, double hours);

}  // namespace vernier::rsp
