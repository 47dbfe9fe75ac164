#!/usr/bin/env python3
"""Runs that are killed and continue in their own folder, once or many times, in one process and on several nodes: at the end the folder says the same as that of a run that was never killed.

usage: continue_test.py <vernier> <source tree> [<unittest argument>...]
"""
import json
import random
import re
import signal
import subprocess
import sys
import time
import unittest

from on_nodes import DOCUMENT, VERNIER, Run, WithNodes, children, kill, lives, wait_until

JUDGED = """<report name="mean" signal="a.y" kind="mean"/>
  <report name="rms" signal="craft.omega" kind="rms"/>
  <report name="largest" signal="b.y" kind="maximum"/>
  <report name="when" signal="b.y" kind="time_of_maximum" unit="s"/>
  <report name="smallest" signal="count.y" kind="minimum"/>
  <report name="first" signal="late.y" kind="first"/>
  <report name="last" signal="gyro.reading"/>
  <check name="constant" signal="craft.momentum" kind="constant" tolerance="1e-6"/>
  <check name="near" signal="craft.attitude_norm" kind="near" limit="1" tolerance="1e-9"/>
  <check name="below" signal="b.y" kind="below" limit="1e3" from="7 s"/>
  <check name="above" signal="a.y" kind="above" limit="-1e3" from="30 s"/>
</interconnection>"""

class WithContinued(WithNodes):
    def setUp(self):
        super().setUp()
        (self.folder / "parts.xml").write_text(DOCUMENT.replace("</interconnection>", JUDGED))
        self.chance = random.Random(self.id())
        self.run_folder = self.folder / "nodes/parts-0001"

    def begin(self, *words):
        """A run without an end: however slow the test is, there is something to kill."""
        return self.follow(Run(self.folder, "parts.xml", "--out", "nodes", "--until", "1000000s", *words))

    def again(self, *words):
        return self.follow(Run(self.folder, "nodes/parts-0001", "--continue", *words))

    def follow(self, run):
        self.addCleanup(run.close)
        return run

    def checkpoints(self):
        """Those that are complete: the kill may come between the two files of the last one."""
        return sorted(p.name for p in (self.run_folder / "checkpoints").glob("*.progress") if p.with_suffix(".vchk").exists())

    def await_checkpoints(self, run, number=1):
        """So many that it did not have when this was called."""
        known = set(self.checkpoints())
        wait_until(lambda: run.over() or len(set(self.checkpoints()) - known) >= number, f"{number} checkpoints")
        self.assertFalse(run.over(), run.said())

    def time_of(self, name):
        return float(name[2:].rpartition(".")[0])

    def kill(self, run):
        executors = children(run.process.pid)
        kill(run.process.pid)
        run.process.wait()
        wait_until(lambda: not any(map(lives, executors)), "the end of its nodes")

    def end_after(self, seconds):
        """The run is to end so long after its last checkpoint."""
        last = max(map(self.time_of, self.checkpoints()), default=0.0)
        manifest = self.run_folder / "manifest.json"
        text, changed = re.subn(r'"until": "\d+ ns"', f'"until": "{round((last + seconds) * 1e9)} ns"', manifest.read_text())
        self.assertEqual(changed, 1)
        manifest.write_text(text)

    def order(self, words):
        """Gives an order; when it was executed, in ns."""
        said = self.ask(words)
        when = re.search(r" at t = (\S+) s$", said)
        self.assertTrue(when, said)
        return round(float(when[1]) * 1e9)

    def expect_whole(self, run, remarks=0):
        """It ends; its folder is that of an undisturbed run with the same orders."""
        self.assertEqual(run.status(), 0, run.said())
        alone = self.folder / self.vernier("run", "nodes/parts-0001", "--out", "alone", "--quiet").stdout.strip()
        self.assertNotEqual(alone, self.run_folder)
        self.expect_same(alone.relative_to(self.folder), "nodes/parts-0001")
        one, other = ((f / "orders.csv").read_text() if (f / "orders.csv").exists() else "" for f in (alone, self.run_folder))
        # nodes are not at the same time when they are told
        self.assertEqual(sorted(one.splitlines()), sorted(other.splitlines()))
        first, second = (json.loads((f / "manifest.json").read_text()) for f in (alone, self.run_folder))
        exported = [self.vernier("export", f, "--signals", "*").stdout for f in (alone, self.run_folder)]
        self.assertEqual(*exported)
        self.assertGreater(exported[0].count("\n"), second["statistics"]["simulated_s"])
        for member in ("status", "exit_status", "reports", "checks", "seed", "inputs"):
            if member != "inputs":
                self.assertEqual(first[member], second[member], member)
            else:
                self.assertEqual(*([i["sha256"] for i in m[member]] for m in (first, second)))
        self.assertEqual(len(first["reports"]), 7)
        self.assertTrue(all(c["seen"] for c in first["checks"]))
        counts = () if "on" in second["options"] else ("ticks", "instants", "microsteps")  # nodes count what they do twice
        for figure in ("simulated_s", "rows", "dropped", "events", *counts):
            self.assertEqual(first["statistics"][figure] + remarks * (figure == "events"), second["statistics"][figure], figure)
        left = {p.name for p in self.run_folder.iterdir()} - {"checkpoints", "orders.csv", "log.txt", "registry.json", "registry.lock"}
        self.assertEqual(left, {p.name for p in alone.iterdir()} - {"checkpoints", "orders.csv", "log.txt"})
        self.assertEqual([p.name for p in (self.run_folder / "checkpoints").iterdir() if p.suffix != ".vchk"], [])
        return second


