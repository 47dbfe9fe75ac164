#!/usr/bin/env python3
"""A simulator drives a facility, both runs of the program in real time: examples/rsp. usage: rsp_test.py <vernier> <source tree>

The first simulator is killed in the midst of its run, the second ends by itself: the facility serves both, and is at rest in between.
"""
import csv
import json
import pathlib
import tempfile
import time
import unittest

from runs import free_ports, main, start


class Runs(unittest.TestCase):
    def finish(self, process):
        out, err = process.communicate(timeout=90)
        self.assertEqual(process.returncode, 0, err)
        return {r["name"]: r["value"] for r in json.loads(out)["reports"]}

    def events(self, folder, component):
        file, = pathlib.Path(folder).glob("facility-*/events.csv")
        with file.open() as f:
            return [row for row in csv.DictReader(f) if row["component"] == component and row["kind"] == "rsp"]

    def test_a_facility_serves_a_simulator_that_is_killed_and_the_next(self):
        control, data = (f"127.0.0.1:{port}" for port in free_ports())
        there = [f"facility.connect={control}", f"facility.data={data}", "facility.initial=2 s", "approach.x=0.1"]
        with tempfile.TemporaryDirectory() as folder:
            facility = start("rsp/facility.xml", f"{folder}/facility", "11s", [f"simulator.listen={control}", f"simulator.data={data}"])
            first = start("rsp/simulator.xml", f"{folder}/first", "60s", there)
            time.sleep(4)
            first.kill()
            first.communicate()
            second = self.finish(start("rsp/simulator.xml", f"{folder}/second", "4.5s", there))
            self.assertGreaterEqual(second["runs"], 1)
            # the initial state is a tenth of a metre away, and the swing is no farther
            self.assertAlmostEqual(second["farthest"], 0.1, delta=0.01)
            values = self.finish(facility)
            self.assertGreaterEqual(values["runs"], 2)
            self.assertEqual(values["refused"], 0)
            events = self.events(f"{folder}/facility", "simulator")
            states = [e["to"] for e in events if e["to"]]
            # both runs went all the way; on a busy machine a command may come late in between
            for state in ("ready", "approaching", "running", "halting", "halted"):
                self.assertGreaterEqual(states.count(state), 2, states)
            self.assertIn("the run ends: the client was lost", [e["reason"] for e in events])


if __name__ == "__main__":
    main()
