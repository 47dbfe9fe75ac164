#!/usr/bin/env python3
"""`vernier check --watch`: checks again when a document, or one that it names, is saved.

usage: watch_test.py <vernier> <source folder>
"""
import pathlib
import queue
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import unittest

program, source = sys.argv[1], pathlib.Path(sys.argv[2])
del sys.argv[1:3]


class Watch(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        for file in (source / "examples" / "lines").glob("*.xml"):
            shutil.copy(file, self.folder)
        self.process = subprocess.Popen([program, "check", "--watch", "loop.xml"], cwd=self.folder, text=True,
                                        stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.addCleanup(self.process.stdout.close)
        self.addCleanup(self.process.kill)
        self.lines = queue.Queue()
        threading.Thread(target=lambda: [self.lines.put(line) for line in self.process.stdout], daemon=True).start()

    def next_check(self):
        """What is said until the next check has ended; fails when none comes."""
        said = []
        while not said or not said[-1].startswith("checked at"):
            said.append(self.lines.get(timeout=200))
        return "".join(said)

    def edit(self, name, old, new):
        file = self.folder / name
        text = file.read_text()
        self.assertIn(old, text)
        # as editors do: a new file takes the old one's place
        (self.folder / f".{name}.new").write_text(text.replace(old, new))
        (self.folder / f".{name}.new").rename(file)

    def end(self):
        self.process.send_signal(signal.SIGINT)
        return self.process.wait(200)

    def test_checks_again_when_a_file_is_saved(self):
        self.assertIn("loop.xml: good", self.next_check())
        self.edit("loop.xml", 'to="valve.level"', 'to="valve.levl"')
        self.assertIn("did you mean", self.next_check())
        self.edit("loop.xml", 'to="valve.levl"', 'to="valve.level"')
        self.assertIn("loop.xml: good", self.next_check())
        self.assertEqual(self.end(), 0)

    def test_looks_at_the_documents_that_are_named_and_answers_as_the_last_check(self):
        self.next_check()
        self.edit("valve.xml", "level &gt;= 1.5", "level &gt;= ")
        self.assertIn("valve.xml:", self.next_check())
        self.assertEqual(self.end(), 2)

    def test_says_nothing_while_nothing_changes(self):
        self.next_check()
        (self.folder / ".hidden").write_text("an editor's own")
        self.lines.get(timeout=200)  # the empty line after a check
        with self.assertRaises(queue.Empty):
            self.lines.get(timeout=1)
        self.assertEqual(self.end(), 0)


if __name__ == "__main__":
    unittest.main()
