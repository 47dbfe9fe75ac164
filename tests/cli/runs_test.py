#!/usr/bin/env python3
"""Uses the program as people do: runs documents, presses Ctrl-C, looks at results.

usage: runs_test.py <vernier> <source tree> [<unittest argument>...]
"""
import base64
import csv
import gzip
import json
import math
import os
import pathlib
import pty
import re
import select
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

from in_a_folder import FEEDBACK, PATIENCE, SOURCE, VERNIER, InAFolder, free_ports, wait_until

# goes on until somebody stops it
SLOW = ["run", str(FEEDBACK), "--rate", "1", "--until", "3600s"]
# an event every 10 µs
CLOCK = """<hybridsystem name="clock" version="1">
  <states><state name="tau" unit="s"/></states>
  <initial location="Low"/>
  <location><name>Low</name><diffequation state="tau">1</diffequation>
    <transitions><transition><name>tick</name><domain>tau &gt;= 1e-5</domain>
      <reset><destination>High</destination><statereset state="tau">0</statereset></reset></transition></transitions></location>
  <location><name>High</name><diffequation state="tau">1</diffequation>
    <transitions><transition><name>tock</name><domain>tau &gt;= 1e-5</domain>
      <reset><destination>Low</destination><statereset state="tau">0</statereset></reset></transition></transitions></location>
</hybridsystem>"""


