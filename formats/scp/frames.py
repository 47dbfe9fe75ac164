#!/usr/bin/env python3
"""Writes the frames in golden/ and bad/, and corpus/, with Python's standard library alone.

An encoder that shares nothing with Vernier's, so that the files test it; and the shortest text of the header. A file holds
one frame in hexadecimal, 16 bytes to a line; the line before says what it is. usage: frames.py [FOLDER]
"""
import math
import pathlib
import struct
import sys

SESSION = 0x1234ABCD


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


def frame(type, flags=0, seq=0, step=0, t_acq=0, t_trm=0, echo=0, dtype=0, channel=0, payload=b"", session=SESSION,
          magic=b"SCP1", major=1, minor=0, length=None):
    head = struct.pack("<4sBBBBIIQqqqqBBH", magic, major, minor, type, flags, len(payload) if length is None else length,
                       session, seq, step, t_acq, t_trm, echo, dtype, channel, 0)
    tail = struct.pack("<I", crc32c(payload)) if flags & 1 else b""
    return head + struct.pack("<I", crc32c(head)) + payload + tail


def hello(role, connection, token=0, interface=0, proof=b"", period=(4_000_000, 1), counts=(3, 26), dtypes=(1, 1),
          intervals=(100, 1000, 100), name=b"facility", build=b"vernier 0.1"):
    return struct.pack("<BBHIQIIIBBHIIIIQQ32s32s", role, connection, 1 if proof else 0, 1 << 20, *period, *counts, *dtypes, 0,
                       *intervals, 0, token, interface, name, build) + proof


TOKEN, INTERFACE = 0x0123456789ABCDEF, 0xFEDCBA9876543210
vector = struct.pack("<3d", 1.0, -2.5, math.pi)
reals = dict(type=0x10, flags=1, seq=1, step=41, t_acq=164_000_000, t_trm=164_020_000, echo=123, dtype=1, payload=vector)
client = dict(counts=(26, 3), period=(100_000_000, 3), name=b"simulator")

golden = {
    "hello": ("HELLO of a client with a period of 1/30 s, control", frame(0x01, t_trm=5, session=0, flags=1,
              payload=hello(1, 1, interface=INTERFACE, **client))),
    "hello_ack": ("HELLO_ACK, control", frame(0x02, t_trm=6, flags=1, payload=hello(2, 1, TOKEN, INTERFACE))),
    "hello_data": ("HELLO of a client, data", frame(0x01, t_trm=7, flags=1, payload=hello(1, 2, TOKEN, INTERFACE, **client))),
    "hello_signed": ("HELLO that authenticates, nonce 00 01 .. 1f and proof e0 e1 .. ff", frame(0x01, t_trm=8, session=0,
                     flags=1, payload=hello(1, 1, interface=INTERFACE, proof=bytes(range(32)) + bytes(range(224, 256)),
                                            **client))),
    "bye": ("BYE busy", frame(0x03, seq=1, flags=1, payload=struct.pack("<I", 2) + b"another client is connected")),
    "data_double": ("DATA of the doubles 1, -2.5 and pi", frame(**reals)),
    "data_int8": ("DATA of the signed bytes -1, 0 and 127", frame(0x10, 1, 2, 42, 168_000_000, 168_020_000, dtype=2,
                                                                  payload=struct.pack("<3b", -1, 0, 127))),
    "data_uint8": ("DATA of the unsigned bytes 0, 128 and 255", frame(0x10, 1, 3, 43, 172_000_000, 172_020_000, dtype=3,
                                                                      payload=bytes([0, 128, 255]))),
    "data_empty": ("DATA without elements, no checksum of the payload", frame(0x10, 0, 4, 44, 176_000_000, 176_020_000,
                                                                              dtype=1)),
    "ping": ("PING", frame(0x20, seq=7, step=1000, t_trm=123456789012345)),
    "ping_return": ("PING_RETURN", frame(0x21, seq=8, step=12, t_trm=2_000_000_100, echo=123456789012345)),
    "reference": ("REFERENCE of step 1001, planned for 4.004 s", frame(0x22, seq=8, step=1001, t_acq=4_004_000_000,
                                                                      t_trm=4_004_012_345)),
    "delay": ("DELAY", frame(0x23, seq=9, step=1001, t_trm=1_000_000_000)),
    "delay_return": ("DELAY_RETURN", frame(0x24, seq=9, step=41, t_acq=2_000_000_500, t_trm=2_000_000_900,
                                          echo=1_000_000_000)),
    "clock": ("CLOCK: -0.9999999 s, 10 ppm, 24 us, 0.05 ppm", frame(0x30, 1, 10, 41, t_trm=3_000_000_000,
              payload=struct.pack("<q4d", 2_900_000_000, -0.9999999, 10e-6, 24e-6, 5e-8))),
    "stats": ("STATS", frame(0x31, 1, 11, 41, t_trm=3_000_000_000, payload=struct.pack(
        "<5Q9d", 1000, 999, 3, 2, 1, 5e-5, 1e-4, 2e-4, 2e-3, 4e-3, 4.1e-3, 4e-3, 8e-3, 8.1e-3))),
}


