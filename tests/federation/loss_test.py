#!/usr/bin/env python3
"""usage: loss_test.py VERNIER

What becomes of a federation of processes when one of them is killed: each of the others says what happened, to whom and what to do, ends with a status that is not 0, and
its recording can be read. All cases go at the same time, each with its own RTI.
"""
import json
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from processes import PATIENCE, VERNIER, wait_until  # noqa: E402

FEDERATES = {
    "Earth": '<role master="yes" root="yes"/><time step="100 ms" lcts="100 ms" epoch="2026-06-01"/>{more}<publish><frame name="Root"/></publish>',
    "Pacer": '<role pacing="yes"/><time step="100 ms" pace="real-time"/>{more}',
    "Moon": '<time step="100 ms" pacer="Pacer"/>{more}<publish><frame name="MoonFrame" parent="Root" port="moon"/></publish>',
    "Guest": '<role join="late"/><time step="100 ms"/>{more}',
}
REQUIRED = '<require federate="Pacer"/><require federate="Moon"/>'


class Federation:
    """An RTI and its federates, in a folder of their own."""

    def __init__(self, **more):
        self.folder = tempfile.TemporaryDirectory()
        self.processes = {}
        self.start("rti", "rti", "--listen", "127.0.0.1:0")
        self.rti = re.search(r"tcp://[\d.:]+", self.processes["rti"].stdout.readline())[0]  # it listens
        for name in ("Earth", "Pacer", "Moon"):
            self.join(name, more.get(name, REQUIRED if name == "Earth" else ""))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for p in self.processes.values():
            if p.poll() is None:
                p.kill()
            p.communicate()
        self.folder.cleanup()

    def start(self, name, *words):
        self.processes[name] = subprocess.Popen([VERNIER, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def join(self, name, more=""):
        place = pathlib.Path(self.folder.name)
        (place / f"{name}.federate.xml").write_text(
            f'<federate name="{name}"><federation name="f" rti="{self.rti}" patience="{PATIENCE:g} s"/>{FEDERATES[name].format(more=more)}</federate>')
        (place / f"{name}.xml").write_text(
            f'<interconnection name="{name}"><connector id="federate" file="{name}.federate.xml"/>'
            '<run stop="3600 s" step="100 ms"/><record signals="federate.*"/></interconnection>')
        self.start(name, "run", str(place / f"{name}.xml"), "--out", str(place / name))

    def federate(self, *words):
        return subprocess.run([VERNIER, "federate", *words, "--rti", self.rti, "--wait", f"{PATIENCE:g}"], capture_output=True, text=True, timeout=PATIENCE)

    def runs(self):
        """Returns when it runs; with what a watcher saw."""
        seen = self.federate("watch", "f", "--until", "0.3s")
        assert seen.returncode == 0, seen.stderr
        return seen.stdout

    def stands(self, name):
        """Returns when its time does not advance any more: for ten steps by the clock, and not by chance."""
        def still():
            seen = set()
            for _ in range(4):
                seen.add(self.time_of(name))
                time.sleep(0.3)
            return len(seen) == 1
        wait_until(still, f"a standstill of {name}")

    def time_of(self, name, number=1):
        def asked():
            for run in pathlib.Path(self.folder.name, name).glob(f"*-{number:04}"):
                said = subprocess.run([VERNIER, "status", str(run)], capture_output=True, text=True, timeout=PATIENCE).stdout
                return re.search(r"t = ([\d.]+)", said)
        return float(wait_until(asked, f"an answer of {name}")[1])

    def joins(self, name):
        """Returns when the RTI has said so."""
        while not re.search(f"federate '{name}' has joined", line := self.processes["rti"].stdout.readline()):
            assert line, "the RTI ended"

    def takes_part(self, name, number=1):
        """Returns when its run, the first or a later one, has made steps."""
        wait_until(lambda: self.time_of(name, number) > 0.25, f"{name} in the federation")

    def says(self, name, words):
        """Returns when it has said so, on the error stream."""
        said = ""
        while words not in said:
            line = self.processes[name].stderr.readline()
            assert line, f"{name} ended without \"{words}\": {said}"
            said += line

    def run_of(self, name):
        return next(p for p in pathlib.Path(self.folder.name, name).iterdir() if not p.is_symlink())

    def kill(self, name):
        self.processes[name].send_signal(signal.SIGKILL)

    def ended(self, name):
        out, err = self.processes[name].communicate(timeout=PATIENCE)
        return self.processes[name].returncode, err

    def rows(self, name):
        """Of the recording of a run."""
        text = subprocess.run([VERNIER, "export", str(self.run_of(name)), "federate.logical_time", "--format", "csv"], capture_output=True, text=True, check=True).stdout
        return len(text.splitlines()) - 1


class Loss(unittest.TestCase):
    def expect(self, f, name, message, *notes, status=5, recorded=True):
        got, err = f.ended(name)
        self.assertEqual(got, status, f"{name}: {err}")
        for note in (message, *notes):
            self.assertIn(note, err)
        if recorded:
            self.assertGreater(f.rows(name), 2, name)

    def master_initializing(self):
        with Federation(Moon='<require instance="Nowhere"/>') as f:
            f.says("Moon", "Moon waits for Nowhere")
            f.kill("Earth")
            for name in ("Pacer", "Moon"):
                self.expect(f, name, "error[V5329]: the Master of f, Earth, is gone without a shutdown: ", "restart it", status=2, recorded=False)

    def master_waiting(self):
        with Federation(Earth=REQUIRED + '<require federate="Nobody"/>') as f:
            f.says("Earth", "Earth waits for Nobody")
            f.kill("Earth")
            f.ended("Earth")
            f.join("Earth", REQUIRED)  # the others waited for a Master, and there is one again
            f.runs()
            self.assertEqual(f.federate("ask", "f", "shutdown").returncode, 0)
            for name in ("Earth", "Pacer", "Moon"):
                self.assertEqual(f.ended(name)[0], 0, name)

    def master_running(self):
        with Federation() as f:
            f.runs()
            f.kill("Earth")
            for name in ("Pacer", "Moon"):
                self.expect(f, name, "error[V5329]: the Master of f, Earth, is gone without a shutdown: ", "restart it")

    def master_frozen(self):
        with Federation() as f:
            f.runs()
            self.assertEqual(f.federate("ask", "f", "freeze").returncode, 0)
            f.stands("Moon")
            f.kill("Earth")
            for name in ("Pacer", "Moon"):
                self.expect(f, name, "error[V5329]: the Master of f, Earth, is gone", "restart it")

    def pacer_running(self):
        with Federation() as f:
            wait_until(lambda: "held by Pacer" in f.runs(), "a moment at which Pacer holds time back")
            f.join("Guest")
            f.takes_part("Guest")
            f.kill("Pacer")
            self.expect(f, "Earth", "error[V5335]: Earth cannot continue in f: Pacer was lost: ", "restart the federation")
            self.expect(f, "Moon", "error[V5335]: Moon cannot continue in f: Pacer was lost: ", "time is tied to no clock")
            self.expect(f, "Guest", "error[V5336]: f was shut down, since Pacer was lost: ", "messages of Pacer")  # does not know who paces

    def rti_running(self):
        with Federation() as f:
            f.runs()
            record = pathlib.Path(f.folder.name, "kept.federation")
            f.start("record", "federate", "record", "f", "--rti", f.rti, "-o", str(record))
            f.joins(r"vernier-recorder-\d+")
            f.kill("rti")
            for name in ("Earth", "Pacer", "Moon"):
                self.expect(f, name, f"error[V5328]: the connection of {name} to the RTI at {f.rti} was lost", "vernier rti, then restart all federates",
                            "to come back while f runs, start Moon again: it joins late, at the next multiple of 100 ms" if name == "Moon"
                            else f"{name} cannot come back into a running federation")
            self.assertNotEqual(f.ended("record")[0], 0)
            self.assertIn("vernier-federation 2", record.read_text())

    def guest_comes_back(self):
        with Federation() as f:
            f.runs()
            f.join("Guest")
            f.takes_part("Guest")
            f.kill("Guest")
            f.ended("Guest")
            f.join("Guest")
            f.takes_part("Guest", 2)
            self.assertEqual(f.federate("ask", "f", "shutdown").returncode, 0)
            for name in ("Earth", "Pacer", "Moon", "Guest"):
                self.assertEqual(f.ended(name)[0], 0, name)

    def moon_holds_it_back(self):
        with Federation() as f:
            f.runs()
            f.processes["Moon"].send_signal(signal.SIGSTOP)
            f.stands("Pacer")
            f.processes["Moon"].send_signal(signal.SIGCONT)
            f.runs()
            self.assertEqual(f.federate("ask", "f", "shutdown").returncode, 0)
            out, err = f.processes["Pacer"].communicate(timeout=PATIENCE)
            self.assertEqual(f.processes["Pacer"].returncode, 0, err)
            self.assertRegex(out, r"frames late: .*federation [1-9][0-9]*, pacing 0 \(.*Moon [1-9]")
            run = f.run_of("Pacer")
            late = int(re.search(r"(\d+) of \d+ frames late", out)[1])
            if late <= 5:  # all are shown
                self.assertIn("waiting for the federation, which was held back by Moon", out)
            report = (run / "report.html").read_text()
            self.assertIn("<td>Moon</td>", report)
            if late <= 100:
                self.assertIn("which was held back by Moon", report)
            self.assertGreaterEqual(json.loads((run / "manifest.json").read_text())["statistics"]["late_by.Moon"], 1)
            causes = subprocess.run([VERNIER, "export", str(run / "frames.h5"), "frame.cause", "--format", "csv"], capture_output=True, text=True, check=True).stdout
            self.assertIn("4", [line.split(",")[-1] for line in causes.splitlines()[1:]])

    def test_each_kind_of_loss(self):
        cases = [self.moon_holds_it_back, self.master_waiting, self.master_initializing, self.master_running, self.master_frozen, self.pacer_running, self.rti_running, self.guest_comes_back]
        problems = []

        def work(case):
            try:
                case()
            except BaseException as e:  # all of them are told
                problems.append(f"{case.__name__}: {type(e).__name__}: {e}")

        threads = [threading.Thread(target=work, args=(c,)) for c in cases]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        self.assertEqual(problems, [])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