class Run(InAFolder):
    def test_it_says_what_runs_what_happens_and_where_the_results_are(self):
        said = self.vernier("run", FEEDBACK)
        self.assertEqual(said.stderr, "")
        self.assertRegex(said.stdout, r"^vernier \S+ · feedback · 3 components · 20 s at 10 Hz, as fast as possible\n")
        self.assertRegex(said.stdout, r"(?m)^  checked +composition, .* \d+\.\d\d s$")
        self.assertRegex(said.stdout, r"(?m)^  ready +.* \d+\.\d\d s$")
        # closed form: 2 ln 3 and 2 ln 3 + 2 ln 5
        self.assertRegex(said.stdout, r"(?m)^  t = +2\.197 s +relay +On → Off +u >= high")
        self.assertRegex(said.stdout, r"(?m)^  t = +5\.416 s +relay +Off → On +u <= low")
        self.assertRegex(said.stdout, r"(?m)^finished in \d.* \(\d.* × real time\)$")
        self.assertRegex(said.stdout, r"(?m)^  switched on +3 +\(counter\.count\)$")
        self.assertRegex(said.stdout, r"(?m)^  ✓ counted +")
        self.assertIn("results   runs/feedback-0001/", said.stdout)

    def test_files_that_models_name_are_kept_with_the_run(self):
        shutil.copytree(SOURCE / "examples/multibody", self.folder / "craft")
        self.vernier("run", "craft/burn.xml", "--until", "0.1s")
        self.assertTrue((self.folder / "runs/latest/inputs/array.modal").exists())
        shutil.rmtree(self.folder / "craft")
        self.vernier("run", "runs/multibody-0001")
        self.assertIn("the runs agree", self.vernier("compare", "runs/multibody-0001", "runs/multibody-0002").stdout)

    def test_shapes_are_kept_with_the_run_and_are_in_its_report(self):
        shutil.copytree(SOURCE / "examples/shapes", self.folder / "craft")
        self.vernier("run", "craft/shapes.xml", "--until", "0.1s")
        shutil.rmtree(self.folder / "craft")
        self.vernier("run", "runs/shapes-0001")
        self.assertIn("the runs agree", self.vernier("compare", "runs/shapes-0001", "runs/shapes-0002").stdout)
        self.vernier("report", "runs/shapes-0001", "-o", "report.html")
        packed = re.search(r'id="vernier-report">([^<]*)<', (self.folder / "report.html").read_text(encoding="utf-8"))[1]
        data = gzip.decompress(base64.b64decode(packed))
        told = json.loads(data[8:8 + int.from_bytes(data[:8], "little")])
        self.assertEqual(told["left_out"], [])
        answers = told["runs"][0]["answers"]
        drawn = {s["file"].split(",")[0]: base64.b64decode(s["file"].split(",")[1])
                 for b in answers["scene"]["bodies"] for s in b["shapes"] if s["shape"] == "file"}
        self.assertEqual(drawn, {f"data:model/{kind};base64": (SOURCE / "examples/shapes" / file).read_bytes()
                                 for kind, file in (("gltf-binary", "bus.glb"), ("stl", "panel.stl"), ("obj", "antenna.obj"))})
        self.assertEqual([pathlib.Path(f["file"]).suffix for f in answers["source"]["files"]], [".xml", ".xml"])

    def test_data_that_parameters_name_are_kept_with_the_run(self):
        shutil.copytree(SOURCE / "examples/csv", self.folder / "csv")
        (self.folder / "data").mkdir()
        shutil.copy(self.folder / "csv/gyro.csv", self.folder / "data/other.csv")
        self.vernier("run", "csv/replay.xml")
        self.vernier("run", "csv/replay.xml", "--set", f"gyro.file={self.folder}/data/other.csv")
        shutil.rmtree(self.folder / "csv")
        shutil.rmtree(self.folder / "data")
        for run in ("replay-0001", "replay-0002"):
            again = self.vernier("run", f"runs/{run}", "-q").stdout.strip()
            self.vernier("compare", f"runs/{run}", again)
            manifest = json.loads((self.folder / again / "manifest.json").read_text())
            self.assertTrue(any(i["file"].endswith(".csv") for i in manifest["inputs"]))

    def test_keys_are_not_kept_with_the_run(self):
        shutil.copytree(SOURCE / "examples/link", self.folder / "link")
        (self.folder / "key").write_bytes(b"0123456789abcdef" * 2)
        (self.folder / "key").chmod(0o600)
        control, data = free_ports()
        self.vernier("run", "link/facility.xml", "--until", "0.1s", "--set", f"simulator.key={self.folder}/key",
                     "--set", f"simulator.listen=127.0.0.1:{control}", "--set", f"simulator.data=127.0.0.1:{data}")
        self.assertEqual(list((self.folder / "runs").rglob("key")), [])

    def test_states_are_recorded_like_outputs(self):
        (self.folder / "decay.xml").write_text("""<hybridsystem name="Decay" version="1">
          <states><state name="x" initial="1"/><state name="v" size="2" initial="3 4"/></states>
          <location><name>L</name><diffequation state="x">-x</diffequation><diffequation state="v">0*v</diffequation></location>
          </hybridsystem>""")
        top = """<interconnection name="top" version="1"><system id="decay" file="decay.xml"/>{}<run stop="2 s" step="100 ms"/>
          <record signals="decay.*" every="1 s"/><report name="last" signal="decay.x"/>
          <check name="closed form" signal="decay.x" kind="near" limit="0.1353352832366127" tolerance="1e-8" from="2 s"/></interconnection>"""
        (self.folder / "top.xml").write_text(top.format(""))
        self.vernier("run", "top.xml")
        rows = self.vernier("export", "runs/latest").stdout.splitlines()
        self.assertEqual(rows[0], "time [s],decay.v[0] [1],decay.v[1] [1],decay.x [1]")
        self.assertAlmostEqual(float(rows[-1].split(",")[3]), math.exp(-2), places=8)
        # equations do not see a state that was set from outside, and another part sees outputs only
        (self.folder / "top.xml").write_text(top.format('<connector id="c" file="c.xml"/><connect from="decay.x" to="c.x"/>'))
        (self.folder / "c.xml").write_text('<ioconnector name="c" version="1" adapter="csv"><inputs><input name="x"/></inputs>'
                                           '<parameter name="file">log.csv</parameter></ioconnector>')
        self.assertIn("decay.x is a state: it can be watched, but not connected", self.vernier("check", "top.xml", status=2).stderr)

    def test_a_document_may_extend_another_and_is_repeated_from_its_copy(self):
        good = SOURCE / "formats/hybrid/good"
        (self.folder / "models").mkdir()
        for name in ("attitude.xml", "heavy.xml"):
            (self.folder / "models" / name).write_text((good / name).read_text().replace("../hybrid.dtd", "hybrid.dtd"))
        self.vernier("run", "models/heavy.xml", "--until", "5s", "--record", "*")
        self.assertTrue((self.folder / "runs/latest/inputs/attitude.xml").exists())
        shutil.rmtree(self.folder / "models")
        self.vernier("run", "runs/heavy-0001")
        self.assertIn("the runs agree", self.vernier("compare", "runs/heavy-0001", "runs/heavy-0002").stdout)

    def test_the_next_commands_can_be_pasted(self):
        said = self.vernier("run", FEEDBACK).stdout
        commands = re.findall(r"(?m)^(?:  next)? +vernier (.*)$", said)
        self.assertEqual(len(commands), 2)
        for command in commands:
            self.vernier(*shlex.split(command))

    def test_names_that_are_printed_can_be_pasted_into_plot_and_export(self):
        said = self.vernier("run", FEEDBACK, "--record", "*").stdout
        names = set(re.findall(r"\((\w+(?:\.\w+)+)\)$", said, re.M))
        self.assertIn("counter.count", names)
        for name in names:
            self.vernier("plot", "runs/latest", name, "-o", "x.svg")
            self.assertIn(name, self.vernier("export", "runs/latest", name).stdout)

    def test_quiet_prints_the_folder_and_nothing_else(self):
        said = self.vernier("run", FEEDBACK, "--quiet")
        self.assertEqual((said.stdout, said.stderr), ("runs/feedback-0001\n", ""))

    def test_json_is_one_object(self):
        found = json.loads(self.vernier("run", FEEDBACK, "--json", "--out", "elsewhere").stdout)
        self.assertEqual(found["folder"], "elsewhere/feedback-0001")
        self.assertEqual(found["status"], "finished")
        self.assertEqual(found["reports"][0], {"name": "switched on", "signal": "counter.count", "value": 3.0,
                                               "unit": "1"})
        self.assertTrue(all(check["kept"] for check in found["checks"]))

    def test_a_check_that_the_run_did_not_reach_is_not_one_that_holds(self):
        said = self.vernier("run", SOURCE / "missions/aausat2/aausat2.xml", "--until", "300").stdout
        self.assertRegex(said, r"(?m)^  – points from 600 s on +was never looked at")
        found = json.loads((self.folder / "runs/latest/manifest.json").read_text())
        self.assertEqual({c["name"]: c["seen"] for c in found["checks"]}["points from 600 s on"], False)
        self.assertEqual([c["seen"] for c in found["checks"]].count(False), 1)

    def test_a_broken_check_ends_with_status_3(self):
        said = self.vernier("run", FEEDBACK, "--set", "relay.high=4", status=3)
        self.assertRegex(said.stdout, r"(?m)^  ✗ never over the limit +at most 4")
        self.assertIn("a check failed", said.stdout)

    def test_bad_input_ends_with_status_2_and_leaves_nothing(self):
        for words in [["nowhere.xml"], [FEEDBACK, "--set", "plnt.rate=1"], [FEEDBACK, "--until", "soon"],
                      [FEEDBACK, "--rate", "-1"], [FEEDBACK, "--from", "none.vchk"], [FEEDBACK, "--set", "plant.rate=1kg"],
                      [FEEDBACK, "--override", "plant.v=1"], [FEEDBACK, "--threads", "0"], [self.folder]]:
            with self.subTest(words):
                said = self.vernier("run", *words, status=2)
                self.assertNotEqual(said.stderr, "")
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_settings_reach_the_run_and_its_manifest(self):
        self.vernier("run", FEEDBACK, "--set", "plant.rate=0.25", "--set", "run.step=50ms", "--until", "2s", "--seed",
                     "7", "--quiet")
        manifest = json.loads((self.folder / "runs/latest/manifest.json").read_text())
        self.assertEqual(manifest["seed"], 7)
        self.assertEqual(manifest["set"], ["plant.rate=0.25", "run.step=50ms"])
        self.assertEqual(manifest["command"][:2], ["vernier", "run"])

    def test_a_run_is_repeated_from_its_folder_to_the_bit(self):
        shutil.copytree(FEEDBACK.parent, self.folder / "copy")
        self.vernier("run", "copy/feedback.xml", "--set", "plant.rate=0.6", "--until", "9s", "-q", "--record", "*",
                     status=0)
        shutil.rmtree(self.folder / "copy")
        self.vernier("run", "runs/feedback-0001", "-q")
        self.assertIn("the runs agree", self.vernier("compare", "runs/feedback-0001", "runs/feedback-0002").stdout)

    def test_threads_and_checkpoints_change_no_bit(self):
        self.vernier("run", FEEDBACK, "-q", "--record", "*")
        self.vernier("run", FEEDBACK, "-q", "--record", "*", "--threads", "2")
        self.vernier("run", FEEDBACK, "-q", "--record", "*", "--checkpoint-every", "3s")
        self.vernier("compare", "runs/feedback-0001", "runs/feedback-0002")
        self.vernier("compare", "runs/feedback-0001", "runs/feedback-0003")

    def test_a_run_goes_on_from_a_checkpoint_to_the_bit(self):
        whole = self.vernier("run", FEEDBACK, "--checkpoint-every", "6s", "--json").stdout
        checkpoint = json.loads(whole)["checkpoints"][0]
        rest = json.loads(self.vernier("run", FEEDBACK, "--from", checkpoint, "--json").stdout)
        self.assertGreaterEqual(rest["from_s"], 6.0)
        self.assertEqual(rest["reports"][0], json.loads(whole)["reports"][0])
        # and again, from the folder alone
        shutil.rmtree(self.folder / "runs/feedback-0001")
        again = json.loads(self.vernier("run", rest["folder"], "--json").stdout)
        self.assertEqual(again["from_s"], rest["from_s"])
        self.vernier("compare", rest["folder"], again["folder"])

    def test_no_record_leaves_nothing(self):
        self.vernier("run", FEEDBACK, "--no-record")
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_a_lone_model_runs_and_its_inputs_can_be_set(self):
        self.assertIn("10 s at 100 Hz", self.vernier("run", SOURCE / "formats/hybrid/good/thermostat.xml").stdout)
        self.vernier("run", SOURCE / "formats/interconnection/good/plant.xml", "--set", "u=1", "-q")
        last = self.vernier("export", "runs/latest", "plant.y").stdout.splitlines()[-1]
        self.assertAlmostEqual(float(last.split(",")[1]), 2 * (1 - 2.718281828459045 ** -5), places=7)

    def test_the_wall_clock_is_kept(self):
        began = time.monotonic()
        said = self.vernier("run", FEEDBACK, "--until", "2s", "--rate", "2", "--no-record", "--set", "run.step=10ms")
        self.assertGreater(time.monotonic() - began, 0.99)
        self.assertIn("2 × real time", said.stdout.splitlines()[0])


