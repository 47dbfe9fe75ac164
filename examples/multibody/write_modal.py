#!/usr/bin/env python3
"""Writes a modal file (formats/multibody/modal.md): bending modes of a uniform cantilever beam along x.

usage: write_modal.py > array.modal
A finite-element post-processor does the same with its own lumped masses and eigenvectors.
"""
import math

LENGTH, MASS, EI = 6.0, 36.0, 900.0  # m, kg, N m^2: a solar array that bends in z
WIDTH = 1.5  # m, along y: gives the points their inertia about x
POINTS, MODES = 24, 3
BETA = [1.875104068712, 4.694091132974, 7.854757438238]  # roots of cos(b) cosh(b) = -1


def shape(beta, s):
    """Deflection and slope of a clamped-free mode at 0 <= s <= 1, with the integral of its square 1."""
    sigma = (math.cosh(beta) + math.cos(beta)) / (math.sinh(beta) + math.sin(beta))
    x = beta * s
    deflection = math.cosh(x) - math.cos(x) - sigma * (math.sinh(x) - math.sin(x))
    slope = beta * (math.sinh(x) + math.sin(x) - sigma * (math.cosh(x) - math.cos(x)))
    return deflection, slope


lump = MASS / POINTS
places = [(i + 0.5) / POINTS for i in range(POINTS)]
# the sum over the points differs slightly from the integral: scale to modal mass 1 kg
scales = [1 / math.sqrt(sum(lump * shape(b, s)[0] ** 2 for s in places)) for b in BETA]
hertz = [b * b * math.sqrt(EI * LENGTH / MASS) / LENGTH**2 / (2 * math.pi) for b in BETA]

print("vernier-modal 1")
print("name solar array, bending in z")
print("length m\nmass kg")
print(f"modes {MODES}\npoints {POINTS + 2}\nrotations yes")
print("frequency Hz", *(f"{f:.9g}" for f in hertz))
print("damping", *["0.004"] * MODES)
for number, s, mass in [(1, 0.0, 0.0), *((i + 2, s, lump) for i, s in enumerate(places)), (100, 1.0, 0.0)]:
    inertia = f"  {mass * WIDTH ** 2 / 12:.9g} 0 {mass * WIDTH ** 2 / 12:.9g} 0 0 0" if mass else ""
    print(f"point {number}  {mass:.9g}  {LENGTH * s:.9g} 0 0{inertia}")
    for i, (beta, scale) in enumerate(zip(BETA, scales), 1):
        deflection, slope = shape(beta, s)
        # deflection in z; a beam that bends upwards rotates about -y
        print(f" {i}  0 0 {scale * deflection:.9g}  0 {-scale * slope / LENGTH:.9g} 0")
print(f"check mass {MASS:.9g}")
print("check modal_mass", *["1"] * MODES)
print("end")
