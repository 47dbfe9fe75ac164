#!/usr/bin/env python3
"""Runs that a registry knows: a cluster of etcd that loses its leader and its majority, two that want to run the same, one that slept longer than its lease; the registry in a run's folder; servers on a local network.

usage: registry_test.py <vernier> <source tree> [<unittest argument>...]
"""
import fcntl
import hashlib
import http.server
import json
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import unittest
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "distribution"))
from on_nodes import PATIENCE, VERNIER, Run, Server, WithNodes, children, free_ports, kill, lives, wait_until  # noqa: E402


class Cluster:
    """Three members of etcd on this computer."""

    def __init__(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="vernier_etcd_"))
        ports = free_ports(6)
        self.clients = dict(zip("abc", (f"127.0.0.1:{port}" for port in ports[:3])))
        self.peers = dict(zip("abc", (f"127.0.0.1:{port}" for port in ports[3:])))
        self.address = "etcd://" + ",".join(self.clients.values())
        self.members = {}
        self.start()

    def start(self):
        """Those that do not run."""
        all_peers = ",".join(f"{name}=http://{peer}" for name, peer in self.peers.items())
        for name, client in self.clients.items():
            if name in self.members:
                continue
            with open(self.folder / f"{name}.log", "ab") as log:
                self.members[name] = subprocess.Popen(
                    ["etcd", "--name", name, "--data-dir", self.folder / name, "--initial-cluster", all_peers, "--initial-cluster-token", self.folder.name,
                     "--listen-peer-urls", f"http://{self.peers[name]}", "--initial-advertise-peer-urls", f"http://{self.peers[name]}",
                     "--listen-client-urls", f"http://{client}", "--advertise-client-urls", f"http://{client}"], stdout=log, stderr=log)
        wait_until(self.leader, "a leader of the cluster")

    def leader(self):
        """Its name, when all members agree."""
        said = []
        for name, client in self.clients.items():
            try:
                with urllib.request.urlopen(urllib.request.Request(f"http://{client}/v3/maintenance/status", b"{}"), timeout=5) as answer:
                    said.append(json.load(answer))
            except OSError:
                return None
        ids = {s["header"]["member_id"]: name for s, name in zip(said, self.clients)}
        leaders = {s.get("leader") for s in said}
        return ids.get(leaders.pop()) if len(leaders) == 1 else None

    def kill(self, name):
        member = self.members.pop(name)
        member.kill()
        member.wait()

    def close(self):
        for name in list(self.members):
            self.kill(name)
        shutil.rmtree(self.folder, ignore_errors=True)


