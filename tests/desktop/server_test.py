#!/usr/bin/env python3
"""The server of the desktop as a page sees it, with the real program: who is served, what it answers, live runs, pages that do not read, its end.

usage: server_test.py <vernier> <source tree> [<unittest argument>...]
"""
import csv
import gzip
import io
import json
import os
import pathlib
import re
import signal
import socket
import subprocess
import sys
import threading
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "cli"))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from client import Desktop, Page, Refused, live  # noqa: E402
from in_a_folder import MISSION, SOURCE, VERNIER, InAFolder, free_ports, wait_until  # noqa: E402

CASSINI = SOURCE / "missions/cassini/cassini.xml"


class WithDesktop(InAFolder):
    def setUp(self):
        super().setUp()
        self.addCleanup(self.stop_runs)
        self.addCleanup(Page.close_all)

    def desktop(self, *words, **more):
        desktop = Desktop(VERNIER, "--port", "0", *words, cwd=self.folder, **more)
        self.addCleanup(desktop.close)
        return desktop

    def stop_runs(self):
        for control in self.folder.glob("runs/*/control"):
            subprocess.run([VERNIER, "stop", control.parent], capture_output=True)
            wait_until(lambda: not control.exists(), f"the end of {control.parent}")

    def refused(self, page, do, **more):
        with self.assertRaises(Refused) as refused:
            page.ask(do, **more)
        return [f"{p['severity']}[{p['code']}]" for p in refused.exception.problems]

    def recorded(self, *words):
        self.vernier("run", MISSION, "--quiet", *words)
        return "runs/aausat2-0001"

    def live_run(self, page, document=MISSION, **more):
        run = page.ask("start", document=str(document), rate=1, **more)["run"]
        return run, page.ask("open", run=run)


