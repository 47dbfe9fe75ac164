#!/usr/bin/env python3
"""Starts projects from the templates as a newcomer does, and runs what they contain.

usage: new_test.py <vernier> <source tree> [<unittest argument>...]
"""
import json
import os
import re
import subprocess
import sys
import unittest

from in_a_folder import PATIENCE, SOURCE, VERNIER, InAFolder, free_ports

TEMPLATES = ["cubesat", "federate", "hil-link", "manipulator"]


class New(InAFolder):
    def test_the_list_names_every_template(self):
        names = re.findall(r"(?m)^  ([a-z-]+)  +\S", self.vernier("new").stdout)
        self.assertEqual(names, TEMPLATES)
        self.assertEqual([t["name"] for t in json.loads(self.vernier("new", "--json").stdout)], TEMPLATES)

    def test_every_template_passes_its_own_test(self):
        for name in TEMPLATES:
            with self.subTest(name):
                self.vernier("new", name, "project-" + name)
                folder = self.folder / ("project-" + name)
                self.assertEqual(len(list(folder.glob("*.xml"))), 3)
                for document in folder.glob("*.xml"):  # commented, as promised
                    self.assertRegex(document.read_text(encoding="utf-8"), r"<!-- |description=|<description>")
                done = subprocess.run(["./test.sh", *map(str, free_ports(2))], cwd=folder, text=True, capture_output=True, timeout=PATIENCE,
                                      env={**os.environ, "VERNIER": str(VERNIER)})
                self.assertEqual((done.returncode, done.stdout.splitlines()[-1:]), (0, ["passed"]), done.stdout + done.stderr)

    def test_the_next_command_works(self):
        said = self.vernier("new", "manipulator", "arm").stdout
        command = re.search(r"vernier (run \S+)", said)[1]
        self.vernier(*command.split())

    def test_nothing_is_overwritten(self):
        self.vernier("new", "cubesat")
        again = self.vernier("new", "cubesat", status=2)
        self.assertIn("V7501", again.stderr)
        self.assertIn("did you mean: vernier new cubesat", self.vernier("new", "cubesta", status=2).stderr)

    def test_a_cubesat_takes_less_than_150_lines(self):
        self.vernier("new", "cubesat")
        lines = sum(len(f.read_text().splitlines()) for f in (self.folder / "cubesat").glob("*.xml"))
        self.assertLess(lines, 150)


class Grammars(InAFolder):
    def test_xmllint_finds_copies_valid_by_the_catalogue(self):
        self.vernier("dtd", "dtds")
        self.vernier("examples", "copy", "aausat2")
        self.vernier("new", "cubesat")
        environment = {**os.environ, "XML_CATALOG_FILES": str(self.folder / "dtds/catalog.xml")}
        documents = [*(self.folder / "aausat2").glob("*.xml"), *(self.folder / "cubesat").glob("*.xml")]
        self.assertGreater(len(documents), 8)
        for document in documents:
            if "<!DOCTYPE" not in document.read_text(encoding="utf-8"):
                continue
            done = subprocess.run(["xmllint", "--nonet", "--noout", "--valid", document], text=True, capture_output=True, env=environment,
                                  timeout=PATIENCE)
            self.assertEqual(done.returncode, 0, done.stderr)

    def test_scripts_can_be_run_after_copying(self):
        self.vernier("examples", "copy", "epos")
        self.assertTrue(os.access(self.folder / "epos/run.py", os.X_OK))


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
