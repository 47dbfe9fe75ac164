#!/usr/bin/env python3
"""A document of a stranger: it runs no native code that the user did not trust, writes no file that the user did not
allow, and reads nothing through entities.

usage: trust_test.py <vernier> <source tree> [<unittest argument>...]
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import unittest

from in_a_folder import FEEDBACK, PATIENCE, SOURCE, InAFolder

# what loading it leaves behind
CONSTRUCTOR = """
#include <stdio.h>
__attribute__((constructor)) static void leave_a_mark(void) {
  FILE* f = fopen("%s", "w");
  if (f) fclose(f);
}
"""
CONNECTOR = """<ioconnector name="filter" version="1" adapter="plugin">
  <inputs><input name="in" unit="V" size="3" default="0"/></inputs>
  <outputs><output name="filtered" unit="V" size="3"/><output name="difference" unit="V" size="3"/></outputs>
  <parameter name="file">%s</parameter><parameter name="config">tau=0.5 size=3</parameter>
</ioconnector>"""
TOP = """<interconnection name="top" version="1"><connector id="filter" file="filter.xml"/>%s<run stop="1 s" step="100 ms"/>
  <record signals="*"/><figure name="all"><curve signal="filter.filtered[0]"/></figure></interconnection>"""
MECHANISM = """<mechanism name="crane" version="1">
  <node name="n"/><body name="b" node="n" mass="1 kg"><inertia about="centre" unit="kg*m^2" xx="1" yy="1" zz="1"/></body>
  <user name="damper" library="%s" element="viscous"><end node="n"/><parameter name="c" value="1"/></user>
  <output of="n"/><output of="damper"/></mechanism>"""
SINK = """<ioconnector name="log" version="1" adapter="csv"><inputs><input name="x"/></inputs>
  <parameter name="file">%s</parameter></ioconnector>"""


class Trust(InAFolder):
    def setUp(self):
        super().setUp()
        self.mark = self.folder / "mark"
        self.plugin = self.folder / "notes.txt"  # native code, whatever it is called
        self.build(self.plugin)
        (self.folder / "filter.xml").write_text(CONNECTOR % "notes.txt")
        (self.folder / "crane.xml").write_text(MECHANISM % "notes.txt")
        (self.folder / "top.xml").write_text(TOP % "")
        (self.folder / "both.xml").write_text(TOP % '<component id="crane" file="crane.xml"/>')

    def build(self, to, more=""):
        """The example's plug-in, which in addition leaves a mark as soon as it is loaded."""
        source = self.folder / "plugin.c"
        source.write_text((SOURCE / "examples/plugin/lowpass.c").read_text() + CONSTRUCTOR % self.mark + more)
        subprocess.run([os.environ.get("CC", "cc"), "-std=gnu11", "-shared", "-fPIC", "-I", SOURCE / "vernier/gateway/plugin", "-o", to,
                        source, "-lm"], check=True, timeout=PATIENCE)

    def said(self, *words):
        """What a command says, whatever its status; it must not have loaded the code."""
        done = subprocess.run([str(self.program), *map(str, words)], cwd=self.folder, text=True, capture_output=True,
                              timeout=PATIENCE, stdin=subprocess.DEVNULL)
        self.assertFalse(self.mark.exists(), words)
        return done

    # every command of the program; one that takes no document has none here. Those that would run the document must
    # say why they do not; a new command must be entered
    READS = {
        "check": [["check"], ["check", "--json"], ["check", "--set", "run.stop=2s"]],
        "info": [["info"], ["info", "--json"], ["info", "--graph", "dot"], ["info", "--graph", "text"], ["info", "--all"],
                 ["info", "--on", "local:2"]],
        "import": [["import"]],
    }
    RUNS = {
        "run": [["run"], ["run", "--no-record"], ["run", "--json"], ["run", "--detach"], ["run", "--on", "local:2"]],
        "check": [["check", "--coupling"]],
        "serve": [["serve", "--listen", "127.0.0.1:0", "--once"]],
        "doctor": [["doctor", "--seconds", "0.1", "--for"]],
        "modes": [["modes"]],
        "linearize": [["linearize"]],
    }
    OTHERS = {"federate",  # below
              "desktop"}   # reads documents as info does, and starts them by `vernier run`
    NO_DOCUMENT = {"demo", "new", "plot", "help", "examples", "runs", "status", "freeze", "resume", "stop", "watch", "set", "send", "step",
                   "rate", "checkpoint", "mark", "move", "nodes", "registry", "server", "rewind", "export", "report", "compare", "explain", "link", "rti", "trust", "time", "frames", "dtd",
                   "completion", "version"}

    def test_no_command_runs_code_that_is_not_trusted(self):
        listed = {line.split()[1] for line in self.vernier("help", "all").stdout.splitlines() if line.startswith("  vernier ")}
        self.assertEqual(listed, set(self.READS) | set(self.RUNS) | self.OTHERS | self.NO_DOCUMENT)
        for document in ("top.xml", "filter.xml", "crane.xml", "both.xml"):
            for calls in self.READS.values():
                for words in calls:
                    self.said(*words, document)
            for calls in self.RUNS.values():
                for words in calls:
                    done = self.said(*words, document)
                    self.assertEqual(done.returncode, 2, (words, document, done))
                    self.assertIn("V7601", done.stdout + done.stderr, (words, document))
        for words in (["join", "--as"], ["join", "--dry-run", "--as"], ["create", "--as"]):
            for document in ("top.xml", "filter.xml", "crane.xml"):
                self.assertNotEqual(self.said("federate", *words, document).returncode, 0)
        self.assertFalse((self.folder / "runs").exists())

    def test_check_and_info_never_run_code_even_if_it_is_trusted(self):
        self.vernier("trust", self.plugin)
        for document in ("top.xml", "crane.xml", "both.xml"):
            for calls in self.READS.values():
                for words in calls:
                    done = self.said(*words, document)
                    if words[0] != "import":
                        self.assertEqual(done.returncode, 0, (words, document, done))
                        if "--json" not in words and "--graph" not in words:
                            self.assertIn("V7603", done.stderr)
        # what the document says is checked all the same, and what only the code knows is not
        self.assertIn("filter.filtered[3]", self.said("info", "top.xml").stdout)
        (self.folder / "wrong.xml").write_text((TOP % "").replace("filter.filtered[0]", "filter.filterd[0]"))
        self.assertIn("V2112", self.said("check", "wrong.xml").stderr)
        (self.folder / "filter.xml").write_text(CONNECTOR % "nowhere.so")
        self.assertIn("V5201", self.said("check", "top.xml").stderr)

    def test_trusted_code_runs_and_the_manifest_names_it(self):
        said = self.vernier("trust", "notes.txt").stdout
        digest = subprocess.run(["sha256sum", self.plugin], capture_output=True, text=True, check=True).stdout.split()[0]
        self.assertIn(digest, said)
        self.assertIn(str(self.plugin.resolve()), said)
        self.vernier("run", "top.xml", "-q")
        self.assertTrue(self.mark.exists())
        inputs = json.loads((self.folder / "runs/latest/manifest.json").read_text())["inputs"]
        self.assertEqual([(i["file"], i["sha256"]) for i in inputs if i.get("executed")], [("notes.txt", digest)])
        # plotting reads the document again, and does not run it
        self.mark.unlink()
        self.vernier("trust", "--remove", "notes.txt")
        self.said("plot", "runs/latest", "--figures")
        self.said("info", "runs/latest")

    def test_trust_for_one_call(self):
        for words in (["run", "top.xml", "-q"], ["doctor", "--seconds", "0.1", "--for", "top.xml"]):
            self.mark.unlink(missing_ok=True)
            subprocess.run([str(self.program), *words, "--trust", "notes.txt"], cwd=self.folder, timeout=PATIENCE,
                           capture_output=True, check=words[0] == "run")
            self.assertTrue(self.mark.exists(), words)
            self.mark.unlink()
            self.assertIn("V7601", self.said("run", "top.xml").stderr)
        served = self.start("serve", "top.xml", "--part", "filter", "--listen", "127.0.0.1:0", "--trust", "notes.txt")
        self.assertIn("waits at", served.stdout.readline())
        self.assertTrue(self.mark.exists())
        self.assertIn("V7604", self.vernier("run", "top.xml", "--trust", "nowhere.so", status=2).stderr)

    def test_code_that_was_changed_or_exchanged_is_refused(self):
        self.vernier("trust", "notes.txt")
        kept = self.folder / "kept.so"
        shutil.copy(self.plugin, kept)
        self.build(self.plugin, "int other;")
        said = self.said("run", "top.xml")
        self.assertEqual(said.returncode, 2)
        self.assertIn("V7602", said.stderr)
        # a link to it, and another file in its place
        self.plugin.rename(self.folder / "second")
        self.plugin.symlink_to("second")
        self.assertIn("V7601", self.said("run", "top.xml").stderr)
        self.plugin.unlink()
        self.plugin.symlink_to(kept)
        self.vernier("run", "top.xml", "-q")
        self.assertTrue(self.mark.exists())

    def test_a_list_that_others_can_change_is_not_used(self):
        self.vernier("trust", "notes.txt")
        file = pathlib.Path(self.vernier("trust", "--list").stdout.split("kept in ")[1].strip())
        self.assertEqual(file.stat().st_mode & 0o777, 0o600)
        for mode in (0o620, 0o602):
            file.chmod(mode)
            said = self.said("run", "top.xml")
            self.assertEqual(said.returncode, 2)
            self.assertIn("V7604", said.stderr)
        self.vernier("run", FEEDBACK, "-q")  # needs no list
        self.vernier("run", "top.xml", "-q", "--trust", "notes.txt")

    def test_the_list_can_be_shown_and_shortened(self):
        self.assertIn("no native code is trusted", self.vernier("trust").stdout)
        self.vernier("trust", "notes.txt")
        [entry] = json.loads(self.vernier("trust", "--list", "--json").stdout)
        self.assertEqual(entry["path"], str(self.plugin.resolve()))
        self.vernier("trust", "--remove", entry["sha256"])
        self.assertEqual(json.loads(self.vernier("trust", "--list", "--json").stdout), [])

    def test_a_repeated_run_needs_the_same_trust_and_the_same_code(self):
        self.vernier("run", "top.xml", "-q", "--trust", "notes.txt")
        self.mark.unlink()
        self.assertIn("V7601", self.said("run", "runs/top-0001").stderr)
        self.vernier("trust", "notes.txt")
        self.plugin.unlink()
        (self.folder / "filter.xml").unlink()
        self.vernier("run", "runs/top-0001", "-q")
        self.assertTrue(self.mark.exists())
        self.mark.unlink()
        self.vernier("compare", "runs/top-0001", "runs/top-0002")
        self.build(self.folder / "runs/top-0001/inputs/notes.txt", "int other;")
        self.assertIn("V7109", self.said("run", "runs/top-0001", "--trust", "runs/top-0001/inputs/notes.txt").stderr)


