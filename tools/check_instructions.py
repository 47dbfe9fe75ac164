#!/usr/bin/env python3
"""Holds objects compiled for special instruction sets to their rule: a function that the linker may share with other
objects (a weak symbol) belongs to the namespace of its set.

usage: check_instructions.py <set>,<set>... <object>...   objects of a set end in _<set>.cpp.o; others are passed over
"""

import subprocess
import sys


def shared_functions(path):
    lines = subprocess.run(["nm", "-C", path], check=True, capture_output=True, text=True).stdout.splitlines()
    return [line[19:] for line in lines if line[17:18] in ("W", "V", "u") and not line[19:].startswith("DW.ref.")]


def main(sets, objects):
    wrong, looked = 0, 0
    for path in objects:
        for name in sets:
            if not path.endswith(f"_{name}.cpp.o"):
                continue
            looked += 1
            for symbol in shared_functions(path):
                if f"::{name}::" not in symbol:
                    print(f"{path}: {symbol} may be linked into code for other processors")
                    wrong += 1
    print(f"{looked} objects, {wrong} functions that could be shared")
    return 1 if wrong or not looked else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1].split(","), sys.argv[2:]))