def changed(data, at, value):
    return data[:at] + bytes([value]) + data[at + 1:]


data, ping, ack = frame(**reals), golden["ping"][1], golden["hello_ack"][1]
bad = {
    "magic": ("a web browser", b"GET / HTTP/1.1\r\nHost: facility\r\nUser-Agent: Mozilla/5.0\r\nAccept: */*\r\n\r\n"),
    "version": ("major version 2", frame(**reals, major=2)),
    "header_bit": ("one bit of the step is wrong", changed(data, 25, 1)),
    "payload_bit": ("one bit of the vector is wrong", changed(data, 70, data[70] ^ 4)),
    "element": ("element type 4", frame(**{**reals, "dtype": 4})),
    "too_long": ("payload_len FFFFFFFF", frame(**reals, length=0xFFFFFFFF)),
    "limit": ("a vector one element longer than agreed", frame(**{**reals, "payload": vector + b"\0" * 8})),
    "ping_payload": ("a PING with a payload", frame(0x20, 1, payload=b"12345678")),
    "time": ("t_trm beyond all bounds", frame(**{**reals, "t_trm": -1 << 63})),
    "step": ("a step number beyond all bounds", frame(**{**reals, "step": (1 << 60) + 1})),
}

if __name__ == "__main__":
    folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent)
    for name, frames in (("golden", golden), ("bad", bad)):
        for file, (what, content) in frames.items():
            lines = [content[i:i + 16].hex(" ") for i in range(0, len(content), 16)]
            (folder / name).mkdir(exist_ok=True)
            (folder / name / f"{file}.hex").write_text("\n".join([f"# {what}", *lines]) + "\n", encoding="utf-8")
    # for fuzzing: the first byte says in what pieces a stream comes, or how a handshake is set up
    corpus = {f"frame/{name}": b"\x60" + content for name, (_, content) in {**golden, **bad}.items()}
    corpus["frame/all"] = b"\x08" + b"".join(content for _, content in golden.values())
    corpus["handshake/open"] = bytes([0, 1, 0, 3, 2])
    corpus["handshake/key"] = bytes([1, 1, 0, 3, 2])
    corpus["handshake/changed"] = bytes([1, 1, 0, 7, 1, 170, 2])
    corpus["handshake/nonce"] = bytes([1, 1, 0, 7, 150, 150])
    corpus["handshake/anything"] = bytes([0, 1, 9, 1, 1, 7, 128]) + hello(1, 1, counts=(3, 3)) + bytes([11, 3, 0, 0, 4, 2, 0, 0, 0])
    for name, content in corpus.items():
        (folder / "corpus" / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / "corpus" / name).write_bytes(content)