class Killed(WithContinued):
    def disturb(self, kills, *words):
        """Kills it at random moments, each time when it has another checkpoint."""
        run = self.begin(*words)
        for number in range(kills):
            self.await_checkpoints(run)
            time.sleep(self.chance.uniform(0.0, 0.05))
            self.kill(run)
            if number == kills - 1:
                self.end_after(100)
            run = self.again()
        manifest = self.expect_whole(run)
        self.assertEqual(len(manifest["continued"]), kills)

    def test_in_one_process(self):
        self.disturb(6, "--checkpoint-every", "20s")

    def test_on_several_nodes(self):
        self.disturb(3, "--checkpoint-every", "50s", "--on", "local:3")

    def test_before_any_checkpoint(self):
        run = self.begin()
        wait_until(lambda: (self.run_folder / "events.csv").exists(), "its beginning")
        self.kill(run)
        self.end_after(100)
        manifest = self.expect_whole(self.again())
        self.assertEqual([c["time"] for c in manifest["continued"]], [0])

    def test_checkpoints_that_a_run_on_nodes_makes_by_itself(self):
        run = self.begin("--on", "local:2")
        self.await_checkpoints(run)
        self.kill(run)
        self.assertLessEqual(len(self.checkpoints()), 2)
        self.end_after(100)
        times = list(map(self.time_of, self.checkpoints()))
        manifest = self.expect_whole(self.again())
        self.assertIn(manifest["continued"][0]["time"], times)
        self.assertEqual(manifest["options"]["on"], "local:2")
        self.assertEqual(list((self.run_folder / "checkpoints").iterdir()), [])


class Orders(WithContinued):
    """What was set, released and sent while it ran is part of it, whether a checkpoint has it or not."""

    def disturb(self, *words):
        run = self.begin("--checkpoint-every", "50s", *words)
        given = []
        for number in range(4):
            self.await_checkpoints(run)
            self.ask("freeze")
            self.ask("step")  # now it stands still
            given.append((self.order(f"set a.u {0.1 * number}"), "set", "a.u"))
            given.append((self.order("send count.on"), "send", "count.on"))
            if number % 2:
                self.ask("checkpoint")
            self.ask("resume")
            given.append((self.order("set b.u 0.25"), "set", "b.u"))
            given.append((self.order("release b.u"), "release", "b.u"))
            self.assertRegex(self.ask(f"mark number {number}"), "marked")
            self.kill(run)
            if number == 3:
                self.end_after(200)
            run = self.again()
        manifest = self.expect_whole(run, remarks=4)
        self.assertEqual(len(manifest["continued"]), 4)
        done = [line.split(",") for line in (self.run_folder / "orders.csv").read_text().splitlines()[1:]]
        self.assertEqual(sorted((int(at.rstrip("+")), order, path) for at, order, path, _ in done), sorted(given))

    def expect_same(self, first, second):
        """A repetition has no remarks of the user."""
        events = self.folder / second / "events.csv"
        whole = events.read_text()
        self.assertEqual(re.findall(r"(?m)^\S+,user,mark,,,(.*),$", whole), [f"number {n}" for n in range(4)])
        times = [float(line.split(",")[0]) for line in whole.splitlines()[1:]]
        self.assertEqual(times, sorted(times))
        events.write_text(re.sub(r"(?m)^\S+,user,mark,.*\n", "", whole))
        super().expect_same(first, second)

    def test_in_one_process(self):
        self.disturb()

    def test_on_several_nodes(self):
        self.disturb("--on", "local:2")


