#!/usr/bin/env python3
"""Prints the claims of one paper, measured by its quick study, as a Markdown table.

    python3 docs/claims.py PAPER

The study has a fixed seed, so the table is the same on every machine with the same data in place.
"""

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def number(value):
    return f"{value:.3g}"


def measured(estimate):
    if estimate is None:
        return "–"
    mean, low, high = (number(estimate[key]) for key in ("mean", "low", "high"))
    return mean if low == high else f"{mean} [{low}, {high}]"


def row(claim):
    cells = [
        claim["verdict"].replace("_", " "),
        claim["statement"],
        claim["published"] or "–",
        measured(claim["estimate"]),
        claim["criterion"] or claim["reason"],
    ]
    return "| " + " | ".join(str(cell).replace("|", "\\|") for cell in cells) + " |"


def main(arguments):
    if len(arguments) != 1:
        print(__doc__, file=sys.stderr)
        return 2
    out = ROOT / "target" / "claims" / arguments[0]
    done = subprocess.run(
        ["cargo", "run", "--release", "--quiet", "--", "reproduce", arguments[0], "--json",
         "--force", "--out", str(out)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
    )
    if done.returncode != 0:
        return done.returncode
    (paper,) = json.loads(done.stdout)["papers"]
    print("| verdict | claim | published | measured | criterion |")
    print("|---|---|---|---|---|")
    print("\n".join(map(row, paper["claims"])))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
