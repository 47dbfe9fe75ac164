#!/usr/bin/env python3
"""The pendulum upright at 1 kHz, with plant and controller as two processes that share memory; one command does it all.

usage: run.py [--vernier PROGRAM] [--seconds S] [--pause MS] [--kill] [--normal] [--out FOLDER] [--json]

Starts both, stops the controller for a moment (SIGSTOP, as if it had overrun) when the pendulum is upright, with --kill also
kills it and starts it again; then says how the loop kept time, what was held, and how far the pendulum went, and draws figures 1 and 2
of the paper, fig1.svg (angle) and fig2.svg (rate), into the folder. Status 0: it stayed up.
"""
import argparse
import csv
import io
import json
import math
import os
import pathlib
import shutil
import signal
import struct
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent


def whole(said, seconds):
    """Ends the script unless a run reached its end."""
    if not said.get("reached_s", 0.0) >= seconds - 1e-9:
        sys.exit(f"the plant's run ended after {said.get('reached_s', 0.0):g} of {seconds:g} s: {said.get('status')}")


def percentile(values, share):
    values = sorted(values)
    return values[min(len(values) - 1, int(share * len(values)))] if values else 0.0


class Experiment:
    def __init__(self, a):
        self.a = a
        self.vernier = a.vernier or shutil.which("vernier") or str(HERE.parents[1] / "build/bin/vernier")
        help_text = subprocess.run([self.vernier, "run", "--help"], capture_output=True, text=True, check=True).stdout
        # only by the wall clock where real time is not requested
        self.pace = ["--rate", "1"] if a.normal or "--rt" not in help_text else ["--rt"]
        self.memory = f"pendulum-{os.getpid()}"  # keeps experiments on one machine apart
        self.restart = None  # s until a killed controller was back

    def start(self, side, peer, *more):
        words = [self.vernier, "run", str(HERE / f"{side}.xml"), "--json", "--out", self.a.out, "--until", f"{self.a.seconds}s",
                 "--set", f"{peer}.name={self.memory}", "--set", f"{peer}.patience=120s", *self.pace, *more]
        return subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def run(self):
        controller, plant = self.start("controller", "plant"), self.start("plant", "controller")
        killed = None
        try:
            # by the plant's time, which begins when both are present
            self.wait_for(plant, lambda: self.plant_time() >= 0.4 * self.a.seconds)
            os.kill(controller.pid, signal.SIGSTOP)
            time.sleep(self.a.pause / 1000)
            os.kill(controller.pid, signal.SIGCONT)
            if self.a.kill:
                self.wait_for(plant, lambda: self.plant_time() >= 0.6 * self.a.seconds)
                controller.kill()
                controller.communicate()
                killed, began = controller, time.monotonic_ns()
                controller = self.start("controller", "plant")
                if self.wait_for(plant, lambda: self.controller_wrote() > began):
                    self.restart = (time.monotonic_ns() - began) * 1e-9
            out, err = plant.communicate(timeout=self.a.seconds + 180)
        finally:
            if controller.poll() is None:
                controller.send_signal(signal.SIGINT)
            said, complaint = controller.communicate(timeout=180)
            if plant.poll() is None:
                plant.kill()
        if plant.returncode not in (0, 3):
            sys.exit(f"the plant's run ended with status {plant.returncode}:\n{err}")
        whole(json.loads(out), self.a.seconds)
        return json.loads(out), json.loads(said) if said.strip().startswith("{") else {}, killed is not None

    @staticmethod
    def wait_for(plant, condition):
        """Whether it happened before the end of the plant."""
        while plant.poll() is None:
            if condition():
                return True
            time.sleep(0.002)
        return False

    # the shared memory, with the layout of formats/shared/README.md

    def shared(self, form, at):
        try:
            return struct.unpack_from(form, pathlib.Path(f"/dev/shm/vernier-{self.memory}").read_bytes(), at)
        except (OSError, struct.error):
            return (0,) * len(struct.unpack(form, bytes(struct.calcsize(form))))

    def plant_time(self):
        """The time in s of the plant's newest complete vector."""
        places = [self.shared("<QqqddQ", 192 + 192 + 64 * k) for k in range(3)]
        return 1e-3 * max(p[1] if p[0] == p[5] else 0 for p in places)

    def controller_wrote(self):
        """When it did last, ns."""
        return self.shared("<q", 128 + 24)[0]

    def signals(self, run, *names):
        text = subprocess.run([self.vernier, "export", run, *names, "--format", "csv"], capture_output=True, text=True, check=True).stdout
        rows = list(csv.reader(io.StringIO(text)))
        columns = {name.split(" ")[0]: i for i, name in enumerate(rows[0])}
        return [[float(row[columns[n]]) for row in rows[1:]] for n in (rows[0][0].split(" ")[0], *names)]

    def findings(self, plant, controller, killed):
        t, angle, age, fresh = self.signals(plant["folder"], "pendulum.hinge.angle", "controller.shared.age", "controller.shared.fresh")
        alone = subprocess.run([self.vernier, "run", str(HERE / "pendulum.xml"), "--quiet", "--out", self.a.out, "--until", f"{self.a.seconds}s",
                                "--set", "pendulum.wind=0.5 N*m"],
                               capture_output=True, text=True, check=True).stdout.strip()
        _, reference = self.signals(alone, "pendulum.hinge.angle")
        error, alone_error = ([abs(x - math.pi) for x in values] for values in (angle, reference))
        for number, title, name in ((1, "Pendulum angular position", "angle"), (2, "Pendulum angular velocity", "rate")):
            subprocess.run([self.vernier, "plot", plant["folder"], f"pendulum.hinge.{name}", "--title", title, "--y-label", f"pendulum {name}", "--to", "5s", "--no-events",
                            "-o", pathlib.Path(self.a.out) / f"fig{number}.svg"], capture_output=True, check=True)
        settled = [i for i, when in enumerate(t) if when >= 0.35 * self.a.seconds]
        # the longest time that the last torque was held
        longest = now = 0
        for i in settled:
            now = 0 if fresh[i] else now + 1
            longest = max(longest, now)
        out = {
            "seconds": t[-1], "upright": plant["exit_status"] == 0,
            "error_deg": max(error[i] for i in settled) * 57.29578,
            "error_alone_deg": max(alone_error[i] for i in settled if i < len(alone_error)) * 57.29578,
            "difference_deg": max(abs(angle[i] - reference[i]) for i in range(min(len(angle), len(reference)))) * 57.29578,
            "age_ms": {"mean": 1e3 * sum(age) / len(age), "p99": 1e3 * percentile(age, 0.99), "max": 1e3 * max(age)},
            "held_steps": sum(1 for f in fresh if not f), "longest_hold_ms": longest, "pause_ms": self.a.pause,
            "killed": killed, "restart_ms": None if self.restart is None else 1e3 * self.restart, "pace": " ".join(self.pace), "plant": plant["folder"], "controller": controller.get("folder")}
        for side, summary in (("plant", plant), ("controller", controller)):
            if "real_time" in summary:
                out[f"{side}_real_time"] = summary["real_time"]
        return out


