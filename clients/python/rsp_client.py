#!/usr/bin/env python3
"""The simulator's side of RSP 1 (formats/rsp/README.md) over scp_client.py beside this file, in Python's standard library.

    import rsp_client, scp_client
    link = scp_client.Client(host, period=(100_000_000, 1), **rsp_client.sizes(bodies=1))
    run = rsp_client.Run(link, bodies=1, forerun=(1, 2), initial_ns=30_000_000_000)
    link.open()
    for n in range(...):
        while (vector := link.poll(due)) is not None:
            run.take(vector)
        link.step(n, due)
        run.begin(n)
        run.send([body])          # where the bodies shall be: INIT, STATE or STOP, as it fits
        if run.simulating:        # else the model stands still in its initial state
            body = advanced(body)
        run.measured              # where they are

usage: rsp_client.py HOST[:PORT] [--data PORT] [--rate HZ] [--forerun NU] [--initial S] [--duration S] [--key FILE]
A servicer that swings before a target which stands still: what examples/rsp/facility.xml expects.
"""
import argparse
import collections
import json
import math
import sys

import scp_client

READY, INIT, INIT_ACK, INIT_NAK, STATE, FEEDBACK, STOP, HALTED, FAULT = range(1, 10)
OFFLINE, WAITING, ASKING, COUNTING, RUNNING, STOPPING = range(6)
NAMES = ("offline", "waiting", "asking", "counting", "running", "stopping")
SERVER = ("idle", "ready", "approaching", "running", "extrapolating", "halting", "halted", "fault")
REFUSALS = ("", "the run's number is not larger", "number of bodies", "not a number", "less than 1 s ahead", "more than 600 s ahead",
            "the period", "forerun", "busy", "no steps were heard of", "a turn of more than 170 degrees", "position", "speed", "acceleration",
            "jerk", "rate", "angular acceleration", "angular jerk", "flags")
ENDS = ("", "the client stopped it", "the client was lost", "no command came for too long", "three commands in a row could not be used",
        "continuing would leave the limits", "the server missed steps", "the facility is not ready any more",
        "the facility's program ends or is frozen")
WHOLE = 2.0 ** 53

# attitude: w x y z, from body to reference axes; rate in body axes
Body = collections.namedtuple("Body", "position velocity attitude rate acceleration angular_acceleration",
                              defaults=((0.0, 0.0, 0.0), (0.0, 0.0, 0.0)))
Packet = collections.namedtuple("Packet", "kind run step bodies arguments")


def sizes(bodies, accelerations=False):
    """Elements of the vectors, for scp_client.Client."""
    return {"send": 12 + (19 if accelerations else 13) * bodies, "receive": 12 + 13 * bodies}


def encoded(kind, run, step, bodies=(), arguments=(), accelerations=False, size=0):
    numbers = [1.0, kind, run, step, len(bodies), 1 if accelerations and bodies else 0, *arguments]
    numbers += [0.0] * (12 - len(numbers))
    for b in bodies:
        numbers += [*b.position, *b.velocity, *b.attitude, *b.rate]
        if accelerations:
            numbers += [*b.acceleration, *b.angular_acceleration]
    return numbers + [0.0] * (size - len(numbers))


def decoded(v):
    """The packet in a vector; None when it is invalid. Servers send neither accelerations nor rates in reference axes."""
    def whole(x, least, most):
        return least <= x <= most and x == math.floor(x)
    if len(v) < 12 or v[0] != 1.0 or not whole(v[1], 1, 9) or not whole(v[2], 0, WHOLE / 2) or not whole(v[3], -WHOLE, WHOLE):
        return None
    if not whole(v[4], 0, 8) or not whole(v[5], 0, 3):
        return None
    block = 19 if int(v[5]) & 1 else 13
    end = 12 + int(v[4]) * block
    if len(v) < end or not all(map(math.isfinite, v[:end])):
        return None
    bodies = []
    for at in range(12, end, block):
        q = v[at + 6:at + 10]
        norm = math.sqrt(sum(x * x for x in q))
        if abs(norm - 1.0) > 1e-6:
            return None
        q, rate, second = tuple(x / norm for x in q), tuple(v[at + 10:at + 13]), tuple(v[at + 16:at + 19]) if block == 19 else (0.0,) * 3
        if int(v[5]) & 2:
            rate, second = turned(q, rate), turned(q, second)
        bodies.append(Body(tuple(v[at:at + 3]), tuple(v[at + 3:at + 6]), q, rate, tuple(v[at + 13:at + 16]) if block == 19 else (0.0,) * 3, second))
    return Packet(int(v[1]), int(v[2]), int(v[3]), bodies, tuple(v[6:12]))


def turned(q, x):
    """Rotates a vector from reference axes to body axes: q* x q."""
    w, u = q[0], [-c for c in q[1:]]
    def cross(a, b):
        return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
    t = [2.0 * c for c in cross(u, x)]
    return tuple(a + w * b + c for a, b, c in zip(x, t, cross(u, t)))


