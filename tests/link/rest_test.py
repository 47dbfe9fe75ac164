#!/usr/bin/env python3
"""A facility in flight is ended in every way that the program has: it comes to rest softly. usage: rest_test.py <vernier> <source tree>

Both sides are runs of the program by the clock: examples/rsp. What the facility commanded is read from its results, step by step.
"""
import concurrent.futures
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
from processes import PATIENCE, SOURCE, VERNIER, Late, free_ports, unless_late  # noqa: E402

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


class Flight:
    """A facility and its simulator."""

    def __init__(self, test, *words, prefix="", where=SOURCE / "examples/rsp", initial="1.4 s"):
        self.test = test
        folder = tempfile.TemporaryDirectory(prefix="vernier_rest_")
        test.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        control, data = (f"127.0.0.1:{port}" for port in free_ports())
        self.facility = self.start("facility", words or ["--until", "3600s"],
                                   [f"simulator.listen={control}", f"simulator.data={data}", "simulator.timeout=60s"], prefix, where)
        self.there = [f"facility.connect={control}", f"facility.data={data}", f"facility.initial={initial}", "approach.x=0.04", f"facility.patience={PATIENCE:g}s"]
        self.call()

    def call(self):
        """A simulator, the first or the next."""
        self.simulator = self.start("simulator", ["--until", "3600s"], self.there)

    def start(self, name, words, settings, prefix="", where=SOURCE / "examples/rsp"):
        log = open(self.folder / f"{name}.log", "w", encoding="utf-8")
        self.test.addCleanup(log.close)
        command = [VERNIER, "run", where / f"{name}.xml", "--rate", "1", "--events", "all", "--out", self.folder / name, *words, *(w for x in settings for w in ("--set", x))]
        if prefix:
            command = ["bash", "-c", prefix + ' exec "$@"', "bash", *command]
        process = subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT, text=True)
        self.test.addCleanup(lambda: (process.kill(), process.wait()))
        return process

    def log(self, name="facility"):
        return (self.folder / f"{name}.log").read_text(encoding="utf-8")

    def kept(self, name="facility"):
        """The folder of the latest run."""
        return max((self.folder / name).glob(f"{name}-*"), default=self.folder / "none")

    def ask(self, *words, name="facility"):
        folder = [self.kept(name)] if len(words) == 1 else ["--run", self.kept(name)]
        return subprocess.run([VERNIER, *words, *folder], text=True, capture_output=True, timeout=PATIENCE)

    def value(self, signal):
        done = self.ask("watch", signal, "--count", "1", "--json")
        return json.loads(done.stdout)["signals"].get(signal) if done.returncode == 0 else None

    def moves(self):
        return self.facility.poll() is not None or self.simulator.poll() is not None or any(abs(v) > 0.002 for v in self.value("simulator.servicer.velocity") or [])

    def events(self):
        return (self.kept() / "events.csv").read_text(encoding="utf-8")

    def late(self):
        """Whether the facility itself says that it did not keep time: then its steps, and so the motion, have gaps."""
        manifest = self.kept() / "manifest.json"
        late = json.loads(manifest.read_text())["statistics"].get("late", 0) if manifest.exists() else 0
        return late > 0 or "missed steps" in self.log()

    def wait_until(self, condition, what):
        """Not for long once the facility was late: a run that it then ended does not come back by itself."""
        end, late = time.monotonic() + PATIENCE, False
        while not condition():
            if not late and self.late():
                end, late = time.monotonic() + 20.0, True
            if time.monotonic() > end:
                raise AssertionError(f"{what} did not come")
            time.sleep(0.02)

    def wait_for_motion(self):
        self.wait_until(self.moves, "a flight")
        self.test.assertIsNone(self.facility.poll(), self.log())
        self.test.assertIsNone(self.simulator.poll(), self.log("simulator"))

    def check_end(self, status):
        self.test.assertEqual(self.facility.wait(PATIENCE), status, self.log())
        self.test.assertRegex(self.log(), r"it came to rest in [\d.]+ s")
        statistics = json.loads((self.kept() / "manifest.json").read_text())["statistics"]
        self.test.assertGreater(statistics["rest_s"], 0.0)
        self.test.assertLessEqual(statistics["rest_s"], statistics["longest_rest_s"])
        self.check_motion()

    def check_motion(self):
        names = ["servicer.position", "servicer.velocity", "target.position", "target.velocity"]
        done = subprocess.run([VERNIER, "export", self.kept(), *(f"simulator.{n}" for n in names)], text=True, capture_output=True, check=True,
                              timeout=PATIENCE)
        rows = [[float(x or "nan") for x in row] for row in list(csv.reader(io.StringIO(done.stdout)))[1:]]
        self.test.assertGreater(len(rows), 10)
        fastest = 0.0
        for before, now in zip(rows, rows[1:]):
            step = now[0] - before[0]
            for body in (1, 7):
                p, v = now[body:body + 3], now[body + 3:body + 6]
                q, w = before[body:body + 3], before[body + 3:body + 6]
                self.test.assertLessEqual(math.dist(v, w), ACCELERATION * max(step, PERIOD) * 1.001 + 1e-9, f"at {now[0]} s")
                off = math.dist(p, [a + 0.5 * step * (b + c) for a, b, c in zip(q, v, w)])
                self.test.assertLessEqual(off, ACCELERATION * max(step, PERIOD) ** 2, f"a jump at {now[0]} s")
                fastest = max(fastest, math.hypot(*v))
        self.test.assertGreater(fastest, 0.001, "it was in motion")
        for body in (4, 10):
            self.test.assertEqual(rows[-1][body:body + 3], [0.0, 0.0, 0.0], "it stands still at the end")


