#!/usr/bin/env python3
"""Every mission gives the same bits with every instruction set that this machine has, and with both kinds of elementary functions of the
C library: with fused operations and without.

usage: missions_test.py <vernier> <source tree>

Compared are all signals, the events, and the state at the end (the bytes of a checkpoint).
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

VERNIER, SOURCE = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()

# how long each is run: whole, or until all that happens in it has begun
MISSIONS = {
    "aausat2/aausat2.xml": "900 s",
    "aausat2/sampled.xml": "200 s",
    "aausat2/telecommand.xml": "900 s",
    "aausat2/three_nodes.xml": "250 s",
    "boom/deploy.xml": "10 s",
    "cassini/cassini.xml": "200 s",
    "cassini/coast.xml": "60 s",
    "epos/formation.xml": "180 s",
    "flexible-robot/continuous.xml": "5 s",
    "flexible-robot/sampled.xml": "5 s",
    "formation/follower.xml": "100 s",
    "formation/formation.xml": "14000 s",
    "pendulum/pendulum.xml": "10 s",
    "space-robot/detumble.xml": "30 s",
    "spacefom/alone.xml": "60 s",
}
# and why not the others
OTHER_PROCESS = "one of several processes, whose messages come when the machine has time; the same models run here in one process"
LEFT_OUT = {
    "aausat2/lines.xml": "its plant is a program in Python, which takes elementary functions from the C library",
    "epos/facility.xml": OTHER_PROCESS,
    "epos/figures.xml": "plots what the other compositions recorded",
    "epos/simulator-1hz.xml": OTHER_PROCESS,
    "epos/simulator.xml": OTHER_PROCESS,
    "flexible-robot/controller.xml": OTHER_PROCESS,
    "flexible-robot/plant.xml": OTHER_PROCESS,
    "pendulum/controller.xml": OTHER_PROCESS,
    "pendulum/plant.xml": OTHER_PROCESS,
    "spacefom/earth.xml": OTHER_PROCESS,
    "spacefom/moon.xml": OTHER_PROCESS,
    "spacefom/vehicle.xml": OTHER_PROCESS,
    "spacefom/watcher.xml": OTHER_PROCESS,
}

WITHOUT_FUSED = {"GLIBC_TUNABLES": "glibc.cpu.hwcaps=-FMA,-FMA4,-AVX2"}
LIBRARIES = {"the C library as it is": {}, "the C library without fused operations": WITHOUT_FUSED}


def processor_flags():
    found = re.search(r"^flags\s*:(.*)$", pathlib.Path("/proc/cpuinfo").read_text(), re.M)
    return set(found[1].split()) if found else set()


def sets():
    flags = processor_flags()
    all_sets = ["sse2"]
    if {"avx2", "fma"} <= flags:
        all_sets.append("avx2")
        if {"avx512f", "avx512dq", "avx512vl"} <= flags:
            all_sets.append("avx512")
    return all_sets


def environment(instructions, library):
    return {**os.environ, "VERNIER_INSTRUCTIONS": instructions, **library}


class Bits(unittest.TestCase):
    maxDiff = None

    def called(self, *words, env=None, status=0):
        done = subprocess.run([VERNIER, *map(str, words)], capture_output=True, text=True, env=env)
        self.assertEqual(done.returncode, status, f"{words}: {done.stdout}{done.stderr}")
        return done.stdout

    def test_every_mission_is_run_or_left_out_for_a_reason(self):
        missions = {str(f.relative_to(SOURCE / "missions")) for f in (SOURCE / "missions").glob("*/*.xml")
                    if "<interconnection" in f.read_text(encoding="utf-8")}
        self.assertEqual(missions, set(MISSIONS) | set(LEFT_OUT))
        self.assertFalse(set(MISSIONS) & set(LEFT_OUT))

    def test_the_switches_do_what_they_say(self):
        for s in sets():
            text = self.called("info", SOURCE / "missions/cassini/plant.xml", env=environment(s, {}))
            self.assertIn(s, text)
        # elsewhere there is one kind only, and nothing to switch
        if {"avx2", "fma"} <= processor_flags():
            program = ("import math; print([f(0.01 * i + 0.3).hex() for i in range(2000) "
                       "for f in (math.sin, math.exp, math.log, math.atan)])")
            found = {subprocess.run([sys.executable, "-c", program], env={**os.environ, **library}, check=True,
                                    capture_output=True, text=True).stdout for library in LIBRARIES.values()}
            self.assertEqual(len(found), 2, "the C library has the same bits in both ways: it is not switched")

    def run_of(self, mission, folder, env, *more):
        until = MISSIONS[mission]
        self.called("run", SOURCE / "missions" / mission, "--until", until, "--checkpoint-every", until, "--record", "*",
                    "--quiet", "--out", folder, *more, env=env)
        return next(f for f in pathlib.Path(folder).iterdir() if f.is_dir() and not f.is_symlink())

    def test_missions_have_the_same_bits(self):
        for mission in MISSIONS:
            with tempfile.TemporaryDirectory() as place:
                first = None
                for s in sets():
                    for name, library in LIBRARIES.items():
                        with self.subTest(mission=mission, instructions=s, library=name):
                            run = self.run_of(mission, f"{place}/{s}-{len(library)}", environment(s, library))
                            if first is None:
                                first = run
                                continue
                            self.called("compare", first, run)
                            self.assertEqual((first / "events.csv").read_bytes(), (run / "events.csv").read_bytes())
                            states = [sorted((r / "checkpoints").iterdir())[-1] for r in (first, run)]
                            self.assertEqual(states[0].name, states[1].name)
                            self.assertEqual(states[0].read_bytes(), states[1].read_bytes(), "the states at the end differ")

    def test_the_fastest_arithmetic_is_told(self):
        with tempfile.TemporaryDirectory() as place:
            mission = "cassini/coast.xml"
            runs = {s: self.run_of(mission, f"{place}/{s}", environment(s, {}), "--set", "run.arithmetic=fastest")
                    for s in sets()}
            plain = self.run_of(mission, f"{place}/plain", None)
            for s, run in runs.items():
                manifest = (run / "manifest.json").read_text()
                self.assertIn('"arithmetic": "fastest"', manifest)
                self.assertIn(f'"instructions": "{s}"', manifest)
                # products are fused from AVX2 on
                self.called("compare", plain, run, status=0 if s == "sse2" else 3)
            manifest = (plain / "manifest.json").read_text()
            self.assertIn('"arithmetic": "reproducible"', manifest)
            self.assertNotIn('"instructions"', manifest)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
