#!/usr/bin/env python3
"""Fails when a Markdown file of the tree links to a file or heading that is not there, or quotes
code that is not in the file it names: a fenced block behind `<!-- from: path -->` must stand there
line by line, at any indentation."""
import pathlib
import re
import subprocess
import sys

root = pathlib.Path(__file__).resolve().parent.parent
files = subprocess.run(["git", "ls-files", "--", "*.md"], cwd=root, capture_output=True, text=True,
                       check=True).stdout.split("\n")
link = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)(?:\s+\"[^\"]*\")?\)")
fence = re.compile(r"^(```|~~~).*?^\1", re.M | re.S)
quote = re.compile(r"<!-- from: (\S+) -->\s*\n```\w*\n(.*?)^```", re.M | re.S)
complaints = []


def anchors(path):
    """The anchors that viewers generate for the headings."""
    found = set()
    for heading in re.findall(r"^#+\s+(.*)$", fence.sub("", path.read_text(encoding="utf-8")), re.M):
        text = re.sub(r"[`*]", "", heading).strip().lower()
        found.add(re.sub(r"[^\w\- ]", "", text).replace(" ", "-"))
    return found


for name in filter(None, files):
    file = root / name
    if not file.exists():
        continue
    text = fence.sub("", file.read_text(encoding="utf-8"))
    for target in link.findall(re.sub(r"`[^`]*`", "", text)):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = target.partition("#")
        other = (file.parent / path).resolve() if path else file
        if not other.exists():
            complaints.append(f"{name}: {target} is not there")
        elif anchor and other.suffix == ".md" and anchor not in anchors(other):
            complaints.append(f"{name}: {target}: no such heading")
    for source, code in quote.findall(file.read_text(encoding="utf-8")):
        if not (root / source).exists():
            complaints.append(f"{name}: quotes {source}, which is not there")
            continue
        lines = [line.strip() for line in (root / source).read_text(encoding="utf-8").splitlines()]
        wanted = [line.strip() for line in code.splitlines()]
        if not any(lines[i:i + len(wanted)] == wanted for i in range(len(lines))):
            complaints.append(f"{name}: the quoted lines are not in {source}: {wanted[0]} …")
print(*complaints, sep="\n", end="\n" if complaints else "")
sys.exit(bool(complaints))
