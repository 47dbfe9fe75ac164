#!/usr/bin/env python3
"""Writes the packets in golden/, bad/ and corpus/ from the text of README.md alone. usage: vectors.py

A golden packet is the payload of an SCP data packet in hexadecimal digits, eight bytes to a line: little-endian doubles.
"""
import math
import pathlib
import struct

HERE = pathlib.Path(__file__).resolve().parent
READY, INIT, INIT_ACK, INIT_NAK, STATE, FEEDBACK, STOP, HALTED, FAULT = range(1, 10)
NAN, INF = math.nan, math.inf

# position m, velocity m/s, attitude w x y z, rate rad/s; then acceleration, angular acceleration
SERVICER = [1.0, -2.5, 0.125, 0.01, 0.0, -0.02, 0.5, 0.5, -0.5, 0.5, 0.1, -0.2, 0.3]
TARGET = [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]
PUSH = [0.001, 0.002, -0.003, 0.01, 0.02, -0.03]


def packet(kind, run, step, bodies=(), flags=0, arguments=(), size=None):
    numbers = [1.0, kind, run, step, len(bodies), flags, *arguments]
    numbers += [0.0] * (12 - len(numbers))
    for b in bodies:
        numbers += b
    return numbers + [0.0] * ((size or 0) - len(numbers))


def changed(numbers, **at):
    numbers = list(numbers)
    for i, x in at.items():
        numbers[int(i[1:])] = x
    return numbers


TWO = [SERVICER, TARGET]
PUSHED = [SERVICER + PUSH, TARGET + [0.0] * 6]
STATE_TWO = packet(STATE, 3, 6, TWO, arguments=[51.0])
GOLDEN = {
    "ready": packet(READY, 2, 1000, TWO),
    "init": packet(INIT, 3, 5, TWO, arguments=[47.0, 100e6, 1.0, 0.5, 30.0]),
    "init_ack": packet(INIT_ACK, 3, 10, size=38),
    "init_nak": packet(INIT_NAK, 3, 10, arguments=[12.0, 0.75, 0.5, 1.0], size=38),
    "state": STATE_TWO,
    "state_accelerations": packet(STATE, 3, 6, PUSHED, flags=1, arguments=[51.0]),
    # the same rate: x, y, z of the reference are -y, -z, x of the servicer
    "state_reference_axes": packet(STATE, 3, 6, [SERVICER[:10] + [0.2, -0.3, 0.1], TARGET], flags=2, arguments=[51.0]),
    "feedback": packet(FEEDBACK, 3, 60, TWO, arguments=[3.0, 0.0485, 1.0, 2.0, 0.0]),
    "stop": packet(STOP, 3, 12, size=38),
    "halted": packet(HALTED, 3, 900, arguments=[1.0], size=38),
    "fault": packet(FAULT, 3, 901, size=38),
}
BAD = {
    "short": STATE_TWO[:11],
    "cut": STATE_TWO[:37],
    "version": changed(STATE_TWO, n0=2.0),
    "version_nan": changed(STATE_TWO, n0=NAN),
    "kind": changed(STATE_TWO, n1=10.0),
    "kind_half": changed(STATE_TWO, n1=1.5),
    "run": changed(STATE_TWO, n2=0.5),
    "run_large": changed(STATE_TWO, n2=2.0**52 + 1),
    "step": changed(STATE_TWO, n3=INF),
    "bodies": changed(STATE_TWO, n4=9.0),
    "bodies_negative": changed(STATE_TWO, n4=-1.0),
    "flags": changed(STATE_TWO, n5=4.0),
    "argument": changed(STATE_TWO, n6=NAN),
    "position": changed(STATE_TWO, n12=NAN),
    "rate": changed(STATE_TWO, n37=-INF),
    "attitude": changed(STATE_TWO, n18=0.5 + 1e-5),
    "attitude_zero": changed(STATE_TWO, n31=0.0),
}


def data(numbers):
    return struct.pack(f"<{len(numbers)}d", *map(float, numbers))


def main():
    for folder, packets in (("golden", GOLDEN), ("bad", BAD)):
        for name, numbers in packets.items():
            raw = data(numbers)
            lines = [raw[i:i + 8].hex() for i in range(0, len(raw), 8)]
            (HERE / folder / f"{name}.hex").write_text("\n".join(lines) + "\n")
            (HERE / "corpus" / name).write_bytes(raw)


if __name__ == "__main__":
    main()
