#!/usr/bin/env python3
"""A run on several nodes, known to a cluster of etcd, of which executors, the composer and etcd's leader are killed at random moments, while
parts are moved: no run is lost and no bit changes. make soak runs it.

usage: soak.py <vernier> <source tree> [<kills> <moves> [<seed>]]
"""
import collections
import json
import pathlib
import random
import re
import signal
import sys
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "registry"))
from registry_test import Cluster  # noqa: E402
from on_nodes import Run, WithNodes, kill, wait_until  # noqa: E402

KILLS, MOVES, SEED = (int(n) for n in (sys.argv[3:] + ["1000", "1000", "1"][len(sys.argv) - 3:])[:3])
NODES, RATE, LEASE = 3, 50, 5  # × real time, s
PARTS = "a", "b", "relay", "count", "late", "craft", "gyro"
# how often what is killed: of a hundred
SHARES = {"executor": 90, "composer": 7, "etcd": 3}


class Soak(WithNodes):
    def setUp(self):
        super().setUp()
        self.cluster = Cluster()
        self.addCleanup(self.cluster.close)
        self.choose = random.Random(SEED)
        self.done = collections.Counter()

    def begin(self):
        return self.run_on(f"local:{NODES}", "--rate", RATE, "--keep-every", "50", "--checkpoint-every", "10s", "--registry", f"{self.cluster.address}?lease={LEASE}s", "--as", "soak")

    def time(self):
        return json.loads(self.ask("state"))["time"]

    def all_are_there(self):
        """Every node runs something again; what it runs."""
        nodes = self.ask("nodes")
        return "nothing" not in nodes and nodes

    def kill_executor(self, run):
        executors = self.executors(run, [], NODES)
        before = run.count(r"warning\[V5602\]")
        self.assertTrue(kill(self.choose.choice(executors)))
        run.wait_for(r"warning\[V5602\]", before + 1)
        return run

    def kill_composer(self, run):
        self.assertFalse(run.over(), run.said())
        kill(run.process.pid)
        run.status()
        again = Run(self.folder, "nodes/parts-0001", "--continue", "--standby")
        self.addCleanup(again.close)
        again.wait_for("(?m)^  ready ")
        # a node that is lost before the first tick ends the new process: nothing was run, and it can be continued again
        begun = self.time()
        wait_until(lambda: self.time() > begun, "its first ticks")
        return again

    def kill_etcd(self, run):
        self.cluster.kill(self.cluster.leader())
        time.sleep(self.choose.random())  # the others elect, or it is there before
        self.cluster.start()
        return run

    def move(self):
        part, node = self.choose.choice(PARTS), f"node{self.choose.randint(1, NODES)}"
        if part not in re.search(rf"{node}: ([^;]*)", self.ask("nodes"))[1].split(", "):
            self.assertIn("continues on", self.ask(f"move {part} {node}"))
        self.done["moves"] += 1

    def test_no_run_is_lost_and_no_bit_changes(self):
        run, shown = self.begin(), time.monotonic()
        while (kills := sum(self.done[k] for k in SHARES)) < KILLS or self.done["moves"] < MOVES:
            wait_until(self.all_are_there, "parts of all nodes")
            if kills < KILLS and (self.done["moves"] >= MOVES or self.choose.random() < 0.5):
                (what,) = self.choose.choices(list(SHARES), SHARES.values())
                run = getattr(self, f"kill_{what}")(run)
                self.done[what] += 1
            else:
                self.move()
            if time.monotonic() - shown > 30:
                shown = time.monotonic()
                print(dict(self.done), flush=True)
        print(dict(self.done), f"seed {SEED}", flush=True)
        wait_until(self.all_are_there, "parts of all nodes")
        kill(run.process.pid, signal.SIGINT)
        self.assertEqual(run.status(), 130, run.said())
        manifest = json.loads((self.folder / "nodes/parts-0001/manifest.json").read_text())
        self.assertEqual(len(manifest.get("continued", [])), self.done["composer"])
        reached = re.search(r"interrupted at t = (\S+) s", run.said())[1]
        self.expect_same(self.alone("--until", f"{reached}s"), "nodes/parts-0001")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
