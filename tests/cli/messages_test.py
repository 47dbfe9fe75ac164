#!/usr/bin/env python3
"""Every message of the program, word for word, met as a user meets it.

usage: messages_test.py <vernier> <source tree> [--write] [<folder of a case>...]

A case is a folder formats/*/bad/NAME/ with

    command        what the user types: a shell script, run in a copy of the folder
    expected.txt   what comes on the error stream, and a last line `exit status N`
    peer           optional: the other side of a line protocol. It waits at 127.0.0.1:{port}; each
                   line answers one request. `(close)` hangs up, `(silence)` answers nothing more;
                   a last line `...` repeats the line before it for ever. A second one is peer-2,
                   at {port-2}
    *.c            optional: plug-ins, compiled to *.so
    anything else  the files that the command names

In all these files {port} and {port-2} stand for ports that are free, in expected.txt {folder} for the folder in
which the command ran, {number} for a number that differs from run to run, {sha256} for a digest and {when} for a time. --write makes the
expected.txt of the cases that differ; read what it wrote.
"""
import concurrent.futures
import os
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import unittest

VERNIER, SOURCE = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
WRITE = "--write" in sys.argv
sys.path.insert(0, str(SOURCE / "tests"))
from processes import free_ports  # noqa: E402

# Codes that no document and no command leads to, because no component that comes with the program
# does what they are about; those that others write may. The test named here compares the words.
ONLY_FROM_CODE = {
    **dict.fromkeys(["V1602", "V1604", "V1611", "V1612", "V1660", "V1661", "V1662", "V1663", "V1664"],
                    "vernier/model/multibody_tree/findings_test.cpp"),  # models that programs make
    "V2144": "vernier/run/executive/orders_test.cpp",     # more orders than a queue holds
    **dict.fromkeys(["V4121", "V4122"], "vernier/run/session/live_test.cpp"),  # of a run that goes on
    "V4123": "vernier/run/session/rest_test.cpp",         # does not come to rest in the time that it asked for
    "V3101": "vernier/run/executive/state_test.cpp",      # fails and does not say why
    "V3103": "vernier/run/executive/events_test.cpp",     # stops early and did not announce it
    "V3120": "vernier/run/executive/executive_test.cpp",  # never finds its start
    "V3203": "vernier/model/multibody_loops/mechanism_test.cpp",  # joints that hold a motion twice are found first
    "V3212": "vernier/model/multibody_loops/mechanism_test.cpp",  # islands and files do not let such numbers out
    # what takes several federates
    **dict.fromkeys(["V5323", "V5325", "V5326", "V5328", "V5329", "V5332"], "vernier/gateway/spacefom/federate_test.cpp"),
    **dict.fromkeys(["V5335", "V5336"], "tests/federation/loss_test.py"),
    "V5327": "vernier/gateway/spacefom/document_test.cpp",
    # what pages ask of a desktop
    **dict.fromkeys(["V8103", "V8104", "V8107"], "tests/desktop/server_test.py"),
    "V8108": "vernier/run/desktop/starter_test.cpp",
    "V8109": "vernier/run/desktop/messages_test.cpp",
    "V8110": "vernier/run/desktop/page_test.cpp",
    "V5119": "vernier/gateway/lines/lines_test.cpp",      # has a stream among its ports
    **dict.fromkeys(["V8131", "V8132"], "vernier/run/desktop/frame_history_test.cpp"),  # asked by the page
    "V8133": "vernier/run/desktop/compare_runs_test.cpp",
    **dict.fromkeys(["V8121", "V8122", "V8123"], "vernier/run/compose/requests_test.cpp"),  # asked by the page
    # runs on several nodes
    "V5601": "vernier/run/executive/peer_test.cpp",
    "V5608": "tests/distribution/replicas_test.cpp",
    **dict.fromkeys(["V5602", "V5603", "V5606", "V5607"], "tests/distribution/team_test.cpp"),
    **dict.fromkeys(["V5652", "V5653", "V5654"], "tests/registry/registry_test.py"),
    "V5620": "vernier/run/server/common_clock_test.cpp",  # two computers whose clocks differ
    # what composers ask of servers
    **dict.fromkeys(["V5633", "V5634", "V5635", "V5636", "V5640"], "vernier/run/server/host_test.cpp"),
    # runs that are asked through servers
    **dict.fromkeys(["V5660", "V5661", "V4111"], "tests/distribution/control_test.py"),
    **dict.fromkeys(["V5662", "V5663", "V5664"], "vernier/run/server/attached_test.cpp"),
    "V5122": "vernier/gateway/link/strangers_test.cpp",        # settings that no connector lets through
}



class Peer:
    """The other side of a line protocol: says what the file says."""

    def __init__(self, answers):
        self.answers = answers
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.port = self.socket.getsockname()[1]
        self.over = threading.Event()
        self.thread = threading.Thread(target=self.serve, daemon=True)
        self.thread.start()

    def lines(self):
        for i, line in enumerate(self.answers):
            while line == "...":
                yield self.answers[i - 1]
            yield line

    def serve(self):
        try:
            connection, _ = self.socket.accept()
        except OSError:
            return
        with connection, connection.makefile("rw", newline="\n") as line:
            try:
                for answer in self.lines():
                    request = line.readline()
                    while request.startswith("EVENT "):
                        request = line.readline()
                    if not request or answer == "(close)":
                        return
                    if answer == "(silence)":
                        break
                    line.write(answer + "\n")
                    line.flush()
                self.over.wait()
            except OSError:
                pass

    def end(self):
        self.over.set()
        self.socket.close()


