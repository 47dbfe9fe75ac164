#!/usr/bin/env python3
"""The desktop with a live run: usage desktop_live_bench.py <vernier> [SECONDS [SIGNALS]]

A run of 200 signals at 1 kHz in real time for 60 s, shown to one page that follows all of them 30 times a second. Beside it, a page that reads
nothing. Measured: late frames by work, processor time of the server, what the page got, what was dropped for it.
Prints each figure with what is required; fails when one is missed.
"""
import os
import pathlib
import re
import resource
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "tests/desktop"))
from client import Desktop, live  # noqa: E402

vernier = str(pathlib.Path(sys.argv[1]).resolve())
seconds = float(sys.argv[2]) if len(sys.argv) > 2 else 60.0
signals = int(sys.argv[3]) if len(sys.argv) > 3 else 200
per_part = 20
missed = []


def line(name, value, required, good):
    if not good:
        missed.append(name)
    print(f"{name:<58} {value:>14}   required {required:<12} {'ok' if good else 'NOT'}", flush=True)


def documents(folder):
    """Parts with many outputs, recorded at 1 kHz."""
    outputs = "".join(f'<output name="y{k}"/>' for k in range(per_part))
    maps = "".join(f'<outputmap output="y{k}">sin({k + 1}*x)</outputmap>' for k in range(per_part))
    (folder / "part.xml").write_text(
        f'<hybridsystem name="P" version="1"><states><state name="x" initial="0"/></states><outputs>{outputs}</outputs><initial location="L"/>'
        f'<location><name>L</name><diffequation state="x">1</diffequation>{maps}</location></hybridsystem>', encoding="utf-8")
    parts = "".join(f'<system id="p{k}" file="part.xml"/>' for k in range(signals // per_part))
    (folder / "many.xml").write_text(f'<interconnection name="many">{parts}<record signals="p*.y*" every="1 ms"/><run stop="{seconds + 30:g} s" step="1 ms"/></interconnection>',
                                     encoding="utf-8")


def processor_time(process):
    fields = pathlib.Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    documents(folder)
    print(f"load of the machine: {os.getloadavg()[0]:.2f} on {os.cpu_count()} processors; {signals} signals at 1 kHz for {seconds:g} s")
    desktop = Desktop(vernier, "--port", "0", cwd=folder)
    try:
        page, deaf = desktop.page(), desktop.page(receive_buffer=4096)
        run = page.ask("start", document="many.xml", real_time=True)["run"]
        opened = page.ask("open", run=run)
        columns = [[n, 0] for n, s in enumerate(opened["signals"]) if re.match(r"p\d+\.y", s["path"])]
        assert len(columns) == signals, (len(columns), signals)
        for one in (page, deaf):
            one.ask("follow", run=run, columns=columns, rate=30)
        begin, before, used = time.monotonic(), processor_time(desktop.process.pid), resource.getrusage(resource.RUSAGE_SELF)
        messages, values, dropped = 0, 0, 0
        while time.monotonic() - begin < seconds:
            page.take()
            for message in page.binaries:
                _, dropped, found = live(message)
                messages += 1
                values += sum(len(v) for _, v in found.values())
            page.binaries.clear()
            page.told = page.told[-1:]
        wall = time.monotonic() - begin
        share = (processor_time(desktop.process.pid) - before) / wall
        status = page.told[-1]
        page.ask("order", run=run, line="stop")
        page.wait_for(lambda p: not p.told[-1]["live"])
        manifest = page.ask("open", run=run)["manifest"]["statistics"]
    finally:
        desktop.close()
    work = manifest["late_by_work"]
    print(f"frames {manifest['frames']:g}, late by wake-up {manifest['late_by_wake_up']:g}, by waiting {manifest['late_by_wait']:g}")
    line("late frames by work", f"{work:g}", "0", work == 0)
    line("processor time of the server, of one core", f"{100 * share:.1f} %", "< 10 %", share < 0.1)
    line("messages a second", f"{messages / wall:.1f}", "25 to 31", 25 <= messages / wall <= 31)
    line("points a second and signal", f"{values / wall / signals:.0f}", ">= 60", values / wall / signals >= 60)
    line("samples dropped for the page that reads", f"{dropped}", "0", dropped == 0)
    line("samples that the recorder dropped", f"{status['dropped']}", "0", status["dropped"] == 0)
sys.exit(1 if missed else 0)
