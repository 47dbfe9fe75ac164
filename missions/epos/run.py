#!/usr/bin/env python3
"""The EPOS experiment: a formation simulated in one process, a robot facility at 250 Hz in another, both in real time.

usage: missions/epos/run.py [--short] [--vernier PROGRAM] [--out FOLDER]

Makes the counterparts of figures 11 to 16 of the paper as pictures, a table beside the paper's values, and four incidents: the cable is
pulled, the simulator is stopped and started again, the simulator pauses for 0.15 s, the simulator is too slow. The checks: the facility
extrapolates and rejoins after the pause; after the others it comes to a soft halt and is ready again; the commanded motion never jumps.
Status 1 when a check fails or a flight is cut short; status 77 when the machine was too slow for the short flights, as the runs report.
"""
import argparse
import concurrent.futures
import csv
import json
import math
import os
import pathlib
import queue
import re
import selectors
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
STATES = ["idle", "ready", "approaching", "running", "extrapolating", "halting", "halted", "fault"]
STEP = 0.004
PATIENCE = 120.0  # s; a process needs much less unless the machine is busy
PAPER = {"send to receive": "2.5 ms", "acquisition to output": "20 ms", "dead time": "40 ms", "control chain": "32 ms", "drift": "1e-6 s/s"}


TOO_SLOW = 77  # the status that ctest counts as skipped


class Failure(Exception):
    pass


class TooSlow(Exception):
    """The machine was late again and again: nothing was found out."""


def free_ports(kept=[]):
    """Two ports that stay bound, so that no other process gets them before they are used."""
    pair = [socket.socket() for _ in range(2)]
    for s in pair:
        s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        s.bind(("127.0.0.1", 0))
    kept += pair
    return [s.getsockname()[1] for s in pair]


class Run:
    """A `vernier run` in its own process, whose events can be awaited."""

    def __init__(self, program, name, document, folder, settings=(), options=()):
        self.name = name
        self.folder = folder / name
        words = [program, "run", HERE / document, "--out", self.folder, *options]
        for s in settings:
            words += ["--set", s]
        self.before = {p.name for p in self.folder.glob("*-*")}  # earlier runs
        self.process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True)
        self.lines, self.seen = queue.Queue(), []
        for work in (self.read, self.follow):
            threading.Thread(target=self.guarded, args=(work,), daemon=True).start()

    def guarded(self, work):
        """A mistake in a thread is one of the experiment, not a state that never comes."""
        try:
            work()
        except Exception as problem:  # pylint: disable=broad-except
            self.lines.put(problem)

    def read(self):
        for line in self.process.stdout:
            if not line.startswith("  t = "):  # events: after many of them the program prints no more
                self.lines.put(line.rstrip())

    def follow(self):
        """The events, from the file that contains all of them."""
        known, over = 0, False
        while not over:
            over = self.process.poll() is not None
            for file in self.folder.glob("*-*/events.csv"):
                if file.parent.name not in self.before:
                    rows = list(csv.reader(file.read_text(encoding="utf-8").rpartition("\n")[0].splitlines()))[1:]
                    self.lines_of(rows[known:])
                    known = len(rows)
            time.sleep(0.01)
        self.lines.put(None)

    def lines_of(self, rows):
        for time_, component, kind, old, new, reason, *_ in rows:
            self.lines.put(f"t = {time_} s   {component} {kind} " + (f"{old} → {new}" if new else "") + f" {reason}")

    def wait_for(self, pattern, seconds=0.0):
        """The next line that matches the pattern, within this many seconds."""
        seconds += PATIENCE
        end = time.monotonic() + seconds
        while True:
            try:
                line = self.lines.get(timeout=max(0.01, end - time.monotonic()))
            except queue.Empty:
                line = None
            if isinstance(line, Exception):
                raise line
            if line is None:
                raise Failure(f"{self.name}: no \"{pattern}\" within {seconds} s; it said:\n" + "\n".join(self.seen[-12:]))
            self.seen.append(line)
            if re.search(pattern, line):
                return line

    def tell(self, number):
        if self.process.poll() is None:
            os.kill(self.process.pid, number)

    def end(self, number=signal.SIGINT, seconds=PATIENCE):
        """The exit status after the signal."""
        self.tell(number)
        try:
            return self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise Failure(f"{self.name} does not end") from None

    def results(self):
        return (self.folder / "latest").resolve()

    def late(self):
        """Whether it reported that it, or a peer it waited for, was late."""
        try:
            return json.loads((self.results() / "manifest.json").read_text(encoding="utf-8"))["statistics"]["late"] > 0
        except (OSError, ValueError, KeyError):
            return False

    def late_commands(self):
        """Whether it was a facility to which a command came too late."""
        try:
            return max(Table(self.program, self.results(), ["simulator.rsp.late"])["simulator.rsp.late"]) > 0
        except (OSError, ValueError, KeyError, subprocess.CalledProcessError):
            return False


