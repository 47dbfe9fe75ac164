#!/usr/bin/env python3
"""The relative orbit of missions/epos against closed forms and against two orbits integrated apart. usage: formation_test.py <vernier> <source tree>"""
import csv
import math
import pathlib
import subprocess
import sys
import tempfile
import unittest

VERNIER, SOURCE = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
MU, EARTH, J2, RADIUS, INCLINATION = 3.986004418e14, 6378137.0, 1.08262668e-3, 6878137.0, math.radians(97.4)
N = math.sqrt(MU / RADIUS**3)
START = ([0.2, -12.0, 0.3], [0.01, 0.02, -0.005])


def ran(model, until, every, signals, settings):
    """Rows t, signals… of a model with these parameters."""
    with tempfile.TemporaryDirectory() as folder:
        words = [VERNIER, "run", SOURCE / f"missions/epos/{model}.xml", "--until", f"{until}s", "--out", folder, "--quiet"]
        for name, value in settings.items():
            words += ["--override" if name == "n" else "--set", f"{model}.{name}={value}"]
        run = subprocess.run(words, check=True, capture_output=True, text=True).stdout.strip()
        table = subprocess.run([VERNIER, "export", run, *signals, "--every", every, "--format", "csv"],
                               check=True, capture_output=True, text=True).stdout
        rows = list(csv.reader(line for line in table.splitlines() if not line.startswith("#")))
        return [[float(x) for x in row] for row in rows[1:]]


def flown(until, **settings):
    start = {"r": "{} {} {}".format(*START[0]), "v": "{} {} {}".format(*START[1])}
    return ran("orbit", until, "10s", ["orbit.position"], {**start, **settings})


def clohessy_wiltshire(t, force=0.0):
    """Closed form, with a constant force along the track; in-plane and across."""
    (x, y, z), (u, v, w) = START
    s, c = math.sin(N * t), math.cos(N * t)
    return ((4 - 3 * c) * x + s / N * u + 2 / N * (1 - c) * v + 2 * force / N * (t - s / N),
            6 * (s - N * t) * x + y - 2 / N * (1 - c) * u + (4 * s - 3 * N * t) / N * v + force * (4 / N**2 * (1 - c) - 1.5 * t * t),
            c * z + s / N * w)


def sum_of(a, b, h):
    return [p + h * q for p, q in zip(a, b)]


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def dot(a, b):
    return sum(p * q for p, q in zip(a, b))


def rate(s):
    """Point mass and J2, in equatorial axes."""
    r2 = dot(s[:3], s[:3])
    g = -MU / (r2 * math.sqrt(r2))
    k, f = 1.5 * J2 * EARTH**2 / r2, 5 * s[2] ** 2 / r2
    return [*s[3:], g * s[0] * (1 + k * (1 - f)), g * s[1] * (1 + k * (1 - f)), g * s[2] * (1 + k * (3 - f))]


def step(s, h):
    a = rate(s)
    b = rate(sum_of(s, a, h / 2))
    c = rate(sum_of(s, b, h / 2))
    d = rate(sum_of(s, c, h))
    return [x + h / 6 * (p + 2 * q + 2 * r + w) for x, p, q, r, w in zip(s, a, b, c, d)]


def axes(s):
    """Of Hill, and their rate about the third."""
    r = math.sqrt(dot(s[:3], s[:3]))
    x = [p / r for p in s[:3]]
    h = cross(s[:3], s[3:])
    size = math.sqrt(dot(h, h))
    z = [p / size for p in h]
    return x, cross(z, x), z, size / r**2


