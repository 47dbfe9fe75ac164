#!/usr/bin/env python3
"""Fails when a module includes another that it does not declare, or another's detail/ folder.

usage: check_includes.py <root of the modules> <module> [<module it depends on>...]
Tests may include vernier/testing as well. Folders inside a module belong to it.
"""
import pathlib
import re
import sys

root, module, *depends = sys.argv[1:]
include = re.compile(r'\s*#\s*include\s*[<"]vernier/(.+)/[^/]+[>"]')
complaints = []
for file in sorted((pathlib.Path(root) / module).glob("**/*.[hc]pp")):
    allowed = {module, *depends} | ({"testing"} if file.stem.endswith("_test") else set())
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
        found = include.match(line)
        if not found:
            continue
        other = found[1].removesuffix("/detail")
        if not any(other == one or other.startswith(one + "/") for one in allowed):
            complaints.append(f"{file}:{number}: {module} does not declare {other}")
        elif found[1].endswith("/detail") and other != module:
            complaints.append(f"{file}:{number}: {other}/detail is private")
print(*complaints, sep="\n")
sys.exit(bool(complaints))
