#!/usr/bin/env python3
"""Runs on several nodes that are asked and steered through the servers of their nodes, from computers that do not see their folders.

usage: control_test.py <vernier> <source tree> [<unittest argument>...]
"""
import json
import os
import re
import signal
import subprocess
import sys
import unittest

from on_nodes import PATIENCE, SOURCE, WithNodes, kill, wait_until

HERE = "nodes/parts-0001"


class Controlled(WithNodes):
    def at(self, server, *words, status=0):
        """What a command answers through a server."""
        done = self.vernier(*words, "--server", server.address, status=status)
        return done.stdout.strip() if status == 0 else done.stderr

    def here(self, *words):
        """The same through the folder of the run."""
        named = ("--run", HERE) if words[0] in ("set", "send", "watch", "step", "rate", "mark", "move", "nodes") else (HERE,)
        return self.vernier(*words, *named).stdout.strip()

    def known(self, *servers, name="parts-0001"):
        """Until the servers know the run."""
        for server in servers:
            server.wait_for(f"^{re.escape(name)} of .* can be asked here")

    def gone(self, server, name="parts-0001"):
        server.wait_for(f"^{re.escape(name)} can be asked no more")

    def both(self, *words):
        servers = [self.server(), self.server()]
        run = self.run_on(",".join(s.address for s in servers), "--rate", "100", *words)
        self.known(*servers)
        return servers, run

    def one(self, *words):
        server = self.server(*words)
        run = self.run_on(server.address, "--rate", "100", *words)
        self.known(server)
        return server, run


