"""A document of several parts, runs of it on several nodes, and the executors that run them, for tests that disturb them.

Programs that import it are called with: <vernier> <source tree> [<argument>...]
"""
import json
import os
import pathlib
import re
import signal
import socket
import subprocess
import sys
import threading

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parents[1] / name) for name in ("cli", "server")]
from in_a_folder import PATIENCE, SOURCE, VERNIER, InAFolder, free_ports, wait_until  # noqa: E402,F401  for who imports this
from server_test import Server, WithServers  # noqa: E402,F401

MODELS = {
    "oscillator": """<hybridsystem name="Oscillator" version="1">
  <inputs><input name="u" default="0"/></inputs>
  <states><state name="x" initial="1"/><state name="v" initial="0"/></states>
  <outputs><output name="y"/></outputs>
  <location><name>Swing</name>
    <diffequation state="x">v</diffequation>
    <diffequation state="v" unit="1">0.2*u - 4*x + 0.3*(1 - x*x)*v</diffequation>
    <outputmap output="y">x</outputmap></location>
</hybridsystem>
""",
    "relay": """<hybridsystem name="Relay" version="1">
  <inputs><input name="u" default="0"/></inputs>
  <outputs><output name="y"/></outputs>
  <events><event name="on" direction="out"/></events>
  <initial location="Off"/>
  <location><name>Off</name><outputmap output="y">0</outputmap>
    <transitions><transition><name>up</name><domain>u &gt; 0.4</domain><outevent>on</outevent>
      <reset><destination>On</destination></reset></transition></transitions></location>
  <location><name>On</name><outputmap output="y">1</outputmap>
    <transitions><transition><name>down</name><domain>u &lt; -0.4</domain>
      <reset><destination>Off</destination></reset></transition></transitions></location>
</hybridsystem>
""",
    "counter": """<hybridsystem name="Counter" version="1">
  <inputs><input name="u" default="0"/></inputs>
  <states><state name="n" initial="0"/></states>
  <outputs><output name="y"/></outputs>
  <events><event name="on" direction="in"/></events>
  <location><name>Count</name>
    <diffequation state="n" unit="1">0.01*u - 0.2*n</diffequation>
    <outputmap output="y">n + 0.1*u</outputmap>
    <transitions><transition><name>next</name><inevent>on</inevent>
      <reset><destination>Count</destination><statereset state="n">n + 1</statereset></reset>
    </transition></transitions></location>
</hybridsystem>
"""}
# it runs until it is interrupted
DOCUMENT = """<interconnection name="parts" version="1">
  <input name="push"/>
  <system id="a" file="oscillator.xml" island="own"/>
  <system id="b" file="oscillator.xml" island="own"/>
  <system id="relay" file="relay.xml" island="own"/>
  <system id="count" file="counter.xml" island="own"/>
  <system id="late" file="counter.xml" island="own"/>
  <system id="craft" type="rigid_body" island="own">
    <parameter name="inertia" value="1 2 2.5"/><parameter name="omega" value="0.1 0.2 -0.3"/>
  </system>
  <component id="gyro" type="rate_sensor" rate="37 Hz"><parameter name="noise" value="1e-3"/></component>
  <connect from="craft.omega" to="gyro.truth"/>
  <connect from="ext.push" to="a.u"/>
  <connect from="a.y" to="b.u" delay="2 ticks"/>
  <connect from="b.y" to="relay.u"/>
  <connect from="relay.y" to="count.u"/>
  <connect from="count.y" to="late.u"/>
  <eventmap from="relay.on" to="count.on"/>
  <eventmap from="relay.on" to="late.on" delay="0.13 s"/>
  <stimulus at="0.777 s" input="ext.push" value="0.9"/>
  <run stop="1000000 s" step="10 ms"/>
  <record signals="*" every="1 Hz"/>
</interconnection>
"""


def children(pid):
    """The processes that it has started and that still live."""
    found = []
    for task in pathlib.Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            found += map(int, task.read_text().split())
        except OSError:
            pass  # the thread has ended meanwhile
    return [child for child in found if lives(child)]


