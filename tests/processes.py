"""What tests that run the program need on any machine, however slow or busy: patience, ports of their own, processes whose words can be waited for.

usage of the tests: TEST.py <vernier> <source tree> ...
"""
import pathlib
import queue
import re
import signal
import socket
import subprocess
import sys
import threading
import time

# s before something that did not come is a failure; ctest ends a test after 240
PATIENCE = 200.0
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


def unless_late(attempt, tries=4, seconds=100.0):
    """Calls attempt(), again while it raises Late. Of a machine that never keeps time nothing more is asked than that the program says so."""
    end = time.monotonic() + seconds
    for k in range(tries):
        try:
            return attempt()
        except Late as late:
            print(f"the machine was late: {late}", file=sys.stderr)
        if time.monotonic() > end:
            break
    return None


class Run:
    """A process whose lines, of both streams, can be waited for."""

    def __init__(self, *words, **more):
        self.name = " ".join(str(w) for w in words[:2])
        self.process = subprocess.Popen([VERNIER, *map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, encoding="utf-8", **more)
        self.lines, self.said = queue.Queue(), []
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()

    def read(self):
        with self.process.stdout as lines:
            for line in lines:
                self.lines.put(line.rstrip("\n"))
        self.lines.put(None)

    def wait_for(self, pattern, seconds=PATIENCE):
        """The next line that has the pattern."""
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
        if number is not None and self.process.poll() is None:
            self.process.send_signal(number)
        try:
            status = self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise AssertionError(f"{self.name} does not end") from None
        self.reader.join()
        while (line := self.lines.get()) is not None:
            self.said.append(line)
        self.lines.put(None)
        return status, "\n".join(self.said)


def reports(text):
    """The numbers that a run said at its end, by their names."""
    return {name: float(value) for name, value in re.findall(r"(?m)^  (\S.*?) {2,}([-+.e\d]+) (?:.* )?\([\w.\[\]]+\)$", text)}