class Cable:
    """Two TCP relays on their own ports; pull() blocks both directions without closing anything."""

    def __init__(self, to):
        self.pulled = threading.Event()
        self.ports = []
        self.over = False
        for port in to:
            listener = socket.create_server(("127.0.0.1", 0))
            self.ports.append(listener.getsockname()[1])
            threading.Thread(target=self.serve, args=(listener, port), daemon=True).start()

    def serve(self, listener, port):
        with selectors.DefaultSelector() as selector:
            selector.register(listener, selectors.EVENT_READ)
            while not self.over:
                if self.pulled.is_set():
                    time.sleep(0.005)
                    continue
                for key, _ in selector.select(0.02):
                    if key.fileobj is listener:
                        self.join(selector, listener.accept()[0], port)
                    else:
                        self.pass_on(selector, key.fileobj, key.data)

    @staticmethod
    def join(selector, a, port):
        try:
            b = socket.create_connection(("127.0.0.1", port), 1)
        except OSError:
            a.close()
            return
        for s, other in ((a, b), (b, a)):
            s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            selector.register(s, selectors.EVENT_READ, other)

    @staticmethod
    def pass_on(selector, s, other):
        try:
            data = s.recv(65536)
            if data:
                other.sendall(data)
                return
        except OSError:
            pass
        for one in (s, other):
            try:
                selector.unregister(one)
            except (KeyError, ValueError):
                pass
            one.close()


# ---- results of a run

class Table:
    """Signals of a run by name; elements as name[0]."""

    def __init__(self, program, run, signals):
        text = subprocess.run([program, "export", run, *signals, "--format", "csv"], check=True, capture_output=True, text=True).stdout
        rows = csv.reader(line for line in text.splitlines() if line and not line.startswith("#"))
        head = [re.sub(r" \[.*\]$|\s*\(.*\)$", "", name) for name in next(rows)]
        # of several rows at one time, the last: after the events
        at = {row[0]: [float(x) if x else math.nan for x in row] for row in rows}
        columns = list(zip(*at.values()))
        self.columns = dict(zip(head, columns))
        self.t = columns[0]

    def __getitem__(self, name):
        return self.columns[name]

    def vector(self, name, n):
        return list(zip(*(self.columns[f"{name}[{i}]"] for i in range(n))))


def states_of(table):
    """(time, state) at each change."""
    changes = []
    for t, s in zip(table.t, table["simulator.rsp.state"]):
        if not changes or changes[-1][1] != STATES[int(s)]:
            changes.append((t, STATES[int(s)]))
    return changes


