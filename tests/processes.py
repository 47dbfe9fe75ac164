"""What tests that run the program need on any machine, however slow or busy: patience, ports of their own, processes whose words can be waited for.

usage of the tests: TEST.py <vernier> <source tree> ...
"""
import csv
import pathlib
import queue
import re
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

# s before something that did not come is a failure; ctest ends these tests after 900
PATIENCE = 300.0
SOURCE = pathlib.Path(__file__).resolve().parents[1]
VERNIER = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "vernier").resolve()
_reserved = []


def free_ports(number=2):
    """Ports that nobody else is given while this process lives: they are bound, so that only who names them can listen there."""
    ports = []
    for _ in range(number):
        s = socket.socket()
        s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        s.bind(("127.0.0.1", 0))
        _reserved.append(s)
        ports.append(s.getsockname()[1])
    return ports


def wait_until(condition, what, seconds=PATIENCE):
    """The first answer of `condition` that is not false."""
    end = time.monotonic() + seconds
    while not (answer := condition()):
        if time.monotonic() > end:
            raise AssertionError(f"{what} did not come within {seconds:g} s")
        time.sleep(0.02)
    return answer


class Late(Exception):
    """The program itself said that it did not keep time, and what it was to show did not show."""


class Witness:
    """How late the machine itself is meanwhile: the longest that a sleep was too long, s."""

    def __enter__(self):
        self.worst, self.over = 0.0, False
        self.thread = threading.Thread(target=self.look, daemon=True)
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.over = True
        self.thread.join()

    def look(self):
        while not self.over:
            due = time.monotonic() + 0.005
            time.sleep(0.005)
            self.worst = max(self.worst, time.monotonic() - due)


def unless_late(attempt, tries=4, seconds=100.0):
    """Calls attempt(), again while it raises Late. Of a machine that is busy all the time nothing more is asked than that the program says so."""
    end, worst = time.monotonic() + seconds, 0.0
    for _ in range(tries):
        try:
            with Witness() as witness:
                return attempt()
        except Late as late:
            worst, said = max(worst, witness.worst), late
            print(f"late: {late}", file=sys.stderr)
        if time.monotonic() > end:
            break
    if worst < 0.01:
        raise AssertionError(f"the program was late all the time, and the machine was not: {said}")
    return None


class Run:
    """A run of the program in a process and a folder of its own; what it says, and its events, can be waited for."""

    def __init__(self, document, *words):
        self.name = pathlib.Path(document).stem
        self.folder = tempfile.TemporaryDirectory(prefix="vernier_run_")
        self.process = subprocess.Popen([VERNIER, "run", document, "--out", self.folder.name, *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                        text=True, encoding="utf-8")
        self.lines, self.said = queue.Queue(), []
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()
        self.follower = threading.Thread(target=self.follow, daemon=True)
        self.follower.start()

    def read(self):
        with self.process.stdout as lines:
            for line in lines:
                if not line.startswith("  t = "):  # events: after many of them it shows no more
                    self.lines.put(line.rstrip("\n"))

    def follow(self):
        known, over = 0, False
        try:
            while not over:
                over = self.process.poll() is not None
                events = self.events()
                for e in events[known:]:
                    self.lines.put(f"t = {e['time']} {e['component']} {e['kind']} " + (f"{e['from']} → {e['to']}" if e["to"] else "") + f" {e['reason']}")
                known = len(events)
                time.sleep(0.02)
        finally:
            self.reader.join()
            self.lines.put(None)

    def events(self):
        """Those that were written whole."""
        for file in pathlib.Path(self.folder.name).glob("*-*/events.csv"):
            return list(csv.DictReader(file.read_text(encoding="utf-8").rpartition("\n")[0].splitlines()))
        return []

    def wait_for(self, pattern, seconds=PATIENCE):
        """The next line or event that has the pattern."""
        end = time.monotonic() + seconds
        while True:
            try:
                line = self.lines.get(timeout=max(0.01, end - time.monotonic()))
            except queue.Empty:
                raise AssertionError(f"{self.name}: no \"{pattern}\" within {seconds:g} s; it said:\n" + "\n".join(self.said[-20:])) from None
            if line is None:
                self.lines.put(None)
                raise AssertionError(f"{self.name} ended without \"{pattern}\"; it said:\n" + "\n".join(self.said[-20:]))
            self.said.append(line)
            if re.search(pattern, line):
                return line

    def end(self, number=signal.SIGINT):
        """Its status after the signal, and everything that it said."""
        if self.process.poll() is None:
            self.process.send_signal(number)
        try:
            status = self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise AssertionError(f"{self.name} does not end") from None
        self.follower.join()
        while (line := self.lines.get()) is not None:
            self.said.append(line)
        self.lines.put(None)
        self.kept = self.events() or getattr(self, "kept", [])
        self.folder.cleanup()
        return status, "\n".join(self.said)


def reports(text):
    """The numbers that a run said at its end, by their names."""
    return {name: float(value) for name, value in re.findall(r"(?m)^  (\S.*?) {2,}([-+.e\d]+) (?:.* )?\([\w.\[\]]+\)$", text)}