class Etcd(WithNodes):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.cluster = Cluster()
        cls.addClassCleanup(cls.cluster.close)

    def setUp(self):
        super().setUp()
        self.cluster.start()

    def at(self, lease):
        return f"{self.cluster.address}?lease={lease}s"

    def known(self, name):
        """What the registry knows of a run."""
        for entry in json.loads(self.vernier("registry", self.cluster.address, "--json", "--wait", PATIENCE).stdout):
            if entry["run"] == name:
                return entry
        return {"led": False}

    def run_as(self, name, lease, *words, out="nodes"):
        run = Run(self.folder, "parts.xml", "--out", out, "--on", "local:2", "--registry", self.at(lease), "--as", name, *words)
        self.addCleanup(run.close)
        return run

    def checkpoint_after(self, name, time):
        return wait_until(lambda: (c := self.known(name).get("record", {}).get("checkpoint")) and c["time_ns"] > time and c, "a later checkpoint")

    def test_a_run_goes_on_when_the_leader_of_the_registry_is_killed(self):
        run = self.run_on("local:2", "--rate", "300", "--checkpoint-every", "100s", "--registry", self.at(30), "--as", "survivor")
        first = self.checkpoint_after("survivor", 0)
        self.cluster.kill(self.cluster.leader())
        later = self.checkpoint_after("survivor", first["time_ns"])
        self.assertEqual(hashlib.sha256(pathlib.Path(later["file"]).read_bytes()).hexdigest(), later["sha256"])
        entry = self.known("survivor")
        self.assertEqual((entry["led"], entry["leader"]["process"]), (True, run.process.pid))
        self.assertEqual({n["name"] for n in entry["record"]["nodes"]}, {"node1", "node2"})
        self.assertEqual(pathlib.Path(entry["record"]["folder"]).resolve(), (self.folder / "nodes/parts-0001").resolve())
        self.end(run)
        entry = self.known("survivor")  # it may be continued
        self.assertEqual((entry["led"], entry["record"]["process"]), (False, run.process.pid))
        options = json.loads((self.folder / "nodes/parts-0001/manifest.json").read_text())["options"]
        self.assertEqual((options["registry"], options["registry-run"]), (self.at(30), "survivor"))
        self.vernier("registry", self.cluster.address, "--forget", "survivor")
        self.assertEqual(self.known("survivor"), {"led": False})

    def test_a_run_stops_when_the_registry_has_no_majority(self):
        run = self.run_as("minority", 4)
        run.wait_for("(?m)^  ready ")
        executors = children(run.process.pid)
        for name in ("a", "b"):
            self.cluster.kill(name)
        self.assertEqual(run.status(), 5, run.said())
        self.assertIn("error[V5653]: this process does not lead minority any more: ", run.said())
        self.assertFalse(any(map(lives, executors)))
        manifest = json.loads((self.folder / "nodes/parts-0001/manifest.json").read_text())
        self.assertEqual(manifest["status"], "running")  # as if it had been killed: another may continue it

    def test_a_run_that_has_lost_the_registry_and_all_nodes_stops(self):
        server = self.server()
        run = Run(self.folder, "parts.xml", "--out", "nodes", "--on", server.address, "--registry", self.at(4), "--as", "alone")
        self.addCleanup(run.close)
        run.wait_for("(?m)^  ready ")
        server.end(signal.SIGKILL)
        for name in ("b", "c"):
            self.cluster.kill(name)
        self.assertEqual(run.status(), 5, run.said())
        self.assertIn("error[V5653]: this process does not lead alone any more", run.said())

    def test_of_two_that_run_the_same_exactly_one_runs(self):
        runs = [self.run_as("twins", 60, out=out) for out in ("one", "two")]
        wait_until(lambda: any(run.over() for run in runs), "the end of one")
        (refused,) = [run for run in runs if run.over()]
        (other,) = [run for run in runs if run is not refused]
        self.assertEqual(refused.status(), 2, refused.said())
        self.assertIn(f"error[V5652]: another process runs twins: process {other.process.pid} on ", refused.said())
        other.wait_for("(?m)^  ready ")
        self.assertEqual(self.known("twins")["leader"]["process"], other.process.pid)
        kill(other.process.pid, signal.SIGINT)
        self.assertEqual(other.status(), 130, other.said())
        # and then another may
        self.assertEqual(self.run_as("twins", 60, "--until", "3s").status(), 0)
        self.assertEqual(self.known("twins"), {"led": False})  # it reached its end

    def test_a_run_that_slept_longer_than_its_lease_stops_and_writes_nothing_more(self):
        sleeper = self.run_as("partition", 3, "--checkpoint-every", "1s", "--rate", "50")
        # it knows that it leads; on a machine that is very busy it may even have lost that again
        wait_until(lambda: sleeper.count("(?m)^  ready ") or sleeper.over(), "its start")
        kill(sleeper.process.pid, signal.SIGSTOP)
        wait_until(lambda: not self.known("partition")["led"], "the end of its lease")
        other = self.run_as("partition", 300, "--rate", "50", out="other")
        record = wait_until(lambda: (e := self.known("partition")).get("record", {}).get("process") == other.process.pid and e, "its record")
        kill(sleeper.process.pid, signal.SIGCONT)
        self.assertEqual(sleeper.status(), 5, sleeper.said())
        self.assertIn("error[V5653]: this process does not lead partition any more", sleeper.said())
        entry = self.known("partition")
        self.assertEqual((entry["leader"], entry["record"]["epoch"]), (record["leader"], record["record"]["epoch"]))
        self.assertEqual((entry["leader"]["process"], entry["record"]["process"]), (other.process.pid, other.process.pid))
        kill(other.process.pid, signal.SIGINT)
        self.assertEqual(other.status(), 130, other.said())

    def test_a_standby_waits_for_the_end_of_the_lease_and_continues(self):
        run = self.run_on("local:2", "--rate", "100", "--until", "60s", "--checkpoint-every", "5s", "--registry", self.at(4), "--as", "heir")
        self.checkpoint_after("heir", 0)
        standby = Run(self.folder, "nodes/parts-0001", "--continue", "--standby")
        self.addCleanup(standby.close)
        standby.wait_for("waiting for")
        first = self.known("heir")
        kill(run.process.pid)
        self.assertEqual(standby.status(), 0, standby.said())
        self.assertEqual(self.known("heir"), {"led": False})  # it reached its end
        manifest = json.loads((self.folder / "nodes/parts-0001/manifest.json").read_text())
        self.assertEqual((manifest["status"], len(manifest["continued"])), ("finished", 1))
        self.assertEqual(first["leader"]["process"], run.process.pid)
        self.expect_same(self.alone("--until", "60s"), "nodes/parts-0001")

    def test_a_run_that_repeats_another_has_a_name_of_its_own(self):
        folder = self.vernier("run", "parts.xml", "--on", "local:2", "--registry", self.at(300), "--until", "3s", "--quiet").stdout.strip()
        again = self.vernier("run", folder, "--on", "local:2", "--quiet").stdout.strip()
        options = [json.loads((self.folder / f / "manifest.json").read_text())["options"] for f in (folder, again)]
        self.assertEqual([o["registry"] for o in options], [self.at(300)] * 2)
        self.assertEqual(len({o["registry-run"] for o in options}), 2)
        self.expect_same(folder, again)
        # in one process nobody else needs to know it
        alone = self.vernier("run", folder, "--quiet").stdout.strip()
        self.assertNotIn("registry", json.loads((self.folder / alone / "manifest.json").read_text())["options"])