def continuous(table, limits):
    """Raises unless the commanded motion is continuous: positions follow the velocities, velocities stay within the accelerations."""
    worst, followed = {"step": 0.0, "velocity": 0.0, "turn": 0.0}, 0
    for body in ("servicer", "target"):
        p, v = table.vector(f"simulator.{body}.position", 3), table.vector(f"simulator.{body}.velocity", 3)
        q, w = table.vector(f"simulator.{body}.attitude", 4), table.vector(f"simulator.{body}.rate", 3)
        for k in range(1, len(p)):
            # robots that are not following have no command
            if table.t[k] - table.t[k - 1] > 1.5 * STEP or table["robots.state"][k - 1] != 2 or table["robots.state"][k] != 2:
                continue
            followed += 1
            off = math.sqrt(sum((b - a - STEP / 2 * (c + d)) ** 2 for a, b, c, d in zip(p[k - 1], p[k], v[k - 1], v[k])))
            turn = 2 * math.acos(min(1.0, abs(sum(a * b for a, b in zip(q[k - 1], q[k])))))
            rate = max(math.hypot(*w[k - 1]), math.hypot(*w[k]))
            worst["step"] = max(worst["step"], off)
            worst["velocity"] = max(worst["velocity"], math.dist(v[k - 1], v[k]) / STEP)
            worst["turn"] = max(worst["turn"], turn - rate * STEP)
    if followed < 500:
        raise Failure("the robots did not follow")
    # the trapezoid differs from a smooth motion by less than acceleration * step^2
    if worst["step"] > limits["acceleration"] * STEP**2 + 1e-9:
        raise Failure(f"the commanded place jumps by {worst['step']:.3g} m")
    if worst["velocity"] > 1.01 * limits["acceleration"]:
        raise Failure(f"the commanded velocity jumps: {worst['velocity']:.3g} m/s^2")
    if worst["turn"] > limits["angular_acceleration"] * STEP**2 + 1e-6:
        raise Failure(f"the commanded attitude jumps by {worst['turn']:.3g} rad")
    return worst


def mean(values):
    return sum(values) / len(values) if values else math.nan


def percentile(values, share):
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else math.nan


def packets(table, what, begin, end):
    """(time, last, mean of twenty) of a delay for each command in the interval."""
    rows, before = [], None
    for t, last, recent in zip(table.t, table[f"simulator.link.last.{what}"], table[f"simulator.link.{what}"]):
        if before is not None and last != before and begin <= t <= end:
            rows.append((t, last, recent))
        before = last
    return rows


def slope(points):
    """Of the straight line through the points."""
    t0, y0 = mean([t for t, _ in points]), mean([y for _, y in points])
    below = sum((t - t0) ** 2 for t, _ in points)
    return sum((t - t0) * (y - y0) for t, y in points) / below if below else math.nan


def between(changes, states):
    """From when to when it was first in one of the states."""
    begin = next((t for t, s in changes if s in states), None)
    if begin is None:
        raise Failure(f"the facility was never {' or '.join(states)}: {changes}")
    return begin, next((t for t, s in changes if t > begin and s not in states), math.inf)


def whole_flight(changes, seconds, period):
    """From when to when it flew. Raises unless that is the whole flight. The facility begins a period and the forerun, half a period, after the
    simulator, and ends with it."""
    begin, end = between(changes, ("running", "extrapolating"))
    if not end - begin >= seconds - 2 * period:
        raise Failure(f"the flight ended after {end - begin:.1f} of {seconds:g} s: {changes}")
    if end == math.inf:
        raise Failure(f"the flight did not end after {seconds:g} s: {changes}")
    return begin, end


def counted(table, begin, end):
    """(intervals without a command, commands) of the flight; the counters are reset for the next one."""
    rows = [k for k, t in enumerate(table.t) if begin <= t < end]
    late, commands = (max((table[f"simulator.rsp.{name}"][k] for k in rows), default=0) for name in ("extrapolated", "commands"))
    if not commands > 0:
        raise Failure("the flight had no commands")
    return int(late), int(commands)


FACILITY = ["simulator.*", "robots.measured.servicer.*", "robots.use.*", "robots.state"]


