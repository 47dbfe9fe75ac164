#!/usr/bin/env python3
"""A beam that is spun up beyond its first frequency, against 16 beam elements in absolute nodal coordinates.

usage: spin_up_test.py <vernier> <source tree>
"""
import csv
import json
import math
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

VERNIER, SOURCE = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
LENGTH = 8.0


class SpinUp(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        # beside formats/ as in the tree, which the documents name
        (self.folder / "formats").symlink_to(SOURCE / "formats")
        self.example = self.folder / "examples/spin-up"
        shutil.copytree(SOURCE / "examples/spin-up", self.example)

    def vernier(self, *words):
        return subprocess.run([VERNIER, *words], cwd=self.folder, capture_output=True, text=True, timeout=300)

    def spun(self, *more):
        done = self.vernier("run", self.example / "spin-up.xml", "--json", "--out", "runs", *more)
        self.assertTrue(done.stdout.strip().startswith("{"), done.stdout + done.stderr)
        return done.returncode, json.loads(done.stdout), done.stderr

    def test_the_tip_moves_as_that_of_beam_elements(self):
        for order in "1", "2":
            document = self.example / "beam.xml"
            document.write_text((SOURCE / "examples/spin-up/beam.xml").read_text().replace(
                'file="beam.modal"', f'file="beam.modal" order="{order}"'))
            status, said, _ = self.spun()
            self.assertEqual(status, 0, said)
            self.assertEqual(said["warnings"], [])
            written = self.vernier("export", said["folder"], "craft.tip.position", "--format", "csv").stdout
            tip = {round(float(row[0]), 2): (float(row[1]) - LENGTH, float(row[2]))
                   for row in csv.reader(written.splitlines()) if row[0][0].isdigit()}
            compared = 0
            for line in (SOURCE / "tests/spin_up/absolute_nodal.csv").read_text().splitlines():
                if not line[0].isdigit():
                    continue
                t, along, across = map(float, line.split(","))
                # three modes: 0.9 mm where the beam bends by 0.53 m. Along: rho spin^2 L^3 / 3E = 0.11 mm of
                # stretch, which bending modes leave out, and the square of the same error
                self.assertAlmostEqual(tip[round(t, 2)][1], across, delta=9e-4, msg=t)
                self.assertAlmostEqual(tip[round(t, 2)][0], along, delta=1.6e-4, msg=t)
                compared += 1
            self.assertEqual(compared, 81)

    def test_modes_have_the_frequencies_of_a_spinning_beam(self):
        # Ritz's method with 16 polynomials, in units of sqrt(EI / m L^3): spin 5, hub radius 0. Three modes differ by less than 1e-3.
        unit = 2.91075839 / 3.51601527
        for order in "1", "2":
            for axis, expected in ("0 0 1", 4.073896), ("0 1 0", 6.449545):
                document = self.example / "turning.xml"
                document.write_text(f"""<multibody name="turning" version="1"><body name="beam">
                    <hinge kind="pin" at="frame" axis="{axis}"><dof name="turn" rate="{5 * unit} rad/s" motion="prescribed" hold="yes"/></hinge>
                    <modes file="beam.modal" order="{order}"/></body></multibody>""")
                done = self.vernier("modes", document, "--json")
                self.assertEqual(done.returncode, 0, done.stderr)
                found = min(m["frequency_Hz"] for m in json.loads(done.stdout) if m["frequency_Hz"] > 1e-3)
                self.assertAlmostEqual(found * 2 * math.pi / unit / expected, 1.0, delta=1e-3, msg=(order, axis))

    def test_without_geometric_stiffness_the_run_stops_and_says_why(self):
        modal = self.example / "beam.modal"
        lines = modal.read_text().splitlines(keepends=True)
        modal.write_text("".join(line for line in lines if not line.startswith("beam")))
        for method in [], ["--set", "run.integrator=rk4"]:
            status, said, error = self.spun(*method)
            self.assertEqual(status, 1, said)
            self.assertLess(said["reached_s"], 15.0)
            self.assertIn("V3141", json.dumps(said) + error)
            self.assertIn("mode 1 of beam has left its range of validity", json.dumps(said) + error)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