class Files(InAFolder):
    def setUp(self):
        super().setUp()
        shutil.copytree(SOURCE / "examples/csv", self.folder / "csv")

    def sink(self, path):
        text = (SOURCE / "examples/csv/log.xml").read_text()
        (self.folder / "csv/log.xml").write_text(text.replace("rates.csv", str(path)))

    def test_a_document_writes_into_the_folder_of_the_run(self):
        before = set(self.folder.rglob("*"))
        said = self.vernier("run", "csv/replay.xml").stdout
        written = self.folder / "runs/replay-0001/outputs/rates.csv"
        self.assertGreater(len(written.read_text().splitlines()), 3)
        self.assertIn("runs/replay-0001/outputs/rates.csv", said)
        self.assertEqual([f for f in set(self.folder.rglob("*")) - before if f.parts[len(self.folder.parts)] != "runs"], [])
        self.assertEqual(json.loads((self.folder / "runs/latest/manifest.json").read_text())["outputs"], ["outputs/rates.csv"])
        again = json.loads(self.vernier("run", "runs/replay-0001", "--json").stdout)
        self.assertEqual(again["files"], ["runs/replay-0002/outputs/rates.csv"])
        self.assertEqual((self.folder / again["files"][0]).read_text(), written.read_text())

    def test_it_does_not_write_elsewhere_unless_it_is_allowed(self):
        outside, allowed = self.folder / "outside", self.folder / "allowed"
        outside.mkdir()
        allowed.mkdir()
        (allowed / "link").symlink_to(outside)
        (outside / "mine.csv").write_text("mine")
        (allowed / "linked.csv").symlink_to(outside / "mine.csv")
        for path in (outside / "x.csv", "../x.csv", "a/../../../x.csv", allowed / "../outside/x.csv", allowed / "link/x.csv"):
            self.sink(path)
            for words in (["run", "csv/replay.xml"], ["run", "csv/replay.xml", "--no-record"], ["check", "--coupling", "csv/replay.xml"],
                          ["serve", "csv/replay.xml", "--part", "log", "--listen", "127.0.0.1:0"]):
                if words[0] == "serve" and "link" in str(path):
                    continue  # it is opened only when a client comes
                said = self.vernier(*words, "--allow-write", "allowed", status=2).stderr
                self.assertIn("V7312", said, (path, words))
        (self.folder / "csv/log.xml").write_text((SOURCE / "examples/csv/log.xml").read_text().replace(
            'rates.csv</parameter>', f'{allowed}/linked.csv</parameter><parameter name="existing">replace</parameter>'))
        self.assertIn("V7312", self.vernier("run", "csv/replay.xml", "--allow-write", "allowed", status=2).stderr)
        self.assertEqual((outside / "mine.csv").read_text(), "mine")
        self.assertEqual([f.name for f in outside.iterdir()], ["mine.csv"])
        self.assertFalse((self.folder / "runs").exists())
        self.sink(allowed / "x.csv")
        self.assertIn("V7312", self.vernier("run", "csv/replay.xml", status=2).stderr)
        self.vernier("check", "csv/replay.xml")  # nothing is written
        self.assertFalse((allowed / "x.csv").exists())
        said = self.vernier("run", "csv/replay.xml", "--allow-write", "allowed").stdout
        self.assertIn(str(allowed / "x.csv"), said)
        self.assertTrue((allowed / "x.csv").exists())

    def test_what_is_not_kept_leaves_nothing_and_says_so(self):
        before = set(self.folder.rglob("*"))
        self.assertIn("V7313", self.vernier("run", "csv/replay.xml", "--no-record").stderr)
        self.vernier("linearize", "csv/replay.xml", status=2)
        self.vernier("info", "csv/replay.xml")
        self.assertEqual(set(self.folder.rglob("*")), before)