class Access(WithDesktop):
    def status(self, answer):
        return int(answer.split(b" ", 2)[1])

    def test_only_holders_of_a_token_are_served(self):
        d = self.desktop()
        for answer in (d.request("/"), d.request("/", cookie=f"vernier_{d.port}=wrong"), d.request("/?token=wrong"), d.request("/ws"),
                       d.request("/index.html", cookie=f"vernier_{d.port + 1}={d.token}")):
            self.assertEqual(self.status(answer), 403)
            self.assertIn(b"Open the address that", answer)
            self.assertNotIn(d.token.encode(), answer)
        first = d.request(f"/?token={d.token}")
        self.assertEqual(self.status(first), 303)
        self.assertIn(f"\r\nSet-Cookie: {d.cookie()}; HttpOnly; SameSite=Strict; Path=/\r\n".encode(), first)
        with self.assertRaises(ConnectionError):
            d.page(token="0" * 64)

    def test_the_page_is_served_compressed_and_cached(self):
        d = self.desktop()
        head, _, body = d.request("/", cookie=d.cookie()).partition(b"\r\n\r\n")
        self.assertIn(b"<html", gzip.decompress(body).lower())
        for field in (b"Content-Encoding: gzip", b"Cache-Control: no-cache", b"X-Content-Type-Options: nosniff", b"X-Frame-Options: DENY",
                      b"Referrer-Policy: no-referrer", b"Content-Security-Policy: default-src 'self';"):
            self.assertIn(b"\r\n" + field, head)
        tag = re.search(rb'ETag: (".*?")', head)[1].decode()
        self.assertEqual(self.status(d.request("/", cookie=d.cookie(), fields=f"If-None-Match: {tag}\r\n")), 304)
        script = re.search(r'"(?:\.?/)?(assets/[^"]+\.js)"', gzip.decompress(body).decode())[1]
        answer = d.request("/" + script, cookie=d.cookie())
        self.assertIn(b"immutable", answer)
        self.assertIn(b"Content-Type: text/javascript", answer)
        self.assertEqual(self.status(d.request("/nothing", cookie=d.cookie())), 404)
        self.assertEqual(self.status(d.request("/file/0", cookie=d.cookie())), 404)
        self.assertEqual(self.status(d.request("/", cookie=d.cookie(), method="POST")), 405)

    def test_missions_have_pictures_side_by_side(self):
        d = self.desktop()
        path = {m["name"]: m for m in d.page().ask("home")["missions"]}["aausat2"]["picture"]
        head, _, body = d.request(path, cookie=d.cookie()).partition(b"\r\n\r\n")
        self.assertIn(b"Content-Type: image/webp", head)
        # RFC 9649, 2.7: the size of the canvas less one, in 24 bits
        self.assertEqual((body[:4], body[8:16]), (b"RIFF", b"WEBPVP8X"))
        self.assertEqual([int.from_bytes(body[k:k + 3], "little") + 1 for k in (24, 27)], [24 * 240, 150])
        self.assertEqual(self.status(d.request(path)), 403)
        for none in ("/picture/", "/picture/relay", "/picture/../aausat2", path + "x"):
            self.assertEqual(self.status(d.request(none, cookie=d.cookie())), 404, none)

    def test_pages_of_other_origins_and_names_get_nothing(self):
        d = self.desktop()
        for origin in ("http://evil.example", f"http://localhost:{d.port + 1}", "null", f"https://127.0.0.1:{d.port}"):
            with self.assertRaises(ConnectionError) as refused:
                Page(d.port, d.cookie(), origin=origin)
            self.assertIn("403", str(refused.exception))
        for host in ("evil.example", f"evil.example:{d.port}", f"127.0.0.1.evil.example:{d.port}", "10.1.2.3"):
            self.assertEqual(self.status(d.request("/", host=host, cookie=d.cookie())), 403, host)
            with self.assertRaises(ConnectionError):
                Page(d.port, d.cookie(), host=host)
        self.assertEqual(Page(d.port, d.cookie(), origin=f"http://127.0.0.1:{d.port}").ask("hello")["role"], "control")
        # through a tunnel the port is another one
        self.assertEqual(Page(d.port, d.cookie(), host="localhost:9000", origin="http://localhost:9000").ask("hello")["role"], "control")

    def test_the_second_address_only_watches(self):
        run = self.recorded()
        d = self.desktop()
        watching, controlling = d.page(token=d.watch_token), d.page()
        self.assertEqual(watching.ask("hello")["role"], "watch")
        self.assertEqual(watching.ask("open", run=run)["status"], "finished")
        for do, more in (("start", {"document": str(MISSION)}), ("order", {"run": run, "line": "stop"})):
            self.assertEqual(self.refused(watching, do, **more), ["error[V8104]"])
        # what lies elsewhere is shown to it when somebody in control has opened it
        elsewhere = self.folder.parent / (self.folder.name + "_elsewhere")
        self.addCleanup(lambda: __import__("shutil").rmtree(elsewhere))
        (self.folder / "runs").joinpath("aausat2-0001").rename(elsewhere)
        self.assertEqual(self.refused(watching, "open", run=str(elsewhere)), ["error[V8107]"])
        controlling.ask("open", run=str(elsewhere))
        self.assertEqual(watching.ask("open", run=str(elsewhere))["live"], False)

    def test_read_only_has_one_address(self):
        d = self.desktop("--read-only")
        self.assertEqual(len(d.addresses), 1)
        self.assertEqual(self.refused(d.page(), "start", document=str(MISSION)), ["error[V8104]"])