class Damaged(WithContinued):
    def killed(self, number):
        """The checkpoints of a run that was killed when it had so many."""
        run = self.begin("--checkpoint-every", "20s")
        self.await_checkpoints(run, number)
        self.kill(run)
        self.end_after(100)
        # those of which the files have everything
        return self.checkpoints()

    def expect_from(self, names):
        """It continues from one of these: after a kill rows of the last one may be missing."""
        manifest = self.expect_whole(self.again())
        self.assertIn(manifest["continued"][-1]["time"], list(map(self.time_of, names)))

    def test_a_checkpoint_that_was_cut_off(self):
        *others, last = self.killed(4)
        file = self.run_folder / "checkpoints" / last.replace(".progress", ".vchk")
        file.write_bytes(file.read_bytes()[:-100])
        self.expect_from(others)

    def test_what_lies_beside_a_checkpoint_was_cut_off(self):
        *others, last = self.killed(4)
        file = self.run_folder / "checkpoints" / last
        file.write_bytes(file.read_bytes()[:-1])
        self.expect_from(others)

    def test_checkpoints_without_their_rows(self):
        """The machine has written the checkpoints to the disk, and not what precedes them."""
        names = self.killed(3)
        kept = {f: (self.run_folder / f).read_bytes() for f in ("results.h5", "events.csv")}
        manifest = self.run_folder / "manifest.json"
        manifest.write_text(re.sub(r'"until": "\d+ ns"', '"until": "1000000000000000 ns"', manifest.read_text()))
        run = self.again()
        self.await_checkpoints(run, len(names) + 2)
        self.kill(run)
        self.end_after(100)
        # the files may have the rows of one that the kill cut off
        possible = self.checkpoints()[:len(names) + 1]
        self.assertGreater(len(self.checkpoints()), len(possible))
        for name, content in kept.items():
            (self.run_folder / name).write_bytes(content)
        (self.run_folder / "results.h5.lock").unlink(missing_ok=True)
        self.expect_from(possible)

    def test_no_checkpoint_that_is_whole(self):
        for name in self.killed(2):
            (self.run_folder / "checkpoints" / name).write_bytes(b"")
        manifest = self.expect_whole(self.again())
        self.assertEqual([c["time"] for c in manifest["continued"]], [0])


class Standby(WithContinued):
    def standby(self):
        standby = self.again("--standby")
        standby.wait_for("waiting for ")
        return standby

    def test_one_follows_the_other(self):
        run = self.begin("--checkpoint-every", "50s", "--on", "local:2")
        for _ in range(2):
            self.await_checkpoints(run)
            standby = self.standby()
            self.ask("status")  # it runs
            self.kill(run)
            run = standby
            run.wait_for("(?m)^  continues +t=")
        self.await_checkpoints(run)
        self.kill(run)
        self.end_after(100)
        self.assertEqual(len(self.expect_whole(self.again())["continued"]), 3)

    def test_a_run_that_ends_by_itself_is_left_alone(self):
        run = self.begin("--rate", "1")
        wait_until(lambda: (self.run_folder / "control").exists(), "its beginning")
        standby, impatient = self.standby(), self.standby()
        impatient.process.send_signal(signal.SIGINT)
        self.assertEqual(impatient.status(), -signal.SIGINT)
        run.process.send_signal(signal.SIGINT)
        self.assertEqual(run.status(), 130, run.said())
        before = (self.run_folder / "manifest.json").read_bytes()
        self.assertEqual(standby.status(), 0, standby.said())
        self.assertRegex(standby.said(), "nodes/parts-0001 has ended by itself: interrupted")
        self.assertEqual((self.run_folder / "manifest.json").read_bytes(), before)


class ByTheClock(WithContinued):
    def test_continues_by_the_clock(self):
        run = self.begin("--rate", "100", "--checkpoint-every", "10s")
        self.await_checkpoints(run)
        self.kill(run)
        self.end_after(40)
        run = self.again()
        run.wait_for("100 × real time")
        manifest = self.expect_whole(run)
        self.assertEqual(manifest["options"]["rate"], "100")

    def test_frames_continue(self):
        run = self.begin("--rt", "--late", "catch-up", "--checkpoint-every", "1s")
        self.await_checkpoints(run)
        self.kill(run)
        self.end_after(2)
        run = self.again()
        self.assertEqual(run.status(), 0, run.said())
        frames = self.vernier("export", "nodes/parts-0001/frames.h5", "--signals", "frame.number").stdout.splitlines()[1:]
        times = [round(float(line.split(",")[0]) * 100) for line in frames]
        numbers = [int(float(line.split(",")[1])) for line in frames]
        self.assertEqual(times, list(range(times[0], times[0] + len(times))))
        self.assertEqual(numbers, list(range(numbers[0], numbers[0] + len(times))))


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