class Commands(Controlled):
    def test_every_command_does_the_same_through_any_server(self):
        (first, second), run = self.both()
        self.assertRegex(self.at(first, "status"), r"^parts-0001 · running · t = ")
        self.assertRegex(self.at(second, "freeze"), r"^parts-0001 · ")
        time = lambda said: float(re.search(r"t = (\S+) s", said)[1])  # noqa: E731
        reached = time(self.at(first, "step"))  # where it stands
        self.assertIn("frozen", self.here("status"))
        for words in (["status"], ["nodes"], ["watch", "a.*", "craft.omega", "--json", "--count", "1"], ["watch", "relay.y", "--count", "1"]):
            answers = {self.here(*words), self.at(first, *words), self.at(second, *words)}
            self.assertEqual(len(answers), 1, answers)
        self.assertAlmostEqual(time(self.at(second, "step", "3")), reached + 0.03, 6)
        self.assertEqual(self.at(second, "status"), self.here("status"))
        # values of the next tick
        self.assertRegex(self.at(first, "set", "b.u=0.25"), r"^b\.u set at t = ")
        self.assertEqual(json.loads(self.at(second, "watch", "b.u", "--json", "--count", "1"))["signals"], {"b.u": [0.25]})
        self.assertRegex(self.at(second, "set", "--release", "b.u"), r"^b\.u released at t = ")
        self.assertRegex(self.at(first, "send", "count.on"), r"^count\.on sent at t = ")
        self.assertRegex(self.at(second, "mark", "the cable", "is pulled"), r"^marked at t = ")
        file = self.at(first, "checkpoint")
        self.assertTrue((self.folder / file).is_file(), file)
        self.assertRegex(self.at(second, "rate", "50"), r"^50 × real time from t = ")
        self.assertRegex(self.at(first, "move", "craft", second.address), f"^craft continues on {second.address} at t = ")
        self.assertRegex(self.at(second, "nodes"), rf"(?m)^ *{second.address} .*\bcraft\b")
        self.assertRegex(self.at(second, "resume"), r"^parts-0001 · ")
        wait_until(lambda: "running" in self.at(first, "status"), "the run")
        # refusals are those of the run
        for words in (["set", "b.nothing=1"], ["send", "b.nothing"], ["rate", "0"], ["watch", "nothing", "--count", "1"], ["move", "b", "nowhere"]):
            local = self.vernier(*words, "--run", HERE, status=2).stderr
            self.assertIn("error[V", local)
            self.assertEqual(self.at(first, *words, status=2), local)
        self.assertRegex(self.at(first, "stop"), r"^parts-0001 · ")
        self.assertEqual(run.status(), 130, run.said())
        self.assertIn("the cable is pulled", (self.folder / HERE / "events.csv").read_text())
        # the run is over
        self.gone(first)
        self.assertIn(f"error[V5661]: {first.address}: the server knows no active run", self.at(first, "status", status=2))
        for words in (["status"], ["set", "b.u=1"], ["nodes"]):
            self.assertIn("error[V5661]", self.at(second, *words, status=2))
        # and what was done can be repeated
        self.vernier("run", HERE, "--quiet", "--out", "again", "--until", re.search(r"interrupted at t = (\S+ s)", run.said())[1].replace(" ", ""))
        events = self.folder / HERE / "events.csv"
        events.write_text("".join(line for line in events.read_text().splitlines(True) if ",user,mark," not in line))  # a mark is not repeated
        self.expect_same("again/parts-0001", HERE)

    def test_a_watch_ends_with_the_run(self):
        (first, _), run = self.both()
        watch = self.start("watch", "a.y", "--every", "10ms", "--server", first.address)
        self.assertIn("a.y", watch.stdout.readline())
        kill(run.process.pid, signal.SIGINT)
        said = watch.stdout.read()
        self.assertEqual(watch.wait(PATIENCE), 0, watch.stderr.read())
        self.assertIn("the run is over", said)

    def test_a_run_that_is_rewound_is_known_by_its_new_name(self):
        (first, second), run = self.both()
        self.assertEqual(self.at(first, "rewind", "0s"), "continues from the start in a new run")
        self.known(first, second, name="parts-0002")
        for server in (first, second):
            self.assertRegex(self.at(server, "status", "parts-0002"), "^parts-0002 · ")
        self.at(second, "stop", "parts-0002")
        self.assertEqual(run.status(), 130, run.said())

    def test_runs_of_one_server_have_names(self):
        server = self.server("--runs", "4")
        names = ["parts-0001", "parts-0001.2"]
        one = self.run_on(f"{server.address},local", "--rate", "100")
        self.known(server, name=names[0])
        two = self.run_on(server.address, "--rate", "100", out="others")
        self.known(server, name=names[1])
        self.assertIn(f"error[V5660]: {server.address}: the server knows 2 active runs", said := self.at(server, "status", status=2))
        self.assertIn(f"name one of them: {', '.join(names)}", said)
        self.assertIn("did you mean parts-0001?", self.at(server, "status", "part-0001", status=2))
        listed = self.vernier("nodes", "--on", server.address).stdout.split("\n\n")[1]
        self.assertEqual([(line.split()[0], line.split()[-2]) for line in listed.splitlines()[1:]], [(name, "1") for name in names])
        (about,) = json.loads(self.vernier("nodes", "--on", server.address, "--json").stdout)
        self.assertEqual([(r["run"], r["executors"]) for r in about["active"]], [(name, 1) for name in names])
        self.at(server, "stop", "--run", names[1])
        self.assertEqual(two.status(), 130)
        self.gone(server, names[1])
        self.assertFalse(one.over())
        self.at(server, "stop")  # there is only one
        self.assertEqual(one.status(), 130)

    def test_on_the_own_computer_nothing_needs_to_be_said(self):
        server, run = self.one()
        self.assertIn("parts-0001", self.vernier("status", "--server", f"localhost:{server.port}").stdout)
        self.end(run)