class Requests(WithDesktop):
    def test_home_lists_what_can_be_and_was_run(self):
        self.recorded()
        page = self.desktop("runs/latest").page()
        hello = page.ask("hello")
        self.assertEqual((hello["protocol"], hello["folder"], hello["start"]), (1, str(self.folder), {"run": "runs/aausat2-0001"}))
        home = page.ask("home")
        missions = {m["name"]: m for m in home["missions"]}
        self.assertIn("cassini", missions)
        self.assertTrue(missions["aausat2"]["title"])
        self.assertTrue(pathlib.Path(missions["aausat2"]["document"]).exists())
        self.assertIn("relay", [e["name"] for e in home["examples"]])
        (run,) = home["runs"]
        self.assertEqual((run["run"], run["status"], run["live"], run["reached"], run["checks_failed"]), ("runs/aausat2-0001", "finished", False, 900, 0))

    def test_values_are_those_of_export(self):
        run = self.recorded()
        page = self.desktop().page()
        opened = page.ask("open", run=run)
        self.assertEqual((opened["begin"], opened["end"], opened["complete"], opened["live"]), (0, 900, 900, False))
        self.assertEqual(opened["manifest"]["document"], "aausat2.xml")
        self.assertEqual([f["name"] for f in opened["figures"]], ["figure12", "figure13", "figure14", "figure15"])
        table = list(csv.reader(io.StringIO(self.vernier("export", run).stdout)))
        names = {name.partition(" [")[0]: i for i, name in enumerate(table[0])}
        rows = [[float(cell) if cell else None for cell in row] for row in table[1:]]
        compared = 0
        for number, s in enumerate(opened["signals"]):
            for element in range(s["count"]):
                column = names[s["path"] if s["count"] == 1 else f"{s['path']}[{element}]"]
                expected = [(row[0], row[column]) for row in rows if row[column] is not None]
                times, values, whole = page.ask("read", run=run, signal=number, element=element, points=100000, **{"from": 0, "to": 900})
                self.assertTrue(whole)
                self.assertEqual(list(zip(times, values)), expected)
                compared += len(expected)
        self.assertGreater(compared, 9000 * 30)
        # reduced: fewer points, true extremes, and the edges
        omega = next(i for i, s in enumerate(opened["signals"]) if s["path"] == "body.omega_norm")
        times, values, whole = page.ask("read", run=run, signal=omega, element=0, points=200, **{"from": 100, "to": 300})
        inside = [row[names["body.omega_norm"]] for row in rows if 100 <= row[0] <= 300]
        self.assertFalse(whole)
        self.assertLessEqual(len(times), 310)
        self.assertEqual((min(values[1:-1]), max(values[1:-1])), (min(inside), max(inside)))
        self.assertLessEqual(times[0], 100)
        self.assertGreaterEqual(times[-1], 300)
        at = page.ask("row", run=run, signals=[omega, 0], at=100.05)["values"]
        self.assertEqual(at[str(omega)], [next(row[names["body.omega_norm"]] for row in reversed(rows) if row[0] <= 100.05)])
        self.assertEqual(len(at["0"]), opened["signals"][0]["count"])

    def test_events_come_with_their_reasons(self):
        run = self.recorded()
        page = self.desktop().page()
        answer = page.ask("events", run=run, after=0)
        self.assertEqual(answer["total"], 2)
        with open(self.folder / run / "events.csv", encoding="utf-8", newline="") as file:
            expected = list(csv.DictReader(file))
        for event, line in zip(answer["events"], expected):
            self.assertEqual(event["time"], float(line.pop("time")))
            self.assertEqual({k: event[k] for k in line}, line)
        self.assertEqual(page.ask("events", run=run, after=1)["events"], answer["events"][1:])

    def test_documents_are_described(self):
        run = self.recorded("--set", "supervisor.slow=0.02 rad/s")
        page = self.desktop().page()
        for subject, slow in (({"document": str(MISSION)}, "0.017"), ({"run": run}, "0.02")):
            automaton = next(a for a in page.ask("automata", **subject) if a["path"] == "supervisor")
            self.assertEqual([l["name"] for l in automaton["locations"]], ["Start", "Detumbling", "Pointing"])
            self.assertEqual((automaton["initial"], automaton["mode_signal"]), ("Start", "supervisor.mode"))
            back = automaton["transitions"][-1]
            self.assertEqual((back["from"], back["to"], back["label"]), ("Pointing", "Detumbling", "telecommand"))
            text = page.ask("source", **subject)["files"]
            self.assertIn("<interconnection", text[0]["text"])
            lines = next(f["text"] for f in text if "supervisor" in f["file"]).split("\n")
            self.assertIn("<transition>", lines[back["line"] - 1])
            parameters = {p["path"]: p for p in page.ask("parameters", **subject)}
            self.assertEqual((parameters["supervisor.slow"]["value"], parameters["supervisor.slow"]["unit"]), (slow, "rad/s"))
            self.assertIn("craft", [b["kind"] for b in page.ask("scene", **subject)["bodies"]])

    def test_checks_are_those_of_the_command_line(self):
        page = self.desktop().page()
        bad = self.folder / "bad.xml"
        text = MISSION.read_text(encoding="utf-8").replace("supervisor.xml", str(MISSION.with_name("supervisor.xml"))).replace('to="coils', 'to="coil')
        bad.write_text(text, encoding="utf-8")
        expected = json.loads(self.vernier("check", "bad.xml", "--json", status=2).stdout)["problems"]
        self.assertTrue(expected)
        self.assertEqual(page.ask("check", document="bad.xml")["problems"], expected)
        good = text.replace('to="coil', 'to="coils')
        self.assertEqual(page.ask("check", document="bad.xml", text=good)["problems"], [])
        self.assertEqual(bad.read_text(encoding="utf-8"), text)
        # and those of a run that is not begun
        with self.assertRaises(Refused) as refused:
            page.ask("start", document="bad.xml")
        self.assertEqual(refused.exception.problems, expected)
        self.assertFalse((self.folder / "runs").exists())

    def test_bad_requests_are_answered(self):
        page = self.desktop().page()
        for do, more in (("dance", {}), ("open", {}), ("open", {"run": 7}), ("read", {"run": "x", "signal": -1, "from": 0, "to": 1, "points": 10}),
                         ("read", {"run": "x", "signal": 0, "from": "a", "to": 1, "points": 10}), ("follow", {"run": "x", "columns": [], "rate": 1e9}),
                         ("order", {"run": "x", "line": "a\nb"}), ("follow", {"run": "x", "columns": [[0, 0]] * 50001})):
            self.assertEqual(self.refused(page, do, **more), ["error[V8103]"], (do, more))
        for do, more in (("open", {"run": "runs/none"}), ("open", {"run": "/"}), ("scene", {"document": "none.xml"}), ("start", {"document": "/"})):
            self.assertEqual(self.refused(page, do, **more), ["error[V8102]"], (do, more))
        page.send_frame(1, b"nonsense")
        page.wait_for(lambda p: 0 in p.answers)
        self.assertEqual(page.answers.pop(0)["problems"][0]["code"], "V8103")

    def test_a_run_that_vanishes_or_is_newer_is_a_sentence(self):
        run = self.recorded()
        page = self.desktop().page()
        opened = page.ask("open", run=run)
        manifest = self.folder / run / "manifest.json"
        text = manifest.read_text(encoding="utf-8")
        manifest.write_text(text.replace('"manifest": 1', '"manifest": 2'), encoding="utf-8")
        self.assertEqual(self.refused(page, "open", run=run), ["error[V7108]"])
        manifest.write_text(text, encoding="utf-8")
        self.assertEqual(page.ask("open", run=run), opened)
        (self.folder / run).rename(self.folder / "away")
        self.assertEqual(self.refused(page, "open", run=run), ["error[V8102]"])
        self.assertEqual(self.refused(page, "events", run=run), ["error[V8102]"])