class Ends(unittest.TestCase):
    def unless_late(self, way, *words, **where):
        """One flight that ends in this way; again, if the facility says that it was late."""
        def attempt():
            flight = Flight(self, *words, **where)
            try:
                way(flight)
            except AssertionError as failed:
                if flight.late():
                    raise Late(f"{failed}\n{flight.log()}\n{flight.log('simulator')}") from None
                raise
        unless_late(attempt)

    def test_signals_and_stop(self):
        def way(end, flight):
            flight.wait_for_motion()
            end(flight)
            flight.check_end(130)
            # it may still have been counting down: the facility moves before the simulator runs
            flight.wait_until(lambda: "→ stopping" in flight.log("simulator"), "the halt, for the simulator")
        ends = [lambda f, n=n: f.facility.send_signal(n) for n in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)] + [lambda f: f.ask("stop")]
        # at the same time: they mostly wait
        with concurrent.futures.ThreadPoolExecutor() as pool:
            for done in [pool.submit(self.unless_late, lambda f, end=end: way(end, f)) for end in ends]:
                done.result()

    def test_the_end_of_the_run(self):
        # whether it is in flight then depends on the machine; if not, it flies longer
        for until in (4, 8, 30):
            flight = Flight(self, "--until", f"{until}s")
            self.assertEqual(flight.facility.wait(PATIENCE), 0, flight.log())
            if "came to rest" not in flight.log() or flight.late():
                continue
            flight.check_end(0)
            self.assertGreater(json.loads((flight.kept() / "manifest.json").read_text())["statistics"]["simulated_s"], until)
            return
        self.assertTrue(flight.late(), flight.log())

    def test_freeze_and_resume(self):
        def way(flight):
            flight.wait_for_motion()
            flight.ask("freeze")
            flight.wait_until(lambda: "frozen" in flight.ask("status").stdout and flight.value("simulator.servicer.velocity") == [0, 0, 0], "rest")
            flight.ask("resume")
            flight.wait_for_motion()  # the simulator requests a new run
            self.assertIn("the run ends: the facility's program ends or is frozen", flight.events())
            flight.facility.send_signal(signal.SIGTERM)
            flight.check_end(130)
        self.unless_late(way, initial="3 s")  # the way back to the initial state is longer

    def test_a_full_disk(self):
        # a run by the clock continues without its results, and is ended later
        def way(flight):
            flight.wait_until(lambda: "V7104" in flight.log(), "a full disk")
            flight.wait_for_motion()
            flight.facility.send_signal(signal.SIGINT)
            self.assertEqual(flight.facility.wait(PATIENCE), 1, flight.log())
            self.assertRegex(flight.log(), r"it came to rest in [\d.]+ s")
        self.unless_late(way, prefix="ulimit -f 300;")

    def test_a_fault_of_another_component(self):
        folder = tempfile.TemporaryDirectory(prefix="vernier_rest_")
        self.addCleanup(folder.cleanup)
        where = pathlib.Path(folder.name)
        for part in ("facility.xml", "to_simulator.xml"):
            text = (SOURCE / "examples/rsp" / part).read_text(encoding="utf-8").replace("../../formats", f"{SOURCE}/formats")
            if part == "facility.xml":
                text = text.replace("  <run ", '  <system id="frail" file="frail.xml"/>\n  <run ', 1)
            (where / part).write_text(text, encoding="utf-8")
        (where / "frail.xml").write_text(FRAIL, encoding="utf-8")

        def way(flight):
            flight.wait_for_motion()
            flight.ask("set", "frail.u=-1")
            flight.check_end(1)
            self.assertIn("V3107", flight.log())
        self.unless_late(way, where=where)

    def test_a_second_ctrl_c_ends_at_once_and_says_so(self):
        def way(flight):
            flight.wait_for_motion()
            flight.facility.send_signal(signal.SIGINT)
            flight.wait_until(lambda: flight.facility.poll() is not None or "coming to rest" in flight.ask("status").stdout, "the first")
            if flight.facility.poll() is None:
                flight.facility.send_signal(signal.SIGINT)
            self.assertEqual(flight.facility.wait(PATIENCE), 130)
            self.assertTrue("not brought to rest" in flight.log() or "came to rest" in flight.log(), flight.log())
        self.unless_late(way)

    def test_a_simulator_that_ends_says_so(self):
        # without its last words the facility would wait for commands in vain
        def way(flight):
            ends = [lambda n=n: flight.simulator.send_signal(n) for n in (signal.SIGTERM, signal.SIGHUP)]
            ends.append(lambda: flight.ask("stop", name="simulator"))
            for number, end in enumerate(ends, 1):
                flight.wait_for_motion()
                end()
                self.assertEqual(flight.simulator.wait(PATIENCE), 130, flight.log("simulator"))
                flight.wait_until(lambda: flight.events().count("halting,halted") >= number, "a halt")
                self.assertNotIn("no command came", flight.events())
                self.assertEqual(flight.events().count("the client was lost"), number, flight.events())
                if number < len(ends):
                    flight.call()
        self.unless_late(way, initial="3 s")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
