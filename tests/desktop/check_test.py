#!/usr/bin/env python3
"""The desktop's editor says what `vernier check` says, word for word, and its fixes mend.

usage: check_test.py <vernier> <compose_requests> <source tree>

The oracle of the first is the command itself: for every document below formats/*/bad/, missions/ and examples/ its
`--json` is compared with the answer to a request that contains the document as text. The oracle of the second is
what a fix is for: when its changes are made, the document is checked again, and the problem is gone.
"""
import json
import pathlib
import subprocess
import sys
import unittest

VERNIER, REQUESTS, SOURCE = (pathlib.Path(a).resolve() for a in sys.argv[1:4])
# of these formats every bad document with this ending, and of all others those of the cases' folders
DOCUMENTS = sorted({*SOURCE.glob("formats/*/bad/*.xml"), *SOURCE.glob("formats/*/bad/*/*.xml"),
                    *SOURCE.glob("missions/*/*.xml"), *SOURCE.glob("examples/*/*.xml")})


class Requests:
    """The program that answers requests."""

    def __init__(self):
        self.process = subprocess.Popen([REQUESTS, SOURCE], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        encoding="utf-8", cwd=SOURCE)

    def ask(self, **request):
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        answer = json.loads(self.process.stdout.readline())
        if "ok" not in answer:
            raise AssertionError(answer)
        return answer["ok"]

    def end(self):
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()


def texts():
    """Each document that is UTF-8, with its name; what is not UTF-8 cannot be in an editor."""
    for file in DOCUMENTS:
        try:
            yield str(file.relative_to(SOURCE)), file.read_bytes().decode("utf-8")
        except UnicodeDecodeError:
            continue


def offset(text, line, column):
    """The character at a place; lines end as the program counts them."""
    at = 0
    for _ in range(line - 1):
        ends = [text.find(end, at) for end in ("\n", "\r")]
        at = min(e for e in ends if e >= 0)
        at += 2 if text[at:at + 2] == "\r\n" else 1
    return at + column - 1


def mended(text, fix):
    for change in sorted(fix, key=lambda c: (c["line"], c["column"]), reverse=True):
        at = offset(text, change["line"], change["column"])
        text = text[:at] + change["text"] + text[at + change["length"]:]
    return text


class Check(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.requests = Requests()

    @classmethod
    def tearDownClass(cls):
        cls.requests.end()

    def problems(self, document, text):
        return self.requests.ask(do="check", document=document, text=text)["problems"]

    def test_the_words_are_those_of_the_command(self):
        count = 0
        for document, text in texts():
            with self.subTest(document=document):
                command = subprocess.run([VERNIER, "check", "--json", document], capture_output=True, cwd=SOURCE)
                expected = json.loads(command.stdout)["problems"]
                self.assertEqual(self.problems(document, text.removeprefix("\ufeff")), expected)
                count += len(expected)
        self.assertGreater(count, 200)

    def test_a_fix_mends_its_problem(self):
        codes = set()
        for document, text in texts():
            before = self.problems(document, text)
            for p in before:
                fix = p.get("fix")
                if not fix or any(c["file"] != document for c in fix):
                    continue
                with self.subTest(document=document, problem=p["message"], fix=fix):
                    after = self.problems(document, mended(text, fix))
                    same = [q for q in after if q["code"] == p["code"] and q["message"] == p["message"]
                            and q.get("line") == p.get("line")]
                    earlier = [q for q in before if q["code"] == p["code"] and q["message"] == p["message"]
                               and q.get("line") == p.get("line")]
                    self.assertLess(len(same), len(earlier))
                    self.assertNotIn("V1201", [q["code"] for q in after], "the document is still well-formed")
                    codes.add(p["code"])
        # misspelt elements, attributes, names, ends, types, parameters; a loop
        for code in ["V1203", "V1211", "V1304", "V2007", "V2110", "V2112", "V2101", "V2140"]:
            self.assertIn(code, codes)


if __name__ == "__main__":
    del sys.argv[1:4]
    unittest.main()
