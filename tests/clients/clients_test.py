#!/usr/bin/env python3
"""The clients that others may use (clients/), in C and in Python, against the program and against a server that means ill.

usage: clients_test.py <vernier> <source tree> <C compiler> [test...]
"""
import concurrent.futures
import json
import os
import pathlib
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
import unittest

VERNIER, SOURCE, CC = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve(), sys.argv[3]
CLIENT = SOURCE / "clients/c/scp_client.c"
sys.path[:0] = [str(SOURCE / "clients/python"), str(SOURCE / "formats/scp"), str(SOURCE / "tests")]
import frames      # noqa: E402  an encoder that neither client shares anything with
import scp_client  # noqa: E402
from processes import PATIENCE, Late, Run, free_ports, unless_late  # noqa: E402

WORK = tempfile.TemporaryDirectory(prefix="vernier_clients_")
FOLDER = pathlib.Path(WORK.name)
PLAIN = [CC, "-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-O1"]


def setUpModule():
    # what everybody compiles, and the same with everything watched; both run below
    subprocess.run([*PLAIN, "-c", CLIENT, "-o", FOLDER / "library.o"], check=True)
    watched = ["-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-DSCP_MAIN"]
    subprocess.run([*PLAIN, *watched, CLIENT, "-lm", "-o", FOLDER / "scp_client"], check=True)
    subprocess.run([*PLAIN, "-I", CLIENT.parent, SOURCE / "tests/clients/golden.c", "-o", FOLDER / "golden"], check=True)


def tearDownModule():
    WORK.cleanup()


def hex_in(folder):
    files = sorted((SOURCE / "formats/scp" / folder).glob("*.hex"))
    return {f.stem: bytes.fromhex("".join(line for line in f.read_text().splitlines() if not line.startswith("#"))) for f in files}


class Golden(unittest.TestCase):
    def test_the_c_client_writes_and_reads_every_frame_to_the_bit(self):
        good, bad = hex_in("golden"), hex_in("bad")
        lines = ["hello1", "hello2", *(f.hex() for f in [*good.values(), *bad.values()])]
        done = subprocess.run([FOLDER / "golden"], input="\n".join(lines) + "\n", capture_output=True, text=True, check=True)
        hmac2, hmac6, hello, hello_data, *said = done.stdout.split("\n")
        # RFC 4231
        self.assertEqual(hmac2, "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843")
        self.assertEqual(hmac6, "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54")
        for (name, frame), text in zip(good.items(), said):
            self.assertEqual(text, frame.hex(), name)
        for name, text in zip(bad, said[len(good):]):
            if name not in ("limit", "ping_payload"):  # good frames, but not here: the link refuses them
                self.assertTrue(text.startswith("!"), name)
        # all of the greeting but the two things that differ: the longest payload, and who built it
        for mine, name in ((bytes.fromhex(hello), "hello"), (bytes.fromhex(hello_data), "hello_data")):
            theirs = good[name][64:192]
            self.assertEqual(mine[:4] + mine[8:96], theirs[:4] + theirs[8:96], name)

    def test_the_python_client_writes_and_reads_every_frame_to_the_bit(self):
        for name, frame in hex_in("golden").items():
            h = scp_client.read_header(frame[:64])
            self.assertEqual(scp_client.write_frame(h, frame[64:64 + h.payload]), frame, name)
        for name, frame in hex_in("bad").items():
            if name in ("limit", "ping_payload", "too_long", "payload_bit"):  # the header is good
                continue
            with self.assertRaises(scp_client.LinkError, msg=name):
                scp_client.read_header(frame[:64])
        c = scp_client.Client(period=(100_000_000, 3), send=26, receive=3, interface_hash=frames.INTERFACE, name="simulator")
        c.token, c.session = frames.TOKEN, frames.SESSION
        for on, name in ((0, "hello"), (1, "hello_data")):
            self.assertEqual(c.hello(on)[:96], hex_in("golden")[name][64:160], name)


