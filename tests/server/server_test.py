#!/usr/bin/env python3
"""Servers and those who ask them, with the real program: keys, a table of servers, strangers, their end.

usage: server_test.py <vernier> <source tree> [<unittest argument>...]
"""
import hashlib
import hmac
import json
import os
import pathlib
import re
import signal
import socket
import struct
import subprocess
import sys
import threading
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "cli"))
from in_a_folder import MISSION, PATIENCE, VERNIER, InAFolder, free_ports  # noqa: E402

HELLO, PROOF, INFO, PING, FILES, PIECE, EXECUTE, ATTACH, RUNS, CONTROL, SAID = range(1, 12)
WELCOME, ACCEPTED, ABOUT, PONG, MISSING, PLACES, EXECUTING, REFUSED, ATTACHED, HOSTED, ASKED, ANSWERED = range(64, 76)


class Server:
    """The program; what it says can be waited for."""

    def __init__(self, folder, *words, within=()):
        self.process = subprocess.Popen([*within, VERNIER, "server", "--folder", folder / "kept", *map(str, words)], cwd=folder, text=True,
                                        stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.lines, self.news = [], threading.Condition()
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()
        self.address = self.wait_for(r"the server waits at (\S+);")[1]
        self.port = int(self.address.rpartition(":")[2])

    def read(self):
        with self.process.stdout as lines:
            for line in lines:
                with self.news:
                    self.lines.append(line.rstrip("\n"))
                    self.news.notify_all()
        with self.news:
            self.lines.append(None)
            self.news.notify_all()

    def wait_for(self, pattern):
        found = lambda: next((m for line in self.lines if line and (m := re.search(pattern, line))), None)  # noqa: E731
        with self.news:
            self.news.wait_for(lambda: found() or None in self.lines, PATIENCE)
            if not (match := found()):
                raise AssertionError(f"no \"{pattern}\" in:\n" + "\n".join(map(str, self.lines)))
            return match

    def end(self, number=signal.SIGTERM):
        self.process.send_signal(number)
        return self.process.wait(PATIENCE)

    def close(self):
        self.process.kill()
        self.process.wait()
        self.reader.join()


class Client:
    """One connection that says what a test likes."""

    def __init__(self, port, key=None):
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.socket.settimeout(PATIENCE)
        if key is not None:
            self.greet(key)

    def say(self, word, content=b""):
        self.socket.sendall(struct.pack("<II", 8 + len(content), word) + content)

    def read(self, n):
        data = b""
        while len(data) < n:
            try:
                part = self.socket.recv(n - len(data))
            except ConnectionResetError:
                part = b""
            if not part:
                return None
            data += part
        return data

    def hear(self):
        """Word and content; None: it was disconnected."""
        head = self.read(8)
        if head is None:
            return None
        length, word = struct.unpack("<II", head)
        return word, self.read(length - 8)

    def greet(self, key):
        ours = os.urandom(16)
        self.say(HELLO, b"VRNSERVE" + struct.pack("<II", 1, 5) + b"0.0.0" + ours)
        word, content = self.hear()
        assert word == WELCOME and content[-1] == 1, content
        theirs = content[-17:-1]
        code = lambda who: hmac.digest(key, struct.pack("<I", len(who)) + who + struct.pack("<I", 1) + ours + theirs, hashlib.sha256)  # noqa: E731
        self.say(PROOF, code(b"client"))
        word, content = self.hear()
        assert (word, content) == (ACCEPTED, code(b"server"))


class WithServers(InAFolder):
    def server(self, *words):
        server = Server(self.folder, *(words if "--listen" in words else ("--listen", "127.0.0.1:0", *words)))
        self.addCleanup(server.close)
        return server

    def client(self, server, key=None):
        client = Client(server.port, key)
        self.addCleanup(client.socket.close)
        return client

    def own_key(self):
        return (pathlib.Path(os.environ["XDG_CONFIG_HOME"]) / "vernier/server-key").read_bytes()

    def key_file(self, name="vernier.key"):
        path = self.folder / name
        path.write_bytes(os.urandom(32))
        path.chmod(0o600)
        return path


class Nodes(WithServers):
    def test_a_user_needs_no_key_for_servers_of_their_own(self):
        server = self.server()
        out = self.vernier("nodes", "--on", server.address).stdout.splitlines()
        self.assertEqual(out[0].split(), ["server", "host", "version", "processors", "load", "round", "trip", "clock", "runs", "state"])
        self.assertEqual(out[1].split()[0], server.address)
        self.assertEqual(out[1].split()[-1], "ready")
        key = pathlib.Path(os.environ["XDG_CONFIG_HOME"]) / "vernier/server-key"
        self.assertEqual(key.stat().st_mode & 0o777, 0o600)
        # another user of this machine
        os.environ["XDG_CONFIG_HOME"] = str(self.folder / "elsewhere")
        self.assertIn("error[V5632]", self.vernier("nodes", "--on", server.address, status=5).stderr)

    def test_json_has_more(self):
        server = self.server("--runs", "3")
        (node,) = json.loads(self.vernier("nodes", "--on", server.address, "--json").stdout)
        self.assertEqual((node["server"], node["state"], node["runs"], node["most_runs"]), (server.address, "ready", 0, 3))
        self.assertEqual(node["version"], json.loads(self.vernier("version", "--json").stdout)["version"])
        self.assertIn("rigid_body", node["types"])
        self.assertEqual(node["arithmetic"], "reproducible")
        self.assertGreater(node["round_trip_s"], 0)
        # one machine has one clock, except that the time of day may be set meanwhile
        self.assertLess(abs(node["clock_offset_s"]), 3600)

    def test_servers_that_do_not_answer_are_named_beside_the_others(self):
        server = self.server()
        nobody = f"127.0.0.1:{free_ports(1)[0]}"
        done = self.vernier("nodes", "--on", f"{nobody}, {server.address},{nobody}", status=5)
        self.assertEqual([line.split()[0] for line in done.stdout.splitlines()[1:]], [nobody, server.address])
        self.assertIn("does not answer", done.stdout)
        self.assertIn(f"error[V5631]: {nobody}: the server does not answer: Connection refused", done.stderr)

    def test_a_key_file_admits_those_who_have_a_copy(self):
        right, wrong = self.key_file(), self.key_file("wrong.key")
        server = self.server("--listen", "0.0.0.0:0", "--key", right)
        on = f"127.0.0.1:{server.port}"
        self.vernier("nodes", "--on", on, "--key", right)
        done = self.vernier("nodes", "--on", on, "--key", wrong, status=5)
        self.assertIn(f"error[V5632]: {on}: the key of the server is another one", done.stderr)
        server.wait_for("is refused: the key of the server is another one")

    def test_certificates_admit_those_who_have_one_of_the_authority(self):
        def openssl(*words):
            subprocess.run(["openssl", *words], cwd=self.folder, check=True, capture_output=True)
        new = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
        for authority in ("ca", "other"):
            openssl("req", "-x509", *new, "-keyout", f"{authority}.key", "-out", f"{authority}.pem", "-days", "2", "-subj", "/CN=lab")
            openssl("req", *new, "-keyout", f"node-{authority}.key", "-out", "node.csr", "-subj", "/CN=node")
            (self.folder / "names").write_text("subjectAltName=IP:127.0.0.1")
            openssl("x509", "-req", "-in", "node.csr", "-CA", f"{authority}.pem", "-CAkey", f"{authority}.key", "-CAcreateserial", "-days", "2",
                    "-extfile", "names", "-out", f"node-{authority}.pem")
        files = lambda name: ("--certificate", f"node-{name}.pem", "--private-key", f"node-{name}.key", "--authorities", "ca.pem")  # noqa: E731
        server = self.server(*files("ca"))
        self.assertIn("ready", self.vernier("nodes", "--on", server.address, *files("ca")).stdout)
        self.assertIn("error[V5639]", self.vernier("nodes", "--on", server.address, *files("other"), status=5).stderr)
        self.vernier("nodes", "--on", server.address, status=5)  # in the clear


class Hostile(WithServers):
    def test_it_goes_on_among_garbage_idle_and_many_connections(self):
        server = self.server()
        idle = [self.client(server) for _ in range(500)]
        for text in (b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", b"\xff" * 100_000, bytes(100), struct.pack("<II", 512, HELLO) + bytes(504),
                     struct.pack("<II", 0x7fffffff, HELLO), struct.pack("<II", 7, HELLO), struct.pack("<II", 40, PROOF) + bytes(32),
                     struct.pack("<II", 8, RUNS), struct.pack("<II", 16, CONTROL) + bytes(8)):
            client = self.client(server)
            try:
                client.socket.sendall(text)
            except OSError:
                pass  # disconnected meanwhile
            self.assertIsNone(client.hear(), text[:20])
        self.assertIn("ready", self.vernier("nodes", "--on", server.address).stdout)
        # those who say nothing make room for others
        for client in idle[:400]:
            self.assertIsNone(client.hear())

    def test_those_who_have_the_key_can_only_ask_properly(self):
        server = self.server()
        key = self.own_key()
        for word, content in ((99, b""), (INFO, b"x"), (PING, b"x"), (FILES, b"\xff\xff\xff\xff"), (PIECE, struct.pack("<II", 0, 3) + b"abc"),
                              (EXECUTE, b"\x01"), (ATTACH, b"\x01"), (ATTACH, bytes(24)), (RUNS, b"x"), (CONTROL, b"\xff\xff\xff\xff"), (SAID, bytes(8)),
                              (CONTROL, struct.pack("<I", 3) + b"run" + struct.pack("<I", 5000) + b"x" * 5000), (FILES, struct.pack("<II", 1, 5000) + b"x" * 5000 + bytes(40))):
            client = self.client(server, key)
            client.say(word, content)
            answer, why = client.hear()
            self.assertEqual((answer, why[4:9]), (REFUSED, b"V5637"), word)
            self.assertIsNone(client.hear())
        client = self.client(server, key)
        client.socket.sendall(struct.pack("<II", 0xffffffff, INFO))
        self.assertEqual(client.hear()[0], REFUSED)
        # asks without end and takes no answer: it is not read any more, and others are served
        greedy = self.client(server, key)
        greedy.socket.settimeout(1)
        ask = struct.pack("<II", 8, INFO) * 1000
        try:
            for _ in range(100_000):
                greedy.socket.sendall(ask)
            self.fail("all was taken")
        except TimeoutError:
            pass
        self.assertIn("ready", self.vernier("nodes", "--on", server.address).stdout)
        size = int(re.search(r"VmRSS:\s*(\d+)", pathlib.Path(f"/proc/{server.process.pid}/status").read_text())[1])
        self.assertLess(size, 400_000, "kB")  # of which most is what the sanitizers need

    def test_a_replayed_proof_is_worth_nothing(self):
        server = self.server()
        key, ours = self.own_key(), bytes(16)
        first = self.client(server)
        first.say(HELLO, b"VRNSERVE" + struct.pack("<II", 1, 0) + ours)
        theirs = first.hear()[1][-17:-1]
        proof = hmac.digest(key, struct.pack("<I", 6) + b"client" + struct.pack("<I", 1) + ours + theirs, hashlib.sha256)
        first.say(PROOF, proof)
        self.assertEqual(first.hear()[0], ACCEPTED)
        second = self.client(server)
        second.say(HELLO, b"VRNSERVE" + struct.pack("<II", 1, 0) + ours)
        self.assertEqual(second.hear()[0], WELCOME)
        second.say(PROOF, proof)
        self.assertEqual(second.hear()[0], REFUSED)

    def test_another_version_of_the_protocol_is_named(self):
        server = self.server()
        client = self.client(server)
        client.say(HELLO, b"VRNSERVE" + struct.pack("<II", 9, 5) + b"9.9.9" + b"something else that comes")
        word, why = client.hear()
        self.assertEqual(word, REFUSED)
        self.assertIn(b"speaks version 1 of the protocol, not 9", why)


class End(WithServers):
    def test_a_signal_ends_a_server_that_hosts_nothing(self):
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            server = self.server()
            self.client(server, self.own_key())
            self.assertEqual(server.end(number), 0)
            server.wait_for("the server has ended")
            self.assertEqual(list((self.folder / "kept/scratch").iterdir()), [])

    def test_what_a_killed_server_left_is_removed_by_the_next(self):
        self.server().end(signal.SIGKILL)
        self.assertEqual(len(list((self.folder / "kept/scratch").iterdir())), 1)
        server = self.server()
        self.assertEqual(len(list((self.folder / "kept/scratch").iterdir())), 1)
        server.end()

    def test_what_a_draining_server_hosts_goes_on_elsewhere_to_the_same_bits(self):
        first, second = self.server(), self.server()  # in one folder
        self.vernier("run", MISSION, "--quiet", "--until", "20s", "--out", "alone")
        run = self.start("run", MISSION, "--quiet", "--until", "20s", "--rate", "4", "--out", "together", "--on", f"{first.address},{second.address}")
        first.wait_for("runs in process")
        second.wait_for("runs in process")
        self.assertEqual(first.end(), 0)
        self.assertEqual(run.wait(PATIENCE), 0, run.stderr.read())
        first.wait_for("the server has ended")
        self.assertIsNone(next((line for line in first.lines if line and "is killed" in line), None))
        self.assertEqual(second.end(), 0)
        rows = re.findall(r"(?m)^  ✓ (\S+) +(\S+)", self.vernier("compare", "alone/aausat2-0001", "together/aausat2-0001").stdout)
        self.assertGreater(len(rows), 20)
        self.assertEqual({largest for _, largest in rows}, {"0"})

    def test_programs_of_other_versions_run_nothing_there(self):
        server = self.server()
        client = self.client(server, self.own_key())
        client.say(EXECUTE, struct.pack("<I", 3) + b"run" + struct.pack("<I", 4) + b"node" + bytes(20))
        word, why = client.hear()
        self.assertEqual((word, why[4:9]), (REFUSED, b"V5633"))
        self.assertIn(b"this program is 0.0.0", why)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