class Interrupt(InAFolder):
    def wait_for_rows(self, least):
        """Flushed by the run that goes on, twice a second, and read from outside."""
        wait_until(lambda: list(self.folder.glob("runs/*/results.h5")), "a results file")
        def rows():  # none while the file is being made
            done = subprocess.run([VERNIER, "export", "runs/latest", "plant.y"], cwd=self.folder, text=True, capture_output=True, timeout=PATIENCE)
            return len(done.stdout.splitlines()) > least if done.returncode == 0 else False
        wait_until(rows, "rows of a run that goes on")

    def test_ctrl_c_finishes_the_step_closes_the_files_and_says_so(self):
        run = self.start(*SLOW)
        self.wait_for_rows(5)
        run.send_signal(signal.SIGINT)
        out, _ = run.communicate(timeout=PATIENCE)
        self.assertEqual(run.returncode, 130)
        self.assertRegex(out, r"interrupted at t = [\d.]+ s .*the step was finished and the files are closed")
        manifest = json.loads((self.folder / "runs/latest/manifest.json").read_text())
        self.assertEqual(manifest["status"], "interrupted")
        self.vernier("plot", "runs/latest", "plant.y", "-o", "x.svg")

    def test_killed_runs_leave_readable_results(self):
        run = self.start(*SLOW)
        self.wait_for_rows(5)
        run.kill()
        run.communicate()
        self.assertIn("killed", self.vernier("runs").stdout)
        rows = self.vernier("export", "runs/latest", "plant.y").stdout.splitlines()
        self.assertGreater(len(rows), 3)

    def test_killed_runs_are_repaired_for_other_programs(self):
        run = self.start(*SLOW, "--record", "*")
        self.wait_for_rows(5)
        run.kill()
        run.communicate()
        results = self.folder / "runs/feedback-0001/results.h5"
        open_flags = lambda: results.read_bytes()[11]  # of the superblock: a writer has it open
        self.assertNotEqual(open_flags(), 0)
        self.assertEqual(self.vernier("runs", "--repair").stdout,
                         "repaired runs/feedback-0001\n1 repaired\n")
        self.assertEqual(open_flags(), 0)
        self.assertFalse(results.with_name("results.h5.lock").exists())
        times = [float(row.split(",")[0]) for row in
                 self.vernier("export", "runs/latest", "plant.y").stdout.splitlines()[1:]]
        self.assertGreater(len(times), 3)
        self.assertEqual(times, sorted(times))
        self.vernier("runs", "--repair")  # again: nothing is lost
        self.assertEqual(len(times) + 1, len(self.vernier("export", "runs/latest", "plant.y").stdout.splitlines()))

    def test_a_full_disk_ends_the_run_and_keeps_what_was_written(self):
        # a limit on the size of files stands for the disk; only the parent of the program can set it
        command = f"ulimit -f 4000; exec {VERNIER} run {FEEDBACK} --until 1000000s --record 'plant.y' "
        done = subprocess.run(["bash", "-c", command], cwd=self.folder, text=True, capture_output=True, timeout=PATIENCE)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("error[V7104]: cannot write runs/feedback-0001/results.h5: File too large", done.stderr)
        manifest = json.loads((self.folder / "runs/latest/manifest.json").read_text())
        self.assertEqual(manifest["status"], "failed")
        reached = manifest["statistics"]["simulated_s"]
        self.assertLess(reached, 1000000.0)
        rows = self.vernier("export", "runs/latest", "plant.y").stdout.splitlines()[1:]
        self.assertEqual(len(rows), manifest["statistics"]["rows"])
        self.assertGreater(float(rows[-1].split(",")[0]), 0.3 * reached)
        self.assertEqual((self.folder / "runs/latest/results.h5").read_bytes()[11], 0)  # closed in order

    def test_a_disk_of_three_megabytes_keeps_results_manifest_and_report(self):
        # as fast as possible, the disk is full before the first flush, which comes after half a second
        disk = self.folder / "disk"
        disk.mkdir()
        runs = (f"{VERNIER} run {SOURCE}/missions/aausat2/aausat2.xml -q --out disk/runs; echo $? >status1; cp -r disk/runs/latest/ fast; rm -r disk/runs; "
                f"{VERNIER} run {SOURCE}/missions/aausat2/aausat2.xml -q --out disk/runs --rt --rate 1000 --late catch-up; echo $? >status2; cp -r disk/runs/latest/ timed")
        done = subprocess.run(["unshare", "-rm", "bash", "-c", f"mount -t tmpfs -o size=3m tmpfs disk && ({runs})"],
                              cwd=self.folder, text=True, capture_output=True, timeout=PATIENCE)
        if not (self.folder / "status1").exists():
            self.skipTest(f"no file system of its own: {done.stderr}")
        for run, status in (("fast", "status1"), ("timed", "status2")):
            self.assertEqual((self.folder / status).read_text(), "1\n", done.stderr)
            manifest = json.loads((self.folder / run / "manifest.json").read_text())
            self.assertEqual(manifest["status"], "failed")
            rows = self.vernier("export", run, "body.omega_norm").stdout.splitlines()[1:]
            self.assertEqual(len(rows), manifest["statistics"]["rows"])
            self.assertGreater(len(rows), 1000)
        self.assertIn("</html>", (self.folder / "timed/report.html").read_text())

    def test_a_folder_that_vanishes_is_a_failure(self):
        run = self.start(*SLOW)
        self.wait_for_rows(5)
        shutil.rmtree(self.folder / "runs")
        error = run.stderr.readline()
        self.assertIn("V7104", error)
        self.assertIn("results.h5: it was removed during the run", error)
        run.send_signal(signal.SIGTERM)
        out, _ = run.communicate(timeout=PATIENCE)
        self.assertEqual(run.returncode, 1)
        self.assertNotIn("results   runs", out)

    def test_a_terminal_that_closes_ends_a_run_in_order(self):
        run = self.start(*SLOW)
        self.wait_for_rows(5)
        run.send_signal(signal.SIGHUP)
        run.send_signal(signal.SIGHUP)  # the shell and the kernel may both send one
        out, _ = run.communicate(timeout=PATIENCE)
        self.assertEqual(run.returncode, 130)
        self.assertIn("interrupted at t = ", out)
        self.assertEqual(json.loads((self.folder / "runs/latest/manifest.json").read_text())["status"], "interrupted")

    def test_a_reader_that_leaves_ends_a_run_in_order(self):
        run = self.start(*SLOW)
        self.wait_for_rows(1)
        run.stdout.close()  # the next event is printed in vain
        self.assertEqual(run.wait(timeout=PATIENCE), 130)
        self.assertEqual(json.loads((self.folder / "runs/latest/manifest.json").read_text())["status"], "interrupted")

    def test_a_detached_run_survives_its_terminal(self):
        # a terminal of its own, which is closed when the command has returned
        control, terminal = pty.openpty()
        began = subprocess.run([VERNIER, *SLOW, "--detach", "--json"], cwd=self.folder, stdin=terminal, stdout=subprocess.PIPE,
                               stderr=terminal, text=True, timeout=PATIENCE, start_new_session=True)
        self.assertEqual(began.returncode, 0)
        said = json.loads(began.stdout)
        self.addCleanup(lambda: pathlib.Path(f"/proc/{said['process']}").exists() and os.kill(said["process"], signal.SIGKILL))
        os.close(terminal)
        os.close(control)
        self.wait_for_rows(5)
        self.assertEqual(os.getsid(said["process"]), said["process"])
        self.assertIn("running", self.vernier("status", said["folder"]).stdout)
        self.vernier("stop", said["folder"])
        manifest = lambda: json.loads((self.folder / said["folder"] / "manifest.json").read_text())
        wait_until(lambda: manifest()["status"] == "interrupted", "the end of the run")
        self.assertTrue((self.folder / said["folder"] / "output.txt").exists())

    def test_a_detached_run_that_cannot_begin_says_so(self):
        said = self.vernier("run", "nothere.xml", "--detach", status=2)
        self.assertIn("error[V1200]: there is no file nothere.xml", said.stdout)
        self.vernier("run", FEEDBACK, "--detach", "--no-record", status=2)

    def test_repair_mends_the_frame_log_and_removes_what_was_unfinished(self):
        run = self.start(*SLOW, "--rt", "--checkpoint-every", "1s")
        self.wait_for_rows(5)
        run.kill()
        run.communicate()
        folder = self.folder / "runs/feedback-0001"
        (folder / "checkpoints/t=0001.000.vchk.new4711").write_bytes(b"VCHK")
        frames = folder / "frames.h5"
        self.assertNotEqual(frames.read_bytes()[11], 0)
        self.assertEqual(self.vernier("runs", "--repair").stdout, "repaired runs/feedback-0001\n1 repaired\n")
        self.assertEqual(frames.read_bytes()[11], 0)
        self.assertEqual(list(folder.rglob("*.new*")), [])
        self.assertEqual(self.vernier("runs", "--repair").stdout, "0 repaired\n")

    def test_a_full_disk_does_not_stop_a_run_that_keeps_time(self):
        command = (f"ulimit -f 200; exec {VERNIER} run {FEEDBACK} --until 20000s --rate 20000 "
                   "--set run.step=1s --record '*'")
        done = subprocess.run(["bash", "-c", command], cwd=self.folder, text=True, capture_output=True, timeout=PATIENCE)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("error[V7104]", done.stderr)
        manifest = json.loads((self.folder / "runs/latest/manifest.json").read_text())
        self.assertEqual(manifest["statistics"]["simulated_s"], 20000.0)

    def test_a_full_disk_is_reported_while_a_run_that_keeps_time_goes_on(self):
        command = f"ulimit -f 200; exec {VERNIER} run {FEEDBACK} --until 100000s --rate 20 --set run.step=1ms --record '*'"
        run = subprocess.Popen(["bash", "-c", command], cwd=self.folder, text=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        try:
            line = run.stderr.readline()
            self.assertIn("warning[V7104]: cannot write runs/feedback-0001/", line)
            self.assertIsNone(run.poll())
            self.assertIn("running", self.vernier("status").stdout)  # the loop does not wait for the disk
            self.vernier("stop")
            self.assertIn("the run continues; nothing more is recorded", run.stderr.read())
            self.assertEqual(run.wait(timeout=PATIENCE), 1)
        finally:
            run.kill()
            run.stderr.close()
            run.wait()

    def test_event_lines_are_in_order_have_enough_digits_and_are_grouped(self):
        (self.folder / "clock.xml").write_text(CLOCK)
        def told(*words):
            said = self.vernier("run", "clock.xml", "--until", "2ms", "--set", "run.step=100us", *words).stdout.splitlines()
            ready = next(i for i, line in enumerate(said) if line.startswith("  ready "))
            lines = [i for i, line in enumerate(said) if re.match(r"  t = +\S+ s   clock", line)]
            self.assertTrue(all(i > ready for i in lines), said)
            # events and progress, in the order of time; counts name the last one that they stand for
            times = [float(t) for t in re.findall(r"(?m)^(?!.*… ).*\bt = +([\d.]+) s", "\n".join(said[ready:]))]
            self.assertEqual(times, sorted(times), said)
            return [said[i] for i in lines], sum(map(int, re.findall(r"… (\d+) more events? of clock until", "\n".join(said))))
        every, left = told("--events", "all")
        with open(self.folder / "runs/latest/events.csv", newline="") as file:
            events = list(csv.DictReader(file))
        self.assertEqual((len(every), left), (len(events), 0))
        self.assertGreater(len(events), 150)
        self.assertEqual({e["transition"] for e in events}, {"tick", "tock"})
        # 10 µs apart: no two lines have the same time
        self.assertEqual(len({line.split()[2] for line in every}), len(every))
        shown, left = told()
        self.assertEqual(len(shown) + left, len(events))
        self.assertGreater(left, 0)
        self.assertEqual(told("--events", "none"), ([], 0))
        self.assertEqual(len(told("--events", "clo*")[0]), len(events))
        self.assertEqual(told("--events", "other*")[0], [])

    def test_a_run_that_could_not_begin_leaves_no_folder(self):
        (self.folder / "link.xml").write_text(
            '<ioconnector name="link" version="1" adapter="lines"><inputs><input name="u"/></inputs>'
            f'<parameter name="connect">127.0.0.1:{free_ports(1)[0]}</parameter><parameter name="patience">10ms</parameter></ioconnector>')
        self.vernier("run", "link.xml", "--until", "1s", status=2)
        self.assertFalse((self.folder / "runs").exists())
        self.vernier("run", FEEDBACK, "-q")
        self.vernier("run", "link.xml", "--until", "1s", status=2)
        self.assertEqual(sorted(p.name for p in (self.folder / "runs").iterdir()), ["feedback-0001", "latest"])
        self.vernier("info", "runs/latest")

    def test_overrides_are_repeated(self):
        self.vernier("run", FEEDBACK, "-q", "--override", "ext.offset=1", "--override", "counter.count=2", status=3)  # its checks are about other values
        self.vernier("run", "runs/latest", "-q", status=3)
        self.assertIn("agree", self.vernier("compare", "runs/feedback-0001", "runs/feedback-0002").stdout)

    def test_a_terminal_shows_progress_that_rewrites_itself_and_a_second_ctrl_c_ends_at_once(self):
        pid, terminal = pty.fork()
        if pid == 0:
            os.chdir(self.folder)
            os.environ["TERM"] = "xterm"
            os.execv(VERNIER, ["vernier", *SLOW])
        text = b""
        began = time.monotonic()
        def read(enough):
            """Until there is enough, or the program ends."""
            nonlocal text
            while not enough():
                self.assertLess(time.monotonic(), began + PATIENCE, text)
                if select.select([terminal], [], [], 0.05)[0]:
                    try:
                        text += os.read(terminal, 65536)
                    except OSError:
                        return
        draws = lambda: text.count(b"\r\x1b[K")
        read(lambda: b"%" in text and draws() >= 10)
        self.assertLessEqual(draws(), 10 * (time.monotonic() - began) + 2)  # at most ten a second
        self.assertIn("× real time", text.decode(errors="ignore"))
        os.write(terminal, b"\x03")
        os.write(terminal, b"\x03")
        read(lambda: False)
        _, status = os.waitpid(pid, 0)
        self.assertEqual(os.waitstatus_to_exitcode(status), 130)
        os.close(terminal)

    def test_a_pipe_gets_plain_lines(self):
        out = self.vernier("run", FEEDBACK, "--rate", "10", "--no-record").stdout
        self.assertNotIn("\x1b", out)
        tens = [int(n) for n in re.findall(r"(?m)^ +(\d\d) %   t = ", out)]
        # each of them, on a machine that lets it look often enough
        self.assertTrue(tens and tens == sorted(set(tens)) and set(tens) <= set(range(10, 100, 10)), out)


class Results(InAFolder):
    @classmethod
    def setUpClass(cls):
        cls.shared = pathlib.Path(tempfile.mkdtemp(prefix="vernier_cli_"))
        for high in ["3", "2.9"]:
            subprocess.run([VERNIER, "run", FEEDBACK, "-q", "--set", f"relay.high={high}", "--record", "*"],
                           cwd=cls.shared, check=False, capture_output=True)

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.shared, ignore_errors=True)

    def setUp(self):
        super().setUp()
        (self.folder / "runs").symlink_to(self.shared / "runs")

    def test_plot_draws_svg_png_and_a_sketch(self):
        self.vernier("plot", "runs/latest", "plant.*", "relay.y", "-o", "a.svg")
        self.assertIn("plant.y", (self.folder / "a.svg").read_text())
        self.vernier("plot", "feedback-0001", "plant.y", "-o", "a.png")
        self.assertTrue((self.folder / "a.png").read_bytes().startswith(b"\x89PNG"))
        self.assertIn("plant.y", self.vernier("plot", "runs/latest", "plant.y").stdout)
        self.vernier("plot", "runs/latest", "plant.y", "-o", "a.gif", status=2)

    def test_two_runs_lie_over_each_other(self):
        self.vernier("plot", "runs/feedback-0001", "runs/feedback-0002", "plant.y", "-o", "b.svg")
        text = (self.folder / "b.svg").read_text()
        self.assertIn("plant.y · feedback-0001", text)
        self.assertIn("plant.y · feedback-0002", text)

    def test_figures_of_the_document_are_drawn(self):
        said = self.vernier("plot", "runs/feedback-0001", "--figures", "--format", "png").stdout
        self.assertEqual(said, "runs/feedback-0001/figures/feedback.png\n")

    def test_wrong_signals_and_runs_get_suggestions(self):
        self.assertIn("did you mean plant.y?", self.vernier("plot", "runs/latest", "plnt.y", status=2).stderr)
        self.assertIn("feedback-0001", self.vernier("plot", "runs/feedback-001", "plant.y", status=2).stderr)
        self.assertIn("plant.y", self.vernier("plot", "runs/latest", status=2).stderr)

    def test_export_as_csv_and_json(self):
        rows = self.vernier("export", "runs/latest", "plant.y", "--every", "1s").stdout.splitlines()
        self.assertTrue(rows[0].startswith("time [s],plant.y"), rows[0])
        self.assertEqual(len(rows), 22)
        for wrong in ("x.mat", "y.h5"):  # they would hold CSV
            refused = self.vernier("export", "runs/latest", "plant.y", "-o", wrong, status=2)
            self.assertIn("V7118", refused.stderr)
            self.assertFalse((self.folder / wrong).exists())
        self.vernier("export", "runs/latest", "plant.y", "--format", "csv", "-o", "x.mat")
        self.vernier("export", "runs/latest", "-o", "all.json")
        paths = [s["path"] for s in json.loads((self.folder / "all.json").read_text())["signals"]]
        self.assertIn("counter.count", paths)

    def test_compare_names_the_first_divergence(self):
        said = self.vernier("compare", "runs/feedback-0001", "runs/feedback-0002", status=3).stdout
        self.assertRegex(said, r"(?m)^  ✗ relay\.y .* 2\.\d+ s")
        self.assertIn("the runs differ", said)
        self.vernier("compare", "runs/feedback-0001", "runs/feedback-0002", "--absolute", "5", "--signals", "*.y")
        found = json.loads(self.vernier("compare", "runs/feedback-0001", "runs/feedback-0001", "--json").stdout)
        self.assertTrue(found["within"])

    def test_compare_shifts_runs_and_compares_between_rows(self):
        run = "runs/feedback-0001"
        self.vernier("compare", run, run, "--between")


        def compared(*more, status=0):
            done = self.vernier("compare", run, run, "--json", "--signals", "relay.y", *more, status=status)
            return json.loads(done.stdout)["signals"][0]["compared"]
        self.assertEqual(compared("--shift=0s"), compared())
        self.assertLess(compared("--shift=-0.5s", status=3), compared())
        self.assertGreater(compared("--shift=-0.0005s", "--between", status=3), compared())

    def test_report_writes_one_file_that_asks_for_nothing(self):
        done = self.vernier("report", "runs/feedback-0001", "runs/feedback-0002", "--title", "a <b> & c")
        self.assertEqual(done.stdout, "feedback-0001.html\n")
        page = (self.folder / "feedback-0001.html").read_text(encoding="utf-8")
        self.assertIn("<title>a &lt;b&gt; &amp; c</title>", page)
        self.assertIn("default-src 'none'", page)
        self.assertNotRegex(page, r"""(?:src|href)=["']""")
        small = self.vernier("report", "runs/feedback-0001", "-o", "small.html", "--size", "900kB")
        self.assertLessEqual((self.folder / "small.html").stat().st_size, 900_000)
        self.assertEqual(small.stdout, "small.html\n")

    def test_runs_are_listed_described_and_pruned(self):
        listed = json.loads(self.vernier("runs", "--json").stdout)
        self.assertEqual([pathlib.Path(r["folder"]).name for r in listed], ["feedback-0001", "feedback-0002"])
        self.assertIn("counter.count", self.vernier("info", "runs/latest").stdout)
        self.assertIn("signals", json.loads(self.vernier("info", "runs/latest", "--json").stdout))
        self.assertIn("would remove", self.vernier("runs", "--prune", "--keep", "1", "--dry-run").stdout)


