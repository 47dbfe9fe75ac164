#!/usr/bin/env python3
"""The pendulum in two processes (missions/pendulum), for a few seconds. usage: pendulum_test.py <vernier> <source tree>

The machine may be busy: the pendulum falls with a time constant of 0.3 s, so that a fall is one only when the torques came in time, as the plant says.
"""
import csv
import io
import json
import os
import pathlib
import signal
import struct
import subprocess
import sys
import tempfile
import unittest

VERNIER, SOURCE = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
sys.path.insert(0, str(SOURCE / "tests"))
from processes import PATIENCE, Late, unless_late, wait_until  # noqa: E402


class Memory(unittest.TestCase):
    """What formats/shared/README.md says of the memory, read from outside by its words."""

    def test_is_laid_out_as_the_format_says(self):
        name = f"layout-{os.getpid()}"
        words = [VERNIER, "run", SOURCE / "missions/pendulum/plant.xml", "--rate", "1", "--until", "3600s", "--no-record", "--quiet",
                 "--set", f"controller.name={name}", "--set", "controller.patience=0"]
        run = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            memory = pathlib.Path(f"/dev/shm/vernier-{name}")
            def written():
                data = memory.read_bytes() if memory.exists() else b""
                return data if len(data) >= 448 and struct.unpack_from("<q", data, 64 + 24)[0] != 0 else b""
            data = wait_until(written, "the memory")
            magic, version, keep, total, _, left, right, _, ready = struct.unpack_from("<8sIIQQIIII", data)
            self.assertEqual((magic, version, keep, total, left, right, ready), (b"VRNSHM\r\n", 1, 0, len(data), 2, 1, 1))
            pid, present, began, lives, written, period = struct.unpack_from("<iIQQqq", data, 64)
            self.assertEqual((pid, present, lives, period), (run.pid, 1, 1, 1_000_000))
            self.assertEqual(began, int(pathlib.Path(f"/proc/{run.pid}/stat").read_text().rpartition(")")[2].split()[19]))
            self.assertLess(0, written)
            self.assertEqual(struct.unpack_from("<iI", data, 128), (0, 0))  # nobody is at the right
            writer, middle, reader = (struct.unpack_from("<I", data, 192 + 64 * k)[0] for k in range(3))
            # a copy made while it is written may have caught the exchange
            self.assertTrue(middle & 4 and {writer, middle & 3, reader} <= {0, 1, 2})
            at = 192 + 192 + (middle & 3) * 64  # 32 + 8 * 2 bytes fill one line
            number, step, acquired, angle, rate, again = struct.unpack_from("<QqqddQ", data, at)
            self.assertGreater(number, 0)
            self.assertLess(abs(angle), 1.0)  # nobody pushes it, but the wind
        finally:
            run.send_signal(signal.SIGINT)
            run.wait(timeout=PATIENCE)
        self.assertFalse(memory.exists())


class Sampled(unittest.TestCase):
    def test_swings_up_as_the_exact_sampled_response_says(self):
        """A torque 30 (pi - angle) - 8 rate, held for 1 ms: the differential equation between samples integrated to rounding."""
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run([VERNIER, "run", SOURCE / "missions/pendulum/pendulum.xml", "--quiet", "--out", folder, "--until", "2s"],
                                  capture_output=True, text=True, check=True)
            text = subprocess.run([VERNIER, "export", done.stdout.strip(), "pendulum.hinge.angle", "pendulum.hinge.rate", "--format", "csv"],
                                  capture_output=True, text=True, check=True).stdout
            at = {round(1000 * t): (angle, rate) for t, angle, rate in (map(float, row) for row in list(csv.reader(io.StringIO(text)))[1:])}
            for when, angle in ((100, 0.354415), (200, 1.048401), (500, 2.622249), (1000, 3.157825), (2000, 3.142971)):
                self.assertAlmostEqual(at[when][0], angle, delta=4e-6)  # of the scheme 2.2e-6
            self.assertAlmostEqual(at[100][1], 6.05353, delta=1e-4)


class Pendulum(unittest.TestCase):
    def test_stays_up_though_the_controller_is_stopped_and_killed(self):
        times = iter((5, 10, 20))
        unless_late(lambda: self.stays_up(next(times)), tries=3)

    def stays_up(self, seconds):
        with tempfile.TemporaryDirectory() as folder:
            words = [sys.executable, SOURCE / "missions/pendulum/run.py", "--vernier", VERNIER, "--out", folder, "--seconds", str(seconds), "--pause", "20", "--kill", "--json"]
            run = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            out, err = run.communicate(timeout=PATIENCE)
            self.assertIn(run.returncode, (0, 3), out + err)
            said = json.loads(out)
            # the memory is gone with the last of them
            self.assertEqual(list(pathlib.Path("/dev/shm").glob(f"vernier-pendulum-{run.pid}")), [])
            self.assertTrue(said["killed"])
            self.assertLess(said["error_alone_deg"], 2.5)  # the wind: 0.5 N m against 30 - 9.81 N m/rad, and what it swings
            self.assertTrue(all((pathlib.Path(folder) / f"fig{k}.svg").stat().st_size > 1000 for k in (1, 2)))
            self.assertLess(said["age_ms"]["mean"], said["age_ms"]["max"])
            self.assertGreaterEqual(said["longest_hold_ms"], 10)  # of 20: the last torque was held, and nobody waited
            self.assertGreaterEqual(said["age_ms"]["max"], 10.0)
            if said["restart_ms"] is None and seconds < 20:
                raise Late(f"no controller within {0.4 * seconds} s")
            self.assertIsNotNone(said["restart_ms"], said)
            told = {side: said.get(f"{side}_real_time", {"late_frames": 0, "frames": 1}) for side in ("plant", "controller")}
            late = [side for side, rt in told.items() if rt["late_frames"] > 0.02 * rt["frames"]]
            if not said["upright"] and (late or said["restart_ms"] > 300.0 or said["longest_hold_ms"] > said["restart_ms"] + 150.0):
                raise Late(f"frames of {late}, {said['restart_ms']} ms to start a controller, {said['longest_hold_ms']} ms without a torque")
            self.assertTrue(said["upright"], said)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
