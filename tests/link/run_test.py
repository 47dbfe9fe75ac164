#!/usr/bin/env python3
"""Two runs of the program in real time, joined by a link: examples/link. usage: run_test.py <vernier> <source tree>

The facility is started, a simulator comes and goes, another one comes: the facility goes on all the time.
"""
import json
import pathlib
import socket
import subprocess
import sys
import tempfile
import unittest

VERNIER, SOURCE = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()


def free_ports():
    with socket.socket() as a, socket.socket() as b:
        for s in (a, b):
            s.bind(("127.0.0.1", 0))
        return [s.getsockname()[1] for s in (a, b)]


class Runs(unittest.TestCase):
    def start(self, name, folder, until, settings):
        words = [VERNIER, "run", SOURCE / "examples/link" / f"{name}.xml", "--rate", "1", "--until", until, "--json", "--out", folder]
        for s in settings:
            words += ["--set", s]
        return subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def finish(self, process):
        out, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 0, err)
        return json.loads(out)

    def test_a_facility_serves_one_simulator_after_another(self):
        control, data = (f"127.0.0.1:{port}" for port in free_ports())
        with tempfile.TemporaryDirectory() as folder:
            facility = self.start("facility", folder, "9s", [f"simulator.listen={control}", f"simulator.data={data}"])
            for _ in range(2):
                simulator = self.finish(self.start("simulator", folder, "2.5s",
                                                   [f"facility.connect={control}", f"facility.data={data}"]))
                values = {r["name"]: r["value"] for r in simulator["reports"]}
                # the swing is at cos(2.5) = -0.80 in the end; the robot is a tenth of a second and a bit behind
                self.assertLess(values["farthest back"], -0.6)
                self.assertGreater(values["vectors received"], 250)  # 625 in 2.5 s, were nothing else running
            values = {r["name"]: r["value"] for r in self.finish(facility)["reports"]}
            self.assertGreater(values["vectors received"], 25)  # 25 from each


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
