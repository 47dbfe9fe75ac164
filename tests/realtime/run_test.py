#!/usr/bin/env python3
"""A run in real time, from outside: examples/realtime. usage: run_test.py <vernier> <source tree>

Nothing here depends on how fast or how busy the machine is, nor on what it permits: a run that says that it was late may be made again.
"""
import collections
import fcntl
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

VERNIER, SOURCE = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
BALANCE = SOURCE / "examples/realtime/balance.xml"
sys.path.insert(0, str(SOURCE / "tests"))
from processes import PATIENCE, Late, free_ports, unless_late, wait_until  # noqa: E402


class RealTime(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)

    def vernier(self, *words, status=0, before=()):
        done = subprocess.run([*before, VERNIER, *map(str, words)], cwd=self.folder, capture_output=True, text=True,
                              timeout=PATIENCE)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done

    def ask(self, request):
        """What a run that goes on answers; again until it does, since it gives a visitor but a second to speak."""
        def asked():
            done = subprocess.run([VERNIER, request], cwd=self.folder, capture_output=True, text=True, timeout=PATIENCE)
            return done.stdout if done.returncode == 0 else ""
        return wait_until(asked, f"an answer to {request}")

    def calls(self, trace, *words):
        """System calls of the loop's thread in a real-time run, in order."""
        self.vernier("run", *words, "--rt", "--quiet", before=("strace", "-f", "-o", trace))
        lines = [line.split(None, 1) for line in trace.read_text(errors="replace").splitlines()]
        # the first process is the program, its first thread the loop's
        return [re.match(r"(?:<\.\.\. )?(\w*)", call)[1] for thread, call in lines if thread == lines[0][0]]

    def late(self):
        """Frames that the last run said were late."""
        manifest = json.loads((self.folder / "runs/latest/manifest.json").read_text())
        return manifest["statistics"]["late"]

    def test_the_example_keeps_time_and_tells_how(self):
        told = json.loads(self.vernier("run", BALANCE, "--rt", "--until", "1s", "--json").stdout)
        self.assertEqual(told["real_time"]["frames"], 250)
        self.assertGreaterEqual(told["wall_s"], 1.0)
        self.assertTrue(told["checks"][0]["kept"])
        late = told["real_time"]["late_frames"]
        self.assertEqual(late, sum(told["real_time"][f"late_by_{c}"] for c in ("work", "wake_up", "wait")))
        for name in ("frames.h5", "report.html", "results.h5", "manifest.json"):
            self.assertTrue((self.folder / told["folder"] / name).exists(), name)
        # the same names as in the run's output
        csv = self.vernier("export", f"{told['folder']}/frames.h5", "--signals", "frame.margin").stdout
        self.assertEqual(len(csv.strip().splitlines()), 251)

    def test_the_loop_makes_no_system_call_but_the_sleep(self):
        def attempt():
            names = self.calls(self.folder / "trace", BALANCE, "--until", "0.5s")
            sleeps = [i for i, name in enumerate(names) if name == "clock_nanosleep"]
            if len(sleeps) <= 10 and self.late() > 0:  # who is late does not sleep
                raise Late(f"{self.late()} frames")
            self.assertGreater(len(sleeps), 10)
            self.assertEqual(set(names[sleeps[0]:sleeps[-1] + 1]), {"clock_nanosleep"},
                             collections.Counter(names[sleeps[0]:sleeps[-1] + 1]))
        unless_late(attempt)

    def test_with_a_link_it_also_wakes_the_threads_of_the_link(self):
        unless_late(self.with_a_link)

    def with_a_link(self):
        control, data = (f"127.0.0.1:{port}" for port in free_ports())
        trace, link = self.folder / "trace", SOURCE / "examples/link"
        simulator = subprocess.Popen([VERNIER, "run", link / "simulator.xml", "--rt", "--quiet", "--until", "3600s", "--out",
                                      self.folder / "other", "--set", f"facility.connect={control}", "--set",
                                      f"facility.data={data}", "--set", f"facility.patience={PATIENCE:g}s"],
                                     stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            names = self.calls(trace, link / "facility.xml", "--until", "1s", "--set", f"simulator.listen={control}",
                               "--set", f"simulator.data={data}", "--set", f"simulator.patience={PATIENCE:g}s", "--set", "simulator.timeout=60s")
        finally:
            simulator.kill()
            simulator.wait()
        # the loop begins after the priority was asked for, and ends with its last sleep
        first = next(i for i, name in enumerate(names) if name == "sched_setscheduler")
        sleeps = [i for i, name in enumerate(names) if name == "clock_nanosleep" and i > first]
        made = set(names[sleeps[0]:sleeps[-1] + 1]) if sleeps else set()
        measured = "link.acquisition_to_output" in (self.folder / "runs/latest/report.html").read_text()
        if (made < {"clock_nanosleep", "write"} or not measured) and self.late() > 0:  # nothing came, or all at once
            raise Late(f"{self.late()} frames")
        self.assertEqual(made, {"clock_nanosleep", "write"})
        self.assertTrue(measured)

    def test_a_terminal_that_does_not_read_holds_nothing_up(self):
        # a model that has an event every 20 ms, and a pipe with room for a few lines
        location = """  <location><name>{0}</name><diffequation state="x">1</diffequation><outputmap output="y">x</outputmap>
    <transitions><transition><name>to{1}</name><domain>x &gt; 0.02</domain>
      <reset><destination>{1}</destination><statereset state="x">0</statereset></reset></transition></transitions>
  </location>
"""
        (self.folder / "blink.xml").write_text(
            '<hybridsystem name="Blink" version="1">\n  <states><state name="x" initial="0"/></states>\n'
            '  <outputs><output name="y"/></outputs>\n  <initial location="On"/>\n'
            + location.format("On", "Off") + location.format("Off", "On") + "</hybridsystem>\n")
        self.vernier("check", "blink.xml")
        reader, writer = os.pipe()
        fcntl.fcntl(writer, 1031, 4096)  # F_SETPIPE_SZ
        run = subprocess.Popen([VERNIER, "run", "blink.xml", "--rt", "--until", "2s", "--set", "run.step=4ms"],
                               cwd=self.folder, stdout=writer, stderr=subprocess.DEVNULL)
        self.addCleanup(run.wait)
        self.addCleanup(run.kill)
        os.close(writer)
        # the loop comes to its end, and with it whoever answers from outside; that it did is told as soon as somebody reads
        control, began, seen = self.folder / "runs/latest/control", time.monotonic(), False
        def over():
            nonlocal seen
            seen = seen or control.exists()
            return not control.exists() and (seen or time.monotonic() > began + 20)
        wait_until(over, "the end of the run")
        with os.fdopen(reader, encoding="utf-8") as pipe:
            said = pipe.read()
        self.assertIn("500", re.search(r"(no late frame in|of) (\d+)", said)[2])
        self.assertEqual(run.wait(timeout=PATIENCE), 0)

    def test_without_any_right_it_goes_on_and_says_so(self):
        # who is nobody already has none to give up
        nobody = ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--bounding-set=-all",
                  "--inh-caps=-all") if os.geteuid() == 0 else ()
        limits = ("prlimit", "--rtprio=0", "--memlock=65536", "--nice=0")
        for folder in (self.folder, *self.folder.parents):
            if os.stat(folder).st_uid == os.geteuid() and folder.is_relative_to(tempfile.gettempdir()):
                if folder != pathlib.Path(tempfile.gettempdir()):
                    folder.chmod(0o777)
        program, document = self.folder / "vernier", self.folder / "realtime"
        shutil.copy(VERNIER, program)
        shutil.copytree(BALANCE.parent, document)
        words = [*nobody, *limits, program, "run", document / "balance.xml", "--until", "0.2s"]
        done = subprocess.run([*words, "--rt"], cwd=self.folder, capture_output=True, text=True, timeout=PATIENCE)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("real time without real-time priority; late frames are to be expected", done.stderr)
        manifest = json.loads((self.folder / "runs/latest/manifest.json").read_text())
        self.assertTrue(manifest["machine"]["real-time priority"].startswith("no: refused"))
        self.assertIn("no: refused", (self.folder / "runs/latest/report.html").read_text())
        done = subprocess.run([*words, "--require-rt"], cwd=self.folder, capture_output=True, text=True, timeout=PATIENCE)
        self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
        self.assertIn("error[V4103]", done.stderr)

    def test_another_terminal_freezes_and_ends_it(self):
        run = subprocess.Popen([VERNIER, "run", BALANCE, "--rt", "--until", "3600s", "--quiet"], cwd=self.folder,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(run.kill)
        wait_until((self.folder / "runs/latest/control").exists, "the run")
        self.assertIn("running", self.ask("status"))
        self.assertIn("frozen", self.ask("freeze"))
        def stands():
            """It does, and not by chance: a frame lasts 4 ms."""
            seen = set()
            for _ in range(4):
                seen.add(re.search(r"t = ([\d.]+)", self.ask("status"))[1])
                time.sleep(0.1)
            return len(seen) == 1
        wait_until(stands, "a time that stands still")
        self.assertIn("running", self.ask("resume"))
        self.assertIn("stopping", self.ask("stop"))
        self.assertEqual(run.wait(timeout=PATIENCE), 130)
        self.assertIn("V4120", self.vernier("status", status=2).stderr)

    def test_the_doctor_tells_whether_the_machine_is_fit(self):
        words = [VERNIER, "doctor", "--seconds", "0.2", "--json", "--for"]
        done = subprocess.run([*words, BALANCE], cwd=self.folder, capture_output=True, text=True, timeout=PATIENCE)
        told = json.loads(done.stdout)
        self.assertEqual(done.returncode, 0 if told["fit"] else 3)
        found = {f["name"]: f for f in told["findings"]}
        for name in ("real-time priority", "locked memory", "CPU frequency", "isolated CPUs", "throttling", "clock", "kernel",
                     "wake-up latency", "cost of a frame"):
            self.assertIn(name, found)
        self.assertTrue(all(f["fix"] for f in told["findings"] if f["level"] == "bad"))
        self.assertIn("of 4.000 ms", found["cost of a frame"]["value"])
        self.assertIn("250 Hz", told["verdict"])
        self.assertFalse((self.folder / "runs").exists())
        # what acts on the world is not run for it
        done = subprocess.run([*words, SOURCE / "examples/link/facility.xml"], cwd=self.folder, capture_output=True,
                              text=True, timeout=PATIENCE)
        self.assertIn("external device or process", done.stdout)
        self.vernier("doctor", "--for", "nothing.xml", status=2)
        text = subprocess.run([VERNIER, "doctor", "--seconds", "0.1"], capture_output=True, text=True, timeout=PATIENCE).stdout
        self.assertRegex(text, r"(?s)^machine  .* CPUs .*verdict  (not )?fit for 250 Hz")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