class Live(WithDesktop):
    def column(self, opened, path):
        return next(i for i, s in enumerate(opened["signals"]) if s["path"] == path)

    def test_a_run_is_started_followed_and_ordered(self):
        page = self.desktop().page()
        run, opened = self.live_run(page, set=["supervisor.slow=0.02 rad/s"])
        self.assertEqual((opened["live"], opened["status"], opened["end"]), (True, "running", 900))
        self.assertEqual(opened["manifest"]["set"], ["supervisor.slow=0.02 rad/s"])
        columns = [[self.column(opened, "body.omega"), 2], [self.column(opened, "supervisor.mode"), 0]]
        follow = page.ask("follow", run=run, columns=columns, rate=20)["follow"]
        seen = {0: {}, 1: {}}

        def take(page):
            for message in page.binaries:
                number, dropped, found = live(message)
                self.assertEqual((number, dropped), (follow, 0))
                for position, (times, values) in found.items():
                    self.assertEqual(times, sorted(times))
                    seen[position].update(zip(times, values))
            page.binaries.clear()
            return len(seen[0]) >= 20

        page.wait_for(take)
        status = page.wait_for(lambda p: [t for t in p.told if t["time"] > 1])[-1]
        self.assertEqual((status["run"], status["live"], status["frozen"], status["lost"]), (run, True, False, 0))
        self.assertIn("frozen", page.ask("order", run=run, line="freeze")["answer"])
        page.wait_for(lambda p: p.told[-1]["frozen"])
        self.assertEqual(self.refused(page, "order", run=run, line="dance"), ["error[V4121]"])
        page.ask("unfollow", follow=follow)
        page.ask("order", run=run, line="stop")
        end = page.wait_for(lambda p: [t for t in p.told if not t["live"]])[0]
        self.assertEqual((end["status"], end["run"]), ("interrupted", run))
        # what was live is what was recorded
        take(page)
        for position, (signal, element) in enumerate(columns):
            times, values, _ = page.ask("read", run=run, signal=signal, element=element, points=100000, **{"from": 0, "to": 900})
            recorded = dict(zip(times, values))
            self.assertTrue(seen[position])
            for time, value in seen[position].items():
                self.assertIn(time, recorded)
                if times.count(time) == 1:
                    self.assertEqual(recorded[time], value)

    def test_overrides_are_told(self):
        page = self.desktop().page()
        run, _ = self.live_run(page, document=CASSINI)
        page.ask("order", run=run, line="set ext.disturbance 0 0 2")
        page.wait_for(lambda p: p.told and p.told[-1]["overrides"] == ["ext.disturbance"])
        page.ask("order", run=run, line="release ext.disturbance")
        page.wait_for(lambda p: p.told[-1]["overrides"] == [])

    def test_two_pages_see_the_same(self):
        d = self.desktop()
        first, second = d.page(), d.page(token=d.watch_token)
        run, opened = self.live_run(first)
        second.ask("open", run=run)
        signal = self.column(opened, "body.omega")
        seen = []
        for page in (first, second):
            page.ask("follow", run=run, columns=[[signal, 0]], rate=10)
        for page in (first, second):
            values = {}
            page.wait_for(lambda p: len([values.update(zip(*live(b)[2][0])) for b in p.binaries]) and len(values) >= 15)
            seen.append(values)
        common = seen[0].keys() & seen[1].keys()
        self.assertGreaterEqual(len(common), 10)
        for time in common:
            self.assertEqual(seen[0][time], seen[1][time])

    def test_a_run_continues_after_a_rewind(self):
        page = self.desktop().page()
        run, _ = self.live_run(page)
        page.ask("order", run=run, line="rewind 0")
        end = page.wait_for(lambda p: [t for t in p.told if not t["live"]])[0]
        self.assertEqual(end["next"], "runs/aausat2-0002")
        self.assertTrue(page.ask("open", run=end["next"])["live"])
        # also when another program asks for it
        self.vernier("rewind", "0s", "--run", end["next"])
        end = page.wait_for(lambda p: [t for t in p.told if t["run"] == end["next"] and not t["live"]])[0]
        self.assertEqual(end["next"], "runs/aausat2-0003")

    def test_a_run_is_repeated_with_a_change(self):
        run = self.recorded("--until", "20s")
        page = self.desktop().page()
        again = page.ask("start", run=run, set=["supervisor.slow=0.5 rad/s"])["run"]
        wait_until(lambda: not page.ask("open", run=again)["live"], "the end of the run")
        opened = page.ask("open", run=again)
        self.assertEqual((opened["status"] in ("finished", "check failed"), opened["complete"]), (True, 20))
        self.assertGreater(page.ask("events", run=again)["total"], page.ask("events", run=run)["total"])

    def test_a_run_survives_its_desktop(self):
        d = self.desktop()
        run, _ = self.live_run(d.page())
        d.kill()
        before = self.vernier("status", run).stdout
        wait_until(lambda: self.vernier("status", run).stdout != before, "progress of the run")
        page = self.desktop().page()
        self.assertTrue(page.ask("open", run=run)["live"])

    def test_ctrl_c_ends_the_desktop_and_not_the_run(self):
        d = self.desktop()
        page = d.page()
        run, _ = self.live_run(page)
        d.process.send_signal(signal.SIGINT)
        self.assertEqual(d.process.wait(), 0)
        with self.assertRaises(ConnectionError) as closed:
            while True:
                page.receive()
        self.assertIn("1001", str(closed.exception))
        self.vernier("status", run)


