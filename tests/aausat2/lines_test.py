#!/usr/bin/env python3
"""AAUSAT-II with its plant in another program: usage lines_test.py <vernier> <source root>

Oracles: the exact switch of the one-island run (238.12447 s, two independent programs), and the same
composition with the plant in the same process.
"""
import csv
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

VERNIER, ROOT = str(pathlib.Path(sys.argv[1]).resolve()), pathlib.Path(sys.argv[2])
MISSION = ROOT / "missions" / "aausat2"
EXACT_SWITCH = 238.124467993  # s
sys.path.insert(0, str(ROOT / "tests"))
from processes import PATIENCE, free_ports, wait_until  # noqa: E402


class Lines(unittest.TestCase):
    LONG = ["--set", f"plant.timeout={PATIENCE:g}s"]  # for an answer, on a machine that is busy

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def vernier(self, *words, status=0):
        done = subprocess.run([VERNIER, *map(str, words)], cwd=self.folder, capture_output=True, text=True, timeout=PATIENCE)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done

    def run_quietly(self, document, *words):
        return self.folder / self.vernier("run", MISSION / document, "--quiet", *words).stdout.strip()

    def peer(self, *command):
        """Starts the other side on a port of its own; answers the process and its address."""
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        for word in process.stdout.readline().replace(";", " ").split():
            if word.startswith("127.0.0.1:"):
                return process, word
        self.fail("the peer did not say where it waits")

    def hosted(self):
        return self.peer(VERNIER, "serve", str(MISSION / "plant.xml"), "--set", "run.inputs=linear",
                         "--listen", "127.0.0.1:0", "--once")

    def switch(self, run):
        with open(run / "events.csv", newline="") as file:
            times = [float(e["time"]) for e in csv.DictReader(file) if e["to"] == "Pointing"]
        self.assertEqual(len(times), 1)
        return times[0]

    def test_the_plant_behind_a_connection_gives_the_same_bits(self):
        here = self.run_quietly("sampled.xml", "--until", "300")
        _, address = self.hosted()
        there = self.run_quietly("lines.xml", "--until", "300", "--set", f"plant.connect={address}", *self.LONG)
        self.vernier("compare", here, there)
        # second order in the step of 10 ms; with held inputs it would be 7.5 s off
        self.assertLess(abs(self.switch(there) - EXACT_SWITCH), 1e-3)
        self.assertEqual(self.switch(here), self.switch(there))

    def test_a_plant_in_python_gives_the_same_numbers(self):
        here = self.run_quietly("sampled.xml", "--until", "260")
        _, address = self.peer(sys.executable, str(MISSION / "plant.py"), f"127.0.0.1:{free_ports(1)[0]}")
        there = self.run_quietly("lines.xml", "--until", "260", "--set", f"plant.connect={address}", *self.LONG)
        self.vernier("compare", here, there, "--absolute", "1e-10")
        self.assertLess(abs(self.switch(there) - EXACT_SWITCH), 1e-3)

    def test_threads_change_no_bit(self):
        runs = [self.run_quietly("sampled.xml", "--until", "250", "--threads", n) for n in (1, 2, 4)]
        self.vernier("compare", runs[0], runs[1])
        self.vernier("compare", runs[0], runs[2])

    def test_a_peer_that_is_killed_ends_the_run_and_leaves_its_results(self):
        process, address = self.hosted()
        run = subprocess.Popen([VERNIER, "run", MISSION / "lines.xml", "--quiet", "--rate", "2",
                                "--set", f"plant.connect={address}", *self.LONG],
                               cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        wait_until(self.goes_on, "a run that goes on")
        process.kill()
        out, err = run.communicate(timeout=PATIENCE)
        self.assertEqual(run.returncode, 5, out + err)
        self.assertIn("V5106", err)
        self.assertIn("plant", err)
        signals = json.loads(self.vernier("export", "runs/latest", "--format", "json", "--signals", "plant.rate").stdout)
        self.assertTrue(signals)

    def goes_on(self):
        said = subprocess.run([VERNIER, "status"], cwd=self.folder, capture_output=True, text=True, timeout=PATIENCE).stdout
        found = re.search(r"t = ([\d.]+)", said)
        return found and float(found[1]) > 1.0


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
