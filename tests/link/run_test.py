#!/usr/bin/env python3
"""Two runs of the program in real time, joined by a link: examples/link. usage: run_test.py <vernier> <source tree>

The facility is started, a simulator comes and goes, another one comes: the facility goes on all the time.
"""
import json
import pathlib
import re
import socket
import subprocess
import tempfile
import threading
import unittest

from runs import SOURCE, VERNIER, free_ports, main, start


class Runs(unittest.TestCase):
    def finish(self, process):
        out, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 0, err)
        return json.loads(out)

    def test_a_facility_serves_one_simulator_after_another(self):
        control, data = (f"127.0.0.1:{port}" for port in free_ports())
        with tempfile.TemporaryDirectory() as folder:
            facility = start("link/facility.xml", folder, "9s", [f"simulator.listen={control}", f"simulator.data={data}"])
            for _ in range(2):
                simulator = self.finish(start("link/simulator.xml", folder, "2.5s",
                                                   [f"facility.connect={control}", f"facility.data={data}"]))
                values = {r["name"]: r["value"] for r in simulator["reports"]}
                # the swing is at cos(2.5) = -0.80 in the end; the robot is a tenth of a second and a bit behind
                self.assertLess(values["farthest back"], -0.6)
                self.assertGreater(values["vectors received"], 250)  # 625 in 2.5 s, were nothing else running
            values = {r["name"]: r["value"] for r in self.finish(facility)["reports"]}
            self.assertGreater(values["vectors received"], 25)  # 25 from each

    def test_a_simulator_may_follow_the_clock_of_the_facility(self):
        control, data = (f"127.0.0.1:{port}" for port in free_ports())
        with tempfile.TemporaryDirectory() as folder:
            facility = start("link/facility.xml", folder, "4s", [f"simulator.listen={control}", f"simulator.data={data}"])
            words = [f"facility.connect={control}", f"facility.data={data}", "facility.follow=yes"]
            simulator = self.finish(start("link/simulator.xml", folder, "2s", words, pace=["--rt"]))
            # both clocks are the same here: following it changes nothing
            self.assertGreater(simulator["wall_s"], 1.99)
            self.assertEqual(simulator["real_time"]["frames"], 2000 / self.period_ms("simulator"))
            self.finish(facility)

    def period_ms(self, name):
        text = (SOURCE / "examples/link" / f"{name}.xml").read_text()
        return float(re.search(r'step="(\d+) ms"', text)[1])


class Test(unittest.TestCase):
    """`vernier link test`, as either side."""

    def start(self, *words):
        return subprocess.Popen([VERNIER, "link", "test", *map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def finish(self, process, status=0):
        out, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, status, out + err)
        return json.loads(out) if status == 0 else err

    def test_both_sides_measure_the_same_link(self):
        with tempfile.TemporaryDirectory() as folder:
            key = pathlib.Path(folder) / "key"
            key.write_bytes(b"secret")
            control, data = free_ports()
            more = ["--data", data, "--json", "--key", key]
            server = self.start(f"127.0.0.1:{control}", "--serve", "--send", 3, "--receive", 2, "--receive-type", "int8", "--seconds", "60s", *more)
            client = self.finish(self.start(f"127.0.0.1:{control}", "--send", 2, "--send-type", "int8", "--receive", 3, "--rate", 50,
                                            "--seconds", "2s", "--patience", "30s", *more))
            self.assertEqual((client["state"], client["counts"]["losses"]), ("up", 0))
            self.assertGreater(client["counts"]["received"], 50)  # 500, were nothing else running
            delays = client["delays_s"]
            # although four of five vectors of the faster side are replaced before they are looked at
            self.assertGreater(delays["dead_time"]["count"], 5)
            for d in delays.values():
                self.assertLessEqual(d["p99"], d["max"])
                self.assertGreater(d["max"], 0.0)
            said = self.finish(server)  # ends when the client says farewell
            self.assertGreater(said["counts"]["received"], 20)
            self.assertGreater(said["delays_s"]["dead_time"]["count"], 20)

    def test_survives_what_it_does_to_the_network(self):
        said = self.finish(self.start("--json", "--seconds", "3s", "--rate", "50", "--impair", "delay 1ms jitter 0.3ms reorder cut"))
        self.assertEqual((said["state"], said["counts"]["ups"]), ("up", 2))
        self.assertGreater(said["delays_s"]["round_trip"]["mean"], 0.002)  # 1 ms each way, and something

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
            mute = self.start(f"127.0.0.1:{silent.getsockname()[1]}", "--patience", "3s")
            mail = self.start(f"127.0.0.1:{other.getsockname()[1]}", "--patience", "1s")
            self.assertIn("error[V5137]: the link \"test\": something that is not a frame (it does not begin with SCP1)", self.finish(mail, 5))
            self.assertIn("error[V5138]", self.finish(mute, 5))
        self.assertIn("error[V7505]: \"here:there\" is not an address", self.finish(self.start("here:there"), 2))


if __name__ == "__main__":
    main()
