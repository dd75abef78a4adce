#!/usr/bin/env python3
"""Fails on tracked files that do not belong into a repository others build from.

Checked are: size, paths of one machine, and that each publishable crate carries the files its
readers and lawyers look for.
"""

import re
import sys

import workspace

LARGEST = 1 << 20
# A home or build folder of one machine. A documentation example says ~/ or path/to instead.
MACHINE = re.compile(rb"(?<![\w.~-])/(?:home|Users|root|work)/[\w.-]+")
CARRIED = ("README.md", "CHANGELOG.md", "LICENSE-APACHE", "LICENSE-MIT")


def tracked():
    names = workspace.run("git", "ls-files", "-z").split("\0")
    return sorted(name for name in names if name and (workspace.ROOT / name).is_file())


def large(name, content):
    if len(content) > LARGEST:
        yield f"{name} has {len(content)} bytes; at most {LARGEST} may be committed"


def machine_paths(name, content):
    if b"\0" in content:
        return
    for at, line in enumerate(content.splitlines(), 1):
        for found in MACHINE.findall(line):
            yield f"{name}:{at}: {found.decode()} exists on one machine only"


def crate_files(crates, names):
    for crate in crates:
        for file in CARRIED:
            path = f"{crate.folder}/{file}"
            if crate.publishable and path not in names:
                yield f"{path} is missing; every published crate carries it"


def main():
    names = tracked()
    found = list(crate_files(workspace.crates().values(), set(names)))
    if "Cargo.lock" not in names:
        found.append("Cargo.lock is not committed; builds would not be repeatable")
    for name in names:
        content = (workspace.ROOT / name).read_bytes()
        found += large(name, content)
        found += machine_paths(name, content)
    for problem in found:
        print(problem, file=sys.stderr)
    print(f"{len(names)} tracked files, {len(found)} problems", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
