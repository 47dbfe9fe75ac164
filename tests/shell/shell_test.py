#!/usr/bin/env python3
"""The manual page and the completion scripts know every command and option that the help knows.

usage: shell_test.py <vernier>
"""
import re
import subprocess
import sys
import unittest

program = sys.argv.pop(1)


def said(*words):
    return subprocess.run([program, *words], capture_output=True, text=True, check=True).stdout


def commands():
    return re.findall(r"^  vernier (\w+)", said("help", "all"), re.MULTILINE)


def options(command):
    """The long options, as the help of a command lists them."""
    return set(re.findall(r"^  (?:-\w,)?(--[\w-]+)", said("help", command), re.MULTILINE))


class Shell(unittest.TestCase):
    def test_there_are_commands_with_options(self):
        self.assertIn("run", commands())
        self.assertIn("--seed", options("run"))

    def test_the_manual_page_has_every_option(self):
        page = said("help", "--man").replace("\\-", "-")
        self.assertTrue(page.startswith(".TH VERNIER 1 "))
        sections = dict(re.findall(r'^\.SS "vernier (\w+).*?"\n(.*?)(?=^\.S)', page, re.MULTILINE | re.DOTALL))
        for command in commands():
            told = set(re.findall(r"^\\fB(--[\w-]+)", sections[command], re.MULTILINE))
            self.assertEqual(told, options(command) - {"--help", "--color"}, command)
        # a line that begins with a dot or a quote is a request: only those that are meant
        requests = {line.split()[0] for line in page.splitlines() if line[:1] in (".", "'")}
        self.assertEqual(requests, {".TH", ".SH", ".SS", ".TP", ".PP", ".EX", ".EE", ".B", ".I"})

    def test_zsh_completes_every_option(self):
        script = said("completion", "zsh")
        cases = dict(re.findall(r"^    (\w+)\) _arguments(.*?) ;;", script, re.MULTILINE | re.DOTALL))
        for command in commands():
            self.assertRegex(script, rf"(?m)^    '{command}:")
            told = set(re.findall(r"^      '\*(--[\w-]+)\[", cases[command], re.MULTILINE))
            self.assertEqual(told, options(command), command)

    def test_fish_completes_every_option(self):
        script = said("completion", "fish")
        for command in commands():
            self.assertIn(f"-n __fish_use_subcommand -f -a {command} -d '", script)
            told = set(re.findall(rf"from {command}'.* -l ([\w-]+)", script))
            self.assertEqual({f"--{name}" for name in told}, options(command), command)

    def test_quotes_are_closed(self):
        for shell in ("zsh", "fish"):
            for line in said("completion", shell).splitlines():
                if not line.startswith("#"):
                    self.assertEqual(line.replace("'\\''", "").count("'") % 2, 0, line)


if __name__ == "__main__":
    unittest.main()
