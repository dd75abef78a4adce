#!/usr/bin/env python3
"""What a release publishes, in which order, and with which notes.

    python3 .ci/release.py plan               names to publish, in dependency order, as JSON
    python3 .ci/release.py check              fails when a changelog lacks what changed
    python3 .ci/release.py check --release    fails unless the plan can be published as it stands
    python3 .ci/release.py known              names of which crates.io has any version, as JSON
    python3 .ci/release.py notes CRATE        the changelog's entry for the version in Cargo.toml

A crate is due when crates.io does not have the version in its Cargo.toml: raising the version is
how somebody asks for a release, and the tag CRATE-vVERSION marks one that was made. A crate that
is due needs a changelog entry for its version, dated once it is released; until then the entry
may still be called "Unreleased". A crate that changed since its release needs an "Unreleased"
entry.
"""

import json
import re
import subprocess
import sys

import workspace

HEADING = re.compile(
    r"^## \[?(?P<name>[^\]\s]+)\]?(?: - (?P<date>\d{4}-\d{2}-\d{2}))?[ \t]*$", re.MULTILINE
)


def entries(changelog):
    """The entries of a keep-a-changelog file: name -> (date or None, text)."""
    headings = list(HEADING.finditer(changelog))
    ends = [heading.start() for heading in headings[1:]] + [len(changelog)]
    return {
        heading["name"]: (heading["date"], changelog[heading.end() : end].strip())
        for heading, end in zip(headings, ends)
    }


def problem(crate, changelog, due, changed, release):
    """Why this crate cannot be released, or be left out of a release, as it stands; or None."""
    found = entries(changelog)
    date, news = found.get(crate.version, (None, ""))
    _, pending = found.get("Unreleased", (None, ""))
    where = f"{crate.folder}/CHANGELOG.md"
    if due and release and not (date and news):
        return (
            f"{crate.name} {crate.version} is to be published, and {where} has no entry "
            f"'## [{crate.version}] - YYYY-MM-DD' that says what is new"
        )
    if due and not (news or pending):
        return (
            f"{crate.name} {crate.version} is not published yet, and {where} does not describe it"
        )
    if not due and changed and not pending:
        return (
            f"{crate.name} changed since {crate.version} was published, and {where} says "
            "nothing under '## [Unreleased]'"
        )
    return None


def published(spec):
    """Whether crates.io has NAME, or NAME@VERSION."""
    found = subprocess.run(
        ["cargo", "info", "--quiet", "--registry", "crates-io", spec],
        cwd=workspace.ROOT,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    if found.returncode == 0:
        return True
    if "could not find" in found.stderr:
        return False
    # Neither yes nor no, such as an outage: taking it for "no" would publish twice.
    raise SystemExit(f"asking crates.io for {spec}: {found.stderr.strip()}")


def release_of(crate):
    return f"{crate.name}@{crate.version}"


def changed_since_release(crate):
    """Whether files differ from the tag of the released version; no tag counts as a change."""
    tag = f"refs/tags/{crate.name}-v{crate.version}"
    known = subprocess.run(["git", "rev-parse", "--quiet", "--verify", tag],
                           cwd=workspace.ROOT, stdout=subprocess.DEVNULL)
    if known.returncode != 0:
        return True
    return bool(workspace.run("git", "diff", "--name-only", tag, "--", str(crate.folder)).strip())


def changelog_of(crate):
    file = workspace.ROOT / crate.folder / "CHANGELOG.md"
    return file.read_text(encoding="utf-8") if file.exists() else ""


def main(arguments):
    members = workspace.crates()
    publishable = [crate for crate in members.values() if crate.publishable]
    match arguments:
        case ["plan"]:
            due = {crate.name for crate in publishable if not published(release_of(crate))}
            print(json.dumps(workspace.in_order(due, members)))
        case ["known"]:
            print(json.dumps(sorted(c.name for c in publishable if published(c.name))))
        case ["check", *rest] if rest in ([], ["--release"]):
            found = []
            for crate in publishable:
                due = not published(release_of(crate))
                changed = not due and changed_since_release(crate)
                found.append(problem(crate, changelog_of(crate), due, changed, bool(rest)))
            found = [text for text in found if text]
            for text in found:
                print(text, file=sys.stderr)
            return 1 if found else 0
        case ["notes", name] if name in members:
            _, text = entries(changelog_of(members[name]))[members[name].version]
            print(text)
        case _:
            print(__doc__, file=sys.stderr)
            return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
