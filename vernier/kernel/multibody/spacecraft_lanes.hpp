#pragma once

#include "vernier/kernel/multibody/spacecraft.hpp"

namespace vernier::multibody {

/// Eight states of one spacecraft including its equipment, for filters, Monte Carlo and
/// differences. Element i of state l of an array is at [8 i + l]. The same speeds are prescribed in
/// all states.
///
/// In reproducible arithmetic every lane has the bits of Spacecraft, and everything runs in lanes:
/// trees, stars, and what stands around them (central gravity: lane by lane). The arithmetic
/// `fastest` is evaluated one state at a time.
class SpacecraftLanes {
 public:
  static constexpr std::size_t count = 8;

  explicit SpacecraftLanes(const Spacecraft&);
  ~SpacecraftLanes();
  SpacecraftLanes(SpacecraftLanes&&) noexcept;
  SpacecraftLanes& operator=(SpacecraftLanes&&) noexcept;

  // The functions below do not allocate. Spans have eight times the elements that Spacecraft
  // requires, except Commands::prescribed; they need no special alignment.
  void place(const Spacecraft::State&) noexcept;
  /// Computes the rates of placed states; returns the states that succeeded as bits. The rates of
  /// the others are undefined.
  unsigned accelerate(const Spacecraft::Commands&, const Spacecraft::Rates&) noexcept;
  void coordinate_rates(std::span<double> qdot) noexcept;  // of placed states

  /// What can be read of accelerated states, like the rates with eight numbers for one.
  struct Readings {
    std::span<const double> speeds;     // of rotors
    std::span<const double> efforts;    // of each speed: Spacecraft::efforts()
    std::span<const double> sensors;    // 22 of each: the elements of Reading in sequence
    std::span<const double> totals;     // 18: mass; kinetic, deformation, spring, gravitational and
                                        // total energy; momenta, centre, its velocity
    std::span<const double> reactions;  // 6 of each body: moment, force; empty unless requested
  };
  Readings read(bool reactions) noexcept;

 private:
  struct Data;
  std::unique_ptr<Data> data_;
};

}  // namespace vernier::multibody