def truth(until, latitude):
    """The relative motion of two orbits; the target begins at this argument of latitude."""
    ci, si, cu, su = math.cos(INCLINATION), math.sin(INCLINATION), math.cos(latitude), math.sin(latitude)
    speed = N * RADIUS * math.sqrt(1 + 3 * J2 * EARTH**2 / (8 * RADIUS**2) * (1 + 3 * math.cos(2 * INCLINATION)))
    target = [RADIUS * cu, RADIUS * su * ci, RADIUS * su * si, -speed * su, speed * cu * ci, speed * cu * si]
    x, y, z, w = axes(target)
    (a, b, c), (u, v, q) = START
    place = [a * x[i] + b * y[i] + c * z[i] for i in range(3)]
    move = [(u - w * b) * x[i] + (v + w * a) * y[i] + q * z[i] for i in range(3)]
    servicer = [*(target[i] + place[i] for i in range(3)), *(target[3 + i] + move[i] for i in range(3))]
    rows = []
    for k in range(int(until) // 10 + 1):
        x, y, z, w = axes(target)
        d = [p - q for p, q in zip(servicer[:3], target[:3])]
        rows.append([10.0 * k, dot(d, x), dot(d, y), dot(d, z)])
        for _ in range(2):
            target, servicer = step(target, 5.0), step(servicer, 5.0)
    return rows


def apart(a, b):
    return max(math.dist(p[1:4], q[1:4]) for p, q in zip(a, b))


class Formation(unittest.TestCase):
    def test_without_j2_and_drag_it_is_clohessy_and_wiltshire(self):
        rows = flown(6000, j2=0, density=0)
        self.assertEqual(len(rows), 601)
        for row in rows:
            self.assertLess(math.dist(row[1:4], clohessy_wiltshire(row[0])), 1e-5)  # of up to 400 m; rtol is 1e-9

    def test_drag_is_a_constant_force_along_the_track(self):
        for row in flown(3000, j2=0, density=5e-12):
            force = -0.5 * 5e-12 * (N * RADIUS) ** 2 * (0.018 - 0.011)
            self.assertLess(math.dist(row[1:4], clohessy_wiltshire(row[0], force)), 1e-4)

    def test_with_j2_it_is_what_two_orbits_make_on_the_mean(self):
        flight = truth(180, 0.8)
        self.assertLess(apart(flown(180, density=0), flight), 2e-3)  # the whole mission; the servicer drifts by metres
        # over an orbit J2 pulls with the latitude; its mean over the places where the orbit may begin is what the model has
        all_of = [truth(5700, k * math.pi / 4) for k in range(4)]
        mean = [[sum(r[i][c] for r in all_of) / len(all_of) for c in range(4)] for i in range(len(all_of[0]))]
        with_j2, without = apart(flown(5700, density=0), mean), apart(flown(5700, j2=0, density=0), mean)
        self.assertLess(with_j2, 0.1 * without)  # 5 cm and 77 cm

    def test_attitude_control_is_an_oscillator_for_small_angles(self):
        stiff, damp, tilt = 0.003, 0.002, 1e-4
        rows = ran("attitude", 100, "1s", ["attitude.attitude"],
                   {"stiff": stiff, "damp": damp, "q": f"{tilt / 2} {tilt / 2} {tilt / 2} 1"})
        w = math.sqrt(stiff - damp**2 / 4)
        for t, x, y, z, s in rows:
            angle = tilt * math.exp(-damp * t / 2) * (math.cos(w * t) + damp / (2 * w) * math.sin(w * t))
            for part in (x, y, z):
                self.assertLess(abs(2 * part - angle), 2e-8)  # second order in the tilt

    def test_a_free_body_keeps_its_energy_and_momentum_in_axes_that_turn(self):
        n, inertia = 0.02, (120.0, 90.0, 100.0)
        rows = ran("attitude", 100, "1s", ["attitude.attitude", "attitude.rate", "attitude.o"],
                   {"stiff": 0, "damp": 0, "w": "0.05 -0.03 0.04", "n": n})
        kept = []
        for row in rows[1:]:  # at the first instant it still waits
            q, w, o = row[1:5], row[5:8], row[8:11]
            h = [j * (a + b) for j, a, b in zip(inertia, w, o)]
            kept.append((dot(h, h), sum(x * x / j for x, j in zip(h, inertia))))
            # o is the third axis of Hill, seen from the body
            self.assertAlmostEqual(o[0], 2 * n * (q[0] * q[2] - q[1] * q[3]), delta=1e-15)
        for momentum, energy in kept:
            self.assertAlmostEqual(momentum / kept[0][0], 1.0, delta=1e-7)
            self.assertAlmostEqual(energy / kept[0][1], 1.0, delta=1e-7)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
