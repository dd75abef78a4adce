#!/usr/bin/env python3
"""Fails when a workflow refers to something that is not there.

Linters know GitHub's language; this knows the repository: each path in a command or a path filter
exists, each program is one that the runner has, each step of `.ci/run` and each script argument is
known, and each action is pinned to one commit, the same everywhere. Needs PyYAML.
"""

import re
import shlex
import subprocess
import sys
from fnmatch import fnmatchcase

import yaml

import workspace

# What GitHub's ubuntu image has that a machine running the gate may lack.
RUNNER = {"gh", "jq", "rustup", "cargo", "python3"}
# Made by the jobs themselves.
MADE = ("target/", "notes.md")
USES = re.compile(r"^\s*(?:- )?uses: (?P<action>[\w./-]+)@(?P<ref>\S+)(?P<comment> # v[\d.]+)?$")
ENDING = re.compile(r"\.(json|md|mjs|py|rs|sh|toml|txt|yml)$")
ARITHMETIC = re.compile(r"(?<!\$)\(\(.*?\)\)")
SUBSTITUTION = re.compile(r"\$\(([^()]+)\)")
SEPARATORS = set(";|&(){}\n")
KEYWORDS = {"if", "then", "else", "elif", "fi", "for", "while", "do", "done", "case", "esac", "!"}


def commands(script):
    """The simple commands of a shell script, those of its $(...) first, each as its words."""
    for inner in SUBSTITUTION.findall(script):
        yield from commands(inner)
    plain = ARITHMETIC.sub("true", SUBSTITUTION.sub("$inner", script))
    lexer = shlex.shlex(plain, posix=True, punctuation_chars=";|&(){}\n<>")
    lexer.whitespace = " \t"
    lexer.whitespace_split = True
    words = []
    for token in lexer:
        if set(token) <= SEPARATORS:
            if words:
                yield words
            words = []
        elif token in KEYWORDS and not words:
            continue
        else:
            words.append(token)
    if words:
        yield words


def known_program(name):
    """Whether bash, run as the runner runs it, finds the program."""
    if name in RUNNER or "=" in name:
        return True
    return subprocess.run(["bash", "-c", 'type "$0"', name], capture_output=True).returncode == 0


def leads_nowhere(word, tracked):
    """Whether the word is a path into this repository, and nothing is there."""
    path = word.rstrip("/")
    if "/" not in path or path.startswith(MADE) or not re.fullmatch(r"[\w./-]+", path):
        return False
    folder = path.split("/")[0] + "/"
    # Not every word with a slash is a path: sed's are not.
    if not any(name.startswith(folder) for name in tracked) and not ENDING.search(path):
        return False
    return path not in tracked and not any(name.startswith(path + "/") for name in tracked)


def script_problems(script, tracked, steps):
    """What a `run:` refers to in vain."""
    syntax = subprocess.run(["bash", "-n"], input=script, capture_output=True, text=True)
    if syntax.returncode != 0:
        yield f"bash cannot read it: {syntax.stderr.strip()}"
        return
    for words in commands(script):
        # A variable, the head of a loop, or a program that the job itself made.
        given = words[0].startswith(("$", *MADE)) or words[1:2] == ["in"]
        if not given and not known_program(words[0]):
            yield f"no program {words[0]!r}"
        for word in words:
            if leads_nowhere(word, tracked):
                yield f"no file {word!r} in the repository"
        if ".ci/run" in words:
            for step in words[words.index(".ci/run") + 1 :]:
                if step not in steps:
                    yield f".ci/run has no step {step!r}"


def filters(workflow):
    """Every path pattern of the workflow's events."""
    # YAML reads the key `on` as the truth value.
    events = workflow.get("on", workflow.get(True))
    for event in events.values() if isinstance(events, dict) else []:
        if isinstance(event, dict):
            for key in ("paths", "paths-ignore"):
                yield from event.get(key, [])


def problems(text, tracked, steps):
    """What is wrong with one workflow."""
    workflow = yaml.safe_load(text)
    for pattern in filters(workflow):
        # fnmatch lets * cross folders, which GitHub's ** does; none of ours relies on less.
        loose = pattern.removeprefix("**/")
        if not any(fnmatchcase(n, pattern) or fnmatchcase(n, loose) for n in tracked):
            yield f"the path filter {pattern!r} matches nothing"
    for name, job in workflow["jobs"].items():
        for step in job["steps"]:
            for problem in script_problems(step.get("run", ""), tracked, steps):
                yield f"{name}: {problem}"


def pins(texts):
    """Actions that are not pinned to a commit, or to different ones in different places."""
    seen = {}
    for name, text in texts.items():
        for at, line in enumerate(text.splitlines(), 1):
            if "uses:" not in line:
                continue
            match = USES.match(line)
            if not match or not re.fullmatch(r"[0-9a-f]{40}", match["ref"]) or not match["comment"]:
                yield f"{name}:{at}: pin the action to a full commit, with ' # vX.Y.Z' behind it"
            elif seen.setdefault(match["action"], match["ref"]) != match["ref"]:
                yield f"{name}:{at}: {match['action']} is pinned to another commit elsewhere"


def main():
    tracked = set(workspace.run("git", "ls-files", "-z").split("\0")) - {""}
    steps = set(workspace.run("bash", ".ci/run", "--list").split())
    texts = {
        name: (workspace.ROOT / name).read_text(encoding="utf-8")
        for name in sorted(tracked)
        if name.startswith(".github/workflows/")
    }
    found = list(pins(texts))
    for name, text in texts.items():
        found += [f"{name}: {problem}" for problem in problems(text, tracked, steps)]
    for problem in found:
        print(problem, file=sys.stderr)
    print(f"{len(texts)} workflows, {len(found)} problems", file=sys.stderr)
    return 1 if found or not texts else 0


if __name__ == "__main__":
    sys.exit(main())
