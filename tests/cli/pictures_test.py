#!/usr/bin/env python3
"""Takes pictures apart again: what `vernier plot` draws is the recorded data, on axes that say what they show.

usage: pictures_test.py <vernier> <source tree> [<unittest argument>...]
"""
import csv
import importlib.util
import io
import math
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree

from in_a_folder import SOURCE, VERNIER, InAFolder

SVG = "{http://www.w3.org/2000/svg}"
# a turn at a rate that decays, and a law that looks at it five times a second
PLANT = """<hybridsystem name="Plant" version="1">
  <constants><constant name="a" value="0.5" unit="1/s"/><constant name="small" value="0.1" unit="ms"/></constants>
  <states><state name="angle" unit="rad" initial="0"/><state name="omega" unit="rad/s" size="3" initial="0.3 0.2 0.1"/></states>
  <outputs><output name="turn" unit="rad"/><output name="rate" unit="rad/s" size="3"/><output name="delay" unit="s"/></outputs>
  <location><name>Turning</name>
    <diffequation state="angle">omega[0]</diffequation><diffequation state="omega">-a*omega</diffequation>
    <outputmap output="turn">angle</outputmap><outputmap output="rate">omega</outputmap>
    <outputmap output="delay">angle*small</outputmap></location>
</hybridsystem>"""
LAW = """<hybridsystem name="Law" version="1"><constants><constant name="k" value="2" unit="N*m"/></constants>
  <inputs><input name="turn" unit="rad"/></inputs><outputs><output name="torque" unit="N*m"/></outputs>
  <location><name>On</name><outputmap output="torque">-k*turn</outputmap></location></hybridsystem>"""
TOP = """<interconnection name="turning" version="1">
  <system id="plant" file="plant.xml"/><system id="law" file="law.xml" rate="5 Hz"/><connect from="plant.turn" to="law.turn"/>
  <run stop="4 s" step="100 ms"/><record signals="* law.turn" every="100 ms"/>
  <figure name="all" title="Everything"><curve signal="plant.turn" unit="deg"/><curve signal="law.torque"/><curve signal="plant.rate"/></figure>
  <figure name="named" title="Turn" y="angle turned"><curve signal="plant.turn" unit="deg"/></figure>
</interconnection>"""


def number(text):
    return float(text.replace("\u2212", "-"))


class Picture:
    """The curves of an SVG picture in the numbers of its axes, which follow from the labels of their ticks."""

    def __init__(self, file):
        self.root = ElementTree.parse(file).getroot()
        self.texts = [t.text for t in self.root.iter(SVG + "text")]
        self.curves, self.paths = {}, {}
        panels = [g for g in self.root if g.tag == SVG + "g"]
        x = self.scale(panels[-1], "middle", "x", 0.0)
        for panel in panels:
            y = self.scale(panel, "end", "y", 4.2)
            for clipped in panel:
                for part in clipped.iter(SVG + "g"):
                    title = part.find(SVG + "title")
                    if title is None:
                        continue
                    path = part.find(SVG + "path")
                    points = [tuple(map(float, p.split())) for p in re.findall(r"[-0-9.]+ [-0-9.]+", path.get("d"))]
                    self.curves[title.text] = [(x(a), y(b)) for a, b in points]
                    self.paths[title.text] = path

    @staticmethod
    def scale(panel, anchor, axis, shift):
        ticks = [(float(t.get(axis)) - shift, number(t.text)) for t in panel.findall(SVG + "text")
                 if t.get("text-anchor") == anchor and t.get(axis) and re.fullmatch("[\u2212]?[0-9.]+", t.text)]
        (p0, v0), (p1, v1) = ticks[0], ticks[-1]
        return lambda p: v0 + (p - p0) / (p1 - p0) * (v1 - v0)


