#!/usr/bin/env python3
"""Prints the crates that a change can break, as a JSON list of names.

    python3 .ci/changed.py BASE      what differs between the commit BASE and the work tree

A crate is affected when one of its own files changed, when it uses an affected crate, or when its
tests do. A file outside every crate affects all of them if it takes part in every build, and none
if it is prose.
"""

import json
import sys
from pathlib import PurePosixPath

import workspace

# Outside the crates: what no build reads. Anything unknown is taken to affect every crate.
PROSE = ("docs", "README.md", "LICENSE-APACHE", "LICENSE-MIT", ".gitignore", "deny.toml")


def affected(files, members):
    """The names of the affected crates, sorted."""
    hit = set()
    for file in map(PurePosixPath, files):
        owners = [crate for crate in members.values() if file.is_relative_to(crate.folder)]
        if owners:
            hit.add(max(owners, key=lambda crate: len(crate.folder.parts)).name)
        elif file.parts[0] not in PROSE:
            return sorted(members)
    changed = set(hit)
    while hit:
        hit = {
            name
            for name, crate in members.items()
            if name not in changed and crate.uses & hit
        }
        changed |= hit
    # Dev-dependencies do not hand a change on: who uses a crate does not build its tests.
    changed |= {name for name, crate in members.items() if crate.tested_with & changed}
    return sorted(changed)


def main(arguments):
    if len(arguments) != 1:
        print(__doc__, file=sys.stderr)
        return 2
    names = workspace.run("git", "diff", "--name-only", "--no-renames", "-z", arguments[0])
    files = [name for name in names.split("\0") if name]
    print(json.dumps(affected(files, workspace.crates())))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
