#!/usr/bin/env python3
"""The RSP side of the clients that others may use (clients/), in C and in Python. usage: rsp_clients_test.py <vernier> <source tree> <C compiler>"""
import concurrent.futures
import json
import math
import pathlib
import struct
import subprocess
import sys
import tempfile
import types
import unittest

VERNIER, SOURCE, CC = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve(), sys.argv[3]
sys.path[:0] = [str(SOURCE / "clients/python"), str(SOURCE / "tests")]
import rsp_client  # noqa: E402
import scp_client  # noqa: E402
from processes import PATIENCE, Late, Run, free_ports, reports, unless_late  # noqa: E402

WORK = tempfile.TemporaryDirectory(prefix="vernier_rsp_")
FOLDER = pathlib.Path(WORK.name)
PLAIN = [CC, "-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-O1"]
CLIENTS = {"c": [FOLDER / "rsp_client"], "python": [sys.executable, SOURCE / "clients/python/rsp_client.py"]}

# now, initial ns, period ns, parts, over, under, reference home and target, forerun over and under -> client and server step
STARTS = {
    (0, 500_000_000, 100_000_000, 1, 4, 1, 0, 21, 1, 2): (5, 47),        # the worked example of the EPOS paper
    (1, 400_000_000, 100_000_000, 1, 4, 1, 1, 25, 1, 2): (5, 47),        # the same by another pair
    (0, 0, 200_000_000, 1, 50, 1, 0, 0, 1, 10): (0, 55),                 # in doubles 55.00000000000001, and 56
    (0, 4_001_000_000, 1_000_000, 1, 1, 1, 0, 0, 0, 1): (4001, 4002),    # in doubles 4.001/0.001 is more than 4001
    (7, 30_000_000_000, 100_000_000, 3, 25, 3, 4, 100, 1, 1): (907, 7642),  # 1/30 s against 4 ms: (907 - 4) 25/3 + 100 = 7625, + 2 * 25/3
    (-5, 1_000_000_000, 100_000_000, 1, 5, 2, 3, -8, 0, 1): (5, 0),      # 2 * 5/2 - 8 + 5/2 = -0.5
}