def outcome(case):
    """What the case's command says, with the folder and the port taken out again."""
    with tempfile.TemporaryDirectory(prefix="vernier_message_") as temporary:
        folder = pathlib.Path(temporary).resolve() / case.name
        shutil.copytree(case, folder)
        peers = [Peer(file.read_text(encoding="utf-8").splitlines()) for file in sorted(case.glob("peer*"))]
        ports = dict(zip(["{port}", "{port-2}"], map(str, [p.port for p in peers] or free_ports())))
        for file in filter(pathlib.Path.is_file, folder.rglob("*")):
            content = file.read_bytes()
            for name, port in ports.items():
                content = content.replace(name.encode(), port.encode())
            file.write_bytes(content)
        for source in folder.glob("*.c"):
            subprocess.run([os.environ.get("CC", "cc"), "-shared", "-fPIC", "-I", SOURCE / "vernier/gateway/plugin",
                            "-I", case.parent, "-o", source.with_suffix(".so"), source], check=True)
        environment = dict(os.environ, PATH=f"{VERNIER.parent}:{os.environ['PATH']}", LC_ALL="C.UTF-8",
                           XDG_CONFIG_HOME=str(folder / ".config"))
        done = subprocess.run(["bash", "-e", "command"], cwd=folder, env=environment, text=True, encoding="utf-8",
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=200)
        for peer in peers:
            peer.end()
        text = f"{done.stderr}exit status {done.returncode}\n"
        for name, port in ports.items():
            text = re.sub(rf"(?<![0-9]){port}(?![0-9])", name, text)
        return text.replace(str(folder), "{folder}")


def agrees(said, expected):
    pattern = re.escape(expected).replace(re.escape("{number}"), r"[0-9]+(?:\.[0-9]+)?")
    pattern = pattern.replace(re.escape("{sha256}"), "[0-9a-f]{64}").replace(re.escape("{when}"), "[0-9-]{10}T[0-9:]{8}Z")
    return re.fullmatch(pattern, said) is not None


def cases():
    return sorted(file.parent for file in SOURCE.glob("formats/*/bad/**/command"))


def outcomes(chosen):
    with concurrent.futures.ThreadPoolExecutor(max_workers=4) as pool:
        return dict(zip(chosen, pool.map(outcome, chosen)))


class Messages(unittest.TestCase):
    maxDiff = None

    def test_each_case_says_what_is_stored_with_it(self):
        for case, said in outcomes(cases()).items():
            with self.subTest(str(case.relative_to(SOURCE))):
                expected = (case / "expected.txt").read_text(encoding="utf-8")
                if not agrees(said, expected):
                    self.assertEqual(said, expected)

    def setUp(self):
        self.pages = {file.stem for file in SOURCE.glob("docs/messages/V*.md")}
        self.used = set()
        for file in [*SOURCE.glob("vernier/**/*.[hc]pp"), *SOURCE.glob("apps/**/*.[hc]pp")]:
            if file.stem.endswith("_test"):
                continue
            text = re.sub(r"//[^\n]*", "", file.read_text(encoding="utf-8"))
            self.used |= set(re.findall(r'"(V[1-8][0-9]{3})"', text))

    def test_every_code_has_a_case_and_every_case_a_page(self):
        shown = set()
        for file in SOURCE.glob("formats/*/bad/**/*.txt"):
            shown |= set(re.findall(r"(?m)^(?:error|warning)\[(V[0-9]{4})\]", file.read_text(encoding="utf-8")))
        self.assertEqual(sorted(self.pages - shown - set(ONLY_FROM_CODE)), [],
                         "codes without a file under formats/*/bad")
        self.assertEqual(sorted(shown - self.pages), [], "cases whose codes have no page in docs/messages")
        for code, test in ONLY_FROM_CODE.items():
            self.assertIn(code, self.pages)
            self.assertNotIn(code, shown, "has a case: take it from ONLY_FROM_CODE")
            self.assertRegex((SOURCE / test).read_text(encoding="utf-8"), rf"(error|warning)\[{code}\]")

    def test_every_code_of_the_sources_has_a_page_and_every_page_is_used(self):
        self.assertEqual(sorted(self.used - self.pages), [], "codes without docs/messages/CODE.md")
        self.assertEqual(sorted(self.pages - self.used), [], "docs/messages of codes that are not used")


def write():
    named = [pathlib.Path(word).resolve() for word in sys.argv[3:] if word != "--write"]
    for case, said in outcomes(named or cases()).items():
        file = case / "expected.txt"
        if file.exists() and agrees(said, file.read_text(encoding="utf-8")):
            continue
        file.write_text(said, encoding="utf-8")
        print(f"== {case.relative_to(SOURCE)}\n{said}")


if __name__ == "__main__":
    if WRITE:
        write()
    else:
        unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
