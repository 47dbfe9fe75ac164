"""A live run in other people's viewers: what they get is what is recorded.

usage: watch_test.py <vernier> <source tree> <folder for npm's packages>
"""
import json
import pathlib
import re
import signal
import socket
import subprocess
import sys
import tempfile
import unittest

VERNIER = pathlib.Path(sys.argv[1]).resolve()
SOURCE = pathlib.Path(sys.argv[2]).resolve()
PACKAGES = pathlib.Path(sys.argv[3]).resolve()
HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
sys.path.insert(0, str(HERE))
from processes import PATIENCE, wait_until  # noqa: E402
from packages import installed  # noqa: E402


class WatchTest(unittest.TestCase):
    def setUp(self):
        self.place = tempfile.TemporaryDirectory()
        self.folder = pathlib.Path(self.place.name)
        self.processes = []
        self.run_ = self.start("run", SOURCE / "missions/aausat2/aausat2.xml", "--rate", "20", "--until", "100000s")
        wait_until(lambda: (self.folder / "runs/latest/live").exists(), "the live rows")

    def tearDown(self):
        for p in self.processes:
            if p.poll() is None:
                p.kill()
            p.communicate()
        self.place.cleanup()

    def start(self, *words):
        p = subprocess.Popen([str(VERNIER), *map(str, words)], cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.processes.append(p)
        return p

    def recorded(self):
        """Ends the run; (path, time in ns) → the recorded values there; two at an event."""
        self.run_.send_signal(signal.SIGINT)
        self.run_.communicate(timeout=PATIENCE)
        text = subprocess.run([str(VERNIER), "export", "runs/latest", "--format", "json"], cwd=self.folder, check=True, capture_output=True).stdout
        found = {}
        for s in json.loads(text)["signals"]:
            for t, v in zip(s["time"], s["values"]):
                found.setdefault((s["path"], round(t * 1e9)), []).append(v)
        return found

    def test_plotjuggler_gets_the_rows_as_datagrams(self):
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as server:
            server.bind(("127.0.0.1", 0))
            server.settimeout(PATIENCE)
            watching = self.start("watch", "body.*", "wheel*.speed", "--plotjuggler", f"127.0.0.1:{server.getsockname()[1]}")
            rows = [json.loads(server.recv(65536)) for _ in range(60)]
        recorded = self.recorded()
        self.assertEqual(watching.wait(PATIENCE), 0)  # the run is over
        self.assertIn("PlotJuggler", watching.stdout.read())
        keys = {k for r in rows for k in r} - {"timestamp"}
        self.assertTrue(any(k.startswith("body/") for k in keys))
        self.assertTrue(all(re.match(r"body/|wheel", k) for k in keys))
        for r in rows:
            for k, v in r.items():
                if k != "timestamp":
                    self.assertIn(v, recorded[(k.replace("/", "."), round(r["timestamp"] * 1e9))])

    def foxglove(self):
        watching = self.start("watch", "--foxglove", "127.0.0.1:0")
        watching.stdout.readline()
        return watching, watching.stdout.readline().strip()

    def client(self, address, subprotocol, messages):
        p = subprocess.run(["node", "watch_foxglove.mjs", address, subprotocol, str(messages)], cwd=self.packages, check=True, capture_output=True, timeout=PATIENCE)
        return json.loads(p.stdout)

    def test_foxglove_gets_the_rows_under_both_names_of_the_protocol(self):
        self.packages = installed(PACKAGES, self)
        watching, address = self.foxglove()
        answers = []
        for name in ("foxglove.sdk.v1", "foxglove.websocket.v1"):
            a = self.client(address, name, 500)
            self.assertEqual(a["subprotocol"], name)
            self.assertEqual(a["server"]["capabilities"], ["time"])
            self.assertGreater(a["times"], 0)
            self.assertEqual([s["level"] for s in a["status"]], [2])  # parameters cannot be set here
            answers.append(a)
        wrong = address[:-1] + ("0" if address[-1] != "0" else "1")
        self.assertEqual(self.client(wrong, "foxglove.sdk.v1", 1), {"refused": 403})
        self.assertEqual(self.client(address.split("?")[0], "foxglove.sdk.v1", 1), {"refused": 403})
        recorded = self.recorded()
        self.assertEqual(watching.wait(PATIENCE), 0)  # the run is over
        for a in answers:
            compared = 0
            for topic, c in a["channels"].items():
                path = topic[1:].replace("/", ".")
                for t, v in c["rows"]:
                    self.assertIn(v, recorded[(path, t)])
                    compared += 1
            self.assertGreaterEqual(compared, 500)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
