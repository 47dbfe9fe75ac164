#!/usr/bin/env python3
"""No module that computes results calls an elementary function of the C library, whose bits depend on the processor:
vernier/kernel/elementary has all of them.

usage: functions_test.py <build folder>
"""
import pathlib
import re
import subprocess
import sys

FUNCTIONS = re.compile(r"(a?(sin|cos|tan)h?|atan2|sincos|exp(2|10|m1)?|log(2|10|1p)?|pow|cbrt|hypot|fma|erfc?|[lt]gamma)f?")
# modules whose values reach no result, or that measure
MAY = {
    "link": "estimates clocks of other machines, and models networks for tests of that",
    "plot": "draws",
    "realtime": "draws histograms",
    "rsp": "makes up the motions of its trials",
    "testing": "is used by tests only",
}

found, looked = 0, 0
for archive in sorted(pathlib.Path(sys.argv[1], "vernier").glob("**/libvernier_*.a")):
    module = archive.stem.removeprefix("libvernier_")
    symbols = subprocess.run(["nm", "-u", archive], check=True, capture_output=True, text=True).stdout.split()
    called = sorted({s for s in symbols if FUNCTIONS.fullmatch(s)})
    looked += 1
    if called and module not in MAY:
        print(f"{module} calls {', '.join(called)} of the C library: take them from vernier/kernel/elementary")
        found += 1
    if module in MAY and not called:
        print(f"{module} calls none any more: take it out of the list")
        found += 1
print(f"{looked} modules, {found} of them wrong")
sys.exit(1 if found or looked < len(MAY) else 0)