class Pictures(InAFolder):
    @classmethod
    def setUpClass(cls):
        cls.shared = pathlib.Path(tempfile.mkdtemp(prefix="vernier_pictures_"))
        for name, text in (("plant.xml", PLANT), ("law.xml", LAW), ("top.xml", TOP)):
            (cls.shared / name).write_text(text, encoding="utf-8")
        for a in ("0.5", "0.6"):
            done = subprocess.run([VERNIER, "run", "top.xml", "-q", "--set", f"plant.a={a}"], cwd=cls.shared, capture_output=True, text=True)
            assert done.returncode == 0, done.stderr

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.shared, ignore_errors=True)

    def setUp(self):
        super().setUp()
        (self.folder / "runs").symlink_to(self.shared / "runs")

    def drawn(self, *words, run="runs/turning-0001"):
        self.vernier("plot", run, *words, "-o", "x.svg")
        return Picture(self.folder / "x.svg")

    def data(self, name, run="runs/turning-0001"):
        rows = list(csv.reader(io.StringIO(self.vernier("export", run, name, "--format", "csv").stdout)))[1:]
        return [(float(t), float(v)) for t, v in rows]

    def near(self, points, expected, tolerance):
        self.assertEqual(len(points), len(expected))
        for (a, b), (c, d) in zip(points, expected):
            self.assertAlmostEqual(a, c, delta=tolerance)
            self.assertAlmostEqual(b, d, delta=tolerance)

    def test_a_curve_is_the_data_in_the_unit_that_was_asked_for(self):
        recorded = self.data("plant.turn")
        # closed form: 0.3/a (1 - exp(-a t))
        for t, v in recorded:
            self.assertAlmostEqual(v, 0.6 * (1 - math.exp(-0.5 * t)), places=6)
        picture = self.drawn("plant.turn", "--unit", "deg")
        self.near(picture.curves["plant.turn"], [(t, math.degrees(v)) for t, v in recorded], 0.05)
        self.assertIn("plant.turn [deg]", picture.texts)
        self.assertIn("time [s]", picture.texts)

    def test_a_unit_that_fits_nothing_is_refused(self):
        said = self.vernier("plot", "runs/latest", "plant.turn", "--unit", "kg", status=2).stderr
        self.assertIn("V7122", said)
        self.assertIn("plant.turn is in rad", said)
        # neither is a cycle a radian, nor a number an angle
        self.assertIn("V7122", self.vernier("plot", "runs/latest", "plant.rate", "--unit", "Hz", status=2).stderr)
        self.assertIn("V7122", self.vernier("plot", "runs/latest", "plant.turn", "--unit", "%", status=2).stderr)
        self.assertIn("V2005", self.vernier("plot", "runs/latest", "plant.turn", "--unit", "furlong", status=2).stderr)

    def test_small_numbers_have_a_prefix(self):
        picture = self.drawn("plant.delay")
        self.assertIn("plant.delay [\u00b5s]", picture.texts)
        self.near(picture.curves["plant.delay"], [(t, 1e6 * v) for t, v in self.data("plant.delay")], 0.05)
        # but not where the user chose
        self.assertIn("plant.delay [s]", self.drawn("plant.delay", "--unit", "s").texts)

    def test_the_range_is_the_one_that_was_asked_for(self):
        frame = lambda p: max(float(r.get("height")) for r in p.root.iter(SVG + "rect") if r.get("fill") is None)
        picture = self.drawn("plant.turn", "--y-range", "-1:3")
        box = next(r for r in picture.root.iter(SVG + "clipPath")).find(SVG + "rect")
        scale = Picture.scale([g for g in picture.root if g.tag == SVG + "g"][-1], "end", "y", 4.2)
        self.assertAlmostEqual(scale(float(box.get("y"))), 3.0, delta=0.02)
        self.assertAlmostEqual(scale(float(box.get("y")) + frame(picture)), -1.0, delta=0.02)
        for wrong in ("3", "3:1", "a:b", "1:"):
            self.assertIn("--y-range", self.vernier("plot", "runs/latest", "plant.turn", "--y-range", wrong, status=2).stderr)
        self.assertIn("V7123", self.vernier("plot", "runs/latest", "plant.turn", "--y-range", "0:1", "--y-range", "0:2", status=2).stderr)

    def test_one_signal_over_another(self):
        picture = self.drawn("--xy", "plant.turn", "plant.rate[0]", "--unit", "deg", "--unit", "deg/s")
        both = list(zip((v for _, v in self.data("plant.turn")), (v for _, v in self.data("plant.rate[0]"))))
        # the closed form is a straight line: rate = 0.3 - a turn
        for turn, rate in both:
            self.assertAlmostEqual(rate, 0.3 - 0.5 * turn, places=6)
        self.near(picture.curves["plant.rate[0]"], [(math.degrees(a), math.degrees(b)) for a, b in both], 0.05)
        self.assertIn("plant.turn [deg]", picture.texts)
        self.assertIn("plant.rate[0] [deg/s]", picture.texts)
        early = self.drawn("--xy", "plant.turn", "plant.rate[0]", "--to", "1s").curves["plant.rate[0]"]
        self.near(early, both[:11], 0.002)

    def test_over_another_needs_numbers_and_one_unit(self):
        refused = lambda *words: self.vernier("plot", "runs/latest", *words, status=2).stderr
        self.assertIn("plant.rate[0]", refused("--xy", "plant.turn", "plant.rate"))
        self.assertIn("V7123", refused("--xy", "plant.turn", "plant.rate[0]", "--xy", "plant.turn", "law.torque"))
        self.assertIn("--xy", refused("plant.turn", "--xy", "plant.turn", "law.torque"))
        self.assertIn("--from", refused("plant.turn", "--x-range", "0:1"))

    def test_panels_are_chosen_or_follow_the_units(self):
        panels = lambda p: len([g for g in p.root if g.tag == SVG + "g"])
        self.assertEqual(panels(self.drawn("plant.turn", "plant.rate[0]", "law.torque", "law.turn")), 3)
        chosen = self.drawn("--panel", "plant.rate[0] plant.rate[1]", "--panel", "plant.rate[2]")
        self.assertEqual(panels(chosen), 2)
        self.assertIn("angular rate [rad/s]", chosen.texts)
        self.assertIn("V7123", self.vernier("plot", "runs/latest", "--panel", "plant.turn law.torque", status=2).stderr)

    def test_held_values_are_steps(self):
        picture = self.drawn("law.torque", "law.turn", "plant.turn")
        for name, steps in (("law.torque", True), ("law.turn", False), ("plant.turn", False)):
            path = picture.paths[name].get("d")
            points = [tuple(map(float, p.split())) for p in re.findall(r"[-0-9.]+ [-0-9.]+", path)]
            slanted = any(a[0] != b[0] and a[1] != b[1] for a, b in zip(points, points[1:]))
            self.assertEqual(slanted, not steps, name)

    def test_runs_differ_in_shade_and_elements_in_style(self):
        picture = self.drawn("runs/turning-0002", "plant.rate")
        style = lambda element, run: picture.paths[f"plant.rate[{element}] · turning-000{run}"]
        dashes = [style(i, 1).get("stroke-dasharray") for i in range(3)]
        self.assertEqual(len(set(dashes)), 3)
        for i in range(3):
            self.assertEqual(style(i, 2).get("stroke-dasharray"), dashes[i])
            self.assertNotEqual(style(i, 2).get("stroke"), style(i, 1).get("stroke"))
            self.assertIn(f"plant.rate[{i}] · turning-0002", picture.texts)
        # one quantity alone: a colour for each run
        alone = self.drawn("runs/turning-0002", "plant.turn")
        self.assertEqual(len({p.get("stroke-width") for p in alone.paths.values()}), 1)
        self.assertEqual(len({p.get("stroke") for p in alone.paths.values()}), 2)

    def test_figures_have_a_panel_for_each_unit_and_named_axes(self):
        self.vernier("plot", "runs/turning-0001", "--figures")
        everything = Picture(self.folder / "runs/turning-0001/figures/all.svg")
        for label in ("turn [deg]", "torque [N·m]", "rate [rad/s]"):
            self.assertIn(label, everything.texts)
        self.assertIn("angle turned [deg]", Picture(self.folder / "runs/turning-0001/figures/named.svg").texts)

    def test_names_of_axes_and_curves_can_be_given(self):
        picture = self.drawn("plant.rate", "--y-label", "body rate", "--label", "roll", "--label", "pitch")
        self.assertIn("body rate [rad/s]", picture.texts)
        self.assertEqual(list(picture.curves), ["roll", "pitch", "plant.rate[2]"])

    def test_sketches_without_colour_have_letters(self):
        sketch = self.vernier("plot", "runs/latest", "plant.rate").stdout
        self.assertIn("* plant.rate[0]   o plant.rate[1]   + plant.rate[2]", sketch)
        drawn = "\n".join(line for line in sketch.splitlines() if "│" in line or "┤" in line)
        for letter in "*o+":
            self.assertGreater(drawn.count(letter), 2, sketch)