class Serve(InAFolder):
    def run_with_plant(self):
        """A composition with the served plant: a lag of gain 2 and 2 s."""
        (self.folder / "top.xml").write_text(
            '<interconnection name="top"><input name="u" value="1"/><connector id="plant" file="plant.xml"/>'
            '<connect from="ext.u" to="plant.u"/><run stop="10 s" step="10 ms"/>'
            '<report name="end" signal="plant.y"/></interconnection>')
        found = json.loads(self.vernier("run", "top.xml", "--json").stdout)
        self.assertAlmostEqual(found["reports"][0]["value"], 2 * (1 - 2.718281828459045 ** -5), places=7)

    def test_a_model_is_hosted_for_a_composition(self):
        plant = SOURCE / "formats/interconnection/good/plant.xml"
        server = self.start("serve", plant, "--listen", "127.0.0.1:0", "--connector", "plant.xml", "--once")
        wait_until(lambda: (self.folder / "plant.xml").exists(), "the connector document")
        self.run_with_plant()
        self.assertEqual(server.wait(timeout=PATIENCE), 0)

    def test_the_satellite_s_plant_behind_a_line_gives_the_same_bits(self):
        mission = SOURCE / "missions/aausat2"
        address = f"127.0.0.1:{free_ports(1)[0]}"
        server = self.start("serve", mission / "plant.xml", "--set", "run.inputs=linear", "--listen", address, "--once")
        self.assertIn("waits at", server.stdout.readline())
        self.vernier("run", mission / "lines.xml", "--set", f"plant.connect={address}", "--until", "60s", "-q", "--out",
                     "far")
        self.assertEqual(server.wait(timeout=PATIENCE), 0)
        self.vernier("run", mission / "sampled.xml", "--until", "60s", "-q", "--out", "near")
        self.vernier("compare", "far/latest", "near/latest", "--signals", "supervisor.*")

    def test_the_server_may_call_the_run(self):
        plant = SOURCE / "formats/interconnection/good/plant.xml"
        address = f"127.0.0.1:{free_ports(1)[0]}"
        server = self.start("serve", plant, "--connect", address, "--patience", f"{PATIENCE:g}s", "--connector", "plant.xml")
        self.assertIn(f"plant calls {address}", server.stdout.readline())
        text = (self.folder / "plant.xml").read_text().replace('"connect"', '"listen"')
        (self.folder / "plant.xml").write_text(text)
        self.run_with_plant()
        self.assertEqual(server.wait(timeout=PATIENCE), 0)
        self.assertRegex(server.stdout.read(), r"127\.0\.0\.1:\d+ said goodbye; 1000 steps to t = 10 s")

    def test_a_peer_that_does_not_come_is_said(self):
        (self.folder / "p.xml").write_text(
            '<ioconnector name="p" version="1" adapter="lines"><outputs><output name="y"/></outputs>'
            '<parameter name="connect">127.0.0.1:1</parameter><parameter name="patience">0.2 s</parameter>'
            '</ioconnector>')
        (self.folder / "top.xml").write_text(
            '<interconnection name="top"><connector id="p" file="p.xml"/><run stop="1 s"/></interconnection>')
        self.assertRegex(self.vernier("run", "top.xml", status=2).stderr, r"error\[V5\d{3}\]")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
