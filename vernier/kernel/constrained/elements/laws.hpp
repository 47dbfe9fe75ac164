#pragma once

#include "vernier/kernel/constrained/elements/coordinate.hpp"

/// Scalar force laws.
namespace vernier::constrained::parts {

void check(const Friction&, bool revolute);
void check(const Stop&);
void check(const Law&);

/// The equation of the dry friction f (an unknown, opposed to the rate) under a reaction `load` (N,
/// or N m): f = M(rate) if sliding, rate = smoothing f / M if sticking. The decision depends on f
/// as well as on the rate, so Newton's iteration finds a change within a few iterations, however
/// small the smoothing.
struct Slide {
  double residual, by_f, by_rate;
};
Slide slide(const Friction&, double load, double rate, double f) noexcept;
/// The force of a stop, towards the inside of the range. The damping force does not exceed the
/// elastic one: the stop never pulls, and its force starts at zero.
Push stop_force(const Stop&, double s, double rate) noexcept;
double stop_energy(const Stop&, double s) noexcept;

/// The force of a law with its derivatives; z: the relaxing elongation of a viscoelastic law.
struct LawForce {
  double force, by_s, by_rate, by_z;
};
LawForce force(const Law&, double s, double rate, double z) noexcept;
/// The stored energy, zero at s = 0.
double energy(const Law&, double s, double z) noexcept;
/// A cable: the law where it pulls and s > 0, otherwise 0. Damping does not exceed the elastic
/// force.
LawForce pulling_force(const Law&, double s, double rate, double z) noexcept;

}  // namespace vernier::constrained::parts
