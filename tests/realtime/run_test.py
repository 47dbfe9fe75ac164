#!/usr/bin/env python3
"""A run in real time, from outside: examples/realtime. usage: run_test.py <vernier> <source tree>

Nothing here depends on how fast or how busy the machine is, nor on what it permits.
"""
import collections
import fcntl
import json
import os
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import unittest

VERNIER, SOURCE = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
BALANCE = SOURCE / "examples/realtime/balance.xml"


class RealTime(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)

    def vernier(self, *words, status=0, before=()):
        done = subprocess.run([*before, VERNIER, *map(str, words)], cwd=self.folder, capture_output=True, text=True,
                              timeout=60)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done

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
        trace = self.folder / "trace"
        self.vernier("run", BALANCE, "--rt", "--until", "0.5s", "--quiet", before=("strace", "-f", "-o", trace))
        lines = [line.split(None, 1) for line in trace.read_text(errors="replace").splitlines()]
        # the first process is the program, its first thread the loop's
        calls = [call for thread, call in lines if thread == lines[0][0]]
        names = [re.match(r"(?:<\.\.\. )?(\w*)", call)[1] for call in calls]
        sleeps = [i for i, name in enumerate(names) if name == "clock_nanosleep"]
        self.assertGreater(len(sleeps), 10)
        self.assertEqual(set(names[sleeps[0]:sleeps[-1] + 1]), {"clock_nanosleep"},
                         collections.Counter(names[sleeps[0]:sleeps[-1] + 1]))

    def test_with_a_link_it_also_wakes_the_threads_of_the_link(self):
        with socket.socket() as a, socket.socket() as b:
            for s in (a, b):
                s.bind(("127.0.0.1", 0))
            control, data = (f"127.0.0.1:{s.getsockname()[1]}" for s in (a, b))
        trace, link = self.folder / "trace", SOURCE / "examples/link"
        simulator = subprocess.Popen([VERNIER, "run", link / "simulator.xml", "--rt", "--quiet", "--until", "60s", "--out",
                                      self.folder / "other", "--set", f"facility.connect={control}", "--set",
                                      f"facility.data={data}"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(simulator.wait)
        self.addCleanup(simulator.kill)
        self.vernier("run", link / "facility.xml", "--rt", "--until", "1s", "--quiet", "--set", f"simulator.listen={control}",
                     "--set", f"simulator.data={data}", "--set", "simulator.patience=30s",
                     before=("strace", "-f", "-o", trace))
        lines = [line.split(None, 1) for line in trace.read_text(errors="replace").splitlines()]
        names = [re.match(r"(?:<\.\.\. )?(\w*)", call)[1] for thread, call in lines if thread == lines[0][0]]
        # the loop begins after the priority was asked for, and ends with its last sleep
        first = next(i for i, name in enumerate(names) if name == "sched_setscheduler")
        sleeps = [i for i, name in enumerate(names) if name == "clock_nanosleep" and i > first]
        self.assertEqual(set(names[sleeps[0]:sleeps[-1] + 1]), {"clock_nanosleep", "write"})
        self.assertIn("link.acquisition_to_output", (self.folder / "runs/latest/report.html").read_text())

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
        end, t = time.monotonic() + 30, 0.0
        while t < 1.99:  # the end is told as soon as somebody reads
            self.assertLess(time.monotonic(), end, f"it stands at {t}")
            time.sleep(0.05)
            told = subprocess.run([VERNIER, "status"], cwd=self.folder, capture_output=True, text=True)
            found = re.search(r"t = ([\d.]+)", told.stdout)
            if found:
                t = float(found[1])
            elif t > 0.0:  # the run is over: the loop came to its end
                break
        with os.fdopen(reader, encoding="utf-8") as pipe:
            said = pipe.read()
        self.assertIn("500", re.search(r"(no late frame in|of) (\d+)", said)[2])
        self.assertEqual(run.wait(timeout=20), 0)

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
        done = subprocess.run([*words, "--rt"], cwd=self.folder, capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("real time without real-time priority; late frames are to be expected", done.stderr)
        manifest = json.loads((self.folder / "runs/latest/manifest.json").read_text())
        self.assertTrue(manifest["machine"]["real-time priority"].startswith("no: refused"))
        self.assertIn("no: refused", (self.folder / "runs/latest/report.html").read_text())
        done = subprocess.run([*words, "--require-rt"], cwd=self.folder, capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
        self.assertIn("error[V4103]", done.stderr)

    def test_another_terminal_freezes_and_ends_it(self):
        run = subprocess.Popen([VERNIER, "run", BALANCE, "--rt", "--until", "60s", "--quiet"], cwd=self.folder,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(run.kill)
        end = time.monotonic() + 20
        while not (self.folder / "runs/latest/control").exists():
            self.assertLess(time.monotonic(), end)
            time.sleep(0.02)
        self.assertIn("running", self.vernier("status").stdout)
        self.assertIn("frozen", self.vernier("freeze").stdout)
        time.sleep(0.1)
        here = [re.search(r"t = ([\d.]+)", self.vernier("status", "runs/latest").stdout)[1] for _ in range(2)]
        self.assertEqual(here[0], here[1])
        self.assertIn("running", self.vernier("resume").stdout)
        self.assertIn("stopping", self.vernier("stop").stdout)
        self.assertEqual(run.wait(timeout=20), 130)
        self.assertIn("V4120", self.vernier("status", status=2).stderr)

    def test_the_doctor_tells_whether_the_machine_is_fit(self):
        words = [VERNIER, "doctor", "--seconds", "0.2", "--json", "--for"]
        done = subprocess.run([*words, BALANCE], cwd=self.folder, capture_output=True, text=True, timeout=60)
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
                              text=True, timeout=60)
        self.assertIn("faces the world", done.stdout)
        self.vernier("doctor", "--for", "nothing.xml", status=2)
        text = subprocess.run([VERNIER, "doctor", "--seconds", "0.1"], capture_output=True, text=True, timeout=60).stdout
        self.assertRegex(text, r"(?s)^machine  .* CPUs .*verdict  (not )?fit for 250 Hz")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
