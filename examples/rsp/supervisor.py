#!/usr/bin/env python3
"""Stops the drives of a facility when its program cannot: it was killed, hangs, or lost its machine.

usage: supervisor.py [--listen 127.0.0.1:42760] [--silence 0.1] [--acceleration 0.5] [--jerk 2]

It stands between the program and the drives. As long as heartbeats come (adapter="heartbeat", see formats/connector), the drives do what they say. If none comes
for --silence seconds although the last one said that something moves, the supervisor takes over: it lets the drives run on at their last velocity and slows them
down to rest, within the limits of acceleration and jerk. Then it ends with status 1, because a person must look. If the program itself brings everything to rest
and says so, the supervisor does nothing, and ends with status 0 after --silence seconds.
"""
import argparse
import math
import socket
import struct
import time

HEADER = struct.Struct("<4sIQqII")  # VHB1, phase, number, simulated time in ns, count of values, zero
RUNNING, COMING_TO_REST, AT_REST, STILL_MOVING = range(4)
STEP = 0.004  # s, of the drives


def decoded(data):
    """Phase, number and values of a heartbeat; None: it is something else."""
    if len(data) < HEADER.size:
        return None
    magic, phase, number, _, count, _ = HEADER.unpack_from(data)
    if magic != b"VHB1" or phase > STILL_MOVING or len(data) != HEADER.size + 8 * count:
        return None
    values = struct.unpack_from(f"<{count}d", data, HEADER.size)
    return (phase, number, values) if all(map(math.isfinite, values)) else None


def split(values):
    """Position and velocity of each body."""
    return [(values[i:i + 3], values[i + 3:i + 6]) for i in range(0, len(values) - 5, 6)]


def braking_time(speed, acceleration, jerk):
    """Of v(t) = v0 (1 - 3 s² + 2 s³), s = t/T: |a| <= 1.5 v0/T, |jerk| <= 6 v0/T²."""
    return max(1.5 * speed / acceleration, math.sqrt(6.0 * speed / jerk), STEP)


def brake(bodies, limits, drive):
    """Slows all bodies down together, along their velocities, step by step. Returns how long it took."""
    speed = max((math.hypot(*v) for _, v in bodies), default=0.0)
    duration = braking_time(speed, *limits)
    steps = math.ceil(duration / STEP)
    due = time.monotonic()
    for k in range(1, steps + 1):
        s = k / steps
        fall, way = 1.0 - 3.0 * s**2 + 2.0 * s**3, s - s**3 + 0.5 * s**4
        drive([([p + v * way * steps * STEP for p, v in zip(at, velocity)], [v * fall for v in velocity]) for at, velocity in bodies])
        due += STEP
        time.sleep(max(0.0, due - time.monotonic()))
    return steps * STEP


class Drives:
    """What would be the interface to the hardware: it keeps the last setting, and the largest changes between two."""

    def __init__(self):
        self.bodies, self.change, self.off = [], 0.0, 0.0

    def __call__(self, bodies):
        for (p, v), (q, w) in zip(bodies, self.bodies):
            self.change = max(self.change, math.dist(v, w) / STEP)
            self.off = max(self.off, math.dist(p, [a + 0.5 * STEP * (b + c) for a, b, c in zip(q, v, w)]))
        self.bodies = bodies

    def speed(self):
        return max((math.hypot(*v) for _, v in self.bodies), default=0.0)


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--listen", default="127.0.0.1:42760")
    p.add_argument("--silence", type=float, default=0.1)
    p.add_argument("--acceleration", type=float, default=0.5)
    p.add_argument("--jerk", type=float, default=2.0)
    a = p.parse_args()
    host, _, port = a.listen.rpartition(":")
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    s.bind((host, int(port)))
    print(f"waiting for heartbeats at {a.listen}; takes over after {a.silence:g} s of silence", flush=True)
    drives, phase, newest, heard = Drives(), None, 0, None
    while True:
        # silence counts from the last heartbeat, not from the last call
        s.settimeout(None if heard is None else max(1e-6, heard + a.silence - time.monotonic()))
        try:
            beat = decoded(s.recv(2048))
        except socket.timeout:
            break
        if beat is None or beat[1] <= newest:  # not ours, or overtaken
            continue
        if beat[0] != phase:
            print(("running", "coming to rest", "at rest", "still moving")[beat[0]], flush=True)
        phase, newest, values = beat
        heard = time.monotonic()
        drives.bodies = split(values)
    silent = time.monotonic() - heard
    if phase == AT_REST:
        print("the program brought everything to rest; nothing to do", flush=True)
        return 0
    # the drives ran on at their last velocity while nothing was heard
    drives.bodies = [([p + v * silent for p, v in zip(at, velocity)], velocity) for at, velocity in drives.bodies]
    print(f"takes over: nothing heard for {silent:.3f} s, {drives.speed():.4g} m/s", flush=True)
    took = brake(drives.bodies, (a.acceleration, a.jerk), drives)
    print(f"brought to rest in {took:.3f} s: {drives.speed():g} m/s, at most {drives.change:.3g} m/s^2, {drives.off:.2g} m off", flush=True)
    return 1


if __name__ == "__main__":
    raise SystemExit(main())