class Experiment:
    def __init__(self, program, out, short):
        self.program, self.out, self.short = program, out, short
        help_text = subprocess.run([program, "run", "--help"], capture_output=True, text=True).stdout
        self.paced = ["--rt"] if "--rt " in help_text or "--rt\n" in help_text else ["--rate", "1"]
        # a short approach takes less time
        self.initial, self.start = (2, ["formation.orbit.r=0.05 -9.8 0.05"]) if short else (20, [])
        self.pause = 0.7 if short else 3.0  # s in flight before an incident
        server = (HERE / "server.xml").read_text(encoding="utf-8")
        value = lambda name: float(re.search(rf'name="{name}">([-0-9.e]+)', server)[1])
        self.limits = {"acceleration": value("acceleration"), "angular_acceleration": math.radians(value("angular_acceleration"))}
        self.findings = []
        self.runs = threading.local()  # of the current attempt

    def facility(self, name):
        ports = free_ports()
        control, data = (f"127.0.0.1:{p}" for p in ports)
        run = Run(self.program, name, "facility.xml", self.out, [f"simulator.listen={control}", f"simulator.data={data}", *self.priority("simulator")],
                  [*self.paced, "--until", "3600s"])
        self.remember(run)
        run.wait_for("ready ")
        return run, ports

    def remember(self, run):
        self.runs.all = [*getattr(self.runs, "all", []), run]
        return run

    def simulator(self, name, document, ports, settings=(), paced=None):
        control, data = (f"127.0.0.1:{p}" for p in ports)
        return self.remember(Run(self.program, name, document, self.out,
                                 [f"facility.connect={control}", f"facility.data={data}", f"facility.initial={self.initial}s",
                                  f"facility.patience={PATIENCE:g}s", *self.start, *self.priority("facility"), *settings],
                                 [*(paced or self.paced), "--until", "3600s"]))

    def priority(self, link):
        """Processes on which the frames depend should not wait for other work."""
        return [f"{link}.priority=70"] if self.paced == ["--rt"] else []

    def table(self, run):
        return Table(self.program, run.results(), FACILITY)

    # ---- the experiment itself

    def flight(self, label, document, period, seconds):
        facility, ports = self.facility(f"facility-{label}")
        simulator = self.simulator(f"simulator-{label}", document, ports, [f"facility.duration={seconds}s"])
        try:
            facility.wait_for(r"approaching → running", self.initial)
            facility.wait_for(r"→ halted|halted → ", seconds)
            time.sleep(0.3)
        finally:
            simulator.end()
            facility.end()
        table = self.table(facility)
        changes = states_of(table)
        worst = continuous(table, self.limits)
        self.say(f"flight at {label}", changes, worst)
        sim = Table(self.program, simulator.results(),
                    ["formation.orbit.position", "formation.orbit.velocity", "facility.running"])
        flown = [i for i, r in enumerate(sim["facility.running"]) if r > 0.5]
        begin, end = whole_flight(changes, seconds, period)
        flight = {"table": table, "changes": changes, "begin": begin, "end": end, "period": period, "counted": counted(table, begin, end),
                  "position": [sim["formation.orbit.position[1]"][i] for i in flown],
                  "velocity": [sim["formation.orbit.velocity[1]"][i] for i in flown]}
        self.passes_through(flight)
        return flight

    @staticmethod
    def passes_through(flight):
        """Raises unless the commanded state equals each state when it is due."""
        table, places = flight["table"], flight["position"]
        rows = {round(t / STEP): k for k, t in enumerate(table.t)}
        due = [round((flight["begin"] + i * flight["period"]) / STEP) for i in range(len(places))]
        checked = 0
        for i, n in enumerate(due):
            if n * STEP < flight["end"] - STEP and n in rows and table["simulator.rsp.extrapolated"][rows[n]] == 0:
                off = abs(table["simulator.servicer.position[1]"][rows[n]] - places[i])
                if off > 1e-12:
                    raise Failure(f"commanded and requested differ by {off:.3g} m when state {i} is due")
                checked += 1
        if checked < 2:
            raise Failure("no commanded state could be compared with the requested one")

    def phases(self, count):
        """Delays of successive short flights: the phase of the simulator's steps relative to the facility's differs each time, and
        is constant during a run, since both use one clock here."""
        facility, ports = self.facility("facility-phases")
        simulators = []
        try:
            for i in range(count):
                simulators.append(self.simulator(f"simulator-phase-{i}", "simulator.xml", ports, ["facility.duration=2s", "facility.initial=3s",
                                                                                                 "formation.orbit.r=0.05 -9.8 0.05"]))
                facility.wait_for("→ running")
                facility.wait_for("→ halted")
                simulators[-1].end()
                time.sleep(0.3 + 0.0137 * i)
        finally:
            for s in simulators:
                s.end()
            facility.end()
        table = self.table(facility)
        runs = [(t, following[0]) for (t, s), following in zip(states_of(table), states_of(table)[1:]) if s == "running"]
        return {what: [mean([x for _, x, _ in packets(table, what, *run)]) for run in runs] for what in DELAYS}

    def say(self, what, changes, worst):
        rows = "".join(f"  {t:9.3f} s  {s}\n" for t, s in changes)
        print(f"\n{what}\n{rows}  largest step off the velocity {worst['step'] * 1e6:.2g} um, change of velocity {worst['velocity']:.3g} m/s^2: no jump")

    # ---- figures and table

    def figures(self, flight, label):
        table, begin, end = flight["table"], flight["begin"], flight["end"]
        asked = between(flight["changes"], ("approaching",))[0]
        last = {what: iter(packets(table, what, -1, math.inf)) for what in DELAYS}
        now = {what: (0.0, 0.0) for what in DELAYS}
        coming = {what: next(last[what], None) for what in DELAYS}
        path = self.out / f"curves-{label.replace(' ', '')}.csv"
        with open(path, "w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(["t", "requested", "commanded", "current", "requested_speed", "commanded_speed", "current_speed",
                             *(name for what in DELAYS for name in (what, what + "_mean")), "forerun"])
            for k, t in enumerate(table.t):
                # the state that was due last; until then, the first
                i = math.floor((t - begin) / flight["period"] + 1e-6) if t >= begin else 0
                i = min(i, len(flight["position"]) - 1)
                place, speed = flight["position"][i], flight["velocity"][i]
                for what in DELAYS:
                    while coming[what] and coming[what][0] <= t:
                        now[what] = coming[what][1:]
                        coming[what] = next(last[what], None)
                writer.writerow([f"{t:.6f}", place, table["simulator.servicer.position[1]"][k],
                                 table["robots.measured.servicer.position[1]"][k], speed,
                                 table["simulator.servicer.velocity[1]"][k], table["robots.measured.servicer.velocity[1]"][k],
                                 *(x for what in DELAYS for x in now[what]), table["simulator.rsp.forerun"][k]])
        folder = self.out / f"figures-{label.replace(' ', '')}"
        run = subprocess.run([self.program, "run", HERE / "figures.xml", "--set", f"epos.file={path}", "--until",
                              f"{table.t[-1]:.3f}s", "--out", folder, "--quiet"], check=True, capture_output=True, text=True).stdout.strip()
        middle = min(begin + 10, (begin + end) / 2)
        window = min(5.0, (end - begin) / 2) if flight["period"] >= 1 else min(2.0, (end - begin) / 2)
        for number, title, axis, (signals, names), first, until in (
                (11, "Initial trajectory", "position along the track", self.named("requested", "commanded", "current"), asked, begin + 1),
                (12, "Interpolated position", "position along the track", self.named("requested", "commanded"), middle, middle + window),
                (13, "Interpolated speed", "speed along the track", self.named("requested", "commanded", "current", of="_speed"), middle, middle + window),
                (14, "Send to receive", "send to receive", self.delay("send_to_receive"), begin, end),
                (15, "Acquisition to output", "acquisition to output", self.delay("acquisition_to_output"), begin, end),
                (16, "Dead time", "dead time", self.delay("dead_time"), begin, end),
                (17, "Actual forerun", "forerun", self.named("forerun"), begin, end)):
            for kind in ("svg", "png"):
                name = self.out / f"fig{number}-{label.replace(' ', '')}.{kind}"
                subprocess.run([self.program, "plot", run, *(f"epos.{s}" for s in signals), "--from", f"{first:.3f}s", "--to",
                                f"{until:.3f}s", "--title", f"{title}, {label}", "--y-label", axis, *(w for n in names for w in ("--label", n)),
                                "--no-events", "-o", name], check=True, capture_output=True)

    @staticmethod
    def named(*names, of=""):
        """Signals, and what the legend calls them."""
        return [n + of for n in names], names

    @staticmethod
    def delay(name):
        return [name, name + "_mean"], ["each command", "mean of twenty"]

    def chain(self, flight):
        """By how many steps the current state follows the command: the shift at which they are equal."""
        table = flight["table"]
        rows = [k for k, t in enumerate(table.t) if flight["begin"] + 0.2 < t < flight["end"] - 0.2]
        commanded, current = table["simulator.servicer.position[1]"], table["robots.measured.servicer.position[1]"]
        return min(range(1, 30), key=lambda s: sum((current[k] - commanded[k - s]) ** 2 for k in rows))

    def tabulate(self, flights, phases):
        lines = ["| | paper | " + " | ".join(f"here, {label}" for label in flights) + " |", "| --- | --- |" + " --- |" * len(flights)]
        figures = {}
        for what in DELAYS:
            cells = []
            for label, f in flights.items():
                values = [x for _, x, _ in packets(f["table"], what, f["begin"], f["end"])]
                figures[f"{what} {label}"] = mean(values)
                cells.append(f"{mean(values) * 1e3:.3f} ms (p50 {percentile(values, 0.5) * 1e3:.3f}, p99 {percentile(values, 0.99) * 1e3:.3f}, "
                             f"largest {max(values, default=math.nan) * 1e3:.3f}; {len(values)} packets)")
            lines.append(f"| {what.replace('_', ' ')}, mean | {PAPER[what.replace('_', ' ')]} | " + " | ".join(cells) + " |")
        lines.append(f"| control chain | {PAPER['control chain']} | " + " | ".join(f"{self.chain(f) * 4} ms" for f in flights.values()) + " |")
        drift, forerun, late = [], [], []
        for f in flights.values():
            points = [(t, x) for t, x in zip(f["table"].t, f["table"]["simulator.rsp.forerun"]) if f["begin"] < t < f["end"]]
            drift.append(f"{slope(points):.1e} s/s")
            forerun.append(f"{mean([x for _, x in points]) * 1e3:.1f} ms of {0.5 * f['period'] * 1e3:.0f} ms")
            late.append("{} of {}".format(*f["counted"]))
        lines.append(f"| drift of the forerun | {PAPER['drift']} | " + " | ".join(drift) + " |")
        lines.append("| forerun, actual | 50 % of the period asked for | " + " | ".join(forerun) + " |")
        lines.append("| intervals without a command | - | " + " | ".join(late) + " |")
        if phases:
            lines += ["", f"Means of {len(phases['dead_time'])} short flights at 10 Hz, begun at different moments of a step of the facility:", "",
                      "| | mean of all, ms | in steps of 4 ms | each flight, ms |", "| --- | --- | --- | --- |"]
            for what, values in phases.items():
                lines.append(f"| {what.replace('_', ' ')} | {mean(values) * 1e3:.3f} | {mean(values) / STEP:.2f} | " +
                             ", ".join(f"{x * 1e3:.2f}" for x in values) + " |")
                figures[f"{what} of all phases"] = mean(values)
        text = "\n".join(lines) + "\n"
        (self.out / "table.md").write_text(text, encoding="utf-8")
        (self.out / "table.json").write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")
        print("\n" + text)

    # ---- incidents, one after another on one facility that is never restarted

    def incidents(self):
        facility, ports = self.facility("facility-incidents")
        cable = Cable(ports)
        told = []
        simulators = []

        def flying():
            facility.wait_for("→ running", self.initial)
            time.sleep(self.pause)

        def halted():
            facility.wait_for("→ halting")
            facility.wait_for("→ halted")

        def stands_still():
            """Returns whether the run continued afterwards."""
            simulators[-1].tell(signal.SIGSTOP)
            time.sleep(0.15)
            simulators[-1].tell(signal.SIGCONT)
            return "running" in facility.wait_for("extrapolating → (running|halting)").split("→")[-1]

        try:
            simulators.append(self.simulator("simulator-cable", "simulator.xml", cable.ports))
            flying()
            told.append("the cable is pulled")
            cable.pulled.set()
            facility.wait_for("→ extrapolating")
            halted()
            time.sleep(1.2)  # longer than the timeout of the link
            told.append("it is put back")
            cable.pulled.clear()
            flying()
            told.append("the simulator is stopped")
            simulators[-1].end()
            halted()
            told.append("it is started again")
            simulators.append(self.simulator("simulator-again", "simulator.xml", ports))
            flying()
            told.append("it stands still for 0.15 s")
            # a busy machine may lose more time than that: then the run ends, and the next one begins
            for _ in range(5):
                if stands_still():
                    break
                flying()
            else:
                raise Failure("the facility never went on after it had extrapolated")
            time.sleep(self.pause)
            simulators[-1].end()
            halted()
            told.append("a simulator comes that is 3 % too slow")
            simulators.append(self.simulator("simulator-slow", "simulator.xml", ports, paced=["--rate", "0.97"]))
            facility.wait_for("→ extrapolating", self.initial)
            halted()
            facility.wait_for("→ ready")
        finally:
            for s in simulators:
                s.tell(signal.SIGCONT)
                s.end()
            facility.end()
            cable.over = True
        table = self.table(facility)
        changes = states_of(table)
        worst = continuous(table, self.limits)
        self.say("incidents, one facility: " + ", ".join(told), changes, worst)
        names = [s for _, s in changes]
        if "fault" in names:
            raise Failure("the facility had a fault")
        if names.count("halted") < 4 or names.count("approaching") < 4 or names.count("extrapolating") < 3:
            raise Failure(f"a state is missing: {names}")
        if max(table["robots.use.acceleration"]) > 1 or max(table["robots.use.rate"]) > 1 or 3 in table["robots.state"]:
            raise Failure("a joint was at its limit")


