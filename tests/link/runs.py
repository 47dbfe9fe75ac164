"""Runs of the program in real time that talk to each other. usage of the tests: TEST.py <vernier> <source tree>"""
import pathlib
import socket
import subprocess
import sys
import unittest

VERNIER, SOURCE = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()


def free_ports():
    with socket.socket() as a, socket.socket() as b:
        for s in (a, b):
            s.bind(("127.0.0.1", 0))
        return [s.getsockname()[1] for s in (a, b)]


def start(document, folder, until, settings, pace=("--rate", "1")):
    """A run of a document of examples/ in a process of its own."""
    words = [VERNIER, "run", SOURCE / "examples" / document, *pace, "--until", until, "--json", "--out", folder]
    for s in settings:
        words += ["--set", s]
    return subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def main():
    unittest.main("__main__", argv=[sys.argv[0], *sys.argv[3:]])
