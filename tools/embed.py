#!/usr/bin/env python3
"""Writes a C++ source that holds files byte by byte: <name>(file) answers a file's content,
<name>_files() the names of all of them.

usage: embed.py <function name> <root> <output.cpp> <file relative to root>...
"""
import pathlib
import sys


def literal(content):
    """A string literal; compilers take a tenth of the time that a list of numbers takes."""
    text, after_code = "", False
    for byte in content:
        plain = 32 <= byte < 127 and chr(byte) not in '"\\?' and not (after_code and chr(byte) in "01234567")
        text += chr(byte) if plain else f"\\{byte:o}"
        after_code = not plain
    return f'"{text}"'


name, root, output, *files = sys.argv[1:]
lines = ["#include <span>", "#include <string_view>", "", "// longer than the standard promises; gcc and clang have no limit",
         "#pragma GCC diagnostic ignored \"-Woverlength-strings\"", "", "namespace vernier::embedded {", "namespace {", ""]
for number, file in enumerate(files):
    content = (pathlib.Path(root) / file).read_bytes()
    lines.append(f"constexpr char content_{number}[] =")
    lines += ["  " + literal(content[start:start + 64]) for start in range(0, len(content), 64)] or ['  ""']
    lines += ["  ;", ""]
lines += ["}  // namespace", "",
          f"std::string_view {name}(std::string_view file) noexcept;",
          f"std::string_view {name}(std::string_view file) noexcept {{"]
for number, file in enumerate(files):
    lines.append(f'  if (file == "{file}") return {{content_{number}, sizeof content_{number} - 1}};')
lines += ["  return {};", "}", "",
          f"std::span<const std::string_view> {name}_files() noexcept;",
          f"std::span<const std::string_view> {name}_files() noexcept {{",
          f"  static constexpr std::string_view names[] = {{" + ", ".join(f'"{file}"' for file in files) + "};",
          "  return names;", "}", "", "}  // namespace vernier::embedded", ""]
pathlib.Path(output).write_text("\n".join(lines), encoding="utf-8")
