#!/usr/bin/env python3
"""What the documents tell people to type is true: commands and their options exist, files they name are
there, and what they check passes. XML that they show is well-formed, and a grammar has its elements
and attributes.

usage: documents_test.py <vernier> <source folder>"""
import pathlib
import re
import shlex
import subprocess
import sys
import unittest
import xml.etree.ElementTree as ET

VERNIER, SOURCE = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
FENCE = re.compile(r"^(?P<indent> *)```(?P<language>\w*)\n(?P<text>.*?)^ *```", re.M | re.S)


def documents():
    names = subprocess.run(["git", "ls-files", "--", "*.md"], cwd=SOURCE, capture_output=True, text=True).stdout.split()
    names = names or [str(p.relative_to(SOURCE)) for p in SOURCE.rglob("*.md") if "build" not in p.parts]
    # what the changelog says was so once; decisions are not edited
    return [n for n in names if n != "CHANGELOG.md" and not n.startswith("docs/decisions/")]


def blocks(language):
    for name in documents():
        text = (SOURCE / name).read_text(encoding="utf-8")
        for found in FENCE.finditer(text):
            if found["language"] in language:
                yield f"{name}:{text.count(chr(10), 0, found.start()) + 1}", found["text"]


def quoted():
    """Command lines in running text."""
    for name in documents():
        text = FENCE.sub("", (SOURCE / name).read_text(encoding="utf-8"))
        yield name, "\n".join(re.findall(r"`(vernier [^`\n]+)`", text))


def commands():
    """(where, words) of each command line of ours, without comments."""
    for where, text in (*blocks(("", "sh", "console")), *quoted()):
        for line in text.replace("\\\n", " ").splitlines():
            line = re.sub(r"^\$ ", "", line.strip())
            line = re.sub(r"^build/bin/", "", line)
            if not re.match(r"vernier [a-z]", line) or "…" in line or " · " in line:
                continue
            try:
                words = shlex.split(line, comments=True)
            except ValueError:
                continue
            yield where, words[1:words.index("|")] if "|" in words else words[1:]


def say(*words):
    return subprocess.run([VERNIER, *words], cwd=SOURCE, capture_output=True, text=True, timeout=120)


class Commands(unittest.TestCase):
    def test_and_their_options_exist(self):
        helps, seen = {}, 0
        for where, words in commands():
            with self.subTest(where=where, command=" ".join(words)):
                if words[0] not in helps:
                    answer = say(words[0], "--help")
                    helps[words[0]] = answer.stdout if answer.returncode == 0 else ""
                text = helps[words[0]]
                self.assertTrue(text, "no such command")
                for word in words[1:]:
                    if re.match(r"--?[a-z]", word):
                        option = word.split("=")[0]
                        self.assertRegex(text, rf"(?m)^ +(-\w,)?{re.escape(option)}\b", f"{option}: no such option")
                seen += 1
        self.assertGreater(seen, 50)  # the documents are found

    def test_name_files_that_are_there(self):
        for where, words in commands():
            for word in words[1:]:
                if re.match(r"(examples|missions|formats|data|benchmarks)/", word):
                    with self.subTest(where=where, file=word):
                        self.assertTrue((SOURCE / word).exists(), f"{word} is not there")

    def test_that_look_at_files_pass(self):
        done = set()
        for where, words in commands():
            looks = words[0] in ("check", "info") or words[:3] in (["federate", "fom", "check"], ["federate", "fom", "show"])
            files = [w for w in words if "/" in w or w.endswith(".xml")]
            if not looks or not files or tuple(words) in done or not all((SOURCE / f).exists() for f in files):
                continue
            done.add(tuple(words))
            with self.subTest(where=where, command=" ".join(words)):
                answer = say(*words)
                self.assertEqual(answer.returncode, 0, answer.stdout + answer.stderr)
        self.assertGreater(len(done), 5)


def grammars():
    """For each element of any grammar its attributes."""
    elements = {}
    for dtd in SOURCE.glob("formats/*/*.dtd"):
        text = re.sub(r"<!--.*?-->", "", dtd.read_text(encoding="utf-8"), flags=re.S)
        entities = dict(re.findall(r'<!ENTITY % (\S+)\s+"([^"]*)"', text))
        for _ in range(5):
            text = re.sub(r"%([\w.-]+);", lambda m: entities.get(m[1], m[0]), text)
        for name in re.findall(r"<!ELEMENT\s+(\S+)", text):
            elements.setdefault(name, set())
        for name, attributes in re.findall(r"<!ATTLIST\s+(\S+)\s+(.*?)>", text, re.S):
            attributes = re.sub(r'"[^"]*"', '""', attributes)
            found = re.findall(r"([\w:.-]+)\s+(?:CDATA|NMTOKENS?|ID|IDREFS?|\([^)]*\))\s", attributes)
            elements.setdefault(name, set()).update(found)
    return elements


def closed(text):
    """A fragment may stop after the beginning of an element."""
    opened = []
    for end, name, alone in re.findall(r"<(/?)([\w.-]+)[^<>]*?(/?)>", re.sub(r"<!--.*?-->", "", text, flags=re.S)):
        if end and opened:
            opened.pop()
        elif not end and not alone:
            opened.append(name)
    return text + "".join(f"</{name}>" for name in reversed(opened))


class Xml(unittest.TestCase):
    def test_is_of_our_grammars(self):
        known = grammars()
        self.assertIn("composition", known)
        for where, text in blocks(("xml",)):
            with self.subTest(where=where):
                text = re.sub(r"<\?xml.*?\?>|<!DOCTYPE.*?>", "", text, flags=re.S)
                text = re.sub(r'xmlns="[^"]*"', "", text)
                root = ET.fromstring("<all>" + closed(text) + "</all>")
                for element in list(root.iter())[1:]:
                    self.assertIn(element.tag, known, "no grammar has this element")
                    for attribute in element.attrib:
                        self.assertIn(attribute, known[element.tag], f"no such attribute of <{element.tag}>")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
