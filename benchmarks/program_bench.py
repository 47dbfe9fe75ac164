#!/usr/bin/env python3
"""The program as a user meets it: usage program_bench.py <vernier> <source root>

- missions/aausat2/aausat2.xml, 900 s recorded at 10 Hz: times real time (as the program reports it, and
  for the whole process), and memory
- a generated composition of 1 000 automata with 10 states each, all of them different documents:
  checked and compiled (`vernier check`)
Prints median and best of several runs.
"""
import json
import os
import pathlib
import resource
import statistics
import subprocess
import sys
import tempfile
import time

vernier, root = str(pathlib.Path(sys.argv[1]).resolve()), pathlib.Path(sys.argv[2]).resolve()


def measured(words, folder, rounds):
    """Wall seconds and output of each round, and the most memory of any, in MiB."""
    walls, outputs = [], []
    for _ in range(rounds):
        begin = time.perf_counter()
        done = subprocess.run([vernier, *words], cwd=folder, capture_output=True, text=True, check=True)
        walls.append(time.perf_counter() - begin)
        outputs.append(done.stdout)
    return walls, outputs, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024


missed = []


def line(name, value, required, good):
    if not good:
        missed.append(name)
    print(f"{name:<58} {value:>14}   required {required:<12} {'ok' if good else 'NOT'}")


def automaton(number):
    states = [f"x{k}" for k in range(10)]
    def location(name, other, sign):
        flow = "".join(
            f'<diffequation state="{s}">{sign}{number % 7 + 1}*{s} + {k + 1}*sin({states[(k + 1) % 10]}) + u*p</diffequation>'
            for k, s in enumerate(states))
        return (f"<location><name>{name}</name>{flow}<outputmap output=\"y\">x0 + 0.5*x9</outputmap><transitions><transition>"
                f"<name>to{other}</name><domain>x0 + x1 {'&gt;' if sign == '-' else '&lt;'} {number % 11}</domain>"
                f"<reset><destination>{other}</destination></reset></transition></transitions></location>")
    return ('<?xml version="1.0"?><hybridsystem name="A" version="1"><constants><constant name="p" value="0.5"/></constants>'
            '<inputs><input name="u" default="0"/></inputs><states>' + "".join(f'<state name="{s}"/>' for s in states) +
            '</states><outputs><output name="y"/></outputs><initial location="Up"/>' + location("Up", "Down", "-") +
            location("Down", "Up", "-0.5*") + "</hybridsystem>")


with tempfile.TemporaryDirectory() as folder:
    print(f"load of the machine: {os.getloadavg()[0]:.2f} on {os.cpu_count()} processors")
    walls, outputs, memory = measured(["run", str(root / "missions/aausat2/aausat2.xml"), "--json"], folder, 15)
    factors = [json.loads(o)["times_real_time"] for o in outputs]
    line("AAUSAT-II, 900 s at 10 Hz, best: times real time", f"{max(factors):.0f}", ">= 10000", max(factors) >= 1e4)
    line("  median", f"{statistics.median(factors):.0f}", ">= 10000", statistics.median(factors) >= 1e4)
    line("  memory [MiB]", f"{memory:.1f}", "<= 64", memory <= 64)
    print(f"{'  whole process, best and median [s]':<58} {min(walls):>6.3f} {statistics.median(walls):>7.3f}")

    for number in range(1000):
        (pathlib.Path(folder) / f"a{number}.xml").write_text(automaton(number))
    parts = "".join(f'<system id="a{n}" file="a{n}.xml"/>' for n in range(1000))
    wires = "".join(f'<connect from="a{n}.y" to="a{n + 1}.u" delay="1 tick"/>' for n in range(999))
    (pathlib.Path(folder) / "all.xml").write_text(
        f'<?xml version="1.0"?><interconnection name="all" version="1">{parts}{wires}<run stop="1 s"/></interconnection>')
    walls, _, _ = measured(["check", "all.xml"], folder, 5)
    line("1000 automata of 10 states checked and compiled, best [s]", f"{min(walls):.2f}", "< 2", min(walls) < 2)
    line("  median", f"{statistics.median(walls):.2f}", "< 2", statistics.median(walls) < 2)
sys.exit(bool(missed))