def lives(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def kill(pid, number=signal.SIGKILL):
    """Whether it was there."""
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        return False
    return True


class Run:
    """A run in another process; what it says can be waited for."""

    def __init__(self, folder, document, *words):
        self.process = subprocess.Popen([VERNIER, "run", document, "--events", "none", *map(str, words)], cwd=folder, text=True, encoding="utf-8",
                                        stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.lines, self.news = [], threading.Condition()
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()

    def read(self):
        with self.process.stdout as lines:
            for line in lines:
                with self.news:
                    self.lines.append(line.rstrip("\n"))
                    self.news.notify_all()
        with self.news:
            self.lines.append(None)
            self.news.notify_all()

    def said(self):
        return "\n".join(line for line in self.lines if line is not None)

    def count(self, pattern):
        return len(re.findall(pattern, self.said()))

    def wait_for(self, pattern, times=1):
        """Until it has said this so many times."""
        with self.news:
            self.news.wait_for(lambda: self.count(pattern) >= times or None in self.lines, PATIENCE)
            if self.count(pattern) < times:
                raise AssertionError(f"no \"{pattern}\" in:\n{self.said()}")

    def over(self):
        return self.process.poll() is not None

    def status(self):
        """That of its end."""
        try:
            status = self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise AssertionError(f"it does not end; it said:\n{self.said()}") from None
        self.reader.join()
        return status

    def close(self):
        self.process.kill()
        self.process.wait()
        self.reader.join()


class WithNodes(WithServers):
    """Runs of the document; each must leave what it leaves in one process."""

    def setUp(self):
        super().setUp()
        os.environ["TMPDIR"] = str(self.folder / "tmp")
        (self.folder / "tmp").mkdir()
        for name, text in MODELS.items():
            (self.folder / f"{name}.xml").write_text(text)

        (self.folder / "parts.xml").write_text(DOCUMENT)

    def run_on(self, on, *words, document="parts.xml", out="nodes"):
        run = Run(self.folder, document, "--out", out, "--on", on, *words)
        self.addCleanup(run.close)
        run.wait_for("(?m)^  ready ")
        events = self.folder / out / "parts-0001/events.csv"
        wait_until(lambda: events.exists() and events.read_text().count("\n") > 3, "events")
        return run

    def executors(self, run, servers, number):
        """Of a run, when it has this many."""
        parents = [server.process.pid for server in servers] or [run.process.pid]
        found = lambda: [pid for parent in parents for pid in children(parent)]  # noqa: E731
        return wait_until(lambda: len(found()) == number and found(), f"{number} executors")

    def ask(self, words, out="nodes"):
        """Asks the run for something, as other programs do, and gives its answer."""
        with socket.socket(socket.AF_UNIX) as control:
            control.settimeout(PATIENCE)
            control.connect(str(self.folder / out / "parts-0001/control"))
            control.sendall(f"{words}\n".encode())
            return control.makefile().readline().rstrip("\n")

    def end(self, run):
        """Interrupts a run, and expects that it was the same as in one process until then."""
        kill(run.process.pid, signal.SIGINT)
        self.assertEqual(run.status(), 130, run.said())
        reached = re.search(r"interrupted at t = (\S+) s", run.said())[1]
        self.expect_same(self.alone("--until", f"{reached}s"), "nodes/parts-0001")

    def alone(self, *words, document="parts.xml"):
        """The folder of a run in one process."""
        return self.vernier("run", document, "--quiet", "--out", "alone", *words).stdout.strip()

    def expect_same(self, first, second):
        """The same events, and the same values to the bit."""
        self.assertEqual((self.folder / first / "events.csv").read_text(), (self.folder / second / "events.csv").read_text())
        found = json.loads(self.vernier("compare", first, second, "--json").stdout)
        self.assertEqual((found["only_a"], found["only_b"]), ([], []))
        self.assertGreater(len(found["signals"]), 20)
        for s in found["signals"]:
            self.assertEqual((s["only_a"], s["only_b"], s["largest"]), (0, 0, 0), s["signal"])
            self.assertGreater(s["compared"], 0, s["signal"])
