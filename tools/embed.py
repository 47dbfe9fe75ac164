#!/usr/bin/env python3
"""Writes a C++ source that holds files byte by byte: <name>(file) answers a file's content,
<name>_files() the names of all of them.

usage: embed.py <function name> <root> <output.cpp> <file relative to root>...
"""
import pathlib
import sys

name, root, output, *files = sys.argv[1:]
lines = ["#include <span>", "#include <string_view>", "", "namespace vernier::embedded {", "namespace {", ""]
for number, file in enumerate(files):
    content = (pathlib.Path(root) / file).read_bytes()
    lines.append(f"constexpr char content_{number}[] = {{")
    for start in range(0, len(content), 24):
        lines.append("  " + ",".join(str(b if b < 128 else b - 256) for b in content[start:start + 24]) + ",")
    lines += ["  0};", ""]
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
