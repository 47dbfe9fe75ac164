#!/usr/bin/env python3
"""A simulator drives a facility, both runs of the program in real time: examples/rsp. usage: rsp_test.py <vernier> <source tree>

The first simulator is killed in the midst of its run, the second is ended: the facility serves both, and is at rest in between.
"""
import pathlib
import signal
import sys
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from processes import PATIENCE, SOURCE, Late, Run, free_ports, reports, unless_late  # noqa: E402


class Runs(unittest.TestCase):
    def start(self, name, settings):
        run = Run(SOURCE / f"examples/rsp/{name}.xml", "--rt", "--until", "3600s", *(word for s in settings for word in ("--set", s)))
        self.addCleanup(run.end, signal.SIGKILL)
        return run

    def test_a_facility_serves_a_simulator_that_is_killed_and_the_next(self):
        unless_late(self.serves, tries=3)

    def serves(self):
        control, data = (f"127.0.0.1:{port}" for port in free_ports())
        # a machine that stands still for a while loses no link, and has time for the way
        facility = self.start("facility", [f"simulator.listen={control}", f"simulator.data={data}", "simulator.timeout=60s"])
        facility.wait_for("  ready ")
        there = [f"facility.connect={control}", f"facility.data={data}", "facility.initial=4 s", "approach.x=0.1", f"facility.patience={PATIENCE:g}s"]
        runs = [facility]
        try:
            first = self.start("simulator", there)
            runs.append(first)
            facility.wait_for("approaching → running", 60)
            first.end(signal.SIGKILL)
            facility.wait_for("the client was lost", 60)
            second = self.start("simulator", there)
            runs.append(second)
            # a busy machine may lose runs: then the next one begins by itself
            facility.wait_for("approaching → running", 60)
            second.wait_for("counting → running", 60)
            time.sleep(1)  # of motion, or less
            status, said = second.end()
            self.assertEqual(status, 130, said)
            values = reports(said)
            facility.wait_for("→ halted", 60)
            # the initial state is a tenth of a metre away, and the swing is no farther
            self.assertGreaterEqual(values["runs"], 1)
            self.assertAlmostEqual(values["farthest"], 0.1, delta=0.01)
            status, said = facility.end()
            self.assertEqual(status, 130, said)
            self.assertGreaterEqual(reports(said)["runs"], 2)
            self.check_events([e for e in facility.kept if e["component"] == "simulator" and e["kind"] == "rsp"])
        except AssertionError as failed:
            said = "\n".join(run.end(signal.SIGKILL)[1] for run in runs)
            # what they say of frames and requests that were late
            if any(word in said for word in ("missed steps", "frame late", "would begin too soon")):
                raise Late(f"{failed}\n{said}") from None
            raise

    def check_events(self, events):
        self.assertFalse([e["reason"] for e in events if e["reason"].startswith("no run")])
        states = [e["to"] for e in events if e["to"]]
        for state in ("ready", "approaching", "running", "halting", "halted"):
            self.assertGreaterEqual(states.count(state), 2, states)
        self.assertIn("the run ends: the client was lost", [e["reason"] for e in events])


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
