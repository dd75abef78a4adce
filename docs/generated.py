#!/usr/bin/env python3
"""Keeps the parts of Markdown files that a command prints as the command prints them.

    python3 docs/generated.py --check     exit 1, with a diff, when a part is out of date
    python3 docs/generated.py --write     bring every part up to date

Such a part stands between two comments, each on a line of its own:

    <!-- generated: COMMAND -->            what COMMAND prints is Markdown
    <!-- generated as text: COMMAND -->    it goes into a fenced block; "text" names its language
    ...
    <!-- /generated -->

COMMAND is run without a shell, from the root of the repository, once however often it is named.
It must print the same bytes on every machine. Only tracked Markdown files are looked at, and
nothing inside a fenced block is taken for a marker.
"""

import argparse
import difflib
import re
import shlex
import subprocess
import sys
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
START = re.compile(r"^<!-- generated(?: as (?P<language>\w+))?: (?P<command>.+?) -->$")
END = "<!-- /generated -->"
FENCE = re.compile(r"^\s{0,3}(`{3,}|~{3,})")


class Malformed(Exception):
    """A marker without its partner, or a command that failed."""


@cache
def output(command):
    done = subprocess.run(shlex.split(command), cwd=ROOT, stdout=subprocess.PIPE, text=True)
    if done.returncode != 0:
        raise Malformed(f"`{command}` ended with exit code {done.returncode}")
    return done.stdout.strip("\n")


def block(start, text):
    """The lines that belong between the markers."""
    if start["language"] is None:
        return ["", *text.split("\n"), ""]
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return [fence + start["language"], *text.split("\n"), fence]


def regenerate(text, run=output):
    """The text with every generated part as `run` gives it."""
    result = []
    opened = None  # line of the marker whose part we are in; the old part is dropped
    fence = None
    for at, line in enumerate(text.split("\n"), 1):
        mark = FENCE.match(line)
        start = START.match(line)
        if opened is not None:
            if start:
                raise Malformed(f"line {at}: the part begun in line {opened} is still open")
            if line != END:
                continue
            opened = None
        elif fence is not None:
            if mark and mark[1].startswith(fence) and line.strip() == mark[1]:
                fence = None
        elif mark:
            fence = mark[1]
        elif start:
            opened = at
            result += [line, *block(start, run(start["command"]))]
            continue
        elif line == END:
            raise Malformed(f"line {at}: {END} closes nothing")
        result.append(line)
    if opened is not None:
        raise Malformed(f"line {opened}: no {END} follows")
    return "\n".join(result)


def pages():
    listed = subprocess.run(
        ["git", "ls-files", "-z", "*.md"], cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True
    ).stdout
    return [ROOT / name for name in listed.split("\0") if name and (ROOT / name).is_file()]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    mode = parser.add_mutually_exclusive_group(required=True)
    mode.add_argument("--check", action="store_true", help="exit 1 when a part is out of date")
    mode.add_argument("--write", action="store_true", help="bring every part up to date")
    arguments = parser.parse_args()
    status = 0
    for page in pages():
        name = page.relative_to(ROOT).as_posix()
        old = page.read_text(encoding="utf-8")
        try:
            new = regenerate(old)
        except Malformed as error:
            print(f"{name}: {error}", file=sys.stderr)
            status = 1
            continue
        if new == old:
            continue
        if arguments.write:
            page.write_text(new, encoding="utf-8")
            print(f"{name}: written", file=sys.stderr)
        else:
            status = 1
            sys.stderr.writelines(
                difflib.unified_diff(
                    old.splitlines(True), new.splitlines(True), name, f"{name}, regenerated"
                )
            )
            print("python3 docs/generated.py --write brings it up to date", file=sys.stderr)
    return status


if __name__ == "__main__":
    sys.exit(main())
