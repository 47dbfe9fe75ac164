"""What tests of the program share: where it is, and a folder of their own for each.

Programs that import it are called with: <vernier> <source tree> [<unittest argument>...]
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

VERNIER, SOURCE = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
FEEDBACK = SOURCE / "formats/interconnection/good/feedback.xml"
MISSION = SOURCE / "missions/aausat2/aausat2.xml"
sys.path.insert(0, str(SOURCE / "tests"))
from processes import PATIENCE, free_ports, wait_until  # noqa: E402,F401  for who imports this


class InAFolder(unittest.TestCase):
    """Each test stands in an empty folder of its own, and has settings of its own."""

    program = VERNIER

    def setUp(self):
        settings = tempfile.mkdtemp(prefix="vernier_settings_")
        self.addCleanup(shutil.rmtree, settings, ignore_errors=True)
        os.environ["XDG_CONFIG_HOME"] = settings
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="vernier_cli_"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def vernier(self, *words, status=0, **more):
        done = subprocess.run([VERNIER, *map(str, words)], cwd=more.pop("cwd", self.folder), text=True,
                              capture_output=True, timeout=PATIENCE, **more)
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

