"""What `cargo metadata` says about the workspace, as the automation's scripts need it."""

import json
import subprocess
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).resolve().parent.parent


@dataclass(frozen=True)
class Crate:
    """One workspace member."""

    name: str
    version: str
    folder: PurePosixPath  # relative to the workspace root
    publishable: bool
    uses: frozenset  # names of the members it needs to build; a dev-dependency is no such need
    tested_with: frozenset  # names of the members its tests need besides


def run(*command):
    """The command's standard output; its own message and exit code go on when it fails."""
    return subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout


def crates():
    """Every workspace member by name."""
    return parse(json.loads(run("cargo", "metadata", "--no-deps", "--format-version", "1")))


def parse(metadata):
    names = {package["name"] for package in metadata["packages"]}
    root = Path(metadata["workspace_root"])
    found = {}
    for package in metadata["packages"]:
        needs = {True: set(), False: set()}
        for dependency in package["dependencies"]:
            if dependency["name"] in names - {package["name"]}:
                needs[dependency["kind"] == "dev"].add(dependency["name"])
        found[package["name"]] = Crate(
            name=package["name"],
            version=package["version"],
            folder=PurePosixPath(
                Path(package["manifest_path"]).parent.relative_to(root).as_posix()
            ),
            publishable=package["publish"] != [],
            uses=frozenset(needs[False]),
            tested_with=frozenset(needs[True]),
        )
    return found


def in_order(chosen, members):
    """The chosen names, each after the chosen ones it uses; ties by name."""
    ordered = []

    def visit(name):
        for used in sorted(members[name].uses):
            visit(used)
        if name in chosen and name not in ordered:
            ordered.append(name)

    for name in sorted(chosen):
        visit(name)
    return ordered


if __name__ == "__main__":
    # The crates to publish, in order, for scripts that are not Python.
    members = crates()
    print("\n".join(in_order({name for name in members if members[name].publishable}, members)))
