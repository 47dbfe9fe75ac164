"""The example for Open MCT in a browser: what it shows is what is recorded.

usage: openmct_test.py <vernier> <source tree> <folder for npm's packages>
"""
import json
import os
import pathlib
import re
import shutil
import signal
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


def milliseconds(text):
    """Of a simulated time as Open MCT shows it; the runs here are shorter than a day."""
    hours, minutes, seconds, rest = map(int, re.fullmatch(r"1970-01-01 (\d\d):(\d\d):(\d\d)\.(\d{3})Z", text).groups())
    return 1000 * (3600 * hours + 60 * minutes + seconds) + rest


class OpenMctTest(unittest.TestCase):
    def setUp(self):
        self.chromium = os.environ.get("CHROMIUM") or shutil.which("chromium")
        if not self.chromium:
            self.fail("Chromium is not installed: tools/install_packages test")
        self.packages = installed(PACKAGES, self)
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.folder = pathlib.Path(place.name)
        site = self.folder / "site"
        shutil.copytree(SOURCE / "examples/openmct", site, ignore=shutil.ignore_patterns("node_modules"))
        (site / "node_modules").symlink_to(self.packages / "node_modules")
        server = self.start(sys.executable, "-u", "-m", "http.server", "--bind", "127.0.0.1", "--directory", site, "0", stderr=subprocess.DEVNULL)
        port, = re.findall(r"port (\d+)", server.stdout.readline())
        self.page = f"http://127.0.0.1:{port}/"

    def start(self, *words, **more):
        p = subprocess.Popen([*map(str, words)], cwd=self.folder, stdout=subprocess.PIPE, encoding="utf-8", **more)
        self.addCleanup(self.end, p)
        return p

    def end(self, process):
        if process.poll() is None:
            process.kill()
        process.communicate()

    def browse(self, *words):
        """The page's part; it gives up by itself when something does not come."""
        return self.start("node", self.packages / "openmct.mjs", *words, stdin=subprocess.PIPE, env=os.environ | {"CHROMIUM": self.chromium})

    def answer(self, browser):
        line = browser.stdout.readline()
        self.assertTrue(line, "the browser's part failed")
        return json.loads(line)

    def test_the_page_lists_and_shows_a_live_run(self):
        run = self.start(VERNIER, "run", SOURCE / "missions/aausat2/aausat2.xml", "--rate", "1")
        wait_until(lambda: (self.folder / "runs/latest/live").exists(), "the live rows")
        watching = self.start(VERNIER, "watch", "--foxglove", "127.0.0.1:0")
        watching.stdout.readline()
        browser = self.browse("live", self.page, watching.stdout.readline().strip())
        got = self.answer(browser)
        run.send_signal(signal.SIGINT)
        run.communicate(timeout=PATIENCE)
        browser.stdin.write("the run has ended\n")
        browser.stdin.flush()
        after = self.answer(browser)

        exported = subprocess.run([VERNIER, "export", "runs/latest", "--format", "json"], cwd=self.folder, check=True, capture_output=True).stdout
        signals = {s["path"]: s for s in json.loads(exported)["signals"]}
        components = {p[:dot.start()] for p in signals for dot in re.finditer(r"\.", p)}
        self.assertEqual(sorted(got["tree"]), sorted(["runs/latest", "My Items", *(c.rpartition(".")[2] for c in components), *signals]))
        self.assertEqual(set(got["received"]), set(signals))

        recorded = {}  # path → time in ns → the values there; two at an event
        for path, s in signals.items():
            of_path = recorded.setdefault(path, {})
            for t, v in zip(s["time"], s["values"]):
                of_path.setdefault(round(t * 1e9), []).append(v if isinstance(v, list) else [v])
        for path, s in got["received"].items():
            *elements, time = s["values"]
            self.assertEqual(time["key"], "utc")
            self.assertEqual({e.get("units", "1") for e in elements}, {signals[path]["unit"]})
            width = len(next(iter(recorded[path].values()))[0])
            self.assertEqual([e["name"] for e in elements], [f"{path}[{i}]" for i in range(width)] if width > 1 else [path])
            self.assertTrue(s["rows"], path)
            for row in s["rows"]:
                self.assertIn([row[e["key"]] for e in elements], recorded[path][round(row["utc"] * 1e6)])
        omega = got["received"]["body.omega"]
        self.assertGreater(len(omega["rows"]), 2)
        self.assertEqual(omega["notes"], "angular velocity of B relative to N, rad/s, axes B")

        shown = {}  # time in ms → the values there, as a telemetry table shows it
        for ns, values in recorded["body.omega"].items():
            shown.setdefault(ns // 1000000, []).extend(values)
        self.assertGreater(len({row[-1] for row in got["shown"]}), 2)
        for name, *values, time in got["shown"]:
            self.assertEqual(name, "body.omega")
            self.assertIn([float(v) for v in values], shown[milliseconds(time)])

        self.assertIn("not connected to 127.0.0.1:", got["lost"])
        self.assertIn("not connected to 127.0.0.1:", after["over"])
        self.assertEqual(after["faults"], [])
        self.assertEqual(watching.wait(PATIENCE), 0)

    def test_texts_are_shown_as_text_and_memory_is_bounded(self):
        browser = self.browse("hostile", self.page)
        got = self.answer(browser)
        html = "<img src=x onerror=hurt=1>"
        self.assertEqual(sorted(got["tree"]), sorted([html, "a", f"a.ω {html}", "a.count", "a.on", "My Items"]))
        self.assertEqual((got["images"], got["hurt"], got["faults"]), (0, 0, []))
        self.assertEqual(got["count"], [{"utc": 1, "value0": -5, "value1": 2**40}])
        self.assertEqual(got["on"], [{"utc": 1, "value0": 1}])
        self.assertEqual(got["kept"], [20000, {"utc": 101, "value0": 100}, {"utc": 20099, "value0": 20098}, True])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
