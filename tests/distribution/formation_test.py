#!/usr/bin/env python3
"""missions/formation and AAUSAT-II in one process, in several, and at servers; with processes killed, parts moved and servers drained meanwhile.
The oracle is one process: the same recorded bits, events and state at the end.

usage: formation_test.py <vernier> <source tree> [<unittest argument>...]
"""
import csv
import json
import math
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "server"))
from server_test import PATIENCE, VERNIER, Server, WithServers  # noqa: E402
from in_a_folder import SOURCE, wait_until  # noqa: E402

FORMATION = SOURCE / "missions/formation/formation.xml"
WHOLE, UNTIL = "14000s", "4500s"  # all of the mission; with its first orbit and the first time in the shadow
KEEP = 100  # ticks, so that at most 50 s are computed again
FAST = "1000000"  # × real time: as fast as it can be


class Meanwhile:
    """A run by the clock, to which something is done. It ends within a test because it is told to hurry."""

    def __init__(self, test, document, *words, within=()):
        self.test, out = test, test.folder / "divided"
        self.process = subprocess.Popen([*within, VERNIER, "run", document, "--out", out, "--rate", test.slowly, "--keep-every", str(KEEP), *map(str, words)],
                                        cwd=test.folder, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        test.addCleanup(self.close)
        self.folder = wait_until(self.started, "the control socket")

    def started(self):
        if self.process.poll() is not None:
            raise AssertionError("the run ended at once:\n" + "".join(self.process.communicate()))
        return next((f.parent for f in self.test.folder.glob("divided/*-0001/control")), None)

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate()

    def ask(self, line):
        # the name of a socket may have 107 bytes: from the folder it is short
        with socket.socket(socket.AF_UNIX) as s:
            s.settimeout(PATIENCE)
            here = os.open(self.folder, os.O_PATH)
            try:
                s.connect(f"/proc/self/fd/{here}/control")
            finally:
                os.close(here)
            s.sendall(line.encode() + b"\n")
            answer = b""
            while part := s.recv(65536):
                answer += part
        answer = answer.decode().strip()
        self.test.assertFalse(answer.startswith("refused"), answer)
        return answer

    def time(self):
        return json.loads(self.ask("state"))["time"]

    def comes_to(self, t):
        wait_until(lambda: self.time() > t, f"t = {t} s")

    def parts(self):
        """By node."""
        return {node: [p for p in parts.split(", ") if p != "nothing"]
                for node, _, parts in (one.partition(": ") for one in self.ask("nodes").split("; "))}

    def executors(self):
        return children(self.process.pid)

    def hurry(self):
        """What it says on standard error until its end."""
        self.ask(f"rate {FAST}")
        out, err = self.process.communicate(timeout=PATIENCE)
        self.test.assertEqual(self.process.returncode, 0, out + err)
        return err


def children(parent):
    """Executors that a process has started."""
    found = []
    for status in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            if int(status.read_text().rpartition(")")[2].split()[1]) == parent and b"executor" in (status.parent / "cmdline").read_bytes():
                found.append(int(status.parent.name))
        except (OSError, IndexError):
            pass  # it has ended meanwhile
    return sorted(found)


class Compared(WithServers):
    document, until = FORMATION, UNTIL
    slowly = "35"  # × real time: two minutes to do things meanwhile

    def oracle(self):
        """The run in one process."""
        return self.run_of("one")

    def run_of(self, name, *words, status=0):
        done = subprocess.run([VERNIER, "run", self.document, "--out", self.folder / name, "--quiet", *(() if "--until" in words else self.ends()), *map(str, words)], cwd=self.folder,
                              text=True, capture_output=True, timeout=PATIENCE)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return self.folder / done.stdout.strip()

    def ends(self):
        return "--until", self.until, "--checkpoint-every", self.until

    def server_of(self, name, *words, within=()):
        """One with files of its own, as on another computer."""
        folder = self.folder / f"server-{name}"
        folder.mkdir()
        server = Server(folder, "--runs", "4", *words, within=within)
        self.addCleanup(server.close)
        return server

    def meanwhile(self, *words, within=()):
        return Meanwhile(self, self.document, *self.ends(), *words, within=within)

    def assert_same(self, run):
        one = self.oracle()
        self.vernier("compare", one, run)
        self.assertEqual((one / "events.csv").read_bytes(), (run / "events.csv").read_bytes())
        states = [sorted((r / "checkpoints").iterdir())[-1] for r in (one, run)]
        self.assertEqual(states[0].name, states[1].name)
        self.assertEqual(states[0].read_bytes(), states[1].read_bytes(), "the states at the end differ")

    def table(self, run, *signals, every):
        text = self.vernier("export", run, *signals, "--every", every, "--format", "csv").stdout
        rows = list(csv.reader(line for line in text.splitlines() if not line.startswith("#")))
        return [[float(x) for x in row] for row in rows[1:]]


class Mission(Compared):
    until = WHOLE
    N = math.sqrt(3.986004418e14 / 6878137.0**3)
    START = (40.0, -90.0, 25.0), (0.03, -0.05, 0.02)

    def closed(self, t):
        """Clohessy and Wiltshire, 1960: free motion near a circular orbit."""
        (x, y, z), (u, v, w) = self.START
        n, s, c = self.N, math.sin(self.N * t), math.cos(self.N * t)
        return ((4 - 3 * c) * x + s / n * u + 2 / n * (1 - c) * v,
                6 * (s - n * t) * x + y - 2 / n * (1 - c) * u + (4 * s - 3 * n * t) / n * v,
                c * z + s / n * w)

    def test_free_drift_is_that_of_clohessy_and_wiltshire(self):
        start = ["{} {} {}".format(*s) for s in self.START]
        free = {"b.craft.r": start[0], "b.craft.v": start[1], "b.craft.drag": "0.011", "leader.settle": "20000"}
        run = self.run_of("free", *(w for name, value in free.items() for w in ("--set", f"{name}={value}")), "--on", "local:4", "--record", "b.craft.*",
                          status=3)  # it is nowhere near its place
        rows = self.table(run, "b.craft.position", "b.craft.delta_v", every="100s")
        self.assertEqual(len(rows), 141)
        drift = max(math.hypot(*row[1:4]) for row in rows)
        self.assertGreater(drift, 1000)  # m: it is not a test of small numbers
        for row in rows:
            self.assertLess(math.dist(row[1:4], self.closed(row[0])), 1e-7 * drift, row)  # n is given to ten digits
            self.assertEqual(row[4], 0.0)

    def test_drifts_expands_and_keeps_the_circle(self):
        done = json.loads(self.vernier("run", FORMATION, "--on", "local:4", "--json", "--no-record").stdout)
        self.assertTrue(all(c["kept"] for c in done["checks"]) and len(done["checks"]) == 5, done["checks"])
        spent = {r["name"]: r["value"] for r in done["reports"]}
        # growing the circle from 250 to 500 m takes at least the impulses across the track: n times 250 m for each
        self.assertGreater(spent["velocity spent by all"], 3 * self.N * 250)
        self.assertAlmostEqual(spent["velocity spent by all"], sum(spent[f"velocity spent by {k}"] for k in "bcd"), delta=1e-9)


class Divided(Compared):
    def listed(self, servers):
        return ",".join(s.address for s in servers)

    def test_processes_give_the_bits_of_one(self):
        self.assert_same(self.run_of("four", "--on", "local:4"))
        (self.folder / "two.xml").write_text('<nodes version="1"><node name="truth" local="yes"/><node name="software" local="yes"/>'
                                             '<place part="*.craft" node="truth"/><place part="*" node="software"/></nodes>')
        self.assert_same(self.run_of("two", "--on", "two.xml"))

    def test_servers_give_the_bits_of_one(self):
        servers = [self.server_of(str(k), "--listen", "127.0.0.1:0") for k in range(4)]
        self.assert_same(self.run_of("servers", "--on", self.listed(servers)))
        for s in servers:
            s.wait_for("has ended")

    def test_a_checkpoint_of_some_continues_on_others(self):
        half = str(float(UNTIL[:-1]) / 2) + "s"
        begin = ("--until", half, "--checkpoint-every", half)
        last = lambda run: sorted((run / "checkpoints").iterdir())[-1]  # noqa: E731
        end = last(self.oracle()).read_bytes()
        for name, first, then in (("scattered", ("--on", "local:4"), ()), ("gathered", (), ("--on", "local:4"))):
            middle = last(self.run_of(name, *first, *begin))
            self.assertEqual(last(self.run_of(f"{name}-on", *then, "--from", middle)).read_bytes(), end, name)

    def test_a_nodes_document_gives_the_bits_of_one(self):
        key = self.key_file()
        servers = [self.server_of(name, "--key", key, "--listen", "127.0.0.1:0") for name in ("one", "other")]
        (self.folder / "nodes.xml").write_text(
            f'<nodes version="1" key="{key.name}"><node name="desk" local="yes"/><node name="a" address="{servers[0].address}"/>'
            f'<node name="b" address="{servers[1].address}"/><place part="c.*" node="desk"/><place part="d.craft" node="a"/><place part="d.*" node="b"/></nodes>')
        shown = self.vernier("nodes", "--on", "nodes.xml").stdout.splitlines()
        self.assertEqual([line.split()[0] for line in shown[1:]], [s.address for s in servers])
        self.assert_same(self.run_of("by-document", "--on", "nodes.xml"))
        for s in servers:
            s.wait_for(r"runs in process \d+")


    def certificates(self, *addresses):
        """An authority, and a certificate of it for each address."""
        def openssl(*words):
            subprocess.run(["openssl", *words], cwd=self.folder, check=True, capture_output=True)
        new = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
        openssl("req", "-x509", *new, "-keyout", "ca.key", "-out", "ca.pem", "-days", "2", "-subj", "/CN=lab")
        for a in addresses:
            openssl("req", *new, "-keyout", f"{a}.key", "-out", f"{a}.csr", "-subj", f"/CN={a}")
            (self.folder / "names").write_text(f"subjectAltName=IP:{a}")
            openssl("x509", "-req", "-in", f"{a}.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-days", "2", "-extfile", "names", "-out", f"{a}.pem")

    def secret(self, here, there):
        """A nodes document with certificates, and a server; some nodes are here."""
        folder = self.folder
        server = self.server_of("secret", "--listen", f"{there}:0", "--certificate", folder / f"{there}.pem", "--private-key", folder / f"{there}.key",
                                "--authorities", folder / "ca.pem")
        (folder / "secret.xml").write_text(
            f'<nodes version="1" certificate="{here}.pem" certificate_key="{here}.key" authorities="ca.pem"><node name="a" local="yes"/>'
            f'<node name="b" address="{server.address}"/><node name="c" address="{server.address}"/><node name="d" local="yes"/></nodes>')

    def test_certificates_protect_nodes_here_and_elsewhere(self):
        self.certificates("127.0.0.1", "127.0.0.2")
        self.secret("127.0.0.1", "127.0.0.2")
        self.assert_same(self.run_of("secret", "--on", "secret.xml"))

    def test_nodes_that_cannot_meet_are_named(self):
        self.certificates("127.0.0.3", "127.0.0.2")  # nodes here are at 127.0.0.1
        self.secret("127.0.0.3", "127.0.0.2")
        done = self.vernier("run", FORMATION, "--on", "secret.xml", status=2)
        self.assertRegex(done.stderr, r"error\[V5603\]: node \w: node \d was not met")


class Disturbed(Compared):
    def test_an_executor_that_is_killed_changes_nothing(self):
        self.lost_by(signal.SIGKILL)

    def test_an_executor_that_stands_still_changes_nothing(self):
        self.lost_by(signal.SIGSTOP)

    def lost_by(self, number):
        run = self.meanwhile("--on", "local:4")
        run.comes_to(100)
        everything = run.parts()
        old = run.executors()
        self.assertEqual(len(old), 4)
        os.kill(old[1], number)
        wait_until(lambda: len(set(run.executors()) - set(old)) == 1, "an executor in its place")
        wait_until(lambda: run.parts() == everything, "all parts at their nodes again")
        self.assertIn("V5602", run.hurry())
        self.assert_same(run.folder)

    def test_a_part_that_is_moved_changes_nothing(self):
        run = self.meanwhile("--on", "local:4")
        run.comes_to(100)
        for part, node in (("b.craft", "node4"), ("leader", "node2"), ("b.craft", "node1"), ("island environment", "node3")):
            self.vernier("move", part, node, "--run", run.folder)
            self.assertIn(part, run.parts()[node])
        shown = self.vernier("nodes", "--run", run.folder).stdout.splitlines()
        self.assertEqual([line.split(maxsplit=1) for line in shown], [[node, ", ".join(parts)] for node, parts in run.parts().items()])
        self.assertNotIn("V5602", run.hurry())
        self.assert_same(run.folder)

    def test_a_server_that_drains_changes_nothing(self):
        servers = [self.server_of(str(k), "--listen", "127.0.0.1:0") for k in range(4)]
        run = self.meanwhile("--on", ",".join(s.address for s in servers))
        run.comes_to(100)
        self.assertEqual(servers[2].end(signal.SIGTERM), 0)
        servers[2].wait_for("the server has ended")
        self.assertNotIn(servers[2].address, [node for node, parts in run.parts().items() if parts])
        run.comes_to(run.time() + 100)
        run.hurry()
        self.assert_same(run.folder)

    def test_a_server_that_is_killed_changes_nothing(self):
        servers = [self.server_of(str(k), "--listen", "127.0.0.1:0") for k in range(4)]
        run = self.meanwhile("--on", ",".join(s.address for s in servers))
        run.comes_to(100)
        servers[0].end(signal.SIGKILL)
        wait_until(lambda: not run.parts().get(servers[0].address), "parts elsewhere")
        self.assertIn("V5602", run.hurry())
        self.assert_same(run.folder)


class Computers(Compared):
    """Four servers, each with a network of its own behind a bridge where the machine permits it, else with an address of its own."""

    def computers(self):
        """(what begins the command of a program there, its address), first that of the run itself."""
        names = ["desk", "a", "b", "c", "d"]
        if os.geteuid() != 0 or shutil.which("ip") is None or subprocess.run(["unshare", "-n", "true"], capture_output=True).returncode != 0:
            return [((), f"127.0.0.{k + 1}") for k in range(len(names))]
        pids = []
        for _ in names:
            # a network lives as long as the process in it
            holder = subprocess.Popen(["unshare", "-n", "sh", "-c", "echo; exec sleep infinity"], stdout=subprocess.PIPE)
            self.addCleanup(holder.communicate)
            self.addCleanup(holder.kill)
            holder.stdout.readline()
            pids.append(str(holder.pid))

        def ip(k, *words):
            subprocess.run(["nsenter", "-t", pids[k], "-n", "ip", *words], check=True)
        ip(0, "link", "add", "bridge", "type", "bridge")
        ip(0, "addr", "add", "10.77.0.1/24", "dev", "bridge")
        ip(0, "link", "set", "bridge", "up")
        for k, pid in enumerate(pids):
            ip(k, "link", "set", "lo", "up")
            if k == 0:
                continue
            ip(0, "link", "add", f"to{k}", "type", "veth", "peer", "name", "lan", "netns", pid)
            ip(0, "link", "set", f"to{k}", "master", "bridge", "up")
            ip(k, "addr", "add", f"10.77.0.{k + 1}/24", "dev", "lan")
            ip(k, "link", "set", "lan", "up")
        return [(("nsenter", "-t", pid, "-n"), f"10.77.0.{k + 1}") for k, pid in enumerate(pids)]

    def test_one_killed_and_one_moved_change_nothing(self):
        key = self.key_file()
        (desk, _), *others = self.computers()
        servers = []
        for within, address in others:
            servers.append(self.server_of(address, "--listen", f"{address}:0", "--key", key, within=within))
        (self.folder / "nodes.xml").write_text(f'<nodes version="1" key="{key.name}">' + "".join(
            f'<node name="{name}" address="{s.address}"/>' for name, s in zip("abcd", servers)) + "</nodes>")
        run = self.meanwhile("--on", "nodes.xml", within=desk)
        run.comes_to(100)
        everything = run.parts()
        self.assertEqual({node: {p.split(".")[0] for p in parts} for node, parts in everything.items() if node != "a"}, {k: {k} for k in "bcd"})
        (victim,) = children(servers[1].process.pid)
        os.kill(victim, signal.SIGKILL)
        wait_until(lambda: children(servers[1].process.pid) not in ([], [victim]), "another executor in its place")
        wait_until(lambda: run.parts() == everything, "all parts at their nodes again")
        self.vernier("move", "c.craft", "d", "--run", run.folder)
        self.assertIn("c.craft", run.parts()["d"])
        self.assertIn("V5602", run.hurry())
        self.assert_same(run.folder)


class Aausat2(Compared):
    document, until, slowly = SOURCE / "missions/aausat2/three_nodes.xml", "300s", "3"  # it switches at 238 s

    def figures(self, run):
        """12 to 15 of the paper, as they are drawn."""
        self.vernier("plot", run, "--figures")
        drawn = {f.name: f.read_bytes() for f in run.rglob("*.svg")}
        self.assertEqual(sorted(drawn), [f"figure{k}.svg" for k in range(12, 16)])
        return drawn

    def test_three_nodes_draw_the_figures_of_one(self):
        one = self.run_of("drawn")
        servers = [self.server_of(str(k), "--listen", "127.0.0.1:0") for k in range(3)]
        for name, on in (("processes", "local:3"), ("servers", ",".join(s.address for s in servers))):
            run = self.run_of(name, "--on", on)
            self.assert_same(run)
            self.assertEqual(self.figures(one), self.figures(run))

    def test_three_nodes_that_are_disturbed_draw_them_too(self):
        run = self.meanwhile("--on", "local:3")
        run.comes_to(5)
        os.kill(run.executors()[0], signal.SIGKILL)
        self.vernier("move", "magnetometer", "node3", "--run", run.folder)
        self.assertIn("V5602", run.hurry())
        self.assert_same(run.folder)

    def test_they_are_those_of_the_undivided_satellite(self):
        """But for values that are exchanged every 10 ms: the switch is less than 1 ms off."""
        switch = next(e for e in csv.DictReader((self.run_of("divided", "--on", "local:3") / "events.csv").read_text().splitlines()) if e["to"] == "Pointing")
        self.assertAlmostEqual(float(switch["time"]), 238.12447, delta=1e-3)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
