#!/usr/bin/env python3
"""A facility in flight is ended in every way that the program has: it comes to rest softly. usage: rest_test.py <vernier> <source tree>

Both sides are runs of the program by the clock: examples/rsp. What the facility commanded is read from its results, step by step.
"""
import csv
import io
import json
import math
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from processes import PATIENCE, SOURCE, VERNIER, free_ports, wait_until  # noqa: E402

PERIOD = 0.004
ACCELERATION = 0.5  # of examples/rsp/to_simulator.xml, m/s²
# not a number, when u becomes negative
FRAIL = """<?xml version="1.0" encoding="UTF-8"?>
<hybridsystem name="frail" version="1">
  <inputs><input name="u" default="1"/></inputs>
  <outputs><output name="y"/></outputs>
  <initial location="Only"/>
  <location><name>Only</name><outputmap output="y">sqrt(u)</outputmap></location>
</hybridsystem>
"""


class Ends(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="vernier_rest_")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.control, self.data = (f"127.0.0.1:{port}" for port in free_ports())

    def start(self, name, *words, prefix="", where=SOURCE / "examples/rsp"):
        log = open(self.folder / f"{name}.log", "w", encoding="utf-8")
        self.addCleanup(log.close)
        command = [VERNIER, "run", where / f"{name}.xml", "--rate", "1", "--out", self.folder / name, *words]
        if prefix:
            command = ["bash", "-c", prefix + ' exec "$@"', "bash", *command]
        process = subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT, text=True)
        self.addCleanup(lambda: (process.kill(), process.wait()))
        return process

    def log(self, name):
        return (self.folder / f"{name}.log").read_text(encoding="utf-8")

    def fly(self, *words, **where):
        """A facility, when its simulator has moved it for some steps."""
        facility = self.start("facility", "--set", f"simulator.listen={self.control}", "--set", f"simulator.data={self.data}", "--set",
                              "simulator.timeout=60s", *words, **where)
        self.start("simulator", "--until", "3600s", "--set", f"facility.connect={self.control}", "--set", f"facility.data={self.data}", "--set",
                   "facility.initial=1.4 s", "--set", "approach.x=0.04", "--set", f"facility.patience={PATIENCE:g}s")
        return facility

    def moves(self):
        """Whether the run in the facility's folder is under way and in flight."""
        return self.value("simulator.rsp.state") in ([2], [3], [4])

    def value(self, signal):
        done = self.ask("watch", signal, "--count", "1", "--json")
        return json.loads(done.stdout)["signals"].get(signal) if done.returncode == 0 else None

    def ask(self, *words):
        folder = [self.kept()] if len(words) == 1 else ["--run", self.kept()]
        return subprocess.run([VERNIER, *words, *folder], text=True, capture_output=True, timeout=PATIENCE)

    def kept(self):
        return next(iter(sorted((self.folder / "facility").glob("facility-*"))), self.folder / "none")

    def wait_for_motion(self, facility):
        wait_until(lambda: facility.poll() is not None or self.moves(), "a flight")
        self.assertIsNone(facility.poll(), self.log("facility"))
        time.sleep(0.3)  # of motion, or less: any moment will do

    def check(self, facility, status, rest=True):
        self.assertEqual(facility.wait(PATIENCE), status, self.log("facility"))
        if rest:
            self.assertRegex(self.log("facility"), r"it came to rest in [\d.]+ s")
            statistics = json.loads((self.kept() / "manifest.json").read_text())["statistics"]
            self.assertGreater(statistics["rest_s"], 0.0)
            self.assertLessEqual(statistics["rest_s"], statistics["longest_rest_s"])
        self.check_motion()

    def check_motion(self):
        names = ["servicer.position", "servicer.velocity", "target.position", "target.velocity"]
        done = subprocess.run([VERNIER, "export", self.kept(), *(f"simulator.{n}" for n in names)], text=True, capture_output=True, check=True,
                              timeout=PATIENCE)
        rows = [[float(x or "nan") for x in row] for row in list(csv.reader(io.StringIO(done.stdout)))[1:]]
        self.assertGreater(len(rows), 10)
        fastest = 0.0
        for before, now in zip(rows, rows[1:]):
            step = now[0] - before[0]
            for body in (1, 7):
                p, v = now[body:body + 3], now[body + 3:body + 6]
                q, w = before[body:body + 3], before[body + 3:body + 6]
                self.assertLessEqual(math.dist(v, w), ACCELERATION * max(step, PERIOD) * 1.001 + 1e-9, f"at {now[0]} s")
                off = math.dist(p, [a + 0.5 * step * (b + c) for a, b, c in zip(q, v, w)])
                self.assertLessEqual(off, ACCELERATION * max(step, PERIOD) ** 2, f"a jump at {now[0]} s")
                fastest = max(fastest, math.hypot(*v))
        self.assertGreater(fastest, 0.001, "it was in motion")
        for body in (4, 10):
            self.assertEqual(rows[-1][body:body + 3], [0.0, 0.0, 0.0], "it stands still at the end")

    def test_signals(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            with self.subTest(signal=number.name):
                self.setUp()
                facility = self.fly("--until", "3600s")
                self.wait_for_motion(facility)
                facility.send_signal(number)
                self.check(facility, 130)
                wait_until(lambda: "running → stopping" in self.log("simulator"), "the halt, for the simulator")

    def test_vernier_stop(self):
        facility = self.fly("--until", "3600s")
        self.wait_for_motion(facility)
        self.ask("stop")
        self.check(facility, 130)

    def test_the_end_of_the_run(self):
        # whether it is in flight then depends on the machine; if not, it flies longer
        for until in (6, 12, 40):
            self.setUp()
            facility = self.fly("--until", f"{until}s")
            self.assertEqual(facility.wait(PATIENCE), 0, self.log("facility"))
            if "came to rest" in self.log("facility"):
                self.check(facility, 0)
                end = json.loads((self.kept() / "manifest.json").read_text())["statistics"]["simulated_s"]
                self.assertGreater(end, until)
                return
        self.fail(self.log("facility"))

    def test_freeze_and_resume(self):
        facility = self.fly("--until", "3600s")
        self.wait_for_motion(facility)
        self.ask("freeze")
        wait_until(lambda: "frozen" in self.ask("status").stdout and self.value("simulator.servicer.velocity") == [0, 0, 0], "rest")
        self.assertIn("the run ends: the facility's program ends or is frozen", (self.kept() / "events.csv").read_text() + self.log("facility"))
        self.ask("resume")
        self.wait_for_motion(facility)  # the simulator asks again, and flies
        facility.send_signal(signal.SIGTERM)
        self.check(facility, 130)

    def test_a_full_disk(self):
        # a run by the clock continues without its results: they end before the flight does
        facility = self.fly("--until", "3600s", prefix="ulimit -f 300;")
        wait_until(lambda: "V7104" in self.log("facility"), "a full disk")
        self.wait_for_motion(facility)
        facility.send_signal(signal.SIGINT)
        self.assertEqual(facility.wait(PATIENCE), 1, self.log("facility"))
        self.assertRegex(self.log("facility"), r"it came to rest in [\d.]+ s")

    def test_a_fault_of_another_component(self):
        for part in ("facility.xml", "to_simulator.xml"):
            text = (SOURCE / "examples/rsp" / part).read_text(encoding="utf-8").replace("../../formats", f"{SOURCE}/formats")
            if part == "facility.xml":
                text = text.replace("  <run ", '  <system id="frail" file="frail.xml"/>\n  <run ', 1)
            (self.folder / part).write_text(text, encoding="utf-8")
        (self.folder / "frail.xml").write_text(FRAIL, encoding="utf-8")
        facility = self.fly("--until", "3600s", where=self.folder)
        self.wait_for_motion(facility)
        self.ask("set", "frail.u=-1")
        self.check(facility, 1)
        self.assertIn("V3107", self.log("facility"))

    def test_a_second_ctrl_c_ends_at_once_and_says_so(self):
        facility = self.fly("--until", "3600s")
        self.wait_for_motion(facility)
        facility.send_signal(signal.SIGINT)
        wait_until(lambda: facility.poll() is not None or "coming to rest" in self.ask("status").stdout, "the first")
        if facility.poll() is None:
            facility.send_signal(signal.SIGINT)
        self.assertEqual(facility.wait(PATIENCE), 130)
        self.assertTrue("not brought to rest" in self.log("facility") or "came to rest" in self.log("facility"), self.log("facility"))


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
