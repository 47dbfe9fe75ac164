#!/usr/bin/env python3
"""Names that others give do not reach the terminal as commands to it.

usage: names_test.py <vernier> <source folder>"""
import pathlib
import re
import socket
import struct
import subprocess
import sys
import unittest

VERNIER, SOURCE = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])


HEADERS = SOURCE / "vernier/gateway/federation"
VERSION = int(re.search(r"protocol_version = (\d+);", (HEADERS / "messages.hpp").read_text())[1])


def kinds():
    """The numbers of the messages, as the header lists them."""
    return {name: int(number) for number, name in re.findall(r"X\((\d+), (\w+),", (HEADERS / "kinds.hpp").read_text())}


def text(s):
    return struct.pack("<I", len(s)) + s


def frame(kind, sequence, body):
    return struct.pack("<IHHI", 12 + len(body), kinds()[kind], 0, sequence) + body


def answer(s):
    head = s.recv(12, socket.MSG_WAITALL)
    return s.recv(struct.unpack("<I", head[:4])[0] - 12, socket.MSG_WAITALL)


class Rti(unittest.TestCase):
    def test_shows_names_of_others_without_their_control_characters(self):
        rti = subprocess.Popen([VERNIER, "rti", "--listen", "127.0.0.1:0"], stdout=subprocess.PIPE)
        try:
            port = int(re.search(rb":(\d+)", rti.stdout.readline())[1])
            with socket.create_connection(("127.0.0.1", port), timeout=200) as s:
                s.sendall(frame("hello", 1, text(b"test") + struct.pack("<I", VERSION) + text(b"")))
                self.assertEqual(answer(s)[:2], b"\0\0")
                name = b"a\x1b[2J\nb\xc2\x9bc"
                s.sendall(frame("create_federation", 2, text(name) + struct.pack("<IBB", 0, 0, 0) + text(b"")))
                self.assertEqual(answer(s)[:2], b"\0\0")
                line = rti.stdout.readline()
            self.assertIn(b"'a?[2J?b??c' is created", line)
        finally:
            rti.terminate()
            rti.communicate(timeout=200)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
