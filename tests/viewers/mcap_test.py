"""Exports for other people's viewers: MCAP as its specification says (https://mcap.dev/spec), read by a reader of our own and by the public one of npm.

usage: mcap_test.py <vernier> <source tree> <folder for npm's packages>
"""
import json
import math
import pathlib
import re
import struct
import subprocess
import sys
import tempfile
import unittest
import zlib

VERNIER = pathlib.Path(sys.argv[1]).resolve()
SOURCE = pathlib.Path(sys.argv[2]).resolve()
PACKAGES = pathlib.Path(sys.argv[3]).resolve()
HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
from packages import installed  # noqa: E402

MAGIC = b"\x89MCAP0\r\n"



def vernier(*words, cwd=None):
    return subprocess.run([str(VERNIER), *map(str, words)], cwd=cwd, check=True, capture_output=True).stdout


class Content:
    """The content of a record, from its beginning."""

    def __init__(self, data):
        self.data, self.at = data, 0

    def number(self, form):
        value, = struct.unpack_from("<" + form, self.data, self.at)
        self.at += struct.calcsize("<" + form)
        return value

    def raw(self, size):
        assert self.at + size <= len(self.data)
        self.at += size
        return self.data[self.at - size:self.at]

    def text(self):
        return self.raw(self.number("I")).decode()

    def sequence(self):
        """The entries of a map or an array, one after the other."""
        return Content(self.raw(self.number("I")))

    def rest(self):
        return self.data[self.at:]


def records(data, begin, end):
    at = begin
    while at < end:
        op, size = data[at], struct.unpack_from("<Q", data, at + 1)[0]
        assert at + 9 + size <= end
        yield at, op, data[at + 9:at + 9 + size]
        at += 9 + size


def value_of(schema, data):
    """What CDR bytes mean by a schema with one field."""
    kind, count = re.search(r"^(float64|int64|uint8)(?:\[(\d+)\])? value  # \S", schema, re.M).groups()
    form = {"float64": "d", "int64": "q", "uint8": "B"}[kind]
    assert data[:4] == b"\0\1\0\0"
    values = struct.unpack("<" + form * int(count or 1), data[4:])
    return list(values) if count else values[0]


class Mcap:
    """An MCAP file; checks all sums, places and counts on the way."""

    def __init__(self, data, test):
        equal = test.assertEqual
        equal(data[:8], MAGIC)
        equal(data[-8:], MAGIC)
        end = len(data) - 8
        footer = Content(data[end - 20:end])
        equal((data[end - 29], struct.unpack_from("<Q", data, end - 28)[0]), (2, 20))
        summary, offsets, crc = footer.number("Q"), footer.number("Q"), footer.number("I")
        equal(crc, zlib.crc32(data[summary:end - 4]))

        schemas, self.channels, chunks, indexes, last = {}, {}, {}, {}, None
        for at, op, content in records(data, 8, summary):
            c = Content(content)
            test.assertNotEqual(last, 15, "nothing follows the end of the data")
            if last is None:
                equal(op, 1)
                equal(c.text(), "")
                test.assertRegex(c.text(), r"^vernier \d")
            elif op == 3:
                number = c.number("H")
                schemas[number] = (c.text(), c.text(), c.text())
            elif op == 4:
                number, schema = c.number("H"), c.number("H")
                name, encoding, text = schemas[schema]
                channel = {"topic": c.text(), "encoding": [c.text(), encoding], "schema": name, "text": text, "times": [], "values": []}
                entries = c.sequence()
                channel["metadata"] = {}
                while entries.rest():
                    key = entries.text()
                    channel["metadata"][key] = entries.text()
                self.channels[number] = channel
            elif op == 6:
                begin, finish, size, sum_, compression, inner = c.number("Q"), c.number("Q"), c.number("Q"), c.number("I"), c.text(), c.raw(c.number("Q"))
                equal((size, sum_, compression), (len(inner), zlib.crc32(inner), ""))
                times = []
                chunks[at] = {"begin": begin, "end": finish, "length": 9 + len(content), "messages": {}, "size": size, "indexes": {}}
                for place, kind, message in records(inner, 0, len(inner)):
                    equal(kind, 5)
                    m = Content(message)
                    number, sequence, time = m.number("H"), m.number("I"), m.number("Q")
                    equal(m.number("Q"), time)
                    channel = self.channels[number]
                    equal(sequence, len(channel["times"]))
                    channel["times"].append(time)
                    channel["values"].append(value_of(channel["text"], m.rest()))
                    chunks[at]["messages"].setdefault(number, []).append((time, place))
                    times.append(time)
                equal((begin, finish), (min(times), max(times)))
                chunk = chunks[at]
            elif op == 7:
                number = c.number("H")
                entries = c.sequence()
                listed = []
                while entries.rest():
                    listed.append((entries.number("Q"), entries.number("Q")))
                equal(listed, chunk["messages"][number])
                chunk["indexes"][number] = at
                chunk["indexes_end"] = at + 9 + len(content)
            else:
                equal(op, 15)
                equal(c.number("I"), zlib.crc32(data[:at]))
            last = op
        equal(last, 15)

        groups, found = {}, []
        for at, op, content in records(data, summary, offsets):
            groups.setdefault(op, []).append((at, 9 + len(content)))
            c = Content(content)
            if op == 8:
                begin, finish, start, length = (c.number("Q") for _ in range(4))
                entries, places = c.sequence(), {}
                while entries.rest():
                    number = entries.number("H")
                    places[number] = entries.number("Q")
                index_length = c.number("Q")
                chunk = chunks[start]
                equal((begin, finish, length, places), (chunk["begin"], chunk["end"], chunk["length"], chunk["indexes"]))
                equal(start + length + index_length, chunk["indexes_end"])
                equal(set(places), set(chunk["messages"]))
                equal((c.text(), c.number("Q"), c.number("Q")), ("", chunk["size"], chunk["size"]))
                found.append(start)
            elif op == 11:
                self.statistics = [c.number(f) for f in "QHIIIIQQ"]
                entries, self.counts = c.sequence(), {}
                while entries.rest():
                    number = entries.number("H")
                    self.counts[number] = entries.number("Q")
        equal(found, list(chunks))
        listed = []
        for at, op, content in records(data, offsets, end - 29):
            equal(op, 14)
            c = Content(content)
            group = groups[c.number("B")]
            equal((c.number("Q"), c.number("Q")), (group[0][0], sum(size for _, size in group)))
            listed.append(group)
        equal(len(listed), len(groups))
        self.chunks = chunks
        times = [t for c in self.channels.values() for t in c["times"]]
        equal(self.statistics, [len(times), len(schemas), len(self.channels), 0, 0, len(chunks), min(times, default=0), max(times, default=0)])
        equal(self.counts, {n: len(c["times"]) for n, c in self.channels.items()})


class McapTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.place = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.place.name)
        vernier("run", SOURCE / "missions/aausat2/aausat2.xml", "--until", "200s", cwd=cls.folder)
        vernier("export", "runs/latest", "-o", "all.mcap", cwd=cls.folder)

    @classmethod
    def tearDownClass(cls):
        cls.place.cleanup()

    def read(self, name):
        return Mcap((self.folder / name).read_bytes(), self)

    def signals(self, *words):
        """What the JSON export says of the same."""
        return {s["path"]: s for s in json.loads(vernier("export", "runs/latest", *words, "--format", "json", cwd=self.folder))["signals"]}

    def test_has_every_row_of_every_signal_with_its_unit(self):
        file, signals = self.read("all.mcap"), self.signals()
        self.assertGreater(len(file.chunks), 2)
        self.assertEqual({c["metadata"]["path"] for c in file.channels.values()}, set(signals))
        for c in file.channels.values():
            s = signals[c["metadata"]["path"]]
            self.assertEqual(c["topic"], "/" + s["path"].replace(".", "/"))
            self.assertEqual(c["encoding"], ["cdr", "ros2msg"])
            self.assertIn("# " + s["unit"], c["text"].splitlines()[1])
            self.assertIn(s["path"], c["text"].splitlines()[0])
            self.assertEqual(c["times"], [round(t * 1e9) for t in s["time"]])
            self.assertEqual(c["values"], s["values"])
        self.assertEqual(len({c["schema"] for c in file.channels.values()}), len(file.channels))

    def test_is_the_same_each_time_and_to_standard_output(self):
        vernier("export", "runs/latest", "-o", "again.mcap", cwd=self.folder)
        whole = (self.folder / "all.mcap").read_bytes()
        self.assertEqual((self.folder / "again.mcap").read_bytes(), whole)
        self.assertEqual(vernier("export", "runs/latest", "--format", "mcap", cwd=self.folder), whole)

    def test_takes_patterns_elements_and_a_step(self):
        vernier("export", "runs/latest", "body.attitude[3]", "wheel*.speed", "--every", "7s", "-o", "some.mcap", cwd=self.folder)
        file = self.read("some.mcap")
        signals = self.signals("body.attitude[3]", "wheel*.speed", "--every", "7s")
        by_topic = {c["topic"]: c for c in file.channels.values()}
        self.assertEqual(len(by_topic), len(signals))
        attitude = by_topic["/body/attitude/3"]
        self.assertEqual(attitude["values"], signals["body.attitude[3]"]["values"])
        self.assertEqual(len(attitude["times"]), 29)  # 0, 7, … 196 s

    def test_a_single_row_is_a_valid_file(self):
        vernier("export", "runs/latest", "body.attitude", "--every", "1000s", "-o", "one.mcap", cwd=self.folder)
        self.assertEqual(self.read("one.mcap").statistics[0], 1)

    def test_is_read_by_the_public_reader(self):
        packages = installed(PACKAGES, self)
        answer = json.loads(subprocess.run(["node", "read_mcap.mjs", self.folder / "all.mcap"], cwd=packages, check=True, capture_output=True).stdout)
        own = self.read("all.mcap")
        self.assertTrue(answer["done"])
        self.assertEqual(answer["messages"], own.statistics[0])
        self.assertEqual(answer["counts"]["Message"], own.statistics[0])
        self.assertEqual(answer["chunks"], len(own.chunks))
        self.assertEqual(set(answer["channels"]), {c["topic"] for c in own.channels.values()})
        for c in own.channels.values():
            theirs = answer["channels"][c["topic"]]
            for member in ("encoding", "schema", "text", "metadata", "times"):
                self.assertEqual(theirs[member], c[member])
            for a, b in zip(theirs["values"], c["values"], strict=True):
                self.assertTrue(a == b or (a is None and isinstance(b, float) and not math.isfinite(b)))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
