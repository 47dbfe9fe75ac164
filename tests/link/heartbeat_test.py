#!/usr/bin/env python3
"""The supervisor of examples/rsp stops the drives when the facility's program is killed, and only then. usage: heartbeat_test.py <vernier> <source tree>"""
import json
import pathlib
import re
import signal
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from processes import PATIENCE, SOURCE, VERNIER, Late, Run, free_ports, unless_late, wait_until  # noqa: E402

SILENCE = 1.5  # s; a machine that stands still for longer makes the supervisor take over


class Supervised(unittest.TestCase):
    def fly(self):
        control, data, beat = (f"127.0.0.1:{port}" for port in free_ports(3))
        self.supervisor = subprocess.Popen([sys.executable, SOURCE / "examples/rsp/supervisor.py", "--listen", beat, "--silence", str(SILENCE)],
                                           stdout=subprocess.PIPE, text=True)
        self.addCleanup(lambda: (self.supervisor.kill(), self.supervisor.communicate()))
        self.assertIn("waiting for heartbeats", self.supervisor.stdout.readline())
        settings = lambda *s: [word for x in s for word in ("--set", x)]
        self.facility = Run(SOURCE / "examples/rsp/supervised.xml", "--rate", "1", "--until", "3600s",
                            *settings(f"simulator.listen={control}", f"simulator.data={data}", "simulator.timeout=60s", f"heartbeat.to={beat}"))
        self.addCleanup(self.facility.end, signal.SIGKILL)
        self.simulator = Run(SOURCE / "examples/rsp/simulator.xml", "--rate", "1", "--until", "3600s",
                             *settings(f"facility.connect={control}", f"facility.data={data}", "facility.initial=1.4 s", "approach.x=0.04",
                                       f"facility.patience={PATIENCE:g}s"))
        self.addCleanup(self.simulator.end, signal.SIGKILL)
        self.facility.wait_for("approaching → running")
        wait_until(self.moves, "motion")

    def moves(self):
        folder = next(pathlib.Path(self.facility.folder.name).glob("supervised-*"))
        name = "simulator.servicer.velocity"
        done = subprocess.run([VERNIER, "watch", name, "--count", "1", "--json", "--run", folder], text=True, capture_output=True, timeout=PATIENCE)
        return done.returncode == 0 and abs(json.loads(done.stdout)["signals"][name][0]) > 0.005

    def ended(self, expected):
        said, _ = self.supervisor.communicate(timeout=PATIENCE)
        if self.supervisor.returncode != expected and "takes over" in said:
            raise Late(said)  # it was not heard in time although it lived
        self.assertEqual(self.supervisor.returncode, expected, said)
        return said

    def test_it_takes_over_when_the_program_is_killed(self):
        unless_late(self.killed)

    def killed(self):
        self.fly()
        if self.supervisor.poll() is not None:
            raise Late("it took over before")
        self.facility.end(signal.SIGKILL)
        said = self.ended(1)
        took = re.search(r"takes over: nothing heard for ([\d.]+) s, ([\d.e-]+) m/s", said)
        rest = re.search(r"brought to rest in ([\d.]+) s: 0 m/s, at most ([\d.e-]+) m/s\^2, ([\d.e-]+) m off", said)
        self.assertTrue(took and rest, said)
        if float(took[1]) > SILENCE + 0.05:
            raise Late(f"the supervisor itself was woken late: {said}")
        self.assertGreaterEqual(float(took[1]), SILENCE)
        self.assertGreater(float(took[2]), 0.0)
        self.assertLessEqual(float(rest[2]), 0.5)
        self.assertLessEqual(float(rest[3]), 0.5 * 0.004**2)

    def test_it_leaves_a_program_alone_that_comes_to_rest(self):
        unless_late(self.comes_to_rest)

    def comes_to_rest(self):
        self.fly()
        status, said = self.facility.end(signal.SIGTERM)
        self.assertEqual(status, 130, said)
        said = self.ended(0)
        self.assertRegex(said, r"running\ncoming to rest\nat rest\nthe program brought everything to rest")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
