#!/usr/bin/env python3
"""Runs on several nodes in real time: bits, frames and their report, clocks of other computers, and what is done to them meanwhile.
The oracle is the run in one process, in real time as well. No test asserts how well the machine keeps time.

usage: real_time_test.py <vernier> <source tree> [<unittest argument>...]
"""
import json
import re
import signal
import subprocess
import sys
import unittest

from on_nodes import VERNIER, Server, WithNodes, kill, wait_until

SECONDS = 2
AHEAD = 5000  # s, the clock of the other computer


class InRealTime(WithNodes):
    def expect_same(self, first, second):
        """But for the frames, which are those of a machine."""
        events = [[line for line in (self.folder / f / "events.csv").read_text().splitlines() if ",frame,late," not in line] for f in (first, second)]
        self.assertEqual(*events)
        self.assertGreater(len(events[0]), 3)
        done = subprocess.run([VERNIER, "compare", first, second, "--json"], cwd=self.folder, capture_output=True, text=True)
        signals = [s for s in json.loads(done.stdout)["signals"] if not s["signal"].startswith("frame.")]
        self.assertGreater(len(signals), 20)
        for s in signals:
            self.assertEqual((s["only_a"], s["only_b"], s["largest"]), (0, 0, 0), s["signal"])
            self.assertGreater(s["compared"], 0, s["signal"])


class RealTime(InRealTime):
    def run_to_the_end(self, *words, out="nodes"):
        return json.loads(self.vernier("run", "parts.xml", "--rt", "--until", f"{SECONDS}s", "--json", "--out", out, *words).stdout)

    def in_one_process(self):
        return self.alone("--rt", "--until", f"{SECONDS}s")

    def another_computer(self):
        """A server whose clock began at another time, where the machine permits it; its nodes then follow the clock of the run from messages alone."""
        elsewhere = ("unshare", "-r", "-T", "--monotonic", str(AHEAD), "--fork", "--kill-child")
        permitted = subprocess.run([*elsewhere, "true"], capture_output=True).returncode == 0
        server = Server(self.folder, "--listen", "127.0.0.1:0", within=elsewhere if permitted else ())
        self.addCleanup(server.close)
        return server, permitted

    def test_all_frames_of_all_nodes_are_in_one_report(self):
        self.run_to_the_end("--on", "local:3")
        self.expect_same(self.in_one_process(), "nodes/parts-0001")
        folder, frames = self.folder / "nodes/parts-0001", 100 * SECONDS
        figures = json.loads((folder / "manifest.json").read_text())["statistics"]
        self.assertEqual(figures["frames"], frames)
        report = (folder / "report.html").read_text()
        for node in ("node1", "node2", "node3"):
            self.assertRegex(report, rf"<td>{node}</td><td>{frames}</td>")
            self.assertGreater(figures[f"node.{node}.work_max_s"], 0)
        # every part costs something, on whichever node it is
        for part in ("island a", "b", "relay", "count", "late", "craft", "gyro"):
            self.assertGreater(figures.get(f"cost_of.{part}_max_s", figures.get(f"cost_of.{part.split()[-1]}_max_s")), 0, part)

    def test_a_node_whose_clock_is_another_keeps_the_time_of_the_run(self):
        server, other = self.another_computer()
        done = self.run_to_the_end("--on", f"local,{server.address}")
        # a clock that is wrong by a second would end the run early, or make it much longer
        self.assertGreaterEqual(done["wall_s"], SECONDS - 0.1)
        self.expect_same(self.in_one_process(), "nodes/parts-0001")
        self.assertEqual(bool(re.search("within [0-9.]+ µs", (self.folder / "nodes/parts-0001/report.html").read_text())), other)


    def test_a_run_by_the_clock_without_priority_keeps_time_as_well(self):
        server, _ = self.another_computer()
        done = json.loads(self.vernier("run", "parts.xml", "--rate", "2", "--until", "4s", "--json", "--out", "nodes", "--on", f"local,{server.address}").stdout)
        self.assertGreaterEqual(done["wall_s"], 2 - 0.1)
        self.expect_same(self.alone("--until", "4s"), "nodes/parts-0001")

    def test_clocks_that_are_synchronised_are_believed(self):
        server, _ = self.another_computer()
        (self.folder / "nodes.xml").write_text(f'<nodes clock="synchronised"><node name="a" local="yes"/><node name="b" address="{server.address}"/></nodes>')
        # the time of day of both is that of one machine
        self.run_to_the_end("--on", "nodes.xml")
        self.assertEqual((self.folder / "nodes/parts-0001/report.html").read_text().count("the time of day of this machine, synchronised"), 2)
        self.expect_same(self.in_one_process(), "nodes/parts-0001")


class Disturbed(InRealTime):
    def end(self, run):
        kill(run.process.pid, signal.SIGINT)
        self.assertEqual(run.status(), 130, run.said())
        reached = re.search(r"interrupted at t = (\S+) s", run.said())[1]
        self.expect_same(self.alone("--rt", "--until", f"{reached}s"), "nodes/parts-0001")

    def test_nodes_that_are_killed_change_nothing(self):
        run = self.run_on("local:3", "--rt", "--keep-every", "10")
        for times in (1, 2):
            executors = self.executors(run, [], 3)
            wait_until(lambda: "nothing" not in self.ask("nodes"), "parts of all nodes")
            self.assertTrue(kill(executors[times]))
            run.wait_for(r"warning\[V5602\]", times)
        self.executors(run, [], 3)
        self.end(run)

    def test_freezes_steps_copies_and_moves_change_nothing(self):
        run = self.run_on("local:3", "--rt")
        self.ask("freeze")
        frozen = wait_until(lambda: (state := json.loads(self.ask("state")))["frozen"] and state["time"] > 0 and state, "a halt")
        time = re.search(r"t = (\S+) s", self.ask("step 3"))[1]
        self.assertGreaterEqual(float(time), frozen["time"])
        self.ask("resume")
        self.assertIn("continues on node3", self.ask("move b node3"))
        self.assertIn("continues on node1", self.ask("move b node1"))
        self.assertIn("checkpoints", self.ask("checkpoint"))
        self.end(run)

    def test_every_question_is_answered(self):
        run = self.run_on("local:2", "--rate", "50")
        for _ in range(200):
            self.assertIn("craft.omega", self.ask("get craft.omega"))
        self.end(run)

    def test_a_strict_run_ends_at_its_first_late_frame(self):
        done = self.vernier("run", "parts.xml", "--rate", "1000000", "--late", "strict", "--on", "local:2", status=4)
        self.assertRegex(done.stderr, r"error\[V4101\]: stopped: frame \d+ was late")

    def test_frames_that_slip_are_refused(self):
        done = self.vernier("run", "parts.xml", "--rt", "--late", "slip", "--on", "local:2", status=2)
        self.assertIn("error[V5605]: late frames cannot slip in a run on several nodes", done.stderr)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
