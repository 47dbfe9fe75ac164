#!/usr/bin/env python3
"""A simulator drives a facility, both runs of the program in real time: examples/rsp. usage: rsp_test.py <vernier> <source tree>

The first simulator is killed in the midst of its run, the second is ended: the facility serves both, and is at rest in between.
"""
import csv
import pathlib
import signal
import sys
import tempfile
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from processes import PATIENCE, SOURCE, Run, free_ports, reports  # noqa: E402


class Runs(unittest.TestCase):
    def start(self, name, settings):
        words = ["run", SOURCE / f"examples/rsp/{name}.xml", "--rate", "1", "--until", "3600s", "--out", f"{self.folder}/{name}"]
        run = Run(*words, *(word for s in settings for word in ("--set", s)))
        self.addCleanup(run.end)
        return run

    def events(self):
        file, = pathlib.Path(self.folder).glob("facility/facility-*/events.csv")
        with file.open() as f:
            return [row for row in csv.DictReader(f) if row["component"] == "simulator" and row["kind"] == "rsp"]

    def test_a_facility_serves_a_simulator_that_is_killed_and_the_next(self):
        self.folder = self.enterContext(tempfile.TemporaryDirectory())
        control, data = (f"127.0.0.1:{port}" for port in free_ports())
        # a machine that stands still for a while loses no link, and has time for the way
        facility = self.start("facility", [f"simulator.listen={control}", f"simulator.data={data}", "simulator.timeout=60s"])
        facility.wait_for("  ready ")
        there = [f"facility.connect={control}", f"facility.data={data}", "facility.initial=4 s", "approach.x=0.1", f"facility.patience={PATIENCE:g}s"]
        first = self.start("simulator", there)
        facility.wait_for("approaching → running")
        first.end(signal.SIGKILL)
        facility.wait_for("the client was lost")
        second = self.start("simulator", there)
        # a busy machine may lose runs: then the next one begins by itself
        facility.wait_for("approaching → running")
        second.wait_for("counting → running")
        time.sleep(1)  # of motion, or less
        status, said = second.end()
        self.assertEqual(status, 130, said)
        values = reports(said)
        self.assertGreaterEqual(values["runs"], 1)
        # the initial state is a tenth of a metre away, and the swing is no farther
        self.assertAlmostEqual(values["farthest"], 0.1, delta=0.01)
        facility.wait_for("→ halted")
        status, said = facility.end()
        self.assertEqual(status, 130, said)
        self.assertGreaterEqual(reports(said)["runs"], 2)
        events = self.events()
        for e in events:  # but for a request that was too long on its way
            if e["reason"].startswith("no run"):
                self.assertIn("the run would begin too soon", e["reason"])
        states = [e["to"] for e in events if e["to"]]
        for state in ("ready", "approaching", "running", "halting", "halted"):
            self.assertGreaterEqual(states.count(state), 2, states)
        self.assertIn("the run ends: the client was lost", [e["reason"] for e in events])


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
