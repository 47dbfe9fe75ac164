#!/usr/bin/env python3
"""Prints the constants of vernier/kernel/elementary: polynomials with what they miss, constants in parts, and the bits of 2/pi. Needs mpmath (Debian: python3-mpmath); no build needs it.

usage: elementary_coefficients.py
"""

from mpmath import atan, atanh, cos, cosh, lu_solve, log, matrix, mp, mpf, nint, pi, sin, sinh, floor, frexp, ldexp, cbrt

mp.prec = 400


def fitted(name, f, high, terms, weight, low=mpf(0)):
    """The weighted minimax polynomial of f over [low, high], by the exchange algorithm of
    Remez."""
    grid = [low + (high - low) * (1 - cos(pi * (i + mpf(1) / 2) / 800)) / 2 for i in range(800)]
    known = [(z, weight(z), f(z)) for z in grid]
    picked = [round((1 - float(cos(pi * k / terms))) / 2 * 799) for k in range(terms + 1)]
    for _ in range(12):
        a, b = matrix(terms + 1, terms + 1), matrix(terms + 1, 1)
        for i, at in enumerate(picked):
            z, w, value = known[at]
            for j in range(terms):
                a[i, j] = w * z**j
            a[i, terms] = (-1) ** i
            b[i] = w * value
        c = list(lu_solve(a, b))[:terms]
        errors = [w * (value - mp.polyval(c[::-1], z)) for z, w, value in known]
        # the largest of each run of equal signs
        picked, best = [], 0
        for i in range(1, 801):
            if i == 800 or (errors[i] > 0) != (errors[best] > 0):
                picked.append(best)
                best = i
            elif abs(errors[i]) > abs(errors[best]):
                best = i
        while len(picked) > terms + 1:
            picked.pop(0 if abs(errors[picked[0]]) < abs(errors[picked[-1]]) else -1)
    c = [mpf(float(x)) for x in c]
    worst = max(abs(w * (value - mp.polyval(c[::-1], z))) for z, w, value in known)
    print(f"// {name}: misses {float(worst):.1e}")
    print("    " + ", ".join(repr(float(x)) for x in c))


def parts(name, x, *bits):
    out = []
    for b in bits:
        m, e = frexp(x)
        part = ldexp(nint(ldexp(m, b)), e - b) if b != bits[-1] else mpf(float(x))
        out.append(repr(float(part)))
        x -= part
    print(f"// {name}: " + ", ".join(out))


def root(z):
    return mp.sqrt(z)


quarter = (pi / 4) ** 2 * mpf("1.0001")
fitted("sine: (sin r - r) / r^3", lambda z: (sin(root(z)) - root(z)) / root(z) ** 3, quarter, 6, lambda z: z)
fitted("cosine: (cos r - 1 + r^2/2) / r^4", lambda z: (cos(root(z)) - 1 + z / 2) / z**2, quarter, 6, lambda z: z**2)
half = (log(2) / 2) ** 2 * mpf("1.001")
fitted("exponential, odd: (sinh r - r) / r^3", lambda z: (sinh(root(z)) - root(z)) / root(z) ** 3, half, 5, lambda z: z)
fitted("exponential, even: (cosh r - 1 - r^2/2) / r^4", lambda z: (cosh(root(z)) - 1 - z / 2) / z**2, half, 5,
       lambda z: z**2)
one = ((root(2) - 1) / (root(2) + 1)) ** 2 * mpf("1.001")
fitted("logarithm: 2 (atanh s - s) / s^3", lambda z: 2 * (atanh(root(z)) - root(z)) / root(z) ** 3, one, 7, lambda z: z)
two = ((root(mpf(1.5)) - 1) / (root(mpf(1.5)) + 1)) ** 2 * mpf("1.001")
fitted("logarithm in a pair: (atanh s / s - 1 - z/3) / z^2",
       lambda z: (atanh(root(z)) / root(z) - 1 - z / 3) / z**2, two, 6, lambda z: z**2)
eighth = mp.tan(pi / 8) ** 2 * mpf("1.001")
fitted("arctangent: (atan t / t - 1) / t^2", lambda z: (atan(root(z)) / root(z) - 1) / z, eighth, 11, lambda z: z)
fitted("cube root over [1, 8]", lambda m: cbrt(m), mpf(8), 5, lambda m: 1 / cbrt(m), mpf(1))

parts("pi/2", pi / 2, 33, 33, 33, 53)
parts("pi/2 in two", pi / 2, 53, 53)
parts("pi/4", pi / 4, 50, 53)
parts("ln 2", log(2), 40, 53)
parts("ln 1.5", log(mpf(1.5)), 53, 53)
parts("1 / ln 10", 1 / log(10), 53, 53)
parts("1/3", mpf(1) / 3, 53, 53)
parts("2/pi", 2 / pi, 53)
parts("1/ln 2", 1 / log(2), 53)
parts("tan pi/8", mp.tan(pi / 8), 53)
mp.prec = 1600
x, words = 2 / pi, []
for _ in range(20):
    x *= mpf(2) ** 64
    words.append(int(floor(x)))
    x -= floor(x)
print("// 2/pi, 64 bits a word")
print(",\n".join(", ".join(f"0x{w:016x}" for w in words[i:i + 4]) for i in range(0, 20, 4)))