class Repetition(InAFolder):
    """A run is repeated from its copies, by whatever paths its documents name each other."""

    def moved(self, run):
        """The run, with all that its documents named gone."""
        (self.folder / "elsewhere").mkdir()
        shutil.move(self.folder / "project", self.folder / "elsewhere/project")
        self.vernier("run", run, "-q")
        self.vernier("compare", run, run[:-1] + "2")

    def test_with_absolute_paths_between_compositions_and_models(self):
        project = self.folder / "project"
        shutil.copytree(SOURCE / "examples/csv", project / "csv")
        (project / "models").mkdir()
        for name in ("attitude.xml", "heavy.xml"):
            text = (SOURCE / "formats/hybrid/good" / name).read_text()
            (project / "models" / name).write_text(text.replace('extends="attitude.xml"', f'extends="{project}/models/attitude.xml"'))
        self.assertIn(str(project), (project / "models/heavy.xml").read_text())
        (project / "inner.xml").write_text(f"""<interconnection name="inner" version="1">
          <connector id="gyro" file="{project}/csv/gyro.xml"/><run stop="1 s" step="100 ms"/></interconnection>""")
        (project / "top.xml").write_text(f"""<interconnection name="top" version="1">
          <composition id="inner" file="{project}/inner.xml"/>
          <system id="craft" file="{project}/models/heavy.xml"/><run stop="1 s" step="100 ms"/><record signals="*"/></interconnection>""")
        self.vernier("run", "project/top.xml", "-q")
        self.moved("runs/top-0001")

    def test_with_absolute_paths_from_models_to_files(self):
        project = self.folder / "project"
        shutil.copytree(SOURCE / "examples/multibody", project)
        changed = 0
        for file in project.glob("*.xml"):
            text = file.read_text()
            new = text.replace('file="array.modal"', f'file="{project}/array.modal"')
            changed += new != text
            file.write_text(new)
        self.assertGreater(changed, 0)
        self.vernier("run", "project/burn.xml", "--until", "0.1s", "-q")
        self.moved("runs/multibody-0001")

    def test_originals_that_changed_do_not_matter(self):
        project = self.folder / "project"
        project.mkdir()
        text = (SOURCE / "formats/hybrid/good/attitude.xml").read_text()
        (project / "model.xml").write_text(text)
        (project / "top.xml").write_text(f"""<interconnection name="top" version="1">
          <system id="craft" file="{project}/model.xml"/><run stop="1 s" step="100 ms"/><record signals="*"/></interconnection>""")
        self.vernier("run", "project/top.xml", "-q")
        (project / "model.xml").write_text("<nothing/>")
        self.vernier("run", "runs/top-0001", "-q")
        self.vernier("compare", "runs/top-0001", "runs/top-0002")
        (self.folder / "runs/top-0001/inputs/model.xml").write_text(text + "<!-- changed -->")
        self.assertIn("V7109", self.vernier("run", "runs/top-0001", status=2).stderr)


