#!/usr/bin/env python3
"""Sources of a module are compiled together, so a function that is local to one source is visible in the next. Two local functions of the
same name with different parameters are overloads then: a call may silently take the other one. This check refuses them.

usage: check_local_names.py <source tree>
"""

import pathlib
import re
import sys
from collections import defaultdict

# compiled apart, with options of their own (vernier/kernel/multibody/CMakeLists.txt)
APART = {"check.cpp", "mass_matrix.cpp", "nodes.cpp", "spacecraft_lanes.cpp", "star.cpp", "tangent.cpp", "tree.cpp"}
DEFINITION = re.compile(r"^(?!return|using|namespace|else|template|static_assert)(?:\[\[\w+\]\] )?[A-Za-z][\w:<>,&* ]* [&*]?(\w+)\(")


def local_functions(text):
    """Functions that are defined in anonymous namespaces, at the beginning of a line as clang-format puts them: name and namespace."""
    outer, local = "", False
    for line in text.splitlines():
        if line.startswith("namespace {"):
            local = True
        elif found := re.match(r"namespace ([\w:]+) \{", line):
            outer = found[1]
        elif local and line.startswith("}  // namespace"):
            local = False
        elif local and (found := DEFINITION.match(line)):
            yield outer, found[1]


def main(tree):
    places = defaultdict(lambda: defaultdict(set))
    for path in sorted([*tree.glob("vernier/**/*.cpp"), *tree.glob("apps/**/*.cpp")]):
        if path.name.endswith(("_test.cpp", "_fuzz.cpp")):
            continue
        module = path.parent
        while not (module / "CMakeLists.txt").exists():
            module = module.parent
        if module.name == "multibody" and path.name in APART:
            continue
        for function in local_functions(path.read_text(encoding="utf-8")):
            places[module][function].add(path)
    wrong = looked = 0
    for module, names in places.items():
        for (_, name), files in names.items():
            looked += 1
            if len(files) > 1:
                wrong += 1
                print(f"{name}() is local to {', '.join(str(f.relative_to(tree)) for f in sorted(files))}: rename all but one")
    print(f"{looked} local functions, {wrong} of a name that another source uses")
    return 1 if wrong or not looked else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1]).resolve()))
