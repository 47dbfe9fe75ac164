#!/usr/bin/env python3
"""Writes bus.modal: the bus of the early Cassini design as point masses with five assumed modes.

usage: bus_modes.py > bus.modal
No finite-element model of that design is public. Masses, places, shapes and frequencies below are assumed: a stiff
stack that bends and twists, a soft boom and a truss that bends; shapes are those of the fields in field().
"""
import math

HERTZ = [0.35, 0.42, 3.0, 4.0, 5.5]  # boom in z, boom in y, truss in z, stack in x, stack about z
DAMPING = [0.002, 0.002, 0.005, 0.005, 0.005]
STACK, BOOM, TRUSS = "stack", "boom", "truss"

points = []  # number, where it belongs, mass, position
for z in (-2.0, -0.7, 0.7, 2.0):  # equipment modules and propulsion module
    for x in (0.9, -0.9):
        for y in (0.9, -0.9):
            points.append((len(points) + 1, STACK, 55.0, (x, y, z)))
for x, y in ((1.2, 0.0), (-1.2, 0.0), (0.0, 1.2), (0.0, -1.2)):  # high gain antenna
    points.append((len(points) + 1, STACK, 30.0, (x, y, 2.7)))
for x, y in ((1.5, 1.2), (-0.3, 1.9), (-1.2, 1.6)):  # thermoelectric generators, opposite the probe
    points.append((len(points) + 1, STACK, 56.0, (x, y, -1.7)))
for i in range(1, 6):  # magnetometer boom
    points.append((len(points) + 1, BOOM, 3.0, (0.9 + 2.0 * i, 0.0, 2.0)))
for i in range(1, 4):  # truss of the scan platform
    points.append((len(points) + 1, TRUSS, 9.0, (-0.9 - i, 0.0, 1.5)))
# where things are mounted
points += [
    (101, TRUSS, 0.0, (-3.9, 0.0, 1.5)),  # scan platform
    (102, STACK, 0.0, (0.0, 2.4, 1.6)),  # pointing platform
    (111, STACK, 0.0, (0.5, 0.5, -1.9)),  # wheels
    (112, STACK, 0.0, (-0.5, 0.5, -1.9)),
    (113, STACK, 0.0, (-0.5, -0.5, -1.9)),
    (114, STACK, 0.0, (0.5, -0.5, -1.9)),
    (121, STACK, 0.0, (0.25, 0.0, -2.2)),  # engines
    (122, STACK, 0.0, (-0.25, 0.0, -2.2)),
    (131, STACK, 0.0, (0.0, 0.0, -0.2)),  # attachment of the oxidiser's pendulum
    (132, STACK, 0.0, (0.0, 0.0, 1.1)),  # and the fuel's
    (141, STACK, 0.0, (0.0, -1.4, 0.2)),  # probe
    (151, STACK, 0.0, (1.3, 1.3, -1.5)),  # thruster clusters
    (152, STACK, 0.0, (-1.3, 1.3, -1.5)),
    (153, STACK, 0.0, (-1.3, -1.3, -1.5)),
    (154, STACK, 0.0, (1.3, -1.3, -1.5)),
    (161, BOOM, 0.0, (10.9, 0.0, 2.0)),  # magnetometer
    (162, STACK, 0.0, (0.0, 0.0, 1.8)),  # inertial unit
]


def field(mode, part, p):
    """Displacement and half its curl, before orthonormalization."""
    x, y, z = p
    s = x - 0.9 if part == BOOM else -0.9 - x if part == TRUSS else 0.0
    if mode == 0:
        return ((0, 0, s * s), (0, -2 * s, 0)) if part == BOOM else ((0, 0, 0), (0, 0, 0))
    if mode == 1:
        return ((0, s * s, 0), (0, 0, 2 * s)) if part == BOOM else ((0, 0, 0), (0, 0, 0))
    if mode == 2:
        return ((0, 0, s * s), (0, 2 * s, 0)) if part == TRUSS else ((0, 0, 0), (0, 0, 0))
    if mode == 3:  # plane sections of the stack remain plane
        return (z * z, 0, -2 * x * z), (0, 2 * z, 0)
    return (-y * z, x * z, 0), (-0.5 * x, -0.5 * y, z)


# displacement and rotation of every point, six numbers; mass-orthonormalized by Gram-Schmidt
shapes = []
for i in range(5):
    shape = [[*t, *r] for t, r in (field(i, part, p) for _, part, _, p in points)]
    for other in shapes:
        share = sum(m * sum(a[c] * b[c] for c in range(3)) for (_, _, m, _), a, b in zip(points, shape, other))
        shape = [[a[c] - share * b[c] for c in range(6)] for a, b in zip(shape, other)]
    mass = sum(m * sum(a[c] ** 2 for c in range(3)) for (_, _, m, _), a in zip(points, shape))
    shapes.append([[c / math.sqrt(mass) for c in a] for a in shape])

print("vernier-modal 1")
print("name bus of the early Cassini design; made by bus_modes.py, everything assumed")
print("length m\nmass kg")
print(f"modes 5\npoints {len(points)}\nrotations yes")
print("frequency Hz", *HERTZ)
print("damping", *DAMPING)
for k, (number, _, mass, p) in enumerate(points):
    print(f"point {number}  {mass:g}  {p[0]:g} {p[1]:g} {p[2]:g}")
    for i, shape in enumerate(shapes, 1):
        print(f" {i} ", *(f"{c + 0.0:.15g}" for c in shape[k]))
print(f"check mass {sum(m for _, _, m, _ in points):g}")
print("check modal_mass 1 1 1 1 1")
print("end")