class Hostile(WithDesktop):
    """Visitors that do not keep to the protocol; another page works on meanwhile."""

    def setUp(self):
        super().setUp()
        self.run_folder = self.recorded()
        self.d = self.desktop()
        self.good = self.d.page()

    def still_works(self):
        self.assertEqual(self.good.ask("open", run=self.run_folder)["status"], "finished")

    def connected(self):
        s = socket.create_connection(("127.0.0.1", self.d.port), 300)
        self.addCleanup(s.close)
        return s

    def test_garbage_is_refused(self):
        for garbage in (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + os.urandom(500), os.urandom(20000), b"GET / HTTP/1.1\r\n" * 2000, b"\r\n" * 9000,
                        b"GET /" + b"a" * 20000, b"GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999999\r\n\r\n",
                        b"GET / HTTP/1.1\nHost: localhost\n\n"):
            s = self.connected()
            try:
                s.sendall(garbage)
                s.shutdown(socket.SHUT_WR)
                while answer := s.recv(65536):
                    self.assertNotIn(b"200 OK", answer)
            except ConnectionError:
                pass
            self.still_works()

    def test_frames_that_are_none_close_the_socket(self):
        for frame, code in ((b"\xc1\x80\1\2\3\4", 1002), (b"\x81\x05hello", 1002), (b"\x81\xff" + b"\x7f" + b"\xff" * 7 + b"\1\2\3\4", 1009),
                            (b"\x81\x82\0\0\0\0\xc3\x28", 1007), (b"\x82\x81\0\0\0\0a", 1003), (b"\x89\xfe\x00\xff\1\2\3\4", 1002)):
            page = self.d.page()
            page.socket.sendall(frame)
            with self.assertRaises(ConnectionError) as closed:
                page.receive()
            self.assertIn(str(code), str(closed.exception), frame)
            self.still_works()

    def test_half_open_and_silent_connections_leave_room(self):
        waiting = [self.connected() for _ in range(150)]
        for s in waiting[::2]:
            try:
                s.sendall(b"GET / HTTP/1.1\r\nHost: ")
            except ConnectionError:
                pass  # it made room for others
        self.still_works()
        self.assertEqual(self.d.page().ask("hello")["protocol"], 1)

    def test_a_page_that_asks_without_reading_is_held_back(self):
        slow = self.d.page(receive_buffer=4096)
        slow.socket.settimeout(1.0)
        sent = 0
        try:
            for _ in range(100000):
                slow.send("open", run=self.run_folder, more="x" * 1000)
                sent += 1
        except TimeoutError:
            pass
        self.assertLess(sent, 100000, "it was never held back")
        self.still_works()
        used = int(re.search(r"VmRSS:\s+(\d+) kB", pathlib.Path(f"/proc/{self.d.process.pid}/status").read_text())[1])
        self.assertLess(used, 400_000)


