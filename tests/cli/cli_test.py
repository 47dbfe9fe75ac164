#!/usr/bin/env python3
"""Uses the program as people do who have not run anything yet: types commands, reads what they print.

usage: cli_test.py <vernier> <source tree> [<unittest argument>...]
"""
import json
import math
import os
import re
import shlex
import shutil
import subprocess
import sys
import unittest

from in_a_folder import FEEDBACK, MISSION, PATIENCE, SOURCE, VERNIER, InAFolder, free_ports, wait_until

COMMANDS = ["demo", "new", "run", "check", "plot", "help", "desktop", "examples", "info", "runs", "status", "freeze",
            "resume", "stop", "watch", "set", "send", "step", "rate", "checkpoint", "mark", "rewind", "doctor", "export", "report", "compare", "import", "modes", "linearize", "explain", "serve", "link", "federate", "rti", "server", "move", "nodes", "registry", "trust",
            "time", "frames", "dtd", "completion", "version"]


class Help(InAFolder):
    def test_alone_it_prints_the_six_commands_a_newcomer_needs(self):
        lines = re.findall(r"^  vernier (\w+)", self.vernier().stdout, re.M)
        self.assertEqual(lines, ["demo", "new", "run", "check", "plot", "help"])

    def test_help_all_lists_every_command(self):
        self.assertEqual(re.findall(r"^  vernier (\w+)", self.vernier("help", "all").stdout, re.M), COMMANDS)

    def test_every_help_begins_with_lines_that_run_in_an_empty_folder(self):
        (self.folder / "bin").mkdir()
        (self.folder / "bin/vernier").symlink_to(VERNIER)
        for command in COMMANDS:
            with self.subTest(command):
                text = self.vernier(command, "--help").stdout
                self.assertEqual(text, self.vernier("help", command).stdout)
                lines = [line.strip() for line in text.split("\n\n")[0].splitlines()]
                shown = [line for line in lines if re.match(rf"vernier {command}\b", line)]
                self.assertTrue(shown, lines)
                self.assertNotIn("--help", text.split("\n\n")[0])
                self.run_lines(command, lines)

    def run_lines(self, command, lines):
        """As typed one after another; the line after one that ends with & is repeated until that is ready."""
        folder = self.folder / command
        folder.mkdir()
        environment = {**os.environ, "PATH": f"{self.folder / 'bin'}:{os.environ['PATH']}"}
        text = re.sub(r"127\.0\.0\.1:\d+", f"127.0.0.1:{free_ports(1)[0]}", "\n".join(lines))
        started = []
        try:
            for line in text.splitlines():
                if line.endswith("&"):
                    started.append(subprocess.Popen(["bash", "-c", "exec " + line.rstrip("&")], cwd=folder, env=environment,
                                                    stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
                    waiting = True
                    continue
                def done(line=line):
                    said = subprocess.run(["bash", "-c", line], cwd=folder, env=environment, text=True, capture_output=True,
                                          timeout=PATIENCE)
                    allowed = [0, 3] if command == "doctor" else [0]  # 3: this machine is not fit
                    self.last = f"{line}\n{said.stdout}{said.stderr}"
                    return said.returncode in allowed
                if started and waiting:
                    waiting = False
                    wait_until(done, f"success of {line}")
                else:
                    self.assertTrue(done(), self.last)
        finally:
            for process in started:
                process.kill()
                process.wait()

    def test_the_reference_has_every_option(self):
        page = (SOURCE / "docs/reference/command-line.md").read_text(encoding="utf-8")
        sections = dict(zip(re.findall(r"(?m)^## (.*)$", page), re.split(r"(?m)^## .*$", page)[1:]))
        for command in COMMANDS:
            _, text = self.vernier(command, "--help").stdout.split("\n\n", 1)  # after the example
            options = set(re.findall(r"(?m)^  .*?(--[a-z-]+)", text))
            section = next(text for title, text in sections.items() if command in title.split(", "))
            for option in options - {"--help", "--color"}:
                self.assertIn(option, section, command)

    def test_unknown_words_and_options_get_a_suggestion(self):
        self.assertIn("did you mean: vernier run", self.vernier("rnu", status=2).stderr)
        self.assertIn("vernier help all", self.vernier("xylophone", status=2).stderr)
        self.assertIn("did you mean --until?", self.vernier("run", FEEDBACK, "--untill", "3s", status=2).stderr)
        self.assertIn("did you mean: vernier help compare", self.vernier("help", "comprae", status=2).stderr)
        self.assertIn("does not take the argument", self.vernier("version", "please", status=2).stderr)
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

    def test_federations_that_are_shipped_have_no_warnings(self):
        files = [f for pattern in ("missions/spacefom/*.xml", "examples/federation/*.xml", "templates/federate/*.xml") for f in SOURCE.glob(pattern)]
        self.assertIn(SOURCE / "missions/spacefom/moon.xml", files)
        for file in files:
            with self.subTest(file.name):
                found = json.loads(self.vernier("check", file, "--json").stdout)
                self.assertEqual(found["problems"], [])

    def test_a_federate_says_what_paces_it(self):
        rti = f"federate.rti=tcp://127.0.0.1:{free_ports(1)[0]}"  # nobody listens: it is said before
        folder = SOURCE / "missions/spacefom"
        for name, words, pace in (("earth", (), "in real time"), ("earth", ("--set", "federate.pace=none"), "paced by the federation"),
                                  ("moon", (), "paced by the federation"), ("vehicle", (), "paced by the federation"),
                                  ("vehicle", ("--rate", "2"), "2 × real time"), ("alone", (), "as fast as possible")):
            with self.subTest(name, words=words):
                there = () if name == "alone" else ("--set", rti, "--set", "federate.wait=0")
                said = self.vernier("run", folder / f"{name}.xml", "--until", "1 s", *there, *words, status=2 if there else 0)
                self.assertIn(f", {pace}\n", said.stdout.splitlines(keepends=True)[0])

    def test_json_has_the_same_content(self):
        bad = SOURCE / "formats/interconnection/bad/ends.xml"
        found = json.loads(self.vernier("check", bad, "--json", status=2).stdout)
        self.assertEqual(found["errors"], 7)
        self.assertEqual(found["problems"][0]["code"], "V2006")
        self.assertEqual((found["problems"][0]["line"], found["problems"][0]["column"]), (7, 18))
        good = json.loads(self.vernier("check", FEEDBACK, "--json").stdout)
        self.assertEqual(good["errors"], 0)

    def test_a_run_that_cannot_begin_answers_in_json_too(self):
        bad = SOURCE / "formats/interconnection/bad/ends.xml"
        said = self.vernier("run", bad, "--json", status=2)
        self.assertEqual(json.loads(said.stdout), json.loads(self.vernier("check", bad, "--json", status=2).stdout))
        self.assertEqual(said.stderr, "")
        wrong = json.loads(self.vernier("run", FEEDBACK, "--json", "--until", "soon", status=2).stdout)
        self.assertEqual(wrong["problems"][0]["code"], "V2005")

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
        self.assertTrue(said.endswith("in 2 files\n"), said)

    def test_hostile_documents_are_refused(self):
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
                for command in ["check", "run", "info"]:
                    said = self.vernier(command, name, status=2).stderr
                    self.assertRegex(said, r"^error\[V\d{4}\]: ")
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

    def test_modes_and_matrices_of_systems_and_closed_loops(self):
        # a mass and a spring in two systems: sqrt(k/m) = 10 rad/s, no damping
        mode = json.loads(self.vernier("modes", SOURCE / "examples/oscillator/oscillator.xml", "--json").stdout)
        self.assertEqual(len(mode), 1)
        self.assertAlmostEqual(mode[0]["frequency_Hz"], 10 / (2 * math.pi), places=12)
        self.assertAlmostEqual(mode[0]["damping"], 0, places=12)
        # T' = -0.1 T in both locations
        m = json.loads(self.vernier("linearize", SOURCE / "formats/hybrid/good/thermostat.xml", "--at", "3s", "--json").stdout)
        self.assertEqual((m["time"], m["state_names"], m["A"]), (3.0, ["T"], [[-0.1]]))
        # AAUSAT-II points: three pairs of the attitude, three filters, three wheels, no quaternion's fourth
        names = json.loads(self.vernier("linearize", SOURCE / "missions/aausat2/aausat2.xml", "--at", "600s", "--json").stdout)["state_names"]
        self.assertIn("body.attitude about x", names)
        self.assertEqual(len(names), 12)
        slow = [e for e in json.loads(self.vernier("modes", SOURCE / "missions/aausat2/aausat2.xml", "--at", "600s", "--json").stdout)
                if e["eigenvalue"][0] < -1e-3]
        # J s² + k s + kq/2 = 0 on each axis without momentum in the wheels; their sum of damping stays with it
        total = sum(k / J for k, J in ((1.27553911e-4, 1377e-6), (1.36857591e-4, 1623e-6), (1.34870309e-4, 1569e-6)))
        self.assertAlmostEqual(sum(-2 * e["eigenvalue"][0] for e in slow if e["eigenvalue"][1] > 0), total, places=6)
        # by parameters: d(v')/dk = -x/m and d(v')/dm = k x/m² at x = 1 m, in the order asked for
        oscillator = SOURCE / "examples/oscillator/oscillator.xml"
        m = json.loads(self.vernier("linearize", oscillator, "--by", "spring.k,mass.m", "--json").stdout)
        self.assertEqual(m["parameters"], ["spring.k", "mass.m"])
        row = m["state_names"].index("mass.v")
        self.assertEqual(m["P"][row], [-1.0, 100.0])
        self.assertEqual(m["Q"][m["outputs"].index("spring.force")], [-1.0, 0.0])
        table = self.vernier("linearize", oscillator, "--by", "mass.m", "-o", self.folder / "table.csv")
        self.assertTrue((self.folder / "table.csv").read_text().splitlines()[0].endswith(",mass.m"))
        self.assertIn("derivatives by  mass.m", self.vernier("info", oscillator).stdout)
        # built-in models, against differences of two documents; 600 s before would be another state
        body = SOURCE / "missions/aausat2/aausat2.xml"
        inertia = json.loads(self.vernier("info", body, "--json").stdout)["instances"]
        inertia = next(i for i in inertia if i["name"] == "body")["parameters"]
        self.assertTrue(next(p for p in inertia if p["name"] == "inertia")["derivatives"])
        rates = []
        for change in (0.999, 1.001):
            value = f"{1377e-6 * change} 1623e-6 1569e-6"
            rates.append(json.loads(self.vernier("linearize", body, "--set", f"body.inertia={value}", "--json").stdout))
        by = json.loads(self.vernier("linearize", body, "--by", "body.inertia", "--json").stdout)
        self.assertEqual(by["parameters"], ["body.inertia[0]", "body.inertia[1]", "body.inertia[2]"])
        # y = ½ ω·J ω: ∂/∂Jxx = ½ ωx², of which the derivative by ωx is ωx
        energy = by["outputs"].index("body.energy")
        wx = by["state_names"].index("body.omega[0]")
        slope = (rates[1]["C"][energy][wx] - rates[0]["C"][energy][wx]) / (0.002 * 1377e-6)
        self.assertAlmostEqual(by["Q"][energy][0], 0.5 * slope ** 2, places=12)
        # of a tree: the mass of a body counts once in that of everything
        huygens = json.loads(self.vernier("linearize", SOURCE / "missions/cassini/plant.xml", "--by", "plant.huygens.mass",
                                          "--outputs", "mass", "--json").stdout)
        self.assertEqual((huygens["outputs"], huygens["Q"]), (["mass"], [[1.0]]))
        several = self.vernier("modes", SOURCE / "missions/spacefom/alone.xml", status=2)
        self.assertIn("V7130", several.stderr)
        self.assertIn("--part", several.stderr)

    def test_noise_is_shown_and_changes_no_bit_of_a_run(self):
        noisy = (SOURCE / "formats/hybrid/good/gyro.xml").read_text()
        (self.folder / "noisy.xml").write_text(noisy)
        (self.folder / "quiet.xml").write_text(re.sub(r' noise="[^"]*"', "", noisy))
        (self.folder / "hybrid.dtd").write_text((SOURCE / "formats/hybrid/hybrid.dtd").read_text())
        rows = {}
        for name in ("noisy", "quiet"):
            self.vernier("run", f"{name}.xml", "--until", "60s", "-q", "--out", name)
            rows[name] = self.vernier("export", f"{name}/latest", "--format", "csv").stdout.replace(name, "run")
        self.assertGreater(len(rows["noisy"].splitlines()), 10)
        self.assertEqual(rows["noisy"], rows["quiet"])
        it = json.loads(self.vernier("info", self.folder / "noisy.xml", "--json").stdout)["instances"][0]
        # 0.15 deg/sqrt(h)
        self.assertAlmostEqual(it["states"][0]["noise_per_root_s"][0], math.radians(0.15) / 60, places=15)
        self.assertEqual([p.get("noise") for p in it["outputs"][:3]], [[math.radians(0.02)], [10e-6, 30e-6], None])
        self.assertIn("noise 1e-05 3e-05 rad", self.vernier("info", self.folder / "noisy.xml").stdout)
        self.assertNotIn("noise", self.vernier("info", self.folder / "quiet.xml").stdout.replace("Noise is what", ""))

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
        self.vernier("run", "pendulum.xml", "--quiet")
        self.assertIn("pendulum.ROD.position", self.vernier("info", "runs/pendulum-0001").stdout)
        self.vernier("export", "runs/pendulum-0001", "pendulum.ROD.position", "-o", "rod.csv")
        rows = (self.folder / "rod.csv").read_text(encoding="utf-8").split()
        # the deck's final time is 2 s, its time step 1 ms
        self.assertEqual([float(rows[-2].split(",")[0]), float(rows[-1].split(",")[0])], [1.999, 2.0])

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
        self.vernier("import", SOURCE / "examples/multibody/arm.urdf", "-o", "arm.xml")
        self.assertIn("good;", self.vernier("check", "arm.xml").stdout)
        self.assertIn("base_plate", self.vernier("info", "arm.xml").stdout)
        self.assertIn('<body name="base_plate"', self.vernier("import", SOURCE / "examples/multibody/arm.urdf").stdout)

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

    def test_on_nodes_it_shows_who_waits_for_whom(self):
        sampled = SOURCE / "missions/aausat2/sampled.xml"
        text = self.vernier("info", sampled, "--on", "local:2").stdout
        self.assertRegex(text, r"(?m)^aausat2-sampled on 2 nodes$")
        self.assertRegex(text, r"(?m)^  plant +node[12]  automatic  .* a tick$")
        self.assertRegex(text, r"(?m)^  plant\.b +→ supervisor\.b +node\d → node\d  at the same instant$")
        self.assertRegex(text, r"(?m)^waiting for values of the same instant: 4 exchanges a tick$")
        self.assertRegex(text, r"(?m)^    2  outputs that need others first: plant\.")
        self.assertRegex(text, r"(?m)^  [0-9 .e+]+ ticks/s, [0-9 .e+]+ times real time$")
        self.assertRegex(text, r"(?m)^  a delay of 1 tick on .* saves 4 exchanges a tick: ")
        found = json.loads(self.vernier("info", sampled, "--on", "local:2", "--json").stdout)
        self.assertEqual({p["name"] for p in found["parts"]}, {"plant", "supervisor"})
        self.assertEqual({p["node"] for p in found["parts"]}, {"node1", "node2"})
        self.assertEqual(found["forecast"]["exchanges_per_tick"], 4)
        self.assertTrue(found["forecast"]["cost_known"])
        self.assertRegex(text, r"(?m)^  on one node: [0-9 .e+]+ ticks/s, ")
        self.assertGreater(found["forecast"]["one_node_tick_s"], 0)
        self.assertAlmostEqual(sum(n["work_s"] for n in found["nodes"]), sum(p["cost_s"] for p in found["parts"]))
        self.assertIn('--on needs a document, which "rigid_body" is not', self.vernier("info", "rigid_body", "--on", "local:2", status=2).stderr)
        # one node: nothing is cut
        self.assertIn("no connection leads from one node to another",
                      self.vernier("info", sampled, "--on", "local:1").stdout)

    def test_on_nodes_it_takes_a_document_and_starts_nothing_outside(self):
        (self.folder / "nodes.xml").write_text(
            '<nodes><node name="desk" local="yes"/><node name="rack" address="rack.example.org"/>'
            '<place part="super*" node="rack"/><network round_trip="1 s"/></nodes>', encoding="utf-8")
        # its plant is another program, to which nobody connects
        found = json.loads(self.vernier("info", SOURCE / "missions/aausat2/lines.xml", "--on", "nodes.xml", "--json").stdout)
        self.assertEqual([(p["name"], p["node"], p["why"]) for p in found["parts"]],
                         [("plant", "desk", "stays here"), ("supervisor", "rack", "nodes document")])
        self.assertEqual([n["address"] for n in found["nodes"]], [None, "rack.example.org:4870"])
        self.assertFalse(found["forecast"]["cost_known"])
        self.assertIn("plant is connected to a device", found["forecast"]["assumes"])
        self.assertGreater(found["forecast"]["tick_s"], 1)  # there and back
        text = self.vernier("info", SOURCE / "missions/aausat2/lines.xml", "--on", "nodes.xml").stdout
        self.assertRegex(text, r"(?m)^  at most 0\.\d+ ticks/s, ")
        self.assertIn("round trip 1 s, 125 MB/s", text)

    def test_graphs(self):
        self.assertRegex(self.vernier("info", FEEDBACK, "--graph").stdout, r'^digraph "feedback" \{(.|\n)*\}\n$')
        self.assertIn("relay.y", self.vernier("info", FEEDBACK, "--graph", "text").stdout)

    def test_parameters_come_first_and_long_lists_are_short(self):
        plant = SOURCE / "missions/cassini/plant.xml"
        short, full = (self.vernier("info", plant, *more).stdout for more in ([], ["--all"]))
        for text in (short, full):
            self.assertLess(text.index("  parameters\n"), text.index("  in   "))
        self.assertLess(len(short.splitlines()), 120)
        # what is left out is counted
        for word, pattern in [("inputs", r"(?m)^  in "), ("outputs", r"(?m)^  out "), ("parts", r"(?m)^  modes of ")]:
            left = int(re.search(rf"… (?:modes of )?(\d+) more {word} \(--all shows them\)", short)[1])
            self.assertEqual(len(re.findall(pattern, short)) + left, len(re.findall(pattern, full)), word)
        self.assertNotIn("--all", full)

    def test_what_is_not_there_gets_a_suggestion(self):
        self.assertIn("vernier info rigid_body", self.vernier("info", "rigidbody", status=2).stderr)


class Examples(InAFolder):
    def test_each_can_be_copied_and_run(self):
        for example in json.loads(self.vernier("examples", "--json").stdout):
            with self.subTest(example["name"]):
                self.vernier("examples", "copy", example["name"])
                self.assertTrue(example["summary"])
                document = f"{example['name']}/{example['document']}"
                if document.endswith(".md"):  # to be built: see test_a_copied_plug_in_..., tests/consumer
                    self.assertTrue((self.folder / document).exists())
                elif (self.folder / example["name"] / "peer.py").exists():
                    self.run_with_peer(document, f"{example['name']}/peer.py")
                else:
                    self.run_when_ports_are_free(document)

    def run_when_ports_are_free(self, document):
        """Some listen at ports that the document names: another program may have one of them for a while."""
        def attempt():
            done = subprocess.run([VERNIER, "run", document, "-q"], cwd=self.folder, text=True, encoding="utf-8", capture_output=True, timeout=PATIENCE)
            return "error[V5121]" not in done.stderr and done
        done = wait_until(attempt, "a free port")
        self.assertEqual(done.returncode, 0, f"{document}\n{done.stdout}\n{done.stderr}")

    def run_with_peer(self, document, peer):
        """The example's other half, on a port that is free."""
        address = f"127.0.0.1:{free_ports(1)[0]}"
        run = self.start("run", document, "-q", "--set", f"tank.listen={address}", "--set", f"tank.patience={PATIENCE:g}s")
        self.assertIn("waiting for", run.stderr.readline())
        other = subprocess.Popen([sys.executable, peer, address], cwd=self.folder)
        self.addCleanup(lambda: other.poll() is None and other.kill())
        self.assertEqual(run.wait(timeout=PATIENCE), 0)
        self.assertEqual(other.wait(timeout=PATIENCE), 0)

    def test_a_copied_plug_in_builds_and_runs_with_its_input_set(self):
        self.vernier("examples", "copy", "plugin")
        subprocess.run(["make", "-s"], cwd=self.folder / "plugin", check=True, timeout=PATIENCE)
        self.vernier("trust", "plugin/lowpass.so")
        self.vernier("run", "plugin/lowpass.xml", "--until", "5s", "--set", "ext.in=1 2 3 V", "-q")
        rows = self.vernier("export", "runs/latest", "lowpass.filtered").stdout.splitlines()
        reached = [float(cell) for cell in rows[-1].split(",")[1:]]
        for found, held in zip(reached, [1.0, 2.0, 3.0], strict=True):
            self.assertAlmostEqual(found, held * (1 - math.exp(-10)), delta=1e-3 * held)  # 5 s, tau 0.5 s

    def test_a_copied_network_plug_in_builds_and_joins_nodes(self):
        self.vernier("examples", "copy", "network")
        subprocess.run(["make", "-s"], cwd=self.folder / "network", check=True, timeout=PATIENCE)
        self.vernier("trust", "network/tcp_network.so")
        self.vernier("run", "network/pair.xml", "--on", "network/nodes.xml", "-q")
        self.vernier("run", "network/pair.xml", "-q", "--out", "alone")
        self.assertIn("the runs agree", self.vernier("compare", "runs/latest", "alone/latest").stdout)

    def test_copied_scripts_find_their_modules(self):
        self.vernier("examples", "copy", "aausat2")
        said = subprocess.run([sys.executable, "-c", "import plant"], cwd=self.folder / "aausat2", capture_output=True, text=True,
                              timeout=PATIENCE)
        self.assertEqual(said.returncode, 0, said.stderr)

    def test_nothing_is_overwritten(self):
        self.vernier("examples", "copy", "relay", "here")
        self.assertIn("V7501", self.vernier("examples", "copy", "relay", "here", status=2).stderr)
        self.assertIn("copy relay", self.vernier("examples", "copy", "realy", status=2).stderr)

    def test_the_demo_needs_nothing_but_the_program(self):
        said = self.vernier("demo").stdout
        self.assertRegex(said, r"t = +238\.124 s +supervisor +Detumbling → Pointing")
        # what it ran, at once: the norm of the rate, on axes that say so
        self.assertIn("|ω| [rad/s]\n", said)
        self.assertRegex(said, r"(?m)^ *0\.00? ┤[\u2800-\u28ff┊ ]+$")
        for number in [12, 13, 14, 15]:
            self.assertTrue((self.folder / f"runs/aausat2-0001/figures/figure{number}.svg").exists())
        for command in re.findall(r"(?m)^(?:  next)? +vernier (.*)$", said):
            self.vernier(*shlex.split(command))


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