class Missions(InAFolder):
    def test_axes_of_all_missions_have_a_name_and_a_unit(self):
        """A figure names its axis, or its signals do: no label is a unit alone, and none is missing."""
        units = re.compile(r"(deg|rad|m|s|V|J|N|N m|K)(/s)?")
        for document in sorted(SOURCE.glob("missions/*/*.xml")):
            for figure in ElementTree.parse(document).getroot().iter("figure"):
                self.assertIsNone(units.fullmatch(figure.get("y", "")), f"{document}: {figure.get('name')}")

    def test_scripts_draw_with_the_program_alone(self):
        for script in SOURCE.glob("missions/*/*.py"):
            self.assertNotIn("<svg", script.read_text(encoding="utf-8"), script)

    def test_figures_of_epos(self):
        """Of a flight that is made up: the facility waits for 3 s, approaches until 5 s, and then follows for 4 s."""
        spec = importlib.util.spec_from_file_location("epos", SOURCE / "missions/epos/run.py")
        epos = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(epos)
        times = [k * epos.STEP for k in range(2251)]
        place = [-9.6 if t < 3 else -9.6 - 0.1 * min(t - 3, 2) for t in times]
        columns = {name: place for name in ("simulator.servicer.position[1]", "robots.measured.servicer.position[1]")}
        columns |= {name: [0.05] * len(times) for name in ("simulator.servicer.velocity[1]", "robots.measured.servicer.velocity[1]", "simulator.rsp.forerun")}
        delay = [2e-5 + 1e-5 * (k // 25 % 3) for k in range(len(times))]
        columns |= {f"simulator.link.{of}{what}": delay for what in epos.DELAYS for of in ("", "last.")}
        table = type("Table", (), {"t": times, "__getitem__": lambda self, name: columns[name]})()
        flight = {"table": table, "changes": [(0.0, "ready"), (3.0, "approaching"), (5.0, "running"), (9.0, "halted")], "begin": 5.0, "end": 9.0,
                  "period": 0.1, "position": [-9.8 + 0.001 * i for i in range(40)], "velocity": [0.05] * 40}
        epos.Experiment(VERNIER, self.folder, True).figures(flight, "10 Hz")
        initial = Picture(self.folder / "fig11-10Hz.svg")
        self.assertIn("Initial trajectory, 10 Hz", initial.texts)
        self.assertIn("position along the track [m]", initial.texts)
        # from the approach on, and no 0 squeezes the rest
        labels = [number(t) for t in initial.texts if re.fullmatch("\u2212[0-9.]+", t)]
        self.assertTrue(labels and all(-9.9 < v < -9.5 for v in labels), labels)
        self.assertGreater(min(t for t, _ in initial.curves["commanded"]), 2.99)
        delays = Picture(self.folder / "fig14-10Hz.svg")
        self.assertIn("send to receive [\u00b5s]", delays.texts)
        self.assertEqual(list(delays.curves), ["each command", "mean of twenty"])
        # in a window of 2 s a step of the facility is wider than a px: nothing slants
        held = Picture(self.folder / "fig12-10Hz.svg").curves["requested"]
        self.assertGreater(len({round(y, 6) for _, y in held}), 10)
        self.assertTrue(all(abs(a[0] - b[0]) < 1e-9 or abs(a[1] - b[1]) < 1e-9 for a, b in zip(held, held[1:])))


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