class Folder(WithNodes):
    def locked(self, folder):
        with open(folder / "registry.lock", "r+") as lock:
            try:
                fcntl.lockf(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                return True
        return False

    def test_a_run_on_nodes_is_known_in_its_folder(self):
        run = self.run_on("local:2", "--checkpoint-every", "100s")
        folder = self.folder / "nodes/parts-0001"
        record = wait_until(lambda: (r := json.loads((folder / "registry.json").read_text())).get("checkpoint") and r, "a checkpoint in its record")
        self.assertEqual((record["epoch"], record["process"]), (1, run.process.pid))
        self.assertEqual(hashlib.sha256(pathlib.Path(record["checkpoint"]["file"]).read_bytes()).hexdigest(), record["checkpoint"]["sha256"])
        self.assertEqual(sorted(part for n in record["nodes"] for part in n["parts"]).count("relay"), 1)
        self.assertTrue(self.locked(folder))
        kill(run.process.pid)
        run.status()
        wait_until(lambda: not self.locked(folder), "its lock")

    def test_nothing_is_written_where_nothing_is_kept_or_one_process_runs(self):
        self.vernier("run", "parts.xml", "--on", "local:2", "--until", "3s", "--no-record")
        self.assertFalse(self.alone("--until", "3s") == "" or (self.folder / "alone/parts-0001/registry.json").exists())

    def test_nothing_is_run_when_the_registry_does_not_answer(self):
        nobody = f"127.0.0.1:{free_ports(1)[0]}"
        said = self.vernier("run", "parts.xml", "--on", "local:2", "--registry", f"etcd://{nobody}", status=2).stderr
        self.assertIn(f"error[V5651]: the registry etcd://{nobody} does not answer: {nobody}: Connection refused", said)
        self.assertFalse((self.folder / "runs").exists())

    def test_another_server_is_not_taken_for_a_registry(self):
        class Page(http.server.SimpleHTTPRequestHandler):
            def log_message(self, *_):
                pass

        server = http.server.HTTPServer(("127.0.0.1", 0), Page)
        self.addCleanup(server.server_close)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.shutdown)
        at = f"127.0.0.1:{server.server_address[1]}"
        said = self.vernier("registry", f"etcd://{at}", status=5).stderr
        self.assertIn(f"error[V5654]: etcd://{at} is not a registry of runs: {at}: it does not answer as etcd does (HTTP status 501)", said)


