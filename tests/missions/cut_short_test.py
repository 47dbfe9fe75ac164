#!/usr/bin/env python3
"""Scripts of missions that are given runs which did not reach their ends. usage: cut_short_test.py <source tree>

The runs are made up: a program that stands for vernier prints the summaries of runs that ended early, or of whole ones. No process is waited for longer than it
takes to start.
"""
import importlib.util
import json
import pathlib
import stat
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(sys.argv.pop(1)).resolve()
sys.path.insert(0, str(SOURCE / "tests"))
from processes import PATIENCE  # noqa: E402

PROGRAM = """#!{python}
import json, sys
words = sys.argv[1:]
if "--help" in words:
    print("--rate FACTOR")
elif words[0] == "rti":
    print("waits at tcp://127.0.0.1:9")
    for who in ("Moon", "Vehicle", "Watcher", "vernier-watcher-7"):
        print(f"federate '{{who}}' has joined")
elif words[0] == "run":
    print(json.dumps({{"composition": "made up", "status": "finished", "exit_status": 0, "folder": "/nowhere", "reached_s": {reached}}}))
"""


def script(mission):
    spec = importlib.util.spec_from_file_location(mission.replace("-", "_"), SOURCE / "missions" / mission / "run.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Scripts(unittest.TestCase):
    def said(self, mission, reached, *words):
        """(status, what was written) of a script whose runs end after so many seconds."""
        with tempfile.TemporaryDirectory() as folder:
            program = pathlib.Path(folder) / "vernier"
            program.write_text(PROGRAM.format(python=sys.executable, reached=reached), encoding="utf-8")
            program.chmod(program.stat().st_mode | stat.S_IXUSR)
            done = subprocess.run([sys.executable, SOURCE / "missions" / mission / "run.py", "--vernier", program, "--out", pathlib.Path(folder) / "out", *words],
                                  capture_output=True, text=True, timeout=PATIENCE, cwd=folder)
            return done.returncode, done.stderr

    def test_fail_when_a_run_is_cut_short(self):
        for mission, words in (("flexible-robot", ("--short",)), ("pendulum", ("--seconds", "4")), ("spacefom", ("--fast", "--seconds", "60"))):
            with self.subTest(mission):
                status, said = self.said(mission, 2.5, *words)
                self.assertNotEqual(status, 0)
                self.assertRegex(said, r"ended after 2\.5 of \d+ s: finished")

    def test_do_not_complain_of_whole_runs(self):
        """They go on to the results, which the made-up program does not have."""
        for mission, reached, words in (("flexible-robot", 5, ("--short",)), ("pendulum", 4, ("--seconds", "4")), ("spacefom", 60, ("--fast", "--seconds", "60"))):
            with self.subTest(mission):
                self.assertNotIn("ended after", self.said(mission, reached, *words)[1])


class Table(dict):
    """Made-up signals of a facility: counters that are reset when the flight is over."""

    def __init__(self, end, commands):
        self.t = [0.004 * k for k in range(int((end + 5) / 0.004))]
        flying = [t < end for t in self.t]
        super().__init__({"simulator.rsp.commands": [min(10 * t, commands) if f else 0 for t, f in zip(self.t, flying)],
                          "simulator.rsp.extrapolated": [2 if f and t > 1 else 0 for t, f in zip(self.t, flying)]})


class Epos(unittest.TestCase):
    def setUp(self):
        self.epos = script("epos")

    def changes(self, end):
        return [(0.0, "idle"), (0.1, "ready"), (0.2, "approaching"), (20.0, "running"), (50.0, "extrapolating"), (50.1, "running"), (end, "halting"), (end + 1, "halted")]

    def test_a_flight_that_is_cut_short_fails(self):
        with self.assertRaisesRegex(self.epos.Failure, r"ended after 86\.0 of 140 s"):
            self.epos.whole_flight(self.changes(106.0), 140, 0.1)

    def test_a_whole_flight_is_one_also_when_a_command_was_late(self):
        self.assertEqual(self.epos.whole_flight(self.changes(159.85), 140, 0.1), (20.0, 159.85))

    def test_a_flight_that_never_began_or_never_ended_fails(self):
        with self.assertRaisesRegex(self.epos.Failure, "never running"):
            self.epos.whole_flight([(0.0, "idle"), (0.1, "ready")], 140, 0.1)
        with self.assertRaisesRegex(self.epos.Failure, "did not end"):
            self.epos.whole_flight(self.changes(159.85)[:6], 140, 0.1)

    def test_commands_are_counted_before_the_counters_are_reset(self):
        self.assertEqual(self.epos.counted(Table(140.0, 1399), 0.0, 140.0), (2, 1399))
        with self.assertRaisesRegex(self.epos.Failure, "no commands"):
            self.epos.counted(Table(140.0, 0), 0.0, 140.0)

    def test_events_are_read_whatever_columns_follow(self):
        run = self.epos.Run.__new__(self.epos.Run)
        run.lines = self.epos.queue.Queue()
        run.lines_of([["1.5", "simulator", "state", "approaching", "running", "", "arrived"], ["2", "simulator", "state", "running", "halted", "stopped"]])
        self.assertRegex(run.lines.get_nowait(), "approaching → running")
        self.assertRegex(run.lines.get_nowait(), "running → halted stopped")

    def test_a_mistake_while_events_are_read_ends_the_experiment(self):
        run = self.epos.Run.__new__(self.epos.Run)
        run.name, run.lines, run.seen = "facility", self.epos.queue.Queue(), []
        run.guarded(lambda: 1 / 0)
        with self.assertRaises(ZeroDivisionError):
            run.wait_for("→ running")

    def test_attitudes_follow_the_curve_of_the_paper(self):
        """"Rotational robot attitude (quaternion) is interpolated using a method developed by Kim, Kim and Shin" (Rems, section 2.3)."""
        self.assertIn('<parameter name="curve">kim</parameter>', (SOURCE / "missions/epos/server.xml").read_text(encoding="utf-8"))


class Papers(unittest.TestCase):
    def test_no_scenario_is_claimed_that_a_paper_does_not_have(self):
        """The paper of Möller et al. describes the Space FOM: frames, time, roles, entities. It has no scenario and no run."""
        said = " ".join((SOURCE / "missions/spacefom/README.md").read_text(encoding="utf-8").split())
        self.assertNotRegex(said, r"(?i)the scenario of M")
        self.assertIn("The scenario is our own.", said)


if __name__ == "__main__":
    unittest.main()