def setUpModule():
    watched = ["-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
    subprocess.run([*PLAIN, *watched, "-DRSP_MAIN", SOURCE / "clients/c/rsp_client.c", "-lm", "-o", FOLDER / "rsp_client"], check=True)
    subprocess.run([*PLAIN, *watched, "-I", SOURCE / "clients/c", SOURCE / "tests/clients/rsp_golden.c", "-o", FOLDER / "golden"], check=True)


def tearDownModule():
    WORK.cleanup()


def packets(folder):
    return {f.stem: f.read_text().split() for f in sorted((SOURCE / "formats/rsp" / folder).glob("*.hex"))}


def numbers(lines):
    return struct.unpack(f"<{len(lines)}d", bytes.fromhex("".join(lines)))


class Packets(unittest.TestCase):
    def by_c(self, lines):
        return subprocess.run([FOLDER / "golden"], input="\n".join(lines) + "\n", capture_output=True, text=True, check=True).stdout.split("\n")

    def test_both_read_and_write_them_to_the_bit(self):
        good, bad = packets("golden"), packets("bad")
        # a server sends neither accelerations nor reference axes; the C client reads no others
        plain = {n: p for n, p in good.items() if n not in ("state_accelerations", "state_reference_axes")}
        for (name, lines), said in zip(plain.items(), self.by_c(["".join(p) for p in plain.values()])):
            self.assertEqual(said, "".join(lines), name)
        for name, said in zip(bad, self.by_c(["".join(p) for p in bad.values()])):
            self.assertEqual(said, "none", name)
        for name, lines in good.items():
            v = numbers(lines)
            p = rsp_client.decoded(v)
            again = rsp_client.encoded(p.kind, p.run, p.step, p.bodies, p.arguments, accelerations=v[5] == 1.0, size=len(v))
            if name == "state_reference_axes":  # the same state, in body axes
                for a, b in zip(p.bodies[0].rate, numbers(good["state"])[22:25]):
                    self.assertAlmostEqual(a, b, delta=1e-15)
            else:
                self.assertEqual(struct.pack(f"<{len(again)}d", *again).hex(), "".join(lines), name)
        for name, lines in bad.items():
            self.assertIsNone(rsp_client.decoded(numbers(lines)), name)

    def test_runs_begin_when_the_equations_say(self):
        said = self.by_c(["start " + " ".join(map(str, s)) for s in STARTS])
        for (given, expected), text in zip(STARTS.items(), said):
            now, initial, ns, parts, over, under, home, target, nu, of = given
            self.assertEqual(rsp_client.start_of_run(now, initial, (ns, parts), (nu, of), over, under, (home, target)), expected, given)
            self.assertEqual(tuple(map(int, text.split())), expected, given)

    def test_steps_keep_to_the_servers_clock(self):
        """50 ppm are 5 us in each step of 0.1 s; a clock that is heard of late, or is another server's, makes no jump."""
        expected = [0] * 10 + [5000 * (k - 10) for k in range(10, 500)] + [5000 * (k - 11) for k in range(500, 1000)]
        self.assertEqual(list(map(int, self.by_c(["grid"])[0].split())), expected)
        link = scp_client.Client(period=(100_000_000, 1))
        said = []
        for k in range(1000):
            link.up, link.session = k >= 10, 7 if k < 500 else 8
            link.offset = ((123456789 if k < 500 else -987654321) + 5000 * k) if k >= 10 else None
            said.append(link.due(1000, k) - 1000 - 100_000_000 * k)
        self.assertEqual(said, expected)

    def test_the_reason_of_a_halt_is_told_once(self):
        link = types.SimpleNamespace(up=True, session=1, period=(10**8, 1), over=1, under=1, reference=(0, 0), counts=(38, 38), send=lambda v: None)
        body = rsp_client.Body((0.0,) * 3, (0.0,) * 3, (1.0, 0.0, 0.0, 0.0), (0.0,) * 3)
        def feedback(run, state, reason=0.0):
            return rsp_client.encoded(rsp_client.FEEDBACK, run.run, 0, arguments=(state, 0.0, 0.0, 0.0, 0.0, reason))
        for halted_comes in (True, False):
            notes = []
            run = rsp_client.Run(link, 2, note=notes.append)
            run.begin(0)
            run.take(rsp_client.encoded(rsp_client.READY, 0, 0))
            run.send([body, body])
            run.take(rsp_client.encoded(rsp_client.INIT_ACK, run.run, 0))
            self.assertEqual(run.state, rsp_client.COUNTING)
            if not halted_comes:  # a newer packet replaced it
                run.take(feedback(run, 5.0, 3.0))
                run.take(feedback(run, 5.0, 3.0))
                run.take(feedback(run, 1.0))
            else:
                run.take(rsp_client.encoded(rsp_client.HALTED, run.run, 0, arguments=(3.0,)))
            self.assertEqual(run.state, rsp_client.WAITING)
            self.assertEqual(notes.count("the facility ends the run: no command came for too long"), 1, notes)

    def test_reference_axes_are_turned(self):
        q = (math.cos(0.3), math.sin(0.3), 0.0, 0.0)  # 0.6 rad about x: y of the reference is cos y - sin z of the body
        for a, b in zip(rsp_client.turned(q, (0.0, 1.0, 0.0)), (0.0, math.cos(0.6), -math.sin(0.6))):
            self.assertAlmostEqual(a, b, delta=1e-15)


class Runs(unittest.TestCase):
    def experiment(self, client, more, until=None):
        """What the client said, and what the facility reports. It ends after the client, or when it has said something itself."""
        control, data = free_ports()
        # a machine that stands still for a while loses no link
        facility = Run(SOURCE / "examples/rsp/facility.xml", "--rt", "--until", "3600s", "--set", f"simulator.listen=127.0.0.1:{control}",
                       "--set", f"simulator.data=127.0.0.1:{data}", "--set", "simulator.timeout=60s")
        try:
            facility.wait_for("  ready ")
            peer = subprocess.Popen([*CLIENTS[client], f"127.0.0.1:{control}", "--data", str(data), *more], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            if until:
                facility.wait_for(until)
                facility.end()
            out, err = peer.communicate(timeout=PATIENCE)
        finally:
            _, text = facility.end()
        return subprocess.CompletedProcess(peer.args, peer.returncode, out, err), {**reports(text), "said": text}

    @staticmethod
    def unless_in_time(client, done, there):
        """Raises Late when one of both says that a command or an answer came too late."""
        if there["late commands"] + there["extrapolated"] > 0 or "missed steps" in there["said"] or "would begin too soon" in there["said"] or "no answer to the initialization" in done.stderr or \
                "(8)" in done.stderr:
            raise Late(f"{client}: {done.stderr} {done.stdout} {there['said']}")

    def moves(self, client, more):
        done, there = self.experiment(client, more)
        if done.returncode != 0:
            self.unless_in_time(client, done, there)
        self.assertEqual(done.returncode, 0, (client, done.stderr, there))
        said = json.loads(done.stdout)
        self.assertTrue(said["ended"])
        self.assertEqual(said["malformed"], 0, client)
        self.assertGreaterEqual(said["runs"], 1)
        self.assertGreaterEqual(there["runs"], 1)
        # 0.1 cos 0.4 t: the facility is where the simulation began, and goes no farther
        self.assertLess(said["farthest"], 0.11)
        if said["refused"] or there["refused"] or said["commands"] <= 10 or said["farthest"] < 0.09:
            self.unless_in_time(client, done, there)
        self.assertEqual((said["refused"], there["refused"]), (0, 0), (client, done.stderr))
        self.assertGreater(said["commands"], 10)
        self.assertAlmostEqual(said["farthest"], 0.1, delta=0.01)

    def test_both_make_a_facility_move(self):
        cases = [(client, more) for client in CLIENTS for more in (["--initial", "4", "--duration", "2"],
                                                                   ["--initial", "4", "--duration", "2", "--rate", "7", "--forerun", "0.8"])]
        with concurrent.futures.ThreadPoolExecutor() as pool:
            for done in [pool.submit(unless_late, lambda c=case: self.moves(*c)) for case in cases]:
                done.result()

    def refused(self, client):
        # a tenth of a metre in 1.3 s wants more jerk than is allowed: the client asks again, until the facility ends
        done, there = self.experiment(client, ["--initial", "1.3", "--duration", "1", "--forerun", "0"], "no run: the way exceeds the limit of jerk")
        self.assertEqual(done.returncode, 1, (client, done.stdout))
        self.assertGreaterEqual(there["refused"], 1, (client, done.stderr))
        self.assertIn("(1)", done.stderr)

    def test_both_are_told_that_a_way_is_too_fast(self):
        with concurrent.futures.ThreadPoolExecutor() as pool:
            for done in [pool.submit(self.refused, client) for client in CLIENTS]:
                done.result()


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]])