class Network(WithNodes):
    """A network, a bus and a daemon of Avahi of its own."""

    BUS = """<busconfig><type>system</type><listen>unix:path=/run/dbus/system_bus_socket</listen><auth>EXTERNAL</auth><policy context="default">
<allow user="*"/><allow own="*"/><allow send_destination="*"/><allow receive_sender="*"/></policy></busconfig>"""
    WITHIN = """set -e
ip link set lo up multicast on
mount -t tmpfs tmpfs /run
# the only user there is root
sed -E 's/^avahi:x:[0-9]+:[0-9]+:/avahi:x:0:0:/' /etc/passwd > passwd && mount --bind passwd /etc/passwd
sed -E 's/^avahi:x:[0-9]+:/avahi:x:0:/' /etc/group > group && mount --bind group /etc/group
mkdir -p /run/dbus /run/avahi-daemon
dbus-daemon --config-file=bus.xml --nofork --nopidfile &
until [ -S /run/dbus/system_bus_socket ]; do sleep 0.02; done
avahi-daemon --no-drop-root --no-chroot --no-rlimits --file=/dev/null &
until [ -S /run/avahi-daemon/socket ]; do sleep 0.02; done
echo the network is ready
read -r end
"""

    def setUp(self):
        super().setUp()
        (self.folder / "bus.xml").write_text(self.BUS)
        self.network = subprocess.Popen(["unshare", "--map-root-user", "--net", "--mount", "--pid", "--fork", "--kill-child", "bash", "-c",
                                         self.WITHIN], cwd=self.folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.addCleanup(self.end_network)
        said = []
        for line in self.network.stdout:
            said.append(line)
            if "the network is ready" in line:
                return
        if "unshare failed" in "".join(said):
            self.skipTest("no network of its own")
        self.fail("".join(said))

    def end_network(self):
        self.network.kill()
        self.network.wait()
        self.network.stdin.close()
        self.network.stdout.close()

    def within(self):
        """The words that start a program there."""
        (shell,) = children(self.network.pid)
        return ("nsenter", "--target", str(shell), "--user", "--net", "--mount", "--preserve-credentials")

    def nodes(self, *words, status=(0,)):
        done = subprocess.run([*self.within(), VERNIER, "nodes", "--discover", *words], cwd=self.folder, text=True, capture_output=True, timeout=PATIENCE)
        self.assertIn(done.returncode, status, done.stdout + done.stderr)
        return done.stdout

    def test_servers_that_announce_themselves_are_found(self):
        key = self.key_file()
        self.assertEqual(self.nodes("--key", key).strip(), "no servers")
        server = Server(self.folder, "--listen", "0.0.0.0:0", "--key", key, "--announce", within=self.within())
        self.addCleanup(server.close)
        (found,) = wait_until(lambda: json.loads(self.nodes("--key", key, "--json")), "the server")
        self.assertEqual((found["server"].rpartition(":")[2], found["state"]), (str(server.port), "ready"))
        self.assertEqual(server.end(), 0)
        wait_until(lambda: self.nodes("--key", key, status=(0, 5)).strip() == "no servers", "its end")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
