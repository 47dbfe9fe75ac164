#!/usr/bin/env python3
"""Writes a modal file (formats/multibody/modal.md) with a `beam` line: a slender beam that is spun up.

usage: write_beam.py > beam.modal
The `beam` line lets Vernier compute how the bent beam shortens, and from that its geometric stiffness.
"""
import math

# the beam of Wu and Haug (1988): m, m^2, m^4, kg/m^3, Pa
LENGTH, AREA, SECOND_MOMENT, DENSITY, YOUNG = 8.0, 7.2968e-5, 8.2189e-9, 2766.67, 6.8952e10
SEGMENTS = 40
BETA = [1.875104068711961, 4.694091132974175, 7.854757438237613]  # roots of cos(b) cosh(b) = -1


def shape(beta, s):
    """Deflection and slope of a clamped-free mode at 0 <= s <= 1, with the integral of its square 1."""
    sigma = (math.cosh(beta) + math.cos(beta)) / (math.sinh(beta) + math.sin(beta))
    x = beta * s
    deflection = math.cosh(x) - math.cos(x) - sigma * (math.sinh(x) - math.sin(x))
    slope = beta * (math.sinh(x) + math.sin(x) - sigma * (math.cosh(x) - math.cos(x)))
    return deflection, slope


mass = DENSITY * AREA * LENGTH
rate = math.sqrt(YOUNG * SECOND_MOMENT / (mass * LENGTH**3))
print("vernier-modal 1")
print("name slender beam along x, bending in y")
print("length m\nmass kg")
print(f"modes {len(BETA)}\npoints {SEGMENTS + 1}\nrotations yes")
print("frequency rad/s", *(f"{b * b * rate:.12g}" for b in BETA))
print("damping", *["0"] * len(BETA))
for k in range(SEGMENTS + 1):
    # trapezoidal rule; a little inertia about the axis of the beam
    lump = mass / SEGMENTS * (0.5 if k in (0, SEGMENTS) else 1.0)
    print(f"point {k + 1}  {lump:.12g}  {LENGTH * k / SEGMENTS:.12g} 0 0  {1e-4 * lump:.12g} 0 0 0 0 0")
    for i, beta in enumerate(BETA, 1):
        deflection, slope = shape(beta, k / SEGMENTS)
        print(f" {i}  0 {deflection:.12g} 0  0 0 {slope / LENGTH:.12g}")
print("beam", *range(1, SEGMENTS + 2))
print(f"check mass {mass:.12g}")
print("end")
