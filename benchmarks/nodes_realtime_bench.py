#!/usr/bin/env python3
"""Runs on several nodes in real time at 250 Hz: usage nodes_realtime_bench.py <vernier> [MOVES]

Three nodes of this machine, one of which has a part with about 32 kB of state. First the run is left alone, then the part is moved again and again.
Measured: late frames without a move; late frames of each move.
Prints each figure with what is required; fails when one is missed. Other programs on the machine make frames late as well.
"""
import json
import os
import pathlib
import signal
import socket
import subprocess
import sys
import tempfile
import time

vernier = str(pathlib.Path(sys.argv[1]).resolve())
moves = int(sys.argv[2]) if len(sys.argv) > 2 else 100
states = 560
missed = []


def line(name, value, required, good):
    if not good:
        missed.append(name)
    print(f"{name:<66} {value:>12}   required {required:<6} {'ok' if good else 'NOT'}", flush=True)


def documents(folder):
    names = [f"x{k}" for k in range(states)]
    (folder / "large.xml").write_text(
        '<hybridsystem name="Large" version="1"><inputs><input name="u" default="0"/></inputs><states>' + "".join(f'<state name="{n}" initial="1"/>' for n in names)
        + '</states><outputs><output name="y"/></outputs><location><name>L</name>' + "".join(f'<diffequation state="{n}" unit="1">u - {n}</diffequation>' for n in names)
        + '<outputmap output="y">x0</outputmap></location></hybridsystem>', encoding="utf-8")
    (folder / "small.xml").write_text(
        '<hybridsystem name="Small" version="1"><inputs><input name="u" default="0"/></inputs><states><state name="x" initial="0"/></states>'
        '<outputs><output name="y"/></outputs><location><name>L</name><diffequation state="x" unit="1">u - x</diffequation><outputmap output="y">x</outputmap></location></hybridsystem>',
        encoding="utf-8")
    (folder / "nodes.xml").write_text('<nodes><node name="a" local="yes"/><node name="b" local="yes"/><node name="c" local="yes"/>'
                                      '<place part="large" node="a"/><place part="*" node="c"/></nodes>', encoding="utf-8")
    (folder / "document.xml").write_text(
        '<interconnection name="moved" version="1"><system id="large" file="large.xml" island="own"/><system id="small" file="small.xml" island="own"/>'
        '<connect from="large.y" to="small.u"/><connect from="small.y" to="large.u"/><run stop="100000 s" step="4 ms"/><record signals="small.y" every="10 Hz"/></interconnection>',
        encoding="utf-8")


class Run:
    def __init__(self, folder):
        self.process = subprocess.Popen([vernier, "run", "document.xml", "--rt", "--on", "nodes.xml", "--quiet"], cwd=folder, stdout=subprocess.DEVNULL)
        self.folder = folder / "runs/moved-0001"
        while not (self.folder / "control").exists():
            assert self.process.poll() is None
            time.sleep(0.05)

    def ask(self, words):
        with socket.socket(socket.AF_UNIX) as s:
            here = os.open(self.folder, os.O_PATH)
            s.connect(f"/proc/self/fd/{here}/control")
            os.close(here)
            s.sendall(f"{words}\n".encode())
            return s.makefile().readline().rstrip("\n")

    def late(self):
        return json.loads(self.ask("state"))["pulse"]["late"]

    def end(self):
        self.process.send_signal(signal.SIGINT)
        self.process.wait()
        return json.loads((self.folder / "manifest.json").read_text())["statistics"]


with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    documents(folder)
    print(f"load of the machine: {os.getloadavg()[0]:.2f} on {os.cpu_count()} processors; three nodes at 250 Hz, {moves} moves")
    run = Run(folder)
    try:
        time.sleep(10)
        before = run.late()
        state = (folder / pathlib.Path(run.ask("checkpoint"))).stat().st_size
        by_move, took = [], []
        for k in range(moves):
            late, began = run.late(), time.monotonic()
            run.ask(f"move large {'ba'[k % 2]}")
            took.append(time.monotonic() - began)
            time.sleep(0.25)
            by_move.append(run.late() - late)
        figures = run.end()
    finally:
        run.process.kill()
    by = ", ".join(f"{cause} {figures['late_by_' + cause]:.0f}" for cause in ("work", "wake_up", "network", "division"))
    print(f"late frames in all: {figures['late_frames']:.0f} of {figures['frames']:.0f}: {by}")
    print(f"a checkpoint has {state} bytes; a move was done {1e3 * sorted(took)[moves // 2]:.1f} ms after it was asked (median)")
    line("late frames in the first 10 s", before, "0", before == 0)
    line("late frames of a move, at most", max(by_move), "<= 1", max(by_move) <= 1)
sys.exit(1 if missed else 0)
