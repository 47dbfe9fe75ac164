#!/usr/bin/env python3
"""Two federates with a module of their own: starts an RTI, the tug and the harbour, and says whether both found what they expect.

usage: run.py [--vernier PROGRAM] [--out FOLDER]
"""
import argparse
import pathlib
import shutil
import socket
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--vernier", default=shutil.which("vernier") or str(HERE.parents[1] / "build/bin/vernier"), help="the program")
    parser.add_argument("--out", default="runs", help="where the runs' folders are made")
    a = parser.parse_args()
    with socket.socket() as s:  # any free port, so that it never meets another federation
        s.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{s.getsockname()[1]}"
    rti = subprocess.Popen([a.vernier, "rti", "--listen", address], stdout=subprocess.PIPE, text=True)
    try:
        rti.stdout.readline()  # it listens
        run = [a.vernier, "run", "--out", a.out, "--set", f"federate.rti=tcp://{address}"]
        tug = subprocess.Popen([*run, str(HERE / "tug.xml")], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        harbour = subprocess.run([*run, str(HERE / "harbour.xml")], timeout=60)
        said, _ = tug.communicate(timeout=60)
        if tug.returncode != 0 or harbour.returncode != 0:
            print(said)
        return max(harbour.returncode, tug.returncode)
    finally:
        for p in (rti, *([tug] if "tug" in locals() else [])):
            if p.poll() is None:
                p.terminate()
                p.wait(timeout=20)


if __name__ == "__main__":
    sys.exit(main())
