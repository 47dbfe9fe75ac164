#!/usr/bin/env python3
"""Two runs of the program in real time, joined by a link: examples/link. usage: run_test.py <vernier> <source tree>

The facility is started, a simulator comes and goes, another one comes: the facility goes on all the time.
"""
import json
import pathlib
import re
import socket
import subprocess
import sys
import tempfile
import threading
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from processes import PATIENCE, SOURCE, VERNIER, Late, Run, free_ports, reports, unless_late  # noqa: E402


class Runs(unittest.TestCase):
    def setUp(self):
        self.folder = self.enterContext(tempfile.TemporaryDirectory())
        self.control, self.data = (f"127.0.0.1:{port}" for port in free_ports())
        # a machine that stands still for a while loses no link
        self.facility = Run(SOURCE / "examples/link/facility.xml", "--rate", "1", "--until", "3600s", "--set",
                            f"simulator.listen={self.control}", "--set", f"simulator.data={self.data}", "--set", "simulator.timeout=60s")
        self.addCleanup(self.facility.end)
        self.facility.wait_for("  ready ")

    def simulated(self, until, *more):
        words = [VERNIER, "run", SOURCE / "examples/link/simulator.xml", "--until", until, "--json", "--out", self.folder, "--set", f"facility.connect={self.control}",
                 "--set", f"facility.data={self.data}", "--set", f"facility.patience={PATIENCE:g}s", *more]
        done = subprocess.run(words, capture_output=True, text=True, timeout=PATIENCE)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def one_simulator(self):
        simulator = self.simulated("2.5s", "--rate", "1")
        values = {r["name"]: r["value"] for r in simulator["reports"]}
        self.assertGreater(values["vectors received"], 5)  # 625 in 2.5 s, were nothing else running
        # the swing is at cos(2.5) = -0.80 in the end; the robot is a tenth of a second and a bit behind
        self.assertGreaterEqual(values["farthest back"], -1.0)
        if values["farthest back"] > -0.6 and (simulator["late"] > 0 or values["vectors received"] < 500):
            raise Late(f"{simulator['late']} frames of the simulator; {values}")
        self.assertLess(values["farthest back"], -0.6)

    def test_a_facility_serves_one_simulator_after_another(self):
        for _ in range(2):
            unless_late(self.one_simulator)
            self.facility.wait_for("→ up")
        status, said = self.facility.end()
        self.assertEqual(status, 130, said)  # interrupted, not before
        self.assertGreater(reports(said)["vectors received"], 5)  # 25 from each

    def test_a_simulator_may_follow_the_clock_of_the_facility(self):
        simulator = self.simulated("2s", "--rt", "--set", "facility.follow=yes")
        # both clocks are the same here: following it changes nothing but by what is read wrongly on a busy machine
        self.assertGreater(simulator["wall_s"], 1.8)
        self.assertEqual(simulator["real_time"]["frames"], 2000 / self.period_ms("simulator"))

    def period_ms(self, name):
        text = (SOURCE / "examples/link" / f"{name}.xml").read_text()
        return float(re.search(r'step="(\d+) ms"', text)[1])


class Test(unittest.TestCase):
    """`vernier link test`, as either side."""

    def start(self, *words):
        process = subprocess.Popen([VERNIER, "link", "test", *map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(lambda: process.poll() is None and process.kill())
        return process

    def finish(self, process, status=0):
        out, err = process.communicate(timeout=PATIENCE)
        if process.returncode == 5 and status == 0 and (said := json.loads(out))["counts"]["timeouts"] > 0:
            raise Late(f"silence of a second ended the link: {said}")
        self.assertEqual(process.returncode, status, out + err)
        return json.loads(out) if status == 0 else err

    def test_both_sides_measure_the_same_link(self):
        unless_late(self.both_sides)

    def both_sides(self):
        with tempfile.TemporaryDirectory() as folder:
            key = pathlib.Path(folder) / "key"
            key.write_bytes(b"a key has at least 16 bytes")
            key.chmod(0o600)
            control, data = free_ports()
            more = ["--data", data, "--json", "--key", key, "--patience", f"{PATIENCE:g}s"]
            server = self.start(f"127.0.0.1:{control}", "--serve", "--send", 3, "--receive", 2, "--receive-type", "int8", "--seconds", "3600s", *more)
            client = self.finish(self.start(f"127.0.0.1:{control}", "--send", 2, "--send-type", "int8", "--receive", 3, "--rate", 50,
                                            "--seconds", "2s", *more))
            self.assertEqual(client["counts"]["losses"], 0)
            self.assertIn(client["state"], ("up", "degraded"))  # of an answer that is late
            self.assertGreater(client["counts"]["received"], 5)  # 500, were nothing else running
            delays = client["delays_s"]
            # although four of five vectors of the faster side are replaced before they are looked at
            self.assertGreater(delays["dead_time"]["count"], 0)
            for name, d in delays.items():
                self.assertLessEqual(d["p99"], d["max"])
                if name in ("round_trip", "dead_time"):  # by one clock; the others are as good as both clocks are compared
                    self.assertGreater(d["max"], 0.0, name)
            said = self.finish(server)  # ends when the client says farewell
            self.assertGreater(said["counts"]["received"], 5)  # 100
            self.assertGreater(said["delays_s"]["dead_time"]["count"], 0)

    def test_survives_what_it_does_to_the_network(self):
        def attempt():
            process = self.start("--json", "--seconds", "3s", "--rate", "50", "--impair", "delay 1ms jitter 0.3ms reorder cut")
            out, err = process.communicate(timeout=PATIENCE)
            said = json.loads(out)
            if (process.returncode, said["counts"]["ups"]) != (0, 2) and (said["late"] > 0 or said["counts"]["timeouts"] > 0):
                raise Late(out)
            self.assertEqual((process.returncode, said["counts"]["ups"]), (0, 2), out + err)
            self.assertGreater(said["delays_s"]["round_trip"]["mean"], 0.002)  # 1 ms each way, and something
        unless_late(attempt)

    def test_says_what_is_wrong_with_the_other_side(self):
        with socket.create_server(("127.0.0.1", 0)) as silent, socket.create_server(("127.0.0.1", 0)) as other:
            def greet():
                try:
                    while True:
                        with other.accept()[0] as connection:
                            connection.sendall(b"220 mail.example.com ESMTP\r\n")
                except OSError:
                    pass
            threading.Thread(target=greet, daemon=True).start()
            for server, seconds, words in ((other, (1, 10, 60), "error[V5137]: the link \"test\": something that is not a frame (it does not begin with SCP1)"),
                                           (silent, (3, 10, 60), "error[V5138]")):
                for patience in seconds:  # what it learned until then, which is nothing when the machine stood still
                    said = self.finish(self.start(f"127.0.0.1:{server.getsockname()[1]}", "--patience", f"{patience}s"), 5)
                    self.assertIn(f"did not come up at 127.0.0.1:{server.getsockname()[1]} within {patience} s", said)
                    if words in said:
                        break
                self.assertIn(words, said)
        self.assertIn("error[V7505]: \"here:there\" is not an address", self.finish(self.start("here:there"), 2))


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
