#!/usr/bin/env python3
"""Runs clang-tidy over the sources and names the files that fail.

usage: tidy.py [--jobs N] [<source>...]

A source that passed is not looked at again until it, a header of ours that it includes, its compile
command, .clang-tidy or clang-tidy itself changes. build/tidy holds what is known of this folder; what
passed in any other clone of the user's is known from a cache (VERNIER_TIDY_CACHE, ~/.cache/vernier/tidy
unless said otherwise), where it stays for ninety days after its last use. The commands are those of
build/apart, where every source is compiled alone. Without names: vernier/, apps/, tests/, benchmarks/
and examples/, but the tests beside the modules' sources.
"""
import argparse
import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import time

CLANG = "14"
# the compile commands are gcc's, whose options clang may not know; the deep analysis takes twice as long as everything else; it inlines
# enough to understand require()
EXTRA = ["-Wno-unknown-warning-option", "-Wno-ignored-optimization-argument",
         "-Xclang", "-analyzer-config", "-Xclang", "mode=shallow,max-inlinable-size=10"]
root = pathlib.Path(__file__).resolve().parent.parent
known = root / "build" / "tidy"
apart = root / "build" / "apart"
cache = pathlib.Path(os.environ.get("VERNIER_TIDY_CACHE") or pathlib.Path.home() / ".cache" / "vernier" / "tidy")
KEEP = 90 * 86400.0  # s


def output(command):
    return subprocess.run(command, cwd=root, capture_output=True, text=True, check=True).stdout


def headers(entry):
    """The project files that the source includes, itself first; without system headers."""
    words = shlex.split(entry["command"])
    start = next(i for i, word in enumerate(words) if re.fullmatch(r"(.*/)?(c\+\+|g\+\+|clang\+\+|cc)(-\d+)?", word))
    stop = words.index("-o")
    rule = subprocess.run([f"clang++-{CLANG}", *words[start + 1:stop], "-w", "-MM", entry["file"]],
                          cwd=entry["directory"], capture_output=True, text=True).stdout
    return [str((pathlib.Path(entry["directory"]) / f).resolve().relative_to(root))
            for f in rule.replace("\\\n", " ").split()[1:]]


def borrowed(commands, source):
    """Fuzz targets are compiled elsewhere, like their neighbours; clang-tidy does the same."""
    if not source.endswith("_fuzz.cpp"):
        return None
    file = str(root / source)
    near = next((e for f, e in commands.items() if os.path.dirname(f) == os.path.dirname(file)), None)
    return near and {**near, "file": file, "command": near["command"].replace(near["file"], file)}


def key(entry, files, common):
    digest = hashlib.sha256(common)
    digest.update(entry["command"].replace(str(root), "").encode())  # identical in every clone
    for file in files:
        digest.update(f"\0{file}\0".encode() + (root / file).read_bytes())
    return digest.hexdigest()


def passed_before(entry, stamp, common):
    try:
        told = json.loads(stamp.read_text())
        return key(entry, told["files"], common) == told["key"]
    except (OSError, ValueError, KeyError):
        return False


def look(entry, stamp, common):
    """The output of clang-tidy for the source; empty if there are no findings."""
    files = headers(entry)
    if not files:
        return "its headers could not be listed"
    before = key(entry, files, common)
    known_good = cache / before
    if not known_good.exists():
        done = subprocess.run([f"clang-tidy-{CLANG}", "-p", str(apart), "--quiet",
                               *(f"--extra-arg={word}" for word in EXTRA), entry["file"]],
                              cwd=root, capture_output=True, text=True)
        if done.returncode != 0:
            return done.stdout.strip() or done.stderr.strip()
    stamp.parent.mkdir(parents=True, exist_ok=True)
    stamp.write_text(json.dumps({"key": before, "files": files}))
    try:
        cache.mkdir(parents=True, exist_ok=True)
        known_good.touch()
    except OSError:  # continue without a cache that cannot be written
        pass
    return ""


def forget_old():
    for old in cache.glob("*"):
        if old.stat().st_mtime < time.time() - KEEP:
            old.unlink(missing_ok=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("sources", nargs="*")
    wanted = parser.parse_args()
    everywhere = [f"{folder}/*.cpp" for folder in ("vernier", "apps", "tests", "benchmarks", "examples")]
    sources = wanted.sources or [f for f in output(["git", "ls-files", *everywhere]).split()
                                 if not (f.startswith("vernier/") and f.endswith("_test.cpp"))]
    output(["cmake", "--preset", "release", "-B", str(apart), "-DVERNIER_TOGETHER=OFF"])
    commands = {e["file"]: e for e in json.loads((apart / "compile_commands.json").read_text())}
    common = "\n".join([output([f"clang-tidy-{CLANG}", "--version"]), *EXTRA,
                        *((root / f).read_text() for f in output(["git", "ls-files", "*.clang-tidy"]).split())]).encode()

    due, failed, alone = [], [], []
    for source in sources:
        entry = commands.get(str(root / source)) or borrowed(commands, source)
        if not entry:
            alone.append(source)
        elif not passed_before(entry, known / f"{source}.json", common):
            due.append((source, entry))
    with concurrent.futures.ThreadPoolExecutor(wanted.jobs) as pool:
        told = {pool.submit(look, entry, known / f"{source}.json", common): source for source, entry in due}
        for count, done in enumerate(concurrent.futures.as_completed(told), 1):
            print(f"\rtidy: {count} of {len(due)}", end="" if sys.stdout.isatty() else "\n", flush=True)
            if done.result():
                failed.append(told[done])
                print(f"\n{told[done]}:\n{done.result()}", flush=True)
    forget_old()
    if due and sys.stdout.isatty():
        print()
    if alone:
        print(f"tidy: {len(alone)} sources are not compiled here (programs of other builds) and not looked at")
    if failed:
        print("tidy: not clean: " + " ".join(sorted(failed)), file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
