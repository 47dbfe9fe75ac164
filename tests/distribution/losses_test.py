#!/usr/bin/env python3
"""Executors, servers and composers that are killed, stopped and interrupted while a document runs on several nodes: no event and no bit changes.

usage: losses_test.py <vernier> <source tree> [<unittest argument>...]
"""
import random
import re
import signal
import sys
import unittest

from on_nodes import VERNIER, WithNodes, children, kill, lives, wait_until

CONTINUES = r"warning\[V5602\]"


class Killed(WithNodes):
    def disturb(self, run, servers, nodes, *numbers):
        """Kills so many of the executors at once, each time when all are there again."""
        choose = random.Random(len(numbers))
        for done, number in enumerate(numbers):
            executors = self.executors(run, servers, nodes)
            wait_until(lambda: "nothing" not in self.ask("nodes"), "parts of all nodes")
            for pid in choose.sample(executors, number):
                self.assertTrue(kill(pid))
            run.wait_for(CONTINUES, done + 1)
        self.end(run)
        wait_until(lambda: not any(map(lives, executors)), "their end")

    def test_processes_of_this_computer(self):
        self.disturb(self.run_on("local:3", "--rate", "300"), [], 3, 1, 1, 2, 1, 3)

    def test_processes_that_run_as_fast_as_they_can(self):
        self.disturb(self.run_on("local:3"), [], 3, 1, 2, 3)

    def test_processes_of_servers(self):
        servers = [self.server(), self.server()]
        run = self.run_on(",".join(s.address for s in servers), "--rate", "300")
        self.disturb(run, servers, 2, 1, 1, 2, 1)

    def test_a_server_that_comes_back_gets_its_parts_back(self):
        first, second = self.server(), self.server()
        run = self.run_on(f"{first.address},{second.address}", "--rate", "300")
        first.end(signal.SIGKILL)
        run.wait_for(CONTINUES)
        again = self.server("--listen", first.address)
        wait_until(lambda: not re.search(f"{first.address}: nothing", self.ask("nodes")), "its parts")
        self.executors(run, [again], 1)
        self.end(run)


class Replicated(WithNodes):
    """All parts run on two nodes, so nothing is computed again when one of them is lost."""

    def setUp(self):
        super().setUp()
        document = self.folder / "parts.xml"
        document.write_text(re.sub(r'(<(?:system|component) id="\w+")', r'\1 replicas="2"', document.read_text()))

    def all_are_there(self):
        nodes = self.ask("nodes")
        return all(len(re.findall(rf"\b{part}\b", nodes)) == 2 for part in ("relay", "count", "late", "craft", "gyro"))

    def disturb(self, run, servers, nodes, kills):
        choose = random.Random(nodes)
        for done in range(kills):
            executors = self.executors(run, servers, nodes)
            wait_until(self.all_are_there, "all replicas")
            self.ask("get craft.omega")  # the run goes on with them
            self.assertTrue(kill(choose.choice(executors)))
            run.wait_for(CONTINUES, done + 1)
        self.assertEqual(run.count("and nothing was lost"), kills, run.said())
        self.end(run)

    def test_processes_of_this_computer(self):
        self.disturb(self.run_on("local:2", "--rate", "300"), [], 2, 4)

    def test_processes_that_run_as_fast_as_they_can(self):
        self.disturb(self.run_on("local:3"), [], 3, 3)

    def test_processes_of_servers(self):
        servers = [self.server(), self.server()]
        self.disturb(self.run_on(",".join(s.address for s in servers), "--rate", "300"), servers, 2, 3)


class Stopped(WithNodes):
    def disturb(self, run, servers):
        executors = self.executors(run, servers, 2)
        kill(executors[0], signal.SIGSTOP)
        run.wait_for("has been silent for 3 s")
        self.executors(run, servers, 2)
        kill(executors[0], signal.SIGCONT)
        wait_until(lambda: not lives(executors[0]), "its end")
        self.end(run)

    def test_a_process_of_this_computer(self):
        self.disturb(self.run_on("local:2", "--rate", "300"), [])

    def test_a_process_of_a_server(self):
        servers = [self.server(), self.server()]
        self.disturb(self.run_on(",".join(s.address for s in servers), "--rate", "300"), servers)


class Network(WithNodes):
    """The same over the network plug-in of the examples."""
    PLUGIN = VERNIER.parents[1] / "network/tcp_network.so"

    def nodes(self, *nodes, config=""):
        (self.folder / "nodes.xml").write_text('<nodes version="1">' + "".join(f'<node name="{name}" {where}/>' for name, where in nodes) +
                                               f'<network plugin="{self.PLUGIN}" config="{config}"/></nodes>')
        return "nodes.xml"

    def test_processes_that_are_killed_change_nothing(self):
        run = self.run_on(self.nodes(*((name, 'local="yes"') for name in "abc")), "--trust", self.PLUGIN, "--rate", "300")
        for times in (1, 2):
            executors = self.executors(run, [], 3)
            wait_until(lambda: "nothing" not in self.ask("nodes"), "parts of all nodes")
            self.assertTrue(kill(executors[times]))
            run.wait_for(CONTINUES, times)
        self.ask("get craft.omega")
        self.end(run)

    def test_a_server_must_trust_it(self):
        trusting, wary = self.server("--trust", self.PLUGIN), self.server()
        here = ("here", 'local="yes"')
        self.end(self.run_on(self.nodes(here, ("there", f'address="{trusting.address}"')), "--trust", self.PLUGIN))
        refused = self.vernier("run", "parts.xml", "--on", self.nodes(here, ("there", f'address="{wary.address}"')), "--trust", self.PLUGIN, "--out", "refused",
                               status=2).stderr
        self.assertRegex(refused, r"error\[V7601\]: \S+tcp_network\.so is native code")
        self.assertIn("on node there", refused)
        self.assertIn("the owner of this node has not trusted", refused)
        self.assertFalse((self.folder / "refused").exists())


class Composer(WithNodes):
    def test_nothing_is_left_when_it_is_killed(self):
        server = self.server()
        run = self.run_on(f"local,{server.address}")
        executors = self.executors(run, [], 1) + self.executors(run, [server], 1)
        kill(run.process.pid)
        wait_until(lambda: not any(map(lives, executors)), "their end")
        server.wait_for("has ended")
        (scratch,) = (self.folder / "kept/scratch").iterdir()
        wait_until(lambda: not list(scratch.glob("run-*")), "an empty folder")
        self.assertEqual(children(server.process.pid), [])

    def test_nothing_is_left_when_it_is_interrupted(self):
        run = self.run_on("local:3", "--threads", "2")
        executors = self.executors(run, [], 3)
        self.end(run)
        self.assertFalse(any(map(lives, executors)))
        self.assertEqual(list((self.folder / "tmp").iterdir()), [])


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
