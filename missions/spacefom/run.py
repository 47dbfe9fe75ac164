#!/usr/bin/env python3
"""Earth, Moon and a vehicle in three federates, and a watcher that joins late; one command does it all.

usage: run.py [--vernier PROGRAM] [--seconds S] [--fast] [--out FOLDER] [--json]

Starts an RTI and the federates, in real time (or with --fast as fast as they can), lets `vernier federate watch` show the frame tree, and compares the states of the
vehicle with the same models in one run without a federation. Status 0: they agree, and the vehicle changed its parent frame from the Earth to the Moon.
"""
import argparse
import bisect
import csv
import io
import json
import pathlib
import re
import shutil
import subprocess
import sys
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
# The Moon's frame is dead-reckoned over at most 1 s with the acceleration between its last two states: the error is 5/12 of its jerk, 7e-9 m/s^3, so 3e-9 m. The
# rounding of positions of 3e8 m dominates, 6e-8 m: five of them.
OWN, SEEN = 3e-7, 3e-7
STEPS = {"earth": 0.25, "moon": 1.0, "vehicle": 0.25, "watcher": 1.0}  # s


class Federation:
    def __init__(self, a):
        self.a = a
        self.vernier = a.vernier or shutil.which("vernier") or str(HERE.parents[1] / "build/bin/vernier")
        self.processes = {}

    def start(self, name, *words):
        try:
            self.processes[name] = subprocess.Popen([self.vernier, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        except FileNotFoundError:
            sys.exit(f"there is no program {self.vernier}: build it with make, or name it with --vernier")

    def member(self, name, *more):
        self.start(name, "run", str(HERE / f"{name}.xml"), "--json", "--out", self.a.out, "--set", f"federate.rti={self.address}", "--set", "federate.patience=180", *more)

    def ended(self, name):
        out, err = self.processes[name].communicate(timeout=self.a.seconds + 120)
        if self.processes[name].returncode != 0:
            sys.exit(f"{name} ended with status {self.processes[name].returncode}:\n{err}{out[-2000:]}")
        return out

    def run(self):
        self.start("rti", "rti", "--listen", "127.0.0.1:0")
        try:
            self.address = re.search(r"tcp://\S+:\d+", self.rti_says("waits at"))[0]
            earth = ["--until", f"{self.a.seconds}s"]
            self.member("moon")
            self.member("vehicle")
            if self.a.fast:  # else everything ends before they join
                earth += ["--set", "federate.pace=none"]
                self.look()
                awaited = {"Moon", "Vehicle", "Watcher", "vernier-watcher"}
                while awaited:
                    who = re.search(r"federate '([\w-]+?)(-\d+)?' has joined", self.rti_says("has joined"))
                    awaited.discard(who[1])
            self.member("earth", *earth)
            if not self.a.fast:
                time.sleep(1.5)
                self.look()
            tree = self.ended("watch")
            said = {name: json.loads(self.ended(name)) for name in STEPS}
            self.whole(said)
            runs = {name: s["folder"] for name, s in said.items()}
        finally:
            for p in self.processes.values():
                if p.poll() is None:
                    p.terminate()
                    p.wait(timeout=120)
        return tree, runs

    def whole(self, said):
        """Ends the script unless every run reached the end of the federation, within two steps of its own. The watcher counts from when it joined."""
        for name, s in said.items():
            if name != "watcher" and not s.get("reached_s", 0.0) >= self.a.seconds - 2 * STEPS[name] - 1e-6:
                sys.exit(f"{name} ended after {s.get('reached_s', 0.0):g} of {self.a.seconds:g} s: {s.get('status')}")

    def look(self):
        self.member("watcher")
        self.start("watch", "federate", "watch", "earth-moon", "--rti", self.address, "--wait", "120", "--until", f"{int(0.5 * self.a.seconds)}s")

    def rti_says(self, words):
        """The next line that contains these words."""
        rti = self.processes["rti"]
        patience = threading.Timer(180, rti.kill)
        patience.start()
        try:
            for line in rti.stdout:
                if words in line:
                    return line
        finally:
            patience.cancel()
        sys.exit(f"the RTI did not say that somebody {words}:\n{rti.stderr.read()}" + "".join(
            f"{name} ended:\n{p.stderr.read()}" for name, p in self.processes.items() if p is not rti and p.poll()))

    def signals(self, run, *names):
        text = subprocess.run([self.vernier, "export", run, *names, "--format", "csv"], capture_output=True, text=True, check=True).stdout
        rows = list(csv.reader(io.StringIO(text)))
        columns = [c.split(" ")[0] for c in rows[0]]
        return {c: [float(row[i]) for row in rows[1:]] for i, c in enumerate(columns)}

    def findings(self, tree, runs):
        alone = subprocess.run([self.vernier, "run", str(HERE / "alone.xml"), "--quiet", "--out", self.a.out, "--until", f"{self.a.seconds}s"],
                               capture_output=True, text=True, check=True).stdout.strip()
        reference = self.signals(alone, "vehicle.position", "vehicle.parent")
        times = reference["time"]

        def difference(at, position):
            i = bisect.bisect_left(times, at - 1e-6)
            if i == len(times) or abs(times[i] - at) > 1e-6:
                return None
            return max(abs(reference[f"vehicle.position[{k}]"][i] - position[k]) for k in range(3))

        vehicle = self.signals(runs["vehicle"], "motion.position", "motion.parent")
        own = [difference(t, [vehicle[f"motion.position[{k}]"][i] for k in range(3)]) for i, t in enumerate(vehicle["time"])]
        seen = self.signals(runs["watcher"], "federate.geocentric.position", "federate.geocentric.age", "federate.geocentric.known", "federate.logical_time")
        started = seen["federate.logical_time"][0]
        watched = [difference(started + seen["time"][i] - seen["federate.geocentric.age"][i],
                              [seen[f"federate.geocentric.position[{k}]"][i] for k in range(3)])
                   for i in range(len(seen["time"])) if seen["federate.geocentric.known"][i]]
        own, watched = ([d for d in values if d is not None] for values in (own, watched))
        last = started + seen["time"][-1]
        out = {"seconds": self.a.seconds, "pace": "as fast as possible" if self.a.fast else "real time", "tree": tree,
               "vehicle_steps": len(own), "vehicle_m": max(own, default=None), "watcher_steps": len(watched), "watcher_m": max(watched, default=None),
               "parent_changed": vehicle["motion.parent"][0] == 0 and vehicle["motion.parent"][-1] == 1,
               "parent_seen": parent_of("Transfer vehicle", tree) == "MoonCentricInertial", "tolerance_m": [OWN, SEEN], "runs": runs, "alone": alone}
        out["watched_to"] = last
        out["whole"] = len(own) >= self.a.seconds / STEPS["vehicle"] and last >= self.a.seconds - 2 * STEPS["watcher"] - 1e-6
        out["good"] = bool(out["whole"] and own and watched and out["vehicle_m"] <= OWN and out["watcher_m"] <= SEEN and out["parent_changed"] and out["parent_seen"])
        return out


def parent_of(entity, tree):
    """The frame below which a tree shows an entity."""
    lines = tree.splitlines()
    for i, line in enumerate(lines):
        if (line.strip() + " ").startswith(f"* {entity} "):
            indent = len(line) - len(line.lstrip())
            for above in reversed(lines[:i]):
                if len(above) - len(above.lstrip()) < indent and not above.strip().startswith("*"):
                    return above.split()[0]
    return None


def show(f):
    print(f"Earth, Moon and a vehicle in three federates, {f['seconds']:g} s, {f['pace']}; half-way a watcher saw:\n")
    print(f["tree"].rstrip())
    own, late = (f"{f[k]:.1e} m" if f[k] is not None else "nothing" for k in ("vehicle_m", "watcher_m"))
    rows = [("vehicle", f"{f['vehicle_steps']} steps, at most {own} from the same run without a federation"),
            ("seen by the late joiner", f"{f['watcher_steps']} steps, at most {late} from it"),
            ("allowed", f"{OWN:.1e} m: five roundings of the position"),
            ("parent frame", "changed from the Earth to the Moon" if f["parent_changed"] and f["parent_seen"] else "did NOT change")]
    if not f["whole"]:
        rows.append(("cut short", f"the watcher saw {f['watched_to']:g} of {f['seconds']:g} s"))
    print()
    for name, what in rows:
        print(f"  {name:<25}{what}")
    print(f"\n  {'good' if f['good'] else 'NOT GOOD'} · runs {', '.join(f['runs'].values())}, alone {f['alone']}")
    print(f"  look at one: vernier plot {f['runs']['vehicle']} motion.from_moon -o approach.svg")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--vernier", help="the program")
    parser.add_argument("--seconds", type=float, default=None, help="of simulated time (real time 12, fast 120)")
    parser.add_argument("--fast", action="store_true", help="as fast as possible")
    parser.add_argument("--out", default="runs", help="where the runs' folders are made")
    parser.add_argument("--json", action="store_true")
    a = parser.parse_args()
    if a.seconds is None:
        a.seconds = 120.0 if a.fast else 12.0
    federation = Federation(a)
    f = federation.findings(*federation.run())
    print(json.dumps(f, indent=2)) if a.json else show(f)
    return 0 if f["good"] else 3


if __name__ == "__main__":
    sys.exit(main())