DELAYS = ("send_to_receive", "acquisition_to_output", "dead_time")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--short", action="store_true", help="seconds instead of minutes; for tests")
    parser.add_argument("--vernier", default=shutil.which("vernier") or str(HERE.parent.parent / "build/bin/vernier"), help="the program")
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("runs/epos"), help="where everything is left")
    parser.add_argument("--only", choices=("flights", "incidents"))
    a = parser.parse_args()
    a.out.mkdir(parents=True, exist_ok=True)
    e = Experiment(str(pathlib.Path(a.vernier).resolve()), a.out.resolve(), a.short)
    try:
        def tried(what, *arguments):
            """The machine may pause for longer than a facility tolerates: repeats the test if the runs report that they were late, or that a
            command was. Only late frames excuse a test that never passes."""
            end = time.monotonic() + 100
            while True:
                e.runs.all = []
                try:
                    return what(*arguments)
                except Failure as f:
                    frames, commands = (any(was(run) for run in e.runs.all) for was in (Run.late, Run.late_commands))
                    if not a.short or not (frames or commands):
                        raise
                    print(f"once more, since {'frames' if frames else 'commands'} were late: {f}", file=sys.stderr)
                    if time.monotonic() > end:
                        if not frames:
                            raise
                        raise TooSlow(str(f)) from None

        # short ones in parallel; figures are measured one after another
        with concurrent.futures.ThreadPoolExecutor(3 if a.short else 1) as pool:
            flights, incidents = {}, None
            if a.only != "incidents":
                flights = {label: pool.submit(tried, e.flight, label.replace(" ", ""), document, period, seconds if a.short else 140)
                           for label, document, period, seconds in (("10 Hz", "simulator.xml", 0.1, 3), ("1 Hz", "simulator-1hz.xml", 1.0, 4))}
            if a.only != "flights":
                incidents = pool.submit(tried, e.incidents)
            flights = {label: f.result() for label, f in flights.items()}
            if incidents:
                incidents.result()
        for label, f in flights.items():
            e.figures(f, label)
        if flights:
            e.tabulate(flights, {} if a.short else e.phases(10))
    except Failure as f:
        print(f"FAILED: {f}", file=sys.stderr)
        return 1
    except TooSlow as f:
        print(f"NOT FLOWN, the machine was too slow: {f}", file=sys.stderr)
        return TOO_SLOW
    print(f"pictures, table and runs: {a.out}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