class Slow(WithDesktop):
    def test_a_page_that_reads_nothing_loses_samples_and_the_run_none(self):
        d = self.desktop()
        page = d.page()
        run, opened = self.live_run(page, document=CASSINI)
        self.assertGreater(len(opened["signals"]), 5)
        columns = [[i, e] for i, s in enumerate(opened["signals"]) for e in range(s["count"])]
        slow = d.page(receive_buffer=1 << 16)
        slow.ask("open", run=run)
        for _ in range(8):
            slow.send("follow", run=run, columns=columns * 20, rate=60)
        page.ask("follow", run=run, columns=columns, rate=20)

        def newest(found):
            return max((times[-1] for times, _ in found.values() if times), default=0.0)

        # it reads nothing, longer each time; then all that there is for it, which says whether something was dropped
        dropped, silent = 0, 1
        while not dropped:
            wanted = len(page.binaries) + silent
            silent *= 2
            page.wait_for(lambda p: len(p.binaries) >= wanted)
            now = newest(live(page.binaries[-1])[2])
            reached = 0.0
            while not dropped and reached < now:
                message = slow.receive()
                if isinstance(message, bytes):
                    _, dropped, found = live(message)
                    reached = newest(found)
        # the other page got everything, and so did the run
        self.assertEqual({live(b)[1] for b in page.binaries}, {0})
        self.assertEqual(page.told[-1]["dropped"], 0)


