#!/usr/bin/env python3
"""Object models of federations, as people use them: checked, shown, merged, and used again.

usage: fom_test.py <vernier> <source tree>
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

VERNIER, SOURCE = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
LANDER = SOURCE / "formats/spacefom/good/lander.xml"
BAD = SOURCE / "formats/spacefom/bad"


class Fom(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory(prefix="vernier_fom_")
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)

    def fom(self, *words, status=0):
        done = subprocess.run([VERNIER, "federate", "fom", *map(str, words)], cwd=self.folder, text=True,
                              encoding="utf-8", capture_output=True, timeout=200)
        self.assertEqual(done.returncode, status, f"{words}\n{done.stdout}\n{done.stderr}")
        return done

    def shown(self, *modules):
        return json.loads(self.fom("show", *modules, "--json").stdout)

    def test_check_counts_what_is_there(self):
        self.assertIn("good; 5 object classes, 1 interaction class, 37 data types", self.fom("check", "spacefom").stdout)
        self.assertIn("good; 6 object classes", self.fom("check", "spacefom", LANDER).stdout)
        self.assertIn("V1813", self.fom("check", LANDER, status=2).stderr)

    def test_check_says_where_in_json(self):
        found = json.loads(self.fom("check", BAD / "words.xml", "--json", status=2).stdout)
        self.assertEqual(found["errors"], 3)
        self.assertEqual([(p["code"], p["line"], p["column"]) for p in found["problems"]],
                         [("V1802", 12, 18), ("V1802", 20, 18), ("V1802", 26, 22)])

    def test_show_has_sizes_and_offsets(self):
        text = self.fom("show", "spacefom", LANDER).stdout
        self.assertRegex(text, r"SpaceTimeCoordinateState +fixed record +112 bytes +at 8")
        self.assertRegex(text, r"rotational_state +\+48 ")
        self.assertRegex(text, r"time +\+104 ")
        self.assertRegex(text, r"(?m)^  Leg +fixed record +80 bytes")  # an enumeration, padding, nine numbers
        self.assertRegex(text, r"stiffness +\+8 ")
        self.assertRegex(text, r"state +SpaceTimeCoordinateState +112 bytes .* from PhysicalEntity")
        self.assertNotIn("HLAmanager", text)
        self.assertIn("HLAmanager", self.fom("show", "spacefom", "--all").stdout)

    def test_indices_in_json_hold_together(self):
        fom = self.shown("spacefom", LANDER)
        for table in ["object_classes", "attributes", "interaction_classes", "parameters", "data_types"]:
            self.assertEqual([one["index"] for one in fom[table]], list(range(len(fom[table]))))
        for c in fom["object_classes"]:
            for a in c["attributes"]:
                self.assertEqual(fom["attributes"][a]["class"], c["index"])
        sizes = {t["name"]: t["bytes"] for t in fom["data_types"]}
        self.assertEqual(sizes["SpaceTimeCoordinateState"], 112)
        self.assertIsNone(sizes["HLAunicodeString"])

    def test_merged_is_the_same(self):
        self.fom("merge", "spacefom", LANDER, "--name", "Lunar landing", "-o", "lunar.xml")
        self.assertIn("<name>Lunar landing</name>", (self.folder / "lunar.xml").read_text())
        self.fom("check", "lunar.xml")

        def content(fom):
            paths = [c["path"] for c in fom["object_classes"]]
            return (sorted(paths), sorted((paths[a["class"]], a["name"], a["data_type"], a["order"]) for a in fom["attributes"]),
                    sorted((t["name"], t["kind"], t["bytes"] or 0, t["boundary"]) for t in fom["data_types"]), fom["switches"])
        self.assertEqual(content(self.shown("lunar.xml")), content(self.shown("spacefom", LANDER)))
        # twice the same is the same
        self.assertEqual(content(self.shown("lunar.xml", "spacefom", LANDER)), content(self.shown("lunar.xml")))

    def test_merged_with_the_mim_serves_as_one(self):
        self.fom("merge", "spacefom", "--with-mim", "-o", "whole.xml")
        self.fom("check", LANDER, "--mim", "whole.xml")
        self.fom("check", "whole.xml")

    def test_what_clients_in_use_do_is_a_warning_unless_strict(self):
        client = BAD / "strict/client.xml"
        done = self.fom("check", client)
        self.assertIn("good; 2 object classes", done.stdout)
        for code in ("V1803", "V1804", "V1826"):
            self.assertIn(f"warning[{code}]", done.stderr)
        done = self.fom("check", "--strict", client, status=2)
        self.assertEqual(done.stderr.count("error["), 3)
        self.assertNotIn("good", done.stdout)
        self.assertEqual(json.loads(self.fom("check", "--strict", "--json", client, status=2).stdout)["errors"], 3)
        self.assertIn("good", self.fom("check", "--strict", "spacefom").stdout)
        # NumberCups is that of Drink; what has no data type can be shown, written and read again
        names = [a["name"] for a in self.shown(client)["attributes"]]
        self.assertEqual((names.count("NumberCups"), names.count("hla_base_time_multiplier")), (1, 1))
        self.assertIn("hla_base_time_multiplier", self.fom("show", client).stdout)
        self.fom("merge", client, "-o", "again.xml")
        self.assertEqual([a["name"] for a in self.shown("again.xml")["attributes"]], names)
        self.assertNotIn("V1803", self.fom("check", "again.xml").stderr)

    def test_what_cannot_be_written_is_said(self):
        self.assertIn("error", self.fom("merge", "spacefom", "-o", "no/such/folder.xml", status=2).stderr)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
