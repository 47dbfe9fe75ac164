#!/usr/bin/env python3
"""missions/cassini/bus.modal is what bus_modes.py beside it writes, to rounding.

usage: modes_test.py <source folder>
"""
import pathlib
import subprocess
import sys

folder = pathlib.Path(sys.argv[1]) / "missions/cassini"
written = subprocess.run([sys.executable, folder / "bus_modes.py"], check=True, capture_output=True, text=True).stdout
kept = (folder / "bus.modal").read_text(encoding="utf-8")


def number(word):
    try:
        return float(word)
    except ValueError:
        return None


for line, (a, b) in enumerate(zip(written.splitlines(), kept.splitlines(), strict=True), 1):
    for x, y in zip(a.split(), b.split(), strict=True):
        u, v = number(x), number(y)
        if (u is None or v is None) and x != y or u is not None and abs(u - v) > 1e-12 * max(1, abs(u)):
            sys.exit(f"bus.modal:{line}: {y} is there, bus_modes.py writes {x}")
