#!/usr/bin/env python3
"""The pendulum in two processes (missions/pendulum), for a few seconds. usage: pendulum_test.py <vernier> <source tree>

The machine may be busy: the pendulum falls with a time constant of 0.3 s, and the limits leave room for that.
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

VERNIER, SOURCE = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()


class Pendulum(unittest.TestCase):
    def test_stays_up_though_the_controller_is_stopped_and_killed(self):
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run([sys.executable, SOURCE / "missions/pendulum/run.py", "--vernier", VERNIER, "--out", folder, "--seconds", "5",
                                   "--pause", "20", "--kill", "--json"], capture_output=True, text=True, timeout=100)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            said = json.loads(done.stdout)
            self.assertTrue(said["upright"] and said["killed"])
            self.assertGreaterEqual(said["longest_hold_ms"], 10)  # of 20: the last torque was held, and nobody waited
            self.assertGreaterEqual(said["age_ms"]["max"], 10.0)
            self.assertLess(said["error_alone_deg"], 1.0)
            self.assertLess(said["age_ms"]["mean"], said["age_ms"]["max"])
            # the memory is gone with the last of them
            self.assertEqual([f for f in pathlib.Path("/dev/shm").glob("vernier-pendulum-*") if f.stat().st_size == 0], [])


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
