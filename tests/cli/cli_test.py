#!/usr/bin/env python3
"""Uses the program as people do: types commands, reads what they print, presses Ctrl-C.

usage: cli_test.py <vernier> <source tree> [<unittest argument>...]
"""
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
import socket
import subprocess
import sys
import tempfile
import time
import unittest

VERNIER, SOURCE = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
FEEDBACK = SOURCE / "formats/interconnection/good/feedback.xml"
MISSION = SOURCE / "missions/aausat2/aausat2.xml"
COMMANDS = ["demo", "run", "check", "plot", "examples", "help", "info", "runs", "status", "freeze",
            "resume", "stop", "doctor", "export", "compare", "import", "modes", "linearize", "explain", "serve", "link", "federate", "rti",
            "time", "frames", "completion", "version"]

# a minute of wall time unless somebody stops it
SLOW = ["run", str(FEEDBACK), "--rate", "0.3"]


class InAFolder(unittest.TestCase):
    """Each test stands in an empty folder of its own."""

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="vernier_cli_"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def vernier(self, *words, status=0, **more):
        done = subprocess.run([VERNIER, *map(str, words)], cwd=more.pop("cwd", self.folder), text=True,
                              capture_output=True, timeout=120, **more)
        self.assertEqual(done.returncode, status, f"{words}\n{done.stdout}\n{done.stderr}")
        return done

    def start(self, *words):
        process = subprocess.Popen([VERNIER, *map(str, words)], cwd=self.folder, text=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        def end():
            if process.poll() is None:
                process.kill()
            process.stdout.close()
            process.stderr.close()
            process.wait()
        self.addCleanup(end)
        return process

    def wait_for(self, condition, what, seconds=30):
        end = time.monotonic() + seconds
        while not condition():
            self.assertLess(time.monotonic(), end, f"{what} did not come")
            time.sleep(0.02)


class Help(InAFolder):
    def test_alone_it_prints_the_six_commands_a_newcomer_needs(self):
        lines = re.findall(r"^  vernier (\w+)", self.vernier().stdout, re.M)
        self.assertEqual(lines, ["demo", "run", "check", "plot", "examples", "help"])

    def test_help_all_lists_every_command(self):
        self.assertEqual(re.findall(r"^  vernier (\w+)", self.vernier("help", "all").stdout, re.M), COMMANDS)

    def test_every_help_begins_with_an_example_that_runs(self):
        # the examples are written for the source tree; runs/latest is there after a run
        shutil.copytree(SOURCE / "missions", self.folder / "missions")
        shutil.copytree(SOURCE / "formats", self.folder / "formats")
        self.vernier("run", "missions/aausat2/aausat2.xml", "--until", "1s", "-q")
        for command in COMMANDS:
            with self.subTest(command):
                text = self.vernier(command, "--help").stdout
                self.assertEqual(text, self.vernier("help", command).stdout)
                example = text.splitlines()[0].strip()
                self.assertTrue(example.startswith(f"vernier {command}"), example)
                self.vernier(*shlex.split(example)[1:])

    def test_the_reference_has_every_option(self):
        page = (SOURCE / "docs/reference/command-line.md").read_text(encoding="utf-8")
        sections = dict(zip(re.findall(r"(?m)^## (.*)$", page), re.split(r"(?m)^## .*$", page)[1:]))
        for command in COMMANDS:
            options = set(re.findall(r"(?m)^  .*?(--[a-z-]+)", self.vernier(command, "--help").stdout))
            section = next(text for title, text in sections.items() if command in title.split(", "))
            for option in options - {"--help", "--color"}:
                self.assertIn(option, section, command)

    def test_unknown_words_and_options_get_a_suggestion(self):
        self.assertIn("did you mean: vernier run", self.vernier("rnu", status=2).stderr)
        self.assertIn("vernier help all", self.vernier("xylophone", status=2).stderr)
        self.assertIn("did you mean --until?", self.vernier("run", FEEDBACK, "--untill", "3s", status=2).stderr)
        self.assertIn("did you mean: vernier help compare", self.vernier("help", "comprae", status=2).stderr)
        self.assertIn("no use for", self.vernier("version", "please", status=2).stderr)
        self.assertIn("required", self.vernier("run", status=2).stderr)

    def test_version(self):
        self.assertRegex(self.vernier("--version").stdout, r"^vernier \d+\.\d+\.\d+\n$")
        self.assertIn("version", json.loads(self.vernier("version", "--json").stdout))

    def test_completion_knows_commands_and_options(self):
        script = self.vernier("completion", "bash").stdout
        (self.folder / "completion").write_text(script)
        ask = ("source ./completion; COMP_WORDS=({}); COMP_CWORD={}; _vernier; echo ${{COMPREPLY[@]}}")
        def complete(*words):
            text = ask.format(" ".join(words), len(words) - 1)
            return subprocess.run(["bash", "-c", text], cwd=self.folder, text=True, capture_output=True,
                                  check=True).stdout.split()
        self.assertEqual(complete("vernier", "exp"), ["export", "explain"])
        self.assertEqual(complete("vernier", "run", "--unt"), ["--until"])
        self.assertEqual(complete("vernier", "help", "comp"), ["compare", "completion"])
        self.assertEqual(complete("vernier", "federate", "re"), ["resign", "record", "replay"])
        self.assertEqual(complete("vernier", "federate", "fom", "m"), ["merge"])
        self.assertEqual(complete("vernier", "federate", "ask", "harbour", "f"), ["freeze"])
        self.assertEqual(complete("vernier", "frames", "MoonCentricF"), ["MoonCentricFixed"])
        self.assertEqual(complete("vernier", "frames", "ITRF", "MarsI"), ["MarsInertial"])
        self.assertEqual(complete("vernier", "federate", "watch", "--wa"), ["--wait"])


class Explain(InAFolder):
    def test_all_are_listed_and_explained(self):
        for line in self.vernier("explain").stdout.splitlines():
            code = line.split(":")[0]
            self.assertTrue(self.vernier("explain", code).stdout.startswith(f"# {line}"), line)

    def test_a_wrong_code_gets_a_suggestion(self):
        self.assertIn("there is no message", self.vernier("explain", "V2999", status=2).stderr)
        self.assertIn("# V2007", self.vernier("explain", "error[v2007]").stdout)


class Check(InAFolder):
    def test_each_bad_interconnection_says_what_is_stored_beside_it(self):
        folder = SOURCE / "formats/interconnection/bad"
        files = sorted(folder.glob("*.xml"))
        self.assertGreater(len(files), 15)
        for file in files:
            with self.subTest(file.name):
                said = self.vernier("check", file.name, cwd=folder, status=2)
                self.assertEqual(said.stderr, file.with_suffix(".txt").read_text(encoding="utf-8"))
                self.assertEqual(said.stdout, "")

    def test_each_bad_model_and_connector_says_what_is_stored_beside_it(self):
        for folder in [SOURCE / f"formats/{name}/bad" for name in ["hybrid", "multibody", "constrained", "connector"]]:
            files = sorted(f for f in folder.glob("*.xml") if f.stem != "wrong_root")  # that is no model at all
            self.assertGreater(len(files), 15)
            for file in files:
                with self.subTest(file.name):
                    expected = file.with_suffix(".txt").read_text(encoding="utf-8")
                    said = self.vernier("check", file.name, cwd=folder, status=2 if "error[" in expected else 0)
                    self.assertEqual(said.stderr, expected)

    def test_each_composition_that_cannot_mean_anything_says_why(self):
        folder = SOURCE / "formats/interconnection/bad/meaning"
        files = sorted(f for f in folder.glob("*.xml") if ".model" not in f.name)
        self.assertGreater(len(files), 5)
        for file in files:
            with self.subTest(file.name):
                said = self.vernier("check", file.name, cwd=folder, status=2)
                self.assertEqual(said.stderr, file.with_suffix(".txt").read_text(encoding="utf-8"))

    def test_each_run_that_fails_says_why(self):
        folder = SOURCE / "formats/interconnection/bad/running"
        files = sorted(f for f in folder.glob("*.xml") if ".model" not in f.name)
        self.assertGreater(len(files), 2)
        for file in files:
            with self.subTest(file.name):
                said = self.vernier("run", file.name, "--quiet", "--no-record", cwd=folder, status=1)
                self.assertEqual(said.stderr, file.with_suffix(".txt").read_text(encoding="utf-8"))

    def test_every_good_document_of_all_formats_is_good(self):
        files = [*SOURCE.glob("formats/hybrid/good/*.xml"), *SOURCE.glob("formats/multibody/good/*.xml"), *SOURCE.glob("formats/constrained/good/*.xml"), *SOURCE.glob("formats/interconnection/good/*.xml")]
        files += [f for f in [*SOURCE.glob("missions/*/*.xml"), *SOURCE.glob("examples/*/*.xml")]
                  if "<interconnection" in f.read_text(encoding="utf-8") and f != SOURCE / "missions/epos/figures.xml"]  # reads what run.py writes
        self.assertGreater(len(files), 20)
        for file in files:
            with self.subTest(file.name):
                self.assertIn("good;", self.vernier("check", file).stdout)

    def test_json_has_the_same_content(self):
        bad = SOURCE / "formats/interconnection/bad/ends.xml"
        found = json.loads(self.vernier("check", bad, "--json", status=2).stdout)
        self.assertEqual(found["errors"], 7)
        self.assertEqual(found["problems"][0]["code"], "V2006")
        self.assertEqual((found["problems"][0]["line"], found["problems"][0]["column"]), (7, 18))
        good = json.loads(self.vernier("check", FEEDBACK, "--json").stdout)
        self.assertEqual(good["errors"], 0)

    def test_nothing_is_run_and_nothing_is_left(self):
        self.vernier("check", MISSION)
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_all_models_with_problems_are_reported_at_once(self):
        (self.folder / "a.xml").write_text('<hybridsystem name="A" version="1"><location><name>L</name>'
                                           '<outputmap output="y">1</outputmap></location></hybridsystem>')
        (self.folder / "b.xml").write_text('<hybridsystem name="B" version="1"><lcation/></hybridsystem>')
        (self.folder / "c.xml").write_text('<interconnection name="c"><system id="a" file="a.xml"/>'
                                           '<system id="b" file="b.xml"/><run stop="1 s"/></interconnection>')
        said = self.vernier("check", "c.xml", status=2).stderr
        self.assertIn("a.xml:1:", said)
        self.assertIn("b.xml:1:", said)
        self.assertIn("in 2 files; nothing was run", said)

    def test_hostile_documents_are_refused_quickly(self):
        texts = {
            "cut.xml": '<interconnection name="x"><system id="a"',
            "deep.xml": "<a>" * 10000,
            "bomb.xml": '<!DOCTYPE interconnection [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]>'
                        '<interconnection name="&b;"/>',
            "net.xml": '<!DOCTYPE interconnection SYSTEM "http://localhost/x.dtd"><interconnection name="x"/>',
            "zero.xml": "\0\0\0\0",
            "empty.xml": "",
        }
        for name, text in texts.items():
            with self.subTest(name):
                (self.folder / name).write_text(text)
                began = time.monotonic()
                for command in ["check", "run", "info"]:
                    said = self.vernier(command, name, status=2).stderr
                    self.assertRegex(said, r"^error\[V\d{4}\]: ")
                self.assertLess(time.monotonic() - began, 10)
        with open(self.folder / "large.xml", "w") as file:
            file.write('<interconnection name="x">' + "<!-- -->" * (12 << 20))
        self.assertRegex(self.vernier("check", "large.xml", status=2).stderr, r"^error\[V\d{4}\]: ")


class Info(InAFolder):
    def test_a_mechanism_shows_its_equations(self):
        robot = SOURCE / "formats/constrained/good/robot.xml"
        self.assertIn("84, of which 48 unknowns are solved for", self.vernier("info", robot).stdout)
        found = json.loads(self.vernier("info", robot, "--json").stdout)["instances"][0]["mechanism"]
        self.assertEqual([found["equations"], found["elements"]["beam"]], [84, 2])

    def test_small_motions_of_a_pendulum_are_known(self):
        pendulum = SOURCE / "formats/constrained/good/pendulum.xml"
        mode = json.loads(self.vernier("modes", pendulum, "--json").stdout)[0]
        self.assertAlmostEqual(mode["frequency_Hz"], math.sqrt(9.81 / 1.01) / (2 * math.pi), places=6)  # m g l / J
        self.assertAlmostEqual(mode["damping"], 0, places=6)
        self.assertIn("rod", self.vernier("modes", pendulum).stdout)
        m = json.loads(self.vernier("linearize", pendulum, "--outputs", "hinge.angle", "--json").stdout)
        A, B, C = m["A"], m["B"], m["C"]
        self.assertEqual([m["states"], m["inputs"], m["outputs"]], [2, ["torque"], ["hinge.angle"]])
        self.assertAlmostEqual(A[0][0] * A[1][1] - A[0][1] * A[1][0], 9.81 / 1.01, places=6)
        # from torque to angular acceleration: C A B = 1 / J, whatever the states are
        CA = [C[0][0] * A[0][k] + C[0][1] * A[1][k] for k in range(2)]
        self.assertAlmostEqual(CA[0] * B[0][0] + CA[1] * B[1][0], 1 / 1.01, places=6)
        self.assertTrue(self.vernier("linearize", pendulum, "--outputs", "hinge.angle").stdout.startswith("row,x1,x2,torque\n"))

    def test_an_instant_is_shown_in_every_scale(self):
        # the leap second at the end of 2016; GPS is 17 s ahead of UTC before it
        t = json.loads(self.vernier("time", "2016-12-31T23:59:60.5Z", "--json").stdout)
        self.assertEqual([t["TAI"], t["GPS"], t["UNIX_s"]], ["2017-01-01T00:00:36.500000000", {"week": 1930, "seconds": "17.500000000"}, "1483228800.500000000"])
        self.assertIn("1597341669.184", self.vernier("time", "TJD", "18487.75", "UTC").stdout)  # SpaceFOM's example
        self.assertIn("TDB", self.vernier("time").stdout)

    def test_a_frame_is_seen_from_another(self):
        self.assertIn("    EarthMJ2000Ec", self.vernier("frames").stdout)
        s = json.loads(self.vernier("frames", "SunCentricInertial", "EarthMJ2000Ec", "--at", "2024-06-20T20:51", "--json").stdout)
        x, y, z = s["position"]
        self.assertAlmostEqual(math.degrees(math.atan2(y, x)), 89.67, places=1)  # June solstice; 0.34 degrees of precession
        self.assertLess(abs(z), 7e-5 * y)  # the ecliptic turns by 47" a century
        self.assertIn("rad/s", self.vernier("frames", "EarthFixed", "--at", "J2000 0").stdout)

    def test_a_deck_becomes_a_document_that_runs(self):
        self.vernier("import", SOURCE / "formats/constrained/decks/pendulum.mbd", "-o", "pendulum.xml")
        self.vernier("run", "pendulum.xml", "--until", "100ms", "--quiet")
        self.assertIn("pendulum.ROD.position", self.vernier("info", "runs/pendulum-0001").stdout)

    def test_inputs_of_a_mechanism_alone_can_be_set(self):
        pendulum = SOURCE / "formats/constrained/good/pendulum.xml"
        self.vernier("run", pendulum, "--until", "100ms", "--quiet", "--set", "ext.torque=2")
        self.vernier("export", "runs/latest", "pendulum.motor.value", "-o", "motor.csv")
        self.assertTrue((self.folder / "motor.csv").read_text(encoding="utf-8").strip().endswith("2"))

    def test_a_multibody_document_shows_its_bodies(self):
        craft = SOURCE / "examples/multibody/spacecraft.xml"
        said = self.vernier("info", craft).stdout
        self.assertRegex(said, r"(?m)^ +array +pin +bus\.drive +1 +3 +36 +3 0 0 +6\.75 107\.8 114\.6  ·  0 0 0$")
        self.assertRegex(said, r"(?m)^ +4 bodies, 16 dof: 10 of hinges \(2 prescribed, 0 locked\), 6 modes$")
        self.assertRegex(said, r"(?m)^ +all, from the bus +10 +6 +772 .*\n +fuel +120 kg$")
        changed = self.vernier("info", craft, "--json", "--set", "spacecraft.dry=600 kg").stdout
        self.assertEqual(json.loads(changed)["instances"][0]["multibody"]["mass"], 852)

    def test_a_robot_that_was_imported_is_a_document(self):
        self.vernier("import", SOURCE / "formats/multibody/urdf/arm.urdf", "-o", "arm.xml")
        self.assertIn("good;", self.vernier("check", "arm.xml").stdout)
        self.assertIn("base_plate", self.vernier("info", "arm.xml").stdout)
        self.assertIn('<body name="base_plate"', self.vernier("import", SOURCE / "formats/multibody/urdf/arm.urdf").stdout)

    def test_alone_it_lists_the_types_and_each_can_be_asked_for(self):
        found = json.loads(self.vernier("info", "--json").stdout)
        self.assertGreater(len(found["types"]), 10)
        for entry in found["types"]:
            self.assertIn(entry["summary"], self.vernier("info", entry["type"]).stdout)
            self.assertEqual(json.loads(self.vernier("info", entry["type"], "--json").stdout)["type"], entry["type"])

    def test_of_a_document_it_shows_ports_states_modes_and_parameters(self):
        text = self.vernier("info", FEEDBACK).stdout
        for part in ["relay.u", "← plant.y", "modes", "On (first)", "u >= high", "high", "in island loop"]:
            self.assertIn(part, text)
        found = json.loads(self.vernier("info", FEEDBACK, "--json").stdout)
        self.assertEqual([i["name"] for i in found["instances"]], ["plant", "relay", "counter"])

    def test_graphs(self):
        self.assertRegex(self.vernier("info", FEEDBACK, "--graph").stdout, r'^digraph "feedback" \{(.|\n)*\}\n$')
        self.assertIn("relay.y", self.vernier("info", FEEDBACK, "--graph", "text").stdout)

    def test_what_is_not_there_gets_a_suggestion(self):
        self.assertIn("vernier info rigid_body", self.vernier("info", "rigidbody", status=2).stderr)


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
        self.assertRegex(said.stdout, r"(?m)^finished in \d+\.\d\d s \([\d ]+ × real time\)$")
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
        self.wait_for(lambda: list(self.folder.glob("runs/*/results.h5")), "a results file")
        self.wait_for(lambda: len(self.vernier("export", "runs/latest", "plant.y").stdout.splitlines()) > least,
                      "rows of a run that goes on")

    def test_ctrl_c_finishes_the_step_closes_the_files_and_says_so(self):
        run = self.start(*SLOW)
        self.wait_for(lambda: list(self.folder.glob("runs/*/results.h5")), "a results file")
        time.sleep(0.5)
        run.send_signal(signal.SIGINT)
        out, _ = run.communicate(timeout=30)
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
        command = f"trap '' XFSZ; ulimit -f 4000; exec {VERNIER} run {FEEDBACK} --until 1000000s --record 'plant.y' "
        done = subprocess.run(["bash", "-c", command], cwd=self.folder, text=True, capture_output=True, timeout=100)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("error[V7104]: cannot write runs/feedback-0001/results.h5: File too large", done.stderr)
        manifest = json.loads((self.folder / "runs/latest/manifest.json").read_text())
        self.assertEqual(manifest["status"], "failed")
        reached = manifest["statistics"]["simulated_s"]
        self.assertLess(reached, 1000000.0)
        last = self.vernier("export", "runs/latest", "plant.y", "--every", "100s").stdout.splitlines()[-1]
        self.assertGreater(float(last.split(",")[0]), 0.3 * reached)

    def test_a_full_disk_does_not_stop_a_run_that_keeps_time(self):
        command = (f"trap '' XFSZ; ulimit -f 64; exec {VERNIER} run {FEEDBACK} --until 20000s --rate 20000 "
                   "--set run.step=1s --record '*'")
        done = subprocess.run(["bash", "-c", command], cwd=self.folder, text=True, capture_output=True, timeout=100)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("error[V7104]", done.stderr)
        manifest = json.loads((self.folder / "runs/latest/manifest.json").read_text())
        self.assertEqual(manifest["statistics"]["simulated_s"], 20000.0)

    def test_a_terminal_shows_progress_that_rewrites_itself_and_a_second_ctrl_c_ends_at_once(self):
        pid, terminal = pty.fork()
        if pid == 0:
            os.chdir(self.folder)
            os.environ["TERM"] = "xterm"
            os.execv(VERNIER, ["vernier", *SLOW])
        text = b""
        def read(seconds):
            nonlocal text
            end = time.monotonic() + seconds
            while time.monotonic() < end:
                if select.select([terminal], [], [], 0.05)[0]:
                    try:
                        text += os.read(terminal, 65536)
                    except OSError:
                        return
        while b"%" not in text:
            read(0.2)
        read(1.0)
        draws = text.count(b"\r\x1b[K")
        self.assertGreaterEqual(draws, 3)
        self.assertLessEqual(draws, 40)  # at most ten a second
        self.assertIn("× real time", text.decode())
        os.write(terminal, b"\x03")
        os.write(terminal, b"\x03")
        read(3.0)
        _, status = os.waitpid(pid, 0)
        self.assertEqual(os.waitstatus_to_exitcode(status), 130)
        os.close(terminal)

    def test_a_pipe_gets_plain_lines(self):
        out = self.vernier("run", FEEDBACK, "--rate", "10", "--no-record").stdout
        self.assertNotIn("\x1b", out)
        self.assertEqual(re.findall(r"(?m)^ +(\d0) %   t = ", out), [str(n) for n in range(10, 100, 10)])


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

    def test_runs_are_listed_described_and_pruned(self):
        listed = json.loads(self.vernier("runs", "--json").stdout)
        self.assertEqual([pathlib.Path(r["folder"]).name for r in listed], ["feedback-0001", "feedback-0002"])
        self.assertIn("counter.count", self.vernier("info", "runs/latest").stdout)
        self.assertIn("signals", json.loads(self.vernier("info", "runs/latest", "--json").stdout))
        self.assertIn("would remove", self.vernier("runs", "--prune", "--keep", "1", "--dry-run").stdout)


class Examples(InAFolder):
    def test_each_can_be_copied_and_run(self):
        for example in json.loads(self.vernier("examples", "--json").stdout):
            with self.subTest(example["name"]):
                self.vernier("examples", "copy", example["name"])
                self.assertTrue(example["summary"])
                document = f"{example['name']}/{example['document']}"
                if (self.folder / example["name"] / "peer.py").exists():
                    self.run_with_peer(document, f"{example['name']}/peer.py")
                else:
                    self.vernier("run", document, "-q")

    def run_with_peer(self, document, peer):
        """The example's other half, on a port that is free."""
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            address = f"127.0.0.1:{free.getsockname()[1]}"
        run = self.start("run", document, "-q", "--set", f"tank.listen={address}")
        self.assertIn("waiting for", run.stderr.readline())
        other = subprocess.Popen([sys.executable, peer, address], cwd=self.folder)
        self.addCleanup(lambda: other.poll() is None and other.kill())
        self.assertEqual(run.wait(timeout=60), 0)
        self.assertEqual(other.wait(timeout=20), 0)

    def test_nothing_is_overwritten(self):
        self.vernier("examples", "copy", "relay", "here")
        self.assertIn("V7501", self.vernier("examples", "copy", "relay", "here", status=2).stderr)
        self.assertIn("copy relay", self.vernier("examples", "copy", "realy", status=2).stderr)

    def test_the_demo_needs_nothing_but_the_program(self):
        said = self.vernier("demo").stdout
        self.assertRegex(said, r"t = +238\.124 s +supervisor +Detumbling → Pointing")
        for number in [12, 13, 14, 15]:
            self.assertTrue((self.folder / f"runs/aausat2-0001/figures/figure{number}.svg").exists())
        for command in re.findall(r"(?m)^(?:  next)? +vernier (.*)$", said):
            self.vernier(*shlex.split(command))


class Serve(InAFolder):
    def test_a_model_is_hosted_for_a_composition(self):
        plant = SOURCE / "formats/interconnection/good/plant.xml"
        server = self.start("serve", plant, "--listen", "127.0.0.1:0", "--connector", "plant.xml", "--once")
        self.wait_for(lambda: (self.folder / "plant.xml").exists(), "the connector document")
        (self.folder / "top.xml").write_text(
            '<interconnection name="top"><input name="u" value="1"/><connector id="plant" file="plant.xml"/>'
            '<connect from="ext.u" to="plant.u"/><run stop="10 s" step="10 ms"/>'
            '<report name="end" signal="plant.y"/></interconnection>')
        found = json.loads(self.vernier("run", "top.xml", "--json").stdout)
        self.assertAlmostEqual(found["reports"][0]["value"], 2 * (1 - 2.718281828459045 ** -5), places=7)
        self.assertEqual(server.wait(timeout=20), 0)

    def test_the_satellite_s_plant_behind_a_line_gives_the_same_bits(self):
        mission = SOURCE / "missions/aausat2"
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            address = f"127.0.0.1:{free.getsockname()[1]}"
        server = self.start("serve", mission / "plant.xml", "--set", "run.inputs=linear", "--listen", address, "--once")
        self.assertIn("waits at", server.stdout.readline())
        self.vernier("run", mission / "lines.xml", "--set", f"plant.connect={address}", "--until", "60s", "-q", "--out",
                     "far")
        self.assertEqual(server.wait(timeout=20), 0)
        self.vernier("run", mission / "sampled.xml", "--until", "60s", "-q", "--out", "near")
        self.vernier("compare", "far/latest", "near/latest", "--signals", "supervisor.*")

    def test_the_server_may_call_the_run(self):
        plant = SOURCE / "formats/interconnection/good/plant.xml"
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            address = f"127.0.0.1:{free.getsockname()[1]}"
        server = self.start("serve", plant, "--connect", address, "--patience", "20s", "--connector", "plant.xml")
        self.assertIn(f"plant calls {address}", server.stdout.readline())
        text = (self.folder / "plant.xml").read_text().replace('"connect"', '"listen"')
        (self.folder / "plant.xml").write_text(text)
        (self.folder / "top.xml").write_text(
            '<interconnection name="top"><input name="u" value="1"/><connector id="plant" file="plant.xml"/>'
            '<connect from="ext.u" to="plant.u"/><run stop="10 s" step="10 ms"/>'
            '<report name="end" signal="plant.y"/></interconnection>')
        found = json.loads(self.vernier("run", "top.xml", "--json").stdout)
        self.assertAlmostEqual(found["reports"][0]["value"], 2 * (1 - 2.718281828459045 ** -5), places=7)
        self.assertEqual(server.wait(timeout=20), 0)
        self.assertIn("the other side said goodbye; 1000 steps to t = 10 s", server.stdout.read())

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