def start_of_run(now, initial_ns, period, forerun, over, under, reference):
    """Equations (9) to (11), in whole numbers: (client step, server step) in which the run begins.

    `period` and `forerun` are ratios; over/under is the client's period over the server's; `reference` a pair (client, server) of steps.
    """
    client = now - -initial_ns * period[1] // period[0]                                  # (9), rounded up
    whole, rest = divmod((client - reference[0]) * over, under)                          # (11)
    mapped = rest * forerun[1] + (forerun[1] + forerun[0]) * over
    return client, reference[1] + whole - -mapped // (under * forerun[1])                # (10), rounded up


class Run:
    """Requests runs, announces when the simulation begins, and sends its states."""

    def __init__(self, link, bodies, forerun=(1, 2), initial_ns=30 * scp_client.SECOND, accelerations=False, note=lambda text: None):
        self.link, self.bodies, self.forerun, self.initial_ns, self.accelerations, self.note = \
            link, bodies, forerun, initial_ns, accelerations, note
        self.state, self.simulating, self.ready = OFFLINE, False, False
        self.n, self.run, self.known_run, self.session = 0, 0, 0, 0
        self.asked = self.stopped = 0
        self.start = (0, 0)
        self.measured, self.server, self.actual_forerun = None, "idle", 0.0
        self.end = 0  # why the facility ended the last run: index of ENDS
        self.counters = collections.Counter()

    def change(self, state):
        if state != self.state:
            self.note(f"{NAMES[self.state]} -> {NAMES[state]}")
        self.state = state

    def ended(self, reason):
        """Why the facility ended the run, once; with 0 it did not say."""
        if reason != self.end and 0 < reason < len(ENDS):
            self.end = int(reason)
            self.note(f"the facility ends the run: {ENDS[self.end]}")

    def leave(self, state):
        self.simulating = self.ready = False
        self.change(state)

    def since(self, step, seconds):
        return (self.n - step) * self.link.period[0] >= seconds * 1e9 * self.link.period[1]

    def begin(self, n):
        """Step n begins; call it after take() for all received vectors."""
        self.n = n
        if self.state != OFFLINE and (not self.link.up or self.link.session != self.session):
            self.leave(OFFLINE)  # a new session is another server, or one that has lost our run
        if self.state == OFFLINE and self.link.up:
            self.session = self.link.session
            self.change(WAITING)
        if self.state == ASKING and self.since(self.asked, 2.0):
            self.counters["refused"] += 1
            self.note("no answer to the initialization")
            self.leave(WAITING)
        if self.state == COUNTING and n >= self.start[0]:
            self.simulating = True  # in this step the model is still in its initial state
            if n > self.start[0]:
                self.counters["runs"] += 1
                self.change(RUNNING)
        if self.state == STOPPING and self.since(self.stopped, 10.0):
            self.leave(WAITING)

    def take(self, vector):
        p = decoded(vector)
        if p is None or p.kind in (INIT, STATE, STOP):
            self.counters["malformed"] += 1
            return
        active = self.state in (COUNTING, RUNNING, STOPPING)
        if len(p.bodies) == self.bodies:
            self.measured = p.bodies
        if p.kind == READY:
            self.known_run, self.server = max(self.known_run, p.run), "ready"
            if active and p.run >= self.run:
                self.leave(WAITING)
            self.ready = self.ready or self.state == WAITING
        elif p.kind == FEEDBACK and 0 <= p.arguments[0] <= 7:
            self.server, self.actual_forerun = SERVER[int(p.arguments[0])], p.arguments[1]
            self.known_run = max(self.known_run, p.run)
            self.counters["extrapolated"], self.counters["late"], self.counters["rejected"] = map(int, p.arguments[2:5])
            if self.state == WAITING:
                self.ready = self.server == "ready"
            elif p.run == self.run:  # the announcement may have been replaced in transit: this implies it
                if self.state == ASKING and self.server in ("approaching", "running", "extrapolating"):
                    self.change(COUNTING)
                if self.server in ("halting", "halted"):
                    self.ended(p.arguments[5])
                if self.state in (COUNTING, RUNNING) and self.server in ("halting", "fault"):
                    self.halt()
                if active and self.server in ("idle", "ready", "halted"):
                    self.leave(WAITING)
        elif p.kind == INIT_ACK and self.state == ASKING and p.run == self.run:
            self.change(COUNTING)
        elif p.kind == INIT_NAK and p.run == self.run:
            if self.state == ASKING:
                self.counters["refused"] += 1
                reason = int(p.arguments[0]) if 0 < p.arguments[0] < len(REFUSALS) else 0
                self.note(f"no run: {REFUSALS[reason]} ({p.arguments[1]:g}, the limit is {p.arguments[2]:g})")
            if self.state in (ASKING, STOPPING):
                self.leave(WAITING)
        elif p.kind == HALTED and active and p.run == self.run:
            self.ended(p.arguments[0])
            self.leave(WAITING)
        elif p.kind == FAULT:
            self.server, self.ready = "fault", False
            if active or self.state == ASKING:
                self.note("the facility has a fault")
                self.leave(WAITING)

    def halt(self):
        self.simulating, self.stopped = False, self.n
        self.change(STOPPING)

    def stop(self):
        """Ends the run."""
        if self.state in (ASKING, COUNTING, RUNNING):
            self.halt()

    def due(self, k):
        """The server step at which command k is due."""
        whole, rest = divmod((k - self.start[0]) * self.link.over, self.link.under)
        return self.start[1] + whole + rest / self.link.under

    def send(self, bodies, want=True):
        """Sends the packet of this step; `want`: start a run as soon as the facility is ready."""
        if self.state == WAITING and self.ready and want and self.link.reference:
            self.start = start_of_run(self.n, self.initial_ns, self.link.period, self.forerun, self.link.over, self.link.under, self.link.reference)
            self.run, self.asked, self.end = max(self.run, self.known_run) + 1, self.n, 0
            arguments = (self.start[1], *self.link.period, self.forerun[0] / self.forerun[1], self.initial_ns * 1e-9)
            self.request = self.vector(INIT, self.start[0], bodies, arguments)  # constant while it is repeated
            self.change(ASKING)
        if self.state == ASKING:
            self.link.send(self.request)
        elif self.state == RUNNING:
            self.counters["commands"] += 1
            self.link.send(self.vector(STATE, self.n, bodies, (self.due(self.n),)))
        elif self.state == STOPPING:
            self.link.send(self.vector(STOP, self.n, (), ()))

    def vector(self, kind, step, bodies, arguments):
        return encoded(kind, self.run, step, bodies, arguments, self.accelerations, self.link.counts[0])


