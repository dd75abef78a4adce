#!/usr/bin/env python3
"""Fails when a link in a tracked Markdown file leads to no file or heading of this repository.

Links to the web are not followed: the gate must not depend on other people's servers. The book's
SUMMARY.md must list every page under docs/src.
"""

import itertools
import re
import sys
from pathlib import Path
from urllib.parse import unquote

import workspace

BOOK = "docs/src"
CODE = re.compile(r"^(```|~~~).*?^\1[ \t]*$|`[^`\n]*`", re.MULTILINE | re.DOTALL)
LINK = re.compile(
    r"\]\(\s*<?([^)\s>]+)>?(?:\s+\"[^\"]*\")?\s*\)|^\[[^\]]+\]:\s*(\S+)", re.MULTILINE
)
HEADING = re.compile(r"^#{1,6}\s+(.*?)\s*#*$", re.MULTILINE)
ANCHOR = re.compile(r"""\b(?:id|name)=["']([^"']+)["']""")
OUTSIDE = re.compile(r"^[a-z][a-z0-9+.-]*:", re.IGNORECASE)


def prose(text):
    """The text without code, every line still in its place."""
    return CODE.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)


def anchors(text):
    """The fragments a page offers: its headings as GitHub and mdBook name them, and HTML ids."""
    found = set(ANCHOR.findall(text))
    for heading in HEADING.findall(re.sub(r"^(```|~~~).*?^\1[ \t]*$", "", text, flags=re.M | re.S)):
        plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower()
        name = re.sub(r"[^\w\- ]", "", plain).replace(" ", "-")
        copies = (f"{name}-{n}" if n else name for n in itertools.count())
        found.add(next(copy for copy in copies if copy not in found))
    return found


def links(text):
    """(line, target) of each link that stays in the repository."""
    stripped = prose(text)
    for match in LINK.finditer(stripped):
        target = match[1] or match[2]
        if not OUTSIDE.match(target):
            yield stripped.count("\n", 0, match.start()) + 1, target


def broken(page, text, root, tracked):
    """What is wrong with the links of one page."""
    for line, target in links(text):
        path, _, fragment = unquote(target).partition("#")
        goal = (page.parent / path).resolve() if path else page
        where = f"{page.relative_to(root)}:{line}"
        if not goal.is_relative_to(root):
            yield f"{where}: {target} leads out of the repository"
            continue
        if page.is_relative_to(root / BOOK) and not goal.is_relative_to(root / BOOK):
            yield f"{where}: {target} leads out of the book, where readers on the web cannot follow"
            continue
        name = goal.relative_to(root).as_posix()
        known = name == "." or name in tracked or any(t.startswith(name + "/") for t in tracked)
        if not known:
            yield f"{where}: {target} leads to no tracked file"
        elif fragment and goal.suffix == ".md":
            if fragment not in anchors(goal.read_text(encoding="utf-8")):
                yield f"{where}: {target} names no heading of {name}"


def unlisted(root, tracked):
    """Pages of the book that its SUMMARY.md does not list."""
    source = root / BOOK
    summary = source / "SUMMARY.md"
    listed = {
        (source / target.partition("#")[0]).resolve()
        for _, target in links(summary.read_text(encoding="utf-8"))
    }
    for name in tracked:
        page = root / name
        if page.is_relative_to(source) and page.suffix == ".md" and page != summary:
            if page not in listed:
                yield f"{name} is in no chapter list; add it to docs/src/SUMMARY.md"


def main():
    root = Path(workspace.ROOT)
    tracked = [name for name in workspace.run("git", "ls-files", "-z").split("\0") if name]
    pages = [root / name for name in tracked if name.endswith(".md") and (root / name).is_file()]
    found = [
        problem
        for page in pages
        for problem in broken(page, page.read_text(encoding="utf-8"), root, set(tracked))
    ]
    found += unlisted(root, tracked)
    for problem in found:
        print(problem, file=sys.stderr)
    print(f"{len(pages)} pages, {len(found)} problems", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