class Proved(Controlled):
    def test_only_who_has_the_key_can_ask(self):
        right, wrong = self.key_file(), self.key_file("wrong.key")
        server, run = self.one("--key", right)
        self.assertIn("parts-0001", self.at(server, "status", "--key", right))
        for words in (["status"], ["stop", "--key", wrong], ["set", "b.u=1", "--key", wrong], ["nodes", "--key", wrong]):
            self.assertIn(f"error[V5632]: {server.address}", self.at(server, *words, status=2))
        self.assertIn("--key", self.vernier("status", HERE, "--key", right, status=2).stderr)  # without a server it means nothing
        self.end(run)

    def test_tls_and_real_time(self):
        def openssl(*words):
            subprocess.run(["openssl", *words], cwd=self.folder, check=True, capture_output=True)
        new = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
        openssl("req", "-x509", *new, "-keyout", "ca.key", "-out", "ca.pem", "-days", "2", "-subj", "/CN=lab")
        openssl("req", *new, "-keyout", "node.key", "-out", "node.csr", "-subj", "/CN=node")
        (self.folder / "names").write_text("subjectAltName=IP:127.0.0.1")
        openssl("x509", "-req", "-in", "node.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-days", "2", "-extfile", "names", "-out", "node.pem")
        files = ("--certificate", "node.pem", "--private-key", "node.key", "--authorities", "ca.pem")
        server = self.server(*files)
        run = self.run_on(f"{server.address},local", "--rt", *files)
        self.known(server)
        self.assertIn("warning[V4111]: the nodes exchange values by TLS (127.0.0.1), which allocates memory in each frame: it may make frames late", run.said())
        for _ in range(20):
            self.assertRegex(self.at(server, "status", *files), "^parts-0001 · running · t = ")
        self.assertIn("error[V56", self.at(server, "status", status=2))  # in the clear
        self.at(server, "stop", *files)
        self.assertEqual(run.status(), 130, run.said())
        self.assertNotIn("V5664", run.said())


class Restarted(Controlled):
    def test_a_server_that_comes_back_knows_the_run_again(self):
        (first, second), run = self.both("--keep-every", "100")
        self.assertIn("parts-0001", self.at(first, "status"))
        first.end(signal.SIGKILL)
        run.wait_for(r"warning\[V5602\]")
        self.assertIn("parts-0001", self.at(second, "status"))
        self.assertIn("error[V5631]", self.at(first, "status", status=2))
        again = self.server("--listen", first.address)
        self.known(again)
        self.assertIn("parts-0001", self.at(again, "status"))
        (about,) = json.loads(self.vernier("nodes", "--on", again.address, "--json").stdout)
        self.assertEqual([(r["run"], r["executors"]) for r in about["active"]], [("parts-0001", 1)])
        self.end(run)
        self.assertIn("error[V5661]", self.at(again, "status", status=2))


class PlugIns(Controlled):
    """A server runs native code only if its owner trusts it."""

    def setUp(self):
        super().setUp()
        subprocess.run([os.environ.get("CC", "cc"), "-std=gnu11", "-shared", "-fPIC", "-I", SOURCE / "vernier/gateway/plugin", "-o", self.folder / "code.so",
                        SOURCE / "examples/plugin/lowpass.c", "-lm"], check=True, timeout=PATIENCE)
        (self.folder / "filter.xml").write_text("""<ioconnector name="filter" version="1" adapter="plugin">
          <inputs><input name="in" unit="V" size="3" default="0"/></inputs>
          <outputs><output name="filtered" unit="V" size="3"/><output name="difference" unit="V" size="3"/></outputs>
          <parameter name="file">code.so</parameter><parameter name="config">tau=0.5 size=3</parameter></ioconnector>""")
        (self.folder / "plugin.xml").write_text("""<interconnection name="plugin" version="1"><connector id="filter" file="filter.xml"/>
          <stimulus at="0.3 s" input="filter.in" value="1 2 -3"/><run stop="5 s" step="100 ms"/><record signals="*"/></interconnection>""")

    def test_the_owner_of_a_server_decides_what_runs_there(self):
        careful, trusting = self.server(), self.server("--trust", "code.so")
        said = self.vernier("run", "plugin.xml", "--trust", "code.so", "--on", careful.address, status=2).stderr
        self.assertIn("code.so is native code that the owner of this node has not trusted", said)
        self.assertIn("on node 127.0.0.1", said)
        self.assertIn("vernier server --trust FILE", said)
        self.assertIn("nothing was run", said)
        self.assertFalse((self.folder / "runs").exists())
        self.vernier("run", "plugin.xml", "--trust", "code.so", "--quiet", "--on", trusting.address)
        self.vernier("run", "plugin.xml", "--trust", "code.so", "--quiet", "--out", "alone")
        found = json.loads(self.vernier("compare", "runs/plugin-0001", "alone/plugin-0001", "--json").stdout)["signals"]
        self.assertEqual({s["signal"] for s in found}, {"ext.filter.in", "filter.filtered", "filter.difference"})
        for s in found:
            self.assertEqual((s["only_a"], s["only_b"], s["largest"]), (0, 0, 0), s["signal"])


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