class Both(unittest.TestCase):
    """What is asked of both clients, with the same words."""

    CLIENTS = {"c": [FOLDER / "scp_client"], "python": [sys.executable, SOURCE / "clients/python/scp_client.py"]}

    # what a client says of a machine that lets it wait
    LATE = ("the handshake did not end within 2 s", "a frame did not end within a second", "(8)")

    def start(self, client, ports, *more):
        return subprocess.Popen([*self.CLIENTS[client], f"127.0.0.1:{ports[0]}", "--data", str(ports[1]), *map(str, more)],
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def finish(self, process):
        out, err = process.communicate(timeout=PATIENCE)
        return process.returncode, out, err

    def done(self, client, ports, words, *more):
        """A client that is to end: with the words, or well without. Once more when it says that it was not answered in time."""
        for _ in range(20):
            status, out, err = self.finish(self.start(client, ports, *more))
            if words in err if words else status == 0:
                break
            if not any(late in err for late in self.LATE):
                break
        return status, out, err

    def serve(self, ports, *more):
        """A facility that listens, and takes its time: a machine may stand still for seconds."""
        run = Run(SOURCE / "examples/link/facility.xml", "--rate", "1", "--until", "3600s",
                  "--set", f"simulator.listen=127.0.0.1:{ports[0]}", "--set", f"simulator.data=127.0.0.1:{ports[1]}",
                  "--set", "simulator.timeout=60s", *more)
        self.addCleanup(run.end)
        run.wait_for("  ready ")
        return run

    def end(self, process):
        if process.poll() is None:
            process.kill()
        process.communicate()

    def test_exchange_vectors_with_a_run(self):
        ports = {client: free_ports() for client in self.CLIENTS}
        for each in ports.values():
            self.serve(each)
        began = time.monotonic()
        with concurrent.futures.ThreadPoolExecutor() as pool:
            ended = {client: pool.submit(self.done, client, each, "", "--seconds", 2, "--again") for client, each in ports.items()}
        for client, each in ended.items():
            status, out, err = each.result()
            self.assertEqual(status, 0, err)
            said = json.loads(out)
            self.assertEqual(said["peer"], "simulator")
            if said["losses"] == 0:
                self.assertEqual(said["sent"], 20)
            self.assertGreater(said["received"], 5)  # 500 in 2 s, were nothing else running
            # the robot begins at 0 and follows cos t, later when the machine is busy
            self.assertTrue(said["last"] != 0.0 and -1.0 <= said["last"] <= 1.0, said)
            # both clocks are this machine's: the offset is zero, within half of a round trip
            self.assertLess(abs(said["offset"]), time.monotonic() - began)
            for delay in ("round_trip", "dead_time"):  # by one clock
                self.assertGreater(said[delay], 0.0, delay)
            self.assertGreater(said["target_step"], 0)

    def test_prove_that_they_know_the_key(self):
        ports, right, wrong = free_ports(), FOLDER / "right.key", FOLDER / "wrong.key"
        right.write_bytes(os.urandom(100))  # longer than a block of the hash
        wrong.write_bytes(b"wrong, and longer than 16 bytes")
        right.chmod(0o600)
        self.serve(ports, "--set", f"simulator.key={right}")
        for client in self.CLIENTS:
            status, out, err = self.done(client, ports, "", "--seconds", 0.5, "--key", right, "--again")
            self.assertEqual(status, 0, err)
            self.assertEqual(json.loads(out)["sent"], 5)
            for more, words in ((["--key", wrong], "the key is not the same on both sides (6)"), ([], "(6)")):
                status, out, err = self.done(client, ports, words, *more)
                self.assertEqual((status, out), (1, ""), err)
                self.assertIn(words, err)

    def test_hear_why_they_are_refused(self):
        ports = free_ports()
        server = self.serve(ports)
        first = self.start("c", ports, "--seconds", 3600, "--again")
        self.addCleanup(self.end, first)
        server.wait_for("→ up")
        for client in self.CLIENTS:
            words = "the peer reports: another client is connected (2)"
            status, out, err = self.done(client, ports, words, "--seconds", 0.2)
            self.assertEqual(status, 1)
            self.assertIn(words, err)
        self.end(first)
        server.wait_for("up → ")
        for client in self.CLIENTS:
            words = "it sends 3 double and takes 1 double; here 1 double are taken and 1 double sent (4)"
            status, out, err = self.done(client, ports, words, "--seconds", 0.2, "--send", 3)
            self.assertEqual(status, 1)
            self.assertIn(words, err)
            status, out, err = self.finish(self.start(client, free_ports(), "--seconds", 0.2))
            self.assertEqual(status, 1)
            self.assertIn("Connection refused", err)

    def test_come_back_after_the_server_was_killed(self):
        times = iter((5, 20, 80))
        unless_late(lambda: self.come_back(next(times)), tries=3)

    def come_back(self, seconds):
        ports = {client: free_ports() for client in self.CLIENTS}
        servers = {client: self.serve(each) for client, each in ports.items()}
        began = time.monotonic()
        peers = {client: self.start(client, each, "--seconds", seconds, "--again") for client, each in ports.items()}
        for peer in peers.values():
            self.addCleanup(self.end, peer)
        for client, server in servers.items():
            server.wait_for("→ up")
            server.end(signal.SIGKILL)
        for client, each in ports.items():
            server = self.serve(each)
            while time.monotonic() < began + seconds:  # up at once, if the client is there to come
                try:
                    server.wait_for("→ up", 0.1)
                    break
                except AssertionError:
                    continue
        if time.monotonic() > began + seconds - 1.5:
            raise Late(f"a server was started and met only {time.monotonic() - began:.1f} s after a client that has {seconds} s")
        for client, peer in peers.items():
            status, out, err = self.finish(peer)
            self.assertEqual(status, 0, err)
            said = json.loads(out)
            self.assertGreaterEqual(said["losses"], 1)
            self.assertGreater(said["received"], 5)


class Ill(threading.Thread):
    """A server that answers the greetings as it should, and then sends what it was told to."""

    def __init__(self, data=b"", control=b"", greeting=None, then="wait", intervals=(100, 1000, 100)):
        super().__init__(daemon=True)
        self.intervals = intervals
        self.say, self.greeting, self.then, self.heard = (control, data), greeting, then, b""
        self.listeners = [socket.create_server(("127.0.0.1", 0)) for _ in range(2)]
        self.ports = [s.getsockname()[1] for s in self.listeners]
        self.over = threading.Event()
        self.start()

    def greet(self, connection, on):
        got = b""
        while len(got) < 196:
            piece = connection.recv(4096)
            if not piece:
                return False
            got += piece
        self.heard += got
        payload = frames.hello(2, on + 1, frames.TOKEN, counts=(1, 1), intervals=self.intervals)
        connection.sendall(self.greeting or frames.frame(2, flags=1, payload=payload))
        return True

    def run(self):
        try:
            control, _ = self.listeners[0].accept()
            if self.greet(control, 0):
                data, _ = self.listeners[1].accept()
                self.greet(data, 1)
                for c, say in zip((control, data), self.say):
                    for i in range(0, len(say), 7):  # frames come in pieces
                        c.sendall(say[i:i + 7])
                if self.then == "wait":
                    self.over.wait(PATIENCE)
                data.close()
            control.close()
        except OSError:  # nobody came, or the client left: that is its right
            pass

    def end(self):
        self.over.set()
        for s in self.listeners:
            s.close()


class Hostile(Both):
    """Garbage: the link is closed, and named; nothing else happens. The C client runs with everything watched."""

    test_exchange_vectors_with_a_run = test_prove_that_they_know_the_key = None
    test_hear_why_they_are_refused = test_come_back_after_the_server_was_killed = None

    def check_all(self, cases):
        """Each case with both clients, all at once: most of them only wait."""
        with concurrent.futures.ThreadPoolExecutor(max_workers=12) as pool:
            for done in [pool.submit(self.check_end, client, words, **told) for words, told in cases for client in self.CLIENTS]:
                done.result()

    def check_end(self, client, words, **told):
        def attempt():
            server = Ill(**told)
            status, out, err = self.finish(self.start(client, server.ports, "--seconds", 60))
            server.end()
            for wrong in ("Sanitizer", "runtime error", "Traceback"):
                self.assertNotIn(wrong, err)
            self.assertEqual(status, 1, (client, words, out, err))
            if words not in err and any(late in err for late in self.LATE):
                raise Late(f"{client}, waiting for \"{words}\": {err}")
            self.assertIn(words, err, client)
        unless_late(attempt, tries=10)

    def test_frames_that_are_none(self):
        reals = dict(frames.reals, payload=struct.pack("<d", 1.0))
        cases = [(words, dict(data=hex_in("bad")[name])) for name, words in (
            ("magic", "does not begin with SCP1"), ("version", "another major version (3)"), ("header_bit", "checksum of its header"),
            ("too_long", "its length"), ("limit", "its length"), ("time", "beyond all bounds"), ("step", "beyond all bounds"),
            ("element", "element type"))]
        self.check_all([
            *cases,
            ("checksum of its payload", dict(data=frames.frame(**reals)[:-1] + b"?")),
            ("its length", dict(control=hex_in("bad")["ping_payload"])),
            ("of another session", dict(control=frames.frame(0x20, session=7))),
            ("length or type (4)", dict(data=frames.frame(**{**reals, "dtype": 2, "payload": b"1"}))),
            ("within a second (7)", dict(control=frames.frame(0x20)[:40], intervals=(100, 20000, 100))),
            ("no ping was answered (8)", dict(then="wait")),
            ("without BYE (101)", dict(then="close", data=frames.frame(**reals)[:30])),
            ("reports: go away? (1)", dict(data=frames.frame(3, 1, payload=struct.pack("<I", 1) + b"go away\x07")))])

    def test_greetings_that_are_none(self):
        def greeting(session=frames.SESSION, **other):
            return frames.frame(2, flags=1, session=session, payload=frames.hello(**{**dict(role=2, connection=1, counts=(1, 1)), **other}))
        self.check_all([(words, dict(greeting=answer)) for words, answer in (
            ("does not fit the greeting", greeting(session=0)), ("does not fit the greeting", greeting(role=1)),
            ("does not fit the greeting", greeting(connection=2)), ("other vectors (4)", greeting(counts=(3, 3))),
            ("sample time", greeting(period=(0, 0))), ("sample time", greeting(period=(1 << 63, 1))),
            ("a key is wanted there", greeting(proof=bytes(64))), ("intervals", greeting(intervals=(0, 0, 0))),
            ("expected HELLO_ACK", frames.frame(0x20)), ("another major version (3)", hex_in("bad")["version"]),
            ("SCP1", b"220 ready\r\n"))])

    def test_what_is_not_meant_for_them_is_dropped(self):
        """Packets on the wrong connection, of types and channels not known, answers to nothing: the link goes on until it ends by silence."""
        reals = dict(frames.reals, payload=struct.pack("<d", 1.0))
        control = frames.frame(**reals) + frames.frame(0x77, 1, payload=b"x" * 300) + frames.frame(0x24, echo=5) + \
            frames.frame(0x22, step=-(1 << 60))
        data = frames.frame(0x20) + frames.frame(**{**reals, "channel": 9}) + frames.frame(**reals)
        self.check_all([("no ping was answered (8)", dict(control=control, data=data))])


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]])
