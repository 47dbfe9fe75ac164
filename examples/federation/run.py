#!/usr/bin/env python3
"""Two federates with a module of their own: starts an RTI, the tug and the harbour, and says whether both found what they expect.

usage: run.py [--vernier PROGRAM] [--out FOLDER]
"""
import argparse
import pathlib
import re
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--vernier", default=shutil.which("vernier") or str(HERE.parents[1] / "build/bin/vernier"), help="the program")
    parser.add_argument("--out", default="runs", help="where the runs' folders are made")
    a = parser.parse_args()
    # any free port, so that it never joins another federation
    rti = subprocess.Popen([a.vernier, "rti", "--listen", "127.0.0.1:0"], stdout=subprocess.PIPE, text=True)
    try:
        address = re.search(r"tcp://\S+:\d+", rti.stdout.readline())[0]  # it listens
        run = [a.vernier, "run", "--out", a.out, "--set", f"federate.rti={address}", "--set", "federate.patience=120"]
        tug = subprocess.Popen([*run, str(HERE / "tug.xml")], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        harbour = subprocess.run([*run, str(HERE / "harbour.xml")], timeout=180)
        said, _ = tug.communicate(timeout=180)
        if tug.returncode != 0 or harbour.returncode != 0:
            print(said)
        return max(harbour.returncode, tug.returncode)
    finally:
        for p in (rti, *([tug] if "tug" in locals() else [])):
            if p.poll() is None:
                p.terminate()
                p.wait(timeout=120)


if __name__ == "__main__":
    sys.exit(main())