class Entities(InAFolder):
    """Documents of every kind read nothing through a DTD of their own, neither from the disk nor from the network."""

    def test_nothing_is_read_through_entities(self):
        secret = self.folder / "secret"
        secret.write_text("confidential")
        dtd = self.folder / "evil.dtd"
        dtd.write_text(f'<!ENTITY stolen SYSTEM "{secret}">')
        internal = f'<!ENTITY stolen SYSTEM "file://{secret}">'
        parameter = f'<!ENTITY % more SYSTEM "file://{dtd}"> %more;'
        for root in ("interconnection", "hybridsystem", "ioconnector", "multibody", "mechanism", "facility", "federate"):
            for declared in (f"[{internal}]", f"[{parameter}]", f'SYSTEM "{dtd}"', f'SYSTEM "{dtd}" [{internal}]',
                             '[<!ENTITY stolen SYSTEM "http://127.0.0.1:9/x">]'):
                (self.folder / "d.xml").write_text(
                    f'<!DOCTYPE {root} {declared}>\n<{root} name="x" version="1"><description>&stolen;</description></{root}>')
                for command in ("check", "info", "run"):
                    said = self.vernier(command, "d.xml", status=2)
                    self.assertNotIn("confidential", said.stdout + said.stderr)

    def test_a_dtd_that_is_named_is_not_opened(self):
        text = FEEDBACK.read_text()
        self.assertIn('"interconnection.dtd"', text)
        shutil.copytree(FEEDBACK.parent, self.folder / "good")
        os.mkfifo(self.folder / "good/interconnection.dtd")  # to open it would wait for ever
        self.vernier("check", "good/feedback.xml")
        (self.folder / "good/d.xml").write_text(text.replace("interconnection.dtd", f"{self.folder}/good/interconnection.dtd"))
        self.vernier("check", "good/d.xml")
        (self.folder / "good/d.xml").write_text(text.replace("interconnection.dtd", "other.dtd"))
        os.mkfifo(self.folder / "good/other.dtd")
        self.assertIn("nothing was fetched", self.vernier("check", "good/d.xml", status=2).stderr)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