def show(f):
    print(f"pendulum upright at 1 kHz, plant and controller in two processes, {f['seconds']:.0f} s ({f['pace']})\n")
    print(f"  stays up                  {'yes' if f['upright'] else 'NO'}; farthest {f['error_deg']:.2f} deg from upright, in one process {f['error_alone_deg']:.2f} deg")
    print(f"  swing up                  at most {f['difference_deg']:.2f} deg from the same in one process")
    print(f"  controller stopped        {f['pause_ms']:.0f} ms; the last torque was held for {f['longest_hold_ms']} ms" +
          ("" if not f["killed"] else ", then it was killed and did not come again" if f["restart_ms"] is None
           else f", then it was killed and was there again after {f['restart_ms']:.0f} ms"))
    print(f"  age of the torque         mean {f['age_ms']['mean']:.2f} ms, p99 {f['age_ms']['p99']:.2f} ms, max {f['age_ms']['max']:.1f} ms; "
          f"{f['held_steps']} steps without a new one")
    for side in ("plant", "controller"):
        if f"{side}_real_time" in f:
            rt = f[f"{side}_real_time"]
            print(f"  {side:<24}  {rt.get('verdict', '')}")
            wake = [1e6 * rt.get(f"wake_up_{name}_s", 0.0) for name in ("p50", "p99", "max")]
            print(f"    wake-up                 p50 {wake[0]:.0f} us, p99 {wake[1]:.0f} us, max {wake[2]:.0f} us")
    print(f"\n  results   {f['plant']}\n  next      vernier plot {f['plant']} pendulum.hinge.angle controller.torque controller.shared.age")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--vernier", help="the program")
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--pause", type=float, default=20.0, help="ms that the controller is stopped")
    parser.add_argument("--kill", action="store_true", help="also kill the controller, and start it again")
    parser.add_argument("--normal", action="store_true", help="without real-time priority")
    parser.add_argument("--out", default="runs", help="where the runs' folders are made")
    parser.add_argument("--json", action="store_true")
    e = Experiment(parser.parse_args())
    f = e.findings(*e.run())
    print(json.dumps(f, indent=2)) if e.a.json else show(f)
    return 0 if f["upright"] else 3


if __name__ == "__main__":
    sys.exit(main())
