#!/usr/bin/env python3
"""The boom, the space robot and the flexible robot with their checks, and with something wrong. usage: missions_test.py <vernier> <source tree>"""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

VERNIER, SOURCE = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()


class Missions(unittest.TestCase):
    def run_mission(self, document, *more):
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run([VERNIER, "run", SOURCE / "missions" / document, "--json", "--no-record", "--out", folder, *more],
                                  capture_output=True, text=True, timeout=200)
            self.assertTrue(done.stdout.strip().startswith("{"), done.stdout + done.stderr)
            return done.returncode, json.loads(done.stdout)

    def test_the_boom_opens_and_its_energy_is_accounted_for(self):
        status, said = self.run_mission("boom/deploy.xml")
        self.assertEqual(status, 0, said)
        self.assertEqual(len(said["checks"]), 3)

    def test_energy_that_is_not_counted_is_missed(self):
        # the books count another damping than the hinges have
        status, said = self.run_mission("boom/deploy.xml", "--set", "energy.damping=1.8", "--until", "10s")
        self.assertEqual(status, 3, said)

    def test_the_space_robot_comes_to_rest_and_keeps_its_momentum(self):
        status, said = self.run_mission("space-robot/detumble.xml")
        self.assertEqual(status, 0, said)
        self.assertEqual(len(said["checks"]), 7)

    def test_without_wheels_the_space_robot_tumbles_on(self):
        status, said = self.run_mission("space-robot/detumble.xml", "--set", "wheels.gain=0")
        self.assertEqual(status, 3, said)
        broken = {c["name"] for c in said["checks"] if not c["kept"]}
        self.assertTrue(broken and all(name.startswith("target at rest") for name in broken), broken)

    def test_the_flexible_robot_with_other_gains_is_another(self):
        status, said = self.run_mission("flexible-robot/continuous.xml", "--set", "robot.kp_1=11.9")
        self.assertEqual(status, 3, said)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