class Command(WithDesktop):
    def test_tls_serves_https(self):
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", "own.key", "-out", "own.pem",
                        "-days", "2", "-subj", "/CN=test", "-addext", "subjectAltName=IP:127.0.0.1"], cwd=self.folder, check=True, capture_output=True)
        d = self.desktop("--cert", "own.pem", "--key", "own.key")
        self.assertTrue(d.addresses[0].startswith("https://127.0.0.1:"))
        import ssl
        import urllib.request
        context = ssl.create_default_context(cafile=self.folder / "own.pem")
        request = urllib.request.Request(f"https://127.0.0.1:{d.port}/", headers={"Cookie": d.cookie()})
        with urllib.request.urlopen(request, context=context) as answer:
            self.assertEqual(answer.status, 200)
        self.assertIn(b"; Secure", self.tls_request(context, d))

    def tls_request(self, context, d):
        with socket.create_connection(("127.0.0.1", d.port)) as plain, context.wrap_socket(plain, server_hostname="127.0.0.1") as s:
            s.sendall(f"GET /?token={d.token} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n".encode())
            answer = b""
            while more := s.recv(65536):
                answer += more
            return answer

    def demo(self, *words, **environment):
        """Everything that the demo says on a terminal, until it ends or serves the desktop."""
        master, terminal = os.openpty()
        process = subprocess.Popen([VERNIER, "demo", *words], cwd=self.folder, env={**os.environ, **environment}, stdout=terminal, stderr=terminal)
        os.close(terminal)
        self.addCleanup(os.close, master)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        said = b""
        try:
            while b"Ctrl-C ends" not in said:
                said += os.read(master, 65536)
        except OSError:  # the other end was closed
            pass
        return process, said.decode()

    def test_the_demo_ends_in_the_desktop_where_there_is_a_display(self):
        opener = self.folder / "bin/xdg-open"
        opener.parent.mkdir()
        opener.write_text("#!/bin/sh\n", encoding="utf-8")
        opener.chmod(0o755)
        display = {"PATH": f"{opener.parent}:{os.environ['PATH']}", "DISPLAY": ":0", "WAYLAND_DISPLAY": ""}
        process, said = self.demo(**display)
        port, token = re.search(r"desktop +http://127\.0\.0\.1:(\d+)/\?token=(\w+)", said).groups()
        page = Page(int(port), f"vernier_{port}={token}")
        hello = page.ask("hello")
        self.assertEqual((hello["demo"], hello["start"]), (True, {"run": "runs/aausat2-0001"}))
        self.assertEqual(page.ask("open", run="runs/aausat2-0001")["status"], "finished")
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(), 0)
        for words, environment in (((), {"DISPLAY": "", "WAYLAND_DISPLAY": ""}), (("--no-browser",), display)):
            process, said = self.demo(*words, **environment)
            self.assertIn("pictures", said)
            self.assertEqual(process.wait(), 0)

    def test_a_port_in_use_is_a_sentence(self):
        (port,) = free_ports(1)
        s = socket.socket()
        self.addCleanup(s.close)
        s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        s.bind(("127.0.0.1", port))
        s.listen()
        said = self.vernier("desktop", "--no-browser", "--port", port, status=2).stderr
        self.assertIn("V8101", said)

    def test_the_browser_is_opened_where_there_is_a_display(self):
        opener = self.folder / "bin/xdg-open"
        opener.parent.mkdir()
        opener.write_text(f"#!/bin/sh\necho \"$1\" > {self.folder}/opened.new\nmv {self.folder}/opened.new {self.folder}/opened\n", encoding="utf-8")
        opener.chmod(0o755)
        environment = {**os.environ, "PATH": f"{opener.parent}:{os.environ['PATH']}", "DISPLAY": ":0"}
        process = subprocess.Popen([VERNIER, "desktop", "--port", "0"], cwd=self.folder, env=environment, text=True, stdout=subprocess.PIPE)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        printed = process.stdout.readline().split()[-1]
        opened = self.folder / "opened"
        wait_until(opened.exists, "the browser")
        address = opened.read_text().strip()
        self.assertEqual(address.split("?")[0], printed.split("?")[0])
        # others see the words of a process: this token opens the page once, for the browser
        self.assertNotEqual(address, printed)
        port, token = re.search(r":(\d+)/\?token=(\w+)", address).groups()

        def first_line():
            with socket.create_connection(("127.0.0.1", int(port))) as s:
                s.sendall(f"GET /?token={token} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode())
                return s.makefile("rb").readline()

        self.assertIn(b"303", first_line())
        self.assertIn(b"403", first_line())


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
