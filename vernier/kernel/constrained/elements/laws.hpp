#pragma once

#include "vernier/kernel/constrained/elements/coordinate.hpp"

/// One-dimensional laws of force.
namespace vernier::constrained::parts {

void check(const Friction&, bool revolute);
void check(const Stop&);
void check(const Law&);

/// The equation of the dry friction f (an unknown, against the rate) under a reaction `load` (N, or
/// N m): f = M(rate) where it slides, rate = smoothing f / M where it sticks. Which of the two
/// follows from f as well as from the rate, so that Newton's iteration finds a change within a few
/// steps, however small the smoothing.
struct Slide {
  double residual, by_f, by_rate;
};
Slide slide(const Friction&, double load, double rate, double f) noexcept;
/// Towards the inside of the range. The damping force is at most as large as the elastic one: the
/// stop never pulls, and its force begins at zero.
Push stop_force(const Stop&, double s, double rate) noexcept;
double stop_energy(const Stop&, double s) noexcept;

/// Force of a law with its derivatives; z: the relaxing elongation of a viscoelastic one.
struct LawForce {
  double force, by_s, by_rate, by_z;
};
LawForce force(const Law&, double s, double rate, double z) noexcept;
/// Energy stored, from s = 0.
double energy(const Law&, double s, double z) noexcept;
/// The same law where it pulls and s > 0, else none: a cable. Damping at most as large as the rest.
LawForce pulling_force(const Law&, double s, double rate, double z) noexcept;

}  // namespace vernier::constrained::parts