def main(words=None):
    parser = argparse.ArgumentParser(description="A servicer that swings before a target which stands still.")
    parser.add_argument("host", metavar="HOST[:PORT]")
    parser.add_argument("--data", metavar="PORT", type=int, help="of the data connection; else the next one")
    parser.add_argument("--rate", type=float, default=10.0, help="steps in a second")
    parser.add_argument("--forerun", type=float, default=0.5, help="of a period, 0 to 1")
    parser.add_argument("--initial", type=float, default=5.0, help="s for the way to the initial state")
    parser.add_argument("--duration", type=float, default=10.0, help="s of the run")
    parser.add_argument("--key", metavar="FILE", help="a file with the key that both sides know")
    a = parser.parse_args(words)
    host, _, port = a.host.partition(":")
    period = round(1e9 / a.rate)
    link = scp_client.Client(host, port or 42750, a.data, (period, 1), key=open(a.key, "rb").read(4097) if a.key else None,
                             name="rsp_client.py", **sizes(2))
    run = Run(link, 2, (round(a.forerun * 1e6), 10**6), round(a.initial * 1e9), note=lambda text: print(text, file=sys.stderr))
    start, n, t, farthest, ended = scp_client.now(), 0, 0.0, 0.0, False
    target = Body((2.0, 0.0, 0.0), (0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    while not (ended and run.state in (WAITING, OFFLINE)) and n < (a.initial + a.duration + 30) * a.rate:
        due = link.due(start, n)  # on the server's clock, so that the forerun stays constant
        try:
            if not link.up:
                link.open()
            while (vector := link.poll(due)) is not None:
                run.take(vector)
            link.step(n, due)
            link.receive()
            run.begin(n)
            if run.simulating and t >= a.duration:
                run.stop()
                ended = True
            # x = 0.1 cos 0.4 t; in its initial state before the run begins
            servicer = Body((0.1 * math.cos(0.4 * t), 0.0, 0.0), (-0.04 * math.sin(0.4 * t), 0.0, 0.0), (1.0, 0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
            run.send([servicer, target], want=not ended)
            if run.simulating:
                t += period * 1e-9
            if run.measured and run.state == RUNNING:
                farthest = max(farthest, abs(run.measured[0].position[0]))
        except scp_client.LinkError as e:
            print(f"rsp_client: {e} ({e.reason})", file=sys.stderr)
            return 1
        n += 1
    print(json.dumps({"ended": ended, "state": NAMES[run.state], "runs": run.counters["runs"], "commands": run.counters["commands"],
                      "late": run.counters["late"], "extrapolated": run.counters["extrapolated"], "refused": run.counters["refused"],
                      "rejected": run.counters["rejected"], "malformed": run.counters["malformed"], "forerun": run.actual_forerun, "farthest": farthest}))
    link.close()
    return 0 if ended else 1


if __name__ == "__main__":
    sys.exit(main())
