#!/usr/bin/env python3
"""The plant of AAUSAT-II in Python, as somebody else's simulator: the other side of lines.xml.

usage: plant.py                   waits for a run at 127.0.0.1:4719
       plant.py HOST:PORT         waits there

Equations and parameters are those of plant.xml. Between two steps the commands go on along the line
of their last values, as long as that is how they came.
"""
import math
import pathlib
import sys

# in this folder after `vernier examples copy aausat2`; else in the source tree
sys.path.append(str(pathlib.Path(__file__).resolve().parents[1].parent / "examples" / "lines"))
import vernier_lines  # noqa: E402

J = (1377e-6, 1623e-6, 1569e-6)
RADIUS, INCLINATION, U0 = 6978137.0, math.radians(97.79), math.radians(30.0)
RATE = math.sqrt(3.986004418e14 / RADIUS**3)
COLATITUDE, LONGITUDE, EARTH_RATE = math.radians(10.26), math.radians(288.2), 7.2921159e-5
STRENGTH = 3.001e-5 * (6371200.0 / RADIUS) ** 3
COIL = 0.01463959077


def field(t):
    """The field in inertial axes, and the angles from which it follows."""
    u, longitude = U0 + RATE * t, LONGITUDE + EARTH_RATE * t
    r = (math.cos(u), math.sin(u) * math.cos(INCLINATION), math.sin(u) * math.sin(INCLINATION))
    m = (-math.sin(COLATITUDE) * math.cos(longitude), -math.sin(COLATITUDE) * math.sin(longitude),
         -math.cos(COLATITUDE))
    mr = m[0] * r[0] + m[1] * r[1] + m[2] * r[2]
    return [STRENGTH * (3 * mr * r[i] - m[i]) for i in range(3)], u, longitude, mr


def in_body(q, B):
    a, b, c, d = q
    return ((a*a - b*b - c*c + d*d)*B[0] + 2*(a*b + c*d)*B[1] + 2*(a*c - b*d)*B[2],
            2*(a*b - c*d)*B[0] + (-a*a + b*b - c*c + d*d)*B[1] + 2*(b*c + a*d)*B[2],
            2*(a*c + b*d)*B[0] + 2*(b*c - a*d)*B[1] + (-a*a - b*b + c*c + d*d)*B[2])


def rates(t, x, command):
    """Derivatives of q (4), w (3), h (3)."""
    q, w, h = x[0:4], x[4:7], x[7:10]
    v, n = command[0:3], command[3:6]
    b = in_body(q, field(t)[0])
    H = [J[i] * w[i] + h[i] for i in range(3)]
    torque = (COIL * (v[1]*b[2] - v[2]*b[1]) - n[0] - (w[1]*H[2] - w[2]*H[1]),
              COIL * (v[2]*b[0] - v[0]*b[2]) - n[1] - (w[2]*H[0] - w[0]*H[2]),
              COIL * (v[0]*b[1] - v[1]*b[0]) - n[2] - (w[0]*H[1] - w[1]*H[0]))
    return [0.5*(w[2]*q[1] - w[1]*q[2] + w[0]*q[3]), 0.5*(-w[2]*q[0] + w[0]*q[2] + w[1]*q[3]),
            0.5*(w[1]*q[0] - w[0]*q[1] + w[2]*q[3]), -0.5*(w[0]*q[0] + w[1]*q[1] + w[2]*q[2]),
            torque[0] / J[0], torque[1] / J[1], torque[2] / J[2], n[0], n[1], n[2]]


class Plant:
    def init(self, t):
        norm = math.sqrt(0.3**2 + 0.2**2 + 0.5**2 + 0.78**2)
        self.x = [0.3 / norm, -0.2 / norm, 0.5 / norm, -0.78 / norm, -0.031, 0.087, -0.053, 0, 0, 0]
        self.last = None  # time, commands, trends of the last step
        return self.outputs(t)

    def slopes(self, t, now):
        """The commands: extrapolated linearly where that predicted the last one, else held."""
        slopes, trends = [0.0] * 6, [0.0] * 6
        if self.last is not None and t > self.last[0]:
            then, before, old = self.last
            for i in range(6):
                change = now[i] - before[i]
                trends[i] = change / (t - then)
                if old and abs(change - old[i] * (t - then)) <= 0.5 * abs(change):
                    slopes[i] = trends[i]
            self.last = (t, now, trends)
        else:
            self.last = (t, now, None)
        return slopes

    def step(self, t, t_next, inputs):
        slopes, h, x = self.slopes(t, inputs), t_next - t, self.x

        def f(s, y):
            return rates(t + s, y, [inputs[i] + slopes[i] * s for i in range(6)])

        def moved(k, s):
            return [a + s * b for a, b in zip(x, k)]

        k1 = f(0, x)
        k2 = f(h / 2, moved(k1, h / 2))
        k3 = f(h / 2, moved(k2, h / 2))
        k4 = f(h, moved(k3, h))
        x = [a + h / 6 * (b + 2 * c + 2 * d + e) for a, b, c, d, e in zip(x, k1, k2, k3, k4)]
        norm = math.sqrt(sum(v * v for v in x[0:4]))
        self.x = [v / norm for v in x[0:4]] + x[4:]
        return self.outputs(t_next)

    def outputs(self, t):
        B, u, longitude, mr = field(t)
        w = self.x[4:7]
        return [*B, *in_body(self.x[0:4], B), *w, *self.x[0:4], *self.x[7:10],
                math.sqrt(w[0]**2 + w[1]**2 + w[2]**2), u, longitude, mr]


if __name__ == "__main__":
    where = sys.argv[1] if len(sys.argv) > 1 else "127.0.0.1:4719"
    print(f"waiting for a run at {where}", flush=True)
    vernier_lines.serve(Plant(), "plant", listen=where)
